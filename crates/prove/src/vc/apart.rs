//! What is known at the head of a `for` about variables that its rounds keep apart.
//!
//! Statement. Let every access of the body and the filter to a variable have the loop's name as one of its
//! coordinates ([`crate::rounds`]). Then, when some members were taken and others not, the variable's part of
//! a member that was not taken is what it was before the loop. If moreover what a round makes of its own part
//! depends on nothing that rounds do not keep apart, and on no choice, then the part of a member that was
//! taken is what its round makes of the state before the loop.
//!
//! Why sound. By induction on the rounds: a round touches only the part of its own member, and members are
//! taken once. For the second, the round is followed with unknowns in place of everything written that is
//! not kept apart; if the result speaks of none of them, it is the same in every state that a round can
//! begin in. Local variables that the body assigns are such unknowns too.
//!
//! So an invariant need not say which asyncs of a `for` over a sort are still pending.

use super::loops::{Round, Through};
use super::{Flow, SymbolicState, VcWalk};
use crate::rounds::{Coordinates, Variable, Written, coordinate, everywhere, speaks_of};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;

impl VcWalk<'_> {
    /// Fills in, at the head, what is known about variables that are kept apart.
    pub(super) fn apart(
        &mut self,
        before: &SymbolicState,
        head: &mut SymbolicState,
        through: &Through,
        position: Term,
        round: &Round<'_>,
    ) -> Result<()> {
        let song = self.theory.song.clone();
        let written = Written::of(round.body).variables;
        let apart = written.iter().filter_map(|&variable| {
            let at = coordinate(&song, variable, round.local, round.filter, round.body)?;
            Some((variable, at))
        });
        let apart: Coordinates = apart.collect();
        if apart.is_empty() {
            return Ok(());
        }
        let Some((member, _)) = self.any_member(through)? else {
            return Ok(());
        };
        let taken = match through {
            Through::Range(first, _) => {
                let low = self.theory.terms.le(*first, member);
                let high = self.theory.terms.lt(member, position);
                self.theory.terms.and(&[low, high])
            }
            Through::Set(..) => self.theory.terms.select(position, member),
            Through::Seq(_) => return Ok(()),
        };
        let others = written.iter().filter(|one| !apart.contains_key(one));
        let others: Vec<Variable> = others.copied().collect();
        let made = self.made_by_round(before, &others, member, round);
        for (&variable, &at) in &apart {
            let (Some(old), Some(unknown)) = (
                before.env.store.value(variable),
                head.env.store.value(variable),
            ) else {
                continue;
            };
            let new = match &made {
                Some((counts, end, known)) => end.env.store.value(variable).map(|new| {
                    let terms = &mut self.theory.terms;
                    let whole = everywhere(terms, (old, new), at, (member, *counts));
                    (whole, *known)
                }),
                None => None,
            };
            let terms = &mut self.theory.terms;
            let new = match new {
                Some((whole, known)) if speaks_of(terms, whole, member, known) => whole,
                _ => unknown,
            };
            let value = everywhere(terms, (old, new), at, (member, taken));
            head.env.store.set(variable, value);
        }
        Ok(())
    }

    /// Where one round leads to from the state before the loop, with unknowns in place of the variables
    /// that rounds share; when it counts, and how many symbols there were before. `None` when that cannot
    /// be said.
    fn made_by_round(
        &mut self,
        before: &SymbolicState,
        others: &[Variable],
        member: Term,
        round: &Round<'_>,
    ) -> Option<(Term, SymbolicState, u32)> {
        let known = self.theory.terms.symbol_count();
        let asked = self.conditions.clone();
        let (chosen, cuts) = (self.chosen.len(), self.cuts);
        let made = self.followed_round(before, others, member, round);
        self.conditions = asked;
        self.chosen.truncate(chosen);
        self.cuts = cuts;
        // What was chosen is among the symbols that came later.
        let (counts, end) = made.ok().flatten()?;
        Some((counts, end, known))
    }

    fn followed_round(
        &mut self,
        before: &SymbolicState,
        others: &[Variable],
        member: Term,
        round: &Round<'_>,
    ) -> Result<Option<(Term, SymbolicState)>> {
        let mut state = before.clone();
        for &variable in others {
            self.forget(&mut state, variable)?;
        }
        for local in Written::of(round.body).locals {
            self.forget_local(&mut state, local)?;
        }
        state.env.locals.insert(round.local, member);
        let counts = match round.filter {
            Some(filter) => self.read(&mut state, filter)?,
            None => self.theory.terms.bool(true),
        };
        let ends = self.block(state, round.body)?;
        match &ends[..] {
            [(Flow::Next, end)] => Ok(Some((counts, end.clone()))),
            _ => Ok(None),
        }
    }
}
