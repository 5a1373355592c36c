//! Termination for every size: what decreases.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a song terminates, whatever its size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankCertificate {
    /// The version of the format.
    pub version: u32,
    /// The song.
    pub file: String,
    /// Of its text.
    pub hash: String,
    /// The property that claims rest.
    pub property: String,
    pub decreases: Ranks,
}

/// What decreases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ranks {
    /// A variable of each process that sends, by the name of its family.
    Own(BTreeMap<String, OwnRank>),
    /// The first natural number of every payload.
    Payload,
    /// What the song declares with `decreases`.
    Declared,
    /// What this text declares with `decreases`, which is the song but for that.
    Written(String),
    /// The first natural number of payloads; where none is taken, what this text declares.
    PayloadThen(String),
}

/// A variable and how it decreases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRank {
    /// Its name.
    pub variable: String,
    pub way: RankWay,
}

/// How a variable decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankWay {
    /// A flag is set.
    Set,
    /// A flag is cleared.
    Cleared,
    /// An option is filled.
    Filled,
    /// An option of a number is filled, or its number decreases.
    FilledOrLess,
    /// A number or a member of a range decreases.
    Less,
    /// A member of a range goes up.
    Greater,
}
