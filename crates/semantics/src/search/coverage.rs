//! Which parts of the text took part in a search.

use crate::code::coverage::Covered;
use crate::machine::Machine;
use plainsong_diagnostics::Span;
use plainsong_ir::System;
use std::collections::BTreeSet;

/// Which parts of the text took part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Statements that ran at least once, in the order of the text.
    pub executed: Vec<Span>,
    /// Statements that never ran.
    pub missed: Vec<Span>,
    /// Kinds of messages received, or actions run, at least once.
    pub received: Vec<String>,
    /// Kinds of messages or actions that never were.
    pub never_received: Vec<String>,
}

impl Coverage {
    pub(crate) fn new(machine: &Machine, covered: &Covered) -> Coverage {
        let spans = &machine.statements.spans;
        let ran = (0..spans.len()).filter(|at| covered.has_run(*at));
        let executed: BTreeSet<Span> = ran.map(|at| spans[at]).collect();
        let all: BTreeSet<Span> = spans.iter().copied().collect();
        let (received, never_received): (Vec<_>, Vec<_>) = kinds(machine)
            .into_iter()
            .enumerate()
            .partition(|(at, _)| covered.has_received(*at));
        let names = |kinds: Vec<(usize, String)>| kinds.into_iter().map(|(_, name)| name).collect();
        Coverage {
            missed: all.difference(&executed).copied().collect(),
            executed: executed.into_iter().collect(),
            received: names(received),
            never_received: names(never_received),
        }
    }

    /// What has run in one search has run.
    pub fn include(&mut self, other: &Coverage) {
        unite(
            &mut self.executed,
            &mut self.missed,
            &other.executed,
            &other.missed,
        );
        unite(
            &mut self.received,
            &mut self.never_received,
            &other.received,
            &other.never_received,
        );
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

/// The kinds of messages or the actions of what is run.
fn kinds(machine: &Machine) -> Vec<String> {
    let song = machine.instance().song();
    match (machine.subject(), &song.system) {
        (crate::machine::Subject::Line(_), _) | (_, System::None) => Vec::new(),
        (_, System::Voices(voices)) => voices
            .messages
            .iter()
            .map(|message| message.name.clone())
            .collect(),
        (_, System::Actions(actions)) => actions
            .actions
            .iter()
            .map(|action| action.name.clone())
            .collect(),
    }
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
