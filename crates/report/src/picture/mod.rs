//! The message picture: one execution as lanes and arrows in plain text.
//!
//! The path: [`rows`] decides what is worth a line and joins each send with its receive where that
//! tells no lie about order, [`order`] puts the lines in an order that follows causes, [`columns`]
//! finds room for the lanes, [`lanes`] draws, [`margin`] marks what repeats for ever and what is independent of the line above; [`mod@svg`] draws the same rows for browsers. What does not fit into a hundred columns, and forms
//! without messages, become a numbered [`list`] instead.

mod columns;
mod lanes;
mod list;
mod margin;
mod order;
mod rows;
mod svg;

pub(crate) use rows::{Party, Row, RowKind};
pub use svg::svg;

use crate::lasso::lasso;
use plainsong_semantics::trace::{Ending, EventKind, FailureKind, Trace};

/// Every line starts with this much room.
const INDENT: usize = 4;
/// Lanes and arrows stay within this many columns.
const WIDTH: usize = 100;
/// More lanes than this are not readable side by side.
const MOST_LANES: usize = 8;

/// The picture of a trace, every line ended; empty when nothing happened.
pub fn picture(trace: &Trace) -> String {
    let messages = has_messages(trace);
    let rows = order::in_order(trace, here(trace).as_deref(), messages);
    let drawn = match columns::fit(trace, &rows).filter(|_| messages) {
        Some(columns) => lanes::draw(&columns, &rows),
        None => list::draw(trace, &rows),
    };
    drawn + &margin::legend(&rows)
}

/// What is worth a line, in an order that follows causes: what every kind of picture draws.
pub(crate) fn rows(trace: &Trace) -> Vec<Row> {
    order::in_order(trace, here(trace).as_deref(), has_messages(trace))
}

fn has_messages(trace: &Trace) -> bool {
    trace.events.iter().all(|event| {
        !matches!(
            event.kind,
            EventKind::Act | EventKind::Local | EventKind::Transfer
        )
    })
}

/// What to say at the last event, if that is where it goes wrong.
pub(crate) fn here(trace: &Trace) -> Option<String> {
    match &trace.ending {
        Ending::Failed(failure) => Some(match failure.kind {
            FailureKind::Assertion => "the assertion fails".to_owned(),
            FailureKind::Undefined => "undefined".to_owned(),
            FailureKind::Resource => "out of reach".to_owned(),
            FailureKind::Contract => "the contract fails".to_owned(),
        }),
        Ending::Violated { .. } if lasso(trace).is_some() => None,
        Ending::Violated { property, .. } => Some(format!("{property} is false")),
        Ending::Deadlock(_) | Ending::Final | Ending::Cut | Ending::Discarded => None,
    }
}
