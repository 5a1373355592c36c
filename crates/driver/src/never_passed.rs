//! Conditions that nothing from a window of values has ever passed, in whatever step they were asked.
//!
//! Statement. An `assume`, or the `where` of a receive, that speaks of what was chosen from a window of infinitely many
//! values and was false whenever a search came to it leaves what follows unseen: a value outside of the window might have
//! passed. `holds` says nothing then. (A choice that no value satisfies in one and the same step is the interpreter's to
//! notice.)
//!
//! Whether a condition speaks of such values is asked of the text ([`WindowFlow`]), as far as the search has seen it run.
//! Whether it was ever true, the coverage of the search knows.

use crate::window_flow::{Asks, Condition, Extent, WindowFlow, has_window, windows};
use plainsong_diagnostics::quote_marker;
use plainsong_ir::Song;
use plainsong_semantics::search::Coverage;
use std::collections::BTreeMap;

/// Why a verdict within these bounds says nothing; none if all conditions about values from windows were true at some
/// time.
pub(crate) fn never_passed(
    song: &Song,
    coverage: &Coverage,
    bound: &BTreeMap<String, String>,
) -> Option<String> {
    if !has_window(bound) {
        return None;
    }
    let extent = Extent {
        seen: Some(coverage),
        ..Extent::default()
    };
    let flow = WindowFlow::new(song, bound, extent);
    let is_met = |asks: Asks| match asks {
        Asks::Assume(at) => coverage.executed.contains(&at),
        Asks::Receive(message) => song.voices().is_some_and(|voices| {
            let kind = &voices.messages[message.index()].name;
            coverage.sent.contains(kind)
        }),
        // Whether it had a value in every state, the states tell.
        Asks::Choice => false,
    };
    let is_stuck =
        |one: &&Condition| is_met(one.asks) && coverage.passed.binary_search(&one.span).is_err();
    let span = flow.conditions().iter().find(is_stuck)?.span;
    Some(format!(
        "no value in the window ({}) ever satisfies {}, and values outside of it are not tried; `--bound` sets the window",
        windows(bound),
        quote_marker(span)
    ))
}
