//! What is wrong at the end of a trace, as something that other executions can be asked about.

use crate::claim::{Verity, verity, verity_of_step};
use crate::machine::{Config, Machine, Outcome, Status};
use crate::trace::{Ending, Failure, FailureKind, Trace};
use plainsong_diagnostics::Span;
use plainsong_ir::Claim;

/// The kind of failure that a trace shows: the same property, violated in the same way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wrong {
    /// A property is violated, by position.
    Property(usize),
    /// Somebody waits and nothing can happen.
    Deadlock,
    /// Such a failure, at this place.
    Failure(FailureKind, Span),
}

impl Wrong {
    /// What is wrong in a trace; none when nothing is.
    pub(crate) fn of(machine: &Machine, trace: &Trace) -> Option<Wrong> {
        match &trace.ending {
            Ending::Violated { property, .. } => {
                let mut properties = machine.instance().song().properties.iter();
                properties
                    .position(|one| one.name == *property)
                    .map(Wrong::Property)
            }
            Ending::Deadlock(_) => Some(Wrong::Deadlock),
            Ending::Failed(failure) => Some(Wrong::Failure(failure.kind, failure.span)),
            Ending::Final | Ending::Cut | Ending::Discarded => None,
        }
    }

    /// Can it happen before an execution has come to its end?
    pub(crate) fn is_in_between(&self, machine: &Machine) -> bool {
        match self {
            Wrong::Property(at) => {
                matches!(claim(machine, *at), Claim::Always(_) | Claim::Step(_))
            }
            Wrong::Failure(..) => true,
            Wrong::Deadlock => false,
        }
    }

    /// The ending of an execution that shows this in the state it has come to, by a step from the state before it
    /// if there was one; none when it does not.
    pub(crate) fn shown_in(
        &self,
        machine: &Machine,
        before: Option<&Config>,
        config: &Config,
    ) -> Option<Ending> {
        match self {
            Wrong::Failure(..) => None,
            Wrong::Deadlock => match machine.status(config) {
                Status::Deadlock(waiting) => Some(Ending::Deadlock(waiting)),
                _ => None,
            },
            Wrong::Property(at) => {
                let property = &machine.instance().song().properties[*at];
                let begun = |before: &&Config| machine.has_begun(before);
                let (verity, span) = match (&property.claim, before.filter(begun)) {
                    (Claim::Always(claim), _) if machine.has_begun(config) => {
                        (verity(machine, property, claim, config), claim.span)
                    }
                    (Claim::Finally(claim), _) if machine.status(config) == Status::Final => {
                        (verity(machine, property, claim, config), claim.span)
                    }
                    (Claim::Step(claim), Some(before)) => {
                        let step = (before, config);
                        (verity_of_step(machine, property, claim, step), claim.span)
                    }
                    _ => return None,
                };
                match verity {
                    Verity::Violated(why) => Some(Ending::Violated {
                        property: property.name.clone(),
                        span,
                        why,
                    }),
                    Verity::Holds | Verity::Unknown(_) => None,
                }
            }
        }
    }

    /// The ending of an execution whose last step has this outcome, if it shows this.
    pub(crate) fn shown_by(
        &self,
        machine: &Machine,
        before: &Config,
        outcome: &Outcome,
    ) -> Option<Ending> {
        match outcome {
            Outcome::Next(config) => self.shown_in(machine, Some(before), config),
            Outcome::Failed(failure, _) => {
                self.is(failure).then(|| Ending::Failed(failure.clone()))
            }
            Outcome::Discarded => None,
        }
    }

    fn is(&self, failure: &Failure) -> bool {
        *self == Wrong::Failure(failure.kind, failure.span)
    }

    /// How it would be without: `agreement would hold`, or `could` when that is not certain.
    pub(crate) fn without(&self, machine: &Machine, certain: bool) -> String {
        let may = if certain { "would" } else { "could still" };
        match self {
            Wrong::Property(at) => {
                let name = &machine.instance().song().properties[*at].name;
                format!("{name} {may} hold")
            }
            Wrong::Deadlock => format!("everybody {may} finish"),
            Wrong::Failure(..) => format!("it {may} end well"),
        }
    }
}

fn claim(machine: &Machine, at: usize) -> &Claim {
    &machine.instance().song().properties[at].claim
}
