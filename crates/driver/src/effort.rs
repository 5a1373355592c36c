//! How much a search may look at: the limits of `--bound`, and what holds where nobody says.
//!
//! Each limit has a flag and a default, and a verdict that a limit leaves unknown names both. What an engine tries
//! on the way to another answer (small instances before a proof, the next sizes after one) has numbers of its own:
//! these end an attempt, not the run.

use plainsong_semantics::search::Limits;
use std::time::Duration;

/// The states that `check` looks at before it visits executions.
pub const FIRST_STATES: u64 = 20_000;

/// The states that are looked at to tell whether a window of values ends executions.
pub const STATES_OF_WINDOWS: u64 = 100_000;

/// The executions of processes that are visited before their states are searched: states are cheap.
pub const FIRST_EXECUTIONS: u64 = 100_000;

/// The states that `check` looks at where a proof is open: a counter that grows without end has as many as one
/// has patience for.
pub const STATES_OF_OPEN_PROOFS: u64 = 1_000_000;

/// The states that are looked at where executions may have no end: there are as many as one has patience for.
pub const STATES_WITHOUT_END: u64 = 1_000_000;

/// The states, or executions, that `check` looks at where a channel, or the asyncs of an action, grow without end.
pub const STATES_OF_GROWING: u64 = 300_000;

/// The states of each small instance that `sequentialize` explores.
pub const STATES_BESIDE_LINES: u64 = 200_000;

/// The states of one instance that `diverge` looks at: a search that has no end by itself should have one before
/// patience ends.
pub const STATES_OF_DIVERGE: u64 = plainsong_diverge::DEFAULT_STATES;

/// The states of one instance whose graph `liveness` looks at: it keeps every state and every step.
pub const STATES_OF_LIVENESS: u64 = 2_000_000;

/// `--effort`: how long `check` goes on looking for a stronger answer where nobody limits it otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// A first look at each property and a short attempt at a proof; no larger sizes.
    Quick,
    /// What is left open by a first look is proved, or searched to the limits; then larger sizes.
    #[default]
    Normal,
    /// The same without a limit on the time for proofs, and with ten times as much at larger sizes.
    Thorough,
}

impl Level {
    /// How long one prover may take for one file.
    pub(crate) fn time_to_prove(self) -> Option<Duration> {
        match self {
            Level::Quick => Some(Duration::from_secs(1)),
            Level::Normal => Some(TIME_TO_PROVE),
            Level::Thorough => None,
        }
    }

    /// How many times as much as usual is looked at larger sizes.
    pub(crate) fn at_larger_sizes(self) -> u32 {
        match self {
            Level::Quick | Level::Normal => 1,
            Level::Thorough => 10,
        }
    }
}

/// How long one prover may take for one file of `check`, where nobody says.
const TIME_TO_PROVE: Duration = Duration::from_secs(10);

/// What `--bound` and `--effort` say about searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// `states=N`: the most states that a search stores, or executions that it visits.
    pub states: Option<u64>,
    /// `first-states=N`: how many states `check` looks at before executions.
    pub first_states: u64,
    /// `first-executions=N`: how many executions of processes are visited before states.
    pub first_executions: u64,
    /// `growing-states=N`: how many states or executions `check` looks at where something grows without end.
    pub growing_states: u64,
    /// Without `--no-reduce dead-messages`: do searches of processes drop messages that cannot matter any more?
    pub dead_messages: bool,
    /// Without `--no-reduce order`: do searches of processes take fewer steps where their order does not matter?
    pub order: bool,
    /// `--effort`.
    pub level: Level,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            states: None,
            first_states: FIRST_STATES,
            first_executions: FIRST_EXECUTIONS,
            growing_states: STATES_OF_GROWING,
            dead_messages: true,
            order: true,
            level: Level::default(),
        }
    }
}

impl Effort {
    /// The limit on states, or the default of whoever asks.
    pub fn states_or(&self, default: u64) -> u64 {
        self.states.unwrap_or(default)
    }

    /// The limits of a search of `check` or `explore`.
    pub fn limits(&self, refutations: Option<u64>) -> Limits {
        let usual = match self.level {
            Level::Quick => self.first_states,
            Level::Normal | Level::Thorough => Limits::default().states,
        };
        Limits {
            states: self.states_or(usual),
            refutations,
        }
    }
}

/// How every sentence about the limit on states begins.
pub(crate) const LIMIT: &str = "limit on states";

/// What a verdict says when a search has seen as many states, or executions, as it may.
pub(crate) fn limit_on_states(limits: &Limits) -> String {
    format!("{LIMIT}: --bound states={}", limits.states)
}
