//! What becomes of a post in the first translation.

use crate::terms::{assign, equal, expr, global, number, stmt, truth, with};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{ActionId, Block, EnumId, Expr, ExprKind, GlobalId, Root, Stmt, StmtKind, Ty};

/// Where things are in the result.
pub(super) struct Posts {
    /// How many actions the original has; those of the cycle come behind them.
    pub(super) count: usize,
    pub(super) task: EnumId,
    pub(super) pro: ActionId,
    pub(super) anti: ActionId,
    pub(super) repeated: GlobalId,
    /// With fairness: what was dropped in the cycle.
    pub(super) dropped: Option<GlobalId>,
    pub(super) delta: Option<(GlobalId, Ty)>,
}

impl Posts {
    /// Posts of the stem.
    pub(super) fn in_stem(&self, block: &mut Block) {
        let post = |action: ActionId, arguments: Vec<Expr>| self.stem(action, arguments);
        Rewriter { post: &post }.block(block);
    }

    /// Posts of the cycle.
    pub(super) fn in_period(&self, block: &mut Block) {
        let post = |action: ActionId, arguments: Vec<Expr>| self.period(action, arguments);
        Rewriter { post: &post }.block(block);
    }

    /// The task of an action with these arguments.
    pub(super) fn task(&self, action: ActionId, arguments: Vec<Expr>) -> Expr {
        let made = ExprKind::Variant(self.task, action.index(), arguments);
        expr(made, Ty::Enum(self.task))
    }

    fn stem(&self, action: ActionId, arguments: Vec<Expr>) -> Stmt {
        let task = self.task(action, arguments.clone());
        let period = ActionId::from(action.index() + self.count);
        let waits = vec![
            assign(Root::Global(self.repeated), Vec::new(), truth(true)),
            stmt(StmtKind::Async(self.pro, vec![task])),
            stmt(StmtKind::Async(period, arguments.clone())),
        ];
        let itself = vec![stmt(StmtKind::Async(action, arguments))];
        // With fairness, nothing that waits may be ignored.
        let other = match self.dropped {
            Some(_) => itself,
            None => vec![stmt(StmtKind::Maybe(itself, Vec::new()))],
        };
        stmt(StmtKind::Maybe(waits, other))
    }

    fn period(&self, action: ActionId, arguments: Vec<Expr>) -> Stmt {
        let task = self.task(action, arguments.clone());
        let pays = vec![stmt(StmtKind::Async(self.anti, vec![task.clone()]))];
        let period = ActionId::from(action.index() + self.count);
        let itself = vec![stmt(StmtKind::Async(period, arguments))];
        let other = vec![stmt(StmtKind::Maybe(itself, self.dropping(task)))];
        stmt(StmtKind::Maybe(pays, other))
    }

    /// What is done when a task is never served.
    fn dropping(&self, task: Expr) -> Block {
        let Some(dropped) = self.dropped else {
            return Vec::new();
        };
        // A task that is moved never comes again.
        let comes_again = self.delta.iter().map(|(delta, ty)| {
            let is_zero = equal(global(*delta, ty), number(0));
            stmt(StmtKind::Assume(is_zero))
        });
        let set = global(dropped, &Ty::Set(Box::new(Ty::Enum(self.task))));
        let note = assign(Root::Global(dropped), Vec::new(), with(set, task));
        comes_again.chain([note]).collect()
    }
}

struct Rewriter<'p> {
    post: &'p dyn Fn(ActionId, Vec<Expr>) -> Stmt,
}

impl VisitMut for Rewriter<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &stmt.kind {
            StmtKind::Async(action, arguments) => *stmt = (self.post)(*action, arguments.clone()),
            _ => walk_mut::stmt(self, stmt),
        }
    }
}
