//! How executions of a system of processes begin.
//!
//! First the state variables get their values, then `init` runs, then each body does what stands
//! before its first communication. The bodies do not see each other, so each is run alone; one that
//! stops there does not keep the others from beginning. A state variable without a value, or an
//! `init` that stops, does.

use super::eval::{Store, Undefined, eval};
use super::history::{Event, History, Who};
use super::instance::Instance;
use super::run::{Pause, Thread, candidates};
use super::value::Value;
use super::voices::{Actor, Member, Search, World};
use super::{Halt, Why};
use plainsong_ir::{Body, StartValue};
use std::collections::BTreeSet;
use std::rc::Rc;

/// State variables, and the values chosen for them.
pub(super) type Beginning = (Vec<Value>, Vec<Value>);

/// A process at its first communication: what it chose for its state variables, what it chose
/// afterwards, and where it stands.
pub(super) type Begun<'a> = (Vec<Value>, Vec<Value>, Actor<'a>);

impl<'a> Search<'a> {
    /// The prefixes with which executions begin: state variables, then `init`, then each body up
    /// to its first communication.
    /// `None` when there are more than `limit`.
    pub(super) fn start(&mut self, limit: usize) -> Option<Vec<World<'a>>> {
        match self.instance.parameters_allowed() {
            Ok(true) => {}
            Ok(false) => return Some(Vec::new()),
            Err(Undefined(reason)) => {
                let history = History::new(self.members.len() + 1);
                self.stop(0, &history, Why::Failed(reason));
                return Some(Vec::new());
            }
        }
        let beginnings: Vec<Vec<Beginning>> = (1..=self.members.len())
            .map(|who| self.beginnings(who, None))
            .collect();
        if beginnings.iter().any(Vec::is_empty) {
            return Some(Vec::new());
        }
        let mut worlds = Vec::new();
        for history in self.init() {
            worlds.extend(self.open(&history, &beginnings, limit)?);
        }
        Some(worlds)
    }

    /// The ways in which the state variables of a process can start.
    /// A durable one keeps its value.
    pub(super) fn beginnings(&mut self, who: Who, kept: Option<&[Value]>) -> Vec<Beginning> {
        let Member { process, index } = &self.members[who - 1];
        let (process, index) = (*process, index.clone());
        let identity = self.identities[who].clone();
        let mut open: Vec<Beginning> = vec![(Vec::new(), Vec::new())];
        let declared = &self.instance.song.families[process.family.index()].vars;
        for (at, var) in declared.iter().enumerate() {
            if let Some(kept) = kept.filter(|_| var.durable) {
                open.iter_mut()
                    .for_each(|(vars, _)| vars.push(kept[at].clone()));
                continue;
            }
            let mut longer = Vec::new();
            for (vars, chosen) in open {
                let mut store =
                    Store::new(&index, var.locals.len(), vars.clone(), identity.clone());
                match start_values(self.instance, &var.start, &mut store) {
                    Ok((values, free)) => {
                        if values.is_empty() {
                            self.stop(who, &self.only(who, &chosen), Why::CutOff);
                        }
                        for value in values {
                            let choice = if free {
                                vec![value.clone()]
                            } else {
                                Vec::new()
                            };
                            let chosen = [chosen.clone(), choice].concat();
                            longer.push(([vars.clone(), vec![value]].concat(), chosen));
                        }
                    }
                    Err(Undefined(reason)) => {
                        self.stop(who, &self.only(who, &chosen), Why::Failed(reason));
                    }
                }
            }
            open = longer;
        }
        open
    }

    /// The history in which only `who` did something: it chose.
    fn only(&self, who: Who, chosen: &[Value]) -> History {
        let mut history = History::new(self.members.len() + 1);
        history.choose(who, &mut chosen.to_vec());
        history
    }

    /// The histories that `init` can leave behind.
    fn init(&mut self) -> Vec<History> {
        let history = History::new(self.members.len() + 1);
        let Some(code) = &self.voices.init else {
            return vec![history];
        };
        let store = Store::new(&[], code.locals.len(), Vec::new(), Value::Init);
        let mut done = Vec::new();
        for (history, _, pause) in self.atomically(history, 0, Thread::new(&code.body, store)) {
            match pause {
                Pause::Failed(reason) => self.stop(0, &history, Why::Failed(reason)),
                Pause::Cut => self.stop(0, &history, Why::CutOff),
                Pause::End | Pause::Before(_) => done.push(history),
            }
        }
        done
    }

    /// Every combination of how the processes can begin after `init`.
    fn open(
        &self,
        history: &History,
        beginnings: &[Vec<Beginning>],
        limit: usize,
    ) -> Option<Vec<World<'a>>> {
        let empty = World {
            history: history.clone(),
            actors: Vec::new(),
            halts: Vec::new(),
            down: BTreeSet::new(),
            spent: vec![0; self.voices.faults.len()],
        };
        let mut worlds = vec![empty];
        for (at, beginnings) in beginnings.iter().enumerate() {
            let begun: Vec<Begun<'a>> = match self.voices.faults.is_empty() {
                true => beginnings
                    .iter()
                    .flat_map(|beginning| self.begin(at + 1, beginning))
                    .collect(),
                false => beginnings
                    .iter()
                    .map(|(vars, chosen)| {
                        let actor = self.fresh(at + 1, vars.clone());
                        (chosen.clone(), Vec::new(), actor)
                    })
                    .collect(),
            };
            if worlds.len().saturating_mul(begun.len()) > limit {
                return None;
            }
            let joined = |world: &World<'a>| -> Vec<World<'a>> {
                begun
                    .iter()
                    .map(|begun| join(world, at + 1, begun))
                    .collect()
            };
            worlds = worlds.iter().flat_map(joined).collect();
        }
        Some(worlds)
    }

    /// Runs a process to its first communication.
    pub(super) fn begin(&self, who: Who, (vars, chosen): &Beginning) -> Vec<Begun<'a>> {
        let (vars, chosen) = (vars.clone(), chosen.clone());
        let body = match &self.members[who - 1].process.body {
            Body::Handlers(handlers) => {
                return vec![(chosen, Vec::new(), Actor::Handlers(handlers, vars))];
            }
            Body::Sequential(body) => body,
        };
        let ways = Thread::new(body, self.store(who, vars)).advance(self.instance);
        let begun = |(mut thread, pause): (Thread<'a>, Pause<'a>)| {
            let more = std::mem::take(&mut thread.chosen);
            (chosen.clone(), more, Actor::Body(thread, pause))
        };
        ways.into_iter().map(begun).collect()
    }
}

/// Adds one more process, which begins like this.
fn join<'a>(world: &World<'a>, who: Who, (chosen, more, actor): &Begun<'a>) -> World<'a> {
    let mut world = world.clone();
    world.history.choose(who, &mut chosen.clone());
    match actor.halted() {
        Some(why) => {
            let step = more.iter().cloned().map(Event::Chose).collect();
            world.halts.push(Halt { who, step, why });
        }
        None => world.history.choose(who, &mut more.clone()),
    }
    world.actors.push(Rc::new(actor.clone()));
    world
}

/// The values with which a variable can start, and whether that is a choice.
pub(super) fn start_values(
    instance: &Instance<'_>,
    start: &StartValue,
    store: &mut Store,
) -> Result<(Vec<Value>, bool), Undefined> {
    match start {
        StartValue::Value(value) => Ok((vec![eval(instance, value, store)?], false)),
        StartValue::Choice(choice) => Ok((candidates(instance, choice, store)?, true)),
    }
}
