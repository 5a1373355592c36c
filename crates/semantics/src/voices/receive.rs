//! Which messages a receive or a process with handlers accepts.

use super::VoiceSystem;
use super::network::Flying;
use crate::eval::{Eval, Result};
use crate::value::{Pid, Value};
use crate::world::World;
use plainsong_ir::{Accept, Source};

/// What is accepted by several accepts, the first that fits taking precedence.
pub(super) struct Acceptor<'a> {
    system: &'a VoiceSystem,
    world: &'a dyn World,
    slots: &'a [Value],
    /// Each with the one sender it names, if it does.
    accepts: Vec<(&'a Accept, Option<Pid>)>,
}

/// How a message was accepted.
pub(super) struct Accepted {
    /// By which of the accepts.
    pub(super) by: usize,
    /// The locals with the names bound.
    pub(super) slots: Vec<Value>,
}

impl<'a> Acceptor<'a> {
    /// Looks up the senders that the accepts name. The position of an accept comes with a failure.
    pub(super) fn new(
        system: &'a VoiceSystem,
        world: &'a dyn World,
        slots: &'a [Value],
        accepts: &[&'a Accept],
    ) -> std::result::Result<Self, (usize, crate::trace::Failure)> {
        let mut acceptor = Acceptor {
            system,
            world,
            slots,
            accepts: Vec::new(),
        };
        for (at, accept) in accepts.iter().enumerate() {
            let sender = acceptor.sender(accept).map_err(|failure| (at, failure))?;
            acceptor.accepts.push((accept, sender));
        }
        Ok(acceptor)
    }

    /// Is the message accepted, and how?
    pub(super) fn accept(&self, message: &Flying) -> Result<Option<Accepted>> {
        for (by, (accept, sender)) in self.accepts.iter().enumerate() {
            if accept.message != message.kind || sender.is_some_and(|pid| pid != message.from) {
                continue;
            }
            let mut slots = self.slots.to_vec();
            if self.binds(accept, message, &mut slots) && self.passes(accept, &mut slots)? {
                return Ok(Some(Accepted { by, slots }));
            }
        }
        Ok(None)
    }

    fn sender(&self, accept: &Accept) -> Result<Option<Pid>> {
        match &accept.source {
            Source::Process(process) => {
                let mut slots = self.slots.to_vec();
                let value =
                    Eval::new(&self.system.instance, self.world).expr(process, &mut slots)?;
                Ok(Some(value.pid()))
            }
            Source::Anyone(_) | Source::Family(..) => Ok(None),
        }
    }

    /// Gives the names their values; false when the sender is of another family.
    fn binds(&self, accept: &Accept, message: &Flying, slots: &mut [Value]) -> bool {
        for (slot, value) in accept.slots.iter().zip(message.payload.iter()) {
            if let Some(local) = slot {
                slots[local.index()] = value.clone();
            }
        }
        let who = match &accept.source {
            Source::Process(_) => None,
            Source::Anyone(who) => *who,
            Source::Family(family, index, who) => {
                let Some(row) = message.from.member() else {
                    return false;
                };
                let member = &self.system.instance.members()[row];
                if member.family != *family {
                    return false;
                }
                for (local, value) in index.iter().zip(&member.index) {
                    slots[local.index()] = value.clone();
                }
                *who
            }
        };
        if let Some(local) = who {
            slots[local.index()] = Value::Process(message.from);
        }
        true
    }

    fn passes(&self, accept: &Accept, slots: &mut [Value]) -> Result<bool> {
        match &accept.filter {
            None => Ok(true),
            Some(filter) => Eval::new(&self.system.instance, self.world).truth(filter, slots),
        }
    }
}
