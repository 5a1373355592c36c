//! Receives: from whom a message may be taken, and when that is the same in every execution.
//!
//! Statement. All kinds that are waited for come from the same processes. Of one sender, the oldest is taken, where the
//! order is known: between single processes. From one process: its queue. From any member of a family: exactly one
//! member that is looked at has such a message, and
//! - *free*: the receiver owns the round, nobody is committed to the member, and it has not received from the family
//!   in this round; or
//! - *pinned*: somebody is committed to the member, and no other can have such a message before it hears from
//!   those; or
//! - *isolated*: the receiver is a daemon that begins a round with a process that is none, having heard nobody
//!   in it; or it goes on with that one, and no other can have such a message.
//!
//! What pinned and isolated receives need of all executions is in `causes.rs`.
//!
//! A daemon that serves somebody listens to that one and to daemons only, and takes from it only what was sent
//! without hearing anybody else since it asked. Nothing is received from a queue with a message that nobody waited for.
//!
//! Why sound. In one round every address and every free choice means the same member. Either the message can only come
//! from that one, or the round is a closed conversation that can be moved freely. A daemon that keeps a client that
//! waits for others could close a cycle.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::position::Var;
use crate::race::{Senders, Waits, waits};
use crate::state::{Channel, SymbolicState, general};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, not_covered, refuse};
use plainsong_ir::{Accept, FamilyId, MessageId, Source, Stmt};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum From {
    One(Actor),
    Any(FamilyId),
    Clients(BTreeSet<FamilyId>),
}

impl<'a> Checker<'a> {
    /// The oldest message of a queue is taken.
    pub(crate) fn receives(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        from: Actor,
        kind: usize,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let Some(waits) = waits(stmt) else {
            return refuse("it is no `receive`");
        };
        let Some((accept, block)) = waits.arms.get(kind).copied() else {
            return refuse("a kind that is not waited for");
        };
        let source = self.source(state, actor, &waits)?;
        nothing_stale(state, actor, &waits, &source)?;
        let channel = (from, actor, accept.message);
        self.is_oldest(state, &channel, &waits, &source)?;
        let heard = state.waiting(&channel)[0].heard;
        match &source {
            From::One(sender) => {
                if *sender != from {
                    return refuse("it is not known that the message comes from there");
                }
                self.keeps_isolation(state, actor, from, heard)?;
                self.is_for_same_client(state, &channel)?;
            }
            From::Any(family) => {
                if from.family != *family || from.member.is_none() {
                    return refuse("the message comes from another process");
                }
                self.one_of_members(state, &channel, &waits, heard, scene)?;
            }
            From::Clients(clients) => {
                if !clients.contains(&from.family) || from.is_family(self.song) {
                    return refuse("the message comes from another process");
                }
                self.isolated(state, &channel, &waits, clients, heard)?;
            }
        }
        let Some(message) = state.pop(&channel) else {
            return refuse("no such message waits");
        };
        self.learns(state, actor, &message);
        state.heard.entry(actor).or_default().push(from);
        state.heard_in_round.entry(actor).or_default().insert(from);
        self.bind(state, actor, accept, Some(from), message.values);
        self.go_on(state, actor, block);
        Ok(())
    }

    /// A message that a loop left, one for each of its rounds: nobody knows which.
    pub(crate) fn collects(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        from: Actor,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let Some(waits) = waits(stmt) else {
            return refuse("it is no `receive`");
        };
        let [(accept, block)] = waits.arms[..] else {
            return refuse("one of several kinds is taken from those of a loop's rounds");
        };
        if waits.timeout.is_some() || actor.is_family(self.song) {
            return refuse("a message of a loop's rounds is taken by a timeout or a family");
        }
        let source = self.source(state, actor, &waits)?;
        nothing_stale(state, actor, &waits, &source)?;
        let channel = (from, actor, accept.message);
        if state.queues.contains_key(&channel) {
            return refuse("a message waits once per round and otherwise");
        }
        match source {
            From::One(sender) if sender == from && !from.is_family(self.song) => {
                self.keeps_isolation(state, actor, from, 0)?;
            }
            From::Any(family) if from.family == family && from.member.is_none() => {
                let members = state.members(family).into_iter();
                let mut theirs = members.map(|member| (member, actor, accept.message));
                if theirs.any(|channel| state.queues.contains_key(&channel)) {
                    return refuse("a member's message waits, too");
                }
                let position = &state.positions[&from];
                let owner = BTreeSet::from([actor]);
                if state.serving.contains_key(&actor)
                    || !state.taken.insert((actor, family))
                    || !self.is_late_free((state, from), position, accept.message, &owner)
                {
                    return refuse("a member may send before the collector has collected");
                }
                self.is_taken(actor, accept.message);
            }
            _ => return refuse("the message comes from another process"),
        }
        let Some(bag) = state.per_round.get_mut(&channel) else {
            return refuse("no such message waits");
        };
        let fitting = bag
            .iter()
            .position(|one| Some(&one.index) == scene.index.as_ref());
        let Some(at) = fitting else {
            return refuse("a message of another loop's rounds");
        };
        let one = bag.remove(at);
        if bag.is_empty() {
            state.per_round.remove(&channel);
        }
        state.used.push(channel);
        let values = one.values.iter();
        let values = values.map(|value| self.vague(actor, value)).collect();
        let sender = (!from.is_family(self.song)).then_some(from);
        self.bind(state, actor, accept, sender, values);
        self.go_on(state, actor, block);
        Ok(())
    }

    /// A value of another round: every unknown and every member in it is a new unknown.
    pub(crate) fn vague(&mut self, owner: Actor, value: &Symbol) -> Symbol {
        let song = self.song;
        match value {
            Symbol::Process(actor) | Symbol::Member(actor)
                if actor.member.is_some() || actor.is_family(song) =>
            {
                self.numbers.fresh(owner)
            }
            Symbol::Data(tag, parts) => {
                let parts = parts.iter().map(|part| self.vague(owner, part));
                Symbol::Data(*tag, parts.collect())
            }
            Symbol::Unknown(Unknown { owner: None, .. }) => value.clone(),
            Symbol::Unknown(Unknown { among, .. }) => {
                let among = among.clone().map(|among| {
                    let each = among.iter().map(|one| self.vague(owner, one));
                    each.collect()
                });
                self.numbers.one_of(owner, among)
            }
            Symbol::Sum(_) => self.numbers.fresh(owner),
            other => other.clone(),
        }
    }

    /// From whom all kinds of a receive come.
    pub(crate) fn source(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        waits: &Waits<'a>,
    ) -> Result<From, Refused> {
        let accepts = waits.accepts();
        for (at, accept) in accepts.iter().enumerate() {
            let twice = accepts[..at]
                .iter()
                .any(|other| other.message == accept.message);
            if accept.filter.is_some() || twice {
                return not_covered("selective receives are not covered");
            }
        }
        let mut named = Vec::new();
        for accept in &accepts {
            if let Source::Process(process) = &accept.source {
                named.push(state.eval(&mut self.numbers, actor, process));
            }
        }
        if let Some(first) = named.first() {
            let all = named.len() == accepts.len() && named.iter().all(|one| one == first);
            return match first {
                Symbol::Process(sender) if all => Ok(From::One(*sender)),
                _ => refuse("it is not known from whom the message comes"),
            };
        }
        Ok(
            match self.sends.senders(self.song, actor.family, &accepts)? {
                Senders::One(family) => From::One(Actor {
                    family,
                    member: None,
                }),
                Senders::Any(family) => From::Any(family),
                Senders::Clients(clients) => From::Clients(clients),
            },
        )
    }

    /// Is the first message of a queue what the receive takes, whatever the schedule?
    fn is_oldest(
        &self,
        state: &SymbolicState<'a>,
        channel: &Channel,
        waits: &Waits<'a>,
        source: &From,
    ) -> Result<(), Refused> {
        let (from, to, _) = *channel;
        let Some(message) = state.waiting(channel).first() else {
            return refuse("no such message waits");
        };
        let senders = match source {
            From::Any(family) => state.members(*family),
            From::One(_) | From::Clients(_) => vec![from],
        };
        let is_single = |actor: Actor| self.song.families[actor.family.index()].index.is_empty();
        let ordered = is_single(from) && is_single(to);
        for sender in senders {
            for (accept, _) in &waits.arms {
                let other = (sender, to, accept.message);
                if waits.arms.len() > 1 && state.per_round.contains_key(&general(&other)) {
                    return refuse("one of several kinds waits once per round of a loop");
                }
                let first = state.waiting(&other).first();
                let Some(first) = first.filter(|_| other != *channel) else {
                    continue;
                };
                if !ordered || first.sending < message.sending {
                    return refuse("another message may be older");
                }
            }
        }
        Ok(())
    }

    fn one_of_members(
        &mut self,
        state: &mut SymbolicState<'a>,
        channel: &Channel,
        waits: &Waits<'a>,
        heard: usize,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let (member, actor, _) = *channel;
        let family = member.family;
        let engaged = state.engaged.get(&member).cloned().unwrap_or_default();
        let only = BTreeSet::from([family]);
        let free = scene.owner == Some(actor)
            && engaged.is_empty()
            && !state.taken.contains(&(actor, family));
        let pinned = !engaged.is_empty()
            && !state.serving.contains_key(&actor)
            && self.only_from(state, channel, waits, &only, &engaged);
        if waits.timeout.is_some() && !free {
            return refuse("a message that comes too late may be taken in another member's round");
        }
        if pinned && !free {
            self.pin(state, channel, engaged);
        }
        if free || pinned {
            state.engaged.entry(member).or_default().insert(actor);
        } else if self.is_daemon(state, actor) && !self.is_daemon(state, member) {
            self.isolated(state, channel, waits, &only, heard)?;
        } else {
            return refuse("the message may come from another member");
        }
        state.taken.insert((actor, family));
        for (accept, _) in &waits.arms {
            state.consumed.insert((member, actor, accept.message));
        }
        Ok(())
    }

    /// A daemon begins a round with a process, or goes on with it.
    fn isolated(
        &mut self,
        state: &mut SymbolicState<'a>,
        channel: &Channel,
        waits: &Waits<'a>,
        clients: &BTreeSet<FamilyId>,
        heard: usize,
    ) -> Result<(), Refused> {
        let (from, actor, _) = *channel;
        if let Some((served, _)) = state.serving.get(&actor) {
            if *served != from
                || !self.only_from(state, channel, waits, clients, &BTreeSet::from([actor]))
            {
                return refuse("a daemon may go on with another process");
            }
            self.is_of_round(state, channel)?;
            return self.keeps_isolation(state, actor, from, heard);
        }
        let before = state.heard_in_round.get(&actor);
        if before.is_some_and(|before| !before.is_empty()) {
            return refuse("a daemon picks a member in a round that depends on others");
        }
        self.is_taken(actor, channel.2);
        self.begins_with(state, actor, from, heard);
        Ok(())
    }

    /// A daemon that serves somebody listens to that one and to daemons, and keeps nobody who waits for others.
    fn keeps_isolation(
        &self,
        state: &SymbolicState<'a>,
        actor: Actor,
        from: Actor,
        heard: usize,
    ) -> Result<(), Refused> {
        let Some((served, first)) = state.serving.get(&actor) else {
            return Ok(());
        };
        if from != *served {
            return match self.is_daemon(state, from) {
                true => Ok(()),
                false => refuse("a daemon waits for another process while it serves"),
            };
        }
        let all = state.heard.get(served).map_or(&[][..], Vec::as_slice);
        let between = all.get(*first..heard).unwrap_or(&[]);
        match between.iter().all(|other| *other == actor) {
            true => Ok(()),
            false => refuse("a daemon keeps a process waiting that waits for others"),
        }
    }

    /// Can nobody else among these have such a message, before hearing from those committed?
    fn only_from(
        &self,
        state: &SymbolicState<'a>,
        channel: &Channel,
        waits: &Waits<'a>,
        clients: &BTreeSet<FamilyId>,
        engaged: &BTreeSet<Actor>,
    ) -> bool {
        let others = state.positions.iter();
        let mut others =
            others.filter(|(other, _)| clients.contains(&other.family) && **other != channel.0);
        others.all(|(other, position)| {
            waits.arms.iter().all(|(accept, _)| {
                let none = match other.is_family(self.song) {
                    true => self.is_late_free((state, *other), position, accept.message, engaged),
                    false => !self.sends.sends(other.family, accept.message),
                };
                let theirs = (*other, channel.1, accept.message);
                none && !state.queues.contains_key(&theirs)
            })
        })
    }

    /// The names of a receive get their values.
    fn bind(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        accept: &Accept,
        from: Option<Actor>,
        values: Vec<Symbol>,
    ) {
        for (slot, value) in accept.slots.iter().zip(values) {
            if let Some(local) = slot {
                state.values.insert((actor, Var::Local(*local)), value);
            }
        }
        let (index, who) = match &accept.source {
            Source::Anyone(who) => (None, *who),
            Source::Family(_, index, who) => (index.first().copied(), *who),
            Source::Process(_) => (None, None),
        };
        let names = [
            (index, from.map(Symbol::Member)),
            (who, from.map(Symbol::Process)),
        ];
        for (local, value) in names {
            if let Some(local) = local {
                let value = value.unwrap_or_else(|| self.numbers.fresh(actor));
                state.values.insert((actor, Var::Local(local)), value);
            }
        }
    }

    /// Past a receive, or into the block of its kind.
    pub(crate) fn go_on(
        &self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        block: Option<&'a plainsong_ir::Block>,
    ) {
        match (block, state.positions.get_mut(&actor)) {
            (Some(block), Some(position)) => {
                position.enter(block, false);
                self.settle(state, actor);
            }
            _ => self.advance(state, actor),
        }
    }

    /// Can no message of a kind come from a process any more? From the owner of a loop over members whose round is
    /// over, none comes if it sends none behind the loop: other rounds are about other members. From daemons none
    /// comes to a member that is followed to its end, when all rest and nothing that it sent waits.
    pub(crate) fn sends_no_more(
        &self,
        state: &SymbolicState<'a>,
        to: Actor,
        from: Actor,
        message: MessageId,
        scene: &Scene<'a>,
    ) -> bool {
        let channel = (from, to, message);
        if state.queues.contains_key(&channel) || state.per_round.contains_key(&channel) {
            return false;
        }
        if self.bodies[&from.family].daemon {
            return scene.focus == Some(to) && self.all_rest(state, to);
        }
        if !self.song.families[from.family.index()].index.is_empty() {
            return false;
        }
        let nobody = BTreeSet::new();
        match &scene.beyond {
            Some((owner, beyond)) if *owner == from => {
                state.positions[&from].is_end()
                    && self.is_late_free((state, from), beyond, message, &nobody)
            }
            _ if scene.owner == Some(from) => false,
            _ => {
                let position = &state.positions[&from];
                scene.depth <= 1 && self.is_late_free((state, from), position, message, &nobody)
            }
        }
    }

    /// Are all daemons at their loops, with nothing from this member in flight?
    pub(crate) fn all_rest(&self, state: &SymbolicState<'a>, member: Actor) -> bool {
        let mut daemons = state
            .positions
            .iter()
            .filter(|(actor, _)| self.bodies[&actor.family].daemon);
        daemons.all(|(_, position)| position.is_at_endless_loop())
            && !state.queues.keys().any(|channel| channel.0 == member)
    }
}

/// Nothing is received where a message that nobody waited for may still come.
fn nothing_stale(
    state: &SymbolicState<'_>,
    actor: Actor,
    waits: &Waits<'_>,
    source: &From,
) -> Result<(), Refused> {
    for (from, to, kind) in &state.stale {
        let waited = waits.arms.iter().any(|(accept, _)| accept.message == *kind);
        let comes = match source {
            From::One(one) => from.whole() == one.whole(),
            From::Any(family) => from.family == *family,
            From::Clients(clients) => clients.contains(&from.family),
        };
        if waited && to.family == actor.family && comes {
            return refuse("a message that no process waited for may be taken for another one");
        }
    }
    Ok(())
}
