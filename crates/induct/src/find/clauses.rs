//! Clauses that hold in all rows: minimal hitting sets.
//!
//! A row is what is true of one state and one choice of members; a clause is a disjunction of literals, and holds if each row
//! makes one of them true. So the strongest clauses are the minimal sets of literals that hit every row.

use std::collections::BTreeSet;

/// An atom, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal {
    pub(crate) atom: usize,
    pub(crate) positive: bool,
}

/// Literals of which one is true, ascending.
pub(crate) type Clause = Vec<Literal>;

/// What is true in one row: a truth for each atom.
pub(crate) type Row = Vec<bool>;

impl Literal {
    pub(crate) fn holds(self, row: &Row) -> bool {
        row[self.atom] == self.positive
    }
}

/// Is a clause false in one of the rows?
pub(crate) fn is_false(clause: &Clause, rows: &[Row]) -> bool {
    rows.iter()
        .any(|row| clause.iter().all(|one| !one.holds(row)))
}

/// All minimal clauses of at most so many literals that hold in all rows. `same`: atoms that are not negated.
/// `renamed`: for each way to rename members, which atom each becomes; of clauses that are the same but for names one is given.
pub(crate) fn minimal(
    rows: &BTreeSet<Row>,
    atoms: usize,
    same: &BTreeSet<usize>,
    renamed: &[Vec<usize>],
    most: usize,
) -> Vec<Clause> {
    let mut literals = Vec::new();
    for atom in 0..atoms {
        for positive in [false, true] {
            if positive || !same.contains(&atom) {
                literals.push(Literal { atom, positive });
            }
        }
    }
    let missed: Vec<Vec<u64>> = literals.iter().map(|one| misses(*one, rows)).collect();
    let mut search = HittingSets {
        literals: &literals,
        missed: &missed,
        renamed,
        found: Vec::new(),
        known: BTreeSet::new(),
    };
    let every = vec![u64::MAX; rows.len().div_ceil(64)];
    for length in 1..=most {
        search.longer(&mut Vec::new(), &every, length);
    }
    search.found
}

/// A search for clauses of one length after the other.
struct HittingSets<'a> {
    literals: &'a [Literal],
    /// Which rows each literal is false in.
    missed: &'a [Vec<u64>],
    renamed: &'a [Vec<usize>],
    found: Vec<Clause>,
    /// What was found, in canonical form.
    known: BTreeSet<Clause>,
}

impl HittingSets<'_> {
    /// Adds clauses that have so many literals more than `parts`, which leave `rest` of the rows.
    fn longer(&mut self, parts: &mut Vec<usize>, rest: &[u64], more: usize) {
        let first = parts.last().map_or(0, |last| last + 1);
        for at in first..self.literals.len() {
            let same = parts.last().map(|last| self.literals[*last].atom);
            if same == Some(self.literals[at].atom) {
                continue;
            }
            let missed = &self.missed[at];
            if more == 1 {
                if rest.iter().zip(missed).all(|(a, b)| a & b == 0) {
                    parts.push(at);
                    self.hit(parts);
                    parts.pop();
                }
                continue;
            }
            let left: Vec<u64> = rest.iter().zip(missed).map(|(a, b)| a & b).collect();
            let is_over = left.iter().all(|word| *word == 0);
            // A literal that hits nothing new is in no minimal clause.
            if !is_over && (parts.is_empty() || left != rest) {
                parts.push(at);
                self.longer(parts, &left, more - 1);
                parts.pop();
            }
        }
    }

    fn hit(&mut self, parts: &[usize]) {
        let clause: Clause = parts.iter().map(|at| self.literals[*at]).collect();
        let canonical = canonical(&clause, self.renamed);
        if self.known.contains(&canonical) || has_part(&clause, &self.known, self.renamed) {
            return;
        }
        self.known.insert(canonical);
        self.found.push(clause);
    }
}

/// Which rows a literal is false in.
fn misses(literal: Literal, rows: &BTreeSet<Row>) -> Vec<u64> {
    let mut words = vec![0; rows.len().div_ceil(64)];
    for (at, row) in rows.iter().enumerate() {
        if !literal.holds(row) {
            words[at / 64] |= 1 << (at % 64);
        }
    }
    words
}

/// The least of the clauses that it becomes by renaming.
fn canonical(clause: &Clause, renamed: &[Vec<usize>]) -> Clause {
    let ways = renamed.iter().map(|way| {
        let mut other: Clause = clause
            .iter()
            .map(|one| Literal {
                atom: way[one.atom],
                positive: one.positive,
            })
            .collect();
        other.sort();
        other
    });
    let mut own = clause.clone();
    own.sort();
    ways.chain([own.clone()]).min().unwrap_or(own)
}

/// Does a clause hold already without one of its literals?
fn has_part(clause: &Clause, known: &BTreeSet<Clause>, renamed: &[Vec<usize>]) -> bool {
    let subsets = (1..(1_usize << clause.len()) - 1).map(|mask| {
        let chosen = clause.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| mask & (1 << at) != 0);
        chosen.map(|(_, one)| *one).collect::<Clause>()
    });
    let mut subsets = subsets.filter(|subset| subset.len() < clause.len());
    subsets.any(|subset| known.contains(&canonical(&subset, renamed)))
}
