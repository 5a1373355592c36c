//! Statements other than loops.

use super::{Flow, MOST_STATES, States, SymbolicState, VcWalk};
use crate::lower::{Definedness, Env, Unsupported};
use crate::obligation::Rule;
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::{Block, Choice, Domain, Expr, Pattern, Place, Stmt, StmtKind, Ty};
use plainsong_semantics::verdict::Assumption;

impl VcWalk<'_> {
    /// The states behind a block.
    pub(super) fn block(&mut self, state: SymbolicState, block: &Block) -> Result<States> {
        let mut states = vec![(Flow::Next, state)];
        for (at, stmt) in block.iter().enumerate() {
            let mut after = Vec::new();
            for (flow, state) in states {
                match flow {
                    Flow::Next => after.extend(self.stmt(state, stmt, &block[at + 1..])?),
                    _ => after.push((flow, state)),
                }
            }
            if after.len() > MOST_STATES {
                return Err(Unsupported::new(stmt.span, "too many paths lead here"));
            }
            states = after;
        }
        Ok(states)
    }

    /// The states behind a statement, which `rest` follows.
    fn stmt(&mut self, mut state: SymbolicState, stmt: &Stmt, rest: &[Stmt]) -> Result<States> {
        match &stmt.kind {
            StmtKind::AssignChoice(place, choice) => {
                let value = self.choice(&mut state, choice, stmt.span)?;
                self.write(&mut state, place, value)?;
            }
            StmtKind::If(condition, yes, no) => {
                let agreements = self.owners.agreements(condition);
                let otherwise = if no.is_empty() { rest } else { no };
                // Before anything is relied on that may turn out to be wrong.
                let before = state.clone();
                self.unanimous(&mut state, &agreements, yes, otherwise, "")?;
                let condition = self.read(&mut state, condition)?;
                self.taken(
                    &before,
                    condition,
                    yes,
                    "this is never true where it is asked",
                );
                let not = self.theory.terms.not(condition);
                self.taken(&before, not, no, "this is never false where it is asked");
                return self.branches(state, condition, yes, no);
            }
            StmtKind::Maybe(yes, no) => {
                let done = match self.theory.bounded {
                    Some(_) => self.open_choice(&state, &Ty::Bool, stmt.span, false)?,
                    None => self.theory.terms.fresh("maybe", Sort::BOOL),
                };
                self.chosen.push(done);
                return self.branches(state, done, yes, no);
            }
            StmtKind::While(condition, clauses, body) if self.theory.bounded.is_some() => {
                return self.while_rounds(state, condition, clauses, (body, rest));
            }
            StmtKind::While(condition, clauses, body) => {
                return self.while_loop(state, condition, clauses, (body, rest));
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                let round = super::loops::Round {
                    local: *local,
                    domain,
                    filter: filter.as_ref(),
                    clauses,
                    body,
                    span: stmt.span,
                };
                return match self.theory.bounded {
                    Some(_) => self.for_rounds(state, &round),
                    None => self.for_loop(state, &round),
                };
            }
            StmtKind::Break => return Ok(vec![(Flow::Break, state)]),
            StmtKind::Continue => return Ok(vec![(Flow::Continue, state)]),
            StmtKind::Use(used) => self.use_lemma(&mut state, used, stmt.span)?,
            StmtKind::Part(part) => return self.part(state, part),
            _ => return self.common_stmt(state, stmt),
        }
        Ok(vec![(Flow::Next, state)])
    }

    /// Something for the list of what is trusted.
    pub(super) fn note(&mut self, what: Assumption) {
        if !self.conditions.notes.contains(&what) {
            self.conditions.notes.push(what);
        }
    }

    /// Notes a branch that should be taken by somebody, if anything is done in it. Within bounds nobody asks.
    fn taken(&mut self, state: &SymbolicState, when: Term, branch: &Block, otherwise: &str) {
        let (Some(first), Some(last)) = (branch.first(), branch.last()) else {
            return;
        };
        if self.theory.bounded.is_none() {
            let mut begun = state.clone();
            begun.take(when);
            let span = Span::new(first.span.start, last.span.end);
            self.reachable(&begun, span, otherwise);
        }
    }
}

impl SymbolicExecution for VcWalk<'_> {
    type State = SymbolicState;
    type After = States;

    const NOT_COVERED: &'static str = "this statement does not occur in sequential code";

    fn theory(&mut self) -> &mut Theory {
        self.theory
    }

    fn env(state: &mut SymbolicState) -> &mut Env {
        &mut state.env
    }

    fn after(state: SymbolicState) -> States {
        vec![(Flow::Next, state)]
    }

    /// Asked for, and relied on afterwards.
    fn needs(&mut self, state: &mut SymbolicState, one: Definedness, span: Span) -> Result<()> {
        let span = match one.span == Span::default() {
            true => span,
            false => one.span,
        };
        let sentence = format!("possibly {}", one.what);
        let rule = match one.everywhere || self.beyond {
            _ if one.terminates => Rule::Terminates,
            true => Rule::DefinedEverywhere,
            false => Rule::Defined,
        };
        self.oblige(state, rule, span, sentence, Vec::new(), one.condition);
        state.hypotheses.push(one.condition);
        Ok(())
    }

    fn read(&mut self, state: &mut SymbolicState, expr: &Expr) -> Result {
        self.text = plainsong_ir::print::expr(&self.theory.song, &self.locals, expr);
        self.reading(state, expr.span, |lowering| lowering.expr(expr))
    }

    fn assign(&mut self, state: &mut SymbolicState, place: &Place, value: &Expr) -> Result<()> {
        let value = self.read(state, value)?;
        self.write(state, place, value)
    }

    fn assert(&mut self, state: &mut SymbolicState, condition: &Expr, span: Span) -> Result<()> {
        if let Some(watch) = self.watch.filter(|watch| watch.watches(span)) {
            let known = &state.hypotheses;
            let more = watch.ask(self.theory, &state.env, known, span)?;
            self.conditions.watched.extend(more);
        }
        self.check(state, condition, Rule::Assert, "this assertion may fail")
    }

    fn assume(&mut self, state: &mut SymbolicState, condition: &Expr) -> Result<()> {
        let holds = self.read(state, condition)?;
        state.hypotheses.push(holds);
        self.note(Assumption::Assume(self.text.clone()));
        self.reachable(
            state,
            condition.span,
            "nothing satisfies this assumption here",
        );
        Ok(())
    }

    /// An arbitrary value that a choice allows.
    fn choice(&mut self, state: &mut SymbolicState, choice: &Choice, span: Span) -> Result {
        self.may_choose(choice, span)?;
        let ty = match &choice.domain {
            Domain::Type(ty) => ty.clone(),
            Domain::In(collection) => collection.ty.element().cloned().unwrap_or(Ty::Bool),
        };
        let value = match self.theory.bounded {
            Some(_) => {
                let free = matches!(choice.domain, Domain::In(_));
                self.open_choice(state, &ty, span, free)?
            }
            None => {
                let sort = self.theory.sort_of_type(&ty, span)?;
                self.theory.terms.fresh("chosen", sort)
            }
        };
        self.chosen.push(value);
        self.choose(state, choice, value, span)?;
        if let Some(filter) = &choice.filter {
            self.reachable(state, filter.span, "nothing can be chosen here");
        }
        Ok(value)
    }

    fn branches(
        &mut self,
        state: SymbolicState,
        condition: Term,
        yes: &Block,
        no: &Block,
    ) -> Result<States> {
        let common = state.hypotheses.len();
        let not = self.theory.terms.not(condition);
        let mut taken = state.clone();
        taken.take(condition);
        let mut other = state;
        other.take(not);
        let yes = self.block(taken, yes)?;
        let no = self.block(other, no)?;
        Ok(self.join(condition, common, yes, no))
    }

    /// The first arm if it fits, else the others; the last fits when no other does.
    fn arms(
        &mut self,
        state: SymbolicState,
        value: Term,
        ty: &Ty,
        arms: &[(Pattern, Block)],
    ) -> Result<States> {
        let Some(((pattern, body), rest)) = arms.split_first() else {
            return Ok(Vec::new());
        };
        let common = state.hypotheses.len();
        let mut taken = state.clone();
        let fits = self.reading(&mut taken, pattern.span, |lowering| {
            lowering.matches(pattern, value, ty)
        })?;
        taken.take(fits);
        let yes = self.block(taken, body)?;
        if rest.is_empty() {
            return Ok(yes);
        }
        let mut other = state;
        let not = self.theory.terms.not(fits);
        other.take(not);
        let no = self.arms(other, value, ty, rest)?;
        Ok(self.join(fits, common, yes, no))
    }
}
