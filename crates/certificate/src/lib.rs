//! The format of certificates: what a proof search writes down, and an independent checker reads.
//!
//! Only data, so that those who write certificates (`sequentialize`, `diverge` by way of `driver`) and the one who checks
//! them (`recheck`) share nothing else.

mod derivation;
mod rank;
mod termination;

pub use derivation::{Certificate, Event};
pub use rank::{OwnRank, RankCertificate, RankWay, Ranks};
pub use termination::{Executions, Reason, Strike, TerminationCertificate, Windows};

/// The version of the format.
pub const VERSION: u32 = 2;

/// The hash of a song's text.
pub fn hash(text: &str) -> String {
    let mut value: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        value = (value ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{value:016x}")
}
