//! Names of processes that only say where to send: `receive M from any as who; … send Reply to who;`.
//!
//! In a line nobody sends, so `who` is assigned and never read. It is left out: with it, the line would speak of processes,
//! which a song that has only the line does not have.
//!
//! Why nothing changes. The variable is none of the process' own, so no property reads it; what is assigned to it are
//! names of processes, which have a value wherever their index has one, and an index here is the name of a loop.

use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{
    Block, Domain, Expr, ExprKind, FamilyId, Place, Root, Song, StartValue, Stmt, StmtKind, Ty,
    VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A variable of an endpoint.
type Variable = (FamilyId, VarId);

/// Leaves out the variables of endpoints, beyond those of their processes, that hold names of processes nobody reads.
pub(super) fn leave_out(
    song: &mut Song,
    endpoints: &BTreeMap<FamilyId, FamilyId>,
    body: &mut Block,
) {
    let mut unread = BTreeSet::new();
    for (process, endpoint) in endpoints {
        let own = song.families[process.index()].vars.len();
        let vars = song.families[endpoint.index()].vars.iter().enumerate();
        let of_pids = vars.skip(own).filter(|(_, var)| var.ty == Ty::Process);
        unread.extend(of_pids.map(|(at, _)| (*endpoint, VarId::from(at))));
    }
    let mut used = Used(BTreeSet::new());
    used.block(body);
    for endpoint in endpoints.values() {
        for var in &song.families[endpoint.index()].vars {
            if let StartValue::Value(value) = &var.start {
                used.expr(value);
            }
        }
    }
    unread.retain(|variable| !used.0.contains(variable));
    if unread.is_empty() {
        return;
    }
    *body = without(std::mem::take(body), &unread);
    Renumber(&unread).block(body);
    for endpoint in endpoints.values() {
        let mut at = 0;
        song.families[endpoint.index()].vars.retain(|_| {
            at += 1;
            !unread.contains(&(*endpoint, VarId::from(at - 1)))
        });
    }
}

/// The variables that are read, or written otherwise than with the name of a process.
struct Used(BTreeSet<Variable>);

impl Visit for Used {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, _, var) = &expr.kind {
            self.0.insert((*family, *var));
        }
        walk::expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if address(stmt).is_none() {
            walk::stmt(self, stmt);
        }
    }

    fn place(&mut self, place: &Place) {
        if let Root::Of(family, _, var) = &place.root {
            self.0.insert((*family, *var));
        }
        walk::place(self, place);
    }
}

/// The variable that a statement assigns the name of a process to, and nothing else.
fn address(stmt: &Stmt) -> Option<Variable> {
    let StmtKind::Assign(place, value) = &stmt.kind else {
        return None;
    };
    let (Root::Of(family, index, var), ExprKind::Pid(_, of)) = (&place.root, &value.kind) else {
        return None;
    };
    let mut parts = index.iter().chain(of);
    let plain = parts.all(|part| matches!(part.kind, ExprKind::Local(_)));
    (plain && place.path.is_empty()).then_some((*family, *var))
}

fn without(block: Block, unread: &BTreeSet<Variable>) -> Block {
    let kept = block.into_iter().filter_map(|mut stmt| {
        if address(&stmt).is_some_and(|variable| unread.contains(&variable)) {
            return None;
        }
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                for part in [yes, no] {
                    *part = without(std::mem::take(part), unread);
                }
            }
            StmtKind::Match(_, arms) => {
                for (_, part) in arms {
                    *part = without(std::mem::take(part), unread);
                }
            }
            StmtKind::While(_, _, part) | StmtKind::For { body: part, .. } => {
                *part = without(std::mem::take(part), unread);
            }
            _ => {}
        }
        (!does_nothing(&stmt)).then_some(stmt)
    });
    kept.collect()
}

/// A loop through a type of which nothing is left.
fn does_nothing(stmt: &Stmt) -> bool {
    matches!(
        &stmt.kind,
        StmtKind::For { domain: Domain::Type(_), filter: None, body, .. } if body.is_empty()
    )
}

/// Gives variables the numbers that they have when others are gone.
struct Renumber<'a>(&'a BTreeSet<Variable>);

impl Renumber<'_> {
    fn number(&self, family: FamilyId, var: &mut VarId) {
        let before = self.0.range((family, VarId::from(0))..(family, *var));
        *var = VarId::from(var.index() - before.count());
    }
}

impl VisitMut for Renumber<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        if let ExprKind::Of(family, _, var) = &mut expr.kind {
            self.number(*family, var);
        }
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Of(family, _, var) = &mut place.root {
            self.number(*family, var);
        }
    }
}
