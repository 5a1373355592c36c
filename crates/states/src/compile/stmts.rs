//! Statements without free choices: code with jumps.

use super::quantifiers::Element;
use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Op};
use plainsong_ir::visit::free_locals;
use plainsong_ir::{
    ActionId, Block, Domain, Expr, ExprKind, LocalId, LoopClauses, Pattern, Stmt, StmtKind,
};
use std::sync::Arc;

/// A `for` statement.
#[derive(Clone, Copy)]
pub(super) struct For<'s> {
    pub(super) local: LocalId,
    pub(super) domain: &'s Domain,
    pub(super) filter: Option<&'s Expr>,
    pub(super) clauses: &'s LoopClauses,
    pub(super) body: &'s Block,
}

impl<'s> Compiler<'s, '_> {
    pub(super) fn block(&mut self, block: &'s [Stmt]) -> Result<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// Notes that a statement begins.
    pub(super) fn mark(&mut self, stmt: &Stmt) -> Result<()> {
        self.spend()?;
        match self
            .numbers
            .and_then(|numbers| numbers.statement(stmt.span))
        {
            Some(number) => self.op(Op::Mark(number)),
            None => Ok(()),
        }
    }

    /// Notes that the condition of an `assume` is true.
    fn mark_passed(&mut self, condition: &Expr) -> Result<()> {
        let numbers = self.numbers;
        match numbers.and_then(|numbers| numbers.passed(condition.span)) {
            Some(number) => self.op(Op::Mark(number)),
            None => Ok(()),
        }
    }

    /// Marks the premises of an assertion that are true.
    fn mark_premises(&mut self, stmt: &'s Stmt) -> Result<()> {
        let numbers = self.numbers;
        for (number, probe) in numbers.map_or(&[][..], |numbers| numbers.premises(stmt.span)) {
            let skip = self.label();
            self.branch(&probe.holds, false, skip)?;
            self.op(Op::Mark(*number))?;
            self.bind(skip);
        }
        Ok(())
    }

    /// A statement that chooses nothing.
    pub(super) fn stmt(&mut self, stmt: &'s Stmt) -> Result<()> {
        self.mark(stmt)?;
        match &stmt.kind {
            StmtKind::Let(local, value) => self.let_stmt(*local, value),
            StmtKind::Assign(place, value) => {
                let value = self.expr(value)?;
                self.assign(place, value)
            }
            StmtKind::If(condition, yes, no) => {
                let (otherwise, end) = (self.label(), self.label());
                self.branch(condition, false, otherwise)?;
                self.block(yes)?;
                if !no.is_empty() {
                    self.op(Op::Jump(end))?;
                }
                self.bind(otherwise);
                self.block(no)?;
                self.bind(end);
                Ok(())
            }
            StmtKind::Match(scrutinee, arms) => self.match_stmt(scrutinee, arms),
            // The interpreter looks at what decreases.
            StmtKind::While(_, clauses, _) if !clauses.decreases.is_empty() => {
                Err(Trouble::GivesUp)
            }
            StmtKind::While(condition, clauses, body) => {
                let (head, end) = (self.label(), self.label());
                self.bind(head);
                self.promises(clauses.invariants.iter())?;
                self.branch(condition, false, end)?;
                self.loops.push((end, Op::Again(head)));
                self.block(body)?;
                self.loops.pop();
                self.op(Op::Again(head))?;
                self.bind(end);
                Ok(())
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => self.for_stmt(For {
                local: *local,
                domain,
                filter: filter.as_ref(),
                clauses,
                body,
            }),
            StmtKind::Break => {
                let (end, _) = self.loops.last().cloned().ok_or(Trouble::GivesUp)?;
                self.op(Op::Jump(end))
            }
            StmtKind::Continue => {
                let (_, next) = self.loops.last().cloned().ok_or(Trouble::GivesUp)?;
                self.op(next)
            }
            StmtKind::Assert(condition) => {
                self.mark_premises(stmt)?;
                let bail = self.bail;
                self.branch(condition, false, bail)
            }
            StmtKind::Assume(condition) => {
                let fail = self.fail;
                self.branch(condition, false, fail)?;
                self.mark_passed(condition)
            }
            StmtKind::Async(action, arguments) => self.post(*action, arguments),
            StmtKind::LetChoice(_)
            | StmtKind::AssignChoice(..)
            | StmtKind::Maybe(..)
            | StmtKind::Send(..)
            | StmtKind::Receive(_)
            | StmtKind::Select(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => Err(Trouble::GivesUp),
        }
    }

    fn let_stmt(&mut self, local: LocalId, value: &'s Expr) -> Result<()> {
        let leaves = self.expr(value)?;
        let leaves = self.bound(local, leaves)?;
        self.locals[local.index()] = Some(leaves);
        Ok(())
    }

    /// What a local holds from now on: registers of its own when it may be assigned.
    pub(super) fn bound(&mut self, local: LocalId, leaves: Vec<Arg>) -> Result {
        if !self.rows[local.index()].mutable {
            return self.settled(leaves);
        }
        let to = self.fresh(leaves.len());
        self.set(&to, &leaves)?;
        self.mutable.extend(&to);
        Ok(to.into_iter().map(Arg::Reg).collect())
    }

    fn match_stmt(&mut self, scrutinee: &'s Expr, arms: &'s [(Pattern, Block)]) -> Result<()> {
        let value = self.expr(scrutinee)?;
        let value = self.settled(value)?;
        let shape = self.shape(&scrutinee.ty);
        let end = self.label();
        for (pattern, body) in arms {
            let next = self.label();
            self.statement_pattern(pattern, &shape, &value, next)?;
            self.block(body)?;
            self.op(Op::Jump(end))?;
            self.bind(next);
        }
        let bail = self.bail;
        self.op(Op::Jump(bail))?;
        self.bind(end);
        Ok(())
    }

    /// A pattern of a statement; what it cannot look into is for the interpreter.
    pub(super) fn statement_pattern(
        &mut self,
        pattern: &'s Pattern,
        shape: &crate::shape::Shape,
        value: &[Arg],
        no: crate::code::Target,
    ) -> Result<()> {
        self.pattern(pattern, shape, value, no)
            .map_err(|trouble| match trouble {
                Trouble::NoForm => Trouble::GivesUp,
                other => other,
            })
    }

    fn for_stmt(&mut self, stmt: For<'s>) -> Result<()> {
        if stmt.goes_past() {
            return Err(Trouble::GivesUp);
        }
        let elements = self.loop_elements(stmt.domain)?;
        let end = self.label();
        for element in &elements {
            self.spend()?;
            let next = self.label();
            self.promises(stmt.of_loop())?;
            self.begin_round(&stmt, element, next)?;
            self.loops.push((end, Op::Jump(next)));
            self.block(stmt.body)?;
            self.loops.pop();
            self.bind(next);
        }
        self.promises(stmt.of_loop())?;
        self.bind(end);
        Ok(())
    }

    /// The elements of a loop; those of unknown collections are for the interpreter.
    pub(super) fn loop_elements(&mut self, domain: &'s Domain) -> Result<Vec<Element>> {
        self.elements(domain).map_err(|trouble| match trouble {
            Trouble::NoForm => Trouble::GivesUp,
            other => other,
        })
    }

    /// Binds an element, or goes to `next` when it does not count.
    pub(super) fn begin_round(
        &mut self,
        stmt: &For<'s>,
        element: &Element,
        next: crate::code::Target,
    ) -> Result<()> {
        if let Some(guard) = element.guard {
            self.jump_if_truth(guard, false, next)?;
        }
        let leaves = self.bound(stmt.local, element.leaves.clone())?;
        self.locals[stmt.local.index()] = Some(leaves);
        if let Some(filter) = stmt.filter {
            self.branch(filter, false, next)?;
        }
        self.promises(stmt.of_rounds())
    }

    /// Promises that the interpreter looks at when they are broken.
    pub(super) fn promises(&mut self, promises: impl Iterator<Item = &'s Expr>) -> Result<()> {
        let bail = self.bail;
        for promise in promises {
            self.branch(promise, false, bail)?;
        }
        Ok(())
    }

    fn post(&mut self, action: ActionId, arguments: &'s [Expr]) -> Result<()> {
        let shapes = self.coding.asyncs.parameters(action).to_vec();
        let mut leaves = Vec::new();
        let mut values = Some(Vec::new());
        for (argument, shape) in arguments.iter().zip(&shapes) {
            let argument = self.expr(argument)?;
            values = match (values, self.known(shape, &argument)) {
                (Some(mut values), Some(value)) => {
                    values.push(value);
                    Some(values)
                }
                _ => None,
            };
            leaves.extend(argument);
        }
        match values {
            Some(values) => {
                let ground = self.coding.ground(action, &Arc::from(values));
                let number = ground.map_err(Trouble::Misfit)?;
                self.op(Op::Post(number as u32))
            }
            None => self.op(Op::PostWith(action, leaves.into())),
        }
    }
}

impl<'s> For<'s> {
    /// Is something claimed of one past the last element, which the interpreter looks at?
    pub(super) fn goes_past(&self) -> bool {
        let is_range = |of: &Expr| matches!(of.kind, ExprKind::Range { .. });
        matches!(self.domain, Domain::In(of) if is_range(of)) && self.of_rounds().next().is_some()
    }

    /// The invariants that speak about the element.
    pub(super) fn of_rounds(&self) -> impl Iterator<Item = &'s Expr> + use<'s> {
        let local = self.local;
        let invariants = self.clauses.invariants.iter();
        invariants.filter(move |invariant| free_locals(invariant).contains(&local))
    }

    /// Those that do not.
    pub(super) fn of_loop(&self) -> impl Iterator<Item = &'s Expr> + use<'s> {
        let local = self.local;
        let invariants = self.clauses.invariants.iter();
        invariants.filter(move |invariant| !free_locals(invariant).contains(&local))
    }
}
