//! What a process knows to have happened.
//!
//! The schedule of a certificate does one round after the other; in an execution rounds overlap. Where a message can only
//! be about one member, or belongs to one conversation, a chain of messages has to say so. Beginnings of rounds of
//! daemons and receives that hold because others do not hear of something (*pinned*) are numbered, and messages carry
//! the numbers that their sender knows.
//!
//! - Who is committed to the member of a pinned receive neither tells another member anything nor ends its round
//!   before it knows of the receive. Where a client takes what daemons sent in its own conversation, they may tell others
//!   what other clients want.
//! - What a daemon takes from *any* member in the middle of a round was sent by one that knew of the round, wherever
//!   the daemon takes that kind.
//! - What a daemon takes from another in the middle of a round was sent for the same client, and a daemon that begins
//!   with a message for a client is with that client.
//! - A process that receives a kind from anyone does not send it to itself.

use crate::actor::Actor;
use crate::derivation::Checker;
use crate::position::every;
use crate::race::waits;
use crate::state::{Channel, Message, SymbolicState};
use crate::{Refused, not_covered, refuse};
use plainsong_ir::{Body, FamilyId, MessageId, Source};
use std::collections::BTreeSet;

/// The round that a daemon is in, and the conversation with a client that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    number: u32,
    pub(crate) purpose: Option<u32>,
}

/// A pinned receive.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    number: u32,
    member: Actor,
    receiver: Actor,
    committed: BTreeSet<Actor>,
    /// Is the receiver the client of that conversation?
    own: bool,
}

/// How daemons take kinds from members: in the middle of rounds that the sender knew of, and otherwise.
#[derive(Default)]
pub(crate) struct Kinds {
    of_rounds: BTreeSet<(FamilyId, MessageId)>,
    others: BTreeSet<(FamilyId, MessageId)>,
}

impl Kinds {
    /// No kind is taken in both ways.
    pub(crate) fn are_apart(&self) -> Result<(), Refused> {
        match self.of_rounds.is_disjoint(&self.others) {
            true => Ok(()),
            false => refuse("a daemon takes a kind from any member in a round and elsewhere"),
        }
    }
}

impl<'a> Checker<'a> {
    /// The receiver of a message knows what its sender knew; a daemon may begin a round with it.
    pub(crate) fn learns(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        message: &Message,
    ) {
        state.knows.entry(actor).or_default().extend(&message.knows);
        if self.is_daemon(state, actor) && !state.rounds.contains_key(&actor) {
            let client = message.purpose.and_then(|one| state.clients.get(&one));
            if let Some(client) = client.copied() {
                state.serving.insert(actor, client);
            }
            self.begins(state, actor, message.purpose);
        }
    }

    /// A daemon begins to serve a client that had heard so much.
    pub(crate) fn begins_with(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        client: Actor,
        heard: usize,
    ) {
        let number = self.begins(state, actor, None);
        let purpose = Some(number);
        state.rounds.insert(actor, Round { number, purpose });
        state.clients.insert(number, (client, heard));
        state.serving.insert(actor, (client, heard));
    }

    fn begins(&mut self, state: &mut SymbolicState<'a>, actor: Actor, purpose: Option<u32>) -> u32 {
        let number = self.numbers.next();
        state.knows.entry(actor).or_default().insert(number);
        state.rounds.insert(actor, Round { number, purpose });
        number
    }

    /// A receive that holds as long as those committed to the member tell no other.
    pub(crate) fn pin(
        &mut self,
        state: &mut SymbolicState<'a>,
        channel: &Channel,
        committed: BTreeSet<Actor>,
    ) {
        let number = self.numbers.next();
        let (member, receiver, message) = *channel;
        let purpose = state.waiting(channel).first().and_then(|one| one.purpose);
        let client = purpose.and_then(|one| state.clients.get(&one));
        let own = client.is_some_and(|(client, _)| *client == receiver);
        self.kinds.others.insert((receiver.family, message));
        state.knows.entry(receiver).or_default().insert(number);
        state.pins.push(Pin {
            number,
            member,
            receiver,
            committed,
            own,
        });
    }

    /// Does a process tell a member nothing that would undo a pinned receive?
    pub(crate) fn may_tell(
        &self,
        state: &SymbolicState<'a>,
        actor: Actor,
        to: Actor,
    ) -> Result<(), Refused> {
        let client = state.serving.get(&actor).map(|(client, _)| *client);
        for pin in &state.pins {
            let is_elsewhere = pin.own && client.is_some_and(|client| client != pin.receiver);
            let is_other = pin.member.family == to.family && pin.member != to;
            let unaware = pin.committed.contains(&actor) && !is_known(state, actor, pin);
            if is_other && unaware && !is_elsewhere {
                return refuse("another member may be heard first");
            }
        }
        Ok(())
    }

    /// Do those committed to the member of a round know, in its end, what was received from it?
    pub(crate) fn pins_are_known(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
    ) -> Result<(), Refused> {
        let new = end.pins[before.pins.len()..].iter();
        for pin in new.filter(|pin| !pin.own) {
            let mut others = pin.committed.iter();
            let aware = |actor: &Actor| {
                *actor == pin.member || *actor == pin.receiver || is_known(end, *actor, pin)
            };
            if !others.all(aware) {
                return refuse("another member may be heard before the round is over");
            }
        }
        Ok(())
    }

    /// A daemon takes a message from any member in the middle of a round.
    pub(crate) fn is_of_round(
        &mut self,
        state: &SymbolicState<'a>,
        channel: &Channel,
    ) -> Result<(), Refused> {
        if !knows_round(state, channel) {
            return refuse("a message may have been sent before the round it is taken in");
        }
        let kind = (channel.1.family, channel.2);
        self.kinds.of_rounds.insert(kind);
        Ok(())
    }

    /// A message is taken in some other way.
    pub(crate) fn is_taken(&mut self, actor: Actor, message: MessageId) {
        self.kinds.others.insert((actor.family, message));
    }

    /// A message is taken from a process by name.
    pub(crate) fn is_for_same_client(
        &mut self,
        state: &SymbolicState<'a>,
        channel: &Channel,
    ) -> Result<(), Refused> {
        let (from, actor, message) = *channel;
        if !knows_round(state, channel) {
            self.is_taken(actor, message);
        }
        let Some(round) = state.rounds.get(&actor) else {
            return Ok(());
        };
        let purpose = state.waiting(channel).first().and_then(|one| one.purpose);
        match self.is_daemon(state, from) && purpose != round.purpose {
            true => refuse("a daemon may be with another client"),
            false => Ok(()),
        }
    }

    /// A process does not send itself what it receives from anyone.
    pub(crate) fn not_to_itself(
        &self,
        actor: Actor,
        to: Actor,
        message: MessageId,
    ) -> Result<(), Refused> {
        let Body::Sequential(body) = &self.bodies[&actor.family].body else {
            return not_covered("handlers are not covered");
        };
        let mut all = Vec::new();
        if actor == to {
            every(body, &mut all);
        }
        let accepts = all.into_iter().filter_map(waits);
        let mut accepts = accepts.flat_map(|waits| waits.accepts());
        let is_open = |source: &Source| matches!(source, Source::Anyone(_));
        match accepts.any(|accept| accept.message == message && is_open(&accept.source)) {
            true => refuse("a process may take its own message for another one"),
            false => Ok(()),
        }
    }
}

fn is_known(state: &SymbolicState<'_>, actor: Actor, pin: &Pin) -> bool {
    let known = state.knows.get(&actor);
    known.is_some_and(|known| known.contains(&pin.number))
}

/// Had the sender of the oldest message heard of the round that the receiver is in?
fn knows_round(state: &SymbolicState<'_>, channel: &Channel) -> bool {
    let round = state.rounds.get(&channel.1);
    let first = state.waiting(channel).first();
    round.is_some_and(|round| first.is_some_and(|one| one.knows.contains(&round.number)))
}
