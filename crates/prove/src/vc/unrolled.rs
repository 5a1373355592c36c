//! Loops round by round, and what is left open, for runs within bounds ([`crate::bounded`]).
//!
//! A loop is followed as the interpreter runs it: invariants before each round and after the last, a few
//! rounds at most. Runs with more rounds are left out.

use super::loops::{Round, Through};
use super::{Flow, States, SymbolicState, VcWalk};
use crate::bounded::Input;
use crate::lower::Unsupported;
use crate::obligation::Rule;
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Op, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::Agreement;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{
    Block, Choice, Domain, Expr, ExprKind, FamilyId, LoopClauses, StateVar, Stmt, Ty, VarId,
};

/// A `while` loop.
struct While<'a> {
    condition: &'a Expr,
    clauses: &'a LoopClauses,
    body: &'a Block,
    rest: &'a [Stmt],
    agreements: Vec<Agreement>,
}

impl VcWalk<'_> {
    /// A value that is chosen where the state is.
    pub(super) fn open_choice(
        &mut self,
        state: &SymbolicState,
        ty: &Ty,
        span: Span,
        free: bool,
    ) -> Result {
        let here = self.theory.terms.and(&state.path);
        self.theory.open_value(Input::Choice(here), ty, span, free)
    }

    /// What a variable of the member `index` starts with.
    pub(super) fn open_starts(
        &mut self,
        (family, number): (FamilyId, VarId),
        var: &StateVar,
        choice: &Choice,
        index: &[Term],
    ) -> Result {
        let Some(bounded) = &self.theory.bounded else {
            return Err(Unsupported::new(var.span, "there are no bounds"));
        };
        let song = self.theory.song.clone();
        let binders = &song.families[family.index()].index;
        let members: Vec<_> = (bounded.instance.members().iter())
            .filter(|member| member.family == family)
            .map(|member| member.index.clone())
            .collect();
        let free = matches!(choice.domain, Domain::In(_));
        let sort = self.theory.sort_of_type(&var.ty, var.span)?;
        let mut value = match index.is_empty() {
            true => None,
            false => Some(self.theory.default_of(sort)),
        };
        for member in members {
            let input = Input::Start(family, member.clone(), number);
            let its = self.theory.open_value(input, &var.ty, var.span, free)?;
            let mut is_it = Vec::new();
            for ((at, place), binder) in index.iter().zip(&member).zip(binders) {
                let place = self.theory.literal(place, &binder.ty, var.span)?;
                is_it.push(self.theory.terms.eq(*at, place));
            }
            let is_it = self.theory.terms.and(&is_it);
            value = Some(match value {
                Some(others) => self.theory.terms.ite(is_it, its, others),
                None => its,
            });
        }
        value.ok_or_else(|| Unsupported::new(var.span, "there is no such endpoint"))
    }

    pub(super) fn while_rounds(
        &mut self,
        state: SymbolicState,
        condition: &Expr,
        clauses: &LoopClauses,
        (body, rest): (&Block, &[Stmt]),
    ) -> Result<States> {
        let agreements = self.owners.agreements(condition);
        let whole = While {
            condition,
            clauses,
            body,
            rest,
            agreements,
        };
        let rounds = self.most_rounds();
        self.next_round(state, &whole, rounds, Rule::Established)
    }

    fn most_rounds(&self) -> usize {
        self.theory.bounded.as_ref().map_or(0, |one| one.rounds)
    }

    fn next_round(
        &mut self,
        mut state: SymbolicState,
        whole: &While<'_>,
        left: usize,
        rule: Rule,
    ) -> Result<States> {
        self.invariants(&mut state, &whole.clauses.invariants, rule)?;
        self.unanimous(&mut state, &whole.agreements, whole.body, whole.rest, "")?;
        let goes_on = self.read(&mut state, whole.condition)?;
        let common = state.hypotheses.len();
        let mut begun = state.clone();
        begun.take(goes_on);
        let mut ends = state;
        let not = self.theory.terms.not(goes_on);
        ends.take(not);
        let mut more = Vec::new();
        if left > 0 && self.theory.terms.op(goes_on) != Op::False {
            let measure = self.measure(&mut begun, whole.clauses)?;
            for (flow, mut end) in self.block(begun, whole.body)? {
                if flow == Flow::Break {
                    more.push((Flow::Next, end));
                    continue;
                }
                self.decreased(&mut end, whole.clauses, &measure)?;
                more.extend(self.next_round(end, whole, left - 1, Rule::Maintained)?);
            }
        }
        Ok(self.join(goes_on, common, more, vec![(Flow::Next, ends)]))
    }

    pub(super) fn for_rounds(
        &mut self,
        mut state: SymbolicState,
        round: &Round<'_>,
    ) -> Result<States> {
        let through = self.through(&mut state, round)?;
        if let Through::Set(ty, whole) = &through {
            return self.each_member(state, round, ty, *whole);
        }
        let first = match &through {
            Through::Range(first, _) => *first,
            _ => self.theory.terms.int(0),
        };
        let left = self.most_rounds();
        self.next_position(state, round, &through, first, left)
    }

    fn next_position(
        &mut self,
        mut state: SymbolicState,
        round: &Round<'_>,
        through: &Through,
        at: Term,
        left: usize,
    ) -> Result<States> {
        let (end, element) = match through {
            Through::Range(_, end) => (*end, at),
            Through::Seq(whole) => {
                let elements = self.theory.terms.get(*whole, 0, 1);
                let element = self.theory.terms.select(elements, at);
                (self.theory.terms.get(*whole, 0, 0), element)
            }
            Through::Set(..) => return Ok(Vec::new()),
        };
        let goes_on = self.theory.terms.lt(at, end);
        self.of_loop(&mut state, round)?;
        let known = self.theory.terms.op(goes_on);
        let is_past = matches!(through, Through::Range(first, _) if *first != at);
        if known == Op::False {
            self.past(&mut state, round, (at, is_past))?;
            return Ok(vec![(Flow::Next, state)]);
        }
        let common = state.hypotheses.len();
        let mut begun = state.clone();
        begun.take(goes_on);
        let mut more = Vec::new();
        if left > 0 || known == Op::True {
            let next = self.theory.terms.offset(at, 1);
            for (flow, mut end) in self.one_round(begun, round, element)? {
                if flow == Flow::Break {
                    end.env.locals.remove(&round.local);
                    more.push((Flow::Next, end));
                    continue;
                }
                let left = left.saturating_sub(1);
                more.extend(self.next_position(end, round, through, next, left)?);
            }
        }
        let not = self.theory.terms.not(goes_on);
        let mut ends = state;
        ends.take(not);
        if known == Op::True {
            return Ok(more);
        }
        self.past(&mut ends, round, (at, is_past))?;
        Ok(self.join(goes_on, common, more, vec![(Flow::Next, ends)]))
    }

    /// Behind a loop: what names the variable holds for one past the last of a range that had some.
    fn past(
        &mut self,
        state: &mut SymbolicState,
        round: &Round<'_>,
        (at, is_past): (Term, bool),
    ) -> Result<()> {
        let is_range = |of: &Expr| matches!(of.kind, ExprKind::Range { .. });
        if is_past && matches!(round.domain, Domain::In(of) if is_range(of)) {
            state.env.locals.insert(round.local, at);
            let named: Vec<Expr> = (round.clauses.invariants.iter())
                .filter(|invariant| free_locals(invariant).contains(&round.local))
                .cloned()
                .collect();
            self.invariants(state, &named, Rule::Maintained)?;
        }
        state.env.locals.remove(&round.local);
        Ok(())
    }

    /// The invariants that do not name the variable.
    fn of_loop(&mut self, state: &mut SymbolicState, round: &Round<'_>) -> Result<()> {
        let of_loop: Vec<Expr> = (round.clauses.invariants.iter())
            .filter(|invariant| !free_locals(invariant).contains(&round.local))
            .cloned()
            .collect();
        self.invariants(state, &of_loop, Rule::Maintained)
    }

    /// One round, at an element: filter, invariants that name the variable, body.
    fn one_round(
        &mut self,
        mut begun: SymbolicState,
        round: &Round<'_>,
        element: Term,
    ) -> Result<States> {
        begun.env.locals.insert(round.local, element);
        let named: Vec<Expr> = (round.clauses.invariants.iter())
            .filter(|invariant| free_locals(invariant).contains(&round.local))
            .cloned()
            .collect();
        let Some(filter) = round.filter else {
            self.invariants(&mut begun, &named, Rule::Maintained)?;
            return self.block(begun, round.body);
        };
        let passes = self.read(&mut begun, filter)?;
        let not = self.theory.terms.not(passes);
        match self.theory.terms.op(passes) {
            Op::True => {
                self.invariants(&mut begun, &named, Rule::Maintained)?;
                return self.block(begun, round.body);
            }
            Op::False => return Ok(vec![(Flow::Next, begun)]),
            _ => {}
        }
        let common = begun.hypotheses.len();
        let mut skipped = begun.clone();
        skipped.take(not);
        begun.take(passes);
        self.invariants(&mut begun, &named, Rule::Maintained)?;
        let mut taken = self.block(begun, round.body)?;
        for (flow, _) in &mut taken {
            if *flow == Flow::Continue {
                *flow = Flow::Next;
            }
        }
        Ok(self.join(passes, common, taken, vec![(Flow::Next, skipped)]))
    }

    /// The members of a set, from the least to the greatest.
    fn each_member(
        &mut self,
        state: SymbolicState,
        round: &Round<'_>,
        ty: &Ty,
        whole: Term,
    ) -> Result<States> {
        let mut going = vec![state];
        let mut after = Vec::new();
        for (_, element) in self.theory.listed(ty, round.span)? {
            let inside = self.theory.terms.select(whole, element);
            if self.theory.terms.op(inside) == Op::False {
                continue;
            }
            let not = self.theory.terms.not(inside);
            for mut state in std::mem::take(&mut going) {
                self.of_loop(&mut state, round)?;
                let common = state.hypotheses.len();
                let mut begun = state.clone();
                begun.take(inside);
                let mut skipped = state;
                skipped.take(not);
                let mut taken = Vec::new();
                for (flow, mut end) in self.one_round(begun, round, element)? {
                    end.env.locals.remove(&round.local);
                    match flow {
                        Flow::Break => after.push((Flow::Next, end)),
                        _ => taken.push((Flow::Next, end)),
                    }
                }
                let joined = self.join(inside, common, taken, vec![(Flow::Next, skipped)]);
                going.extend(joined.into_iter().map(|(_, state)| state));
            }
        }
        for mut state in going {
            self.of_loop(&mut state, round)?;
            after.push((Flow::Next, state));
        }
        Ok(after)
    }
}
