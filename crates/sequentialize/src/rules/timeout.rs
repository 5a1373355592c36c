//! Timeout: a message that is late, or lost, is not waited for.
//!
//! Statement. LATE: where a message would be taken, the receiver may also go on without it. The message is then
//! *stale*: on a queue with a stale message nothing is received any more. A whole family does not choose, because
//! its members may differ. IDLE: where nobody else can go on and no message can come any more, the receiver goes
//! on without one. None can come
//! - from a process that has no send of the kind left;
//! - from the owner of the loop whose round is over, if it sends none after the loop either, and the loop is in
//!   no other: its other rounds are about other members;
//! - from daemons, when a member is looked at from start to end, all of them are at their heads, and none of the
//!   member's messages waits: their rounds are about whoever asked.
//!
//! Why sound. A timeout may be taken at any time, so both continuations are possible; whether it is taken before
//! or after the message is sent makes no difference to anybody else, because the message stays where it is.
//! What could make a difference is a later receive that takes it for another one; that is why nothing is
//! received from that queue again. In a loop that takes a message from any member or times out, the members whose
//! message was not taken are exactly those that the rounds with a timeout can be attributed to, in any order:
//! none of them is taken in another round, because each member sends one (S7). That needs the round to be about nobody
//! in particular before (trap `t1`), and no other receive of the loop to take such a message (trap `t2`).
//!
//! Source. `docs/CONDITIONS.md`, extensions. NOT COVERED. Sending again after a timeout on the same queue: the
//! receiver could not tell the answers apart.

use super::late::RelevantReceives;
use super::receive::{Arm, From};
use super::{Engine, Scene, Step};
use crate::derivation_log::{At, Event};
use crate::process_code::{BlockId, OpKind, Place};
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp};
use plainsong_diagnostics::Span;
use plainsong_ir::MessageId;
use std::collections::BTreeSet;

impl<'a> Engine<'a> {
    /// Takes a message, or goes on without it.
    pub(super) fn receive_or_time_out(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        timeout: BlockId,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let mut taken = state.clone();
        match self.receive(&mut taken, at, arms, scene)? {
            Step::Waits => Ok(Step::Waits),
            Step::Split(states) => Ok(Step::Split(states)),
            // A member was unfolded.
            Step::Taken if taken.places.get(&at.comp) == state.places.get(&at.comp) => {
                *state = taken;
                Ok(Step::Taken)
            }
            Step::Taken if at.comp.is_rest() => Ok(Step::Waits),
            Step::Taken => {
                let mut late = state.clone();
                let chans: Vec<Chan> = state.queues.keys().copied().collect();
                let len =
                    |state: &SymbolicState, chan: Chan| state.queues.get(&chan).map_or(0, Vec::len);
                for chan in chans {
                    if len(&taken, chan) < len(state, chan) {
                        self.anybody_is_free(state, chan, arms)?;
                        late.pop(chan);
                        late.stale.insert(chan);
                    }
                }
                late.engaged.clone_from(&taken.engaged);
                late.taken.clone_from(&taken.taken);
                late.consumed.clone_from(&taken.consumed);
                self.time_out(&mut late, at, arms.len(), timeout);
                Ok(Step::Split(vec![taken, late]))
            }
        }
    }

    /// From anyone with a timeout: the round is not about the member that sends.
    fn anybody_is_free(
        &self,
        state: &SymbolicState,
        chan: Chan,
        arms: &[Arm<'a>],
    ) -> Result<(), Stuck> {
        let accept = arms[0].0;
        let is_open = self.senders.get(&accept.span).is_some() && chan.from.is_member();
        match is_open
            && state
                .engaged
                .get(&chan.from)
                .is_some_and(|who| !who.is_empty())
        {
            true => Err(self.late(chan.message, accept.span)),
            false => Ok(()),
        }
    }

    /// What rounds of a loop over members leave stale is received nowhere else in the loop from anyone.
    pub(super) fn stale_is_left_alone(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        this: super::set_loop::Loop,
    ) -> Result<(), Stuck> {
        let owner = this.at.comp;
        let new = leaf.stale.iter().filter(|chan| {
            chan.to == owner && chan.from.is_member() && !before.stale.contains(&chan.general())
        });
        for chan in new {
            let mut times_out = 0;
            let mut waits = 0;
            for op in self.part(owner).ops(this.body) {
                let mut open = op.kind.accepts().into_iter().filter(|accept| {
                    accept.message == chan.message
                        && self.senders.get(&accept.span) == Some(&chan.from.family)
                });
                match (open.next(), &op.kind) {
                    (None, _) => {}
                    (
                        _,
                        OpKind::Select {
                            timeout: Some(_), ..
                        },
                    ) => times_out += 1,
                    _ => waits += 1,
                }
            }
            if waits > 0 || times_out > 1 {
                return Err(self.late(chan.message, this.span));
            }
        }
        Ok(())
    }

    /// Somebody who waits in vain goes on.
    pub(super) fn idle(&mut self, state: &mut SymbolicState, scene: &Scene) -> Result<bool, Stuck> {
        let comps: Vec<Comp> = state.places.keys().copied().collect();
        for comp in comps {
            if scene.frozen.contains(&comp) || comp.is_rest() {
                continue;
            }
            let Some((at, OpKind::Select { arms, timeout }, _)) = self.op(state, comp) else {
                continue;
            };
            let Some(timeout) = timeout else { continue };
            let in_vain = arms
                .iter()
                .all(|(accept, _)| match self.source(state, comp, accept) {
                    Ok(From::One(from)) => {
                        self.sends_no_more(state, comp, from, accept.message, scene)
                    }
                    _ => false,
                });
            if in_vain {
                self.time_out(state, at, arms.len(), timeout);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is something stale where a receive could take it?
    pub(super) fn nothing_stale(
        &self,
        state: &SymbolicState,
        comp: Comp,
        arms: &[Arm<'a>],
        source: &From,
    ) -> Result<(), Stuck> {
        for (accept, _) in arms {
            let mut stale = state
                .stale
                .iter()
                .filter(|chan| chan.message == accept.message && chan.to.family == comp.family);
            let is_here = stale.any(|chan| match source {
                From::One(from) => chan.from.general() == from.general(),
                From::Any(family) => chan.from.family == *family,
                From::Clients(clients) => clients.contains(&chan.from.family),
                From::Unknown => true,
            });
            if is_here {
                return Err(self.late(accept.message, accept.span));
            }
        }
        Ok(())
    }

    /// Rounds that are repeated leave nothing stale, and others only on queues of their member.
    pub(super) fn stale_is_about(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        member: Option<Comp>,
        span: Span,
    ) -> Result<(), Stuck> {
        let old =
            |chan: &Chan| before.stale.contains(chan) || before.stale.contains(&chan.general());
        let mut new = leaf.stale.iter().filter(|chan| !old(chan));
        match new.find(|chan| member.is_none_or(|member| !chan.touches(member))) {
            None => Ok(()),
            Some(chan) => Err(self.late(chan.message, span)),
        }
    }

    fn late(&self, message: MessageId, span: Span) -> Stuck {
        let sentence = format!(
            "a `{}` that was not waited for may still come, and be taken for another one",
            self.message(message)
        );
        Stuck::new(Obstacle::LateMessage, span, sentence)
            .help("use another kind of message for what comes after a timeout")
    }

    fn time_out(&mut self, state: &mut SymbolicState, at: At, arm: usize, block: BlockId) {
        state.story.push(Event::Took(at, arm));
        self.enter(state, at.comp, block);
    }

    /// Can no message of a kind come from a process any more?
    fn sends_no_more(
        &self,
        state: &SymbolicState,
        to: Comp,
        from: Comp,
        message: MessageId,
        scene: &Scene,
    ) -> bool {
        let waits = |chan: &Chan| chan.from == from && chan.to == to && chan.message == message;
        if state.queues.keys().chain(state.bags.keys()).any(waits) {
            return false;
        }
        if self.part(from).daemon {
            return scene.focus == Some(to) && self.all_rest(state, to);
        }
        if from.is_member() || from.is_rest() {
            return false;
        }
        let nobody = BTreeSet::new();
        let hearing = RelevantReceives::nobody(from.family, &nobody);
        let none = |place: &Place| self.is_late_free(&hearing, place, message);
        match &scene.beyond {
            Some((owner, beyond)) if *owner == from => state.places[&from].is_end() && none(beyond),
            _ if scene.owner == Some(from) => false,
            _ => scene.depth <= 1 && none(&state.places[&from]),
        }
    }

    /// Are all daemons at their heads, with nothing from this member in flight?
    pub(super) fn all_rest(&self, state: &SymbolicState, member: Comp) -> bool {
        let mut daemons = state
            .places
            .iter()
            .filter(|(comp, _)| self.part(**comp).daemon);
        daemons.all(|(comp, place)| place.is_at_last_loop(self.part(*comp)))
            && !state.queues.keys().any(|chan| chan.from == member)
    }
}
