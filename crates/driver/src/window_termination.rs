//! May executions with values outside of the window go on for ever, though all within it terminate?
//!
//! Statement. Every execution with values from a window terminates. If no cycle of the control flow is high
//! ([`WindowFlow`]), then so does every execution.
//!
//! Why sound. Suppose an execution with other values never terminates. If infinitely many of its steps are low, they are
//! the steps of an execution with values from the window, which then does not terminate either. Otherwise it ends with
//! infinitely many steps that are all high. A handler or action runs when a message or async starts it, which a step has
//! left behind, so some high handlers start each other round a cycle, or a high body goes round a loop without end.
//! NOT COVERED. Measures: what decreases along a cycle is for `ranking` to show. Then the verdict is a proof and not asked
//! here.

use crate::window_flow::{Extent, Unit, WindowFlow, has_window, windows};
use plainsong_diagnostics::{Span, quote_marker};
use plainsong_ir::{Delivery, Song};
use std::collections::{BTreeMap, BTreeSet};

/// Why termination within these bounds says nothing about other values; none if it does. `fails`: do some executions end
/// with a failure?
pub(crate) fn window_may_end(
    song: &Song,
    bound: &BTreeMap<String, String>,
    delivery: Option<Delivery>,
    fails: bool,
) -> Option<String> {
    if !has_window(bound) {
        return None;
    }
    let extent = Extent {
        seen: None,
        delivery,
        fails,
        ..Extent::default()
    };
    let flow = WindowFlow::new(song, bound, extent);
    let windows = windows(bound);
    if flow.has_procedures() {
        return Some(format!(
            "all executions with values from the window ({windows}) terminate; procedures may go on for ever with others"
        ));
    }
    let span = cycle(flow.units())?;
    Some(format!(
        "all executions with values from the window ({windows}) terminate, but {} depends on them: with values outside of \
         it an execution may go on for ever; `--bound` widens the window, `decreases` proves it for all values",
        quote_marker(span)
    ))
}

/// What decides whether a high cycle goes on.
fn cycle(units: &[Unit]) -> Option<Span> {
    let is_high = |unit: &&Unit| unit.high.is_some();
    let endless = units
        .iter()
        .filter(is_high)
        .find(|one| one.endless.is_some());
    let on_a_cycle = |unit: &&Unit| {
        unit.trigger
            .is_some_and(|kind| reached(units, &unit.sends).contains(&kind))
    };
    let found = endless.or_else(|| units.iter().filter(is_high).find(on_a_cycle))?;
    found.high
}

/// The kinds that high units leave, beginning with these.
fn reached(units: &[Unit], first: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut found = first.clone();
    loop {
        let before = found.len();
        for unit in units.iter().filter(|unit| unit.high.is_some()) {
            if unit.trigger.is_some_and(|kind| found.contains(&kind)) {
                found.extend(&unit.sends);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
