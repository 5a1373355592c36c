//! Clauses that hold in all rows: minimal hitting sets.
//!
//! A row is what is true of one state and one choice of members; a clause is a disjunction of literals, and holds if each row
//! makes one of them true. So the strongest clauses are the minimal sets of literals that hit every row. The search takes a row
//! that is not hit and branches on its true literals; for the last literal, the true sets of all rows left are intersected.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// An atom, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal {
    pub(crate) atom: usize,
    pub(crate) positive: bool,
}

/// Literals of which one is true, ascending.
pub(crate) type Clause = Vec<Literal>;

/// A set of numbers.
type Set = Box<[u64]>;

/// Of how many of the rows that are not hit yet the one is taken that fewest literals hit.
const LOOKED_AT: usize = 64;

/// Literals, and the rows that were seen.
pub(crate) struct Rows {
    pub(crate) literals: Vec<Literal>,
    /// Of each row, which literals are true in it.
    rows: Vec<Set>,
    known: FxHashSet<Set>,
}

impl Rows {
    /// `same`: atoms that are not negated.
    pub(crate) fn new(atoms: &[usize], same: &BTreeSet<usize>) -> Rows {
        let mut literals = Vec::new();
        for &atom in atoms {
            for positive in [false, true] {
                if positive || !same.contains(&atom) {
                    literals.push(Literal { atom, positive });
                }
            }
        }
        Rows {
            literals,
            rows: Vec::new(),
            known: FxHashSet::default(),
        }
    }

    /// Which literals are true where atoms are, by their position among the atoms.
    pub(crate) fn row(&self, atoms: &[usize], truths: &[u64]) -> Set {
        let mut row = vec![0; self.literals.len().div_ceil(64)].into_boxed_slice();
        let mut at = 0;
        for (number, literal) in self.literals.iter().enumerate() {
            while atoms[at] != literal.atom {
                at += 1;
            }
            if (truths[at / 64] >> (at % 64) & 1 == 1) == literal.positive {
                row[number / 64] |= 1 << (number % 64);
            }
        }
        row
    }

    /// Are all literals of a clause false in a row?
    pub(crate) fn is_false(&self, clause: &Clause, row: &Set) -> bool {
        clause.iter().all(|one| {
            let at = self.literals.iter().position(|other| other == one);
            at.is_some_and(|at| row[at / 64] >> (at % 64) & 1 == 0)
        })
    }

    /// Notes a row.
    pub(crate) fn add(&mut self, row: Set) {
        if !self.known.contains(&row) {
            self.known.insert(row.clone());
            self.rows.push(row);
        }
    }

    /// Minimal clauses of at most `most` of the literals that are not in `hit` but hit every row. `work`: how many rows may
    /// be looked at; it decreases.
    pub(crate) fn hitting(
        &self,
        hit: &Set,
        most: usize,
        limit: usize,
        work: &mut usize,
    ) -> Vec<Clause> {
        let words = self.literals.len().div_ceil(64);
        let mut able: Set = hit.iter().map(|word| !word).collect();
        let last = self.literals.len() % 64;
        if last != 0 {
            able[words - 1] &= (1 << last) - 1;
        }
        let mut search = Search {
            rows: &self.rows,
            found: Vec::new(),
            limit,
            work: *work,
        };
        for length in 1..=most {
            let all: Vec<u32> = (0..self.rows.len() as u32).collect();
            search.longer(&all, &mut Vec::new(), &able, length);
        }
        *work = search.work;
        let mut found: Vec<Clause> = search
            .found
            .into_iter()
            .map(|numbers| numbers.into_iter().map(|at| self.literals[at]).collect())
            .collect();
        found.iter_mut().for_each(|clause| clause.sort());
        found
    }
}

struct Search<'a> {
    rows: &'a [Set],
    found: Vec<Vec<usize>>,
    limit: usize,
    /// How many rows may still be looked at.
    work: usize,
}

impl Search<'_> {
    fn longer(&mut self, left: &[u32], chosen: &mut Vec<usize>, able: &Set, more: usize) {
        if self.found.len() >= self.limit || self.work == 0 {
            return;
        }
        if left.is_empty() {
            return;
        }
        let mut able = able.clone();
        if more == 1 {
            for &row in left {
                self.work = self.work.saturating_sub(1);
                let row = &self.rows[row as usize];
                able.iter_mut().zip(row).for_each(|(a, b)| *a &= b);
                if able.iter().all(|word| *word == 0) {
                    return;
                }
            }
            for at in members(&able) {
                let mut one = chosen.clone();
                one.push(at);
                one.sort_unstable();
                let is_more = self
                    .found
                    .iter()
                    .any(|other| other.iter().all(|at| one.contains(at)));
                if !is_more {
                    self.found.push(one);
                }
            }
            return;
        }
        let branches = self.fewest(left, &able);
        for at in members(&branches) {
            let is_missed = |row: &&u32| self.rows[**row as usize][at / 64] >> (at % 64) & 1 == 0;
            let rest: Vec<u32> = left.iter().filter(is_missed).copied().collect();
            self.work = self.work.saturating_sub(1 + left.len() / 8);
            able[at / 64] &= !(1 << (at % 64));
            if rest.is_empty() {
                continue;
            }
            chosen.push(at);
            self.longer(&rest, chosen, &able, more - 1);
            chosen.pop();
        }
    }
}

impl Search<'_> {
    /// The literals that may hit the row which fewest of them hit: one of these has to be chosen.
    fn fewest(&self, left: &[u32], able: &Set) -> Set {
        let own = |row: &u32| able.iter().zip(&self.rows[*row as usize]);
        let count = |row: &&u32| own(row).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        let row = left.iter().take(LOOKED_AT).min_by_key(count);
        row.map_or_else(Set::default, |row| own(row).map(|(a, b)| a & b).collect())
    }
}

/// The members of a set, ascending.
pub(crate) fn members(set: &Set) -> Vec<usize> {
    let mut all = Vec::new();
    for (at, word) in set.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            all.push(64 * at + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Literal, Rows};
    use std::collections::BTreeSet;

    /// Every clause of two literals that is found holds in all rows and has no part that does; every such clause is found.
    #[test]
    fn the_minimal_clauses_are_found() {
        let atoms = [0, 1, 2, 3];
        let mut rows = Rows::new(&atoms, &BTreeSet::from([3]));
        let seen = [0b0001_u64, 0b0011, 0b0110, 0b1100, 0b0111];
        for truths in seen {
            let row = rows.row(&atoms, &[truths]);
            rows.add(row);
        }
        let none = vec![0; 1].into_boxed_slice();
        let found: BTreeSet<_> = rows
            .hitting(&none, 2, 1000, &mut 1_000_000)
            .into_iter()
            .collect();
        let holds = |clause: &[Literal]| {
            let hit = |truths: &u64| {
                clause
                    .iter()
                    .any(|one| (truths >> one.atom & 1 == 1) == one.positive)
            };
            seen.iter().all(hit)
        };
        let mut expected = BTreeSet::new();
        for (at, one) in rows.literals.iter().enumerate() {
            if holds(&[*one]) {
                expected.insert(vec![*one]);
            }
            for other in &rows.literals[at + 1..] {
                if holds(&[*one, *other]) && !holds(&[*one]) && !holds(&[*other]) {
                    expected.insert(vec![*one, *other]);
                }
            }
        }
        // An atom or its negation is no clause worth finding, but holds.
        assert_eq!(found, expected);
    }
}
