//! Causes: what a process knows to have happened when it acts.
//!
//! In the canonical schedule one round follows the other; in an execution they overlap, and a daemon may be behind or
//! ahead. Where a rule says that a message can only be about one member, or belongs to one conversation, the reason
//! must hold in every execution, so it has to be a chain of messages. Beginnings of a daemon's rounds and receives
//! that are pinned to a member get numbers; messages carry the numbers that their sender knows.
//!
//! Statement.
//! - PINNED receives (`receive.rs`) hold because other members have to hear from those committed to the member. So
//!   none of these tells another member anything, nor ends its round, before it knows that the receive is done
//!   (traps `p1`, `p2`). Where a client receives what was sent in its own conversation with daemons, these may tell
//!   others what other clients want: that leads to no message for this one.
//! - What a daemon takes in the middle of a round from *any* member was sent by one who had heard of that very round,
//!   and wherever else the daemon takes that kind, too. Then such a message is in flight only while the daemon is
//!   with its sender (traps `k2`, `k3`).
//! - What a daemon takes from another in the middle of a round was sent on behalf of the same client: otherwise the
//!   other may be with another client (traps `k4`, `k6`, `k8`, `z11`). A daemon that has heard another in its round does not pick
//!   a client any more (trap `k5`).
//! - A single process that receives a kind from anyone does not send it to itself (trap `r2`).
//!
//! Why sound. Each is the premise that the argument of `receive.rs` needs, stated of all executions: a chain of
//! messages orders events in each of them.

use super::Engine;
use crate::process_code::BlockId;
use crate::state::{Pinned, QueuedMessage, Round, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp};
use plainsong_diagnostics::Span;
use plainsong_ir::{Accept, MessageId, Source};
use std::collections::BTreeSet;

impl Engine<'_> {
    /// The receiver knows what the sender knew. A daemon that begins a round with a message of another daemon is with
    /// the client of that one.
    pub(super) fn learn(&mut self, state: &mut SymbolicState, comp: Comp, waiting: &QueuedMessage) {
        let knows = state.knows.entry(comp).or_default();
        knows.extend(&waiting.knows);
        if self.is_daemon(state, comp) && !state.rounds.contains_key(&comp) {
            if let Some(client) = waiting.cause.and_then(|cause| state.clients.get(&cause)) {
                state.serving.insert(comp, *client);
            }
            self.begin_round(state, comp, waiting.cause);
        }
    }

    /// A daemon begins a round with a client.
    pub(super) fn begin_with(
        &mut self,
        state: &mut SymbolicState,
        comp: Comp,
        client: Comp,
        stamp: usize,
    ) {
        state.serving.insert(comp, (client, stamp));
        let number = self.begin_round(state, comp, None);
        let cause = Some(number);
        state.rounds.insert(comp, Round { number, cause });
        state.clients.insert(number, (client, stamp));
    }

    fn begin_round(&mut self, state: &mut SymbolicState, comp: Comp, cause: Option<u32>) -> u32 {
        let number = self.number();
        state.knows.entry(comp).or_default().insert(number);
        state.rounds.insert(comp, Round { number, cause });
        number
    }

    /// A receive that other members cannot serve as long as they do not hear from those committed to this one.
    pub(super) fn pin(&mut self, state: &mut SymbolicState, chan: Chan, engaged: BTreeSet<Comp>) {
        let number = self.number();
        let cause = state.queues[&chan][0].cause;
        let client = cause.and_then(|cause| state.clients.get(&cause));
        state.pinned.push(Pinned {
            number,
            member: chan.from,
            by: chan.to,
            engaged,
            own: client.is_some_and(|(client, _)| *client == chan.to),
        });
        state.knows.entry(chan.to).or_default().insert(number);
    }

    /// Whoever is committed to a member tells no other anything before it knows of what was received meanwhile.
    pub(super) fn nobody_else_is_told(
        &self,
        state: &SymbolicState,
        comp: Comp,
        to: Comp,
        span: Span,
    ) -> Result<(), Stuck> {
        let served = state.serving.get(&comp).map(|(client, _)| *client);
        let is_other = |pinned: &Pinned| served.is_some_and(|client| client != pinned.by);
        let mut pinned = state.pinned.iter();
        let early = pinned.find(|pinned| {
            !(pinned.own && is_other(pinned))
                && pinned.engaged.contains(&comp)
                && pinned.member.family == to.family
                && pinned.member != to
                && !knows(state, comp, pinned.number)
        });
        match early {
            None => Ok(()),
            Some(pinned) => Err(self.may_be_overtaken(pinned, comp, span)),
        }
    }

    /// At the end of a round those committed to its member know what others have received from it.
    pub(super) fn pins_are_known(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        span: Span,
    ) -> Result<(), Stuck> {
        let new = &leaf.pinned[before.pinned.len()..];
        for pinned in new.iter().filter(|pinned| !pinned.own) {
            let mut engaged = pinned.engaged.iter();
            let unaware = engaged.find(|comp| {
                **comp != pinned.member
                    && **comp != pinned.by
                    && !knows(leaf, **comp, pinned.number)
            });
            if let Some(comp) = unaware {
                return Err(self.may_be_overtaken(pinned, *comp, span));
            }
        }
        Ok(())
    }

    fn may_be_overtaken(&self, pinned: &Pinned, comp: Comp, span: Span) -> Stuck {
        let sentence = format!(
            "{} goes on to others before it knows that {} has received from {}: which comes first is not known",
            self.call(comp),
            self.call(pinned.by),
            self.call(pinned.member)
        );
        Stuck::new(Obstacle::IndependentChoices, span, sentence)
    }

    /// What a daemon takes from any member in the middle of a round was sent in that round.
    pub(super) fn is_confined(
        &mut self,
        state: &SymbolicState,
        chan: Chan,
        accept: &Accept,
    ) -> Result<(), Stuck> {
        if !self.is_of_this_round(state, chan) {
            let sentence = format!(
                "{} receives `{}` from any member in the middle of a round, and it may have been sent before the round",
                self.call(chan.to),
                self.message(chan.message)
            );
            return Err(Stuck::new(Obstacle::Indiscriminate, accept.span, sentence));
        }
        self.confined
            .insert((chan.to.family, chan.message), accept.span);
        Ok(())
    }

    /// A daemon takes a kind in some other way.
    pub(super) fn roams(&mut self, comp: Comp, message: MessageId) {
        self.roaming.insert((comp.family, message));
    }

    /// What a daemon takes from another belongs to the same client; what it takes by name may be in flight at other
    /// times.
    pub(super) fn same_cause(
        &mut self,
        state: &SymbolicState,
        chan: Chan,
        accept: &Accept,
    ) -> Result<(), Stuck> {
        let comp = chan.to;
        if !self.is_of_this_round(state, chan) {
            self.roams(comp, chan.message);
        }
        let Some(round) = state.rounds.get(&comp) else {
            return Ok(());
        };
        let first = &state.queues[&chan][0];
        if !self.is_daemon(state, chan.from) || first.cause == round.cause {
            return Ok(());
        }
        let sentence = format!(
            "{} waits for {} in a round, and that may be with another client",
            self.call(comp),
            self.call(chan.from)
        );
        Err(Stuck::new(
            Obstacle::IndependentChoices,
            accept.span,
            sentence,
        ))
    }

    fn is_of_this_round(&self, state: &SymbolicState, chan: Chan) -> bool {
        let first = &state.queues[&chan][0];
        let round = state.rounds.get(&chan.to);
        round.is_some_and(|round| first.knows.contains(&round.number))
    }

    /// No kind is taken both from any member in the middle of a round and otherwise.
    pub(crate) fn kinds_are_confined(&self) -> Result<(), Stuck> {
        let mut confined = self.confined.iter();
        let both = confined.find(|(kind, _)| self.roaming.contains(kind));
        let Some(((family, message), span)) = both else {
            return Ok(());
        };
        let sentence = format!(
            "`{}` receives `{}` from any member in the middle of a round and elsewhere, so it may come from another",
            self.score.name(*family),
            self.message(*message)
        );
        Err(Stuck::new(Obstacle::Indiscriminate, *span, sentence))
    }

    /// A process does not send itself what it receives from anyone.
    pub(super) fn not_to_itself(
        &self,
        comp: Comp,
        to: Comp,
        message: MessageId,
        span: Span,
    ) -> Result<(), Stuck> {
        let is_open = |accept: &&Accept| {
            accept.message == message && matches!(accept.source, Source::Anyone(_))
        };
        let ops = || self.part(comp).ops(BlockId::ENTRY).into_iter();
        if comp != to
            || !ops()
                .flat_map(|op| op.kind.accepts())
                .any(|accept| is_open(&accept))
        {
            return Ok(());
        }
        let sentence = format!(
            "{} sends `{}` to itself, and receives it from anyone",
            self.call(comp),
            self.message(message)
        );
        Err(Stuck::new(Obstacle::AsymmetricRace, span, sentence)
            .help("receive it from the processes that are meant"))
    }
}

fn knows(state: &SymbolicState, comp: Comp, number: u32) -> bool {
    let known = state.knows.get(&comp);
    known.is_some_and(|known| known.contains(&number))
}
