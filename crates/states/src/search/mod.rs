//! The search itself: breadth first, so that the first violation is one of the nearest.
//!
//! For each state, the program of each pending async is run; where it bails, or there is none, the
//! interpreter takes that async. States are numbered and steps counted exactly as in
//! [`plainsong_semantics::search`], so both give the same report.
//!
//! When a number outgrows its field, or a new async needs a new word, the state at hand is given up, all
//! states are packed anew, programs are compiled again, and the state is looked at once more. Nothing of a
//! state is entered before all of its steps are known, so this leaves no traces.
//!
//! How each state was reached is kept for the first states ([`Manner::ways`]), and forgotten after that: it takes more
//! memory than the states themselves. When something is found later on, the search begins again and keeps it.
//! Nothing depends on time, so it finds the same again. Where much has to be looked at by the interpreter, or
//! something was refuted already, it is kept from the start.
//!
//! Several workers may look ahead (`ahead`): what each state leads to is worked out by any of them, and entered
//! in the order of the states. So every number in the report is the same, however many there are.

mod ahead;
mod claims;
mod constraints;
mod step_claims;
mod steps;

use crate::code::{Guard, Program};
use crate::coding::{Coding, Misfit};
use crate::direct::Attempt;
use crate::numbers::{Marked, Numbers};
use crate::reached::Stored;
use crate::run::Runs;
use crate::store::{MOST_STATES, Store};
use crate::symmetry::Swaps;
use crate::{Manner, Taken};
use ahead::Ahead;
use claims::{CompiledClaim, OpenPremise, claims};
use constraints::Constraint;
use plainsong_diagnostics::Span;
use plainsong_ir::{Actions, Song, SortId};
use plainsong_semantics::action_state::{ActionState, Deeds};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::search::{
    Check, Completeness, Edge, Findings, Limits, PACE, Progress, Query, SearchReport, Totals, Watch,
};
use plainsong_semantics::trace::Failure;
use plainsong_semantics::vacuity::{Premise, premises};
use plainsong_semantics::value::Value;
use std::collections::BTreeSet;
use step_claims::{StepClaim, step_claims};

/// A search in progress.
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
    numbers: &'s Numbers,
    /// What is known about the program of each async.
    programs: Vec<Compiled<'s>>,
    /// Asyncs in the order of the interpreter.
    turns: Vec<Turn>,
    /// Their direct forms.
    directs: Vec<Attempt>,
    claims: Vec<CompiledClaim<'s>>,
    /// Claims about steps that are open.
    step_claims: Vec<StepClaim<'s>>,
    /// Does a step out of the state at hand seem to violate one?
    is_step_suspect: bool,
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
    /// States that violate one of these are not searched further.
    constraints: Vec<Constraint<'s>>,
    /// Is the state at hand cut off by a constraint?
    is_cut: bool,
    /// How many states are cut off, and by what: they do not count.
    cut: u64,
    cut_by: BTreeSet<String>,
    /// How many of the states are those before `init`: they do not count.
    before_init: u64,
    full: bool,
    steps: u64,
    taken: Taken,
    edges: Option<Vec<Vec<Edge>>>,
    /// What workers have found out about states to come.
    ahead: Ahead,
    manner: Manner<'s>,
    /// The variables in final states, if they are asked for.
    ends: Vec<Vec<Value>>,
    /// Is it kept to the end how each state was reached?
    keeps_ways: bool,
    /// Were all states packed anew since somebody was asked whether to go on?
    is_repacked: bool,
}

/// Why a search ends without a report.
pub(crate) enum Gone {
    /// There are too many different asyncs to count them one by one.
    Asyncs,
    /// Something was found, but it was not kept how that was reached.
    Way,
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
    Program(Box<Program<'s>>),
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
    (limits, manner): (&Limits, Manner<'_>),
    watch: &mut dyn Watch,
) -> Option<(SearchReport, Taken, Vec<Vec<Value>>)> {
    let machine = Machine::new(instance, Subject::System);
    let song = instance.song();
    let premises = premises(song, query.checks.iter().copied());
    let numbers = Numbers::new(actions);
    let mut keeps_ways = false;
    loop {
        let mut findings = Findings::new(&machine, query);
        let mut search = Search::new(&machine, actions, query, &numbers, findings.wants_edges());
        search.premises = premises.iter().map(OpenPremise::new).collect();
        search.swaps = (!alike.is_empty()).then(|| Swaps::new(instance, alike));
        search.manner = manner;
        search.keeps_ways |= keeps_ways;
        match search.explore(&mut findings, limits, watch) {
            Ok(completeness) => {
                let (taken, ends) = (search.taken, std::mem::take(&mut search.ends));
                let report = search.report(findings, completeness, &premises);
                return Some((report, taken, ends));
            }
            Err(Gone::Asyncs) => return None,
            Err(Gone::Way) => keeps_ways = true,
        }
    }
}

impl<'s> Search<'s> {
    fn new(
        machine: &'s Machine,
        actions: &'s Actions,
        query: &Query,
        numbers: &'s Numbers,
        with_edges: bool,
    ) -> Self {
        let song = machine.instance().song();
        let deeds = Deeds::new(machine);
        let coding = Coding::new(machine.instance(), actions, &deeds.offers());
        let runs = Runs::new(numbers.all().len());
        Search {
            song,
            actions,
            machine,
            deeds,
            store: Store::new(coding.layout.form(), with_edges),
            coding,
            swaps: None,
            levels: Vec::new(),
            numbers,
            programs: Vec::new(),
            turns: Vec::new(),
            directs: Vec::new(),
            claims: claims(song, query),
            step_claims: step_claims(song, query),
            is_step_suspect: false,
            premises: Vec::new(),
            runs,
            base: Vec::new(),
            odd: Vec::new(),
            known: Vec::new(),
            acted: vec![false; actions.actions.len()],
            constraints: song.constraints.iter().map(Constraint::new).collect(),
            is_cut: false,
            cut: 0,
            cut_by: BTreeSet::new(),
            before_init: 0,
            full: false,
            steps: 0,
            taken: Taken::default(),
            edges: with_edges.then(Vec::new),
            ahead: Ahead::default(),
            manner: Manner::default(),
            ends: Vec::new(),
            keeps_ways: with_edges,
            is_repacked: false,
        }
    }

    fn explore(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        watch: &mut dyn Watch,
    ) -> Result<Completeness, Gone> {
        if self.coding.is_crowded() {
            return Err(Gone::Asyncs);
        }
        self.begin(findings, limits.states.min(MOST_STATES))?;
        let most = (limits.states.saturating_add(self.before_init)).min(MOST_STATES);
        let (mut at, mut depth, mut next_look) = (0, 0, 0);
        while at < self.store.len() {
            if findings.all_refuted() || limits.refutations.is_some_and(|n| findings.refuted() >= n)
            {
                return Ok(Completeness::Enough);
            }
            if self.levels.get(depth + 1) == Some(&at) {
                depth += 1;
            }
            // Packing all states anew takes as long as many steps.
            if at >= next_look || std::mem::take(&mut self.is_repacked) {
                next_look = at + PACE as usize;
                findings.tell(watch);
                if !watch.keep_going(&self.progress(at, depth)) {
                    return Ok(Completeness::Stopped);
                }
                if let Some(limit) = self.save_memory(findings, at) {
                    return Ok(Completeness::Resource(limit));
                }
            }
            if let Some(entered) = self.enter_ahead(findings, (at, &mut depth), most) {
                at += entered;
                continue;
            }
            let steps = loop {
                match self.look(at) {
                    Ok(steps) => break steps,
                    Err(Obstacle::Repack(field)) => self.repack(field),
                    Err(Obstacle::Asyncs) => return Err(Gone::Asyncs),
                }
            };
            self.check(findings, at, steps)?;
            self.enter(findings, at, depth, steps, most)?;
            at += 1;
        }
        Ok(findings.completeness(self.full))
    }

    /// Forgets how states were reached when there are many, or little memory; says so when that does not help.
    fn save_memory(&mut self, findings: &Findings<'_>, at: usize) -> Option<String> {
        let is_over = |store: &Store| {
            let limit = self.manner.memory;
            limit.is_some_and(|limit| store.bytes() > limit)
        };
        let interpreted =
            |claim: &CompiledClaim<'_>| matches!(claim.program, Compiled::Interpreted);
        let keeps =
            self.keeps_ways || findings.refuted() > 0 || self.claims.iter().any(interpreted);
        if !keeps && (self.store.len() > self.manner.ways || is_over(&self.store)) {
            self.store.forget_before(at);
        }
        let limit = self.manner.memory.filter(|_| is_over(&self.store))?;
        let states = self.store.len();
        Some(format!(
            "the states need more than {} MB of memory: {at} of the {states} found were looked at; see --memory",
            limit / 1_000_000
        ))
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
    fn begin(&mut self, findings: &mut Findings<'_>, most: u64) -> Result<(), Gone> {
        for outcome in self.deeds.initial() {
            match outcome {
                Outcome::Next(config) => {
                    let state = ActionState::of(&config);
                    let known = self.store.len();
                    let words = loop {
                        let mut words = Vec::new();
                        let written = self.coding.words(&state, &mut words);
                        match written.and_then(|()| self.rename(&mut words)) {
                            Ok(()) if self.fits_store(words.len()) => break words,
                            Ok(()) => self.repack(None),
                            Err(Misfit::Narrow(field)) => self.repack(Some(field)),
                            Err(Misfit::Asyncs) => return Err(Gone::Asyncs),
                        }
                    };
                    let most = if state.begun { most } else { MOST_STATES };
                    self.add(&words, None, 0, most);
                    if !state.begun {
                        self.before_init += (self.store.len() - known) as u64;
                    }
                }
                Outcome::Failed(failure, config) => findings.failed_start(failure, config),
                Outcome::Discarded => {}
            }
        }
        Ok(())
    }

    /// Has the store room for states as they are written down now, and for this one?
    fn fits_store(&self, words: usize) -> bool {
        words == self.store.words() && self.store.fits(self.coding.layout.form())
    }

    /// Packs all states anew: with one field wider, or with the words that were added. A field in a word
    /// that the stored states do not have yet counts an async that none of them has: zero.
    fn repack(&mut self, field: Option<usize>) {
        let old = self.coding.layout.clone();
        if let Some(field) = field {
            self.coding.layout = old.widened(field);
        }
        let new = &self.coding.layout;
        let store = std::mem::replace(&mut self.store, Store::new((0, 0), false));
        let words = store.words();
        self.store = store.repacked(new.form(), |before| {
            let mut after = vec![0; new.words()];
            let fields = old.fields().iter().zip(new.fields());
            for (from, to) in fields.filter(|(from, _)| from.word < words) {
                let fits = to.store(&mut after, from.load(before));
                assert!(fits, "fields never become narrower");
            }
            after
        });
        self.is_repacked = true;
        self.ahead.clear();
        self.programs.clear();
        self.turns.clear();
        for claim in &mut self.claims {
            claim.program = Compiled::Open;
        }
        for premise in &mut self.premises {
            premise.program = Compiled::Open;
        }
        for constraint in &mut self.constraints {
            constraint.program = Compiled::Open;
        }
    }

    /// Replaces states, which lie one after the other, by others that differ in names only.
    fn rename(&mut self, states: &mut [u64]) -> Result<(), Misfit> {
        let Some(swaps) = &mut self.swaps else {
            return Ok(());
        };
        swaps.prepare(&mut self.coding, self.song)?;
        let words = self.store.words();
        if !self.store.fits(self.coding.layout.form()) || !states.len().is_multiple_of(words) {
            return Ok(());
        }
        for state in states.chunks_exact_mut(words) {
            swaps.replace(state, &mut self.coding, self.song, None)?;
        }
        Ok(())
    }

    /// Checks what should hold in a state.
    fn check(&mut self, findings: &mut Findings<'_>, at: usize, steps: usize) -> Result<(), Gone> {
        if self.coding.has_begun(&self.base) {
            self.look_at_premises(false);
            if !self.all_true(findings, true) {
                findings.always(&self.stored()?, at);
            }
            if self.is_step_suspect {
                let config = self.coding.state(&self.base).config();
                let steps = self.machine.steps(&config);
                findings.steps(&self.stored()?, at, &steps);
                self.settle_step_claims(findings);
            }
        }
        self.cut += u64::from(self.is_cut);
        let is_discarded = |(_, odd): &(usize, Odd)| matches!(odd, Odd::Discarded);
        if !self.coding.has_begun(&self.base) {
            if self.runs.emitted.is_empty() && self.odd.iter().all(is_discarded) {
                findings.cut_off();
            }
        } else if steps == 0 && !self.is_cut {
            let is_final = self.is_empty();
            if is_final {
                self.look_at_premises(true);
            }
            if is_final && self.manner.ends {
                let globals = 0..self.coding.globals();
                let values = globals.map(|at| self.coding.value(at, &self.base));
                self.ends.push(values.collect());
            }
            if is_final && self.all_true(findings, false) {
                findings.good_end();
            } else if is_final || findings.is_open(Check::NoDeadlock) {
                findings.at_rest(&self.stored()?, at, &[]);
            }
        }
        Ok(())
    }

    /// Is nothing pending in the state at hand?
    fn is_empty(&self) -> bool {
        let fields = self.coding.layout.fields();
        let mut grounds = self.coding.asyncs.all().iter();
        grounds.all(|ground| ground.is_offer || fields[ground.field].load(&self.base) == 0)
    }

    /// Enters the steps out of a state.
    fn enter(
        &mut self,
        findings: &mut Findings<'_>,
        at: usize,
        depth: usize,
        steps: usize,
        most: u64,
    ) -> Result<(), Gone> {
        let has_room = self.store.len() as u64 + steps as u64 <= most;
        if self.odd.is_empty() && self.edges.is_none() && has_room {
            self.enter_ordinary(at, depth, steps);
            return Ok(());
        }
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
                    findings.failed_step(&self.stored()?, at, number, failure);
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
        Ok(())
    }

    /// The same where every step leads to a state, there is room for all of them, and nothing else is to be noted.
    fn enter_ordinary(&mut self, at: usize, depth: usize, steps: usize) {
        self.steps += steps as u64;
        let (store, emitted) = (&mut self.store, &self.runs.emitted);
        store.known_at_first_sight(emitted, &self.base, &mut self.known);
        let words = store.words();
        for (state, is_known) in emitted.chunks_exact(words).zip(&self.known) {
            if !is_known && store.add(state, Some(at)) && self.levels.len() == depth + 1 {
                self.levels.push(store.len() - 1);
            }
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

    /// The states, and how each was reached, if that was kept.
    fn stored(&self) -> Result<Stored<'_>, Gone> {
        if !self.store.keeps_ways() {
            return Err(Gone::Way);
        }
        Ok(Stored {
            machine: self.machine,
            coding: &self.coding,
            store: &self.store,
            swaps: self.swaps.as_ref(),
        })
    }

    fn report(
        mut self,
        mut findings: Findings<'_>,
        completeness: Completeness,
        premises: &[Premise],
    ) -> SearchReport {
        if let (Some(edges), Ok(stored)) = (&self.edges, self.stored()) {
            findings.quiescence(&stored, edges);
        }
        let marks = self.numbers.all().iter().zip(&self.runs.marks);
        for (marked, _) in marks.filter(|(_, is_marked)| **is_marked) {
            match marked {
                Marked::Ran(span) => self.deeds.ran(*span),
                Marked::Met(span) => self.deeds.met(*span),
                Marked::Passed(span) => self.deeds.passed(*span),
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
            states: self.store.len() as u64 - self.before_init - self.cut,
            steps: self.steps,
            depth: self.levels.len().saturating_sub(1) as u64,
            coverage,
            cut_by: self.cut_by,
        })
    }
}
