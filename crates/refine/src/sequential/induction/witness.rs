//! What an action chooses to do the same as another one: what is said, what has the same name, or anything.

use super::{Inductive, Part, Start};
use crate::movers::{picks, some_way};
use plainsong_ir::{Action, ActionId, LocalId};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeMap;

/// Values for choices, by their number among all choices of an action.
pub(super) type Chosen = BTreeMap<usize, Term>;

/// For the choices of an action, what another one calls by the same name when it ends.
pub(super) fn same_names(
    theory: &mut Theory,
    action: &Action,
    (named, run): (&Action, &Gated),
) -> Chosen {
    let value = |name: &str| {
        let mut rows = named.code.locals.iter().enumerate();
        rows.find_map(|(at, row)| {
            let value = run.locals.get(&LocalId::from(at))?;
            (row.name == name).then_some(*value)
        })
    };
    let all = picks(action).into_iter().filter_map(|(at, local)| {
        let row = &action.code.locals[local.index()];
        let value = value(&row.name)?;
        let sort = theory.sort_of_type(&row.ty, row.span).ok()?;
        (theory.terms.sort(value) == sort).then_some((at, value))
    });
    all.collect()
}

impl Inductive<'_, '_> {
    /// A run with these choices, and those that are left open.
    pub(super) fn run_choosing(
        &self,
        theory: &mut Theory,
        start: &Start,
        id: ActionId,
        chosen: &Chosen,
    ) -> Result<(Gated, Vec<Term>)> {
        let any = self.run(theory, start, id, None)?;
        let mut choices = any.choices.clone();
        let mut open = Vec::new();
        for (at, choice) in choices.iter_mut().enumerate() {
            match chosen.get(&at) {
                Some(value) => *choice = *value,
                None => open.push(*choice),
            }
        }
        let run = self.run(theory, start, id, Some(&choices))?;
        Ok((run, open))
    }

    /// That a run is possible and leads to the same: part by part, or for some of the choices that are left open.
    pub(super) fn possible(
        &self,
        theory: &mut Theory,
        (run, open): (&Gated, &[Term]),
        mut same: Vec<Part>,
    ) -> Vec<Part> {
        same.insert(0, ("what it chooses is possible".to_owned(), run.guard));
        if open.is_empty() {
            return same;
        }
        let all: Vec<Term> = same.into_iter().map(|(_, part)| part).collect();
        let goal = theory.terms.and(&all);
        let goal = some_way(theory, open, goal);
        vec![("for some choices all is the same".to_owned(), goal)]
    }
}
