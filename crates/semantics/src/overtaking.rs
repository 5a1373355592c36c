//! Which message overtakes which: what a stricter delivery model forbids in an execution.
//!
//! The steps of the execution are taken again under the stricter model. The first one that it does not
//! allow takes a message too early; what the process may take there instead is what was overtaken.

use crate::machine::{Machine, Outcome, Step};
use crate::trace::{Event, EventKind, Trace};

/// A message that is taken before an older one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overtaking {
    /// The event that takes it, by position in the trace.
    pub event: usize,
    /// Who takes it.
    pub receiver: usize,
    /// What is taken, with its payload, and who sent it; `None` for `init`.
    pub taken: (String, Option<usize>),
    /// What should have come first, and who sent it.
    pub passed: (String, Option<usize>),
}

/// The first message of `trace`, an execution of the same instance under a weaker model, that may not
/// be taken yet in `strict`; nothing if all may.
pub fn overtaking(strict: &Machine, trace: &Trace) -> Option<Overtaking> {
    let is_start = |outcome: &Outcome| match outcome {
        Outcome::Next(config) => strict.start(config) == trace.start,
        _ => false,
    };
    let Outcome::Next(mut config) = strict.initial().into_iter().find(is_start)? else {
        return None;
    };
    for (at, event) in trace.events.iter().enumerate() {
        let steps = strict.steps(&config);
        let told = |step: &Step| Event {
            step: event.step,
            ..strict.event(&config, event.step, step)
        };
        let Some(step) = steps.iter().find(|step| told(step) == *event) else {
            return passed(at, event, steps.iter().map(told));
        };
        match &step.outcome {
            Outcome::Next(next) => config = next.clone(),
            _ => return None,
        }
    }
    None
}

/// What the process may take instead.
fn passed(
    at: usize,
    event: &Event,
    mut instead: impl Iterator<Item = Event>,
) -> Option<Overtaking> {
    let takes = |event: &Event| matches!(event.kind, EventKind::Receive | EventKind::Handle);
    let first = instead
        .find(|other| takes(other) && other.lane == event.lane && other.message != event.message)?;
    takes(event).then_some(())?;
    Some(Overtaking {
        event: at,
        receiver: event.lane?,
        taken: (event.label.clone(), event.peer),
        passed: (first.label, first.peer),
    })
}
