//! The largest set of claims that is inductive: what is not proved is left out, until the rest is shown (Houdini).
//!
//! Why it ends, and in the largest set: each round leaves out claims that do not follow from the set, and a set that is
//! inductive never loses a member, because it is contained in the set that is tried.

use crate::claims::{Part, parts};
use crate::soundness::Condition;
use crate::state::{State, any, first};
use crate::steps::{Step, init, kinds};
use crate::system::{Refused, System};
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Song};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::lower::{Store, Unsupported};
use plainsong_prove::obligation::Obligation;
pub(crate) use plainsong_prove::obligation::obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Theory;
use plainsong_semantics::verdict::OpenObligation;
use plainsong_smt::{Cancel, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How to go about it.
pub struct Ask<'a> {
    /// Who is asked.
    pub solvers: &'a Solvers,
    /// When to stop asking.
    pub cancel: &'a Cancel,
    /// Where the solver's chance begins.
    pub seed: u32,
    /// Is a second solver asked about everything that is shown?
    pub recheck: bool,
    /// A condition that is not asked for: only for tests of that condition.
    pub dropped: Option<Condition>,
}

/// What came of one claim, or of the gates.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// So many obligations about it were shown.
    Shown(usize),
    /// These were not.
    Open(Vec<OpenObligation>),
    /// It says something that proofs do not cover, there.
    NotCovered(Span, String),
}

/// What was shown of a song.
#[derive(Clone, Debug)]
pub struct Report {
    /// By position among the properties.
    pub claims: BTreeMap<usize, Found>,
    /// That nothing fails.
    pub gates: Found,
    /// Of claims that are open though all claims are relied on: the first action after which they may be false.
    pub endangered: BTreeMap<usize, ActionId>,
    /// Of claims that were left out because of others: these others, which had been left out just before.
    pub missed: BTreeMap<usize, Vec<usize>>,
    /// What was shown in the end, rule and sentence.
    pub explained: Vec<String>,
    /// The second solver's opinions, in words, if it was asked.
    pub second: Option<String>,
}

/// Proves what can be proved of a song by induction.
pub fn prove(song: &Arc<Song>, ask: &Ask<'_>) -> Result<Report, Refused> {
    prove_claims(&System::of(song)?, ask)
}

/// Proves what can be proved of the claims of a system.
pub fn prove_claims(system: &System, ask: &Ask<'_>) -> Result<Report, Refused> {
    prove_within(system, ask, None)
}

/// The same with only so many of the steps of the discharge, each of which takes longer than those before.
pub(crate) fn prove_within(
    system: &System,
    ask: &Ask<'_>,
    steps: Option<usize>,
) -> Result<Report, Refused> {
    let mut theory = Theory::new(system.song.clone());
    let mut induction = Induction::new(system, &mut theory, ask)?;
    induction.steps_tried = steps;
    induction.start()?;
    induction.narrow();
    induction.finals();
    Ok(induction.report())
}

/// A claim as obligations about every step.
pub(crate) struct Conjunct {
    pub(crate) at: usize,
    pub(crate) name: String,
    /// What may be relied on before a step.
    pub(crate) before: Vec<Term>,
    /// What has to hold after `init`.
    pub(crate) first: Vec<Part>,
    /// What has to hold after each kind of step.
    pub(crate) after: Vec<Vec<Part>>,
}

pub(crate) struct Induction<'a> {
    pub(crate) system: &'a System,
    pub(crate) theory: &'a mut Theory,
    pub(crate) ask: &'a Ask<'a>,
    pub(crate) first: State,
    pub(crate) any: State,
    pub(crate) init: Step,
    pub(crate) steps: Vec<Step>,
    pub(crate) conjuncts: Vec<Conjunct>,
    pub(crate) found: BTreeMap<usize, Found>,
    pub(crate) endangered: BTreeMap<usize, ActionId>,
    pub(crate) missed: BTreeMap<usize, Vec<usize>>,
    /// What the last round left out; nothing before the first.
    pub(crate) left_out: Vec<usize>,
    pub(crate) explained: Vec<String>,
    /// How many steps of the discharge are tried, if not all.
    steps_tried: Option<usize>,
}

impl<'a> Induction<'a> {
    pub(crate) fn new(
        system: &'a System,
        theory: &'a mut Theory,
        ask: &'a Ask<'a>,
    ) -> Result<Induction<'a>, Refused> {
        let not_covered = |why: Unsupported| Refused::new(why.span, why.message);
        let first = first(theory, system).map_err(not_covered)?;
        let any = any(theory, system).map_err(not_covered)?;
        let init = init(theory, system, &first, ask.dropped)?;
        let steps = kinds(theory, system, &any, ask.dropped)?;
        let mut one = Induction {
            system,
            theory,
            ask,
            first,
            any,
            init,
            steps,
            conjuncts: Vec::new(),
            found: BTreeMap::new(),
            endangered: BTreeMap::new(),
            missed: BTreeMap::new(),
            left_out: Vec::new(),
            explained: Vec::new(),
            steps_tried: None,
        };
        for &at in &system.claims {
            match one.conjunct(at) {
                Ok(conjunct) => one.conjuncts.push(conjunct),
                Err(why) => {
                    one.found
                        .insert(at, Found::NotCovered(why.span, why.message));
                }
            }
        }
        Ok(one)
    }

    fn conjunct(&mut self, at: usize) -> Result<Conjunct, Unsupported> {
        let defined = self.ask.dropped != Some(Condition::Defined);
        let before = self.parts(at, &self.any.store.clone(), true)?;
        let first = self.parts(at, &self.init.after.clone(), defined)?;
        let mut after = Vec::new();
        for step in 0..self.steps.len() {
            let store = self.steps[step].after.clone();
            after.push(self.parts(at, &store, defined)?);
        }
        Ok(Conjunct {
            at,
            name: self.system.song.properties[at].name.clone(),
            before: before.iter().map(|part| part.holds).collect(),
            first,
            after,
        })
    }

    fn parts(&mut self, at: usize, store: &Store, defined: bool) -> Result<Vec<Part>, Unsupported> {
        parts(self.theory, self.system, at, store, defined)
    }

    /// Shows that the first values exist: without them, nothing said about them means anything.
    pub(crate) fn start(&mut self) -> Result<(), Refused> {
        let needs = self.first.needs.iter();
        let all: Vec<Obligation> = needs
            .map(|(holds, span, known)| {
                let sentence = "the first value of a variable can be computed".to_owned();
                obligation("induct/start", *span, sentence, known.clone(), *holds)
            })
            .collect();
        let shown = self.shown(&all);
        match shown.iter().position(|one| *one != Shown::Yes) {
            None => Ok(()),
            Some(at) => {
                let why = "it is not proved that this first value can be computed";
                Err(Refused::new(all[at].span, why))
            }
        }
    }

    pub(crate) fn shown(&mut self, all: &[Obligation]) -> Vec<Shown> {
        let effort = Effort {
            seed: self.ask.seed,
            name: "induct".to_owned(),
            recheck: self.ask.recheck,
            steps: self.steps_tried,
            ..Effort::default()
        };
        discharge(self.theory, all, self.ask.solvers, &effort, self.ask.cancel)
    }

    /// Leaves out what is not proved until everything is.
    pub(crate) fn narrow(&mut self) {
        loop {
            let (obligations, of) = self.obligations();
            let shown = self.shown(&obligations);
            let mut open: BTreeMap<usize, Vec<OpenObligation>> = BTreeMap::new();
            for ((one, (at, action)), shown) in obligations.iter().zip(&of).zip(&shown) {
                if let Shown::No(why) = shown {
                    open.entry(*at).or_default().push(told(one, why));
                    if let (true, Some(action)) = (self.left_out.is_empty(), action) {
                        self.endangered.entry(*at).or_insert(*action);
                    }
                }
            }
            if !self.left_out.is_empty() {
                let own = self.left_out.iter().filter(|at| **at < self.system.own);
                let own: Vec<usize> = own.copied().collect();
                let missed = open.keys().map(|at| (*at, own.clone()));
                self.missed.extend(missed);
            }
            self.left_out = open.keys().copied().collect();
            let over = open.is_empty() || self.ask.dropped == Some(Condition::Reopened);
            self.conjuncts.retain(|one| !open.contains_key(&one.at));
            let open = open.into_iter();
            self.found
                .extend(open.map(|(at, open)| (at, Found::Open(open))));
            if over {
                let told = obligations.iter();
                let told = told.map(|one| format!("{}: {}", one.rule.name(), one.sentence));
                self.explained.extend(told);
                for conjunct in &self.conjuncts {
                    let count = of.iter().filter(|(at, _)| *at == conjunct.at).count();
                    self.found.insert(conjunct.at, Found::Shown(count));
                }
                return;
            }
        }
    }

    /// What has to be shown of the claims that are left, and of which of them, after which action.
    fn obligations(&mut self) -> (Vec<Obligation>, Vec<(usize, Option<ActionId>)>) {
        let (mut all, mut of) = (Vec::new(), Vec::new());
        let first = self.before_init();
        for conjunct in &self.conjuncts {
            if self.ask.dropped != Some(Condition::Initiation) {
                for part in &conjunct.first {
                    let told = format!("`{}` holds after `init`", conjunct.name);
                    let hypotheses = first.clone();
                    all.push(obligation(
                        "induct/init",
                        part.span,
                        told,
                        hypotheses,
                        part.holds,
                    ));
                    of.push((conjunct.at, None));
                }
            }
            for (number, step) in self.steps.iter().enumerate() {
                let hypotheses = self.before(step, number, conjunct.at);
                for part in &conjunct.after[number] {
                    let told = format!("`{}` holds after `{}`", conjunct.name, step.name);
                    let hypotheses = hypotheses.clone();
                    all.push(Obligation {
                        text: part.otherwise.to_owned(),
                        ..obligation("induct/step", part.span, told, hypotheses, part.holds)
                    });
                    of.push((conjunct.at, step.action));
                }
            }
        }
        (all, of)
    }

    /// What is known where `init` has run.
    pub(crate) fn before_init(&self) -> Vec<Term> {
        let mut known = self.first.known.clone();
        known.push(self.init.guard);
        known.extend(self.init.gate.iter().map(|part| part.holds));
        known
    }

    /// What is known where a step has been taken: that it could be, that nothing failed, and the claims before it.
    pub(crate) fn before(&self, step: &Step, number: usize, at: usize) -> Vec<Term> {
        let mut known = self.on_offer(step);
        known.push(step.guard);
        known.extend(step.gate.iter().map(|part| part.holds));
        if self.ask.dropped == Some(Condition::NoCircle) {
            let others = self.conjuncts.iter().filter(|one| one.at != at);
            known.extend(others.flat_map(|one| one.after[number].iter().map(|part| part.holds)));
        }
        known
    }

    /// What is known where a step is on offer.
    fn on_offer(&self, step: &Step) -> Vec<Term> {
        let mut known = self.any.known.clone();
        known.extend(
            self.conjuncts
                .iter()
                .flat_map(|one| one.before.iter().copied()),
        );
        known.extend(step.offered.iter().copied());
        known
    }

    /// Shows what is claimed of final states, of any state in which the claims hold that were shown: no step is looked at.
    pub(crate) fn finals(&mut self) {
        let store = self.any.store.clone();
        for &at in &self.system.finals {
            let name = self.system.song.properties[at].name.clone();
            let parts = match self.parts(at, &store, true) {
                Ok(parts) => parts,
                Err(why) => {
                    let found = Found::NotCovered(why.span, why.message);
                    self.found.insert(at, found);
                    continue;
                }
            };
            let mut known = self.any.known.clone();
            let shown = self.conjuncts.iter();
            known.extend(shown.flat_map(|one| one.before.iter().copied()));
            let all: Vec<Obligation> = parts
                .iter()
                .map(|part| {
                    let told = format!("`{name}` follows from the invariants in every final state");
                    obligation("induct/final", part.span, told, known.clone(), part.holds)
                })
                .collect();
            let shown = self.shown(&all);
            let mut open = Vec::new();
            for (one, shown) in all.iter().zip(&shown) {
                match shown {
                    Shown::Yes => {
                        let told = format!("{}: {}", one.rule.name(), one.sentence);
                        self.explained.push(told);
                    }
                    Shown::No(why) => open.push(told(one, why)),
                }
            }
            let found = match open.is_empty() {
                true => Found::Shown(all.len()),
                false => Found::Open(open),
            };
            self.found.insert(at, found);
        }
    }

    /// Shows the gates, under the claims that were shown.
    pub(crate) fn gates(&mut self) -> Found {
        let mut all = Vec::new();
        for part in &self.init.gate {
            let told = "`init` does not fail".to_owned();
            let known = self.first.known.clone();
            all.push(obligation(
                "induct/gate",
                part.span,
                told,
                known,
                part.holds,
            ));
        }
        for step in &self.steps {
            for part in &step.gate {
                let told = format!("`{}` does not fail", step.name);
                let known = self.on_offer(step);
                all.push(obligation(
                    "induct/gate",
                    part.span,
                    told,
                    known,
                    part.holds,
                ));
            }
        }
        if self.ask.dropped == Some(Condition::Gates) {
            return Found::Shown(all.len());
        }
        let shown = self.shown(&all);
        let mut open = Vec::new();
        for (one, shown) in all.iter().zip(&shown) {
            match shown {
                Shown::Yes => self
                    .explained
                    .push(format!("{}: {}", one.rule.name(), one.sentence)),
                Shown::No(why) => open.push(told(one, why)),
            }
        }
        match open.is_empty() {
            true => Found::Shown(all.len()),
            false => Found::Open(open),
        }
    }

    fn report(mut self) -> Report {
        let gates = self.gates();
        self.found.retain(|at, _| *at < self.system.own);
        self.endangered.retain(|at, _| *at < self.system.own);
        let told: BTreeSet<String> = self.explained.into_iter().collect();
        Report {
            claims: self.found,
            gates,
            endangered: self.endangered,
            missed: self.missed,
            explained: told.into_iter().collect(),
            second: self.ask.recheck.then(|| self.theory.second.told()),
        }
    }
}

pub(crate) fn told(one: &Obligation, why: &str) -> OpenObligation {
    OpenObligation {
        rule: one.rule.name().to_owned(),
        sentence: one.sentence.clone(),
        why: why.to_owned(),
        span: one.span,
        ..OpenObligation::default()
    }
}
