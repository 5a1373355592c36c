//! Who sends what to whom.

use super::Small;
use plainsong_ir::{FamilyId, MessageId};

/// The messages of a program, in an order in which they could be sent and received.
pub(in crate::random_song) struct Plan {
    /// What `init` sends, and to whom.
    pub(super) first: Option<(MessageId, FamilyId)>,
    /// What the processes send.
    pub(super) steps: Vec<Step>,
    /// Families with handlers.
    reacting: Vec<FamilyId>,
}

/// Every member of `from` sends `message` to every member of `to`, or to the one like itself.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) message: MessageId,
    pub(super) from: FamilyId,
    pub(super) to: FamilyId,
    /// Only to the member with the sender's own index.
    pub(super) like_itself: bool,
}

/// How many sends and receives all members together may do, as planned.
const LIMIT: usize = 10;

impl Plan {
    /// Has this family handlers?
    pub(super) fn reacts(&self, family: FamilyId) -> bool {
        self.reacting.contains(&family)
    }
}

impl Small {
    pub(super) fn plan(&mut self) -> Plan {
        let mut steps: Vec<Step> = Vec::new();
        let mut cost = 0;
        for _ in 0..self.composer.dice.between(2, 6) {
            let step = self.step();
            cost += 2 * self.messages_of(&step);
            if cost > LIMIT {
                break;
            }
            steps.push(step);
        }
        let first = self.composer.dice.once_in(5).then(|| {
            let message = self.some_message();
            (message, self.some_family())
        });
        let all = self.composer.processes.clone();
        let silent = all
            .into_iter()
            .filter(|family| steps.iter().all(|step| step.from != *family));
        let reacting = silent.filter(|_| self.composer.dice.once_in(3)).collect();
        Plan {
            first,
            steps,
            reacting,
        }
    }

    fn step(&mut self) -> Step {
        let from = self.some_family();
        let mut to = self.some_family();
        if to == from && !self.composer.dice.once_in(3) {
            to = self.some_family();
        }
        let index = |family: FamilyId| {
            self.composer.song.families[family.index()]
                .index
                .first()
                .map(|row| row.ty.clone())
        };
        let alike = index(from).is_some() && index(from) == index(to);
        let like_itself = alike && self.composer.dice.once_in(2);
        Step {
            message: self.some_message(),
            from,
            to,
            like_itself,
        }
    }

    /// How many messages a step sends.
    fn messages_of(&self, step: &Step) -> usize {
        let receivers = if step.like_itself {
            1
        } else {
            self.members[step.to.index()]
        };
        self.members[step.from.index()] * receivers
    }

    pub(super) fn some_message(&mut self) -> MessageId {
        MessageId::from(self.composer.dice.below(self.composer.messages.len()))
    }

    pub(super) fn some_family(&mut self) -> FamilyId {
        *self.composer.dice.pick(&self.composer.processes)
    }
}
