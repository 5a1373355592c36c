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
    /// Kinds of messages sent, or asyncs left pending, at least once.
    pub sent: Vec<String>,
    /// Kinds of messages or asyncs that never were.
    pub never_sent: Vec<String>,
    /// Premises of assertions and properties that were true at least once.
    pub met: Vec<Span>,
    /// Premises that never were, of those that were looked at.
    pub never_met: Vec<Span>,
    /// Conditions of `assume` and of receives that were true at least once.
    pub passed: Vec<Span>,
}

impl Coverage {
    pub(crate) fn new(machine: &Machine, covered: &Covered) -> Coverage {
        let spans = &machine.statements.spans;
        let ran = (0..spans.len()).filter(|at| covered.has_run(*at));
        let executed: BTreeSet<Span> = ran.map(|at| spans[at]).collect();
        let all: BTreeSet<Span> = spans.iter().copied().collect();
        let kinds = kinds(machine);
        let names = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
            let wanted = kinds.iter().enumerate().filter(|(at, _)| is_wanted(*at));
            wanted.map(|(_, name)| name.clone()).collect()
        };
        let is_sent = |at: usize| covered.has_sent(at) || is_repeated(machine, at);
        let premises = &machine.statements.premises;
        let spans_of = |is_met: bool| -> Vec<Span> {
            let numbers = (0..premises.len()).filter(|at| covered.has_met(*at) == is_met);
            let spans: BTreeSet<Span> = numbers.map(|at| premises[at]).collect();
            spans.into_iter().collect()
        };
        let met = spans_of(true);
        let mut never_met = spans_of(false);
        never_met.retain(|span| met.binary_search(span).is_err());
        Coverage {
            missed: all.difference(&executed).copied().collect(),
            executed: executed.into_iter().collect(),
            received: names(&|at| covered.has_received(at)),
            never_received: names(&|at| !covered.has_received(at)),
            sent: names(&|at| is_sent(at)),
            never_sent: names(&|at| !is_sent(at)),
            met,
            never_met,
            passed: covered.all_passed(),
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
        unite(
            &mut self.sent,
            &mut self.never_sent,
            &other.sent,
            &other.never_sent,
        );
        self.include_premises(&other.met, &other.never_met);
        self.passed.extend_from_slice(&other.passed);
        self.passed.sort_unstable();
        self.passed.dedup();
    }
}

impl Coverage {
    /// These premises were true, or never.
    pub fn include_premises(&mut self, met: &[Span], never_met: &[Span]) {
        unite(&mut self.met, &mut self.never_met, met, never_met);
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

/// Is this an action that is always on offer? Nobody has to leave it behind.
fn is_repeated(machine: &Machine, kind: usize) -> bool {
    let actions = machine.instance().song().actions();
    actions.is_some_and(|all| all.actions.get(kind).is_some_and(|one| one.role.repeat))
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
