//! One process receives from a channel, and no other.
//!
//! The engine knows for each mailbox the one thread that receives from it. Rust code can hand a
//! receiver on; that is noticed here and reported, because the result would be wrong.

use super::Machine;
use crate::failure::{Failure, FailureKind};
use crate::pattern::Pattern;
use crate::world::{Mailboxes, Place};
use plainsong_explore::{Graph, Kind, Mailbox, Op, Tid};

impl Machine {
    /// Notes who receives from where; false, with a complaint, if somebody else does.
    pub(super) fn is_sole_receiver(
        &mut self,
        process: Tid,
        pattern: &Pattern,
        graph: &Graph<Self>,
    ) -> bool {
        for &mailbox in pattern.mailboxes() {
            let at = mailbox as usize;
            if at >= self.receivers.len() {
                self.receivers.resize(at + 1, None);
            }
            match self.receivers[at].replace(process) {
                Some(other) if other != process => {
                    self.world.receiver_changed.set(true);
                    if self.still_receives(other, mailbox, graph) {
                        self.complain(process, other, mailbox);
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Does a process receive from the mailbox in this execution, or is it about to?
    fn still_receives(&self, process: Tid, mailbox: Mailbox, graph: &Graph<Self>) -> bool {
        let is_about_to = match self.pending(process).as_deref() {
            Some(Op::Receive { pattern, .. }) => pattern.mailboxes().contains(&mailbox),
            _ => false,
        };
        (is_about_to && graph.exists(process))
            || receivers(graph, mailbox).any(|receiver| receiver == process)
    }

    fn complain(&self, process: Tid, other: Tid, mailbox: Mailbox) {
        let mut failure = two_receivers(&self.world, process, other, mailbox);
        if let Some(Op::Receive { pattern, .. }) = self.pending(process).as_deref() {
            failure.location = Some(pattern.location.to_string());
        }
        self.world.complaint.replace(Some(failure));
    }
}

/// The first mailbox of an execution from which two processes receive.
pub(crate) fn find_two_receivers(graph: &Graph<Machine>) -> Option<(Tid, Tid, Mailbox)> {
    let mut known: Vec<(Mailbox, Tid)> = Vec::new();
    for &id in graph.order() {
        let Kind::Receive { pattern, .. } = &graph.event(id).kind else {
            continue;
        };
        for &mailbox in pattern.mailboxes() {
            match known.iter().find(|known| known.0 == mailbox) {
                Some(&(_, other)) if other != id.thread => {
                    return Some((id.thread, other, mailbox));
                }
                Some(_) => {}
                None => known.push((mailbox, id.thread)),
            }
        }
    }
    None
}

/// What to say about it.
pub(crate) fn two_receivers(
    world: &crate::world::World,
    process: Tid,
    other: Tid,
    mailbox: Mailbox,
) -> Failure {
    let whose = match Mailboxes::place(mailbox) {
        Place::Process(owner) => format!("the mailbox of {}", world.name(owner)),
        Place::Result(owner) => format!("the result of {}", world.name(owner)),
        Place::Channel(channel) => {
            format!(
                "channel `{}`",
                world.mailboxes.borrow().channel_name(channel)
            )
        }
    };
    let message = format!(
        "both {} and {} receive from {whose}: only one process can",
        world.name(other),
        world.name(process)
    );
    Failure::plain(FailureKind::TwoReceivers, message, None)
}

fn receivers(graph: &Graph<Machine>, mailbox: Mailbox) -> impl Iterator<Item = Tid> {
    graph
        .order()
        .iter()
        .filter_map(move |&id| match &graph.event(id).kind {
            Kind::Receive { pattern, .. } if pattern.mailboxes().contains(&mailbox) => {
                Some(id.thread)
            }
            _ => None,
        })
}
