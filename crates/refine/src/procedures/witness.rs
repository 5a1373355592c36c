//! Witnesses: what an action chooses is what its procedure calls by the same name.
//!
//! Statement. That a stretch is a step of the action asks for *some* choices of it. A choice named like a local
//! of the procedure that has a value of the same type is taken to be that value; one between two is tried both ways;
//! for the others the solver is asked whether there is one. If that is not proved, the solver is asked about all of them.
//!
//! Why sound. A witness is asked for more than the existence that follows from it.

use super::{Choices, Path, ProcedureWalk};
use plainsong_ir::LocalId;
use plainsong_prove::term::{Op, Term};
use rustc_hash::FxHashMap;

/// What is taken for choices.
pub(super) struct Witness {
    /// Those with a value.
    pub(super) values: FxHashMap<Term, Term>,
    /// The others.
    pub(super) open: Vec<Term>,
}

impl ProcedureWalk<'_> {
    /// What is taken for choices at a point.
    pub(super) fn witness(&mut self, path: &Path, choices: &[Term]) -> Witness {
        let mut values = FxHashMap::default();
        let named = choices.iter().filter(|_| self.choices == Choices::Named);
        for choice in named {
            if let Some(value) = self.named_like(path, *choice) {
                values.insert(*choice, value);
            }
        }
        let open = choices.iter().filter(|choice| !values.contains_key(choice));
        let open = open.copied().collect();
        Witness { values, open }
    }

    /// The value of the last local with the name of a choice.
    fn named_like(&self, path: &Path, choice: Term) -> Option<Term> {
        let terms = &self.theory.terms;
        let Op::Symbol(number) = terms.op(choice) else {
            return None;
        };
        let name = &terms.symbol(number).name;
        let rows = &self.decl(&self.song).code.locals;
        let rows = rows.iter().enumerate().rev();
        let mut named = rows.filter(|(_, row)| row.name == *name);
        named.find_map(|(at, _)| {
            let value = *path.env.locals.get(&LocalId::from(at))?;
            (terms.sort(value) == terms.sort(choice)).then_some(value)
        })
    }
}
