//! Which messages a receive or a process with handlers accepts.

use super::VoiceSystem;
use crate::code::refused::Refusals;
use crate::eval::{Eval, Result};
use crate::value::{Pid, Value};
use crate::world::World;
use plainsong_ir::{Accept, FamilyId, MessageId, Source};

/// What is accepted by several accepts, the first that fits taking precedence.
pub(crate) struct Acceptor<'a> {
    system: &'a VoiceSystem,
    world: &'a dyn World,
    slots: &'a [Value],
    /// Each with the one sender it names, if it does.
    accepts: Vec<(&'a Accept, Option<Pid>)>,
}

/// How a message was accepted.
pub(crate) struct Accepted {
    /// By which of the accepts.
    pub(crate) by: usize,
    /// The locals with the names bound.
    pub(crate) slots: Vec<Value>,
}

impl<'a> Acceptor<'a> {
    /// Looks up the senders that the accepts name. The position of an accept comes with a failure.
    pub(crate) fn new(
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

    /// The same, when the senders that the accepts name are known already.
    pub(crate) fn knowing(
        system: &'a VoiceSystem,
        world: &'a dyn World,
        slots: &'a [Value],
        accepts: Vec<(&'a Accept, Option<Pid>)>,
    ) -> Self {
        Acceptor {
            system,
            world,
            slots,
            accepts,
        }
    }

    /// The senders that the accepts name.
    pub(crate) fn senders(&self) -> Vec<Option<Pid>> {
        self.accepts.iter().map(|(_, sender)| *sender).collect()
    }

    /// Is a message accepted, and how?
    pub(crate) fn accept(
        &self,
        kind: MessageId,
        from: Pid,
        payload: &[Value],
    ) -> Result<Option<Accepted>> {
        for (by, (accept, sender)) in self.accepts.iter().enumerate() {
            if accept.message != kind || sender.is_some_and(|pid| pid != from) {
                continue;
            }
            let mut slots = self.slots.to_vec();
            if self.binds(accept, from, payload, &mut slots) && self.passes(accept, &mut slots)? {
                return Ok(Some(Accepted { by, slots }));
            }
        }
        Ok(None)
    }

    /// Is a message of this kind from this sender accepted, if the rest of it fits?
    pub(crate) fn may_accept(&self, kind: MessageId, from: Pid) -> bool {
        self.accepts.iter().any(|(accept, sender)| {
            let is_meant = match accept.source {
                Source::Family(family, ..) => self.is_of(from, family),
                Source::Anyone(_) | Source::Process(_) => true,
            };
            accept.message == kind && sender.is_none_or(|pid| pid == from) && is_meant
        })
    }

    /// Is a message accepted? One whose acceptance fails counts.
    pub(crate) fn wants(&self, kind: MessageId, from: Pid, payload: &[Value]) -> bool {
        let kinds = self.accepts.iter().filter(|(accept, sender)| {
            accept.message == kind && sender.is_none_or(|pid| pid == from)
        });
        for (accept, _) in kinds {
            match (&accept.filter, &accept.source) {
                (None, Source::Process(_) | Source::Anyone(_)) => return true,
                (None, Source::Family(family, ..)) => {
                    if self.is_of(from, *family) {
                        return true;
                    }
                }
                (Some(_), _) => {
                    let mut slots = self.slots.to_vec();
                    if self.binds(accept, from, payload, &mut slots)
                        && self.passes(accept, &mut slots).unwrap_or(true)
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Notes the conditions that refuse a message which nothing accepts.
    pub(crate) fn refuse(
        &self,
        kind: MessageId,
        from: Pid,
        payload: &[Value],
        refusals: &mut Refusals,
    ) {
        if self.wants(kind, from, payload) {
            return;
        }
        let mut eval = Eval::new(&self.system.instance, self.world);
        for (accept, sender) in &self.accepts {
            let mut slots = self.slots.to_vec();
            let is_meant = accept.message == kind
                && sender.is_none_or(|pid| pid == from)
                && self.binds(accept, from, payload, &mut slots);
            if let (true, Some(filter)) = (is_meant, &accept.filter) {
                refusals.is_false(filter, &mut eval, &slots);
            }
        }
    }

    fn is_of(&self, pid: Pid, family: FamilyId) -> bool {
        let members = self.system.instance.members();
        pid.member()
            .is_some_and(|row| members[row].family == family)
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
    fn binds(&self, accept: &Accept, from: Pid, payload: &[Value], slots: &mut [Value]) -> bool {
        for (slot, value) in accept.slots.iter().zip(payload) {
            if let Some(local) = slot {
                slots[local.index()] = value.clone();
            }
        }
        let who = match &accept.source {
            Source::Process(_) => None,
            Source::Anyone(who) => *who,
            Source::Family(family, index, who) => {
                let Some(row) = from.member() else {
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
            slots[local.index()] = Value::Process(from);
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
