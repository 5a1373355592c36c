//! All executions of a system of processes: every interleaving of their steps, each prefix once.

use super::eval::{Store, Undefined, all, eval};
use super::history::{History, Key, Letter, Who};
use super::instance::Instance;
use super::mailroom::{Mail, Offer};
use super::run::{Pause, Thread};
use super::start::Begun;
use super::value::{Value, held, process_text};
use super::{Executions, Halt, Outcome, Stopped, Why};
use plainsong_ir::{
    Accept, Body, Delivery, Expr, Handler, MessageId, Process, Stmt, StmtKind, Voices,
};
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// What tells a prefix from others: the history, who stopped halfway, who has not begun, and what was spent on
/// faults.
type Prefix = (Key, Vec<Halt>, Vec<bool>, Vec<u32>);

/// How many messages one step may send; with more, what happens is too much to enumerate.
const MOST_SENT: usize = 500;

/// All executions; `None` when there are more than `limit` prefixes.
pub(super) fn explore<'a>(
    instance: &'a Instance<'a>,
    voices: &'a Voices,
    delivery: Option<Delivery>,
    limit: usize,
) -> Option<Executions> {
    let mut search = Search::new(instance, voices, delivery);
    let mut seen: HashSet<Prefix> = HashSet::new();
    let mut open = search.start(limit)?;
    while let Some(world) = open.pop() {
        let key = (
            world.history.key(),
            world.halts.clone(),
            world.unbegun(),
            world.spent.clone(),
        );
        if seen.insert(key) {
            if seen.len() > limit || instance.exceeded() {
                return None;
            }
            open.extend(search.visit(&world));
        }
    }
    Some(search.found)
}

/// One process.
pub(super) struct Member<'a> {
    pub(super) process: &'a Process,
    pub(super) index: Vec<Value>,
}

/// Where one process stands.
#[derive(Clone)]
pub(super) enum Actor<'a> {
    /// In the middle of its body.
    Body(Thread<'a>, Pause<'a>),
    /// It has not begun; these are its state variables.
    Fresh(Vec<Value>),
    /// Between two messages; these are its state variables.
    Handlers(&'a [Handler], Vec<Value>),
}

impl Actor<'_> {
    /// Its state variables.
    pub(super) fn vars(&self) -> &[Value] {
        match self {
            Actor::Body(thread, _) => &thread.store.vars,
            Actor::Fresh(vars) | Actor::Handlers(_, vars) => vars,
        }
    }

    /// Why it does nothing any more, if it stopped halfway.
    pub(super) fn halted(&self) -> Option<Why> {
        match self {
            Actor::Body(_, Pause::Failed(reason)) => Some(Why::Failed(reason.clone())),
            Actor::Body(_, Pause::Cut) => Some(Why::CutOff),
            _ => None,
        }
    }
}

/// A prefix of an execution and where it leads.
#[derive(Clone)]
pub(super) struct World<'a> {
    pub(super) history: History,
    /// The processes; participant `w` is number `w - 1` here.
    pub(super) actors: Vec<Rc<Actor<'a>>>,
    /// Processes that stopped halfway, in ascending order.
    pub(super) halts: Vec<Halt>,
    /// Processes that are down.
    pub(super) down: BTreeSet<Who>,
    /// How often each declared fault has happened.
    pub(super) spent: Vec<u32>,
}

impl World<'_> {
    /// Which processes have not begun.
    fn unbegun(&self) -> Vec<bool> {
        let actors = self.actors.iter();
        actors
            .map(|actor| matches!(**actor, Actor::Fresh(_)))
            .collect()
    }
}

pub(super) struct Search<'a> {
    pub(super) instance: &'a Instance<'a>,
    pub(super) voices: &'a Voices,
    delivery: Option<Delivery>,
    pub(super) members: Vec<Member<'a>>,
    /// Who is who: the identities of the participants.
    pub(super) identities: Vec<Value>,
    found: Executions,
}

impl<'a> Search<'a> {
    fn new(
        instance: &'a Instance<'a>,
        voices: &'a Voices,
        delivery: Option<Delivery>,
    ) -> Search<'a> {
        let mut names = vec!["init".to_string()];
        let mut identities = vec![Value::Init];
        let mut members = Vec::new();
        for process in &voices.processes {
            let family = &instance.song.families[process.family.index()];
            let indices = instance
                .indices(&family.index)
                .expect("indices have values");
            for index in indices {
                names.push(process_text(instance.song, process.family, &index));
                identities.push(Value::Process(process.family, index.clone()));
                members.push(Member { process, index });
            }
        }
        let found = Executions {
            names,
            ..Executions::default()
        };
        Search {
            instance,
            voices,
            delivery,
            members,
            identities,
            found,
        }
    }

    /// A store for the code of a process.
    pub(super) fn store(&self, who: Who, vars: Vec<Value>) -> Store {
        let member = &self.members[who - 1];
        Store::new(
            &member.index,
            member.process.locals.len(),
            vars,
            self.identities[who].clone(),
        )
    }

    /// The prefixes that are one step longer; classifies those that end here.
    fn visit(&mut self, world: &World<'a>) -> Vec<World<'a>> {
        let mut next = Vec::new();
        let mut moved = false;
        for who in 1..=self.members.len() {
            if world.down.contains(&who) {
                continue;
            }
            let steps = match &*world.actors[who - 1] {
                Actor::Body(thread, Pause::Before(statement)) => {
                    self.body_steps(world, who, thread, statement)
                }
                Actor::Body(..) => Vec::new(),
                Actor::Fresh(vars) => self.first_steps(world, who, vars),
                Actor::Handlers(handlers, vars) => self.handler_steps(world, who, handlers, vars),
            };
            moved |= !steps.is_empty();
            next.extend(steps.into_iter().map(|step| after(world, who, step)));
        }
        if !moved {
            self.rest(world);
        }
        next.extend(self.faults(world));
        next
    }

    /// What stands before the first communication of a body.
    fn first_steps(
        &self,
        world: &World<'a>,
        who: Who,
        vars: &[Value],
    ) -> Vec<(History, Actor<'a>)> {
        let begun = self.begin(who, &(vars.to_vec(), Vec::new())).into_iter();
        let step = |(_, mut chosen, actor): Begun<'a>| {
            let mut history = world.history.clone();
            history.choose(who, &mut chosen);
            (history, actor)
        };
        begun.map(step).collect()
    }

    /// What a body can do, and where that leads.
    fn body_steps(
        &self,
        world: &World<'a>,
        who: Who,
        thread: &Thread<'a>,
        statement: &'a Stmt,
    ) -> Vec<(History, Actor<'a>)> {
        match &statement.kind {
            StmtKind::Send(message, payload, address) => {
                let (mut history, mut thread) = (world.history.clone(), thread.clone());
                let sent = self.send(&mut history, who, &mut thread, (*message, payload, address));
                match sent {
                    Ok(()) => self.go_on(history, who, thread),
                    Err(undefined) => vec![(history, failed(thread, undefined))],
                }
            }
            StmtKind::Receive(accept) => {
                self.receptions(world, who, thread, &[(accept, &[])], None)
            }
            StmtKind::Select(arms, timeout) => {
                let arms: Vec<_> = arms
                    .iter()
                    .map(|(accept, block)| (accept, &block[..]))
                    .collect();
                self.receptions(world, who, thread, &arms, timeout.as_deref())
            }
            other => unreachable!("a body does not pause at {other:?}"),
        }
    }

    fn receptions(
        &self,
        world: &World<'a>,
        who: Who,
        thread: &Thread<'a>,
        arms: &[(&'a Accept, &'a [Stmt])],
        timeout: Option<&'a [Stmt]>,
    ) -> Vec<(History, Actor<'a>)> {
        let mut steps = Vec::new();
        let accepts: Vec<_> = arms.iter().map(|(accept, _)| *accept).collect();
        match self.mail(world, who).offers(&accepts, &thread.store) {
            Err(undefined) => {
                steps.push((world.history.clone(), failed(thread.clone(), undefined)));
            }
            Ok(offers) => {
                for Offer {
                    sending,
                    arm,
                    bound,
                } in offers
                {
                    let (mut history, mut thread) = (world.history.clone(), thread.clone());
                    history.receive(who, sending);
                    match bound {
                        Ok(store) => {
                            thread.store = store;
                            thread.pass(arms[arm].1);
                            steps.extend(self.go_on(history, who, thread));
                        }
                        Err(undefined) => steps.push((history, failed(thread, undefined))),
                    }
                }
            }
        }
        if let Some(block) = timeout {
            let (mut history, mut thread) = (world.history.clone(), thread.clone());
            history.time_out(who);
            thread.pass(block);
            steps.extend(self.go_on(history, who, thread));
        }
        steps
    }

    fn mail<'w>(&'w self, world: &'w World<'a>, who: Who) -> Mail<'w> {
        let (instance, history) = (self.instance, &world.history);
        Mail {
            instance,
            history,
            identities: &self.identities,
            who,
        }
    }

    /// Runs a body to its next communication.
    fn go_on(&self, history: History, who: Who, thread: Thread<'a>) -> Vec<(History, Actor<'a>)> {
        let reach = |(mut thread, pause): (Thread<'a>, Pause<'a>)| {
            let mut history = history.clone();
            history.choose(who, &mut thread.chosen);
            (history, Actor::Body(thread, pause))
        };
        thread
            .advance(self.instance)
            .into_iter()
            .map(reach)
            .collect()
    }

    /// What a process with handlers can do. A handler that is cut off did not happen.
    fn handler_steps(
        &self,
        world: &World<'a>,
        who: Who,
        handlers: &'a [Handler],
        vars: &[Value],
    ) -> Vec<(History, Actor<'a>)> {
        let store = self.store(who, vars.to_vec());
        let accepts: Vec<_> = handlers.iter().map(|handler| &handler.accept).collect();
        let idle = Thread::new(&[], store.clone());
        let offers = match self.mail(world, who).offers(&accepts, &store) {
            Ok(offers) => offers,
            Err(undefined) => return vec![(world.history.clone(), failed(idle, undefined))],
        };
        let mut steps = Vec::new();
        for Offer {
            sending,
            arm,
            bound,
        } in offers
        {
            let mut history = world.history.clone();
            history.receive(who, sending);
            let store = match bound {
                Ok(store) => store,
                Err(undefined) => {
                    steps.push((history, failed(idle.clone(), undefined)));
                    continue;
                }
            };
            let thread = Thread::new(&handlers[arm].body, store);
            for (history, thread, pause) in self.atomically(history, who, thread) {
                match pause {
                    Pause::Cut => {}
                    Pause::Failed(_) => steps.push((history, Actor::Body(thread, pause))),
                    Pause::End | Pause::Before(_) => {
                        steps.push((history, Actor::Handlers(handlers, thread.store.vars)));
                    }
                }
            }
        }
        steps
    }

    /// Runs code to its end in every possible way, its sends included.
    pub(super) fn atomically(
        &self,
        history: History,
        who: Who,
        thread: Thread<'a>,
    ) -> Vec<(History, Thread<'a>, Pause<'a>)> {
        let mut done = Vec::new();
        let mut open = vec![(history, thread, MOST_SENT)];
        while let Some((history, thread, patience)) = open.pop() {
            let ways = open.len() + done.len();
            if self.instance.listable(Some(ways)).is_err() {
                break;
            }
            for (mut thread, pause) in thread.advance(self.instance) {
                let mut history = history.clone();
                history.choose(who, &mut thread.chosen);
                let Pause::Before(Stmt {
                    kind: StmtKind::Send(message, payload, address),
                    ..
                }) = pause
                else {
                    done.push((history, thread, pause));
                    continue;
                };
                let sent = self.send(&mut history, who, &mut thread, (*message, payload, address));
                match sent {
                    Ok(()) if patience > 0 => open.push((history, thread, patience - 1)),
                    Ok(()) => self.instance.give_up(),
                    Err(Undefined(reason)) => done.push((history, thread, Pause::Failed(reason))),
                }
            }
        }
        done
    }

    /// Does the `send` at which `thread` paused.
    fn send(
        &self,
        history: &mut History,
        who: Who,
        thread: &mut Thread<'a>,
        (message, payload, address): (MessageId, &[Expr], &Expr),
    ) -> Result<(), Undefined> {
        let payload = all(self.instance, payload, &mut thread.store)?;
        let address = eval(self.instance, address, &mut thread.store)?;
        let to = self
            .identities
            .iter()
            .position(|identity| *identity == address);
        let Some(to) = to.filter(|_| address != Value::Init) else {
            return Err(Undefined(format!("{address:?} is nobody's address")));
        };
        let model = self.model(message, to);
        history.send(
            who,
            Letter {
                message,
                payload,
                to,
                model,
            },
        );
        thread.pass(&[]);
        Ok(())
    }

    fn model(&self, message: MessageId, to: Who) -> Delivery {
        let declared = self.voices.messages[message.index()].delivery;
        self.delivery
            .or(declared)
            .unwrap_or(match self.members[to - 1].process.body {
                Body::Sequential(_) => Delivery::Fifo,
                Body::Handlers(_) => Delivery::Unordered,
            })
    }

    /// Nothing can happen any more.
    fn rest(&mut self, world: &World<'a>) {
        if !world.halts.is_empty() {
            let (logs, halts) = (world.history.logs.clone(), world.halts.clone());
            return self.classify(Stopped { logs, halts });
        }
        let waits = |(at, (actor, member)): (usize, (&Rc<Actor<'_>>, &Member<'_>))| {
            matches!(**actor, Actor::Body(_, Pause::Before(_)))
                && !member.process.daemon
                && !world.down.contains(&(at + 1))
        };
        let actors = world.actors.iter().zip(&self.members);
        let blocked = actors.enumerate().any(waits);
        let (logs, outcome) = (world.history.logs.clone(), self.outcome(world));
        if blocked {
            self.found.blocked.insert(logs);
            self.found.blocked_outcomes.insert(outcome);
        } else {
            self.found.complete.insert(logs);
            self.found.outcomes.insert(outcome);
        }
    }

    fn outcome(&self, world: &World<'a>) -> Outcome {
        let song = self.instance.song;
        let mut outcome = Outcome::new();
        for (at, (actor, member)) in world.actors.iter().zip(&self.members).enumerate() {
            let values = actor.vars();
            let declared = &song.families[member.process.family.index()].vars;
            for (var, value) in declared.iter().zip(values) {
                let name = format!("{}.{}", self.found.names[at + 1], var.name);
                outcome.insert(name, held(song, &var.ty, value));
            }
        }
        outcome
    }

    /// Nothing began, because the start of `who` stopped.
    pub(super) fn stop(&mut self, who: Who, history: &History, why: Why) {
        let halts = vec![Halt {
            who,
            step: Vec::new(),
            why,
        }];
        self.classify(Stopped {
            logs: history.logs.clone(),
            halts,
        });
    }

    fn classify(&mut self, stopped: Stopped) {
        let failed = |halt: &Halt| matches!(halt.why, Why::Failed(_));
        if stopped.halts.iter().any(failed) {
            self.found.failed.insert(stopped);
        } else {
            self.found.discarded.insert(stopped);
        }
    }
}

/// The prefix that a step of `who` leads to. A step that stops halfway did not happen, but `who`
/// has come to a halt.
fn after<'a>(world: &World<'a>, who: Who, (history, actor): (History, Actor<'a>)) -> World<'a> {
    let mut next = world.clone();
    if let Some(why) = actor.halted() {
        let step = history.logs[who][world.history.logs[who].len()..].to_vec();
        next.halts.push(Halt { who, step, why });
        next.halts.sort();
    } else {
        next.history = history;
    }
    next.actors[who - 1] = Rc::new(actor);
    next
}

fn failed(thread: Thread<'_>, Undefined(reason): Undefined) -> Actor<'_> {
    Actor::Body(thread, Pause::Failed(reason))
}
