//! What `covers` says: which states of a process, and which messages, can do at least as much as an earlier one.
//!
//! An order has *parts*: the variables of a process, or the fields of a message. `old(e)` in it speaks of the earlier
//! one. Parts that no clause mentions are the same in both, so that only what may differ has to be said.

use crate::visit::{Visit, VisitMut, walk, walk_mut};
use crate::{BinOp, Expr, ExprKind, Local, LocalId, Ty};
use std::collections::BTreeSet;

/// `covers e`, one after the other; all of them hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covers {
    /// What the clauses are said in: first the indices of a process, or the fields of a message.
    pub locals: Vec<Local>,
    /// What holds between the earlier one, which `old` speaks of, and the later one.
    pub clauses: Vec<Expr>,
}

/// What stands for the names of an order.
#[derive(Clone, Debug)]
pub struct Pair {
    /// For the indices of a process; empty for a message.
    pub names: Vec<Expr>,
    /// For the parts of the earlier one.
    pub before: Vec<Expr>,
    /// For the parts of the later one.
    pub now: Vec<Expr>,
    /// Are the parts variables of a process, rather than fields?
    pub own: bool,
    /// Where the locals are that the clauses bind themselves.
    pub first: usize,
}

impl Covers {
    /// Does it say anything?
    pub fn is_declared(&self) -> bool {
        !self.clauses.is_empty()
    }

    /// The locals that its clauses bind themselves.
    pub fn inner(&self, pair: &Pair) -> &[Local] {
        self.locals.get(pair.skipped()..).unwrap_or_default()
    }

    /// That the later one covers the earlier one, in these words.
    pub fn holds(&self, pair: &Pair) -> Vec<Expr> {
        let mut mentioned = Mentioned::default();
        self.clauses.iter().for_each(|one| mentioned.expr(one));
        let said = match pair.own {
            true => mentioned.own,
            false => mentioned.locals,
        };
        let parts = pair.before.iter().zip(&pair.now).enumerate();
        let others = parts.filter(|(at, _)| !said.contains(at));
        let mut all: Vec<Expr> = others
            .map(|(_, (before, now))| Expr {
                kind: ExprKind::Binary(BinOp::Eq, before.clone().into(), now.clone().into()),
                ty: Ty::Bool,
                span: now.span,
            })
            .collect();
        for clause in &self.clauses {
            let mut clause = clause.clone();
            InWords { pair, old: false }.expr(&mut clause);
            all.push(clause);
        }
        all
    }
}

impl Pair {
    /// So many of the first locals have other words.
    fn skipped(&self) -> usize {
        match self.own {
            true => self.names.len(),
            false => self.before.len(),
        }
    }
}

/// Which parts are mentioned.
#[derive(Default)]
struct Mentioned {
    own: BTreeSet<usize>,
    locals: BTreeSet<usize>,
}

impl Visit for Mentioned {
    fn expr(&mut self, expr: &Expr) {
        match expr.kind {
            ExprKind::Own(var) => drop(self.own.insert(var.index())),
            ExprKind::Local(local) => drop(self.locals.insert(local.index())),
            _ => walk::expr(self, expr),
        }
    }
}

/// Says a clause in other words.
struct InWords<'a> {
    pair: &'a Pair,
    /// Inside `old`?
    old: bool,
}

impl InWords<'_> {
    fn moved(&self, local: LocalId) -> LocalId {
        LocalId::from(local.index() - self.pair.skipped() + self.pair.first)
    }

    fn part(&self, at: usize) -> Expr {
        match self.old {
            true => self.pair.before[at].clone(),
            false => self.pair.now[at].clone(),
        }
    }
}

impl VisitMut for InWords<'_> {
    fn binds(&mut self, local: &mut LocalId) {
        *local = self.moved(*local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = self.moved(*local);
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Old(inner) => {
                let outside = std::mem::replace(&mut self.old, true);
                self.expr(inner);
                self.old = outside;
                *expr = (**inner).clone();
            }
            ExprKind::Own(var) => *expr = self.part(var.index()),
            ExprKind::Local(local) if local.index() < self.pair.skipped() => {
                *expr = match self.pair.own {
                    true => self.pair.names[local.index()].clone(),
                    false => self.part(local.index()),
                };
            }
            _ => walk_mut::expr(self, expr),
        }
    }
}
