//! Symmetry reduction of processes: states that differ only in the identities of a sort's members are visited once.
//!
//! Statement. Let some sorts be symmetric ([`plainsong_ir::symmetry`]). Then renaming their members is a
//! symmetry of the *loosened* system, in which some loops take their elements in any order, and which does
//! everything that the real one does. A search through the loosened system that keeps one state of each orbit
//! meets, up to names, every state it can reach: what is reachable from a state is, renamed, reachable from its
//! representative. So what is never violated there is never violated.
//!
//! What is violated there is followed back: the path through representatives is told in one naming (`path`), and
//! then played in the real system, where loops keep their order (`play`). What comes of it is looked at by
//! [`Findings`] and replayed like any refutation. If nothing does, the check is left open, and said to be so:
//! another engine has to answer it.
//!
//! *Telling a path.* Let `b` rename the state `a` of an execution into its representative `r`. A step from `r` to
//! `s`, whose representative is found by `p`, is a step from `a` to `s` renamed back by `b`; and `b` followed by
//! `p` renames that into the representative of `s`.
//!
//! Coverage is that of the loosened system: a statement that only it can reach counts as reached.
//!
//! NOT COVERED. `eventually quiescent`: whoever asks about it has to ask elsewhere. What is claimed about steps is left open here;
//! the packed search answers it.

mod capsules;
mod orbit;
mod play;
mod shape;

pub use capsules::{Renaming, SymmetricProcesses, mixed};

use crate::claim::{Verity, verity};
use crate::code::coverage::Covered;
use crate::instance::Instance;
use crate::machine::{Config, Form, Machine, Outcome, Status, Step};
use crate::search::{
    Answer, Check, Completeness, Coverage, Findings, Limits, Progress, Query, SearchReport, Totals,
    Watch,
};
use crate::trace::FailureKind;
use crate::vacuity::Premises;
use indexmap::IndexSet;
use orbit::Names;
use plainsong_ir::finite::contains;
use plainsong_ir::symmetry::{Asymmetry, asymmetry_of_processes};
use plainsong_ir::{Claim, Delivery, Expr, Song, SortId, SortKind, System, Ty};
use play::Played;
use rustc_hash::FxBuildHasher;
use shape::Permutation;
use std::collections::{BTreeMap, BTreeSet};

/// How often an execution of the loosened system is played in the real one for one check.
pub const MOST_TRIES: u32 = 50;

/// Why a check is left open that is violated in the loosened system.
pub const NOT_PLAYED: &str =
    "it fails where loops take members in another order; no real execution was found";

/// What a search up to names found.
#[derive(Clone, Debug)]
pub struct UpToNames {
    /// What was found; states are those that were kept.
    pub report: SearchReport,
    /// For how many states they stand, at most; more than there are numbers is the largest number.
    pub stands_for: u128,
    /// Checks that are violated in the loosened system, but by no real execution that was found.
    pub open: Vec<Check>,
}

/// Which sorts are symmetric in the processes of a song, given what is asked, and what tells the members of
/// the others apart. Of sorts of numbers nobody expects it.
pub fn symmetric(
    song: &Song,
    checks: &[Check],
    delivery: Option<Delivery>,
) -> (Vec<SortId>, Vec<(SortId, Asymmetry)>) {
    let (mut alike, mut others) = (Vec::new(), Vec::new());
    let System::Voices(voices) = &song.system else {
        return (alike, others);
    };
    // Fairness follows single members: temporal claims are answered by the search through all states.
    let is_temporal = |check: &Check| match check {
        Check::Property(at) => matches!(song.properties[*at].claim, Claim::Temporal(_)),
        _ => false,
    };
    if checks.iter().any(is_temporal) {
        return (alike, others);
    }
    let claim = |check: &Check| match check {
        Check::Property(at) => match &song.properties[*at].claim {
            Claim::Always(claim) | Claim::Finally(claim) | Claim::Step(claim) => Some(claim),
            Claim::Quiescent { .. } | Claim::Temporal(_) => None,
        },
        _ => None,
    };
    let mut claims: Vec<&Expr> = checks.iter().filter_map(claim).collect();
    for constraint in &song.constraints {
        if let Claim::Always(condition) = &constraint.claim {
            claims.push(condition);
        }
    }
    for (at, declared) in song.sorts.iter().enumerate() {
        let sort = SortId::from(at);
        if matches!(declared.kind, SortKind::Range(_)) {
            continue;
        }
        match asymmetry_of_processes(song, voices, &claims, sort, delivery) {
            None => alike.push(sort),
            Some(found) => others.push((sort, found)),
        }
    }
    (alike, others)
}

/// Searches an instance with processes and checks what the query asks, one state for all that differ in the names
/// of these sorts, each of which must be symmetric for the processes and for what is asked.
///
/// # Panics
///
/// When the query is not about processes, or asks whether something terminates.
pub fn search_up_to_names(
    instance: &Instance,
    query: &Query,
    sorts: &[SortId],
    limits: &Limits,
    watch: &mut dyn Watch,
) -> UpToNames {
    let real = Machine::new(instance, query.subject);
    let loose = loosened(&real, sorts);
    let Form::Voices(system) = &loose.form else {
        panic!("there are processes")
    };
    let mut search = Search {
        names: Names::new(system, sorts),
        loose: &loose,
        real: &real,
        checks: &query.checks,
        findings: Findings::new(&real, query),
        states: IndexSet::default(),
        origins: Vec::new(),
        starts: Vec::new(),
        before_init: 0,
        cut: 0,
        cut_by: BTreeSet::new(),
        stands_for: 0,
        tries: BTreeMap::new(),
        resource: None,
        full: false,
        most: limits.states.min(u64::from(u32::MAX)),
        steps: 0,
        final_states: 0,
        failures: false,
        undelivered: BTreeSet::new(),
    };
    let mut covered = Covered::default();
    let mut premises = Premises::new(&loose, query.checks.iter().copied());
    let completeness = search.explore(limits, &mut covered, &mut premises, watch);
    let mut coverage = Coverage::new(&loose, &covered);
    premises.enter(&mut coverage);
    search.report(completeness, coverage)
}

/// The machine whose loops take members of these sorts in any order.
fn loosened(real: &Machine, sorts: &[SortId]) -> Machine {
    let song = real.instance().song();
    let is_about = |ty: &Ty| {
        let is_there = |sort: &SortId| contains(song, ty, &Ty::Sort(*sort));
        sorts.iter().any(is_there) || contains(song, ty, &Ty::Process)
    };
    let mut loose = real.clone();
    if let Form::Voices(system) = &real.form {
        loose.form = Form::Voices(system.loosened(is_about));
    }
    loose
}

/// How a representative was found.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// The one before and the number of the step; at the start, the number of the start.
    from: Result<(u32, u32), u32>,
    depth: u32,
}

struct Search<'a> {
    names: Names,
    loose: &'a Machine,
    real: &'a Machine,
    checks: &'a [Check],
    findings: Findings<'a>,
    states: IndexSet<Config, FxBuildHasher>,
    origins: Vec<Origin>,
    /// The starts as they were, before they were renamed.
    starts: Vec<Config>,
    /// How many of the states are those before `init`: they do not count.
    before_init: u64,
    /// How many of them are cut off by a constraint, and by which.
    cut: u64,
    cut_by: BTreeSet<String>,
    stands_for: u128,
    /// How often something was played in vain.
    tries: BTreeMap<Check, u32>,
    resource: Option<String>,
    full: bool,
    most: u64,
    steps: u64,
    final_states: u64,
    failures: bool,
    undelivered: BTreeSet<String>,
}

impl Search<'_> {
    fn explore(
        &mut self,
        limits: &Limits,
        covered: &mut Covered,
        premises: &mut Premises<'_>,
        watch: &mut dyn Watch,
    ) -> Completeness {
        for (number, outcome) in self.loose.initial_covering(covered).into_iter().enumerate() {
            match outcome {
                Outcome::Next(config) => {
                    self.starts.push(config.clone());
                    let (known, begun) = (self.states.len(), self.loose.has_begun(&config));
                    self.most += u64::from(!begun);
                    self.add(&config, Err(number as u32));
                    if !begun {
                        let new = (self.states.len() - known) as u64;
                        self.before_init += new;
                        self.most -= 1 - new;
                    }
                }
                Outcome::Failed(failure, config) => {
                    self.starts.push(config.clone());
                    self.failures = true;
                    self.findings.failed_start(failure, config);
                }
                Outcome::Discarded => panic!("a start is a state or a failure"),
            }
        }
        let mut at = 0;
        while at < self.states.len() {
            let refuted = self.findings.refuted();
            if self.findings.all_refuted() || limits.refutations.is_some_and(|n| refuted >= n) {
                return Completeness::Enough;
            }
            if !watch.keep_going(&self.progress(at)) {
                return Completeness::Stopped;
            }
            let config = self.states[at].clone();
            let steps = self.loose.steps_covering(&config, covered);
            if steps.is_empty()
                && let Some(constraint) = self.loose.cut(&config)
            {
                self.cut += 1;
                self.cut_by.insert(constraint);
            }
            self.look(at, &config, &steps, premises);
            self.expand(at, steps);
            at += 1;
        }
        match self.resource.take() {
            _ if self.full => Completeness::StateLimit,
            Some(why) => Completeness::Resource(why),
            None => Completeness::Complete,
        }
    }

    fn progress(&self, at: usize) -> Progress {
        Progress {
            states: self.states.len() as u64,
            waiting: (self.states.len() - at) as u64,
            steps: self.steps,
            depth: u64::from(self.origins[at].depth),
        }
    }

    /// Keeps a state, if none like it is known.
    fn add(&mut self, config: &Config, from: Result<(u32, u32), u32>) {
        let found = self.names.representative(voices(config));
        let known = Config(Form::Voices(found.config));
        if self.states.contains(&known) {
            return;
        }
        if self.states.len() as u64 >= self.most {
            self.full = true;
            return;
        }
        let depth = match from {
            Ok((before, _)) => self.origins[before as usize].depth + 1,
            Err(_) => 0,
        };
        self.origins.push(Origin { from, depth });
        self.states.insert(known);
        if self.loose.has_begun(config) {
            self.stands_for = self.stands_for.saturating_add(found.orbit);
        }
    }

    fn expand(&mut self, at: usize, steps: Vec<Step>) {
        for (number, step) in steps.into_iter().enumerate() {
            self.steps += 1;
            match step.outcome {
                Outcome::Next(next) => self.add(&next, Ok((at as u32, number as u32))),
                Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource => {
                    self.resource.get_or_insert(failure.message);
                }
                Outcome::Failed(..) => {
                    self.failures = true;
                    self.suspect(Check::Assertions, at, Some(number));
                }
                Outcome::Discarded => {}
            }
        }
    }

    /// Checks a state.
    fn look(&mut self, at: usize, config: &Config, steps: &[Step], premises: &mut Premises<'_>) {
        if self.loose.has_begun(config) {
            if premises.are_open(false) {
                premises.look(config, false);
            }
            self.claims(at, config, |claim| matches!(claim, Claim::Always(_)));
        }
        match self.loose.status_given(config, steps) {
            Status::Running | Status::Discarded => {}
            Status::Deadlock(_) => self.suspect(Check::NoDeadlock, at, None),
            Status::Final => {
                self.final_states += 1;
                self.undelivered.extend(self.loose.leftovers(config));
                if premises.are_open(true) {
                    premises.look(config, true);
                }
                self.claims(at, config, |claim| matches!(claim, Claim::Finally(_)));
            }
        }
    }

    fn claims(&mut self, at: usize, config: &Config, when: impl Fn(&Claim) -> bool) {
        let song = self.real.instance().song();
        for check in self.checks {
            let Check::Property(number) = check else {
                continue;
            };
            let property = &song.properties[*number];
            let claim = match &property.claim {
                Claim::Finally(claim) | Claim::Always(claim) => claim,
                // Steps are not looked at here.
                Claim::Step(_) => {
                    self.tries.insert(*check, MOST_TRIES);
                    continue;
                }
                Claim::Quiescent { .. } | Claim::Temporal(_) => {
                    panic!("rest is asked about elsewhere")
                }
            };
            if when(&property.claim)
                && self.findings.is_open(*check)
                && verity(self.loose, property, claim, config) != Verity::Holds
            {
                self.suspect(*check, at, None);
            }
        }
    }

    /// A check is violated in the loosened system: looks for a real execution.
    fn suspect(&mut self, check: Check, at: usize, step: Option<usize>) {
        let tries = self.tries.entry(check).or_default();
        if *tries >= MOST_TRIES || !self.findings.is_open(check) {
            return;
        }
        *tries += 1;
        let told = self.path(at, step);
        for played in Played::ways(self.real, self.loose, &self.names, &told) {
            played.check(&mut self.findings);
            if !self.findings.is_open(check) {
                return;
            }
        }
    }

    /// The way to a representative, and a step more if it is given, in one naming.
    fn path(&self, at: usize, step: Option<usize>) -> Vec<(Config, usize)> {
        let mut numbers: Vec<usize> = step.into_iter().collect();
        let mut state = at;
        let start = loop {
            match self.origins[state].from {
                Ok((before, number)) => {
                    numbers.push(number as usize);
                    state = before as usize;
                }
                Err(start) => break start,
            }
        };
        let mut told = self.starts[start as usize].clone();
        let found = self.names.representative(voices(&told));
        let (mut known, mut by) = (found.config, found.by);
        let mut path = Vec::new();
        for number in numbers.into_iter().rev() {
            let step = self
                .loose
                .steps(&Config(Form::Voices(known.clone())))
                .swap_remove(number);
            let (position, next) = self.told(&told, &step, &by);
            path.push((told, position));
            told = next;
            if let Outcome::Next(Config(Form::Voices(after))) = &step.outcome {
                let found = self.names.representative(after);
                known = found.config;
                by = by.then(&found.by);
            }
        }
        path.push((told, usize::MAX));
        path
    }

    /// The step that is another one renamed back, by number, and the state after it.
    fn told(&self, before: &Config, step: &Step, by: &Permutation) -> (usize, Config) {
        let back = by.inverse();
        let lane = step.lane.map(|lane| back.rows[lane] as usize);
        let after = match &step.outcome {
            Outcome::Next(after) => Some(self.names.renamed(voices(after), &back)),
            Outcome::Failed(..) | Outcome::Discarded => None,
        };
        let is_it = |one: &Step| match (&one.outcome, &step.outcome) {
            (Outcome::Next(next), _) => after.as_ref() == Some(voices(next)),
            // In the middle of a loop, where it fails, elements have an order.
            (Outcome::Failed(one_of, _), Outcome::Failed(failure, _)) => {
                (one.lane, one.kind, one_of.span) == (lane, step.kind, failure.span)
            }
            _ => false,
        };
        let steps = self.loose.steps(before);
        let position = steps.iter().position(is_it);
        let position = position.expect("a renamed step is a step");
        let next = match &steps[position].outcome {
            Outcome::Next(next) | Outcome::Failed(_, next) => next.clone(),
            Outcome::Discarded => before.clone(),
        };
        (position, next)
    }

    fn report(self, completeness: Completeness, coverage: Coverage) -> UpToNames {
        let open = self.tries.keys().copied();
        let open: Vec<Check> = open.filter(|check| self.findings.is_open(*check)).collect();
        let depth = self.origins.iter().map(|origin| origin.depth).max();
        let mut report = self.findings.report(Totals {
            completeness,
            states: self.states.len() as u64 - self.before_init - self.cut,
            steps: self.steps,
            depth: u64::from(depth.unwrap_or(0)),
            coverage,
            cut_by: self.cut_by,
        });
        report.final_states = self.final_states;
        report.failures |= self.failures;
        report.undelivered = self.undelivered.into_iter().collect();
        for finding in &mut report.findings {
            if open.contains(&finding.check) {
                finding.answer = Answer::Unknown(NOT_PLAYED.to_owned());
            }
        }
        UpToNames {
            report,
            stands_for: self.stands_for,
            open,
        }
    }
}

fn voices(config: &Config) -> &crate::voices::config::VoicesConfig {
    match &config.0 {
        Form::Voices(config) => config,
        Form::Actions(_) | Form::Line(_) => panic!("there are processes"),
    }
}
