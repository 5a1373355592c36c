//! Created asyncs as a bag: how often each combination of arguments is there.

use super::{Created, Gated};
use crate::term::{Op, Term};
use crate::theory::Theory;
use plainsong_ir::{ActionId, Ty};
use rustc_hash::FxHashMap;

impl Gated {
    /// How many asyncs of an action with these arguments are created.
    pub fn created(&self, theory: &mut Theory, action: ActionId, arguments: &[Term]) -> Term {
        counted(theory, &self.created, action, arguments)
    }

    /// How many asyncs of an action are created, if that is no matter of sizes.
    pub fn created_in_all(&self, theory: &mut Theory, action: ActionId) -> Option<Term> {
        let mut sum = theory.terms.int(0);
        for one in self.created.iter().filter(|one| one.action == action) {
            if !one.each.is_empty() {
                return None;
            }
            let (yes, no) = (theory.terms.int(1), theory.terms.int(0));
            let count = theory.terms.ite(one.condition, yes, no);
            sum = theory.terms.add(sum, count);
        }
        Some(sum)
    }
}

/// How many asyncs of an action with these arguments are among those that are created.
pub fn counted(
    theory: &mut Theory,
    created: &[Created],
    action: ActionId,
    arguments: &[Term],
) -> Term {
    let mut sum = theory.terms.int(0);
    for one in created.iter().filter(|one| one.action == action) {
        let count = one.count(theory, arguments);
        sum = theory.terms.add(sum, count);
    }
    sum
}

impl Created {
    /// How often these arguments are among those it is created with.
    fn count(&self, theory: &mut Theory, arguments: &[Term]) -> Term {
        let song = theory.song.clone();
        let rows = song.actions().map(|actions| &actions.actions);
        let code = &rows.expect("asyncs are of actions")[self.action.index()].code;
        let types: Vec<Ty> = code.locals[..code.arity]
            .iter()
            .map(|row| row.ty.clone())
            .collect();
        let mut own = self.arguments.clone();
        let mut condition = self.condition;
        let mut each = self.each.clone();
        // A member that is an argument is that argument.
        while let Some(at) = (0..own.len()).find(|at| each.contains(&own[*at])) {
            let member = own[at];
            let by = FxHashMap::from_iter([(member, arguments[at])]);
            each.retain(|other| *other != member);
            condition = theory.terms.replace(condition, &by);
            for one in &mut own {
                *one = theory.terms.replace(*one, &by);
            }
        }
        let mut parts = vec![condition];
        for (at, ty) in types.iter().enumerate() {
            parts.push(theory.equal(ty, own[at], arguments[at]));
        }
        let here = theory.terms.and(&parts);
        let (yes, no) = (theory.terms.int(1), theory.terms.int(0));
        let mut count = theory.terms.ite(here, yes, no);
        for member in each.into_iter().rev() {
            let values = theory.terms.lambda(member, count);
            count = match theory.terms.op(count) {
                Op::Int(0) => count,
                _ => theory.terms.total(values),
            };
        }
        count
    }
}
