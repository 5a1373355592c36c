//! Which kinds of messages are received in some execution, and which in none.
//!
//! A message that nobody ever receives is allowed, and often a mistake: an `i32` was sent where a `u32` is
//! received. So the report of a program without failures names such kinds. A kind is a type and a
//! mailbox; all executions together decide, so a kind is noted when it is first sent and when it is
//! first received, and forgotten never.

use crate::message::{Envelope, short_type_name};
use crate::send::describe_mailbox;
use crate::shared_context::World;
use plainsong_explore::Mailbox;
use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::Location;

/// The kinds of messages of one worker.
#[derive(Default)]
pub(crate) struct Traffic {
    /// By mailbox.
    kinds: RefCell<Vec<Vec<Kind>>>,
    has_changed: Cell<bool>,
}

struct Kind {
    type_id: TypeId,
    type_name: &'static str,
    to: Mailbox,
    sent_at: &'static Location<'static>,
    is_received: bool,
}

/// What people read about a kind, and whether it was received.
pub(crate) type Summary = BTreeMap<String, bool>;

impl Traffic {
    /// Notes that a message was sent.
    pub(crate) fn sent(&self, message: &Envelope) {
        self.note(message, false);
    }

    /// Notes that a message was received, the first time.
    pub(crate) fn received(&self, message: &Envelope) {
        if !message.is_received.replace(true) {
            self.note(message, true);
        }
    }

    fn note(&self, message: &Envelope, is_received: bool) {
        let mut kinds = self.kinds.borrow_mut();
        let at = message.to as usize;
        if at >= kinds.len() {
            kinds.resize_with(at + 1, Vec::new);
        }
        let kinds = &mut kinds[at];
        let known = kinds
            .iter_mut()
            .find(|kind| kind.type_id == message.type_id);
        match known {
            Some(kind) if kind.is_received || !is_received => return,
            Some(kind) => kind.is_received = true,
            None => kinds.push(Kind {
                type_id: message.type_id,
                type_name: message.type_name,
                to: message.to,
                sent_at: message.location,
                is_received,
            }),
        }
        self.has_changed.set(true);
    }

    /// Adds what is new to what all workers know.
    pub(crate) fn add_to(&self, summary: &mut Summary, world: &World) {
        if !self.has_changed.take() {
            return;
        }
        for kind in self.kinds.borrow().iter().flatten() {
            let what = short_type_name(kind.type_name);
            let to = describe_mailbox(world, kind.to);
            let text = format!(
                "no execution receives the `{what}` sent to {to} at {}",
                kind.sent_at
            );
            *summary.entry(text).or_default() |= kind.is_received;
        }
    }
}

/// What is never received.
pub(crate) fn never_received(summary: &Summary) -> impl Iterator<Item = &String> {
    summary
        .iter()
        .filter(|(_, is_received)| !**is_received)
        .map(|(text, _)| text)
}
