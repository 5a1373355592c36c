//! Fields of a line: escaping, and the words for kinds.

use plainsong_semantics::trace::{Ending, EventKind, FailureKind};

/// The word for a missing party: `init` or nobody.
pub(super) const NOBODY: &str = "-";

/// Words for kinds of events.
pub(super) const KINDS: [(EventKind, &str); 13] = [
    (EventKind::Init, "init"),
    (EventKind::Start, "start"),
    (EventKind::Send, "send"),
    (EventKind::Receive, "receive"),
    (EventKind::Timeout, "timeout"),
    (EventKind::Handle, "handle"),
    (EventKind::Act, "act"),
    (EventKind::Local, "local"),
    (EventKind::Transfer, "transfer"),
    (EventKind::Crash, "crash"),
    (EventKind::Restart, "restart"),
    (EventKind::Lose, "lose"),
    (EventKind::Duplicate, "duplicate"),
];

/// Words for kinds of failures.
pub(super) const FAILURES: [(FailureKind, &str); 4] = [
    (FailureKind::Assertion, "assertion"),
    (FailureKind::Undefined, "undefined"),
    (FailureKind::Resource, "resource"),
    (FailureKind::Contract, "contract"),
];

pub(super) fn word<K: PartialEq>(table: &[(K, &'static str)], kind: K) -> &'static str {
    table
        .iter()
        .find(|(other, _)| *other == kind)
        .map_or(NOBODY, |(_, word)| word)
}

/// The kind a word stands for.
pub(super) fn kind<K: Copy>(table: &[(K, &'static str)], word: &str) -> Option<K> {
    table
        .iter()
        .find(|(_, other)| *other == word)
        .map(|(kind, _)| *kind)
}

/// A field without tabs and line breaks.
pub(super) fn escape(field: &str) -> String {
    field
        .replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// What [`escape`] was given.
pub(super) fn unescape(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => text.push('\t'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text
}

/// The word for a kind of event.
pub(crate) fn kind_word(kind: EventKind) -> &'static str {
    word(&KINDS, kind)
}

/// The word for an ending.
pub(crate) fn ending_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Final => "final",
        Ending::Deadlock(_) => "deadlock",
        Ending::Failed(_) => "failed",
        Ending::Violated { .. } => "violated",
        Ending::Cut => "cut",
        Ending::Discarded => "discarded",
    }
}
