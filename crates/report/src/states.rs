//! The state after each event of a trace, in words: the start with all changes so far.

use plainsong_semantics::trace::{Change, Trace};

/// Names and values of all variables, in the order in which they were declared.
pub(crate) type State<'a> = Vec<(&'a str, &'a str)>;

/// The states of a trace: at the start, and after each event.
pub(crate) fn states(trace: &Trace) -> Vec<State<'_>> {
    let mut now: State<'_> = Vec::new();
    enter(&mut now, &trace.start);
    let mut all = vec![now.clone()];
    for event in &trace.events {
        enter(&mut now, &event.changes);
        all.push(now.clone());
    }
    all
}

fn enter<'a>(state: &mut State<'a>, changes: &'a [Change]) {
    for change in changes {
        let known = state
            .iter_mut()
            .find(|(variable, _)| *variable == change.variable);
        match known {
            Some((_, value)) => *value = &change.after,
            None => state.push((&change.variable, &change.after)),
        }
    }
}
