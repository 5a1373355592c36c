//! Executions that repeat for ever: where the loop begins.

use plainsong_semantics::lasso::repeated;
use plainsong_semantics::trace::{Ending, Trace};

/// The state (0 is the start) that the last event leads back to, if the trace ends with a loop.
///
/// A loop is told in the reason: `the last 3 events lead back to where they began`.
pub(crate) fn lasso(trace: &Trace) -> Option<usize> {
    let Ending::Violated { why, .. } = &trace.ending else {
        return None;
    };
    trace.events.len().checked_sub(repeated(why)?)
}
