//! Takes the steps of a trace again: a refutation is shown to nobody before that.

use crate::claim::{Verity, verity, verity_of_step};
use crate::lasso::{repeated, repetition};
use crate::machine::{Config, Machine, Outcome, Status};
use crate::temporal::lasso_check::{self, Path};
use crate::trace::{Ending, Event, Trace};
use plainsong_ir::Claim;

/// Where a trace and the program part.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The event, by position; `None` when the start or the ending differs.
    pub event: Option<usize>,
    /// One sentence.
    pub message: String,
}

/// Takes the steps of `trace` again and compares the start, every event and the ending.
pub fn replay(machine: &Machine, trace: &Trace) -> Result<(), Mismatch> {
    if trace.lanes != machine.lanes() {
        return Err(at_an_end("the processes are not those of the trace"));
    }
    let mut result = Err(at_an_end("no state at the start has these values"));
    for start in machine.initial() {
        if let Some(attempt) = from(machine, &start, trace) {
            result = attempt;
        }
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Replays from one state at the start; `None` when it is not the one of the trace.
fn from(machine: &Machine, start: &Outcome, trace: &Trace) -> Option<Result<(), Mismatch>> {
    match start {
        Outcome::Next(config) => (machine.start(config) == trace.start).then(|| {
            Replay {
                machine,
                trace,
                path: vec![config.clone()],
            }
            .run()
        }),
        Outcome::Failed(failure, _) => {
            let told = trace.events.is_empty() && trace.ending == Ending::Failed(failure.clone());
            told.then_some(Ok(()))
        }
        Outcome::Discarded => None,
    }
}

struct Replay<'a> {
    machine: &'a Machine,
    trace: &'a Trace,
    /// The states reached, from the start.
    path: Vec<Config>,
}

impl Replay<'_> {
    fn run(mut self) -> Result<(), Mismatch> {
        for (at, event) in self.trace.events.iter().enumerate() {
            let is_last = at + 1 == self.trace.events.len();
            match self.take(at, event)? {
                Outcome::Next(next) => self.path.push(next),
                Outcome::Failed(failure, config) => {
                    return if is_last && self.trace.ending == Ending::Failed(failure) {
                        self.leaves_behind(&config)
                    } else {
                        Err(at_event(at, "this step fails"))
                    };
                }
                Outcome::Discarded => return Err(at_event(at, "an `assume` cuts this step off")),
            }
        }
        self.ends()?;
        self.leaves_behind(self.last())
    }

    /// The step of one event, if it is there and tells the same.
    fn take(&self, at: usize, event: &Event) -> Result<Outcome, Mismatch> {
        let config = self.last();
        let mut steps = self.machine.steps(config);
        if event.step >= steps.len() {
            return Err(at_event(at, "this step is not possible here"));
        }
        let step = steps.swap_remove(event.step);
        let told = self.machine.event(config, event.step, &step);
        if told != *event {
            return Err(at_event(at, format!("`{}` happens instead", told.label)));
        }
        Ok(step.outcome)
    }

    fn ends(&self) -> Result<(), Mismatch> {
        let status = self.machine.status(self.last());
        let agrees = match &self.trace.ending {
            Ending::Final => status == Status::Final,
            Ending::Deadlock(waiting) => status == Status::Deadlock(waiting.clone()),
            Ending::Discarded => status == Status::Discarded,
            Ending::Cut => true,
            Ending::Failed(_) => return Err(at_an_end("nothing fails")),
            Ending::Violated { property, why, .. } => self.violates(property, why),
        };
        if agrees {
            Ok(())
        } else {
            Err(at_an_end("it does not end like this"))
        }
    }

    fn violates(&self, name: &str, why: &str) -> bool {
        let song = self.machine.instance().song();
        let Some(property) = song
            .properties
            .iter()
            .find(|property| property.name == name)
        else {
            return false;
        };
        let last = self.last();
        match &property.claim {
            Claim::Always(claim) => {
                verity(self.machine, property, claim, last) == Verity::Violated(why.to_owned())
            }
            Claim::Finally(claim) => {
                self.machine.status(last) == Status::Final
                    && verity(self.machine, property, claim, last)
                        == Verity::Violated(why.to_owned())
            }
            Claim::Step(claim) => match &self.path[..] {
                [.., before, after] => {
                    self.machine.has_begun(before)
                        && verity_of_step(self.machine, property, claim, (before, after))
                            == Verity::Violated(why.to_owned())
                }
                _ => false,
            },
            Claim::Quiescent { fair } => {
                let steps: Vec<usize> = self.trace.events.iter().map(|event| event.step).collect();
                let found = repeated(why)
                    .and_then(|events| repetition(self.machine, &self.path, &steps, events));
                found.is_some_and(|found| {
                    let is_told = found.plain() == why || found.sentence() == why;
                    is_told && (!fair || found.ignored.is_empty())
                })
            }
            Claim::Temporal(_) => {
                let steps: Vec<usize> = self.trace.events.iter().map(|event| event.step).collect();
                let path = Path {
                    states: &self.path,
                    steps: &steps,
                };
                lasso_check::ending(self.machine, path, property, why).is_some()
            }
        }
    }

    fn leaves_behind(&self, config: &Config) -> Result<(), Mismatch> {
        if self.machine.undelivered(config) == self.trace.undelivered {
            Ok(())
        } else {
            Err(at_an_end("other messages are left over"))
        }
    }

    fn last(&self) -> &Config {
        self.path.last().expect("a path has a start")
    }
}

fn at_event(event: usize, message: impl Into<String>) -> Mismatch {
    Mismatch {
        event: Some(event),
        message: message.into(),
    }
}

fn at_an_end(message: &str) -> Mismatch {
    Mismatch {
        event: None,
        message: message.to_owned(),
    }
}
