//! The canonical numbering of locals.
//!
//! Which row of its table a local has means nothing. The canonical order is: parameters (and
//! whatever else nothing binds) as they are, then bound names in reading order, as the front end
//! numbers them. Songs built or changed by programs are renumbered to be compared with read ones.

use super::{Visit, VisitMut, walk, walk_mut};
use crate::{Local, LocalId, Song};
use std::collections::{BTreeMap, BTreeSet};

/// Gives every local its canonical number.
pub fn renumber_locals(song: &mut Song) {
    let mut order = BindingOrder::default();
    walk::song(&mut order, song);
    let mut renumber = Renumber {
        tables: order.tables.into_iter(),
        numbers: BTreeMap::new(),
    };
    walk_mut::song(&mut renumber, song);
}

/// What each table of locals binds, in reading order.
#[derive(Default)]
struct BindingOrder {
    tables: Vec<Vec<LocalId>>,
}

impl Visit for BindingOrder {
    fn enter(&mut self, _locals: &[Local]) {
        self.tables.push(Vec::new());
    }

    fn binds(&mut self, local: &LocalId) {
        if let Some(table) = self.tables.last_mut() {
            table.push(*local);
        }
    }
}

struct Renumber {
    tables: std::vec::IntoIter<Vec<LocalId>>,
    numbers: BTreeMap<LocalId, LocalId>,
}

impl Renumber {
    fn rewrite(&self, local: &mut LocalId) {
        if let Some(number) = self.numbers.get(local) {
            *local = *number;
        }
    }
}

impl VisitMut for Renumber {
    fn enter(&mut self, locals: &mut Vec<Local>) {
        let bound = self.tables.next().unwrap_or_default();
        let is_bound: BTreeSet<LocalId> = bound.iter().copied().collect();
        let free = (0..locals.len())
            .map(LocalId::from)
            .filter(|local| !is_bound.contains(local));
        let order: Vec<LocalId> = free.chain(bound.iter().copied()).collect();
        *locals = order
            .iter()
            .filter_map(|local| locals.get(local.index()).cloned())
            .collect();
        self.numbers = order
            .iter()
            .enumerate()
            .map(|(new, old)| (*old, LocalId::from(new)))
            .collect();
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.rewrite(local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        self.rewrite(local);
    }
}
