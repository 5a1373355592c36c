//! Joining what two branches lead to (a φ of static single assignment).
//!
//! Where the branches differ, a variable is the one or the other by the condition. What each branch
//! relies on holds only where that branch was taken.

use super::{Flow, States, SymbolicState, VcWalk};
use crate::lower::{Env, Store};
use crate::term::Term;
use std::collections::BTreeMap;

impl VcWalk<'_> {
    /// The states of both branches, of which the first is taken when `condition`; both began with
    /// the first `common` hypotheses. The states that go on to the next statement are joined when
    /// there is one of each.
    pub(super) fn join(
        &mut self,
        condition: Term,
        common: usize,
        yes: States,
        no: States,
    ) -> States {
        let one = |states: &States| {
            states
                .iter()
                .filter(|(flow, _)| *flow == Flow::Next)
                .count()
                == 1
        };
        if !one(&yes) || !one(&no) {
            return yes.into_iter().chain(no).collect();
        }
        let mut rest = Vec::new();
        let mut going = Vec::new();
        for (flow, state) in yes.into_iter().chain(no) {
            match flow {
                Flow::Next => going.push(state),
                _ => rest.push((flow, state)),
            }
        }
        let [a, b] = &going[..] else {
            panic!("one state of each branch goes on")
        };
        let joined = self.joined(condition, common, a, b);
        rest.insert(0, (Flow::Next, joined));
        rest
    }

    fn joined(
        &mut self,
        condition: Term,
        common: usize,
        a: &SymbolicState,
        b: &SymbolicState,
    ) -> SymbolicState {
        let mut hypotheses = a.hypotheses[..common].to_vec();
        let not = self.theory.terms.not(condition);
        for (guard, state) in [(condition, a), (not, b)] {
            for &known in &state.hypotheses[common..] {
                let known = self.theory.terms.implies(guard, known);
                if self.theory.terms.op(known) != crate::term::Op::True {
                    hypotheses.push(known);
                }
            }
        }
        let env = Env {
            locals: self.either(condition, &a.env.locals, &b.env.locals),
            store: Store {
                vars: self.either(condition, &a.env.store.vars, &b.env.store.vars),
                globals: self.either(condition, &a.env.store.globals, &b.env.store.globals),
                pending: BTreeMap::new(),
            },
            old: a.env.old.clone(),
            own: BTreeMap::new(),
        };
        let mut path = a.path.clone();
        let common = a.path.iter().zip(&b.path).take_while(|(a, b)| a == b);
        path.truncate(common.count());
        SymbolicState {
            env,
            hypotheses,
            path,
        }
    }

    /// What both know, the one or the other by the condition.
    fn either<K: Ord + Copy>(
        &mut self,
        condition: Term,
        a: &BTreeMap<K, Term>,
        b: &BTreeMap<K, Term>,
    ) -> BTreeMap<K, Term> {
        let mut both = BTreeMap::new();
        for (key, &x) in a {
            if let Some(&y) = b.get(key) {
                both.insert(*key, self.theory.terms.ite(condition, x, y));
            }
        }
        both
    }
}
