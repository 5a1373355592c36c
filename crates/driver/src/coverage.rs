//! Coverage in the numbers people read.

use crate::Source;
use plainsong_ir::Song;
use plainsong_report as report;
use plainsong_semantics::search::Coverage;

/// In numbers and places.
pub(crate) fn counted(found: &Coverage, source: &Source, song: &Song) -> report::Coverage {
    let text = source.text();
    let mut never: Vec<String> = found
        .missed
        .iter()
        .map(|span| text.file_and_line(*span))
        .collect();
    never.dedup();
    report::Coverage {
        statements: found.executed.len() as u64,
        all_statements: (found.executed.len() + found.missed.len()) as u64,
        kinds: found.received.len() as u64,
        all_kinds: (found.received.len() + found.never_received.len()) as u64,
        kind_noun: if song.actions().is_some() {
            "action"
        } else {
            "message kind"
        },
        never,
    }
}
