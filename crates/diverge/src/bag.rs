//! Bags of kinds: how many of each wait.

use crate::task_net::Kind;

/// A bag of kinds.
///
/// The signature has a bit for each kind (modulo 64): where it has one that another lacks, the first bag
/// is not contained in the other, which one instruction sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bag {
    signature: u64,
    /// Kinds ascending, with how many there are, at least one.
    entries: Vec<(Kind, u32)>,
}

impl Bag {
    /// The bag of these kinds.
    pub(crate) fn of(kinds: impl IntoIterator<Item = Kind>) -> Bag {
        let mut bag = Bag::default();
        kinds.into_iter().for_each(|kind| bag.add(kind, 1));
        bag
    }

    /// The kinds, ascending.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        self.entries.iter().map(|(kind, _)| *kind)
    }

    /// Kinds with their numbers.
    pub(crate) fn entries(&self) -> &[(Kind, u32)] {
        &self.entries
    }

    /// How many things there are.
    pub(crate) fn total(&self) -> u64 {
        self.entries
            .iter()
            .map(|(_, count)| u64::from(*count))
            .sum()
    }

    /// Is every kind in `other` at least as often?
    pub(crate) fn is_within(&self, other: &Bag) -> bool {
        if self.signature & !other.signature != 0 {
            return false;
        }
        let mut theirs = other.entries.iter();
        self.entries.iter().all(|(kind, count)| {
            theirs
                .find(|(other, _)| other >= kind)
                .is_some_and(|(other, most)| other == kind && count <= most)
        })
    }

    /// So many more of a kind.
    pub(crate) fn add(&mut self, kind: Kind, count: u32) {
        self.signature |= bit(kind);
        match self.find(kind) {
            Ok(at) => self.entries[at].1 += count,
            Err(at) => self.entries.insert(at, (kind, count)),
        }
    }

    /// One less of a kind that is there.
    pub(crate) fn take(&mut self, kind: Kind) {
        let at = self.find(kind).expect("only what is there is taken");
        self.entries[at].1 -= 1;
        if self.entries[at].1 == 0 {
            self.entries.remove(at);
            self.signature = self.kinds().map(bit).fold(0, |all, one| all | one);
        }
    }

    /// Everything of another bag too.
    pub(crate) fn add_all(&mut self, other: &Bag) {
        other
            .entries
            .iter()
            .for_each(|(kind, count)| self.add(*kind, *count));
    }

    fn find(&self, kind: Kind) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&kind, |(one, _)| *one)
    }
}

fn bit(kind: Kind) -> u64 {
    1 << (kind % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_counts() {
        let small = Bag::of([1, 3]);
        let large = Bag::of([3, 1, 1, 64]);
        assert!(small.is_within(&large));
        assert!(!large.is_within(&small));
        assert!(!Bag::of([3, 3]).is_within(&large));
        assert!(!Bag::of([65]).is_within(&large));
    }

    #[test]
    fn what_is_taken_leaves_the_signature() {
        let mut bag = Bag::of([0, 64]);
        bag.take(0);
        assert!(bag.is_within(&Bag::of([64])));
        assert_eq!(bag, Bag::of([64]));
    }
}
