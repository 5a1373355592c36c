//! States as engines see them that compare states by what is pending.
//!
//! An [`Idle`] is a state taken apart: the bag of [`Task`]s whose order nobody looks at (pending asyncs,
//! and messages delivered `unordered`), and the rest, which is a state without them.
//!
//! *Why the parts are independent.* No statement reads the bag: `pending` stands in properties only. A
//! step takes at most one task and leaves some, and whether it is possible depends on the rest and on that
//! task alone: `unordered` messages have precedence over nothing. So the steps of a state are those of
//! its rest with an empty bag and, for each task, those of the rest with only this task; further tasks in
//! the bag stay where they are. Everything that can happen with a bag can happen with a greater one.
//!
//! Where a `causal` message is in flight this is not so: every message carries part of the causal past. In
//! such a state the bag is empty and the whole network is part of the rest; likewise `fifo` and `mailbox`
//! messages always are.

use crate::actions::config::Pending;
use crate::machine::{Config, Form, Machine, Step, Taken};
use crate::show::show;
use crate::trace::EventKind;
use crate::value::{Pid, Value};
use crate::voices::config::VoicesConfig;
use crate::voices::network::InFlight;
use plainsong_ir::{Body, FamilyId, Process, Ty};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message or a pending async that waits to be taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task(Waits);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Waits {
    Message(InFlight),
    Async(Pending),
}

/// A state: what is pending without order, and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The state without the bag.
    pub rest: Config,
    /// The bag, ascending.
    pub bag: Vec<Task>,
}

/// Whom a step serves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Served {
    /// It takes this message or async.
    Task(Task),
    /// A body goes on by itself.
    Lane(usize),
    /// Nobody who waits for it: `init`, a time-out, a fault, an action that is always on offer.
    Nobody,
}

impl Idle {
    /// Takes a state apart.
    pub fn of(config: &Config) -> Idle {
        let mut rest = config.clone();
        let mut bag = Vec::new();
        match &mut rest.0 {
            Form::Voices(config) => {
                let messages = config.network.messages();
                let is_causal = |message: &InFlight| message.model.needs_causes();
                if !messages.iter().any(is_causal) {
                    let unordered = |message: &InFlight| !message.model.keeps_order();
                    let taken = config.network.split_off(unordered);
                    bag.extend(taken.into_iter().map(|one| Task(Waits::Message(one))));
                }
            }
            Form::Actions(config) => {
                let taken = std::mem::take(&mut config.pending).into_iter();
                bag.extend(taken.map(|one| Task(Waits::Async(one))));
            }
            Form::Line(_) => {}
        }
        bag.sort();
        Idle { rest, bag }
    }

    /// Puts a rest and a bag together.
    pub fn join(rest: &Config, bag: impl IntoIterator<Item = Task>) -> Config {
        let mut whole = rest.clone();
        for task in bag {
            match (&mut whole.0, task.0) {
                (Form::Voices(config), Waits::Message(message)) => {
                    config.network.put_back(message);
                }
                (Form::Actions(config), Waits::Async(pending)) => config.pending.push(pending),
                _ => panic!("a task belongs to the form that it was taken from"),
            }
        }
        match &mut whole.0 {
            Form::Voices(config) => config.network.normalise(),
            Form::Actions(config) => config.pending.sort(),
            Form::Line(_) => {}
        }
        whole
    }
}

impl Config {
    /// How much waits in queues, with what each message carries of its past: so much has to be copied and compared with
    /// every step.
    pub fn queued(&self) -> usize {
        match &self.0 {
            Form::Voices(config) => {
                let messages = config.network.messages().iter();
                messages.map(InFlight::weight).sum()
            }
            Form::Actions(_) | Form::Line(_) => 0,
        }
    }
}

impl Task {
    /// An action that is always on offer, as if it were pending.
    pub(crate) fn offered(offer: &Pending) -> Task {
        Task(Waits::Async(offer.clone()))
    }

    /// Every message in flight, whatever its model, without its past.
    pub(crate) fn messages(config: &Config) -> Vec<Task> {
        match &config.0 {
            Form::Voices(config) => {
                let messages = config.network.messages().iter();
                let each = messages.map(|one| Task(Waits::Message(one.without_past())));
                each.collect()
            }
            Form::Actions(_) | Form::Line(_) => Vec::new(),
        }
    }

    /// The payload or the arguments.
    pub fn values(&self) -> &[Value] {
        match &self.0 {
            Waits::Message(message) => &message.payload,
            Waits::Async(pending) => &pending.arguments,
        }
    }

    /// The kind of message or the action, by position.
    pub fn kind(&self) -> usize {
        match &self.0 {
            Waits::Message(message) => message.kind.index(),
            Waits::Async(pending) => pending.action.index(),
        }
    }

    /// The receiver of a message, as a row of the instance's table of members.
    pub fn receiver(&self) -> Option<usize> {
        match &self.0 {
            Waits::Message(message) => message.to.member(),
            Waits::Async(_) => None,
        }
    }

    /// Its number in the order of sending.
    pub fn age(&self) -> u64 {
        match &self.0 {
            Waits::Message(message) => message.number.0,
            Waits::Async(pending) => pending.number.0,
        }
    }

    /// The same task with another payload.
    #[must_use]
    pub fn with_values(&self, values: Arc<[Value]>) -> Task {
        let mut task = self.clone();
        match &mut task.0 {
            Waits::Message(message) => message.payload = values,
            Waits::Async(pending) => pending.arguments = values,
        }
        task
    }
}

impl Step {
    /// The message or async that it takes out, or that it is a fault of.
    pub fn takes(&self) -> Option<Task> {
        match &self.taken {
            Some(Taken::Message(message) | Taken::Hit(message)) => {
                Some(Task(Waits::Message(message.without_past())))
            }
            Some(Taken::Async(pending)) => Some(Task(Waits::Async(pending.clone()))),
            Some(Taken::Offer(_) | Taken::Awaited(_)) | None => None,
        }
    }

    pub fn served(&self) -> Served {
        match (&self.taken, self.takes()) {
            (Some(Taken::Message(_) | Taken::Async(_)), Some(task)) => Served::Task(task),
            (Some(_), _) => Served::Nobody,
            (None, _) => match (self.kind, self.lane) {
                (EventKind::Start | EventKind::Send, Some(lane)) => Served::Lane(lane),
                _ => Served::Nobody,
            },
        }
    }
}

impl Machine {
    /// A state without its bag in words: `node[0].parent = none, node[1] is down`. Of bodies it says where they stand and what
    /// they have in hand, of queues what waits in them: `left at 3, left: n = 2, Ball from right to left`.
    pub fn rest(&self, rest: &Config) -> String {
        let has_begun = match &rest.0 {
            Form::Voices(config) => config.begun,
            Form::Actions(config) => config.begun,
            Form::Line(_) => true,
        };
        let variables = self.variables(rest).into_iter();
        let mut words: Vec<String> = variables
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if let Form::Voices(config) = &rest.0 {
            let name = |lane: usize| self.instance().members()[lane].name.clone();
            words.extend(config.trouble.words(name));
            words.extend(self.bodies(config));
            let queued = config.network.messages().iter();
            words
                .extend(queued.map(|one| self.task_and_origin(&Task(Waits::Message(one.clone())))));
        }
        match has_begun {
            true => words.join(", "),
            false => format!("before init: {}", words.join(", ")),
        }
    }

    /// Where bodies stand, and what they have in hand.
    fn bodies(&self, config: &VoicesConfig) -> Vec<String> {
        let song = self.instance().song();
        let voices = song
            .voices()
            .into_iter()
            .flat_map(|voices| &voices.processes);
        let bodies = voices.filter(|process| matches!(process.body, Body::Sequential(_)));
        let bodies: BTreeMap<FamilyId, &Process> =
            bodies.map(|process| (process.family, process)).collect();
        let mut words = Vec::new();
        for (member, voice) in self.instance().members().iter().zip(&config.voices) {
            let Some(process) = bodies.get(&member.family) else {
                continue;
            };
            words.push(format!("{} at {}", member.name, voice.pc));
            for (local, value) in process.locals.iter().zip(&voice.slots) {
                // A name that has no value yet.
                if *value == Value::None && !matches!(local.ty, Ty::Option(_)) {
                    continue;
                }
                let value = show(self.instance(), value, &local.ty);
                words.push(format!("{}: {} = {value}", member.name, local.name));
            }
        }
        words
    }

    /// A task in words: `Search(Node#1) to node[0]`.
    pub fn task(&self, task: &Task) -> String {
        match (&task.0, &self.form) {
            (Waits::Message(message), _) => {
                let label = self.message(message.kind, &message.payload);
                match self.process(message.to) {
                    Some(to) => format!("{label} to {to}"),
                    None => label,
                }
            }
            (Waits::Async(pending), Form::Actions(system)) => system.text(pending),
            (Waits::Async(_), _) => panic!("only actions have asyncs"),
        }
    }
    /// A task in words that no other task has: also from whom a message comes.
    pub fn task_and_origin(&self, task: &Task) -> String {
        let words = self.task(task);
        let origin = match &task.0 {
            Waits::Message(message) => self.process(message.from),
            Waits::Async(_) => None,
        };
        match origin {
            Some(from) => format!("{words} from {from}"),
            None => words,
        }
    }

    fn process(&self, pid: Pid) -> Option<&str> {
        let row = pid.member()?;
        Some(&self.instance().members()[row].name)
    }
}
