//! What random executions came to: sums, unions and least numbers, so that it does not matter who drew which.

use std::collections::BTreeMap;

/// How executions ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Nothing was left to do.
    pub terminated: u64,
    /// Somebody waited.
    pub deadlocked: u64,
    /// An assertion failed, or an operation was undefined.
    pub failed: u64,
    /// At the limit on steps.
    pub cut: u64,
    /// An `assume` ended them, or there was nothing to choose from.
    pub discarded: u64,
    /// The interpreter's own limit ended them.
    pub beyond_reach: u64,
}

/// What random executions came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there were.
    pub executions: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Steps of the longest.
    pub longest: u64,
    /// How they ended.
    pub ends: Ends,
    /// The first execution that violates a check, by the position of the check.
    pub violated: BTreeMap<usize, u64>,
    /// The first in which a check could not be judged, and why.
    pub undecided: BTreeMap<usize, (u64, String)>,
    /// The first that the interpreter's own limit ended, and why.
    pub beyond_reach: Option<(u64, String)>,
}

impl Tally {
    /// The first execution that violates a check, by the position of the check.
    pub fn violated_by(&self, check: usize) -> Option<u64> {
        self.violated.get(&check).copied()
    }

    /// How many checks are violated.
    pub fn violations(&self) -> usize {
        self.violated.len()
    }

    /// Why a check could not be judged in some state.
    pub fn why_undecided(&self, check: usize) -> Option<&str> {
        self.undecided.get(&check).map(|(_, why)| why.as_str())
    }

    /// Why the interpreter's own limit ended some execution.
    pub fn why_beyond_reach(&self) -> Option<&str> {
        self.beyond_reach.as_ref().map(|(_, why)| why.as_str())
    }

    /// Both.
    pub fn include(&mut self, other: &Tally) {
        self.executions += other.executions;
        self.steps += other.steps;
        self.longest = self.longest.max(other.longest);
        self.ends.include(&other.ends);
        for (&check, &number) in &other.violated {
            self.violated(check, number);
        }
        for (&check, (number, why)) in &other.undecided {
            self.undecided(check, *number, why);
        }
        if let Some((number, why)) = &other.beyond_reach {
            self.beyond_reach(*number, why);
        }
    }

    pub(super) fn violated(&mut self, check: usize, number: u64) {
        let first = self.violated.entry(check).or_insert(number);
        *first = number.min(*first);
    }

    pub(super) fn undecided(&mut self, check: usize, number: u64, why: &str) {
        let is_earlier = |(first, _): &(u64, String)| number < *first;
        if self.undecided.get(&check).is_none_or(is_earlier) {
            self.undecided.insert(check, (number, why.to_owned()));
        }
    }

    pub(super) fn beyond_reach(&mut self, number: u64, why: &str) {
        let is_earlier = |(first, _): &(u64, String)| number < *first;
        if self.beyond_reach.as_ref().is_none_or(is_earlier) {
            self.beyond_reach = Some((number, why.to_owned()));
        }
    }
}

impl Ends {
    fn include(&mut self, other: &Ends) {
        self.terminated += other.terminated;
        self.deadlocked += other.deadlocked;
        self.failed += other.failed;
        self.cut += other.cut;
        self.discarded += other.discarded;
        self.beyond_reach += other.beyond_reach;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_matter_who_drew_which() {
        let (mut one, mut other) = (Tally::default(), Tally::default());
        one.violated(0, 7);
        one.executions = 3;
        other.violated(0, 4);
        other.undecided(1, 2, "too large");
        other.executions = 2;
        let (mut left, mut right) = (one.clone(), other.clone());
        left.include(&other);
        right.include(&one);
        assert_eq!(left, right);
        assert_eq!((left.executions, left.violated_by(0)), (5, Some(4)));
    }
}
