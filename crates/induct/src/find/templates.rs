//! Templates: some atoms, and rows of their truths in states that runs come to.
//!
//! A row is a state and a choice of members for the names. Where there are very many choices some are looked at, by chance from a
//! fixed seed; so a clause that hits all rows may still be false in a state that was seen, and then the row that shows it is added.
//!
//! Of the state that a clause has to forbid, choices in which the names of a sort have members in ascending order are enough: other
//! choices are these under other names.

use super::circuit::{Cone, Lit};
use super::clauses::{Clause, Rows};
use super::graph::{Graph, LEVELS};
use super::model::{Bits, Chance};
use plainsong_ir::LocalId;
use std::collections::BTreeSet;

/// With how many rows of each size a template begins, about.
const BEGIN: usize = 60_000;
/// How many of these it keeps: others are noted when a clause fails in them.
const ROWS: usize = 3_000;
/// The most choices of members that rows are made of.
pub(super) const CHOICES: usize = 800;
/// The most literals of a template.
const LITERALS: usize = 800;

/// Atoms and the rows of their truths.
pub(super) struct Template {
    pub(super) atoms: Vec<usize>,
    /// The names in them.
    locals: Vec<LocalId>,
    pub(super) rows: Rows,
    /// At each size: the literals of the atoms for each choice of members, and their gates.
    pub(super) sizes: Vec<(Vec<Vec<Lit>>, Cone)>,
    /// At each size: how many of the choices come first in which names of a sort are in order. Others are these under other names.
    in_order: Vec<usize>,
}

impl Graph<'_> {
    /// The atoms of a level about the variables of a slice.
    pub(super) fn chosen(&self, level: usize, slice: u128) -> Vec<usize> {
        let (names, kind, _) = LEVELS[level];
        let is_named = |local: &LocalId| local.index() % self.atoms.each < names;
        let mut atoms: Vec<usize> = (0..self.terms.len())
            .filter(|at| {
                self.terms[*at].is_some()
                    && self.atoms.kinds[*at] <= kind
                    && self.atoms.used[*at].iter().all(is_named)
                    && self.reads[*at] & !slice == 0
            })
            .collect();
        atoms.truncate(LITERALS / 2);
        atoms
    }

    pub(super) fn template(&mut self, level: usize, slice: u128) -> Template {
        let atoms = self.chosen(level, slice);
        let mut locals: BTreeSet<LocalId> = BTreeSet::new();
        for at in &atoms {
            locals.extend(&self.atoms.used[*at]);
        }
        let rows = Rows::new(&atoms, &self.atoms.same);
        let locals: Vec<LocalId> = locals.into_iter().collect();
        let mut template = Template {
            atoms,
            locals: locals.clone(),
            rows,
            sizes: Vec::new(),
            in_order: Vec::new(),
        };
        for size in 0..self.active {
            let mut lits: Vec<Vec<Lit>> = Vec::new();
            // Where there are very many, some of them are looked at; clauses are tried on all.
            let mut all = some_choices(&self.values[size], &locals, &mut self.chance);
            all.sort_by_key(|choice| !self.is_in_order(&locals, choice));
            let in_order = all.iter().filter(|one| self.is_in_order(&locals, one));
            template.in_order.push(in_order.count());
            for choice in all {
                let row = template.atoms.iter();
                let row = row.map(|atom| self.atom(size, *atom, &locals, &choice));
                lits.push(row.map(|lit| lit.unwrap_or(Lit::FALSE)).collect());
            }
            let all: Vec<Lit> = lits.iter().flatten().copied().collect();
            let cone = self.models[size].circuit().cone(&all);
            let states = &self.models[size].samples;
            let some = states.len().min(BEGIN / lits.len().max(1) + 8);
            template.sizes.push((lits, cone));
            let mut rows = self.rows(&template, size, &states[..some]);
            self.chance.thin(&mut rows, ROWS);
            rows.into_iter().for_each(|row| template.rows.add(row));
        }
        template
    }

    /// Do the names of each sort have members in ascending order?
    fn is_in_order(&self, locals: &[LocalId], choice: &[u32]) -> bool {
        let pairs = locals.windows(2).zip(choice.windows(2));
        let each = self.atoms.each;
        let mut pairs = pairs.filter(|(one, _)| one[0].index() / each == one[1].index() / each);
        pairs.all(|(_, choice)| choice[0] <= choice[1])
    }

    /// The rows of states: for each, and each choice of members, the literals that are true.
    fn rows(&self, template: &Template, size: usize, states: &[Bits]) -> Vec<Box<[u64]>> {
        let (lits, cone) = &template.sizes[size];
        self.rows_of(template, size, (lits, cone), states)
    }

    /// The same for choices in which names are in order.
    pub(super) fn rows_in_order(
        &self,
        template: &Template,
        size: usize,
        states: &[Bits],
    ) -> Vec<Box<[u64]>> {
        let (lits, cone) = &template.sizes[size];
        let lits = &lits[..template.in_order[size]];
        self.rows_of(template, size, (lits, cone), states)
    }

    fn rows_of(
        &self,
        template: &Template,
        size: usize,
        (lits, cone): (&[Vec<Lit>], &Cone),
        states: &[Bits],
    ) -> Vec<Box<[u64]>> {
        let mut seen = BTreeSet::new();
        self.models[size].truths(cone, lits, states, |truths| {
            if !seen.contains(truths) {
                seen.insert(truths.to_vec());
            }
        });
        let rows = seen.iter();
        rows.map(|truths| template.rows.row(&template.atoms, truths))
            .collect()
    }

    /// A row of a state in which a clause is false.
    pub(super) fn row_without(
        &mut self,
        template: &Template,
        size: usize,
        state: &Bits,
        clause: &Clause,
    ) -> Option<Box<[u64]>> {
        let states = std::slice::from_ref(state);
        let rows = self.rows(template, size, states);
        let found = rows
            .into_iter()
            .find(|row| template.rows.is_false(clause, row));
        if found.is_some() {
            return found;
        }
        // Not among the choices that were looked at: the members that make it false, and any others.
        let own: Vec<LocalId> = self.names_of(clause).into_iter().collect();
        for choice in choices(&self.values[size], &own) {
            let mut any = Vec::new();
            for one in clause {
                let lit = self.atom(size, one.atom, &own, &choice)?;
                any.push(if one.positive { lit } else { !lit });
            }
            let lit = self.models[size].finite.circuit.any(any);
            let cone = self.models[size].circuit().cone(&[lit]);
            let mut is_false = false;
            self.models[size].truths(&cone, &[vec![lit]], states, |row| {
                is_false = row[0] & 1 == 0;
            });
            if is_false {
                return self.row_at(template, size, states, (&own, &choice));
            }
        }
        None
    }

    /// The row of a state where some names have these members, the others their first.
    fn row_at(
        &mut self,
        template: &Template,
        size: usize,
        states: &[Bits],
        (own, choice): (&[LocalId], &[u32]),
    ) -> Option<Box<[u64]>> {
        let locals: Vec<LocalId> = template.locals.clone();
        let values: Vec<u32> = locals
            .iter()
            .map(|local| match own.iter().position(|one| one == local) {
                Some(at) => choice[at],
                None => self.values[size][local.index()][0],
            })
            .collect();
        let lits = template.atoms.iter();
        let lits: Vec<Lit> = lits
            .map(|atom| {
                let lit = self.atom(size, *atom, &locals, &values);
                lit.unwrap_or(Lit::FALSE)
            })
            .collect();
        let cone = self.models[size].circuit().cone(&lits);
        let mut found = None;
        self.models[size].truths(&cone, &[lits], states, |truths| {
            found = Some(template.rows.row(&template.atoms, truths));
        });
        found
    }
}

/// Every choice of members for some names.
pub(super) fn choices(values: &[Vec<u32>], locals: &[LocalId]) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new()];
    for local in locals {
        let own = &values[local.index()];
        let longer = rows
            .iter()
            .flat_map(|row: &Vec<u32>| own.iter().map(|value| [&row[..], &[*value]].concat()));
        rows = longer.collect();
    }
    rows
}

/// Every choice of members for some names, or so many by chance.
fn some_choices(values: &[Vec<u32>], locals: &[LocalId], chance: &mut Chance) -> Vec<Vec<u32>> {
    let count = locals.iter().fold(1_usize, |count, local| {
        count.saturating_mul(values[local.index()].len())
    });
    if count <= CHOICES {
        return choices(values, locals);
    }
    let one = |chance: &mut Chance| {
        let names = locals.iter().map(|local| &values[local.index()]);
        names
            .map(|own| own[(chance.next() % own.len() as u64) as usize])
            .collect()
    };
    let all: BTreeSet<Vec<u32>> = (0..CHOICES).map(|_| one(chance)).collect();
    all.into_iter().collect()
}
