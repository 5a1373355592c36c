//! What `decreases` says of a process and of messages, in the words of a handler.

use crate::terms::{all, both, integer, not, stmt, truth, zero};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{BinOp, Block, Expr, ExprKind, LocalId, Measures, MessageId, Stmt, StmtKind};

/// What the song declares, in the words of a handler.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) before: Vec<Expr>,
    pub(super) after: Vec<Expr>,
    pub(super) messages: Sizes,
}

/// What the process has.
#[derive(Default)]
pub(super) struct Own {
    /// At the beginning of the handler.
    pub(super) before: Vec<Expr>,
    /// Wherever it is said.
    pub(super) now: Vec<Expr>,
    /// Locals for what it had before a statement.
    pub(super) copies: Vec<Expr>,
}

impl Own {
    /// A statement, with what the process had before it, and that it has no more after it.
    pub(super) fn watched(&self, one: Stmt) -> Block {
        let copy = |(local, now): (&Expr, &Expr)| match local.kind {
            ExprKind::Local(local) => stmt(StmtKind::Let(local, now.clone())),
            _ => unreachable!("a copy is a local"),
        };
        let mut block: Block = self.copies.iter().zip(&self.now).map(copy).collect();
        block.push(one);
        block.push(stmt(StmtKind::Assert(no_more(&self.copies, &self.now))));
        block
    }
}

/// The sizes of messages.
#[derive(Default)]
pub(super) struct Sizes {
    pub(super) own: Own,
    /// Of the one that is taken.
    pub(super) taken: Vec<Expr>,
    /// Where the locals of each message's measures begin.
    pub(super) firsts: Vec<usize>,
    /// So many numbers has the longest.
    pub(super) longest: usize,
}

impl Sizes {
    /// The message is not less than the one that was taken.
    pub(super) fn is_no_less(
        &self,
        message: MessageId,
        measures: &Measures,
        args: &[Expr],
    ) -> Expr {
        let said = InWords {
            names: args.to_vec(),
            own: Vec::new(),
            first: self.firsts[message.index()],
        };
        let sent = said.all(&measures.levels);
        let padded = |levels: &[Expr]| -> Vec<Expr> {
            let mut levels = levels.to_vec();
            levels.resize_with(self.longest, || integer(zero()));
            levels
        };
        not(less(&padded(&self.taken), &padded(&sent)))
    }
}

/// Says an expression with other words for its first locals and for variables.
pub(super) struct InWords {
    pub(super) names: Vec<Expr>,
    pub(super) own: Vec<Expr>,
    /// Where the other locals are now.
    pub(super) first: usize,
}

impl InWords {
    pub(super) fn all(mut self, levels: &[Expr]) -> Vec<Expr> {
        let mut levels = levels.to_vec();
        levels.iter_mut().for_each(|level| self.expr(level));
        levels.into_iter().map(integer).collect()
    }

    fn moved(&self, local: LocalId) -> LocalId {
        LocalId::from(local.index() - self.names.len() + self.first)
    }
}

impl VisitMut for InWords {
    fn binds(&mut self, local: &mut LocalId) {
        *local = self.moved(*local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = self.moved(*local);
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr.kind {
            ExprKind::Local(local) if local.index() < self.names.len() => {
                *expr = self.names[local.index()].clone();
            }
            ExprKind::Own(var) => *expr = self.own[var.index()].clone(),
            _ => walk_mut::expr(self, expr),
        }
    }
}

/// A tuple is less than it was.
pub(super) fn less(before: &[Expr], after: &[Expr]) -> Expr {
    let pairs = before.iter().zip(after).rev();
    pairs.fold(truth(false), |rest, (before, after)| {
        // What is negative counts as 0.
        let counts = both(BinOp::Lt, integer(zero()), before.clone());
        let here = both(BinOp::Lt, after.clone(), before.clone());
        let here = both(BinOp::And, counts, here);
        let same = counts_the_same(before, after);
        both(BinOp::Or, here, both(BinOp::And, same, rest))
    })
}

/// A tuple is what it was.
pub(super) fn same(before: &[Expr], after: &[Expr]) -> Expr {
    all(before.iter().zip(after).map(|(b, a)| counts_the_same(b, a)))
}

/// A tuple is less than it was, or the same.
pub(super) fn no_more(before: &[Expr], after: &[Expr]) -> Expr {
    both(BinOp::Or, less(before, after), same(before, after))
}

/// Two numbers are the same, or both count as 0.
fn counts_the_same(before: &Expr, after: &Expr) -> Expr {
    let nothing = |number: &Expr| both(BinOp::Le, number.clone(), integer(zero()));
    let neither = both(BinOp::And, nothing(before), nothing(after));
    let equal = both(BinOp::Eq, before.clone(), after.clone());
    both(BinOp::Or, equal, neither)
}

/// Does a statement leave the variables of the process as they are, or consist of blocks that are watched themselves?
pub(super) fn is_harmless(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Let(..)
            | StmtKind::LetChoice(_)
            | StmtKind::Assert(_)
            | StmtKind::Assume(_)
            | StmtKind::If(..)
            | StmtKind::Match(..)
            | StmtKind::While(..)
            | StmtKind::For { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Maybe(..)
    )
}
