//! Termination of one instance, by what is struck out of its arcs.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Why an instance terminates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminationCertificate {
    /// The version of the format.
    pub version: u32,
    /// The song.
    pub file: String,
    /// Of its text.
    pub hash: String,
    /// The property that claims rest.
    pub property: String,
    /// The sizes of the instance.
    pub sizes: BTreeMap<String, i64>,
    /// What was tried where any integer, sequence or bag could be chosen.
    #[serde(default, skip_serializing_if = "Windows::is_empty")]
    pub windows: Windows,
    /// The model that delivers all messages, where it is not what the song declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// Which executions are meant.
    pub executions: Executions,
    /// What is struck out, in this order.
    pub strikes: Vec<Strike>,
}

/// Which executions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Executions {
    Any,
    /// Those that ignore nothing that waits.
    Fair,
    /// Those that serve again and again what is sent again and again.
    Resent,
}

/// Strikes out arcs among some states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strike {
    /// The states; all of them when empty.
    pub scope: BTreeSet<String>,
    /// Why.
    pub reason: Reason,
}

/// Why arcs are not taken for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reason {
    /// They decrease a sum that none increases.
    Ranked {
        /// For states; 0 for those not named.
        potentials: BTreeMap<String, i64>,
        /// For tasks; 0 for those not named.
        weights: BTreeMap<String, i64>,
    },
    /// They leave a task that is not served any more.
    Unserved { task: String },
    /// This task is pending all the time and not served.
    Waits { task: String },
}

/// The windows that matter to an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// First and last `int`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub int: Option<(i64, i64)>,
    /// Last `nat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nat: Option<i64>,
    /// The longest sequence and the largest bag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// Are constants of the text tried too, where any `int` or `nat` may be chosen?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constants: bool,
}

impl Windows {
    /// Is there a window through which nothing is seen?
    pub fn is_closed(&self) -> bool {
        self.int.is_some_and(|(first, last)| last < first) || self.nat.is_some_and(|last| last < 0)
    }

    /// Does none matter?
    pub fn is_empty(&self) -> bool {
        *self == Windows::default()
    }
}
