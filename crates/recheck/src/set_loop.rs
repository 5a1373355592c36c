//! Set loop: a loop that deals with each member of a family once.
//!
//! Statement. A process is at `for x in Q { … }`, or at a loop with as many rounds, and no member of `Q` is looked at
//! by itself. Take an arbitrary round, with a member of its own: what the body assigns is forgotten, and nobody but the
//! process, the member and daemons moves. Every way through the round ends with the body done, the member in the same
//! place, as many messages in each of its queues, and the same messages in all others, but for what the process sent to
//! somebody who does not move: that is one message per round. A message taken by a receive from any member was the
//! only one of its kind, and no other is sent before the process is heard again. No daemon's member goes on with its
//! client in another round. Then the whole family is where the member is.
//!
//! When the body both addresses `x` and receives from any member, the sender need not be `x`: then there are two
//! members, none of them moves, and the two use no queue both; or there is one, to which the process is committed.
//!
//! Why sound. Induction over the members: what is forgotten may be anything, so the round is any of the rounds. The
//! senders of receives from any member are a permutation of the family, because each is taken once.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::havoc::Changes;
use crate::position::{Position, Var, assigned, every};
use crate::race::{Senders, waits};
use crate::round::{Left, Loop, bags, sendings, shape};
use crate::state::{Channel, Index, Message, SymbolicState, redirect, touches};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, refuse};
use plainsong_certificate::Event;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{Accept, Block, FamilyId, LocalId, Source, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// The two members of a round; mostly the same.
pub(crate) type Roles = (Actor, Actor);

/// How what a round was about is called afterwards.
pub(crate) struct Names {
    /// Members that were there before it keep their names.
    known: BTreeSet<Actor>,
    /// Unknowns that were born in it.
    numbers: BTreeMap<(u32, Option<Actor>), u32>,
}

impl Names {
    pub(crate) fn after(before: &SymbolicState<'_>) -> Names {
        Names {
            known: before.positions.keys().copied().collect(),
            numbers: BTreeMap::new(),
        }
    }

    /// Is somebody another member, that was looked at in the round only?
    fn is_gone(&self, actor: Actor, member: Actor) -> bool {
        actor.member.is_some() && actor != member && !self.known.contains(&actor)
    }
}

impl<'a> Checker<'a> {
    /// The state after the loop.
    pub(crate) fn each(
        &mut self,
        state: &SymbolicState<'a>,
        (owner, stmt): (Actor, &'a Stmt),
        (member, named): Roles,
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        let this = self.loop_at(stmt)?;
        let (index, by_name) = self.index(this.domain)?;
        let family = member.family;
        if index != Index::Members(family) || named.family != family {
            return refuse("the loop goes over something else");
        }
        if owner.is_family(self.song) || !state.members(family).is_empty() {
            return refuse("a member of the family is dealt with already");
        }
        let gathers = self.gathers(owner.family, this.body, family);
        let addresses = by_name && is_address(this.body, this.local);
        // With one member, the process is committed to it, so nothing is taken from it freely.
        let two = member != named;
        if two && !(gathers && addresses) {
            return refuse("a round with another number of members");
        }
        let ways: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let mut state = state.clone();
        let mut vague = Changes::new();
        let (mark, round, inside, mut ends) = loop {
            let mark = self.numbers.last();
            let round = self.begin(&state, owner, &this, (member, named), (gathers, addresses));
            let inside = self.inside(&state, &round, owner, (member, named), &index, scene);
            let ends = self.ways(round.clone(), &ways, &inside)?;
            let but = [owner, member, named, member.whole()];
            let changes = self.changes(&round, &ends, &but);
            if changes.is_subset(&vague) {
                break (mark, round, inside, ends);
            }
            self.havoc(&mut state, &changes);
            vague.extend(changes);
        };
        let state = &state;
        let mut lefts = Vec::new();
        for end in &mut ends {
            self.others_are_alike(&round, end, member)?;
            if two {
                self.roles_are_apart(&round, end, (member, named), mark)?;
            }
            lefts.push(self.round_is_over(state, end, owner, (member, named), &inside)?);
            self.stale_is_left_alone(state, end, owner, this.body)?;
        }
        let Some(first) = ends.first() else {
            return refuse("there is no way through the round");
        };
        let lengths = |left: &Left| -> Vec<(Channel, usize)> {
            left.iter().map(|(one, all)| (*one, all.len())).collect()
        };
        let alike = ends.iter().zip(&lefts).all(|(end, left)| {
            shape(end, member) == shape(first, member)
                && bags(end) == bags(first)
                && lengths(left) == lengths(&lefts[0])
        });
        if !alike || !self.heard_alike(&ends, member) {
            return refuse("rounds do not all end alike");
        }
        let mut after = self.fold(state, &ends, (member, named), mark);
        let vars = assigned(this.body);
        self.after_rounds(&mut after, state, &ends, &[(owner, vars)], Some(family));
        self.advance(&mut after, owner);
        after.forget(&mut self.numbers, owner, [&Var::Local(this.local)]);
        after.per_round = first.per_round.clone();
        self.leave(&mut after, &lefts, &index, owner, mark)?;
        Ok(after)
    }

    /// An arbitrary round.
    fn begin(
        &mut self,
        state: &SymbolicState<'a>,
        owner: Actor,
        this: &Loop<'a>,
        (member, named): Roles,
        (gathers, addresses): (bool, bool),
    ) -> SymbolicState<'a> {
        let mut round = state.clone();
        round.forget(&mut self.numbers, owner, &assigned(this.body));
        round.unfold(member);
        if member != named {
            round.unfold(named);
            round
                .queues
                .retain(|channel, _| channel.0 != named || channel.1 != owner);
        }
        // Who is named need not be who sends.
        let by_name = self.index(this.domain).is_ok_and(|(_, by_name)| by_name);
        let name = match by_name && (addresses || !gathers) {
            true => Symbol::Member(named),
            false => self.numbers.fresh(owner),
        };
        round.values.insert((owner, Var::Local(this.local)), name);
        round.positions.insert(owner, Position::start(this.body));
        round.begin_round();
        round.strangers.clear();
        round.taken.retain(|(who, _)| *who != owner);
        if addresses {
            round.engaged.insert(named, BTreeSet::from([owner]));
        }
        round
    }

    /// Who moves in the round.
    fn inside(
        &self,
        state: &SymbolicState<'a>,
        round: &SymbolicState<'a>,
        owner: Actor,
        (member, named): Roles,
        index: &Index,
        scene: &Scene<'a>,
    ) -> Scene<'a> {
        let two = member != named;
        let mut frozen = scene.frozen.clone();
        for actor in round.positions.keys() {
            let role = *actor == member || *actor == named;
            let moves = match role {
                true => !two,
                false => !actor.is_family(self.song) && self.is_daemon(round, *actor),
            };
            if *actor != owner && !moves {
                frozen.insert(*actor);
            }
        }
        let mut beyond = state.positions[&owner].clone();
        beyond.advance();
        Scene {
            frozen,
            owner: Some(owner),
            index: Some(index.clone()),
            depth: scene.depth + 1,
            beyond: (scene.depth == 0).then_some((owner, beyond)),
            focus: scene.focus,
            closed: scene.closed,
            halts: scene.halts.clone(),
        }
    }

    /// The body is done, nobody else has moved, and nothing is left over but with the member, or for others once.
    fn round_is_over(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        owner: Actor,
        (member, named): Roles,
        inside: &Scene<'a>,
    ) -> Result<Left, Refused> {
        if !end.positions[&owner].is_end() {
            return refuse("the round is not over");
        }
        self.others_stand_still(before, end, &[owner, member, named])?;
        self.per_round_fits(before, end, inside.index.as_ref())?;
        self.stale_is_about(before, end, (member == named).then_some(member))?;
        self.pins_are_known(before, end)?;
        let position = &end.positions[&member];
        let began = before.positions.get(&member.whole());
        if inside.closed == Some(member.family) && !position.is_end() && began != Some(position) {
            return refuse("a conversation goes on in another round");
        }
        if inside.closed != Some(member.family) && end.serving.contains_key(&member) {
            return refuse("a daemon keeps its client for another round");
        }
        let whole = member.whole();
        let mut left = Left::new();
        let all = before.queues.keys().chain(end.queues.keys());
        let channels: BTreeSet<Channel> = all.copied().collect();
        for channel in channels {
            if touches(&channel, member) || touches(&channel, whole) {
                continue;
            }
            let had = sendings(before, &channel);
            let has = sendings(end, &channel);
            let (from, to, _) = channel;
            let goes_out = from == owner && inside.frozen.contains(&to) && !to.is_family(self.song);
            if goes_out && has.len() > had.len() && has.starts_with(&had) {
                let new = end.waiting(&channel)[had.len()..].iter();
                let new = new.map(|message| message.values.clone()).collect();
                left.insert(channel, new);
            } else if has != had {
                return refuse("a round changes a queue that is not its member's");
            }
        }
        if !self.answers_only(end, member, inside) {
            self.each_once(end, owner, member)?;
        }
        Ok(left)
    }

    /// What was taken from any member was the only one, and no other comes before the owner is heard.
    fn each_once(
        &self,
        end: &SymbolicState<'a>,
        owner: Actor,
        member: Actor,
    ) -> Result<(), Refused> {
        let owner = BTreeSet::from([owner]);
        let taken = end.consumed.iter();
        for (_, to, message) in taken.filter(|taken| taken.0.family == member.family) {
            let second = end.queues.contains_key(&(member, *to, *message));
            let position = &end.positions[&member];
            if second || !self.is_late_free((end, member), position, *message, &owner) {
                return refuse("a second message may come before the loop is over");
            }
        }
        Ok(())
    }

    /// Is it a daemon that has answered the member that is followed to its end, and sends only when it is asked?
    fn answers_only(&self, end: &SymbolicState<'a>, member: Actor, inside: &Scene<'a>) -> bool {
        let Some(client) = inside.focus else {
            return false;
        };
        let mut queues = end.queues.keys();
        inside.owner == Some(client)
            && self.bodies[&member.family].daemon
            && self.all_rest(end, client)
            && !queues.any(|channel| channel.0 == member && channel.1 == client)
    }

    /// How much had been heard when a message to a daemon was sent must not depend on the way.
    fn heard_alike(&self, ends: &[SymbolicState<'a>], member: Actor) -> bool {
        let mut queues = ends[0].queues.keys();
        let asks =
            queues.any(|channel| channel.0 == member && self.bodies[&channel.1.family].daemon);
        let heard = |end: &SymbolicState<'a>| end.heard.get(&member).cloned().unwrap_or_default();
        !asks || ends.iter().all(|end| heard(end) == heard(&ends[0]))
    }

    /// The queues of the two members become those of one: what a round does to either is done to each once.
    fn roles_are_apart(
        &mut self,
        start: &SymbolicState<'a>,
        end: &mut SymbolicState<'a>,
        (member, named): Roles,
        mark: u32,
    ) -> Result<(), Refused> {
        let moved = |actor: Actor| end.positions[&actor] != start.positions[&actor];
        if moved(member) || moved(named) {
            return refuse("one round deals with two members");
        }
        let all = start.queues.keys().chain(end.queues.keys());
        let all: BTreeSet<Channel> = all.copied().collect();
        let changed = |channel: &Channel| sendings(end, channel) != sendings(start, channel);
        let of_named: Vec<Channel> = all
            .iter()
            .copied()
            .filter(|channel| touches(channel, named))
            .collect();
        let mut both = Vec::new();
        for channel in of_named {
            let twin = redirect(&channel, named, member);
            match (changed(&channel), changed(&twin)) {
                (true, true) => return refuse("two members of a round use one queue"),
                (true, false) => both.push((channel, twin)),
                _ => {}
            }
        }
        // A value about the other one is about an unknown member.
        let mine: Vec<Channel> = end.queues.keys().copied().collect();
        for channel in mine {
            let other = match (touches(&channel, member), touches(&channel, named)) {
                (true, false) => named,
                (false, true) => member,
                _ => continue,
            };
            for message in end.queues.get_mut(&channel).into_iter().flatten() {
                self.without(message, other, mark);
            }
        }
        let queues = std::mem::take(&mut end.queues);
        let (of_named, mut others): (BTreeMap<_, _>, BTreeMap<_, _>) = queues
            .into_iter()
            .partition(|(channel, _)| touches(channel, named));
        for (channel, twin) in both {
            others.remove(&twin);
            if let Some(queue) = of_named.get(&channel) {
                let mut queue: Vec<Message> = queue.clone();
                for value in queue.iter_mut().flat_map(|message| &mut message.values) {
                    *value = value.replace(named, member);
                }
                others.insert(twin, queue);
            }
        }
        end.queues = others;
        Ok(())
    }

    fn without(&mut self, message: &mut Message, gone: Actor, mark: u32) {
        for value in &mut message.values {
            let numbers = &mut self.numbers;
            *value = value.map(&mut |part| match part {
                Symbol::Process(actor) | Symbol::Member(actor) if *actor == gone => {
                    Some(numbers.fresh(gone.whole()))
                }
                Symbol::Unknown(Unknown {
                    owner: Some(owner),
                    number,
                    ..
                }) if *owner == gone && *number <= mark => Some(numbers.fresh(gone.whole())),
                _ => None,
            });
        }
    }

    /// What the rounds do not wait for is taken by no other receive of the body: at most one takes it from any member,
    /// and that is one with a timeout.
    fn stale_is_left_alone(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        owner: Actor,
        body: &Block,
    ) -> Result<(), Refused> {
        let mut stmts = Vec::new();
        every(body, &mut stmts);
        for (from, to, kind) in end.stale.iter().filter(|one| !before.stale.contains(one)) {
            if *to != owner || from.member.is_none() {
                continue;
            }
            let open: Vec<_> = stmts
                .iter()
                .filter_map(|stmt| waits(stmt))
                .filter(|waits| {
                    let accepts = waits.accepts();
                    let senders = self.sends.senders(self.song, owner.family, &accepts);
                    senders == Ok(Senders::Any(from.family))
                        && accepts.iter().any(|accept| accept.message == *kind)
                })
                .collect();
            if open.len() > 1 || open.iter().any(|waits| waits.timeout.is_none()) {
                return refuse(
                    "a message that no process waited for may be taken in another round",
                );
            }
        }
        Ok(())
    }

    /// Does a body receive from any member of a family?
    pub(crate) fn gathers(&self, owner: FamilyId, body: &Block, family: FamilyId) -> bool {
        let mut all = Vec::new();
        every(body, &mut all);
        all.into_iter().any(|stmt| {
            waits(stmt).is_some_and(|waits| {
                let accepts = waits.accepts();
                let senders = self.sends.senders(self.song, owner, &accepts);
                senders == Ok(Senders::Any(family))
            })
        })
    }

    /// What one round showed, of all members.
    fn fold(
        &mut self,
        before: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        (member, named): Roles,
        mark: u32,
    ) -> SymbolicState<'a> {
        let whole = member.whole();
        let mut after = before.clone();
        let first = &ends[0];
        after
            .positions
            .insert(whole, first.positions[&member].clone());
        let mut names = Names::after(before);
        let mine = ends.iter().flat_map(|end| end.values.keys());
        let vars: BTreeSet<Var> = mine
            .filter(|(actor, _)| *actor == member)
            .map(|(_, var)| *var)
            .collect();
        for var in vars {
            let each = ends.iter().map(|end| end.values.get(&(member, var)));
            let each: Vec<Option<&Symbol>> = each.collect();
            let value = self.of_all(&each, (member, named), mark, &mut names);
            after.values.insert((whole, var), value);
        }
        after.queues.retain(|channel, _| !touches(channel, whole));
        for (channel, queue) in &first.queues {
            if !touches(channel, member) {
                continue;
            }
            let mut folded = queue.clone();
            for (place, message) in folded.iter_mut().enumerate() {
                let known = |number: &u32| {
                    let mut each = ends.iter().map(|end| end.waiting(channel).get(place));
                    each.all(|one| one.is_some_and(|one| one.knows.contains(number)))
                };
                message.knows.retain(known);
                message.purpose = None;
                for field in 0..message.values.len() {
                    let each = ends.iter().map(|end| {
                        let queue = end.queues.get(channel)?;
                        queue.get(place)?.values.get(field)
                    });
                    let each: Vec<Option<&Symbol>> = each.collect();
                    message.values[field] = self.of_all(&each, (member, named), mark, &mut names);
                }
            }
            after
                .queues
                .insert(redirect(channel, member, whole), folded);
        }
        let heard = first.heard.get(&member).into_iter().flatten();
        after
            .heard
            .insert(whole, heard.map(|from| from.whole()).collect());
        let stale = ends.iter().flat_map(|end| &end.stale);
        let stale: Vec<Channel> = stale
            .map(|channel| redirect(channel, member, whole))
            .collect();
        after.stale.extend(stale);
        after
    }

    /// A value of one member, said of every member: what was born in the round is another value for each.
    pub(crate) fn of_all(
        &mut self,
        each: &[Option<&Symbol>],
        (member, named): Roles,
        mark: u32,
        names: &mut Names,
    ) -> Symbol {
        let whole = member.whole();
        let mut values = Vec::new();
        for one in each {
            let Some(one) = one else {
                return self.numbers.fresh(whole);
            };
            values.push(self.renamed(one, (member, named), mark, names));
        }
        self.joined(&values, whole)
    }

    fn renamed(
        &mut self,
        value: &Symbol,
        (member, named): Roles,
        mark: u32,
        names: &mut Names,
    ) -> Symbol {
        let whole = member.whole();
        match value {
            Symbol::Process(actor) | Symbol::Member(actor) if names.is_gone(*actor, member) => {
                self.numbers.fresh(whole)
            }
            Symbol::Process(_) | Symbol::Member(_) => value.replace(member, whole),
            Symbol::Data(tag, parts) => {
                let parts = parts.iter();
                let parts = parts.map(|part| self.renamed(part, (member, named), mark, names));
                Symbol::Data(*tag, parts.collect())
            }
            Symbol::Unknown(unknown) => {
                let foreign = unknown
                    .owner
                    .is_some_and(|owner| names.is_gone(owner, member));
                let old = unknown.owner.is_none() || unknown.number <= mark;
                if old && !foreign {
                    return value.replace(member, whole);
                }
                let key = (unknown.number, unknown.owner);
                let number = match names.numbers.get(&key) {
                    Some(number) => *number,
                    None => self.numbers.next(),
                };
                names.numbers.insert(key, number);
                let among = unknown.among.clone().map(|among| {
                    let each = among.iter();
                    each.map(|one| self.renamed(one, (member, named), mark, names))
                        .collect()
                });
                Symbol::Unknown(Unknown {
                    number,
                    owner: Some(whole),
                    among,
                })
            }
            Symbol::Sum(sum) => {
                sum.map(&mut |part| self.renamed(part, (member, named), mark, names))
            }
            other => other.clone(),
        }
    }
}

/// Is a loop's name used to say to whom or from whom?
pub(crate) fn is_address(body: &Block, local: LocalId) -> bool {
    let mut all = Vec::new();
    every(body, &mut all);
    all.into_iter().any(|stmt| {
        let mut addresses = Vec::new();
        if let StmtKind::Send(_, _, address) = &stmt.kind {
            addresses.push(address);
        }
        for accept in waits(stmt).map_or(Vec::new(), |waits| waits.accepts()) {
            if let Accept {
                source: Source::Process(process),
                ..
            } = accept
            {
                addresses.push(process);
            }
        }
        addresses
            .into_iter()
            .any(|address| free_locals(address).contains(&local))
    })
}
