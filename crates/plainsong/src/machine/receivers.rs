//! One process receives from a channel at a time.
//!
//! Rust code can hand a receiver on: by a spawn, in a message, in what a lock protects. That orders the receives:
//! the last one is in the causal past of whoever receives next, which is what the engine needs. Receives
//! that nothing orders (a receiver that two processes share behind the exploration's back) are noticed
//! here. They are not explored, and that is said.

use super::Machine;
use super::certain::last_cause;
use crate::failure::{Failure, FailureKind};
use crate::pattern::Pattern;
use crate::shared_context::{Mailboxes, Place};
use plainsong_explore::{EventId, Graph, Kind, Mailbox, Op, Tid};

impl Machine {
    /// Notes who receives from where; false, with a complaint, if somebody else does at the same time.
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
                    if let Some(other) = self.other_receiver(process, other, mailbox, graph) {
                        self.complain(process, other, mailbox);
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Who receives from the mailbox in this execution and has not handed it on, or is about to receive from it
    /// too?
    fn other_receiver(
        &self,
        process: Tid,
        asked: Tid,
        mailbox: Mailbox,
        graph: &Graph<Self>,
    ) -> Option<Tid> {
        let is_handed_on = |last| {
            let known = last_cause(graph, process);
            known.is_some_and(|known| graph.happens_before(last, known))
        };
        let last = graph.last_receive(mailbox);
        let last = last.filter(|last| last.thread != process && !is_handed_on(*last));
        let waits = self.waits_for(asked, mailbox, graph);
        last.map(|last| last.thread).or(waits.then_some(asked))
    }

    /// Does a process wait for a message from the mailbox? What it came to in another execution does not count.
    fn waits_for(&self, process: Tid, mailbox: Mailbox, graph: &Graph<Self>) -> bool {
        let run = self.processes.get(process as usize);
        let run = run.and_then(|entry| entry.run.as_ref());
        let is_now = run.is_some_and(|run| run.consumed <= graph.live(process));
        match self.pending(process).as_deref() {
            Some(Op::Receive { pattern, .. }) => {
                is_now && graph.exists(process) && pattern.mailboxes().contains(&mailbox)
            }
            _ => false,
        }
    }

    fn complain(&self, process: Tid, other: Tid, mailbox: Mailbox) {
        let mut failure = two_receivers(&self.world, process, other, mailbox);
        if let Some(Op::Receive { pattern, .. }) = self.pending(process).as_deref() {
            failure.location = Some(pattern.location.to_string());
        }
        self.world.complaint.replace(Some(failure));
    }
}

/// The first mailbox of an execution from which two processes receive, and nothing orders that.
pub(crate) fn find_two_receivers(graph: &Graph<Machine>) -> Option<(Tid, Tid, Mailbox)> {
    let mut last: Vec<(Mailbox, EventId)> = Vec::new();
    for &id in graph.order() {
        let Kind::Receive { pattern, .. } = &graph.event(id).kind else {
            continue;
        };
        for &mailbox in pattern.mailboxes() {
            match last.iter_mut().find(|known| known.0 == mailbox) {
                Some((_, before)) if !graph.happens_before(*before, id) => {
                    return Some((id.thread, before.thread, mailbox));
                }
                Some((_, before)) => *before = id,
                None => last.push((mailbox, id)),
            }
        }
    }
    None
}

/// What to say about it.
pub(crate) fn two_receivers(
    world: &crate::shared_context::World,
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
        "both {} and {} receive from {whose}, and nothing orders that: this is not explored; hand the \
         receiver on, or use a channel with several receivers (`shared_channel`)",
        world.name(other),
        world.name(process)
    );
    Failure::plain(FailureKind::TwoReceivers, message, None)
}
