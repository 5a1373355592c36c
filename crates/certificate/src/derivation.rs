//! Certificates: the derivation as data.
//!
//! All ways to the end, each a list of events. Ways that begin alike begin with the same events; they part where a
//! process decides, chooses a member, takes a message or does without it. Statements are named by the place in the text
//! where they begin, processes by their names: `db` is every member that is not looked at by itself, `db#7` is one
//! that is.

use serde::{Deserialize, Serialize};

/// A derivation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the format.
    pub version: u32,
    /// The song.
    pub file: String,
    /// Of its text.
    pub hash: String,
    /// The model that delivers all messages, where it is not what the song declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// All ways to the end.
    pub ways: Vec<Vec<Event>>,
}

/// A step of a derivation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A statement that does not communicate.
    Does {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
    },
    /// A message joins its queue.
    Sends {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The receiver.
        to: String,
    },
    /// A message is lost in flight.
    Loses {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
    },
    /// The oldest message of a queue is taken.
    Receives {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The sender.
        from: String,
        /// Which of the kinds that are waited for.
        kind: usize,
    },
    /// A message is taken that a loop left, one per round.
    Collects {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The sender.
        from: String,
    },
    /// A receive is given up.
    TimesOut {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
    },
    /// A decision.
    Decides {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// Which way.
        arm: usize,
    },
    /// A choice of a member of a family.
    Chooses {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        member: String,
    },
    /// A member that comes first is served.
    Comes { member: String },
    /// A loop that deals with each member of a family once: all ways through an arbitrary round.
    Each {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The member that sends in the round.
        member: String,
        /// The member that the round names; mostly the same.
        named: String,
        /// All ways through the round.
        ways: Vec<Vec<Event>>,
    },
    /// A loop with a number of rounds, perhaps together with another one.
    Repeats {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The other process, and its statement.
        with: Option<(String, u32)>,
        /// All ways through a round.
        ways: Vec<Vec<Event>>,
    },
    /// Every member of a family goes through what it has left to do, or through one round of it, with daemons.
    Serves {
        /// The family.
        who: String,
        /// The member that is looked at.
        member: String,
        /// All ways to its end.
        ways: Vec<Vec<Event>>,
    },
    /// Every member of a family has a conversation with every member of another one.
    Pairs {
        /// The family.
        who: String,
        /// The member that is looked at.
        member: String,
        /// The other family.
        with: String,
        /// All ways of the member.
        ways: Vec<Vec<Event>>,
    },
    /// A ring or chain, whose members talk to the ones beside them.
    Row {
        /// The family.
        who: String,
        /// How many members make no difference any more in the middle.
        middle: i64,
    },
    /// A rule that is not covered here.
    NotCovered { rule: String },
}

impl Event {
    /// Whose step it is.
    pub fn who(&self) -> Option<&str> {
        match self {
            Event::Does { who, .. }
            | Event::Sends { who, .. }
            | Event::Loses { who, .. }
            | Event::Receives { who, .. }
            | Event::Collects { who, .. }
            | Event::TimesOut { who, .. }
            | Event::Decides { who, .. }
            | Event::Chooses { who, .. }
            | Event::Each { who, .. }
            | Event::Repeats { who, .. } => Some(who),
            _ => None,
        }
    }
}
