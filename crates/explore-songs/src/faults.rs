//! Faults on the engine: processes that crash and restart, messages that are lost or sent once more.
//!
//! *A crash* is a choice of the process before each of its steps, and a restart one behind a crash: not to
//! suffer is the first option, and the others take from the declared number. In between nobody can tell
//! when a process crashed: what it does next is what makes the difference.
//!
//! *A loss* is decided when somebody misses the message: a receive that reads what should have come later,
//! or waits for ever (`plainsong_explore`'s `faults`). A message that is lost the moment it is sent hinders
//! nobody, so whatever is read could have been read.
//!
//! *A copy* of an `unordered` message can be made the moment the message is sent and may be taken at any time
//! after that; which of the two is taken first makes no difference. So behind the send there are as many
//! copies as there may be, each of which can be taken after the one before has been.
//!
//! What is counted is what [`mod@plainsong_semantics::executions`] counts, and tests compare the two.
//!
//! NOT COVERED, and left to the search through states:
//! - copies of messages that are not `unordered`. Such a copy has a place among what its sender has sent, and the
//!   message itself must not have been read when the sender got there. So what is read late forbids
//!   what was read early, and a part of an execution need not be one;
//! - losses of `mailbox` messages: the engine orders all sends of a mailbox by what was not read first, and does not
//!   know of messages that were not there;
//! - properties of final states that count messages in flight: whether a message is lost that nobody misses
//!   makes a difference there.

use crate::explore::GaveUp;
use crate::process_automata::{EdgeId, Node, NodeId, Roles};
use plainsong_explore::{Budget, Fate as OnTheWay};
use plainsong_semantics::local_process::faults::FaultId;
use plainsong_semantics::local_process::{Letter, Part, Way};

impl Roles {
    /// A process may crash before its next step.
    pub(crate) fn may_crash(&mut self, part: Part, fault: FaultId) -> EdgeId {
        let crash = self.parts.crashes(&part);
        self.perhaps(part, vec![crash], Some(fault as Budget))
    }

    /// What a process that is down does: it stays so, or begins anew.
    pub(crate) fn down(&mut self, lane: usize, part: Part) -> EdgeId {
        let restarts = self.parts.restarts(lane, &part);
        if restarts.is_empty() {
            self.last(|stay| Node::Over(Some(part), stay))
        } else {
            self.perhaps(part, restarts, None)
        }
    }

    /// After the choice at a [`Node::Perhaps`]: without a fault, or with one of them.
    pub(crate) fn suffered(&mut self, lane: usize, at: NodeId, option: usize) -> EdgeId {
        let Node::Perhaps {
            part, faults, next, ..
        } = self.node_at(at)
        else {
            unreachable!("faults are suffered where there are some")
        };
        if let Some(known) = next[option] {
            return known;
        }
        let (part, is_up) = (part.clone(), self.is_up(at));
        let edge = match option.checked_sub(1) {
            Some(fault) => {
                let way = faults[fault].clone();
                self.enter(Some(lane), &way, 0)
            }
            None if is_up => {
                let next = self.parts.next(lane, &part);
                self.act(lane, &part, next)
            }
            None => self.last(|stay| Node::Over(Some(part), stay)),
        };
        if let Node::Perhaps { next, .. } = self.node_at_mut(at) {
            next[option] = Some(edge);
        }
        edge
    }

    /// What may happen to a message that is sent, and to its copies.
    pub(crate) fn on_the_way(&mut self, letter: &Letter) -> Vec<OnTheWay> {
        let kind = letter.kind();
        let loss = self.parts.loss(kind);
        let copy = self.parts.copy(kind);
        if loss.is_some() && letter.model.orders_senders() {
            self.gave_up = Some(GaveUp::LosesFromMailboxes);
            return vec![OnTheWay::Sure];
        }
        if copy.is_some() && letter.model.keeps_order() {
            self.gave_up = Some(GaveUp::CopiesInOrder);
            return vec![OnTheWay::Sure];
        }
        let mut fates = vec![match loss {
            Some(fault) => OnTheWay::Lossy(fault as Budget),
            None => OnTheWay::Sure,
        }];
        if let Some(fault) = copy {
            let most = self.parts.faults()[fault] as usize;
            fates.extend(vec![OnTheWay::Copy(fault as Budget); most.min(MOST_COPIES)]);
            if most > MOST_COPIES {
                self.gave_up = Some(GaveUp::TooManyCopies);
            }
        }
        fates
    }

    /// A choice between these faults and none of them.
    fn perhaps(&mut self, part: Part, faults: Vec<Way>, budget: Option<Budget>) -> EdgeId {
        self.simple(Node::Perhaps {
            next: vec![None; faults.len() + 1],
            part,
            faults,
            budget,
        })
    }

    /// Is it a process that may crash, not one that may restart?
    fn is_up(&self, at: NodeId) -> bool {
        matches!(
            self.node_at(at),
            Node::Perhaps {
                budget: Some(_),
                ..
            }
        )
    }
}

/// The most copies of one message.
const MOST_COPIES: usize = 64;
