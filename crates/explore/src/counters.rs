//! Counting executions.

use crate::engine::Leaf;

/// How many executions there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Complete ones.
    pub complete: u64,
    /// Blocked ones.
    pub blocked: u64,
    /// Failed ones.
    pub failed: u64,
    /// Ones given up because they became too long.
    pub too_long: u64,
    /// Events inserted, over all executions.
    pub events: u64,
    /// Receives turned round by later sends.
    pub revisits: u64,
    /// Was symmetry used although a message needs causality? Then executions may be missing.
    pub unsafe_symmetry: bool,
    /// Searches in vain: a process waited for ever for lost messages, and then got one that could not
    /// be lost. Only programs with lossy or duplicating sends have any.
    pub in_vain: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, leaf: Leaf) {
        *match leaf {
            Leaf::Complete => &mut self.complete,
            Leaf::Blocked => &mut self.blocked,
            Leaf::Failed(_) | Leaf::Raced(..) => &mut self.failed,
            Leaf::TooLong => &mut self.too_long,
        } += 1;
    }
}

impl std::ops::Sub for Tally {
    type Output = Tally;

    /// What was counted since.
    fn sub(self, before: Tally) -> Tally {
        Tally {
            complete: self.complete - before.complete,
            blocked: self.blocked - before.blocked,
            failed: self.failed - before.failed,
            too_long: self.too_long - before.too_long,
            events: self.events.saturating_sub(before.events),
            revisits: self.revisits.saturating_sub(before.revisits),
            unsafe_symmetry: self.unsafe_symmetry,
            in_vain: self.in_vain - before.in_vain,
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.failed += other.failed;
        self.too_long += other.too_long;
        self.events = self.events.saturating_add(other.events);
        self.revisits = self.revisits.saturating_add(other.revisits);
        self.in_vain += other.in_vain;
        self.unsafe_symmetry |= other.unsafe_symmetry;
    }
}
