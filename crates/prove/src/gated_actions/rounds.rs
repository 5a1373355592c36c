//! `for` in actions: all rounds at once.
//!
//! Statement. If the rounds have nothing to do with each other ([`crate::rounds`]), each is run from the
//! state before the loop, for an arbitrary member: variables become functions of it, what may not fail and
//! what would block is asked for all members, and asyncs are created for each of them.
//!
//! NOT COVERED, and said so: other loops, choices inside of a loop, and loops over sequences and bags.

use super::{ActionState, SymbolicRun};
use crate::lower::Unsupported;
use crate::rounds::{everywhere, separate};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{Block, Domain, Expr, LocalId, Ty};

/// A `for` loop.
pub(super) struct Round<'a> {
    pub(super) local: LocalId,
    pub(super) domain: &'a Domain,
    pub(super) filter: Option<&'a Expr>,
    pub(super) body: &'a Block,
    pub(super) span: Span,
}

impl SymbolicRun<'_> {
    /// The state after the loop.
    pub(super) fn every_round(
        &mut self,
        mut state: ActionState,
        round: &Round<'_>,
    ) -> Result<ActionState> {
        let song = self.theory.song.clone();
        let Some(coordinates) = separate(&song, round.local, round.filter, round.body) else {
            return Err(Unsupported::new(
                round.span,
                "loops in actions are covered when each round touches only its own part of the variables",
            ));
        };
        let (member, guard) = self.member(&mut state, round)?;
        let mut inside = self.under(&state, guard);
        inside.env.locals.insert(round.local, member);
        let (choices, parts) = (self.choices.len(), self.gate.len());
        let (guards, created) = (self.guard.len(), self.created.len());
        // What happens in some round would have to be said of all of them.
        let around = std::mem::take(&mut self.around);
        for at in &around {
            self.acts.entry(*at).or_default().push(state.path);
        }
        let mut counts = guard;
        if let Some(filter) = round.filter {
            let passes = self.read(&mut inside, filter)?;
            inside.live = self.theory.terms.and(&[inside.live, passes]);
            counts = self.theory.terms.and(&[guard, passes]);
        }
        let end = self.block(inside, round.body);
        self.around = around;
        let end = end?;
        if self.choices.len() > choices {
            return Err(Unsupported::new(
                round.span,
                "choices in loops of actions are not covered yet",
            ));
        }
        if self.guard.len() > guards && self.gate.len() > parts {
            // Which of the two comes first depends on the order of the rounds.
            return Err(Unsupported::new(
                round.span,
                "loops of actions that may both block and fail are not covered",
            ));
        }
        let terms = &mut self.theory.terms;
        for part in &mut self.gate[parts..] {
            part.holds = terms.forall(member, part.holds);
        }
        for passes in &mut self.guard[guards..] {
            *passes = terms.forall(member, *passes);
        }
        for one in &mut self.created[created..] {
            one.each.insert(0, member);
        }
        let may_go_on = terms.implies(counts, end.live);
        let may_go_on = terms.forall(member, may_go_on);
        for (variable, coordinate) in coordinates {
            let stores = (&state.env.store, &end.env.store);
            if let (Some(before), Some(after)) =
                (stores.0.value(variable), stores.1.value(variable))
            {
                let terms = &mut self.theory.terms;
                let all = everywhere(terms, (before, after), coordinate, (member, counts));
                state.env.store.set(variable, all);
            }
        }
        state.live = self.theory.terms.and(&[state.live, may_go_on]);
        Ok(state)
    }

    /// An arbitrary member of what is run through, and that it is one.
    fn member(&mut self, state: &mut ActionState, round: &Round<'_>) -> Result<(Term, Term)> {
        let (ty, whole) = match round.domain {
            Domain::Type(ty) => (ty.clone(), None),
            Domain::In(collection) => {
                let Ty::Set(element) = &collection.ty else {
                    return Err(Unsupported::new(
                        round.span,
                        "loops in actions run over sorts, ranges and sets",
                    ));
                };
                let whole = self.read(state, collection)?;
                ((**element).clone(), Some(whole))
            }
        };
        let sort = self.theory.sort_of_type(&ty, round.span)?;
        let name = &self.code.locals[round.local.index()].name;
        let member = self.theory.terms.fresh(name.clone(), sort);
        let mut guard = self.theory.valid(&ty, member)?;
        if let Some(whole) = whole {
            let inside = self.theory.terms.select(whole, member);
            guard = self.theory.terms.and(&[guard, inside]);
        }
        Ok((member, guard))
    }
}
