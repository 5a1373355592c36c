//! What is left of a family talks to daemons: one arbitrary member, from where it is to its end.
//!
//! Statement. No single process but daemons has anything left to do. One member is followed with the daemons, which
//! may have served any others before: what their rounds assign is forgotten. Every way ends with the member at its end,
//! or, if it stands at a loop that everything ends with, back at it; then what the member's own rounds assign, and
//! what waits in its queues, is forgotten before. Daemons are at their loops, and the same messages wait elsewhere.
//!
//! Why sound. Each conversation of a member with a daemon is closed (`receive.rs`), so rounds of different members do
//! not depend on each other.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::havoc::Changes;
use crate::position::is_endless;
use crate::round::sendings;
use crate::state::{Channel, SymbolicState, redirect, touches};
use crate::{Refused, refuse};
use plainsong_certificate::Event;
use std::collections::BTreeSet;

impl<'a> Checker<'a> {
    /// The state after all members were served.
    pub(crate) fn serves(
        &mut self,
        state: &SymbolicState<'a>,
        family: Actor,
        member: Actor,
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        self.served(state, (family, member), ways, scene, &Changes::new())
    }

    /// The same, when nothing is known of some variables of other families.
    fn served(
        &mut self,
        state: &SymbolicState<'a>,
        (family, member): (Actor, Actor),
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
        vague: &Changes,
    ) -> Result<SymbolicState<'a>, Refused> {
        self.only_families_are_left(state, family, member, scene)?;
        let loops = state.positions[&family].stmt().is_some_and(is_endless);
        if loops && !state.positions[&family].is_at_endless_loop() {
            return refuse("a loop that something comes after");
        }
        let mut round = state.clone();
        round.unfold(member);
        round.begin_round();
        let start = round.positions[&member].clone();
        if loops {
            round.forget(&mut self.numbers, member, &start.assigned());
            let mine = round.queues.keys().copied();
            let mine: Vec<Channel> = mine.filter(|one| touches(one, member)).collect();
            for channel in mine {
                round.forget_messages(&mut self.numbers, &channel);
            }
        }
        self.forget_daemons(&mut round);
        let inside = Scene {
            frozen: self.others(&round, member),
            depth: 1,
            focus: Some(member),
            ..Scene::default()
        };
        let ways_in: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let ends = self.ways(round.clone(), &ways_in, &inside)?;
        let changes = self.changes_of_families(&round, &ends, &[member, family]);
        if !changes.is_subset(vague) {
            let mut state = state.clone();
            self.havoc(&mut state, &changes);
            let vague = vague.union(&changes).copied().collect();
            return self.served(&state, (family, member), ways, scene, &vague);
        }
        let moves = |way: &&[Event]| {
            let mut events = way.iter();
            events.any(|event| is_by(self.song, event, member))
        };
        if ends.is_empty() || !ways_in.iter().all(moves) {
            return refuse("there is no way to the end");
        }
        for end in &ends {
            let is_done = match loops {
                true => end.positions[&member] == start,
                false => end.positions[&member].is_end(),
            };
            if !is_done {
                return refuse("a member is not served");
            }
            self.others_stand_still(state, end, &[member])?;
            self.per_round_fits(state, end, None)?;
            self.stale_is_about(state, end, (!loops).then_some(member))?;
            self.pins_are_known(state, end)?;
            self.nothing_new(state, end, member, loops)?;
        }
        let mut after = state.clone();
        let vars = state.positions[&family].assigned();
        self.after_rounds(&mut after, state, &ends, &[], Some(family.family));
        after.forget(&mut self.numbers, family, &vars);
        if loops {
            after.reactive.insert(family.family);
        } else {
            after.positions.insert(family, Default::default());
            after.queues.retain(|channel, _| !touches(channel, family));
        }
        self.forget_daemons(&mut after);
        Ok(after)
    }

    /// Has nobody but families and daemons anything left to do, and is this one of them, outside of all rounds?
    pub(crate) fn only_families_are_left(
        &self,
        state: &SymbolicState<'a>,
        family: Actor,
        member: Actor,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let mut open = state.positions.iter().filter(|(actor, position)| {
            !actor.is_family(self.song) && !self.is_daemon(state, **actor) && !position.is_end()
        });
        let fits = family.is_family(self.song)
            && family == member.whole()
            && !self.is_daemon(state, family)
            && scene.depth == 0
            && !state.positions[&family].is_end();
        match fits && open.next().is_none() {
            true => Ok(()),
            false => refuse("another process has something left to do"),
        }
    }

    /// Everybody but the member and daemons that are no families.
    pub(crate) fn others(&self, round: &SymbolicState<'a>, member: Actor) -> BTreeSet<Actor> {
        let actors = round.positions.keys().copied();
        actors
            .filter(|actor| *actor != member)
            .filter(|actor| actor.is_family(self.song) || !self.is_daemon(round, *actor))
            .collect()
    }

    /// Forgets what the rounds of daemons assign.
    pub(crate) fn forget_daemons(&mut self, state: &mut SymbolicState<'a>) {
        let actors: Vec<Actor> = state.positions.keys().copied().collect();
        for actor in actors {
            if self.is_daemon(state, actor) {
                let vars = state.positions[&actor].assigned();
                state.forget(&mut self.numbers, actor, &vars);
            }
        }
    }

    /// Elsewhere wait the same messages; with a member that loops, as many.
    fn nothing_new(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        member: Actor,
        loops: bool,
    ) -> Result<(), Refused> {
        let family = member.whole();
        let mut channels: BTreeSet<Channel> = before.queues.keys().copied().collect();
        channels.extend(end.queues.keys().copied());
        for channel in channels {
            let same = if touches(&channel, family) {
                let mine = redirect(&channel, family, member);
                let (had, has) = (before.waiting(&channel), end.waiting(&mine));
                !loops || had.len() == has.len()
            } else if touches(&channel, member) {
                let home = redirect(&channel, member, family);
                loops && before.waiting(&home).len() == end.waiting(&channel).len()
            } else {
                sendings(before, &channel) == sendings(end, &channel)
            };
            if !same {
                return refuse("a message of a member is left over");
            }
        }
        Ok(())
    }
}

/// Is an event a step of this one? A round that nobody begins would show nothing.
fn is_by(song: &plainsong_ir::Song, event: &Event, actor: Actor) -> bool {
    event
        .who()
        .is_some_and(|who| Actor::named(song, who) == Ok(actor))
}
