//! Tree compression [Laarman19]: a row of numbers as a tree of hash-consed pairs.
//!
//! A state has one number for each process with its inbox. Neighbours are paired, and pairs again, up to one
//! pair at the root. Steps change few numbers, so states share nearly all inner pairs: what is kept for each
//! state is its root.

use super::tables::{Pairs, pack, unpack};
use crate::snapshot::{Pen, Reader};
use std::io;

/// The shape of the tree, and its inner pairs.
#[derive(Debug)]
pub(super) struct Tree {
    leaves: usize,
    /// For each inner node, from the leaves to the root, where its two children are.
    inner: Vec<(usize, usize)>,
    /// The pairs of each inner node but the root.
    pairs: Vec<Pairs>,
}

impl Tree {
    /// For rows of so many numbers, at least two.
    pub(super) fn new(leaves: usize) -> Self {
        assert!(leaves >= 2, "a tree has two leaves");
        let mut inner = Vec::new();
        let mut level: Vec<usize> = (0..leaves).collect();
        while level.len() > 1 {
            let mut above = Vec::new();
            for pair in level.chunks(2) {
                match pair {
                    [left, right] => {
                        above.push(leaves + inner.len());
                        inner.push((*left, *right));
                    }
                    alone => above.push(alone[0]),
                }
            }
            level = above;
        }
        let pairs = (1..inner.len()).map(|_| Pairs::default()).collect();
        Tree {
            leaves,
            inner,
            pairs,
        }
    }

    /// How many nodes there are below the root, leaves first.
    pub(super) fn nodes(&self) -> usize {
        self.leaves + self.inner.len() - 1
    }

    /// The root of a row whose inner nodes are right but above the `changed` ones.
    #[inline]
    pub(super) fn fold(&mut self, nodes: &mut [u32], changed: &mut [bool]) -> u64 {
        for (at, pairs) in self.pairs.iter_mut().enumerate() {
            let (left, right) = self.inner[at];
            if changed[left] || changed[right] {
                changed[self.leaves + at] = true;
                nodes[self.leaves + at] = pairs.number(nodes[left], nodes[right]);
            }
        }
        let (left, right) = self.inner[self.pairs.len()];
        pack(nodes[left], nodes[right])
    }

    /// The same, if all of its inner nodes are known.
    #[inline]
    pub(super) fn fold_known(&self, nodes: &mut [u32], changed: &mut [bool]) -> Option<u64> {
        for (at, pairs) in self.pairs.iter().enumerate() {
            let (left, right) = self.inner[at];
            if changed[left] || changed[right] {
                changed[self.leaves + at] = true;
                nodes[self.leaves + at] = pairs.known(nodes[left], nodes[right])?;
            }
        }
        let (left, right) = self.inner[self.pairs.len()];
        Some(pack(nodes[left], nodes[right]))
    }

    /// The row of a root, with its inner nodes.
    #[inline]
    pub(super) fn unfold(&self, root: u64, nodes: &mut [u32]) {
        let (left, right) = self.inner[self.pairs.len()];
        (nodes[left], nodes[right]) = unpack(root);
        for (at, pairs) in self.pairs.iter().enumerate().rev() {
            let (left, right) = self.inner[at];
            (nodes[left], nodes[right]) = pairs.get(nodes[self.leaves + at]);
        }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.pairs.iter().map(Pairs::bytes).sum()
    }

    /// Writes the inner pairs.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        self.pairs.iter().try_for_each(|pairs| pairs.write(pen))
    }

    /// Reads them again, into a tree of the same shape.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> io::Result<()> {
        for pairs in &mut self.pairs {
            *pairs = Pairs::read(reader)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_and_roots_belong_together() {
        for leaves in 2..9 {
            let mut tree = Tree::new(leaves);
            let mut roots = BTreeSet::new();
            let mut rows = BTreeSet::new();
            for at in 0..2_000u32 {
                let mut nodes = vec![0; tree.nodes()];
                (0..leaves).for_each(|leaf| nodes[leaf] = (at / (leaf as u32 + 1)) % 7);
                let row = nodes[..leaves].to_vec();
                let root = tree.fold(&mut nodes, &mut vec![true; leaves + tree.inner.len()]);
                let mut again = vec![0; tree.nodes()];
                tree.unfold(root, &mut again);
                assert_eq!(again, nodes);
                assert_eq!(roots.insert(root), rows.insert(row));
                // One leaf changed, and only what is above it worked out anew.
                let mut changed = vec![false; tree.nodes()];
                nodes[leaves - 1] += 1;
                changed[leaves - 1] = true;
                let next = tree.fold(&mut nodes, &mut changed);
                tree.unfold(next, &mut again);
                assert_eq!(again, nodes);
                roots.insert(next);
                rows.insert(nodes[..leaves].to_vec());
            }
        }
    }
}
