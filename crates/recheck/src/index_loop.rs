//! Index loop: a loop with a number of rounds.
//!
//! Statement, of one loop. Take an arbitrary round: what the body assigns is forgotten, and so is what the remaining
//! code of every family assigns. One member of each family from which the body receives may come. Every way ends with the body
//! done, everybody else where they were, members that came where their family is with as many messages as they had,
//! and the same messages in all other queues, but for what the process or such a member sent to somebody who does not
//! move: that is one message per round. What a round puts in the place of a member's message says the same, or
//! nothing is known of it, before the loop and after it.
//!
//! Statement, of two loops. Two single processes are at loops over the same thing. What both bodies assign is forgotten, and the
//! bodies are gone through together, with daemons. All queues are as they were. The second may be a whole family, of which
//! nobody is looked at by itself: every member goes through its body once and is at its loop again, in which it stays while
//! others have their round; nothing can be lost or come too late.
//!
//! Why sound. Induction over the rounds. Which member is served may differ from round to round, so nothing that its
//! code changes is relied on. Every sort has a member, so somebody comes. A member that is ahead of others sends nothing that
//! is taken for theirs: who collects from any member asks for that, and sees the rounds that are still to come.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::havoc::Changes;
use crate::position::{Position, Var, assigned, every};
use crate::race::{Senders, waits};
use crate::round::{Left, bags, sendings};
use crate::state::{Channel, Index, SymbolicState, general, touches};
use crate::symbol::Symbol;
use crate::{Refused, refuse};
use plainsong_certificate::Event;
use plainsong_ir::{Block, FamilyId, Stmt};
use std::collections::BTreeSet;

impl<'a> Checker<'a> {
    /// The state after a loop that is served by whoever comes.
    pub(crate) fn repeats(
        &mut self,
        state: &SymbolicState<'a>,
        (owner, stmt): (Actor, &'a Stmt),
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        let this = self.loop_at(stmt)?;
        let (index, by_name) = self.index(this.domain)?;
        if by_name || owner.is_family(self.song) {
            return refuse("a loop that names members is gone through in another way");
        }
        let ways: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let mut before = state.clone();
        let mut vague = BTreeSet::new();
        let mut vague_vars = Changes::new();
        loop {
            let mark = self.numbers.last();
            let round = self.any_round(&before, owner, this.local, this.body);
            let inside = self.scene(&round, &[owner], &index, scene);
            let ends = self.ways(round.clone(), &ways, &inside)?;
            let changed = self.replaced(&before, &ends);
            let mut changes = self.changes(&round, &ends, &[owner]);
            changes.retain(|(actor, _)| !actor.is_family(self.song));
            if !changed.is_subset(&vague) || !changes.is_subset(&vague_vars) {
                self.havoc(&mut before, &changes);
                vague_vars.extend(changes);
                for channel in &changed {
                    before.forget_messages(&mut self.numbers, channel);
                }
                vague.extend(changed);
                continue;
            }
            let mut lefts = Vec::new();
            for end in &ends {
                lefts.push(self.round_is_done(&before, end, owner, &inside)?);
            }
            let Some(first) = ends.first() else {
                return refuse("there is no way through the round");
            };
            let shape = |end: &SymbolicState<'a>, left: &Left| {
                let left = left.iter().map(|(channel, all)| (*channel, all.len()));
                let came = came(&before, end).into_iter().map(|member| member.family);
                (
                    left.collect::<Vec<_>>(),
                    bags(end),
                    came.collect::<Vec<_>>(),
                )
            };
            let mut each = ends.iter().zip(&lefts);
            if !each.all(|(end, left)| shape(end, left) == shape(first, &lefts[0])) {
                return refuse("rounds do not all end alike");
            }
            let mut after = before.clone();
            after.per_round = first.per_round.clone();
            self.after_rounds(
                &mut after,
                &before,
                &ends,
                &[(owner, assigned(this.body))],
                None,
            );
            self.forget_families(&mut after);
            after.forget(&mut self.numbers, owner, [&Var::Local(this.local)]);
            self.leave(&mut after, &lefts, &index, owner, mark)?;
            self.advance(&mut after, owner);
            return Ok(after);
        }
    }

    /// The state after two loops that are gone through together.
    pub(crate) fn together(
        &mut self,
        state: &SymbolicState<'a>,
        one: (Actor, &'a Stmt),
        other: (Actor, &'a Stmt),
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        let owners = [one.0, other.0];
        let in_loop = scene.depth > 0 || one.0 == other.0;
        let single = |actor: &Actor| {
            self.song.families[actor.family.index()].index.is_empty()
                && !self.is_daemon(state, *actor)
        };
        let family = other.0.is_family(self.song).then_some(other.0);
        let fits = match family {
            None => single(&other.0),
            Some(family) => self.goes_along(state, family),
        };
        if in_loop || !single(&one.0) || !fits {
            return refuse("two loops of other processes");
        }
        let loops = [self.loop_at(one.1)?, self.loop_at(other.1)?];
        let (index, _) = self.index(loops[0].domain)?;
        if family.is_some() && matches!(index, Index::Members(_)) {
            return refuse("a family goes along with a loop over members");
        }
        if self.index(loops[1].domain)?.0 != index {
            return refuse("two loops with different numbers of rounds");
        }
        let changing: Vec<(Actor, BTreeSet<Var>)> = owners
            .iter()
            .zip(&loops)
            .map(|(owner, this)| (*owner, assigned(this.body)))
            .collect();
        let ways: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let mut state = state.clone();
        let mut vague = Changes::new();
        let ends = loop {
            let mut round = state.clone();
            for (owner, this) in owners.iter().zip(&loops) {
                round.forget(&mut self.numbers, *owner, &assigned(this.body));
                round.forget(&mut self.numbers, *owner, [&Var::Local(this.local)]);
                let mut begins = Position::start(this.body);
                if family == Some(*owner) {
                    begins = state.positions[owner].clone();
                    begins.enter(this.body, true);
                }
                round.positions.insert(*owner, begins);
            }
            round.begin_round();
            round.taken.retain(|(who, _)| !owners.contains(who));
            let mut inside = self.scene(&round, &owners, &index, scene);
            inside.owner = None;
            inside.depth = 2;
            inside.halts = family.map(|one| (one.family, state.positions[&one].clone()));
            let ends = self.ways(round.clone(), &ways, &inside)?;
            let changes = self.changes(&round, &ends, &owners);
            if changes.is_subset(&vague) {
                break ends;
            }
            self.havoc(&mut state, &changes);
            vague.extend(changes);
        };
        let state = &state;
        let Some(first) = ends.first() else {
            return refuse("there is no way through the round");
        };
        for end in &ends {
            let is_done = |owner: &Actor| match family == Some(*owner) {
                true => end.positions[owner] == state.positions[owner],
                false => end.positions[owner].is_end(),
            };
            if !owners.iter().all(is_done) {
                return refuse("the round is not over");
            }
            self.others_stand_still(state, end, &owners)?;
            self.per_round_fits(state, end, Some(&index))?;
            self.stale_is_about(state, end, None)?;
            self.pins_are_known(state, end)?;
            let all = state.queues.keys().chain(end.queues.keys());
            let mut all = all.copied().collect::<BTreeSet<Channel>>().into_iter();
            if !all.all(|channel| sendings(state, &channel) == sendings(end, &channel)) {
                return refuse("a round of two loops leaves messages");
            }
            if bags(end) != bags(first) {
                return refuse("rounds do not all end alike");
            }
        }
        let mut after = state.clone();
        after.per_round = first.per_round.clone();
        self.after_rounds(&mut after, state, &ends, &changing, None);
        if let Some(family) = family {
            after.forget(&mut self.numbers, family, &changing[1].1);
            let had = state.heard_by(family);
            for heard in ends.iter().filter_map(|end| end.heard.get(&family)) {
                let new = heard[had.min(heard.len())..].iter();
                let new = new.map(|from| from.whole());
                after.heard.entry(family).or_default().extend(new);
            }
        }
        for (owner, this) in owners.iter().zip(&loops) {
            after.forget(&mut self.numbers, *owner, [&Var::Local(this.local)]);
            self.advance(&mut after, *owner);
        }
        Ok(after)
    }

    /// Can the members of a family go through their loop along with somebody: nobody of them is looked at by itself, and
    /// nothing is lost or comes too late?
    fn goes_along(&self, state: &SymbolicState<'a>, family: Actor) -> bool {
        let mut actors = state.positions.keys();
        let alone = actors.any(|actor| actor.family == family.family && actor.member.is_some());
        !alone && !self.is_daemon(state, family) && self.faults.are_none()
    }

    /// An arbitrary round.
    fn any_round(
        &mut self,
        before: &SymbolicState<'a>,
        owner: Actor,
        local: plainsong_ir::LocalId,
        body: &'a Block,
    ) -> SymbolicState<'a> {
        let mut round = before.clone();
        round.forget(&mut self.numbers, owner, &assigned(body));
        self.forget_families(&mut round);
        round.forget(&mut self.numbers, owner, [&Var::Local(local)]);
        round.positions.insert(owner, Position::start(body));
        round.begin_round();
        round.taken.retain(|(who, _)| *who != owner);
        round.may_come = self.families_heard(owner.family, body);
        round
    }

    /// Who moves: these, and daemons that are no families.
    pub(crate) fn scene(
        &self,
        round: &SymbolicState<'a>,
        moving: &[Actor],
        index: &Index,
        scene: &Scene<'a>,
    ) -> Scene<'a> {
        let mut frozen = scene.frozen.clone();
        for actor in round.positions.keys() {
            let daemon = !actor.is_family(self.song) && self.is_daemon(round, *actor);
            if !moving.contains(actor) && !daemon {
                frozen.insert(*actor);
            }
        }
        Scene {
            frozen,
            owner: Some(moving[0]),
            index: Some(index.clone()),
            depth: scene.depth + 1,
            beyond: None,
            focus: scene.focus,
            closed: scene.closed,
            halts: scene.halts.clone(),
        }
    }

    /// The families from any member of which a body receives.
    fn families_heard(&self, owner: FamilyId, body: &Block) -> BTreeSet<FamilyId> {
        let mut all = Vec::new();
        every(body, &mut all);
        let mut families = BTreeSet::new();
        for waits in all.into_iter().filter_map(waits) {
            let senders = self.sends.senders(self.song, owner, &waits.accepts());
            if let Ok(Senders::Any(family)) = senders {
                families.insert(family);
            }
        }
        families
    }

    fn forget_families(&mut self, state: &mut SymbolicState<'a>) {
        let families = state.positions.keys().copied();
        let families: Vec<Actor> = families
            .filter(|actor| actor.is_family(self.song))
            .collect();
        for family in families {
            let vars = state.positions[&family].assigned();
            let known = vars
                .iter()
                .filter(|var| state.values.contains_key(&(family, **var)));
            let known: Vec<Var> = known.copied().collect();
            state.forget(&mut self.numbers, family, &known);
        }
    }

    /// Queues of families in which rounds put another message, that says something else.
    fn replaced(
        &self,
        before: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
    ) -> BTreeSet<Channel> {
        let mut found = BTreeSet::new();
        for end in ends {
            for member in came(before, end) {
                let mine = end.queues.iter();
                for (channel, queue) in mine.filter(|(channel, _)| touches(channel, member)) {
                    let home = general(channel);
                    let differ = before.waiting(&home).iter().zip(queue).any(|(old, new)| {
                        let values = new.values.iter();
                        let values: Vec<Symbol> = values
                            .map(|value| value.replace(member, member.whole()))
                            .collect();
                        old.sending != new.sending && values != old.values
                    });
                    if differ {
                        found.insert(home);
                    }
                }
            }
        }
        found
    }

    /// The body is done, members are where they came from, and nothing is left over but for others, once.
    fn round_is_done(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        owner: Actor,
        inside: &Scene<'a>,
    ) -> Result<Left, Refused> {
        if !end.positions[&owner].is_end() {
            return refuse("the round is not over");
        }
        self.others_stand_still(before, end, &[owner])?;
        self.per_round_fits(before, end, inside.index.as_ref())?;
        self.stale_is_about(before, end, None)?;
        self.pins_are_known(before, end)?;
        let members = came(before, end);
        let all = before.queues.keys().chain(end.queues.keys());
        let mut channels: BTreeSet<Channel> = all.copied().collect();
        for member in &members {
            let family = before.queues.keys();
            let family: Vec<Channel> = family
                .filter(|channel| touches(channel, member.whole()))
                .map(|channel| crate::state::redirect(channel, member.whole(), *member))
                .collect();
            channels.extend(family);
        }
        let mut left = Left::new();
        for channel in channels {
            let (from, to, _) = channel;
            let is_members = members.iter().any(|member| touches(&channel, *member));
            let home = match is_members {
                true => general(&channel),
                false => channel,
            };
            let (had, has) = (sendings(before, &home), sendings(end, &channel));
            let goes_out = inside.frozen.contains(&to) && !members.contains(&to);
            let ours = match is_members {
                true => members.contains(&from),
                false => from == owner,
            };
            if goes_out && ours && has.len() > had.len() && has.starts_with(&had) {
                let new = end.waiting(&channel)[had.len()..].iter();
                let new = new.map(|message| {
                    let values = message.values.iter();
                    values
                        .map(|value| value.replace(from, from.whole()))
                        .collect()
                });
                left.insert(home, new.collect());
            } else if is_members && has.len() != had.len() || !is_members && has != had {
                return refuse("a round changes what waits");
            }
        }
        Ok(left)
    }
}

/// The members that came up in a round.
fn came(before: &SymbolicState<'_>, end: &SymbolicState<'_>) -> Vec<Actor> {
    let actors = end.positions.keys().copied();
    actors
        .filter(|actor| !before.positions.contains_key(actor))
        .collect()
}
