//! The abstraction of an action that needs no writing down: what it waits for is asserted.
//!
//! Statement. `A` with `assert c` before each `assume c`, and with an assertion before each choice that
//! there is something to choose, abstracts `A`: it fails more often and otherwise does the same.
//!
//! What waits in one half of a `maybe` whose other half does not is left as it is: there is always a way on.

use plainsong_ir::build::truth;
use plainsong_ir::visit::{VisitMut, any_stmt, walk_mut};
use plainsong_ir::{
    Action, Binding, Block, Choice, Domain, Expr, ExprKind, Local, LocalId, Quantifier, Stmt,
    StmtKind, Ty,
};

/// The action with its waits asserted.
pub(crate) fn asserted(action: &Action) -> Action {
    let mut action = action.clone();
    let mut asserting = AssertionWriter {
        locals: action.code.locals.clone(),
    };
    asserting.block(&mut action.code.body);
    action.code.locals = asserting.locals;
    action
}

struct AssertionWriter {
    locals: Vec<Local>,
}

impl AssertionWriter {
    /// There is something to choose, unless that is a matter of course.
    fn choosable(&mut self, choice: &Choice, stmt: &Stmt) -> Option<Stmt> {
        if matches!(choice.domain, Domain::Type(_)) && choice.filter.is_none() {
            return None;
        }
        let row = self.locals[choice.local.index()].clone();
        let local = LocalId::from(self.locals.len());
        self.locals.push(row);
        let mut filter = choice.filter.clone();
        if let Some(filter) = &mut filter {
            let mut renaming = LocalRenamer {
                from: choice.local,
                to: local,
            };
            renaming.expr(filter);
        }
        let yes = truth(true).at(stmt.span);
        let binding = Binding {
            names: vec![local],
            domain: choice.domain.clone(),
            filter,
        };
        let exists = Expr {
            kind: ExprKind::Quantifier(Quantifier::Exists, vec![binding], Box::new(yes)),
            ty: Ty::Bool,
            span: stmt.span,
        };
        Some(Stmt {
            kind: StmtKind::Assert(exists),
            span: stmt.span,
        })
    }
}

impl VisitMut for AssertionWriter {
    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(block);
        for mut stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Maybe(yes, no) => {
                    let free = (!waits(yes), !waits(no));
                    if !free.0 && !free.1 {
                        self.block(yes);
                        self.block(no);
                    }
                }
                StmtKind::Assume(condition) => {
                    let kind = StmtKind::Assert(condition.clone());
                    let span = stmt.span;
                    block.push(Stmt { kind, span });
                    continue;
                }
                StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
                    let choice = choice.clone();
                    block.extend(self.choosable(&choice, &stmt));
                }
                _ => walk_mut::stmt(self, &mut stmt),
            }
            block.push(stmt);
        }
    }
}

/// May the block wait?
pub(crate) fn waits(block: &Block) -> bool {
    any_stmt(block, |stmt| match &stmt.kind {
        StmtKind::Assume(_) => true,
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
            !matches!(choice.domain, Domain::Type(_)) || choice.filter.is_some()
        }
        _ => false,
    })
}

struct LocalRenamer {
    from: LocalId,
    to: LocalId,
}

impl VisitMut for LocalRenamer {
    fn uses(&mut self, local: &mut LocalId) {
        if *local == self.from {
            *local = self.to;
        }
    }
}
