//! Loop invariants: loops are cut at their heads.
//!
//! Statement. If the invariants hold before the first round, and each round that begins with them ends
//! with them, then they hold behind the loop, together with the reason for leaving it.
//!
//! Why sound. By induction on the number of rounds: the state at the head of a round is one in which
//! what the body cannot write has its old value, and everything else is arbitrary but for the
//! invariants. Proving the round from all such states proves it from the real one.
//!
//! `for` over integers (a range, a sort of integers or an ordered sort) has a position; an invariant
//! that names the loop's variable speaks about the position, and holds also behind the loop, for one
//! past the last. The interpreter checks such invariants at the beginning of rounds, and behind a range that had some; so
//! that asks for more, and because not every run fails there, everything behind the loop depends on it
//! ([`Rule::Position`]). `for` over another set takes the members in an arbitrary order; over a sequence, from
//! first to last. An invariant that names the variable of such a loop is shown at the beginning of
//! each round.

use super::{Flow, States, SymbolicState, VcWalk};
use crate::lower::Unsupported;
use crate::obligation::Rule;
use crate::rounds::{Variable, Written};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Sort, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{Block, Domain, Expr, ExprKind, LocalId, LoopClauses, Stmt, Ty, finite};
use plainsong_semantics::verdict::Assumption;

/// A `for` loop.
pub(super) struct Round<'a> {
    pub(super) local: LocalId,
    pub(super) domain: &'a Domain,
    pub(super) filter: Option<&'a Expr>,
    pub(super) clauses: &'a LoopClauses,
    pub(super) body: &'a Block,
    pub(super) span: Span,
}

/// What a `for` loop runs through.
pub(super) enum Through {
    /// The integers from one to before another.
    Range(Term, Term),
    /// A sequence from first to last.
    Seq(Term),
    /// The members of a set of elements of a type, in any order.
    Set(Ty, Term),
}

impl VcWalk<'_> {
    pub(super) fn while_loop(
        &mut self,
        state: SymbolicState,
        condition: &Expr,
        clauses: &LoopClauses,
        (body, rest): (&Block, &[Stmt]),
    ) -> Result<States> {
        let agreements = self.owners.agreements(condition);
        // What is relied on at the head is relied on there, so that an invariant that is false at
        // first does not hide that it is not kept either.
        let mut before = state.clone();
        self.invariants(&mut before, &clauses.invariants, Rule::Established)?;
        self.unanimous(
            &mut before,
            &agreements,
            body,
            rest,
            "before the first round, ",
        )?;
        // Asked where the loop begins: its invariants may allow rounds that never come about.
        self.rely(&mut before, condition)?;
        self.text = plainsong_ir::print::expr(&self.theory.song, &self.locals, condition);
        let sentence = "no round of this loop is ever taken";
        self.reachable(&before, condition.span, sentence);
        let mut head = self.head(state, (body, None))?;
        for invariant in &clauses.invariants {
            self.rely(&mut head, invariant)?;
        }
        for agreement in &agreements {
            self.rely(&mut head, &agreement.equal)?;
        }
        let goes_on = self.read(&mut head, condition)?;
        let mut round = head.clone();
        round.hypotheses.push(goes_on);
        let measure = self.measure(&mut round, clauses)?;
        let mut after = Vec::new();
        for (flow, mut end) in self.block(round, body)? {
            if flow == Flow::Break {
                after.push((Flow::Next, end));
                continue;
            }
            self.invariants(&mut end, &clauses.invariants, Rule::Maintained)?;
            self.unanimous(&mut end, &agreements, body, rest, "after a round, ")?;
            self.decreased(&mut end, clauses, &measure)?;
        }
        let leaves = self.theory.terms.not(goes_on);
        if self.theory.terms.op(leaves) != crate::term::Op::False {
            head.hypotheses.push(leaves);
            after.insert(0, (Flow::Next, head));
        }
        Ok(after)
    }

    pub(super) fn invariants(
        &mut self,
        state: &mut SymbolicState,
        invariants: &[Expr],
        rule: Rule,
    ) -> Result<()> {
        let sentence = match rule {
            Rule::Established => "this invariant may be false before the first round",
            Rule::Position => "this invariant may be false for the first or the next position",
            _ => "this invariant may be false after a round",
        };
        self.beyond = rule == Rule::Position;
        let checked = invariants
            .iter()
            .try_for_each(|invariant| self.check(state, invariant, rule, sentence));
        self.beyond = false;
        checked
    }

    pub(super) fn measure(
        &mut self,
        state: &mut SymbolicState,
        clauses: &LoopClauses,
    ) -> Result<Vec<Term>> {
        if clauses.decreases.is_empty() {
            if self.lemma.is_some() {
                return Err(Unsupported::new(
                    Span::default(),
                    "a `while` in the proof of a lemma has no `decreases`",
                ));
            }
            self.note(Assumption::Termination);
            return Ok(Vec::new());
        }
        let values = self.measures(state, &clauses.decreases)?;
        if let ([measure], [value]) = (&*clauses.decreases, &*values) {
            let zero = self.theory.terms.int(0);
            let bounded = self.theory.terms.le(zero, *value);
            let sentence = "what decreases may be negative when a round begins".to_owned();
            let rule = Rule::Decreases;
            self.oblige(state, rule, measure.span, sentence, Vec::new(), bounded);
        }
        Ok(values)
    }

    /// The values of what decreases.
    pub(super) fn measures(
        &mut self,
        state: &mut SymbolicState,
        measures: &[Expr],
    ) -> Result<Vec<Term>> {
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        for measure in measures {
            values.push(self.read(state, measure)?);
            texts.push(self.text.clone());
        }
        self.text = texts.join(", ");
        Ok(values)
    }

    pub(super) fn decreased(
        &mut self,
        state: &mut SymbolicState,
        clauses: &LoopClauses,
        before: &[Term],
    ) -> Result<()> {
        let [first, ..] = &*clauses.decreases else {
            return Ok(());
        };
        let after = self.measures(state, &clauses.decreases)?;
        let smaller = self.theory.terms.precedes(&after, before);
        let sentence = "the measure may not decrease in a round".to_owned();
        let rule = Rule::Decreases;
        self.oblige(state, rule, first.span, sentence, Vec::new(), smaller);
        Ok(())
    }

    /// The state at the head: what the body writes is arbitrary.
    fn head(
        &mut self,
        mut state: SymbolicState,
        (body, own): (&Block, Option<LocalId>),
    ) -> Result<SymbolicState> {
        self.cuts += 1;
        let written = Written::of(body);
        for variable in written.variables {
            if !self.forget_part(&mut state, variable, (body, own))? {
                self.forget(&mut state, variable)?;
            }
        }
        for local in written.locals {
            self.forget_local(&mut state, local)?;
        }
        Ok(state)
    }

    /// Makes a local variable arbitrary, if it has a value.
    pub(super) fn forget_local(&mut self, state: &mut SymbolicState, local: LocalId) -> Result<()> {
        if state.env.locals.contains_key(&local) {
            let row = self.locals[local.index()].clone();
            let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
            state.hypotheses.push(valid);
            state.env.locals.insert(local, value);
        }
        Ok(())
    }

    /// Makes a variable arbitrary.
    pub(super) fn forget(&mut self, state: &mut SymbolicState, variable: Variable) -> Result<()> {
        let song = self.theory.song.clone();
        let Some(before) = state.env.store.value(variable) else {
            return Ok(());
        };
        let (value, valid) = match variable {
            Variable::Of(family, var) => {
                let decl = &song.families[family.index()];
                let var = &decl.vars[var.index()];
                let sort = self.theory.terms.sort(before);
                let name = format!("{}.{}", decl.name, var.name);
                let value = self.theory.terms.fresh(name, sort);
                (value, self.valid_family(value, decl, &var.ty)?)
            }
            Variable::Global(global) => {
                let Some(actions) = song.actions() else {
                    return Ok(());
                };
                let decl = &actions.globals[global.index()];
                self.theory.arbitrary(&decl.name, &decl.ty, decl.span)?
            }
        };
        state.hypotheses.push(valid);
        state.env.store.set(variable, value);
        Ok(())
    }

    /// Is every member's variable valid?
    fn valid_family(&mut self, value: Term, family: &plainsong_ir::Family, ty: &Ty) -> Result {
        let mut index = Vec::new();
        let mut guards = Vec::new();
        let mut held = value;
        for binder in &family.index {
            let (at, valid) = self
                .theory
                .arbitrary(&binder.name, &binder.ty, family.span)?;
            held = self.theory.terms.select(held, at);
            index.push(at);
            guards.push(valid);
        }
        let valid = self.theory.valid(ty, held)?;
        let member = self.theory.terms.and(&guards);
        let mut known = self.theory.terms.implies(member, valid);
        for at in index.into_iter().rev() {
            known = self.theory.terms.forall(at, known);
        }
        Ok(known)
    }

    pub(super) fn for_loop(
        &mut self,
        mut state: SymbolicState,
        round: &Round<'_>,
    ) -> Result<States> {
        if let Some(states) = self.all_at_once(&state, round)? {
            return Ok(states);
        }
        let through = self.through(&mut state, round)?;
        let positional = matches!(through, Through::Range(..));
        let (named, of_loop): (Vec<Expr>, Vec<Expr>) = (round.clauses.invariants.iter().cloned())
            .partition(|invariant| free_locals(invariant).contains(&round.local));
        let (of_rounds, of_positions) = match positional {
            true => (Vec::new(), named),
            false => (named, Vec::new()),
        };
        if let Through::Range(first, _) = &through {
            state.env.locals.insert(round.local, *first);
        }
        let mut before = state.clone();
        self.invariants(&mut before, &of_loop, Rule::Established)?;
        self.invariants(&mut before, &of_positions, Rule::Position)?;
        let mut head = self.head(state.clone(), (round.body, Some(round.local)))?;
        let position = self.position(&mut head, &through, round)?;
        self.apart(&state, &mut head, &through, position, round)?;
        for invariant in &round.clauses.invariants {
            if !of_rounds.contains(invariant) {
                self.rely(&mut head, invariant)?;
            }
        }
        let mut begun = head.clone();
        let element = self.element(&mut begun, &through, position)?;
        begun.env.locals.insert(round.local, element);
        self.reachable(&begun, round.span, "no round of this loop is ever taken");
        let mut after = Vec::new();
        for (flow, mut end) in self.round(begun, round, &of_rounds)? {
            if flow == Flow::Break {
                end.env.locals.remove(&round.local);
                after.push((Flow::Next, end));
                continue;
            }
            if let Through::Range(..) = through {
                let next = self.theory.terms.offset(position, 1);
                end.env.locals.insert(round.local, next);
            }
            self.invariants(&mut end, &of_loop, Rule::Maintained)?;
            self.invariants(&mut end, &of_positions, Rule::Position)?;
        }
        self.over(&mut head, &through, position);
        head.env.locals.remove(&round.local);
        after.insert(0, (Flow::Next, head));
        Ok(after)
    }

    /// One round: the filter, the invariants that name the variable, the body.
    fn round(
        &mut self,
        mut begun: SymbolicState,
        round: &Round<'_>,
        of_rounds: &[Expr],
    ) -> Result<States> {
        let mut skipped = None;
        if let Some(filter) = round.filter {
            let passes = self.read(&mut begun, filter)?;
            let not = self.theory.terms.not(passes);
            let mut other = begun.clone();
            other.hypotheses.push(not);
            skipped = Some((Flow::Continue, other));
            begun.hypotheses.push(passes);
        }
        for invariant in of_rounds {
            let sentence = "this invariant may be false when a round begins";
            self.check(&mut begun, invariant, Rule::Maintained, sentence)?;
        }
        let mut ends = self.block(begun, round.body)?;
        ends.extend(skipped);
        Ok(ends)
    }

    pub(super) fn through(
        &mut self,
        state: &mut SymbolicState,
        round: &Round<'_>,
    ) -> Result<Through> {
        let ty = match round.domain {
            Domain::Type(ty) => ty.clone(),
            Domain::In(collection) => match &collection.kind {
                ExprKind::Range {
                    start,
                    end,
                    inclusive,
                } => {
                    let first = self.read(state, start)?;
                    let end = self.read(state, end)?;
                    let end = self.theory.terms.offset(end, i64::from(*inclusive));
                    return Ok(Through::Range(first, end));
                }
                ExprKind::All(ty) => ty.clone(),
                _ => {
                    let whole = self.read(state, collection)?;
                    return match &collection.ty {
                        Ty::Seq(_) => Ok(Through::Seq(whole)),
                        Ty::Set(element) => Ok(Through::Set((**element).clone(), whole)),
                        _ => Err(Unsupported::new(
                            round.span,
                            "loops over bags are not covered by proofs yet",
                        )),
                    };
                }
            },
        };
        let song = self.theory.song.clone();
        if let Ty::Sort(sort) = &ty
            && finite::is_ordered(&song, &ty)
        {
            let (first, end) = self.theory.range(*sort)?;
            return Ok(Through::Range(first, end));
        }
        let sort = self.theory.sort_of_type(&ty, round.span)?;
        let at = self.theory.terms.fresh("x", sort);
        let valid = self.theory.valid(&ty, at)?;
        let all = self.theory.terms.lambda(at, valid);
        Ok(Through::Set(ty, all))
    }

    /// Where the loop is: the next integer, the next place, or the set of members that were taken.
    fn position(
        &mut self,
        head: &mut SymbolicState,
        through: &Through,
        round: &Round<'_>,
    ) -> Result {
        match through {
            Through::Range(first, end) => {
                let at = self.theory.terms.fresh("position", Sort::INT);
                let low = self.theory.terms.le(*first, at);
                let most = self.theory.terms.le(at, *end);
                let begun = self.theory.terms.eq(at, *first);
                let high = self.theory.terms.or(&[most, begun]);
                head.hypotheses.extend([low, high]);
                head.env.locals.insert(round.local, at);
                Ok(at)
            }
            Through::Seq(whole) => {
                let at = self.theory.terms.fresh("position", Sort::INT);
                let zero = self.theory.terms.int(0);
                let len = self.theory.terms.get(*whole, 0, 0);
                let low = self.theory.terms.le(zero, at);
                let high = self.theory.terms.le(at, len);
                head.hypotheses.extend([low, high]);
                Ok(at)
            }
            Through::Set(_, whole) => {
                let sort = self.theory.terms.sort(*whole);
                let taken = self.theory.terms.fresh("taken", sort);
                let (from, _) = self.theory.terms.array_parts(sort);
                let at = self.theory.terms.fresh("x", from);
                let a = self.theory.terms.select(taken, at);
                let b = self.theory.terms.select(*whole, at);
                let inside = self.theory.terms.implies(a, b);
                let inside = self.theory.terms.forall(at, inside);
                head.hypotheses.push(inside);
                Ok(taken)
            }
        }
    }

    /// The element of a round, which exists.
    fn element(&mut self, begun: &mut SymbolicState, through: &Through, position: Term) -> Result {
        Ok(match through {
            Through::Range(_, end) => {
                let more = self.theory.terms.lt(position, *end);
                begun.hypotheses.push(more);
                position
            }
            Through::Seq(whole) => {
                let len = self.theory.terms.get(*whole, 0, 0);
                let elements = self.theory.terms.get(*whole, 0, 1);
                let more = self.theory.terms.lt(position, len);
                begun.hypotheses.push(more);
                self.theory.terms.select(elements, position)
            }
            Through::Set(ty, whole) => {
                let at = self.theory.terms.fresh_place("member", *whole);
                let member = self.theory.terms.select(*whole, at);
                let valid = self.theory.valid(ty, at)?;
                let taken = self.theory.terms.select(position, at);
                let not_taken = self.theory.terms.not(taken);
                begun.hypotheses.extend([member, valid, not_taken]);
                at
            }
        })
    }

    /// Nothing is left.
    fn over(&mut self, head: &mut SymbolicState, through: &Through, position: Term) {
        let over = match through {
            Through::Range(_, end) => self.theory.terms.le(*end, position),
            Through::Seq(whole) => {
                let len = self.theory.terms.get(*whole, 0, 0);
                self.theory.terms.le(len, position)
            }
            Through::Set(_, whole) => {
                let at = self.theory.terms.fresh_place("x", *whole);
                let a = self.theory.terms.select(*whole, at);
                let b = self.theory.terms.select(position, at);
                let all = self.theory.terms.implies(a, b);
                self.theory.terms.forall(at, all)
            }
        };
        head.hypotheses.push(over);
    }
}
