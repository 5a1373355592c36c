//! Loops, their clauses, and leaving them.

use super::Lowering;
use super::codes::declarations::SECOND_MEASURE;
use super::codes::places::OUTSIDE_LOOP;
use super::codes::types::BAD_OPERAND;
use super::statements::{Flow, is_true};
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::types::{a, is_unknown};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Block, Expr, ExprKind, LoopClauses, StmtKind, Ty};

impl Lowering<'_> {
    /// `while c … { … }`
    pub(crate) fn while_stmt(&mut self, s: &ast::WhileStmt) -> (StmtKind, Flow) {
        self.may_loop(s.span(), "while");
        let condition = self.condition(s.condition(), s.span(), "while");
        let clauses = self.clauses(s.invariants(), s.decreases());
        let (body, left) = self.loop_body(s.block());
        let endless = is_true(&condition.kind) && !left;
        let flow = if endless { Flow::Never } else { Flow::Next };
        (StmtKind::While(condition, clauses, body), flow)
    }

    /// `loop … { … }`
    pub(crate) fn loop_stmt(&mut self, s: &ast::LoopStmt) -> (StmtKind, Flow) {
        self.may_loop(s.span(), "loop");
        let condition = Expr {
            kind: ExprKind::Bool(true),
            ty: Ty::Bool,
            span: s.span(),
        };
        let clauses = self.clauses(s.invariants(), s.decreases());
        let (body, left) = self.loop_body(s.block());
        let flow = if left { Flow::Next } else { Flow::Never };
        (StmtKind::While(condition, clauses, body), flow)
    }

    /// `for x in S where p … { … }`
    pub(crate) fn for_stmt(&mut self, s: &ast::ForStmt) -> Option<StmtKind> {
        let name = s.name()?;
        let (domain, ty) = self.elements(&s.domain()?);
        let mark = self.unit.enter();
        let local = self.unit.bind(name.text(), ty, Binder::For, name.span());
        let filter = s.filter().map(|filter| self.filter(&filter));
        let clauses = self.clauses(s.invariants(), s.decreases());
        let (body, _) = self.loop_body(s.block());
        self.unit.leave(mark);
        Some(StmtKind::For {
            local,
            domain,
            filter,
            clauses,
            body,
        })
    }

    /// `break;` and `continue;`
    pub(crate) fn jump(
        &mut self,
        kind: StmtKind,
        span: Span,
        word: &str,
    ) -> Option<(StmtKind, Flow)> {
        let Some(innermost) = self.unit.loops.last_mut() else {
            let message = format!("there is no loop around this `{word}`");
            let mut diagnostic = Diagnostic::error(&OUTSIDE_LOOP, span, message);
            if self.unit.home.is_process() {
                diagnostic = diagnostic.help("a process ends where its body ends");
            }
            self.report(diagnostic);
            return None;
        };
        *innermost |= kind == StmtKind::Break;
        Some((kind, Flow::Never))
    }

    /// The body of a loop, and whether a `break` leaves it.
    fn loop_body(&mut self, block: Option<ast::Block>) -> (Block, bool) {
        self.unit.loops.push(false);
        let (body, _) = self.block(block);
        let left = self.unit.loops.pop().unwrap_or_default();
        (body, left)
    }

    fn may_loop(&mut self, span: Span, word: &str) {
        if matches!(self.unit.home, Home::Action | Home::ActionsInit) {
            self.misplaced(span.start, word);
        }
    }

    /// `invariant p` and `decreases e`
    fn clauses(
        &mut self,
        invariants: impl Iterator<Item = ast::InvariantClause>,
        decreases: impl Iterator<Item = ast::DecreasesClause>,
    ) -> LoopClauses {
        let mut clauses = LoopClauses::default();
        self.unit.old = matches!(self.unit.home, Home::Line(_) | Home::Procedure);
        for invariant in invariants {
            let condition = self.condition(invariant.condition(), invariant.span(), "invariant");
            clauses.invariants.push(condition);
        }
        self.unit.old = false;
        clauses.decreases = self.only_measures(decreases);
        clauses
    }

    /// The measures of a loop, a function or a lemma: one clause.
    pub(super) fn only_measures(
        &mut self,
        decreases: impl Iterator<Item = ast::DecreasesClause>,
    ) -> Vec<Expr> {
        let mut only = Vec::new();
        for (at, clause) in decreases.enumerate() {
            if at > 0 {
                self.report(
                    Diagnostic::error(
                        &SECOND_MEASURE,
                        clause.span(),
                        "there is only one `decreases`",
                    )
                    .help("write the measures after each other, the most important first: `decreases a, b`"),
                );
            }
            only = self.measures(&clause);
        }
        only
    }

    /// The measures of one clause.
    pub(crate) fn measures(&mut self, clause: &ast::DecreasesClause) -> Vec<Expr> {
        let written = clause.measures();
        written
            .map(|measure| self.measure(&measure, "decreases"))
            .collect()
    }

    /// A number that decreases, after `word`.
    pub(super) fn measure(&mut self, measure: &ast::Expr, word: &str) -> Expr {
        let mut value = self.expr(measure, None);
        value.ty = self.shallow(&value.ty);
        if self.types.number(&value.ty).is_none() && !is_unknown(&value.ty) {
            let shown = a(&self.show(&value.ty));
            let message = format!(
                "`{word}` wants a number, but {} is {shown}",
                self.quote(value.span)
            );
            self.report(Diagnostic::error(&BAD_OPERAND, value.span, message));
        }
        value
    }
}
