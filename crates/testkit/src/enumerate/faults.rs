//! Declared faults, from the language reference (5.4).
//!
//! Each is a step of its own, after `init`, at most as often as declared. What stands before the first
//! communication of a body is a step of its own too, as soon as a fault may come before it: it is
//! skipped only where nothing can be seen of it.

use super::history::{Event, Who};
use super::run::Pause;
use super::start::Begun;
use super::value::Value;
use super::voices::{Actor, Search, World};
use plainsong_ir::{FamilyId, FaultKind, MessageId};
use std::rc::Rc;

impl<'a> Search<'a> {
    /// Where every fault that can happen now leads.
    pub(super) fn faults(&mut self, world: &World<'a>) -> Vec<World<'a>> {
        let mut next = Vec::new();
        let faults = &self.voices.faults;
        for (at, fault) in faults.iter().enumerate() {
            if fault.most.is_some_and(|most| world.spent[at] >= most) {
                continue;
            }
            let mut worlds = match fault.kind {
                FaultKind::Crash(family) => self.crashes(world, family),
                FaultKind::Restart(family) => self.restarts(world, family),
                FaultKind::Lose(kind) => self.losses(world, kind),
                FaultKind::Duplicate(kind) => self.copies(world, kind),
            };
            worlds.iter_mut().for_each(|after| after.spent[at] += 1);
            next.append(&mut worlds);
        }
        next
    }

    /// A process that has not ended is down.
    fn crashes(&self, world: &World<'a>, family: FamilyId) -> Vec<World<'a>> {
        let mut next = Vec::new();
        for who in self.of(family) {
            let can = match &*world.actors[who - 1] {
                Actor::Fresh(_) | Actor::Handlers(..) | Actor::Body(_, Pause::Before(_)) => true,
                // One that has stopped halfway could have crashed before.
                Actor::Body(..) => false,
            };
            if can && !world.down.contains(&who) {
                let mut after = world.clone();
                after.down.insert(who);
                after.history.logs[who].push(Event::Crashed);
                next.push(after);
            }
        }
        next
    }

    /// A process that is down begins anew; durable variables keep their values.
    fn restarts(&mut self, world: &World<'a>, family: FamilyId) -> Vec<World<'a>> {
        let mut next = Vec::new();
        for who in self.of(family) {
            if !world.down.contains(&who) {
                continue;
            }
            let kept = world.actors[who - 1].vars().to_vec();
            for (vars, mut chosen) in self.beginnings(who, Some(&kept)) {
                let mut after = world.clone();
                after.down.remove(&who);
                after.history.logs[who].push(Event::Restarted);
                after.history.choose(who, &mut chosen);
                after.actors[who - 1] = Rc::new(self.fresh(who, vars));
                next.push(after);
            }
        }
        next
    }

    fn losses(&self, world: &World<'a>, kind: MessageId) -> Vec<World<'a>> {
        let lost = |sending| {
            let mut after = world.clone();
            after.history.lose(sending);
            after
        };
        let flying = self.flying(world, kind);
        flying.into_iter().map(lost).collect()
    }

    fn copies(&self, world: &World<'a>, kind: MessageId) -> Vec<World<'a>> {
        let doubled = |sending| {
            let mut after = world.clone();
            after.history.copy(sending);
            after
        };
        let flying = self.flying(world, kind);
        flying.into_iter().map(doubled).collect()
    }

    /// The messages of a kind that are in flight.
    fn flying(&self, world: &World<'a>, kind: MessageId) -> Vec<super::history::Sending> {
        let to = (1..=self.members.len()).flat_map(|who| world.history.unread(who));
        to.filter(|sending| world.history.letter(*sending).message == kind)
            .collect()
    }

    fn of(&self, family: FamilyId) -> Vec<Who> {
        let members = self.members.iter().enumerate();
        members
            .filter(|(_, member)| member.process.family == family)
            .map(|(at, _)| at + 1)
            .collect()
    }

    /// A process at its very beginning; further on where nothing can be seen of what lies between.
    pub(super) fn fresh(&self, who: Who, vars: Vec<Value>) -> Actor<'a> {
        let mut begun: Vec<Begun<'a>> = self.begin(who, &(vars.clone(), Vec::new()));
        match &begun[..] {
            [(_, chosen, actor)]
                if chosen.is_empty() && actor.halted().is_none() && actor.vars() == vars =>
            {
                begun.remove(0).2
            }
            _ => Actor::Fresh(vars),
        }
    }
}
