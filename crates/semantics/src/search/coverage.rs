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
