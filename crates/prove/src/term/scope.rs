//! Bound variables: closing, instantiating, replacing.

use super::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Is `op` a binder?
fn binds(op: Op) -> bool {
    matches!(op, Op::Lambda | Op::Forall(_) | Op::Exists(_))
}

impl Terms {
    /// `body` with `arg` for the variable of the binder that was taken off.
    pub fn instantiate(&mut self, body: Term, arg: Term) -> Term {
        let mut memo = FxHashMap::default();
        self.map_loose(body, 0, &mut memo, &mut |terms, index, depth, sort| {
            if index == depth {
                terms.shift(arg, depth)
            } else {
                terms.bound(index - 1, sort)
            }
        })
    }

    /// `term` as it reads under `by` more binders.
    fn shift(&mut self, term: Term, by: u32) -> Term {
        if by == 0 || self.is_closed(term) {
            return term;
        }
        let mut memo = FxHashMap::default();
        self.map_loose(term, 0, &mut memo, &mut |terms, index, _, sort| {
            terms.bound(index + by, sort)
        })
    }

    /// Does the variable `index` of a binder outside occur in `term`?
    pub(crate) fn mentions(&self, term: Term, index: u32) -> bool {
        if self.loose(term) <= index {
            return false;
        }
        match self.op(term) {
            Op::Bound(at) => at == index,
            op => {
                let index = index + u32::from(binds(op));
                self.args(term).iter().any(|arg| self.mentions(*arg, index))
            }
        }
    }

    /// Replaces bound variables of binders outside; `change` is told the variable's number, how deep
    /// under binders of `term` it stands (its number is at least that), and its sort.
    fn map_loose(
        &mut self,
        term: Term,
        depth: u32,
        memo: &mut FxHashMap<(Term, u32), Term>,
        change: &mut dyn FnMut(&mut Terms, u32, u32, super::Sort) -> Term,
    ) -> Term {
        if self.loose(term) <= depth {
            return term;
        }
        if let Op::Bound(index) = self.op(term) {
            let sort = self.sort(term);
            return change(self, index, depth, sort);
        }
        if let Some(&done) = memo.get(&(term, depth)) {
            return done;
        }
        let inner = depth + u32::from(binds(self.op(term)));
        let args: Vec<Term> = self.args(term).to_vec();
        let args: Vec<Term> = args
            .into_iter()
            .map(|arg| self.map_loose(arg, inner, memo, change))
            .collect();
        let done = self.rebuild(term, &args);
        memo.insert((term, depth), done);
        done
    }

    /// `term` with the symbol `symbol` turned into the variable of a binder about to be put on.
    pub(crate) fn close(&mut self, symbol: Term, term: Term) -> Term {
        let mut memo = FxHashMap::default();
        self.close_at(symbol, term, 0, &mut memo)
    }

    fn close_at(
        &mut self,
        symbol: Term,
        term: Term,
        depth: u32,
        memo: &mut FxHashMap<(Term, u32), Term>,
    ) -> Term {
        if term == symbol {
            let sort = self.sort(term);
            return self.bound(depth, sort);
        }
        let op = self.op(term);
        if let Op::Bound(index) = op {
            let sort = self.sort(term);
            let past = index + u32::from(index >= depth);
            return self.bound(past, sort);
        }
        if self.args(term).is_empty() {
            return term;
        }
        if let Some(&done) = memo.get(&(term, depth)) {
            return done;
        }
        let inner = depth + u32::from(binds(op));
        let args: Vec<Term> = self.args(term).to_vec();
        let args: Vec<Term> = args
            .into_iter()
            .map(|arg| self.close_at(symbol, arg, inner, memo))
            .collect();
        let done = self.rebuild(term, &args);
        memo.insert((term, depth), done);
        done
    }

    /// Is a closed term a part of `term`?
    pub fn contains(&self, term: Term, part: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if term == part {
                return true;
            }
            if seen.insert(term) {
                open.extend(self.args(term));
            }
        }
        false
    }

    /// `term` with closed terms in place of others, from the outside in.
    pub fn replace(&mut self, term: Term, by: &FxHashMap<Term, Term>) -> Term {
        let mut memo = FxHashMap::default();
        self.replace_in(term, by, &mut memo)
    }

    fn replace_in(
        &mut self,
        term: Term,
        by: &FxHashMap<Term, Term>,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(&other) = by.get(&term) {
            return other;
        }
        if self.args(term).is_empty() {
            return term;
        }
        if let Some(&done) = memo.get(&term) {
            return done;
        }
        let args: Vec<Term> = self.args(term).to_vec();
        let args: Vec<Term> = args
            .into_iter()
            .map(|arg| self.replace_in(arg, by, memo))
            .collect();
        let done = self.rebuild(term, &args);
        memo.insert(term, done);
        done
    }
}
