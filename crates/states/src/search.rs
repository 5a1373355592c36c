//! The search itself: breadth first, so that the first violation is one of the nearest.
//!
//! For each state, the program of each pending async is run; where it bails, or there is none, the
//! interpreter takes that async. States are numbered and steps counted exactly as in
//! [`plainsong_semantics::search`], so both give the same report.
//!
//! When a number outgrows its field, or a new async needs a new word, the state at hand is given up, all
//! states are packed anew, programs are compiled again, and the state is looked at once more. Nothing of a
//! state is entered before all of its steps are known, so this leaves no traces.

mod claims;

use crate::Taken;
use crate::code::{Guard, Program};
use crate::coding::{Coding, Misfit};
use crate::compile::{self, Trouble};
use crate::reached::Stored;
use crate::run::{Ran, Runs};
use crate::store::{MOST_STATES, Store};
use crate::symmetry::Swaps;
use claims::{CompiledClaim, OpenPremise, claims};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Actions, Expr, Song, SortId, Stmt};
use plainsong_semantics::action_state::{ActionState, Deeds};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::premise::{Premise, premises};
use plainsong_semantics::search::{
    Check, Completeness, Edge, Findings, Limits, PACE, Progress, Query, SearchReport, Totals, Watch,
};
use plainsong_semantics::trace::Failure;
use rustc_hash::FxHashMap;

/// A search under way.
pub(crate) struct Search<'s> {
    song: &'s Song,
    actions: &'s Actions,
    machine: &'s Machine,
    deeds: Deeds<'s>,
    coding: Coding,
    store: Store,
    /// The exchanges up to which states are kept.
    swaps: Option<Swaps>,
    /// The number of the first state of each depth.
    levels: Vec<usize>,
    statements: FxHashMap<Span, u32>,
    /// What is known about the program of each async.
    programs: Vec<Compiled<'s>>,
    /// Asyncs in the order of the interpreter.
    turns: Vec<Turn>,
    claims: Vec<CompiledClaim<'s>>,
    /// Premises of properties that were not true yet.
    premises: Vec<OpenPremise<'s>>,
    runs: Runs,
    /// The state at hand.
    base: Vec<u64>,
    /// Steps out of it that lead to no state, by number.
    odd: Vec<(usize, Odd)>,
    /// Which of the states that it leads to are known at first sight.
    known: Vec<bool>,
    acted: Vec<bool>,
    full: bool,
    steps: u64,
    taken: Taken,
    edges: Option<Vec<Vec<Edge>>>,
}

/// An async, and how to see at once that it is not pending or blocked.
#[derive(Clone, Copy, Debug)]
struct Turn {
    ground: usize,
    /// The bits that count it, and how they are when there is none.
    count: (usize, u64, u64),
    /// It is blocked unless these bits of the word are like this.
    guard: Guard,
    /// Is the guard still to be found out? It is once the program has run, and with it the statement
    /// that blocks.
    is_new: bool,
}

/// What runs an async.
enum Compiled<'s> {
    /// Not looked at yet.
    Open,
    /// A program.
    Program(Box<Program<'s>>),
    /// The interpreter.
    Interpreted,
}

/// A step that leads to no state.
enum Odd {
    Failed(Failure),
    Discarded,
}

/// What must change before a state can be looked at.
#[derive(Clone, Copy, Debug)]
enum Obstacle {
    /// This field must be wider, or there are more words.
    Repack(Option<usize>),
    /// There are too many different asyncs.
    Asyncs,
}

impl From<Misfit> for Obstacle {
    fn from(misfit: Misfit) -> Self {
        match misfit {
            Misfit::Narrow(field) => Obstacle::Repack(Some(field)),
            Misfit::Asyncs => Obstacle::Asyncs,
        }
    }
}

/// Searches an action system; none when it has too many different asyncs to count them one by one.
pub(crate) fn search(
    instance: &Instance,
    actions: &Actions,
    query: &Query,
    alike: &[SortId],
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Option<(SearchReport, Taken)> {
    let machine = Machine::new(instance, Subject::System);
    let song = instance.song();
    let mut findings = Findings::new(&machine, query);
    let premises = premises(song, query.checks.iter().copied());
    let mut search = Search::new(song, actions, &machine, query, findings.wants_edges());
    search.premises = premises.iter().map(OpenPremise::new).collect();
    search.swaps = (!alike.is_empty()).then(|| Swaps::new(instance, alike));
    let completeness = search.explore(&mut findings, limits, watch)?;
    let taken = search.taken;
    Some((search.report(findings, completeness, &premises), taken))
}

impl<'s> Search<'s> {
    fn new(
        song: &'s Song,
        actions: &'s Actions,
        machine: &'s Machine,
        query: &Query,
        with_edges: bool,
    ) -> Self {
        let coding = Coding::new(machine.instance(), actions);
        let statements = statements(actions);
        let runs = Runs::new(statements.len());
        Search {
            song,
            actions,
            machine,
            deeds: Deeds::new(machine),
            store: Store::new(coding.layout.words(), with_edges),
            coding,
            swaps: None,
            levels: Vec::new(),
            statements,
            programs: Vec::new(),
            turns: Vec::new(),
            claims: claims(song, query),
            premises: Vec::new(),
            runs,
            base: Vec::new(),
            odd: Vec::new(),
            known: Vec::new(),
            acted: vec![false; actions.actions.len()],
            full: false,
            steps: 0,
            taken: Taken::default(),
            edges: with_edges.then(Vec::new),
        }
    }

    fn explore(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        watch: &mut dyn Watch,
    ) -> Option<Completeness> {
        let most = limits.states.min(MOST_STATES);
        self.begin(findings, most)?;
        let (mut at, mut depth) = (0, 0);
        while at < self.store.len() {
            if findings.all_refuted() || limits.refutations.is_some_and(|n| findings.refuted() >= n)
            {
                return Some(Completeness::Enough);
            }
            if self.levels.get(depth + 1) == Some(&at) {
                depth += 1;
            }
            if (at as u64).is_multiple_of(PACE) && !watch.keep_going(&self.progress(at, depth)) {
                return Some(Completeness::Stopped);
            }
            let steps = loop {
                match self.look(at) {
                    Ok(steps) => break steps,
                    Err(Obstacle::Repack(field)) => self.repack(field),
                    Err(Obstacle::Asyncs) => return None,
                }
            };
            self.check(findings, at, steps);
            self.enter(findings, at, depth, steps, most);
            at += 1;
        }
        Some(findings.completeness(self.full))
    }

    fn progress(&self, at: usize, depth: usize) -> Progress {
        Progress {
            states: self.store.len() as u64,
            waiting: (self.store.len() - at) as u64,
            steps: self.steps,
            depth: depth as u64,
        }
    }

    /// Enters the states at the start.
    fn begin(&mut self, findings: &mut Findings<'_>, most: u64) -> Option<()> {
        for outcome in self.deeds.initial() {
            match outcome {
                Outcome::Next(config) => {
                    let state = ActionState::of(&config);
                    let words = loop {
                        let mut words = Vec::new();
                        let written = self.coding.words(&state, &mut words);
                        match written.and_then(|()| self.rename(&mut words)) {
                            Ok(()) if self.fits_store(words.len()) => break words,
                            Ok(()) => self.repack(None),
                            Err(Misfit::Narrow(field)) => self.repack(Some(field)),
                            Err(Misfit::Asyncs) => return None,
                        }
                    };
                    self.add(&words, None, 0, most);
                }
                Outcome::Failed(failure, config) => findings.failed_start(failure, config),
                Outcome::Discarded => {}
            }
        }
        Some(())
    }

    /// Has the store room for states as they are written down now, and for this one?
    fn fits_store(&self, words: usize) -> bool {
        words == self.store.words() && words == self.coding.layout.words()
    }

    /// Packs all states anew: with one field wider, or with the words that were added. A field in a word
    /// that the stored states do not have yet counts an async that none of them has: zero.
    fn repack(&mut self, field: Option<usize>) {
        let old = self.coding.layout.clone();
        if let Some(field) = field {
            self.coding.layout = old.widened(field);
        }
        let new = &self.coding.layout;
        let store = std::mem::replace(&mut self.store, Store::new(0, false));
        let words = store.words();
        self.store = store.repacked(new.words(), |before, after| {
            let fields = old.fields().iter().zip(new.fields());
            for (from, to) in fields.filter(|(from, _)| from.word < words) {
                let fits = to.store(after, from.load(before));
                assert!(fits, "fields never become narrower");
            }
        });
        self.programs.clear();
        self.turns.clear();
        for claim in &mut self.claims {
            claim.program = Compiled::Open;
        }
        for premise in &mut self.premises {
            premise.program = Compiled::Open;
        }
    }

    /// Replaces states, which lie one after the other, by others that differ in names only.
    fn rename(&mut self, states: &mut [u64]) -> Result<(), Misfit> {
        let Some(swaps) = &mut self.swaps else {
            return Ok(());
        };
        swaps.prepare(&mut self.coding, self.song)?;
        let words = self.store.words();
        if self.coding.layout.words() != words || !states.len().is_multiple_of(words) {
            return Ok(());
        }
        for state in states.chunks_exact_mut(words) {
            swaps.replace(state, &mut self.coding, self.song, None)?;
        }
        Ok(())
    }

    /// Finds everything that can happen in a state, with other names where states are kept up to names.
    fn look(&mut self, at: usize) -> Result<usize, Obstacle> {
        let steps = self.steps_from(at)?;
        if self.swaps.is_some() {
            let mut emitted = std::mem::take(&mut self.runs.emitted);
            let renamed = self.rename(&mut emitted);
            self.runs.emitted = emitted;
            renamed?;
            if self.coding.layout.words() != self.store.words() {
                return Err(Obstacle::Repack(None));
            }
        }
        Ok(steps)
    }

    /// Finds everything that can happen in a state: what it leads to lies in `runs.emitted`, the rest
    /// in `odd`. Gives the number of steps.
    fn steps_from(&mut self, at: usize) -> Result<usize, Obstacle> {
        self.base.clear();
        self.base.extend_from_slice(self.store.state(at));
        self.runs.emitted.clear();
        self.odd.clear();
        if !self.coding.has_begun(&self.base) {
            let config = self.coding.state(&self.base).config();
            let steps = self.deeds.steps(&config);
            let outcomes = steps.into_iter().map(|step| step.outcome);
            return self.interpreted(0, outcomes);
        }
        if self.turns.len() != self.coding.asyncs.all().len() {
            self.order_turns();
        }
        let mut steps = 0;
        for at in 0..self.turns.len() {
            let turn = self.turns[at];
            let (word, mask, none) = turn.count;
            if self.base[word] & mask == none {
                continue;
            }
            if !turn.guard.holds(&self.base) {
                self.taken.by_programs += 1;
                continue;
            }
            steps = self.take(turn.ground, steps)?;
            if turn.is_new
                && let Compiled::Program(program) = &self.programs[turn.ground]
            {
                self.turns[at].guard = program.guard(&self.runs.marks);
                self.turns[at].is_new = false;
            }
        }
        Ok(steps)
    }

    fn order_turns(&mut self) {
        let grounds = self.coding.asyncs.all();
        let fields = self.coding.layout.fields();
        let turn = |ground: &usize| {
            let field = fields[grounds[*ground].field];
            // A number that cannot be is like no bits.
            let none = field.raw(0).map_or(u64::MAX, |raw| raw << field.shift);
            Turn {
                ground: *ground,
                count: (field.word, field.mask << field.shift, none),
                guard: Guard::default(),
                is_new: true,
            }
        };
        self.turns = self.coding.asyncs.order().iter().map(turn).collect();
    }

    /// Takes one async; `steps` were found before.
    fn take(&mut self, ground: usize, steps: usize) -> Result<usize, Obstacle> {
        if self.programs.len() <= ground {
            self.programs.resize_with(ground + 1, || Compiled::Open);
        }
        if matches!(self.programs[ground], Compiled::Open) {
            self.programs[ground] = self.compile(ground)?;
        }
        let action = self.coding.asyncs.all()[ground].action.index();
        let after = match &self.programs[ground] {
            Compiled::Program(program) => {
                let words = self.base.len();
                let before = self.runs.emitted.len();
                let taken = Some(ground);
                match self.runs.run(program, &self.base, taken, &mut self.coding) {
                    Ran::Well => {
                        self.taken.by_programs += 1;
                        steps + (self.runs.emitted.len() - before) / words
                    }
                    Ran::Bailed => self.interpret(ground, steps)?,
                }
            }
            Compiled::Open | Compiled::Interpreted => self.interpret(ground, steps)?,
        };
        self.acted[action] |= after > steps;
        Ok(after)
    }

    fn compile(&mut self, ground: usize) -> Result<Compiled<'s>, Obstacle> {
        let async_ = self.coding.asyncs.all()[ground].clone();
        let code = &self.actions.actions[async_.action.index()].code;
        let (song, statements) = (self.song, &self.statements);
        let program = compile::action(song, code, &async_.arguments, statements, &mut self.coding);
        if self.coding.layout.words() != self.store.words() {
            return Err(Obstacle::Repack(None));
        }
        match program {
            Ok(program) => {
                self.runs.make_room(&program);
                Ok(Compiled::Program(Box::new(program)))
            }
            Err(Trouble::Misfit(misfit)) => Err(misfit.into()),
            Err(Trouble::NoForm | Trouble::GivesUp) => Ok(Compiled::Interpreted),
        }
    }

    /// Takes one async by the interpreter.
    fn interpret(&mut self, ground: usize, steps: usize) -> Result<usize, Obstacle> {
        self.taken.by_interpreter += 1;
        let state = self.coding.state(&self.base);
        let ground = &self.coding.asyncs.all()[ground];
        let position = state
            .pending
            .iter()
            .position(|(action, arguments)| {
                *action == ground.action && *arguments == ground.arguments
            })
            .expect("the async that is taken is pending");
        let found = self.deeds.steps_of(&state.config(), position);
        self.interpreted(steps, found.into_iter().map(|step| step.outcome))
    }

    /// Notes what the interpreter found.
    fn interpreted(
        &mut self,
        mut steps: usize,
        outcomes: impl Iterator<Item = Outcome>,
    ) -> Result<usize, Obstacle> {
        for outcome in outcomes {
            match outcome {
                Outcome::Next(config) => self.emit(&config)?,
                Outcome::Failed(failure, _) => self.odd.push((steps, Odd::Failed(failure))),
                Outcome::Discarded => self.odd.push((steps, Odd::Discarded)),
            }
            steps += 1;
        }
        Ok(steps)
    }

    fn emit(&mut self, config: &Config) -> Result<(), Obstacle> {
        let state = ActionState::of(config);
        self.coding.words(&state, &mut self.runs.emitted)?;
        if self.coding.layout.words() != self.store.words() {
            return Err(Obstacle::Repack(None));
        }
        Ok(())
    }

    /// Checks what should hold in a state.
    fn check(&mut self, findings: &mut Findings<'_>, at: usize, steps: usize) {
        if self.coding.has_begun(&self.base) {
            self.look_at_premises(false);
            if !self.all_true(findings, true) {
                findings.always(&self.stored(), at);
            }
        }
        if steps == 0 {
            let is_final = self.is_empty();
            if is_final {
                self.look_at_premises(true);
            }
            if is_final && self.all_true(findings, false) {
                findings.good_end();
            } else if is_final || findings.is_open(Check::NoDeadlock) {
                findings.at_rest(&self.stored(), at, &[]);
            }
        }
    }

    /// Is nothing pending in the state at hand?
    fn is_empty(&self) -> bool {
        let fields = self.coding.layout.fields();
        let mut grounds = self.coding.asyncs.all().iter();
        !self.coding.has_begun(&self.base)
            || grounds.all(|ground| fields[ground.field].load(&self.base) == 0)
    }

    /// Enters the steps out of a state.
    fn enter(
        &mut self,
        findings: &mut Findings<'_>,
        at: usize,
        depth: usize,
        steps: usize,
        most: u64,
    ) {
        let mut odd = std::mem::take(&mut self.odd).into_iter().peekable();
        let emitted = std::mem::take(&mut self.runs.emitted);
        let mut known = std::mem::take(&mut self.known);
        self.store
            .known_at_first_sight(&emitted, &self.base, &mut known);
        let words = self.store.words();
        let mut states = emitted.chunks_exact(words).zip(&known);
        let mut edges = Vec::new();
        for number in 0..steps {
            self.steps += 1;
            if let Some((_, odd)) = odd.next_if(|(odd, _)| *odd == number) {
                if let Odd::Failed(failure) = odd {
                    findings.failed_step(&self.stored(), at, number, failure);
                }
                continue;
            }
            let (state, is_known) = states.next().expect("a step is odd or leads to a state");
            if !is_known {
                self.add(state, Some(at), depth + 1, most);
            }
            if self.edges.is_some()
                && let Some(to) = self.store.number(state)
            {
                edges.push(Edge {
                    to: to as u32,
                    step: number as u32,
                });
            }
        }
        self.runs.emitted = emitted;
        self.known = known;
        if let Some(all) = &mut self.edges {
            all.push(edges);
        }
    }

    /// Adds a state if it is new and there is room.
    fn add(&mut self, words: &[u64], parent: Option<usize>, depth: usize, most: u64) {
        if self.store.len() as u64 >= most {
            self.full |= !self.store.knows(words);
        } else if self.store.add(words, parent) && self.levels.len() == depth {
            self.levels.push(self.store.len() - 1);
        }
    }

    fn stored(&self) -> Stored<'_> {
        Stored {
            machine: self.machine,
            coding: &self.coding,
            store: &self.store,
            swaps: self.swaps.as_ref(),
        }
    }

    fn report(
        mut self,
        mut findings: Findings<'_>,
        completeness: Completeness,
        premises: &[Premise],
    ) -> SearchReport {
        findings.quiescence(&self.stored(), self.edges.as_deref().unwrap_or_default());
        for (span, number) in &sorted(&self.statements) {
            if self.runs.marks[*number as usize] {
                self.deeds.ran(*span);
            }
        }
        for (action, acted) in self.acted.iter().enumerate() {
            if *acted {
                self.deeds.acted(action.into());
            }
        }
        let open: Vec<Span> = self.premises.iter().map(|one| one.premise.span).collect();
        let met = premises.iter().map(|premise| premise.span);
        let met: Vec<Span> = met.filter(|span| !open.contains(span)).collect();
        let mut coverage = self.deeds.coverage();
        coverage.include_premises(&met, &open);
        findings.report(Totals {
            completeness,
            states: self.store.len() as u64,
            steps: self.steps,
            depth: self.levels.len().saturating_sub(1) as u64,
            coverage,
        })
    }
}

fn sorted(statements: &FxHashMap<Span, u32>) -> Vec<(Span, u32)> {
    let mut all: Vec<(Span, u32)> = statements.iter().map(|(span, at)| (*span, *at)).collect();
    all.sort_unstable();
    all
}

/// A number for each statement of the actions.
fn statements(actions: &Actions) -> FxHashMap<Span, u32> {
    struct Numbers(FxHashMap<Span, u32>);
    impl Visit for Numbers {
        fn stmt(&mut self, stmt: &Stmt) {
            let next = self.0.len() as u32;
            self.0.entry(stmt.span).or_insert(next);
            walk::stmt(self, stmt);
        }
        fn expr(&mut self, _: &Expr) {}
    }
    let mut numbers = Numbers(FxHashMap::default());
    for action in &actions.actions {
        numbers.block(&action.code.body);
    }
    numbers.0
}
