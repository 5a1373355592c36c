//! What a proof of a procedure takes for granted: facts about its callers.
//!
//! A procedure that nothing in the song calls or starts may rely on whatever it requires, and its action may fail
//! wherever it likes; then a proof may be empty. So both are said with the verdict.

use plainsong_ir::visit::{Visit, each_expr, walk};
use plainsong_ir::{
    Actions, Callee, ExprKind, FnId, Procedure, ProcedureId, Song, Stmt, StmtKind, recursion,
};
use plainsong_semantics::verdict::Assumption;
use std::collections::BTreeSet;

/// What is taken for granted, one sentence each.
pub(crate) fn trusted(actions: &Actions, id: ProcedureId) -> Vec<Assumption> {
    let procedure = &actions.procedures[id.index()];
    let used = is_used(actions, id);
    let mut told = Vec::new();
    if !used && procedure.clauses.iter().any(|one| one.kind.is_at_entry()) {
        told.push(Assumption::Other(format!(
            "nothing here calls or starts `{}`: that what it requires holds is taken for granted",
            procedure.name
        )));
    }
    // What `init` starts is looked at (`started`).
    let gated = gated(actions, procedure).filter(|_| !used);
    told.extend(gated.map(Assumption::Other));
    told
}

/// The contracts of external functions that code of procedures relies on, one sentence each.
pub(crate) fn external(song: &Song) -> Vec<Assumption> {
    let mut known = BTreeSet::new();
    let procedures = song
        .actions()
        .map_or(&[][..], |actions| &actions.procedures);
    for procedure in procedures {
        each_expr(&procedure.code.body, |expr| {
            if let ExprKind::Call(function, _) = &expr.kind {
                known.insert(*function);
            }
        });
    }
    let mut open: Vec<FnId> = known.iter().copied().collect();
    while let Some(function) = open.pop() {
        let more = recursion::called(song, function).into_iter();
        open.extend(more.filter(|one| known.insert(*one)));
    }
    let functions = known.iter().map(|id| &song.functions[id.index()]);
    let external = functions.filter(|one| one.is_external());
    external
        .map(|one| Assumption::Contract(one.name.clone()))
        .collect()
}

/// The assertions of the action that stands in the place of a procedure.
fn gated(actions: &Actions, procedure: &Procedure) -> Option<String> {
    let action = &actions.actions[procedure.refines?.index()];
    let mut body = action.code.body.iter();
    let gated = body.any(|stmt| matches!(stmt.kind, StmtKind::Assert(_)));
    gated.then(|| {
        format!(
            "`{}` is a specification: whether its assertions hold where it is called is up to \
             whoever calls it",
            action.name
        )
    })
}

/// Does another procedure call or start it, or `init`?
fn is_used(actions: &Actions, id: ProcedureId) -> bool {
    let mut uses = Uses { id, found: false };
    for (at, procedure) in actions.procedures.iter().enumerate() {
        if at != id.index() {
            uses.block(&procedure.code.body);
        }
    }
    if let Some(init) = &actions.init {
        uses.block(&init.body);
    }
    uses.found
}

struct Uses {
    id: ProcedureId,
    found: bool,
}

impl Visit for Uses {
    fn stmt(&mut self, stmt: &Stmt) {
        let callee = Callee::Procedure(self.id);
        self.found |= match &stmt.kind {
            StmtKind::Call(_, call) => call.callee == callee,
            StmtKind::Par(calls) => calls.iter().any(|call| call.callee == callee),
            StmtKind::Spawn(id, _) => *id == self.id,
            _ => false,
        };
        walk::stmt(self, stmt);
    }
}
