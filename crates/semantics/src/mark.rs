//! Numbers that tell messages apart for people, but not states.
//!
//! A trace says which send belongs to which receive, so messages carry a number from the moment
//! they are sent. Two states that differ only in such numbers are the same state: a mark is equal to
//! every other mark.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A number that takes no part in comparisons.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark(pub(crate) u64);

impl PartialEq for Mark {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Mark {}

impl PartialOrd for Mark {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Mark {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Mark {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
