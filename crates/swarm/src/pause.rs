//! When to stop working on a piece: to share it, to put down what was found, or because nobody wants it any more.
//!
//! *Sharing.* A worker without work asks for some; one of those that are at work is asked to stop and to leave what remains in
//! several pieces. It does so not before [`LEAST`]: stopping costs what a search remembers.
//! *Slices.* A piece that runs long is put down now and then, so that a worker's end costs little. A piece that was
//! delivered several times is put down sooner each time: whatever ends its workers, there is progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// No piece is shared before it was worked on for so long.
pub(crate) const LEAST: Duration = Duration::from_millis(50);
/// A slice is no shorter than that.
const SHORTEST: Duration = Duration::from_millis(100);

/// What is wanted of whoever works on a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// More of it.
    GoOn,
    /// What was found so far; what is left goes on as one piece.
    Save,
    /// What was found so far; what is left goes on as several pieces.
    Share,
    /// Nothing any more.
    Cancel,
}

/// Asked now and then by whoever works on a piece; cheap.
#[derive(Clone, Debug)]
pub struct Pause {
    flags: Arc<Flags>,
    stop: Arc<AtomicBool>,
    deadline: Instant,
}

#[derive(Debug, Default)]
struct Flags {
    shares: AtomicBool,
    cancelled: AtomicBool,
}

impl Pause {
    /// For a piece that begins now, and was delivered so often, until `stop` ends all work.
    pub fn new(slice: Duration, deliveries: u32, stop: &Arc<AtomicBool>) -> Self {
        let halvings = deliveries.saturating_sub(1).min(16);
        let slice = (slice / 2_u32.pow(halvings)).max(SHORTEST);
        Pause {
            flags: Arc::default(),
            stop: stop.clone(),
            deadline: Instant::now() + slice,
        }
    }

    /// What is wanted now.
    pub fn wish(&self) -> Wish {
        if self.is_cancelled() {
            Wish::Cancel
        } else if self.flags.shares.load(Ordering::Relaxed) {
            Wish::Share
        } else if self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline {
            Wish::Save
        } else {
            Wish::GoOn
        }
    }

    /// Does nobody want it any more?
    pub fn is_cancelled(&self) -> bool {
        self.flags.cancelled.load(Ordering::Relaxed)
    }

    /// Somebody has nothing to do.
    pub fn share(&self) {
        self.flags.shares.store(true, Ordering::Relaxed);
    }

    /// Nobody wants it any more.
    pub fn cancel(&self) {
        self.flags.cancelled.store(true, Ordering::Relaxed);
    }
}
