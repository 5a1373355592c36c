//! How much may still be tried.

use plainsong_semantics::search::{Progress, Watch};

/// How many steps are tried between two calls of the watch: some take long.
const LOOK: u64 = 8;

/// Steps that may be tried, under somebody's eyes.
pub(crate) struct Budget<'a> {
    /// Steps tried so far, by everybody.
    pub(crate) steps: u64,
    /// The search at hand may go on until then.
    until: u64,
    watch: &'a mut dyn Watch,
    /// The watch said stop.
    pub(crate) stopped: bool,
}

/// There is nothing left to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;

impl<'a> Budget<'a> {
    /// Nothing tried yet.
    pub(crate) fn new(watch: &'a mut dyn Watch) -> Self {
        Budget {
            steps: 0,
            until: 0,
            watch,
            stopped: false,
        }
    }

    /// A search may try so many steps.
    pub(crate) fn allow(&mut self, steps: u64) {
        self.until = self.steps.saturating_add(steps);
    }

    /// Work is done that is worth so many steps, though none is tried.
    pub(crate) fn charge(&mut self, work: usize) {
        self.until = self.until.saturating_sub(work as u64);
    }

    /// One more step is tried, when so much is stored.
    pub(crate) fn spend(&mut self, stored: usize) -> Result<(), Spent> {
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK) {
            let progress = Progress {
                states: stored as u64,
                steps: self.steps,
                ..Progress::default()
            };
            self.stopped |= !self.watch.keep_going(&progress);
        }
        if self.stopped || self.steps > self.until {
            return Err(Spent);
        }
        Ok(())
    }
}
