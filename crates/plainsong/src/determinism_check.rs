//! The determinism check: does the program do the same when it is run again?
//!
//! Exploration runs a process many times and gives it the answers it got before; between answers
//! it has to be deterministic. Each operation leaves a fingerprint. When the process runs again,
//! its operations are compared with the fingerprints, and the first difference is reported with
//! both source lines. The usual causes are the order of a `HashMap`, a clock, a random number, or a
//! variable that is shared behind the exploration's back.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;

/// What kind of operation it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Send,
    Copy,
    Receive,
    TryReceive,
    Choose,
    Spawn,
    Join,
    Cover,
    Load,
    Store,
    Fence,
    Return,
    End,
    GiveUp,
    Fail,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            What::Send => "a send",
            What::Copy => "a copy for a monitor",
            What::Receive => "a receive",
            What::TryReceive => "a receive that does not wait",
            What::Choose => "a choice",
            What::Spawn => "a spawn",
            What::Join => "a join",
            What::Cover => "a coverage mark",
            What::Load => "a load",
            What::Store => "a store",
            What::Fence => "a fence",
            What::Return => "a return",
            What::End => "the end",
            What::GiveUp => "an assumption that does not hold",
            What::Fail => "a panic",
        })
    }
}

/// The fingerprint of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Print {
    pub(crate) what: What,
    /// A hash of destination, tag, type and the like.
    detail: u64,
    /// None for the end of a process.
    pub(crate) location: Option<&'static Location<'static>>,
}

impl Print {
    #[inline]
    pub(crate) fn new(what: What, location: &'static Location<'static>, detail: impl Hash) -> Self {
        let mut mix = Mix(0);
        detail.hash(&mut mix);
        Print {
            what,
            detail: mix.0,
            location: Some(location),
        }
    }

    /// The fingerprint of how a process stops.
    pub(crate) fn of_stop(what: What) -> Self {
        Print {
            what,
            detail: 0,
            location: None,
        }
    }

    #[inline]
    pub(crate) fn same(&self, other: &Print) -> bool {
        self.what == other.what
            && self.detail == other.detail
            && match (self.location, other.location) {
                (Some(a), Some(b)) => std::ptr::eq(a, b) || a == b,
                (None, None) => true,
                _ => false,
            }
    }
}

/// A process did something else than before.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    pub(crate) process: String,
    /// Which of its operations, from 0.
    pub(crate) index: usize,
    pub(crate) before: String,
    pub(crate) now: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "`{}` does not do the same when it runs again with the same messages",
            self.process
        )?;
        writeln!(f, "  operation {} was: {}", self.index + 1, self.before)?;
        writeln!(f, "  operation {} is:  {}", self.index + 1, self.now)?;
        write!(
            f,
            "  usual causes: the order of a HashMap, a clock, a random number, a variable shared \
             between processes"
        )
    }
}

/// "operation at file:line:column".
pub(crate) fn at(text: &str, location: Option<&Location<'_>>) -> String {
    match location {
        Some(location) => format!("{text}, at {location}"),
        None => text.to_owned(),
    }
}

/// A small hash function; nobody attacks it.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Mix {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(u64::from(n));
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(u64::from(n));
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }
}
