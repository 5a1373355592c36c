//! The program of a layer as a song that can be read again.
//!
//! It is the one of [`extract`], written as the language has it: all procedures are of one layer, because the program of a
//! layer has no layers; nothing is synchronized, which is a claim about the next one; and where `init` or a procedure starts what is
//! one action already, a procedure that does nothing else is started in its place.

use crate::layer_program::extract;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, Call, Callee, Code, Contract, Expr, ExprKind, LocalId, Procedure,
    ProcedureId, Song, Stmt, StmtKind, System,
};
use std::collections::BTreeMap;

/// The program of a layer, fit to be printed.
pub fn printable(song: &Song, layer: u32) -> Song {
    let mut song = extract(song, layer);
    let System::Actions(actions) = &mut song.system else {
        return song;
    };
    for procedure in &mut actions.procedures {
        procedure.layer = 1;
        // How it moves is what proofs say about a program, as is what is done at once.
        procedure.synchronizes.clear();
        (procedure.mover, procedure.contract) = (None, Contract::default());
    }
    if actions.is_layered() {
        start_procedures(actions);
    }
    song
}

/// Makes `init` and procedures start procedures only.
fn start_procedures(actions: &mut Actions) {
    let mut started = BTreeMap::new();
    for at in 0..actions.procedures.len() {
        let mut body = std::mem::take(&mut actions.procedures[at].code.body);
        AsyncToSpawn(actions, &mut started).block(&mut body);
        actions.procedures[at].code.body = body;
    }
    if let Some(mut init) = actions.init.take() {
        AsyncToSpawn(actions, &mut started).block(&mut init.body);
        actions.init = Some(init);
    }
}

/// Starts procedures in the place of actions.
struct AsyncToSpawn<'s>(&'s mut Actions, &'s mut BTreeMap<ActionId, ProcedureId>);

impl VisitMut for AsyncToSpawn<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        if let StmtKind::Async(id, arguments) = &mut stmt.kind {
            let actions = &mut *self.0;
            let procedure = *self.1.entry(*id).or_insert_with(|| {
                let procedure = that_only(actions, *id);
                actions.procedures.push(procedure);
                ProcedureId::from(actions.procedures.len() - 1)
            });
            stmt.kind = StmtKind::Spawn(procedure, std::mem::take(arguments));
        }
    }
}

/// A procedure that does nothing but one action.
fn that_only(actions: &Actions, id: ActionId) -> Procedure {
    let action = &actions.actions[id.index()];
    let (code, span) = (&action.code, Span::default());
    let rows = code.locals[..code.arity].iter().enumerate();
    let arguments = rows.map(|(at, row)| Expr {
        kind: ExprKind::Local(LocalId::from(at)),
        ty: row.ty.clone(),
        span,
    });
    let call = Call {
        callee: Callee::Action(id),
        arguments: arguments.collect(),
        span,
    };
    Procedure {
        name: free_name(actions, action),
        mover: None,
        contract: Contract::default(),
        layer: 1,
        refines: None,
        synchronizes: Vec::new(),
        clauses: Vec::new(),
        code: Code {
            arity: code.arity,
            locals: code.locals[..code.arity].to_vec(),
            body: vec![Stmt {
                kind: StmtKind::Call(None, call),
                span,
            }],
        },
        linear: action.role.linear.clone(),
        taken: action.role.taken.clone(),
        given: action.role.given.clone(),
        result: None,
        gives: false,
        span,
    }
}

/// A name that nothing else has.
fn free_name(actions: &Actions, action: &Action) -> String {
    let mut name = format!("only_{}", action.name);
    let names = |name: &str| {
        let procedures = actions.procedures.iter().map(|one| &one.name);
        let others = actions.actions.iter().map(|one| &one.name);
        let globals = actions.globals.iter().map(|one| &one.name);
        procedures
            .chain(others)
            .chain(globals)
            .any(|one| one == name)
    };
    while names(&name) {
        name.push('_');
    }
    name
}
