//! A loop whose rounds have nothing to do with each other.
//!
//! Statement. If in the body of `for x in S` every write to a variable, and every read of a variable that
//! the body writes, has `x` as its coordinate number `c` (one `c` for each variable; [`crate::rounds`]), and
//! the body neither jumps out, nor assigns names, nor contains a loop that has to be cut, then the
//! effect of the loop is that of all rounds at once: at coordinates with `x` in place `c`, the variable
//! has the value that round `x` gives it, from the state before the loop.
//!
//! Why sound. Two rounds have different `x`, so neither writes what the other reads or writes; in any
//! order, each sees the state before the loop. What a round chooses is a function of `x`. No invariant
//! is needed. Sending to every member, gathering from every member, and an exchange of all with all
//! (`for p in P { for q in P { node[q].got[p] = node[p].mine; } }`) are such loops. A variable may have an
//! expression of `x` in that place instead, the same one everywhere (`node[(x + 1) % N].got`):
//! `vc/permuted.rs`.

use super::actions::watches;
use super::loops::{Round, Through};
use super::{Flow, States, SymbolicState, VcWalk};
use crate::rounds::{Coordinates, Part, Variable, everywhere, permuted, separate};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Every variable's part is that of the loop's name.
fn by_name(coordinates: Coordinates) -> BTreeMap<Variable, Part> {
    let parts = coordinates.into_iter().map(|(variable, coordinate)| {
        let index = None;
        (variable, Part { coordinate, index })
    });
    parts.collect()
}

impl VcWalk<'_> {
    /// The state after the loop, if it is one of that kind.
    pub(super) fn all_at_once(
        &mut self,
        state: &SymbolicState,
        round: &Round<'_>,
    ) -> Result<Option<States>> {
        let watched = self.watch.is_some_and(|watch| watches(watch, round.body));
        if !round.clauses.invariants.is_empty() || watched {
            return Ok(None);
        }
        let song = self.theory.song.clone();
        let named = separate(&song, round.local, round.filter, round.body);
        let named = named.filter(|some| !some.is_empty()).map(by_name);
        let parts = named.or_else(|| permuted(&song, round.local, round.filter, round.body));
        let Some(parts) = parts else {
            return Ok(None);
        };
        let asked = self.conditions.clone();
        let (chosen, cuts) = (self.chosen.len(), self.cuts);
        let after = self.every_round(state, round, &parts)?;
        let cut = self.cuts > cuts;
        self.cuts = cuts;
        if after.is_none() || cut {
            self.chosen.truncate(chosen);
            self.conditions = asked;
            return Ok(None);
        }
        Ok(after)
    }

    fn every_round(
        &mut self,
        state: &SymbolicState,
        round: &Round<'_>,
        parts: &BTreeMap<Variable, Part>,
    ) -> Result<Option<States>> {
        let mut state = state.clone();
        let through = self.through(&mut state, round)?;
        let Some((member, guard)) = self.any_member(&through)? else {
            return Ok(None);
        };
        let common = state.hypotheses.len();
        let chosen = self.chosen.len();
        let mut inside = state.clone();
        inside.hypotheses.push(guard);
        inside.env.locals.insert(round.local, member);
        let mut counts = guard;
        if let Some(filter) = round.filter {
            let passes = self.read(&mut inside, filter)?;
            inside.hypotheses.push(passes);
            counts = self.theory.terms.and(&[guard, passes]);
        }
        let mut aims = BTreeMap::new();
        for (&variable, part) in parts {
            let Some(index) = &part.index else {
                continue;
            };
            let Some(aim) = self.aim(&mut inside, &through, (member, guard), index)? else {
                return Ok(None);
            };
            aims.insert(variable, aim);
        }
        let ends = self.block(inside, round.body)?;
        let [(Flow::Next, end)] = &ends[..] else {
            return Ok(None);
        };
        let by_member = self.choices_of(member, chosen);
        for (&variable, part) in parts {
            let stores = (&state.env.store, &end.env.store);
            let (Some(before), Some(after)) = (stores.0.value(variable), stores.1.value(variable))
            else {
                continue;
            };
            let terms = &mut self.theory.terms;
            let after = terms.replace(after, &by_member);
            let counts = terms.replace(counts, &by_member);
            let values = (before, after);
            let all = match aims.get(&variable) {
                None => everywhere(terms, values, part.coordinate, (member, counts)),
                Some(aim) => aim.everywhere(terms, values, part.coordinate, (member, counts)),
            };
            state.env.store.set(variable, all);
        }
        for &known in &end.hypotheses[common..] {
            let known = self.theory.terms.replace(known, &by_member);
            let known = self.theory.terms.implies(counts, known);
            let known = self.theory.terms.forall(member, known);
            state.hypotheses.push(known);
        }
        Ok(Some(vec![(Flow::Next, state)]))
    }

    /// What was chosen since, as functions of the member.
    fn choices_of(&mut self, member: Term, since: usize) -> FxHashMap<Term, Term> {
        let from = self.theory.terms.sort(member);
        let mut by_member = FxHashMap::default();
        for at in since..self.chosen.len() {
            let choice = self.chosen[at];
            let sort = self
                .theory
                .terms
                .array_sort(from, self.theory.terms.sort(choice));
            let all = self.theory.terms.fresh("chosen", sort);
            let here = self.theory.terms.select(all, member);
            by_member.insert(choice, here);
            // A loop around this one chooses the whole function.
            self.chosen[at] = all;
        }
        by_member
    }

    /// An arbitrary element of what is run through, and that it is one.
    pub(super) fn any_member(&mut self, through: &Through) -> Result<Option<(Term, Term)>> {
        Ok(match through {
            Through::Range(first, end) => {
                let at = self.theory.terms.fresh("member", crate::term::Sort::INT);
                let low = self.theory.terms.le(*first, at);
                let high = self.theory.terms.lt(at, *end);
                Some((at, self.theory.terms.and(&[low, high])))
            }
            Through::Set(ty, whole) => {
                let at = self.theory.terms.fresh_place("member", *whole);
                let member = self.theory.terms.select(*whole, at);
                let valid = self.theory.valid(ty, at)?;
                Some((at, self.theory.terms.and(&[member, valid])))
            }
            // The same element may come twice.
            Through::Seq(_) => None,
        })
    }
}
