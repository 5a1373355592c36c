//! A trace of an earlier version of a song, taken again by names.
//!
//! [`replay`](crate::replay) wants every word and every place to be the same. After an edit of the text,
//! places shift, variables and processes may be added, and a process may have got a local step before
//! its first communication. [`follow`] takes the steps of a trace by what they are for people: who acts,
//! what kind of step it is, which message with which payload, the other side, the choices. Of several
//! such steps the one is taken that takes the same message of the trace, or else the first. Steps that
//! the trace does not have are added only where they are silent: a process runs to its first
//! communication, or `init` does what it always does. At the end, processes that the trace does not know go on as long
//! as they can: where everybody has to have come to an end, they have to, too.
//!
//! What comes out is an execution of the song as it is now, in its own words, that ends in the same way;
//! it was replayed. Otherwise the first event is named that is no longer possible, with what is instead.

use crate::event_sentences::words;
use crate::failure_kind::Wrong;
use crate::lasso::{repeated, repetition};
use crate::machine::{Config, Machine, Outcome, Status, Step};
use crate::path_to_trace::retrace;
use crate::replay::{Mismatch, replay};
use crate::schedule::taken_number;
use crate::show::is_alike;
use crate::temporal::lasso_check::{self, Path};
use crate::trace::{Ending, Event, EventKind, Failure, Trace};
use plainsong_ir::Claim;
use std::collections::{BTreeMap, BTreeSet};

/// The most silent steps added before one event.
const SILENT: usize = 64;

/// The most steps of processes that the trace does not know.
const STRANGE: usize = 1_000;

/// The most steps that are named instead of one that is not possible.
const INSTEAD: usize = 4;

/// Follows a trace by names, to an execution of the song as it is now.
pub fn follow(machine: &Machine, trace: &Trace) -> Result<Trace, Mismatch> {
    let mut first = None;
    for start in machine.initial() {
        let start = match start {
            Outcome::Next(start) => start,
            Outcome::Failed(failure, _) if fails_at_once(trace, &failure) => {
                let told = Trace {
                    lanes: machine.lanes(),
                    ending: Ending::Failed(failure),
                    ..trace.clone()
                };
                return replay(machine, &told).map(|()| told);
            }
            _ => continue,
        };
        if !has_values(machine, &start, trace) {
            continue;
        }
        match (TraceFollower::new(machine, trace, &start)).run() {
            Ok(told) => return Ok(told),
            Err(mismatch) => first = first.or(Some(mismatch)),
        }
    }
    Err(first.unwrap_or(Mismatch {
        event: None,
        message: "no state at the start has these values".to_owned(),
    }))
}

/// Is it the failure of a trace that fails before anything happens?
fn fails_at_once(trace: &Trace, failure: &Failure) -> bool {
    let is_it = matches!(&trace.ending, Ending::Failed(was) if was.kind == failure.kind);
    is_it && trace.events.is_empty() && trace.start.is_empty()
}

/// Do the variables that the trace knows, and that are still there, start like this?
fn has_values(machine: &Machine, start: &Config, trace: &Trace) -> bool {
    let known: BTreeMap<String, String> = machine
        .start(start)
        .into_iter()
        .map(|change| (change.variable, change.after))
        .collect();
    trace.start.iter().all(|change| {
        known
            .get(&change.variable)
            .is_none_or(|value| is_alike(value, &change.after))
    })
}

struct TraceFollower<'a> {
    machine: &'a Machine,
    trace: &'a Trace,
    lanes: Vec<String>,
    start: &'a Config,
    config: Config,
    /// The states before it, from the start.
    path: Vec<Config>,
    steps: Vec<usize>,
    /// From numbers in the trace to numbers here.
    names: BTreeMap<u64, u64>,
}

impl<'a> TraceFollower<'a> {
    fn new(machine: &'a Machine, trace: &'a Trace, start: &'a Config) -> Self {
        TraceFollower {
            machine,
            trace,
            lanes: machine.lanes(),
            start,
            config: start.clone(),
            path: Vec::new(),
            steps: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    fn run(mut self) -> Result<Trace, Mismatch> {
        let mut failed = None;
        for (at, event) in self.trace.events.iter().enumerate() {
            let Some(outcome) = self.take(at, event)? else {
                continue;
            };
            let is_last = at + 1 == self.trace.events.len();
            match outcome {
                Outcome::Next(next) => self.reach(next),
                Outcome::Failed(failure, _) if is_last => failed = Some(failure),
                Outcome::Failed(failure, _) => {
                    return Err(mismatch(
                        at,
                        format!("this step fails: {}", failure.message),
                    ));
                }
                Outcome::Discarded => {
                    return Err(mismatch(at, "an `assume` cuts this step off".to_owned()));
                }
            }
        }
        let ending = match (&self.trace.ending, failed) {
            (Ending::Failed(was), Some(failure)) if was.kind == failure.kind => {
                Some(Ending::Failed(failure))
            }
            (_, Some(_)) => None,
            _ => self.last_ending(),
        };
        let Some(ending) = ending else {
            return Err(Mismatch {
                event: None,
                message: "everything happens as before, but it does not end like this any more"
                    .to_owned(),
            });
        };
        let (told, _) = retrace(self.machine, self.start, &self.steps, ending);
        replay(self.machine, &told)?;
        Ok(told)
    }

    /// Takes the step that an event stands for, after silent ones if need be; none when it is not needed
    /// any more.
    fn take(&mut self, at: usize, event: &Event) -> Result<Option<Outcome>, Mismatch> {
        for _ in 0..SILENT {
            let steps = self.machine.steps(&self.config);
            if let Some(number) = self.find(event, &steps) {
                return Ok(Some(self.step(number, &steps[number], Some(event))));
            }
            let Some(number) = self.silent(&steps) else {
                break;
            };
            match self.step(number, &steps[number], None) {
                Outcome::Next(next) => self.reach(next),
                _ => break,
            }
        }
        // Not necessary any more: what a process did silently may be gone.
        if event.kind == EventKind::Start && event.choices.is_empty() && event.sends.is_empty() {
            return Ok(None);
        }
        let told = words(&self.trace.lanes, event);
        let instead = self.instead(event);
        let message = format!("`{told}` is not possible here any more; {instead}");
        Err(mismatch(at, message))
    }

    /// What can happen now: by the one who should have acted, if it can do anything, or by anybody.
    fn instead(&self, event: &Event) -> String {
        let steps = self.machine.steps(&self.config);
        let told = |number: usize| {
            let event = self.machine.event(&self.config, number, &steps[number]);
            words(&self.lanes, &event)
        };
        let by = |own: bool| -> BTreeSet<String> {
            let is_meant = |step: &Step| !own || self.name(step.lane) == self.known(event.lane);
            let numbers = (0..steps.len()).filter(|&number| is_meant(&steps[number]));
            numbers.map(told).collect()
        };
        let own = by(true);
        let all = if own.is_empty() { by(false) } else { own };
        let more = all.len().saturating_sub(INSTEAD);
        let mut told: Vec<String> = all.into_iter().take(INSTEAD).collect();
        told.iter_mut().for_each(|one| *one = format!("`{one}`"));
        match (told.is_empty(), more) {
            (true, _) => "no process can take a step".to_owned(),
            (false, 0) => format!("what is: {}", told.join(", ")),
            (false, more) => format!("what is: {} and {more} more", told.join(", ")),
        }
    }

    fn reach(&mut self, next: Config) {
        self.path.push(std::mem::replace(&mut self.config, next));
    }

    fn step(&mut self, number: usize, step: &Step, event: Option<&Event>) -> Outcome {
        if let Some(event) = event {
            let told = self.machine.event(&self.config, number, step);
            self.names.extend(sent(event).zip(sent(&told)));
        }
        self.steps.push(number);
        step.outcome.clone()
    }

    fn find(&self, event: &Event, steps: &[Step]) -> Option<usize> {
        let candidates: Vec<usize> = (0..steps.len())
            .filter(|&number| self.is_meant(event, number, &steps[number]))
            .collect();
        let takes = event.message.filter(|_| event.kind != EventKind::Send);
        let wanted = takes.and_then(|number| self.names.get(&number).copied());
        let same = candidates
            .iter()
            .find(|&&number| wanted.is_some() && taken_number(&steps[number]) == wanted);
        same.or(candidates.first()).copied()
    }

    fn is_meant(&self, event: &Event, number: usize, step: &Step) -> bool {
        if step.kind != event.kind || self.name(step.lane) != self.known(event.lane) {
            return false;
        }
        let told = self.machine.event(&self.config, number, step);
        is_alike(&told.label, &event.label)
            && self.name(told.peer) == self.known(event.peer)
            && told.choices.len() == event.choices.len()
            && (told.choices.iter().zip(&event.choices)).all(|(now, then)| is_alike(now, then))
    }

    /// A step that the trace need not have told.
    fn silent(&self, steps: &[Step]) -> Option<usize> {
        let alone = |number: &usize| {
            let step = &steps[*number];
            let same = |other: &&Step| other.lane == step.lane && other.kind == step.kind;
            steps.iter().filter(same).count() == 1
        };
        (0..steps.len())
            .filter(|&number| matches!(steps[number].kind, EventKind::Start | EventKind::Init))
            .filter(|&number| matches!(steps[number].outcome, Outcome::Next(_)))
            .find(alone)
    }

    /// The ending, after silent steps and steps of processes that the trace does not know, if need be.
    fn last_ending(&mut self) -> Option<Ending> {
        for _ in 0..STRANGE {
            if let Some(ending) = self.ending() {
                return Some(ending);
            }
            let steps = self.machine.steps(&self.config);
            let number = self.silent(&steps).or_else(|| self.strange(&steps))?;
            match self.step(number, &steps[number], None) {
                Outcome::Next(next) => self.reach(next),
                _ => return None,
            }
        }
        None
    }

    /// A step of a process that the trace does not know.
    fn strange(&self, steps: &[Step]) -> Option<usize> {
        let is_strange = |step: &Step| {
            let name = self.name(step.lane);
            let is_known = |name: &str| self.trace.lanes.iter().any(|known| known == name);
            name.is_some_and(|name| !is_known(name)) && !step.kind.is_fault()
        };
        let goes_on = |step: &Step| matches!(step.outcome, Outcome::Next(_));
        steps
            .iter()
            .position(|step| is_strange(step) && goes_on(step))
    }

    fn ending(&self) -> Option<Ending> {
        match (&self.trace.ending, Wrong::of(self.machine, self.trace)) {
            (Ending::Cut, _) => Some(Ending::Cut),
            (Ending::Final, _) => {
                let rests = self.machine.status(&self.config) == Status::Final;
                rests.then_some(Ending::Final)
            }
            (Ending::Violated { property, why, .. }, Some(Wrong::Property(at)))
                if self.is_rest(at) =>
            {
                let path: Vec<Config> = self.path.iter().chain([&self.config]).cloned().collect();
                let events = repeated(why)?;
                let found = repetition(self.machine, &path, &self.steps, events)?;
                let is_plain = !why.contains(';');
                Some(Ending::Violated {
                    property: property.clone(),
                    span: self.machine.instance().song().properties[at].span,
                    why: match is_plain {
                        true => found.plain(),
                        false => found.sentence(),
                    },
                })
            }
            (Ending::Violated { why, .. }, Some(Wrong::Property(at))) if self.is_temporal(at) => {
                let states: Vec<Config> = self.path.iter().chain([&self.config]).cloned().collect();
                let path = Path {
                    states: &states,
                    steps: &self.steps,
                };
                let property = &self.machine.instance().song().properties[at];
                lasso_check::ending(self.machine, path, property, why)
            }
            (_, Some(wrong)) => wrong.shown_in(self.machine, self.path.last(), &self.config),
            (_, None) => None,
        }
    }

    /// Does a property claim that everything terminates?
    fn is_rest(&self, at: usize) -> bool {
        let claim = &self.machine.instance().song().properties[at].claim;
        matches!(claim, Claim::Quiescent { .. })
    }

    fn is_temporal(&self, at: usize) -> bool {
        let claim = &self.machine.instance().song().properties[at].claim;
        matches!(claim, Claim::Temporal(_))
    }

    fn name(&self, lane: Option<usize>) -> Option<&str> {
        lane.and_then(|lane| self.lanes.get(lane).map(String::as_str))
    }

    fn known(&self, lane: Option<usize>) -> Option<&str> {
        lane.and_then(|lane| self.trace.lanes.get(lane).map(String::as_str))
    }
}

/// The numbers of what an event sends.
fn sent(event: &Event) -> impl Iterator<Item = u64> {
    let own = event.message.filter(|_| event.kind == EventKind::Send);
    own.into_iter()
        .chain(event.sends.iter().map(|sent| sent.message))
}

fn mismatch(event: usize, message: String) -> Mismatch {
    Mismatch {
        event: Some(event),
        message,
    }
}
