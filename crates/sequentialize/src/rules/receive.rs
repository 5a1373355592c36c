//! Receive: the oldest message of a queue, or one of a bag, or a member's.
//!
//! Statement. Of several kinds, the oldest message that waits (`several_kinds.rs`). From one process: the oldest message of its queue; else one that a loop left per round, if the
//! loop at hand has the same index. From any member of a family: if exactly one member is unfolded and its
//! message waits, take it when
//! - FREE: the receiver owns the round, nobody is committed to the member yet, and it is the first receive
//!   from that family in the round; or
//! - PINNED: somebody is committed to the member, no other member has such a message and none can send one
//!   before hearing from those committed; or
//! - ISOLATED: the receiver is a daemon that begins a round with this member, having heard nobody in it; or goes on
//!   with the same member, when no other can have such a message.
//!
//! What PINNED and ISOLATED need of all executions, not only of the canonical one, is in `causes.rs`.
//!
//! From any of several clients, only ISOLATED: a daemon begins a round with the first whose message waits.
//!
//! Else a message per round, when the index of the loop at hand fits; else, in a loop with rounds, a member
//! is unfolded, once per round. Otherwise the receiver waits; a receive is never postponed (condition S11;
//! trap `r1`).
//!
//! Why sound. In one round every address and every free choice must mean the *same* member, or the
//! canonical schedule would identify two choices that are independent. Either the message can only come
//! from that member (pinned), or the round is a closed conversation that can be moved freely (isolated).
//! A daemon that keeps a member waiting for somebody else can close a cycle (conditions S9, S9b; traps `k1`,
//! `z1` to `z7`).

use super::late::RelevantReceives;
use super::several_kinds::Ready;
use super::{Engine, Scene, Step};
use crate::derivation_log::{At, Event};
use crate::process_code::{BlockId, Var};
use crate::state::{QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Key, Role, Value};
use plainsong_ir::{Accept, FamilyId, Source};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum From {
    One(Comp),
    Any(FamilyId),
    /// Any process of these.
    Clients(BTreeSet<FamilyId>),
    Unknown,
}

/// A kind of message that is waited for, and where it leads.
pub(super) type Arm<'a> = (&'a Accept, Option<BlockId>);

impl<'a> Engine<'a> {
    /// From whom a receive takes its message.
    pub(super) fn source(
        &mut self,
        state: &SymbolicState,
        comp: Comp,
        accept: &Accept,
    ) -> Result<From, crate::eval::Fact> {
        if let Some(clients) = self.senders.clients.get(&accept.span) {
            return Ok(From::Clients(clients.clone()));
        }
        if let Some(&family) = self.senders.get(&accept.span) {
            let single = self.score.parts[&family].sort.is_none();
            return Ok(if single {
                From::One(Comp {
                    family,
                    role: Role::Single,
                })
            } else {
                From::Any(family)
            });
        }
        let Source::Process(process) = &accept.source else {
            return Ok(From::Unknown);
        };
        let value = self.eval(state, comp, |eval| eval.expr(process))?;
        Ok(match value {
            Value::Pid(comp) => From::One(comp),
            _ => From::Unknown,
        })
    }

    pub(super) fn receive(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let Some((first, _)) = arms.first() else {
            return Ok(Step::Waits);
        };
        let source = match self.same_source(state, at.comp, arms)? {
            Ok(source) => source,
            Err(fact) => return Ok(self.ask(state, at.comp, fact)),
        };
        self.nothing_stale(state, at.comp, arms, &source)?;
        match source {
            From::One(from) => self.receive_from(state, at, arms, from, scene),
            From::Any(family) => self.receive_from_any(state, at, arms, family, scene),
            From::Clients(clients) => self.receive_from_clients(state, at, arms, &clients),
            From::Unknown => {
                let what = self.message(first.message);
                let sentence = format!(
                    "it is not known from whom {} receives `{what}`",
                    self.call(at.comp)
                );
                Err(Stuck::new(Obstacle::UnknownAddress, first.span, sentence))
            }
        }
    }

    fn receive_from(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        from: Comp,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let ready = self.ready(state, comp, arms, &[from]);
        if let Some(ready) = self.oldest(state, &ready, arms)? {
            let accept = arms[ready.arm].0;
            let stamp = state.queues[&ready.chan][0].stamp;
            self.keeps_isolation(state, comp, from, stamp, accept)?;
            self.same_cause(state, ready.chan, accept)?;
            let waiting = state.pop(ready.chan).expect("it waits");
            self.heard(state, comp, from, &waiting);
            self.take(state, at, arms, ready.arm, waiting, from, false);
            return Ok(Step::Taken);
        }
        let [(accept, _)] = arms else {
            return Ok(Step::Waits);
        };
        let chan = Chan {
            from,
            to: comp,
            message: accept.message,
        };
        if comp.is_rest() || !self.has_per_round(state, chan, scene) {
            return Ok(Step::Waits);
        }
        self.take_per_round(state, at, arms, chan, from, scene);
        Ok(Step::Taken)
    }

    fn receive_from_any(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        family: FamilyId,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let members = state.members(family);
        let ready = self.ready(state, comp, arms, &members);
        let accept = arms[0].0;
        match ready[..] {
            [] => {}
            [ready] => return self.receive_from_member(state, at, arms, ready, scene),
            _ => {
                let sentence = format!(
                    "{} may come from two members in one round, or in two kinds from one",
                    self.kinds(arms)
                );
                return Err(Stuck::new(Obstacle::Indiscriminate, accept.span, sentence));
            }
        }
        let rest = Comp {
            family,
            role: Role::Rest,
        };
        let chan = Chan {
            from: rest,
            to: comp,
            message: accept.message,
        };
        if arms.len() == 1 && self.has_per_round(state, chan, scene) {
            self.check_bag(state, comp, accept, rest)?;
            state.taken.insert((comp, family));
            self.take_per_round(state, at, arms, chan, rest, scene);
            return Ok(Step::Taken);
        }
        let may_come = state.may_unfold.contains(&(comp, family));
        if may_come && self.are_all_home(state, family) {
            state.may_unfold.remove(&(comp, family));
            state.strangers.insert(family);
            let member = self.unfold(state, family);
            state.active.insert(member);
            state.story.push(Event::Serves(member));
            return Ok(Step::Taken);
        }
        Ok(Step::Waits)
    }

    fn receive_from_clients(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        clients: &BTreeSet<FamilyId>,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let serving = state.serving.get(&comp).map(|(served, _)| *served);
        let everybody = state.places.keys().copied();
        let senders: Vec<Comp> = everybody
            .filter(|one| clients.contains(&one.family) && !one.is_rest())
            .filter(|one| serving.is_none_or(|served| served == *one))
            .collect();
        let ready = self.ready(state, comp, arms, &senders);
        let Some(first) = ready.first() else {
            return Ok(Step::Waits);
        };
        let from = first.chan.from;
        let of_first: Vec<Ready> = ready
            .iter()
            .copied()
            .filter(|one| one.chan.from == from)
            .collect();
        let Some(ready) = self.oldest(state, &of_first, arms)? else {
            return Ok(Step::Waits);
        };
        let stamp = state.queues[&ready.chan][0].stamp;
        self.isolated(state, ready.chan, stamp, arms, clients)?;
        let waiting = state.pop(ready.chan).expect("it waits");
        self.heard(state, comp, from, &waiting);
        self.take(state, at, arms, ready.arm, waiting, from, false);
        Ok(Step::Taken)
    }

    fn receive_from_member(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        ready: Ready,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let chan = ready.chan;
        let member = chan.from;
        let family = member.family;
        let accept = arms[ready.arm].0;
        let stamp = state.queues[&chan][0].stamp;
        let engaged = state.engaged.get(&member).cloned().unwrap_or_default();
        let is_free = scene.owner == Some(comp)
            && engaged.is_empty()
            && !state.taken.contains(&(comp, family));
        let only = BTreeSet::from([family]);
        let is_pinned = || {
            !state.serving.contains_key(&comp)
                && !engaged.is_empty()
                && self.only_from(state, chan, arms, &only, &engaged)
        };
        if is_free {
            state.engaged.entry(member).or_default().insert(comp);
        } else if is_pinned() {
            self.pin(state, chan, engaged);
            self.roams(comp, accept.message);
            state.engaged.entry(member).or_default().insert(comp);
        } else if self.is_daemon(state, comp) && !self.is_daemon(state, member) {
            self.isolated(state, chan, stamp, arms, &only)?;
        } else {
            let sentence = format!(
                "{} may receive {} from another member than the one this round is about",
                self.call(comp),
                self.kinds(arms)
            );
            return Err(Stuck::new(
                Obstacle::IndependentChoices,
                accept.span,
                sentence,
            ));
        }
        let waiting = state.pop(chan).expect("it waits");
        self.heard(state, comp, member, &waiting);
        state.taken.insert((comp, family));
        for (accept, _) in arms {
            state.consumed.push(Chan {
                message: accept.message,
                ..chan
            });
        }
        self.take(state, at, arms, ready.arm, waiting, member, false);
        Ok(Step::Taken)
    }

    /// Begins a daemon's round with a member, or goes on with it.
    fn isolated(
        &mut self,
        state: &mut SymbolicState,
        chan: Chan,
        stamp: usize,
        arms: &[Arm<'a>],
        clients: &BTreeSet<FamilyId>,
    ) -> Result<(), Stuck> {
        let (comp, member) = (chan.to, chan.from);
        let accept = arms[0].0;
        if state.serving.contains_key(&comp) {
            if !self.only_from(state, chan, arms, clients, &BTreeSet::from([comp])) {
                let sentence = format!(
                    "{} receives twice from any member of `{}` in one round, and the second message may \
                     come from another one",
                    self.call(comp),
                    self.score.name(member.family)
                );
                return Err(Stuck::new(Obstacle::Indiscriminate, accept.span, sentence));
            }
            self.is_confined(state, chan, accept)?;
            return self.keeps_isolation(state, comp, member, stamp, accept);
        }
        self.roams(comp, chan.message);
        let heard = state.round_heard.get(&comp).cloned().unwrap_or_default();
        if let Some(other) = heard.first() {
            let sentence = format!(
                "{} picks a member of `{}` in a round that depends on {}",
                self.call(comp),
                self.score.name(member.family),
                self.call(*other)
            );
            return Err(Stuck::new(
                Obstacle::IndependentChoices,
                accept.span,
                sentence,
            ));
        }
        self.begin_with(state, comp, member, stamp);
        Ok(())
    }

    /// A daemon that serves a member listens only to it and to daemons, and the member meanwhile waits for
    /// nobody else.
    fn keeps_isolation(
        &self,
        state: &SymbolicState,
        comp: Comp,
        from: Comp,
        stamp: usize,
        accept: &Accept,
    ) -> Result<(), Stuck> {
        let Some((served, first)) = state.serving.get(&comp) else {
            return Ok(());
        };
        if from == *served {
            let heard = state.heard.get(served).map_or(&[][..], Vec::as_slice);
            let between = &heard[(*first).min(heard.len())..stamp.min(heard.len())];
            if let Some(other) = between.iter().find(|other| **other != comp) {
                let sentence = format!(
                    "{} keeps {} while that one waits for {}",
                    self.call(comp),
                    self.call(*served),
                    self.call(*other)
                );
                return Err(Stuck::new(Obstacle::HoldAndWait, accept.span, sentence));
            }
        } else if !self.is_daemon(state, from) {
            let sentence = format!(
                "{} waits for {} while it serves a member",
                self.call(comp),
                self.call(from)
            );
            return Err(Stuck::new(Obstacle::HoldAndWait, accept.span, sentence));
        }
        Ok(())
    }

    /// Can nobody else have, or soon have, a message that is waited for here? What a whole family has left to
    /// do is known; of anybody else, who may be inside of a loop, all of its code is looked at.
    fn only_from(
        &self,
        state: &SymbolicState,
        chan: Chan,
        arms: &[Arm<'a>],
        clients: &BTreeSet<FamilyId>,
        engaged: &BTreeSet<Comp>,
    ) -> bool {
        let others = state.places.iter();
        let others =
            others.filter(|(comp, _)| clients.contains(&comp.family) && **comp != chan.from);
        let mut others = others.flat_map(|other| arms.iter().map(move |arm| (other, arm)));
        others.all(|((comp, place), (accept, _))| {
            let theirs = Chan {
                from: *comp,
                to: chan.to,
                message: accept.message,
            };
            let sends_none = if comp.is_rest() {
                let hearing = RelevantReceives::of(*comp, engaged, &state.queues);
                self.is_late_free(&hearing, place, accept.message)
            } else {
                self.never_sends(*comp, accept.message)
            };
            sends_none && !state.queues.contains_key(&theirs)
        })
    }

    fn never_sends(&self, comp: Comp, message: plainsong_ir::MessageId) -> bool {
        let ops = self.part(comp).ops(BlockId::ENTRY);
        !ops.into_iter().any(
            |op| matches!(op.kind, crate::process_code::OpKind::Send(sent, ..) if sent == message),
        )
    }

    fn check_bag(
        &self,
        state: &SymbolicState,
        comp: Comp,
        accept: &Accept,
        rest: Comp,
    ) -> Result<(), Stuck> {
        let what = self.message(accept.message);
        let chan = Chan {
            from: rest,
            to: comp,
            message: accept.message,
        };
        let wrong = |obstacle, sentence| Err(Stuck::new(obstacle, accept.span, sentence));
        if state.taken.contains(&(comp, rest.family)) {
            let sentence = format!(
                "{} receives twice from any member in one round",
                self.call(comp)
            );
            return wrong(Obstacle::Indiscriminate, sentence);
        }
        if state.queues.contains_key(&chan) {
            let sentence =
                format!("`{what}` waits both once per round of a loop and once per member");
            return wrong(Obstacle::MixedChannel, sentence);
        }
        let place = &state.places[&rest];
        let collector = BTreeSet::from([comp]);
        let hearing = RelevantReceives::of(rest, &collector, &state.queues);
        if !self.is_late_free(&hearing, place, accept.message) {
            let sentence = format!(
                "a member may send `{what}` again before {} has collected",
                self.call(comp)
            );
            return wrong(Obstacle::LateMessage, sentence);
        }
        Ok(())
    }

    fn has_per_round(&self, state: &SymbolicState, chan: Chan, scene: &Scene) -> bool {
        let bag = state.bags.get(&chan).map_or(&[][..], Vec::as_slice);
        scene
            .index
            .is_some_and(|index| bag.iter().any(|one| one.index == index))
    }

    fn take_per_round(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        chan: Chan,
        from: Comp,
        scene: &Scene,
    ) {
        let bag = state.bags.get_mut(&chan).expect("there is a bag");
        let at_hand = bag.iter().position(|one| Some(one.index) == scene.index);
        let one = bag.remove(at_hand.expect("the bag has one for this index"));
        if bag.is_empty() {
            state.bags.remove(&chan);
        }
        state.used.push(chan);
        let families = state.places.keys().copied().filter(|comp| comp.is_rest());
        let gone: BTreeSet<Comp> = families.collect();
        let mut numbers = self.numbers;
        let mut key = |_: Option<Key>| Key {
            number: crate::eval::next(&mut numbers),
            owner: Some(at.comp),
        };
        let values = one.values.iter();
        let values = values
            .map(|value| value.rename(&BTreeSet::new(), &gone, &mut key))
            .collect();
        self.numbers = numbers;
        let waiting = QueuedMessage {
            values,
            stamp: 0,
            sent: one.sent,
            knows: BTreeSet::new(),
            cause: None,
        };
        self.roams(at.comp, chan.message);
        self.take(state, at, arms, 0, waiting, from, true);
    }

    fn heard(
        &mut self,
        state: &mut SymbolicState,
        comp: Comp,
        from: Comp,
        waiting: &QueuedMessage,
    ) {
        self.learn(state, comp, waiting);
        state.heard.entry(comp).or_default().push(from);
        state.round_heard.entry(comp).or_default().push(from);
    }

    /// Binds the names of a receive.
    #[expect(clippy::too_many_arguments, reason = "everything a receive is about")]
    fn take(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        arms: &[Arm<'a>],
        arm: usize,
        waiting: QueuedMessage,
        from: Comp,
        per_round: bool,
    ) {
        let comp = at.comp;
        let (accept, block) = arms[arm];
        for (slot, value) in accept.slots.iter().zip(waiting.values) {
            if let Some(local) = slot {
                state.env.insert((comp, Var::Local(*local)), value);
            }
        }
        let (index, who) = match &accept.source {
            Source::Anyone(who) => (&[][..], who),
            Source::Family(_, index, who) => (&index[..], who),
            Source::Process(_) => (&[][..], &None),
        };
        // Of a message per round nobody knows which member it came from.
        let is_known = !from.is_rest() || comp == from;
        for (local, value) in index
            .iter()
            .map(|local| (local, Value::Id(from)))
            .chain(who.iter().map(|local| (local, Value::Pid(from))))
        {
            let var = Var::Local(*local);
            let value = if is_known {
                value
            } else {
                self.fresh(comp, self.ty(comp, var))
            };
            state.env.insert((comp, var), value);
        }
        if block.is_some() {
            state.story.push(Event::Took(at, arm));
        }
        state.story.push(Event::Received {
            at,
            arm,
            sent: waiting.sent,
            from,
            per_round,
        });
        match block {
            Some(block) => self.enter(state, comp, block),
            None => self.advance_place(state, comp),
        }
    }
}
