//! What the interpreter sees only a part of.
//!
//! A choice from `int`, or a quantifier over it, ranges over a few small numbers when it is run. What such code
//! does is then not all it may do, so nothing that speaks about *all* it does is refuted by running it.

use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Action, Binding, Choice, Domain, Expr, ExprKind, FnId, Song, StartValue, Stmt, StmtKind, Ty,
};
use std::collections::BTreeSet;

/// Is an action run only in part?
pub fn is_cut(song: &Song, action: &Action) -> bool {
    any(song, |cut| cut.block(&action.code.body))
}

/// Is something of a whole program run only in part?
pub fn is_program_cut(song: &Song) -> bool {
    let Some(actions) = song.actions() else {
        return false;
    };
    any(song, |cut| {
        for action in &actions.actions {
            cut.block(&action.code.body);
        }
        for procedure in &actions.procedures {
            cut.block(&procedure.code.body);
        }
        for global in &actions.globals {
            match &global.start {
                StartValue::Value(value) => cut.expr(value),
                StartValue::Choice(choice) => cut.choice(choice),
            }
        }
        let init = actions.init.iter();
        init.for_each(|code| cut.block(&code.body));
    })
}

fn any(song: &Song, look: impl FnOnce(&mut Cut<'_>)) -> bool {
    let mut cut = Cut {
        song,
        found: false,
        seen: BTreeSet::new(),
    };
    look(&mut cut);
    cut.found
}

struct Cut<'s> {
    song: &'s Song,
    found: bool,
    /// The functions that were looked into.
    seen: BTreeSet<FnId>,
}

impl Cut<'_> {
    fn domain(&mut self, domain: &Domain) {
        if let Domain::Type(ty) = domain {
            self.found |= !is_finite(self.song, ty);
        }
    }
}

impl Visit for Cut<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(id, _) = &expr.kind
            && self.seen.insert(*id)
        {
            let song = self.song;
            let computed = song.functions[id.index()].computed();
            computed.for_each(|expr| self.expr(expr));
        }
        if let (ExprKind::MapOf(..), Ty::Map(key, _)) = (&expr.kind, &expr.ty) {
            self.found |= !is_finite(self.song, key);
        }
        walk::expr(self, expr);
    }

    fn binding(&mut self, binding: &Binding) {
        self.domain(&binding.domain);
        walk::binding(self, binding);
    }

    fn choice(&mut self, choice: &Choice) {
        self.domain(&choice.domain);
        walk::choice(self, choice);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { domain, .. } = &stmt.kind {
            self.domain(domain);
        }
        walk::stmt(self, stmt);
    }
}
