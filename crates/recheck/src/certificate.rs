//! Certificates: the derivation as data.
//!
//! All ways to the end, each a list of events. Ways that begin alike begin with the same events; they part at a
//! decision. Statements are named by the place in the text where they begin, processes by their names: `db` is every
//! member that is not looked at by itself, `db#7` is one that is.

use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;

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
    /// The oldest message of a queue is taken.
    Receives {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The sender.
        from: String,
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
    /// A loop that deals with each member of a family once: all ways through an arbitrary round.
    Each {
        /// The process.
        who: String,
        /// The statement.
        at: u32,
        /// The member that the round is about.
        member: String,
        /// All ways through the round.
        ways: Vec<Vec<Event>>,
    },
    /// A rule that is not covered here.
    NotCovered {
        /// Which one.
        rule: String,
    },
}

/// The hash of a song's text.
pub fn hash(text: &str) -> String {
    let mut value: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        value = (value ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{value:016x}")
}
