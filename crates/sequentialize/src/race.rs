//! The race check: is every receive *symmetrically* non-deterministic?
//!
//! Statement. For each receive from anyone or from any member of a family, collect the sends of that kind
//! that may be addressed to it (by the family that the address names, any if it is a variable; not those
//! of the receiving process itself). Fine is: all in one single process (the receive is then from that
//! process), or exactly one, in another family (the receive is then from any of its members). Everything
//! else is an asymmetric race, or a receive that nothing serves.
//!
//! Why sound. Sends of one process are ordered, so only the choice between *processes* is free; if all
//! candidates are the same statement of members of one family, the outcomes are permutations of each
//! other, which a program that only compares identities cannot tell apart (condition S1; traps `plain
//! race`, `h2`, `logger`). A receive from one named process needs no check: its queue is the only one.
//!
//! Source. [Brisk17] section 4. DIFFERS. A receive that names a family is checked like any other.
//! NOT COVERED. Flow of addresses through variables; merging of send statements in exclusive branches.

use crate::part::{BlockId, OpKind};
use crate::stuck::{Obstacle, Stuck};
use crate::voices_to_parts::Score;
use plainsong_diagnostics::Span;
use plainsong_ir::{Accept, Expr, ExprKind, FamilyId, MessageId, Source};
use std::collections::BTreeMap;

/// From whom each open receive takes its messages, by the place of the receive.
pub(crate) type Senders = BTreeMap<Span, FamilyId>;

struct Tag {
    sender: FamilyId,
    message: MessageId,
    /// None when the address is not known.
    to: Option<FamilyId>,
    span: Span,
}

/// Checks every receive.
pub(crate) fn senders(score: &Score<'_>) -> Result<Senders, Stuck> {
    let tags = tags(score);
    let mut senders = Senders::new();
    for part in score.parts.values() {
        for op in part.ops(BlockId::ENTRY) {
            if let OpKind::Receive(accept) = &op.kind
                && let Some(sender) = check(score, part.family, accept, &tags)?
            {
                senders.insert(accept.span, sender);
            }
        }
    }
    Ok(senders)
}

fn tags(score: &Score<'_>) -> Vec<Tag> {
    let mut tags = Vec::new();
    for part in score.parts.values() {
        for op in part.ops(BlockId::ENTRY) {
            if let OpKind::Send(message, _, address) = &op.kind {
                tags.push(Tag {
                    sender: part.family,
                    message: *message,
                    to: destination(part.family, address),
                    span: op.span,
                });
            }
        }
    }
    tags
}

fn destination(own: FamilyId, address: &Expr) -> Option<FamilyId> {
    match &address.kind {
        ExprKind::Pid(family, _) => Some(*family),
        ExprKind::SelfPid => Some(own),
        _ => None,
    }
}

fn check(
    score: &Score<'_>,
    receiver: FamilyId,
    accept: &Accept,
    tags: &[Tag],
) -> Result<Option<FamilyId>, Stuck> {
    let named = match &accept.source {
        Source::Process(_) => return Ok(None),
        Source::Anyone(_) => None,
        Source::Family(family, ..) => Some(*family),
    };
    let is_single = |family: FamilyId| score.parts[&family].sort.is_none();
    let candidates: Vec<&Tag> = tags
        .iter()
        .filter(|tag| tag.message == accept.message)
        .filter(|tag| tag.to.is_none_or(|to| to == receiver))
        .filter(|tag| tag.sender != receiver || !is_single(receiver))
        .filter(|tag| named.is_none_or(|named| tag.sender == named))
        .collect();
    let what = &score.voices.messages[accept.message.index()].name;
    let who = score.name(receiver);
    let Some(first) = candidates.first() else {
        let sentence = format!("`{who}` receives `{what}`, but nothing sends it there");
        return Err(Stuck::new(Obstacle::NoSender, accept.span, sentence)
            .help(format!("send `{what}` to `{who}`, or do not wait for it")));
    };
    let one_process = candidates.iter().all(|tag| tag.sender == first.sender);
    if one_process && is_single(first.sender) {
        return Ok(Some(first.sender));
    }
    if one_process && candidates.len() == 1 && first.sender != receiver {
        return Ok(Some(first.sender));
    }
    if one_process && first.sender == receiver {
        let sentence = format!("members of `{who}` receive `{what}` from each other");
        return Err(Stuck::new(Obstacle::NotCovered, accept.span, sentence));
    }
    Err(race(score, what, who, accept, &candidates))
}

fn race(score: &Score<'_>, what: &str, who: &str, accept: &Accept, candidates: &[&Tag]) -> Stuck {
    let first = candidates[0];
    let second = candidates
        .iter()
        .find(|tag| tag.sender != first.sender)
        .unwrap_or(&candidates[1]);
    let (a, b) = (score.name(first.sender), score.name(second.sender));
    let more = candidates.len() - 2;
    let more = match more {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let sentence = format!(
        "`{who}` may receive `{what}` from {} and from {}{more}, and the outcomes are \
         not permutations of each other",
        Site(a, first.span),
        Site(b, second.span),
    );
    let help = if first.sender == second.sender {
        format!(
            "send `{what}` from one place in `{a}`: make the choice before and put it into the payload, \
             or use two kinds of messages"
        )
    } else {
        format!(
            "use a kind of message for each of `{a}` and `{b}`, or receive from one of them by name"
        )
    };
    Stuck::new(Obstacle::AsymmetricRace, accept.span, sentence).help(help)
}

/// A send in a sentence: the driver puts the line in the place of the marker.
struct Site<'a>(&'a str, Span);

impl std::fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` ({})", self.0, crate::place_marker(self.1))
    }
}
