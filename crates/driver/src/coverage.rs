//! Coverage in the numbers people read.

use crate::Source;
use plainsong_diagnostics::Span;
use plainsong_ir::{Claim, Property, Song};
use plainsong_report as report;
use plainsong_semantics::search::{Check, Coverage};

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
        never_taken: found
            .never_received
            .iter()
            .filter(|kind| found.sent.contains(kind))
            .cloned()
            .collect(),
        never_sent: found.never_sent.clone(),
        never_true: found
            .never_met
            .iter()
            .map(|span| format!("{} ({})", quoted(source, *span), text.file_and_line(*span)))
            .collect(),
    }
}

/// What a reader of `holds` should know: which premises of a property, or of assertions, were never
/// true. `Check::Assertions` has those that stand in no property.
pub(crate) fn notes(found: &Coverage, check: Check, source: &Source, song: &Song) -> Vec<String> {
    let claim = |property: &Property| match &property.claim {
        Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim) => Some(claim.span),
        Claim::Quiescent { .. } => None,
        Claim::Temporal(temporal) => temporal.conditions().map(|one| one.span).next(),
    };
    let within = |inner: &Span, outer: Span| outer.start <= inner.start && inner.end <= outer.end;
    let is_meant = |span: &&Span| match check {
        Check::Property(at) => claim(&song.properties[at]).is_some_and(|all| within(span, all)),
        Check::Assertions => {
            let claims = song.properties.iter().filter_map(claim);
            claims.into_iter().all(|all| !within(span, all))
        }
        Check::NoDeadlock
        | Check::Contract
        | Check::Mover(_)
        | Check::Refines(_)
        | Check::Sequence(_) => false,
    };
    let meant = found.never_met.iter().filter(is_meant);
    meant
        .map(|span| format!("the premise {} was never true", quoted(source, *span)))
        .collect()
}

/// A piece of the text in one line.
fn quoted(source: &Source, span: Span) -> String {
    let text = source
        .text
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("`{}`", words.join(" "))
}
