//! Symbolic execution: what every walk over statements does alike, whatever it makes of them.
//!
//! Three walks follow statements with terms for the values of names: verification conditions of sequential code
//! ([`vc`](crate::vc)), gated actions in normal form ([`gated_actions`](crate::gated_actions)), and procedures from yield
//! to yield (in the crate for refinement). What expressions, assignments, branches and assertions mean is said here, once. The
//! walks differ in what they keep of a place ([`SymbolicExecution::State`]), in what they do where an execution may fail
//! or block, and in how branches are joined.

use crate::lower::{Definedness, Env, Lowering, Unsupported};
use crate::term::Term;
use crate::theory::{Result, Theory};
use crate::vc::assign::{Into, put};
use plainsong_diagnostics::Span;
use plainsong_ir::{Access, Block, Choice, Expr, Pattern, Place, Stmt, StmtKind, Ty};

/// A walk over statements.
pub trait SymbolicExecution {
    /// What is known at a place of the text.
    type State;
    /// What is known behind a statement: one state, or one for each way.
    type After;

    /// Said of statements that neither this trait nor the walk covers.
    const NOT_COVERED: &'static str;

    /// The terms, and what declarations mean.
    fn theory(&mut self) -> &mut Theory;

    /// What is known of every execution, wherever it is.
    fn known(&self) -> &[Term] {
        &[]
    }

    /// What names stand for.
    fn env(state: &mut Self::State) -> &mut Env;

    /// Execution goes on.
    fn after(state: Self::State) -> Self::After;

    /// An expression has a value only if this holds; `span` is where it stands.
    fn needs(&mut self, state: &mut Self::State, one: Definedness, span: Span) -> Result<()>;

    /// Gives the name of a choice an arbitrary value that it allows.
    fn choice(&mut self, state: &mut Self::State, choice: &Choice, span: Span) -> Result;

    /// `place = value;`
    fn assign(&mut self, state: &mut Self::State, place: &Place, value: &Expr) -> Result<()>;

    /// `assert condition;`
    fn assert(&mut self, state: &mut Self::State, condition: &Expr, span: Span) -> Result<()>;

    /// `assume condition;`
    fn assume(&mut self, state: &mut Self::State, condition: &Expr) -> Result<()>;

    /// `if` and `maybe`, when the condition is a term.
    fn branches(
        &mut self,
        state: Self::State,
        condition: Term,
        yes: &Block,
        no: &Block,
    ) -> Result<Self::After>;

    /// `match`, when its subject is a term.
    fn arms(
        &mut self,
        state: Self::State,
        value: Term,
        ty: &Ty,
        arms: &[(Pattern, Block)],
    ) -> Result<Self::After>;

    /// What is read, and under which conditions it is defined.
    fn lowered<T>(
        &mut self,
        state: &mut Self::State,
        read: impl FnOnce(&mut Lowering<'_>) -> Result<T>,
    ) -> Result<(T, Vec<Definedness>)> {
        let env = std::mem::take(Self::env(state));
        let known = self.known().to_vec();
        let mut lowering = Lowering::new(self.theory(), env);
        lowering.known = known;
        let value = read(&mut lowering);
        let definedness = std::mem::take(&mut lowering.definedness);
        *Self::env(state) = std::mem::take(&mut lowering.env);
        Ok((value?, definedness))
    }

    /// What is read, where it is defined.
    fn reading<T>(
        &mut self,
        state: &mut Self::State,
        span: Span,
        read: impl FnOnce(&mut Lowering<'_>) -> Result<T>,
    ) -> Result<T> {
        let (value, definedness) = self.lowered(state, read)?;
        for one in definedness {
            self.needs(state, one, span)?;
        }
        Ok(value)
    }

    /// The value of an expression.
    fn read(&mut self, state: &mut Self::State, expr: &Expr) -> Result {
        self.reading(state, expr.span, |lowering| lowering.expr(expr))
    }

    /// The value of a whole variable of a type, when the part of it that a place names is written.
    fn written(
        &mut self,
        state: &mut Self::State,
        place: &Place,
        (ty, before): (&Ty, Term),
        value: Term,
    ) -> Result {
        self.reading(state, place.span, |lowering| {
            let mut path = Vec::new();
            for access in &place.path {
                path.push(match access {
                    Access::Field(part) | Access::Project(part) => Into::Part(*part),
                    Access::Index(index) => Into::Index(lowering.expr(index)?),
                });
            }
            put(lowering, ty, before, &path, value, place)
        })
    }

    /// Statements that mean the same in every walk.
    fn common_stmt(&mut self, mut state: Self::State, stmt: &Stmt) -> Result<Self::After> {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = self.read(&mut state, value)?;
                Self::env(&mut state).locals.insert(*local, value);
            }
            StmtKind::LetChoice(choice) => {
                self.choice(&mut state, choice, stmt.span)?;
            }
            StmtKind::Assign(place, value) => self.assign(&mut state, place, value)?,
            StmtKind::If(condition, yes, no) => {
                let condition = self.read(&mut state, condition)?;
                return self.branches(state, condition, yes, no);
            }
            StmtKind::Match(subject, arms) => {
                let value = self.read(&mut state, subject)?;
                return self.arms(state, value, &subject.ty, arms);
            }
            StmtKind::Assert(condition) => self.assert(&mut state, condition, stmt.span)?,
            StmtKind::Assume(condition) => self.assume(&mut state, condition)?,
            _ => return Err(Unsupported::new(stmt.span, Self::NOT_COVERED)),
        }
        Ok(Self::after(state))
    }
}
