//! Executions that only the window of values ends, in whatever engine holds what.
//!
//! Statement. `holds` speaks of executions with values from a window. Where a condition is refused from some state on
//! because the window has no value left for it ([`window_end`]), what comes after is unseen, and the verdict is unknown
//! with that reason. Numbers that have to be fresh are the common case: they run out.
//!
//! Which conditions such values influence, and which choices are to blame, is asked of the text ([`WindowFlow`]): one
//! analysis for every statement that chooses from a window. The states tell the rest; where there are more than
//! [`STATES_OF_WINDOWS`], that is the reason why nothing is known.
//! NOT COVERED. Procedures and their threads.

use crate::effort::STATES_OF_WINDOWS;
use crate::engine::{EngineReport, Task};
use crate::engines::instances_of;
use crate::never_passed::never_passed;
use crate::watch::Overseer;
use crate::window_flow::{Extent, Origin, WindowFlow, has_window, windows};
use plainsong_diagnostics::{Span, quote_marker};
use plainsong_semantics::search::{Limits, WindowCondition, WindowEnd, window_end};
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Takes back what holds only because the window has ended executions.
pub(crate) fn mind_windows(task: &Task, report: &mut EngineReport, overseer: &mut Overseer<'_>) {
    let states = task.effort.states_or(STATES_OF_WINDOWS);
    let mut ends = None;
    let coverage = report.coverage.as_ref();
    for verdict in &mut report.verdicts {
        if verdict.outcome != Outcome::Holds || !has_window(&verdict.bound) {
            continue;
        }
        // What was never true is a stronger reason.
        if coverage.is_some_and(|one| never_passed(&task.song, one, &verdict.bound).is_some()) {
            continue;
        }
        let ends = ends.get_or_insert_with(|| ends_of(task, verdict, overseer));
        let windows = windows(&verdict.bound);
        match ends {
            WindowEnd::No => {}
            WindowEnd::At(span) => {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = format!(
                    "in some executions no value in the window ({windows}) is left that satisfies {}, and values outside \
                     of it are not tried; `--bound` sets the window",
                    quote_marker(*span)
                );
            }
            WindowEnd::Open => {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = match overseer.why_stopped() {
                    Some(limit) => format!(
                        "{limit} (whether the window ({windows}) ends executions was looked at)"
                    ),
                    None => format!(
                        "whether the window ({windows}) ends some executions was not decided within {states} states; see \
                         --bound states"
                    ),
                };
            }
        }
    }
}

fn ends_of(task: &Task, verdict: &Verdict, overseer: &mut Overseer<'_>) -> WindowEnd {
    let conditions = Arc::new(conditions(task, verdict));
    if conditions.is_empty() {
        return WindowEnd::No;
    }
    let limits = Limits {
        states: task.effort.states_or(STATES_OF_WINDOWS),
        refutations: None,
    };
    for sizes in &task.sizes {
        for instance in instances_of(task, sizes).unwrap_or_default() {
            match window_end(&instance, task.subject, &conditions, &limits, overseer) {
                WindowEnd::No => {}
                found => return found,
            }
        }
    }
    WindowEnd::No
}

/// The conditions that choices from windows influence, by their places.
fn conditions(task: &Task, verdict: &Verdict) -> BTreeMap<Span, WindowCondition> {
    let flow = |origin: Origin| {
        let extent = Extent {
            delivery: task.delivery,
            origin,
            ..Extent::default()
        };
        WindowFlow::new(&task.song, &verdict.bound, extent)
    };
    let all = flow(Origin::Anywhere);
    let mut found = BTreeMap::new();
    if all.conditions().is_empty() {
        return found;
    }
    let statements = all.choices().iter().copied().map(Origin::Statement);
    for origin in statements.chain([Origin::Start]) {
        for one in flow(origin).conditions() {
            let known: &mut WindowCondition = found.entry(one.span).or_default();
            known.include(&one.open, &one.locals);
            match origin {
                Origin::Statement(span) => drop(known.sources.insert(span)),
                Origin::Start | Origin::Anywhere => known.from_start = true,
            }
        }
    }
    found
}
