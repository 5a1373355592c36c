//! What a schedule may consist of.
//!
//! Between two calls it neither blocks nor runs for ever nor changes anything, and where it goes next
//! depends on the variables only. So from every prefix of a schedule there is a next call, or its end.

use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, any_stmt, walk};
use plainsong_ir::{
    Block, Expr, ExprKind, LoopClauses, Place, Root, Sequentialization, Stmt, StmtKind,
};

/// Why a schedule is refused, and where.
pub(crate) fn refused(sequence: &Sequentialization) -> Option<(Span, String)> {
    let mut looking = ScheduleShape { wrong: None };
    looking.block(&sequence.code.body);
    looking.wrong
}

/// Is there a loop without invariants?
pub(crate) fn has_bare_loop(sequence: &Sequentialization) -> bool {
    any_stmt(&sequence.code.body, |stmt| match &stmt.kind {
        StmtKind::While(_, clauses, _) | StmtKind::For { clauses, .. } => {
            clauses.invariants.is_empty()
        }
        _ => false,
    })
}

struct ScheduleShape {
    wrong: Option<(Span, String)>,
}

impl ScheduleShape {
    fn refuse(&mut self, span: Span, why: &str) {
        if self.wrong.is_none() {
            self.wrong = Some((span, why.to_owned()));
        }
    }
}

impl Visit for ScheduleShape {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assume(_) => self.refuse(stmt.span, "a schedule does not wait"),
            StmtKind::LetChoice(_) | StmtKind::AssignChoice(..) | StmtKind::Maybe(..) => {
                self.refuse(
                    stmt.span,
                    "where a schedule goes depends on the variables only",
                );
            }
            StmtKind::Async(..) | StmtKind::Spawn(..) => {
                self.refuse(stmt.span, "a schedule creates no asyncs");
            }
            StmtKind::While(_, clauses, body)
                if clauses.decreases.is_empty() && (continues(body) || !always_calls(body)) =>
            {
                let why =
                    "each round of a `while` in a schedule calls something, or has `decreases`";
                self.refuse(stmt.span, why);
            }
            StmtKind::Assert(_) => return,
            _ => {}
        }
        walk::stmt(self, stmt);
    }

    fn place(&mut self, place: &Place) {
        if !matches!(place.root, Root::Local(_)) {
            self.refuse(
                place.span,
                "a schedule changes no variables; what it calls does",
            );
        }
        walk::place(self, place);
    }

    fn expr(&mut self, expr: &Expr) {
        if matches!(expr.kind, ExprKind::Pending(_) | ExprKind::PendingOf(..)) {
            let why =
                "where a schedule goes does not depend on what is pending; its invariants may";
            self.refuse(expr.span, why);
        }
        walk::expr(self, expr);
    }

    fn clauses(&mut self, _: &LoopClauses) {}
}

/// Does every way through the block call something, or leave the loop?
fn always_calls(block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Call(..) | StmtKind::Break => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
            always_calls(yes) && always_calls(no)
        }
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| always_calls(body)),
        _ => false,
    })
}

fn continues(block: &Block) -> bool {
    any_stmt(block, |stmt| matches!(stmt.kind, StmtKind::Continue))
}
