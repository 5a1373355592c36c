//! The message race check: is every receive *symmetrically* non-deterministic?
//!
//! Statement. For each receive from anyone or from any member of a family, collect the sends of its kinds
//! that may be addressed to it (by the family that the address names, any if it is a variable; not those
//! of the receiving process itself). Fine is: all in one single process (the receive is then from that
//! process), or all in one other family (the receive is then from any of its members), or, for a daemon, all
//! in processes that are no daemons (the receive then begins or goes on with a round of one of them, see
//! `rules/receive.rs`). Everything else is an asymmetric race, or a receive that nothing serves. Of several kinds, each that
//! names a family must be sent by it (traps `h3`, `h4`).
//!
//! Why sound. Sends of one process are ordered, so only the choice between *processes* is free. If all
//! candidates are members of one family, the outcomes are permutations of each other, which a program that
//! only compares identities cannot tell apart (condition S1; traps `plain race`, `h2`, `logger`), provided that
//! each member is taken once. That is what the loop rules check of every member's code, whichever of its
//! statements send (S7): they cannot rely on there being one, because a loop hides as many sends as one likes
//! behind one statement. A daemon's rounds are closed conversations from any state, so whose comes first does
//! not matter. A receive from one named process needs no check: its queue is the only one.
//!
//! Source. [Brisk17] section 4. DIFFERS. A receive that names a family is checked like any other; several
//! statements of one family may send; daemons may serve several families.
//! NOT COVERED. Flow of addresses through variables.

use crate::process_code::{BlockId, OpKind};
use crate::stuck::{Obstacle, Stuck};
use crate::voices_to_parts::Score;
use plainsong_diagnostics::Span;
use plainsong_ir::{Accept, Expr, ExprKind, FamilyId, MessageId, Source};
use std::collections::{BTreeMap, BTreeSet};

/// From whom open receives take their messages, by the place of the receive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Senders {
    /// One process, or any member of one family.
    pub(crate) of: BTreeMap<Span, FamilyId>,
    /// Any process of these: only daemons.
    pub(crate) clients: BTreeMap<Span, BTreeSet<FamilyId>>,
    /// What to say if confusing messages turns out to be what stands in the way: several statements send what
    /// one receive takes.
    pub(crate) doubt: Option<Stuck>,
}

impl Senders {
    /// The one family, or single process, that an open receive takes its messages from.
    pub(crate) fn get(&self, accept: &Span) -> Option<&FamilyId> {
        self.of.get(accept)
    }
}

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
    let mut senders = Senders::default();
    for part in score.parts.values() {
        for op in part.ops(BlockId::ENTRY) {
            let accepts = op.kind.accepts();
            if !accepts.is_empty() {
                check(score, part.family, &accepts, &tags, &mut senders)?;
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

/// Who may serve a receive of one or several kinds.
fn check(
    score: &Score<'_>,
    receiver: FamilyId,
    accepts: &[&Accept],
    tags: &[Tag],
    senders: &mut Senders,
) -> Result<(), Stuck> {
    let is_named = |accept: &&Accept| matches!(accept.source, Source::Process(_));
    if accepts.iter().all(is_named) {
        return Ok(());
    }
    let first = accepts[0];
    if accepts.iter().any(is_named) {
        let sentence = "some kinds are received from one process and some from anyone";
        return Err(Stuck::new(Obstacle::AsymmetricRace, first.span, sentence)
            .help("receive all kinds from the same processes"));
    }
    let mut candidates: Vec<&Tag> = Vec::new();
    for accept in accepts {
        candidates.extend(served_by(score, receiver, accept, tags));
    }
    let who = score.name(receiver);
    let what = kinds(score, accepts);
    let Some(one) = candidates.first() else {
        let sentence = format!("`{who}` receives {what}, but nothing sends it there");
        return Err(Stuck::new(Obstacle::NoSender, first.span, sentence)
            .help(format!("send {what} to `{who}`, or do not wait for it")));
    };
    if let Some((accept, family)) = deaf(&candidates, accepts) {
        let (what, from) = (kinds(score, &[accept]), score.name(family));
        let sentence = format!("`{who}` receives {what} from `{from}`, which sends none there");
        return Err(Stuck::new(Obstacle::NoSender, accept.span, sentence)
            .help(format!("receive {what} from those who send it")));
    }
    let together = candidates.iter().all(|tag| tag.sender == one.sender);
    if together && score.parts[&one.sender].sort.is_none() {
        record(senders, accepts, one.sender);
        return Ok(());
    }
    if together && one.sender == receiver {
        let sentence = format!("members of `{who}` receive {what} from each other");
        return Err(Stuck::new(Obstacle::NotCovered, first.span, sentence));
    }
    if candidates.len() > 1 {
        let race = race(score, &what, who, first, &candidates);
        if !together && !serves_clients(score, receiver, &candidates) {
            return Err(race);
        }
        if accepts.len() == 1 {
            senders.doubt.get_or_insert(race);
        }
    }
    if together {
        record(senders, accepts, one.sender);
    } else {
        let clients: BTreeSet<FamilyId> = candidates.iter().map(|tag| tag.sender).collect();
        for accept in accepts {
            let clients = match named(accept) {
                Some(family) => BTreeSet::from([family]),
                None => clients.clone(),
            };
            senders.clients.insert(accept.span, clients);
        }
    }
    Ok(())
}

/// A kind that is wanted from a family that does not send it, beside others that come.
fn deaf<'a>(candidates: &[&Tag], accepts: &[&'a Accept]) -> Option<(&'a Accept, FamilyId)> {
    let mut named = accepts
        .iter()
        .filter_map(|accept| Some((*accept, named(accept)?)));
    named.find(|(accept, family)| {
        let mut sent = candidates.iter();
        !sent.any(|tag| tag.message == accept.message && tag.sender == *family)
    })
}

/// The family that a receive names.
fn named(accept: &Accept) -> Option<FamilyId> {
    match &accept.source {
        Source::Family(family, ..) => Some(*family),
        Source::Process(_) | Source::Anyone(_) => None,
    }
}

/// Is it a daemon that serves processes that are none?
fn serves_clients(score: &Score<'_>, receiver: FamilyId, candidates: &[&Tag]) -> bool {
    let mut clients = candidates.iter().map(|tag| &score.parts[&tag.sender]);
    score.parts[&receiver].daemon && clients.all(|part| !part.daemon)
}

fn record(senders: &mut Senders, accepts: &[&Accept], family: FamilyId) {
    for accept in accepts {
        senders.of.insert(accept.span, family);
    }
}

/// The sends that a receive may take.
fn served_by<'t>(
    score: &Score<'_>,
    receiver: FamilyId,
    accept: &Accept,
    tags: &'t [Tag],
) -> Vec<&'t Tag> {
    let named = named(accept);
    let is_single = score.parts[&receiver].sort.is_none();
    tags.iter()
        .filter(|tag| tag.message == accept.message)
        .filter(|tag| tag.to.is_none_or(|to| to == receiver))
        .filter(|tag| tag.sender != receiver || !is_single)
        .filter(|tag| named.is_none_or(|named| tag.sender == named))
        .collect()
}

/// The kinds of a receive in a sentence.
fn kinds(score: &Score<'_>, accepts: &[&Accept]) -> String {
    let names = accepts.iter().map(|accept| {
        let name = &score.voices.messages[accept.message.index()].name;
        format!("`{name}`")
    });
    names.collect::<Vec<_>>().join(" or ")
}

fn race(score: &Score<'_>, what: &str, who: &str, accept: &Accept, candidates: &[&Tag]) -> Stuck {
    let first = candidates[0];
    let second = candidates
        .iter()
        .find(|tag| tag.sender != first.sender)
        .unwrap_or(&candidates[candidates.len() - 1]);
    let (a, b) = (score.name(first.sender), score.name(second.sender));
    let more = candidates.len().saturating_sub(2);
    let more = match more {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let sentence = format!(
        "`{who}` may receive {what} from {} and from {}{more}, and the outcomes are \
         not permutations of each other",
        Site(a, first.span),
        Site(b, second.span),
    );
    let help = if first.sender == second.sender {
        format!(
            "send {what} from one place in `{a}`: make the choice before and put it into the payload, \
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
        write!(
            f,
            "`{}` ({})",
            self.0,
            plainsong_diagnostics::place_marker(self.1)
        )
    }
}
