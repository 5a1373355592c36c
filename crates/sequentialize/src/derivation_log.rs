//! The derivation log: what happened on the way to a state, the raw material of the line.
//!
//! A story is a list that grows at its end and shares its beginning with the stories it branched from.

use crate::process_code::{BlockId, Over, Var};
use crate::value::Comp;
use plainsong_ir::FamilyId;
use std::rc::Rc;

/// What happened so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story(Option<Rc<Chapter>>);

#[derive(Debug)]
struct Chapter {
    before: Story,
    event: Event,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) comp: Comp,
    pub(crate) block: BlockId,
    pub(crate) at: u32,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A local statement.
    Did(At),
    /// A member was chosen by a statement.
    Chose(At, Comp),
    /// A statement sent a message to a process; sendings are numbered.
    Sent(At, u32, Comp),
    /// What a process holds is any of what other rounds left it with: rounds interleave.
    Forgot(At, Rc<[Var]>),
    /// A daemon is at the head of its loop, of which it claims something.
    Claimed(At),
    /// A statement received what was sent under this number, from a process.
    Received {
        at: At,
        /// Which of the kinds that the statement takes.
        arm: usize,
        sent: u32,
        from: Comp,
        /// One of the messages that a loop left per round: nobody knows which.
        per_round: bool,
    },
    /// A member was unfolded because it comes first.
    Serves(Comp),
    /// A statement took one of its branches, for a reason that is numbered like it.
    Took(At, usize),
    /// A loop over the members of a family, or all of its members against the daemons.
    Each {
        at: At,
        family: FamilyId,
        member: Comp,
        second: Comp,
        rounds: bool,
        /// The family that each member talks to, where it is none of daemons.
        with: Option<FamilyId>,
        leaves: Rc<[Story]>,
    },
    /// A loop with a number of rounds.
    Repeat {
        at: At,
        partner: Option<At>,
        over: Over,
        leaves: Rc<[Story]>,
    },
}

impl Event {
    /// The statement it is about.
    pub(crate) fn at(&self) -> Option<At> {
        match self {
            Event::Did(at)
            | Event::Chose(at, _)
            | Event::Sent(at, ..)
            | Event::Forgot(at, _)
            | Event::Claimed(at)
            | Event::Took(at, _) => Some(*at),
            Event::Received { at, .. } | Event::Each { at, .. } | Event::Repeat { at, .. } => {
                Some(*at)
            }
            Event::Serves(_) => None,
        }
    }
}

impl Story {
    /// Goes on.
    pub(crate) fn push(&mut self, event: Event) {
        let before = std::mem::take(self);
        *self = Story(Some(Rc::new(Chapter { before, event })));
    }

    /// Everything, in order.
    pub(crate) fn events(&self) -> Vec<&Event> {
        let mut events = Vec::new();
        let mut chapter = &self.0;
        while let Some(one) = chapter {
            events.push(&one.event);
            chapter = &one.before.0;
        }
        events.reverse();
        events
    }
}
