//! Coverage over several searches, and in the numbers people read.

use crate::Source;
use plainsong_ir::Song;
use plainsong_report as report;
use plainsong_semantics::search::Coverage;

/// What has run in one search has run.
pub(crate) fn include(all: &mut Coverage, one: &Coverage) {
    unite(
        &mut all.executed,
        &mut all.missed,
        &one.executed,
        &one.missed,
    );
    unite(
        &mut all.received,
        &mut all.never_received,
        &one.received,
        &one.never_received,
    );
}

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

fn unite<T: Clone + Ord>(
    reached: &mut Vec<T>,
    missed: &mut Vec<T>,
    also_reached: &[T],
    also_missed: &[T],
) {
    reached.extend_from_slice(also_reached);
    reached.sort();
    reached.dedup();
    missed.extend_from_slice(also_missed);
    missed.sort();
    missed.dedup();
    missed.retain(|item| reached.binary_search(item).is_err());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_search_reaches_is_not_missed_by_all() {
        let (mut reached, mut missed) = (vec![1, 3], vec![2, 4]);
        unite(&mut reached, &mut missed, &[2], &[1, 4]);
        assert_eq!((reached, missed), (vec![1, 2, 3], vec![4]));
    }
}
