//! Going where a trace leads.
//!
//! A guide tells each process, by name, what to receive and what to choose. Receives are narrowed
//! down to the message that the guide names, choices to one option, so that the engine has nothing
//! left to decide. Messages are named by sender, type and number, never by position in the search:
//! a trace survives changes that do not concern its events.

use crate::message::{Envelope, short_type_name};
use crate::shared_context::World;
use crate::task::Task;
use plainsong_explore::Want;
use std::collections::BTreeMap;

/// What each process has to decide.
#[derive(Clone, Debug)]
pub(crate) struct Guide {
    /// By full name.
    pub(crate) decisions: BTreeMap<String, Vec<Decision>>,
    pub(crate) afterwards: Afterwards,
}

/// What a process does when the guide has nothing more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Afterwards {
    /// It goes on as it likes.
    Free,
    /// It stops at its next receive or choice.
    Stop,
}

/// One decision of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Takes these messages: one, none, or a set.
    Receive(Vec<Wanted>),
    /// Waits for ever: what it could have received is lost.
    Wait,
    /// Chooses the option that is printed like this.
    Choose(String),
    /// Loads from the store of this number, or stores as that.
    Store(u32),
}

/// What a receive should do.
pub(crate) struct Receipt {
    /// Take these.
    pub(crate) wanted: Vec<Wanted>,
    /// Or wait for ever.
    pub(crate) waits_in_vain: bool,
}

impl Receipt {
    /// Which receive does that and nothing else.
    pub(crate) fn want(&self, usual: Want) -> Want {
        let count = self.wanted.len() as u32;
        match usual {
            _ if self.waits_in_vain => Want::One,
            Want::One | Want::Maybe if count == 0 => Want::Maybe,
            Want::One | Want::Maybe => Want::One,
            Want::Set { .. } | Want::Each => Want::Set {
                least: count,
                most: count,
            },
        }
    }
}

/// What a monitor sees next.
pub(crate) enum Sight {
    /// Whatever comes.
    Anything,
    /// This message.
    Only(Wanted),
}

impl Decision {
    fn wants_one_of(&self, kinds: &[&str]) -> bool {
        match self {
            Decision::Receive(wanted) => {
                let mut wanted = wanted.iter();
                wanted.any(|wanted| kinds.contains(&wanted.kind.as_str()))
            }
            _ => false,
        }
    }
}

/// A message, by what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Its type, without modules.
    pub(crate) kind: String,
    /// The full name of its sender.
    pub(crate) from: String,
    /// Which of its sender's messages of this type to this mailbox, from 1.
    pub(crate) occurrence: u32,
}

impl Wanted {
    pub(crate) fn is(&self, message: &Envelope) -> bool {
        self.occurrence == message.occurrence
            && short_type_name(message.type_name) == self.kind
            && World::current()
                .is_some_and(|world| world.full_name(message.info.from.0) == self.from)
    }
}

impl Guide {
    /// What the next receive of a process should do; none if it is free.
    pub(crate) fn receive(&self, task: &Task) -> Option<Receipt> {
        match self.next(task)? {
            Decision::Receive(wanted) => Some(Receipt {
                wanted: wanted.clone(),
                waits_in_vain: false,
            }),
            Decision::Wait => Some(Receipt {
                wanted: Vec::new(),
                waits_in_vain: true,
            }),
            Decision::Choose(_) | Decision::Store(_) => task.give_up(),
        }
    }

    /// What a process should choose next; none if it is free.
    pub(crate) fn choice(&self, task: &Task) -> Option<String> {
        match self.next(task)? {
            Decision::Choose(option) => Some(option.clone()),
            _ => task.give_up(),
        }
    }

    /// The number of the store that a process loads from next, or makes; none if it is free.
    pub(crate) fn store(&self, task: &Task) -> Option<u32> {
        match self.next(task)? {
            Decision::Store(number) => Some(*number),
            _ => task.give_up(),
        }
    }

    /// What a monitor that has seen so many messages should see next; none if it has to stop.
    pub(crate) fn monitor(&self, name: &str, seen: usize) -> Option<Sight> {
        let decisions = self.decisions.get(name);
        match decisions.and_then(|decisions| decisions.get(seen)) {
            Some(Decision::Receive(wanted)) => Some(Sight::Only(wanted.first()?.clone())),
            Some(_) => None,
            None if self.afterwards == Afterwards::Stop => None,
            None => Some(Sight::Anything),
        }
    }

    /// Is the next receive of a process to take a message of one of these types? None if it is
    /// free.
    pub(crate) fn wants_one_of(&self, task: &Task, kinds: &[&str]) -> Option<bool> {
        let name = task.world.full_name(task.process);
        let decision = self.decisions.get(&name)?.get(task.decisions.get())?;
        Some(decision.wants_one_of(kinds))
    }

    /// The processes that receive a message of one of these types.
    pub(crate) fn receivers_of(&self, kinds: &[&str]) -> impl Iterator<Item = &str> {
        let receivers = self.decisions.iter().filter(|(_, decisions)| {
            decisions
                .iter()
                .any(|decision| decision.wants_one_of(kinds))
        });
        receivers.map(|(process, _)| process.as_str())
    }

    pub(crate) fn is_free_afterwards(&self) -> bool {
        self.afterwards == Afterwards::Free
    }

    fn next(&self, task: &Task) -> Option<&Decision> {
        let name = task.world.full_name(task.process);
        let at = task.decisions.replace(task.decisions.get() + 1);
        let decision = self
            .decisions
            .get(&name)
            .and_then(|decisions| decisions.get(at));
        if decision.is_none() && self.afterwards == Afterwards::Stop {
            task.give_up();
        }
        decision
    }
}
