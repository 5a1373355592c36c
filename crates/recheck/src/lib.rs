//! A proof checker: certificates of `sequentialize` and `diverge`, checked by independent code.
//!
//! Of `diverge` it checks why an instance terminates ([`recheck_termination`]), and looks at measures that are said to
//! decrease for every size ([`recheck_ranks`]); the rest of this is about `sequentialize`.
//!
//! A certificate is a derivation: one canonical schedule of the processes, whatever their number, as data. This
//! crate follows it step by step with its own symbolic state and its own tests of the side conditions; it shares no
//! code with the search and trusts nothing in the certificate. What it accepts has no deadlock and leaves no
//! message behind, for every size.
//!
//! It does not search, so it is a good deal smaller than what does. Where it understands less of a value than the search does, it forgets: then
//! both branches must be in the certificate.
//!
//! One file per rule: steps of one process (`steps.rs`), receives (`receive.rs`) with a timeout (`timeout.rs`), loops over
//! members (`each.rs`) and with rounds (`repeat.rs`), families served by daemons (`serves.rs`) and by each
//! other (`pairs.rs`), rings and chains (`row.rs`). What orders events in every execution is in `causes.rs`, what several rules for rounds ask in `round.rs`
//! and `changes.rs`.
//!
//! NOT COVERED, and then the certificate is refused by that name: ways that end at an assertion that fails.

mod actor;
mod causes;
mod delivery_order;
mod derivation;
mod eval;
mod families;
mod faults;
mod focus;
mod havoc;
mod index_loop;
mod late;
mod linear_arithmetic;
mod neighbours;
mod position;
mod race;
mod ranks;
mod receive;
mod round;
mod set_loop;
mod state;
mod steps;
mod symbol;
mod termination;
mod timeout;
mod windows;

pub use derivation::{Shown, recheck};
pub use ranks::{Looked, recheck_ranks};
pub use termination::{Covered, recheck_termination};
pub use windows::{bounds_of, windows_of};

/// Why a certificate is not accepted: one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Something in it is wrong.
    Wrong(String),
    /// It, or the song, needs a rule that this checker does not have.
    NotCovered(String),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Refused::Wrong(why) | Refused::NotCovered(why)) = self;
        f.write_str(why)
    }
}

/// A refusal of what is wrong.
pub(crate) fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Wrong(why.into()))
}

/// A refusal of what needs more rules.
pub(crate) fn not_covered<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::NotCovered(why.into()))
}
