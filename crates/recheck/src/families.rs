//! Every member of one family has a conversation with every member of another.
//!
//! Statement. No single process but daemons has anything left to do. All members of `Q` are at a loop with as many rounds
//! as `P` has members, whose name is no address, and whose body receives from any of them. One member of `P` is followed
//! while every member of `Q` goes through the body once, as a daemon whose round it is. Every way ends with the member of
//! `P` in the same place, with as many messages in each of its queues; all of `Q` is at the end of the body, and
//! everybody else is where they were, with the same messages. A round of the member with one of `Q` leaves that one at
//! the beginning or at the end of the body (`each.rs`). What either side receives here, the other does not send later,
//! nor does it wait between them in the end. What the body assigns is forgotten before and after.
//!
//! Why sound. This is no loop over `P`: members of `Q` may see those of `P` in different orders. Each conversation is
//! closed, so those of different pairs do not depend on each other, and starts from any state. None is left open while
//! the member goes to the next of `Q`, so no two members of `P` keep what the other needs. Each pair has one, so the
//! rounds of `Q` are as many as they should be, and nothing that comes from behind is taken for one of them.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::havoc::Changes;
use crate::position::{Position, Var, assigned};
use crate::race::waits;
use crate::round::{bags, sendings, shape};
use crate::set_loop::{Names, is_address};
use crate::state::{Channel, Index, SymbolicState, redirect, touches};
use crate::{Refused, refuse};
use plainsong_certificate::Event;
use plainsong_ir::{FamilyId, MessageId, Stmt};
use std::collections::BTreeSet;

impl<'a> Checker<'a> {
    /// The state after all conversations.
    pub(crate) fn pairs(
        &mut self,
        state: &SymbolicState<'a>,
        family: Actor,
        member: Actor,
        with: Actor,
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        self.paired(state, (family, member, with), ways, scene, &Changes::new())
    }

    /// The same, when nothing is known of some variables of other families.
    fn paired(
        &mut self,
        state: &SymbolicState<'a>,
        (family, member, with): (Actor, Actor, Actor),
        ways: &[Vec<Event>],
        scene: &Scene<'a>,
        vague: &Changes,
    ) -> Result<SymbolicState<'a>, Refused> {
        self.only_families_are_left(state, family, member, scene)?;
        if with == family || !with.is_family(self.song) || self.is_daemon(state, with) {
            return refuse("no family that serves another");
        }
        let Some(stmt) = state.positions[&with].stmt() else {
            return refuse("no family that serves another");
        };
        let this = self.loop_at(stmt)?;
        let (index, by_name) = self.index(this.domain)?;
        let fits = index == Index::Members(family.family)
            && !(by_name && is_address(this.body, this.local))
            && self.gathers(with.family, this.body, family.family);
        if !fits {
            return refuse("a family that serves something else");
        }
        let mark = self.numbers.last();
        let mut round = state.clone();
        round.unfold(member);
        round.begin_round();
        round.reactive.insert(with.family);
        round.positions.insert(with, Position::start(this.body));
        let mut vars = assigned(this.body);
        vars.insert(Var::Local(this.local));
        round.forget(&mut self.numbers, with, &vars);
        self.forget_daemons(&mut round);
        let inside = Scene {
            frozen: self.others(&round, member),
            depth: 2,
            closed: Some(with.family),
            ..Scene::default()
        };
        let ways_in: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let ends = self.ways(round.clone(), &ways_in, &inside)?;
        let changes = self.changes_of_families(&round, &ends, &[member, family, with]);
        if !changes.is_subset(vague) {
            let mut state = state.clone();
            self.havoc(&mut state, &changes);
            let vague = vague.union(&changes).copied().collect();
            return self.paired(&state, (family, member, with), ways, scene, &vague);
        }
        let Some(first) = ends.first() else {
            return refuse("there is no way to the end");
        };
        for end in &ends {
            self.pair_is_over(state, end, member, with)?;
            if shape(end, member) != shape(first, member) || bags(end) != bags(first) {
                return refuse("members do not all end alike");
            }
        }
        let mut after = state.clone();
        let left = state.positions[&family].assigned();
        self.after_rounds(&mut after, state, &ends, &[], Some(family.family));
        after.forget(&mut self.numbers, family, &left);
        after.forget(&mut self.numbers, with, &vars);
        self.forget_daemons(&mut after);
        if let Some(position) = after.positions.get_mut(&with) {
            position.advance();
        }
        after
            .positions
            .insert(family, first.positions[&member].clone());
        let heard = self.heard_here(&ends, ways);
        self.are_apart(&after, &ends, member, with, &heard)?;
        self.leave_between(&mut after, &ends, member, mark);
        Ok(after)
    }

    fn pair_is_over(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        member: Actor,
        with: Actor,
    ) -> Result<(), Refused> {
        if !end.positions[&with].is_end() || !end.members(with.family).is_empty() {
            return refuse("a conversation is not over");
        }
        self.others_stand_still(before, end, &[member, with])?;
        self.per_round_fits(before, end, None)?;
        self.stale_is_about(before, end, Some(member))?;
        self.pins_are_known(before, end)?;
        let all = before.queues.keys().chain(end.queues.keys());
        let all: BTreeSet<Channel> = all.copied().collect();
        for channel in all {
            let between = touches(&channel, member) && touches(&channel, with);
            if touches(&channel, member.whole()) || between {
                continue;
            }
            if sendings(before, &channel) != sendings(end, &channel) {
                return refuse("a conversation leaves messages for others");
            }
        }
        Ok(())
    }

    /// Which family receives which kinds here: all that the statements of the ways wait for.
    fn heard_here(
        &self,
        ends: &[SymbolicState<'a>],
        ways: &[Vec<Event>],
    ) -> BTreeSet<(FamilyId, MessageId)> {
        let mut heard = BTreeSet::new();
        let families: BTreeSet<FamilyId> = ends
            .iter()
            .flat_map(|end| end.positions.keys().map(|actor| actor.family))
            .collect();
        for family in families {
            let mut all: Vec<&Stmt> = Vec::new();
            if let plainsong_ir::Body::Sequential(body) = &self.bodies[&family].body {
                crate::position::every(body, &mut all);
            }
            let name = &self.song.families[family.index()].name;
            for stmt in all {
                let happens = |events: &Vec<Event>| receives_at(events, name, stmt.span.start);
                if let Some(waits) = waits(stmt)
                    && ways.iter().any(happens)
                {
                    let kinds = waits.accepts().into_iter().map(|accept| accept.message);
                    heard.extend(kinds.map(|kind| (family, kind)));
                }
            }
        }
        heard
    }

    /// What is received here is not sent again by the other side, and does not wait between them.
    fn are_apart(
        &self,
        after: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        member: Actor,
        with: Actor,
        heard: &BTreeSet<(FamilyId, MessageId)>,
    ) -> Result<(), Refused> {
        let nobody = BTreeSet::new();
        for (family, message) in heard {
            let waits = |end: &SymbolicState<'a>| {
                let mut queues = end.queues.keys();
                queues.any(|channel| {
                    channel.2 == *message && channel.1.family == *family && touches(channel, member)
                })
            };
            let sender = match *family == member.family {
                true => with,
                false => member.whole(),
            };
            let position = &after.positions[&sender];
            if ends.iter().any(waits)
                || !self.is_late_free((after, sender), position, *message, &nobody)
            {
                return refuse("a message may be taken for one of another conversation");
            }
        }
        Ok(())
    }

    /// What waits between the member and the others waits between all of them. What the member sent is said of every
    /// member; what the others sent is different for each pair, and nothing is known of it.
    fn leave_between(
        &mut self,
        after: &mut SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        member: Actor,
        mark: u32,
    ) {
        let family = member.whole();
        let mut names = Names::after(after);
        after.queues.retain(|channel, _| !touches(channel, family));
        for (channel, queue) in &ends[0].queues {
            if touches(channel, member) {
                let home = redirect(channel, member, family);
                let mut queue = queue.clone();
                for (place, message) in queue.iter_mut().enumerate() {
                    for field in 0..message.values.len() {
                        let each = ends.iter().map(|end| {
                            let message = end.waiting(channel).get(place)?;
                            message.values.get(field)
                        });
                        let each: Vec<_> = each.collect();
                        message.values[field] = match channel.0 == member {
                            true => self.of_all(&each, (member, member), mark, &mut names),
                            false => self.numbers.fresh(channel.0),
                        };
                    }
                }
                after.queues.insert(home, queue);
            }
        }
        let stale = ends.iter().flat_map(|end| &end.stale);
        let stale: Vec<Channel> = stale
            .map(|channel| redirect(channel, member, family))
            .collect();
        after.stale.extend(stale);
    }
}

/// Is there a receive of a process at a place?
fn receives_at(events: &[Event], family: &str, place: u32) -> bool {
    let is_of = |who: &str| who.split('#').next() == Some(family);
    events.iter().any(|event| match event {
        Event::Receives { who, at, .. }
        | Event::Collects { who, at, .. }
        | Event::TimesOut { who, at } => is_of(who) && *at == place,
        Event::Each { ways, .. } | Event::Repeats { ways, .. } => {
            ways.iter().any(|way| receives_at(way, family, place))
        }
        _ => false,
    })
}
