//! A small independent checker for what `sequentialize` and `diverge` claim.
//!
//! Of `diverge` it checks why an instance comes to rest ([`recheck_rest`]); the rest of this is about
//! `sequentialize`.
//!
//! A certificate is a derivation: one canonical schedule of the processes, whatever their number, as data. This
//! crate follows it step by step with its own symbolic state and its own tests of the side conditions; it shares no
//! code with the search and trusts nothing in the certificate. What it accepts has no deadlock and leaves no
//! message behind, for every size.
//!
//! It does not search, so it is small. Where it understands less of a value than the search does, it forgets: then
//! both branches must be in the certificate.
//!
//! NOT COVERED, and then the certificate is refused by that name: rounds of daemons and of families, loops served by
//! whoever comes, messages kept per round, rounds that deal with two members, choices of a member, receives of
//! several kinds, timeouts, faults, rings and chains.

mod actor;
mod certificate;
mod code;
mod follow;
mod late;
mod race;
mod rest;
mod round;
mod state;
mod symbol;

pub use certificate::{Certificate, Event, VERSION, hash};
pub use follow::recheck;
pub use rest::{Executions, Reason, RestCertificate, Strike, recheck_rest};

/// Why a certificate is not accepted: one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A refusal.
pub(crate) fn refuse<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(why.into()))
}
