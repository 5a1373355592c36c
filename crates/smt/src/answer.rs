//! What a solver said, or why it said nothing.
//!
//! Only a complete answer is one: whatever goes wrong on the way (a crash, a hang, garbage, half a
//! model) is [`Outcome::Unknown`] with its reason. `Sat` is a candidate only: solvers have been wrong
//! about it, so a model is evaluated by the caller before anyone sees it.

use crate::sexpr::Sexpr;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An answer and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What came out.
    pub outcome: Outcome,
    /// How much of the resource limit was used, in the solver's units; none if it did not say.
    pub resource: Option<u64>,
    /// Wall time, also of a failed attempt before; of the original run if the answer is from the cache.
    pub time: Duration,
    /// Which solver answered: `z3 4.15.4`. Empty if there was none.
    pub solver: Arc<str>,
    /// Was it on disk already?
    pub cached: bool,
}

impl Answer {
    /// No answer, because of `reason`, and nothing spent.
    pub fn unknown(reason: Reason) -> Answer {
        Answer {
            outcome: Outcome::Unknown(reason),
            resource: None,
            time: Duration::ZERO,
            solver: "".into(),
            cached: false,
        }
    }

    /// Can the assertions not hold together?
    pub fn is_unsat(&self) -> bool {
        matches!(self.outcome, Outcome::Unsat { .. })
    }

    /// Did the solver find values?
    pub fn is_sat(&self) -> bool {
        matches!(self.outcome, Outcome::Sat { .. })
    }
}

/// The verdict on a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The assertions cannot hold together.
    Unsat {
        /// Names of assertions that suffice, if asked for: as the solver printed them, sorted.
        core: Vec<Sexpr>,
    },
    /// The solver believes that they can.
    Sat {
        /// One for each term of [`Ask::values`](crate::Ask::values), in their order.
        values: Vec<Sexpr>,
        /// The whole model, if asked for.
        model: Option<Sexpr>,
    },
    /// Nobody knows.
    Unknown(Reason),
}

/// Why nothing is known. The text is for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The solver gave up by itself.
    Incomplete(String),
    /// The resource limit was reached.
    Resource,
    /// The safety net: it took too long.
    Time(Duration),
    /// The solver reached its memory limit.
    Memory,
    /// The process ended or could not be started or spoken to.
    Crash(String),
    /// What came back is not an answer.
    Garbage(String),
    /// The solver does not accept the query: a bug of ours, or an option it does not have.
    Rejected(String),
    /// Nobody wants to know any more.
    Cancelled,
    /// There is no solver; the text says what to do.
    NoSolver(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Incomplete(text) if text.is_empty() => out.write_str("the solver gave up"),
            Reason::Incomplete(text) => write!(out, "the solver gave up: {text}"),
            Reason::Resource => out.write_str("the solver reached its resource limit"),
            Reason::Time(limit) => write!(out, "the solver took longer than {limit:?}"),
            Reason::Memory => out.write_str("the solver reached its memory limit"),
            Reason::Crash(text) => write!(out, "the solver crashed: {text}"),
            Reason::Garbage(text) => write!(out, "the solver's answer is not one: {text}"),
            Reason::Rejected(text) => write!(out, "the solver rejects the query: {text}"),
            Reason::Cancelled => out.write_str("interrupted"),
            Reason::NoSolver(text) => write!(out, "no solver: {text}"),
        }
    }
}
