//! Linearization of a happens-before order: from what each process did to one execution of the interpreter (a witness).
//!
//! An engine that keeps processes apart knows, for each process, its local steps and which message
//! each of them took: a [`Score`]. [`witness`] looks for an order of these steps that the interpreter
//! can take, and tells it as a trace, which is replayed before anyone sees it.
//!
//! Without `mailbox` messages every order that respects causality will do. With them the order of
//! sends matters, so the search goes back when it is stuck, and never visits a point twice.
//!
//! A message that is lost, or sent once more, is so as soon as it is in flight. Earlier is never worse: who
//! does not read a message is not hindered by its absence. (Copies that matter where order does are not in
//! scores.)

use crate::claim::{Verity, verity};
use crate::local_process::Deed;
use crate::machine::{Config, Form, Machine, Outcome, Status, Step, Taken};
use crate::path_to_trace::retrace;
use crate::replay::replay;
use crate::trace::{Ending, EventKind, Trace};
use crate::value::Pid;
use plainsong_ir::Claim;
use rustc_hash::FxHashSet;

/// A message by its sender (`init` comes after the last process) and how many that one sent before.
pub type Origin = (usize, usize);

/// One local step, and the message that it took.
#[derive(Clone, Debug)]
pub struct Note {
    /// The step.
    pub deed: Deed,
    /// The message that it took.
    pub received: Option<Origin>,
}

/// What each process did.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub start: usize,
    /// The steps of each process, then of `init`.
    pub notes: Vec<Vec<Note>>,
    /// The messages that are lost, if they are sent.
    pub lost: Vec<Origin>,
    /// The messages that are sent once more, if they are sent at all; as often as they stand here.
    pub copied: Vec<Origin>,
}

/// What an execution is a witness of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// The last step of one process fails.
    Failure,
    /// Nothing can happen any more, but somebody waits.
    Deadlock,
    /// The last state is final and violates a property, by position.
    Finally(usize),
    /// The last state violates a property, by position.
    Always(usize),
}

/// An execution that is what the score says and ends as charged; replayed.
///
/// # Panics
///
/// When there is none: then whoever made the score is wrong.
pub fn witness(machine: &Machine, score: &Score, charge: Charge) -> Trace {
    let starts = machine.initial();
    let trace = match &starts[score.start] {
        Outcome::Next(start) => performed(machine, start, score, charge),
        Outcome::Failed(failure, config) => {
            retrace(machine, config, &[], Ending::Failed(failure.clone())).0
        }
        Outcome::Discarded => panic!("a discarded start is a witness of nothing"),
    };
    if let Err(mismatch) = replay(machine, &trace) {
        panic!("a refutation replays, but this one does not: {mismatch:?}\n{trace:#?}");
    }
    trace
}

fn performed(machine: &Machine, start: &Config, score: &Score, charge: Charge) -> Trace {
    let Some((steps, last)) = (Performance { machine, score }).find(start) else {
        panic!("no order of these steps is an execution: {score:#?}");
    };
    let ending = ending(machine, &last, charge);
    retrace(machine, start, &steps, ending).0
}

fn ending(machine: &Machine, last: &Outcome, charge: Charge) -> Ending {
    match (charge, last) {
        (Charge::Failure, Outcome::Failed(failure, _)) => Ending::Failed(failure.clone()),
        (Charge::Deadlock, Outcome::Next(config)) => match machine.status(config) {
            Status::Deadlock(waiting) => Ending::Deadlock(waiting),
            other => panic!("a deadlock was found, but the interpreter says {other:?}"),
        },
        (Charge::Finally(at) | Charge::Always(at), Outcome::Next(config)) => {
            let property = &machine.instance().song().properties[at];
            let (Claim::Finally(claim) | Claim::Always(claim)) = &property.claim else {
                panic!("{} speaks of more than one state", property.name)
            };
            let Verity::Violated(why) = verity(machine, property, claim, config) else {
                panic!("{} holds at the end of this execution", property.name)
            };
            Ending::Violated {
                property: property.name.clone(),
                span: claim.span,
                why,
            }
        }
        (charge, last) => panic!("{charge:?} does not end in {last:?}"),
    }
}

struct Performance<'a> {
    machine: &'a Machine,
    score: &'a Score,
}

/// A point of the search for an order.
struct Point {
    outcome: Outcome,
    /// How many steps each process has taken.
    done: Vec<usize>,
    /// How many messages each sent.
    sent: Vec<usize>,
    /// Where each message comes from, by its number.
    origins: Vec<Origin>,
    /// Which messages are still to be lost or copied.
    lost: Vec<Origin>,
    copied: Vec<Origin>,
    /// The steps taken, by the interpreter's numbers.
    steps: Vec<usize>,
}

impl Performance<'_> {
    /// The numbers of the steps, and what the last one leads to.
    fn find(&self, start: &Config) -> Option<(Vec<usize>, Outcome)> {
        let lanes = self.score.notes.len();
        let mut seen = FxHashSet::default();
        let mut open = vec![Point {
            outcome: Outcome::Next(start.clone()),
            done: vec![0; lanes],
            sent: vec![0; lanes],
            origins: Vec::new(),
            lost: self.score.lost.clone(),
            copied: self.score.copied.clone(),
            steps: Vec::new(),
        }];
        while let Some(mut point) = open.pop() {
            self.suffer(&mut point);
            let mut notes = self.score.notes.iter().zip(&point.done);
            if notes.all(|(notes, done)| notes.len() == *done) {
                return Some((point.steps, point.outcome));
            }
            let Outcome::Next(config) = &point.outcome else {
                continue;
            };
            if seen.insert((point.done.clone(), mailbox_order(config, &point.origins))) {
                self.go_on(&point, config, &mut open);
            }
        }
        None
    }

    /// Loses and copies what is to be lost and copied and is in flight.
    fn suffer(&self, point: &mut Point) {
        while !(point.lost.is_empty() && point.copied.is_empty()) {
            let Outcome::Next(config) = &point.outcome else {
                return;
            };
            let steps = self.machine.steps(config).into_iter().enumerate();
            let mut faults = steps.filter_map(|(number, step)| {
                let Some(Taken::Hit(message)) = &step.taken else {
                    return None;
                };
                let origin = point.origins[message.number.0 as usize];
                let copies = step.kind == EventKind::Duplicate;
                let due = if copies { &point.copied } else { &point.lost };
                let at = due.iter().position(|due| *due == origin)?;
                Some((number, step, origin, at))
            });
            let Some((number, step, origin, at)) = faults.next() else {
                return;
            };
            drop(faults);
            if step.kind == EventKind::Duplicate {
                point.copied.remove(at);
                point.origins.push(origin);
            } else {
                point.lost.remove(at);
            }
            point.steps.push(number);
            point.outcome = step.outcome;
        }
    }

    /// The points one step further; those of the first processes are looked at first.
    fn go_on(&self, point: &Point, config: &Config, open: &mut Vec<Point>) {
        let init = self.score.notes.len() - 1;
        for (number, step) in self.machine.steps(config).into_iter().enumerate().rev() {
            let lane = step.lane.unwrap_or(init);
            let Some(note) = self.score.notes[lane].get(point.done[lane]) else {
                continue;
            };
            if !is_meant(note, lane, &step, &point.origins) {
                continue;
            }
            let mut next = Point {
                outcome: step.outcome,
                done: point.done.clone(),
                sent: point.sent.clone(),
                origins: point.origins.clone(),
                lost: point.lost.clone(),
                copied: point.copied.clone(),
                steps: point.steps.clone(),
            };
            next.done[lane] += 1;
            next.steps.push(number);
            if let Outcome::Next(after) = &next.outcome {
                for _ in sent(config)..sent(after) {
                    next.origins.push((lane, next.sent[lane]));
                    next.sent[lane] += 1;
                }
            }
            open.push(next);
        }
    }
}

/// Is this the step that a note stands for?
fn is_meant(note: &Note, lane: usize, step: &Step, origins: &[Origin]) -> bool {
    let received = match &step.taken {
        Some(Taken::Message(message)) => Some(origins[message.number.0 as usize]),
        Some(Taken::Hit(_)) => return false,
        _ => None,
    };
    step.kind == note.deed.kind
        && received == note.received
        && step.chosen == note.deed.chosen
        && is_anew(note, lane, &step.outcome)
}

/// After a restart, is the process as the note says?
fn is_anew(note: &Note, lane: usize, outcome: &Outcome) -> bool {
    match (&note.deed.anew, outcome) {
        (Some(part), Outcome::Next(Config(Form::Voices(config)))) => {
            part.is_at(&config.voices[lane])
        }
        _ => true,
    }
}

fn sent(config: &Config) -> u64 {
    match &config.0 {
        Form::Voices(config) => config.network.sent(),
        _ => 0,
    }
}

/// What tells points with the same steps behind them apart.
fn mailbox_order(config: &Config, origins: &[Origin]) -> Vec<Origin> {
    let Form::Voices(config) = &config.0 else {
        return Vec::new();
    };
    let messages = config.network.messages().iter();
    messages
        .filter(|message| message.model.orders_senders() && message.to != Pid::Init)
        .map(|message| origins[message.number.0 as usize])
        .collect()
}
