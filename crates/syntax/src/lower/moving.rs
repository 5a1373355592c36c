//! Procedures that move: where they may stand.
//!
//! Statement. A procedure declared `left`, `right` or `both` is one step of that kind at its own layer, made of those of its
//! body. It refines no action, because nothing is left of it above: its callers give way to their actions at the same
//! layer, and what it does is part of what they do. So only procedures of its layer call it, one at a time; they may start
//! it where they `synchronizes` it and it moves left. One that moves left comes to an end: if it calls itself it says
//! what it `decreases`.

use super::Lowering;
use super::codes::layers::MOVING;
use super::layers::is_seen;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, globals_read, walk};
use plainsong_ir::{Actions, Callee, Mover, Procedure, ProcedureId, Stmt, StmtKind};
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Reports procedures that move where none can.
    pub(super) fn moving_procedures(&mut self, actions: &Actions) {
        let mut found = Found {
            actions,
            diagnostics: Vec::new(),
        };
        for procedure in &actions.procedures {
            found.procedure(procedure);
        }
        if let Some(init) = &actions.init {
            let mut uses = Uses::default();
            init.body.iter().for_each(|stmt| uses.stmt(stmt));
            for (id, span, _) in uses.found {
                if let Some(name) = found.moves(id) {
                    let message = format!("`{name}` moves, so `init` cannot start it");
                    found.wrong(span, message, "start a procedure that calls it");
                }
            }
        }
        let diagnostics = found.diagnostics;
        diagnostics.into_iter().for_each(|one| self.report(one));
    }
}

struct Found<'s> {
    actions: &'s Actions,
    diagnostics: Vec<Diagnostic>,
}

impl Found<'_> {
    fn wrong(&mut self, span: Span, message: String, help: &str) {
        let diagnostic = Diagnostic::error(&MOVING, span, message).help(help);
        self.diagnostics.push(diagnostic);
    }

    /// The name of a procedure that moves.
    fn moves(&self, id: ProcedureId) -> Option<&str> {
        let procedure = &self.actions.procedures[id.index()];
        procedure.mover.map(|_| procedure.name.as_str())
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let mut uses = Uses::default();
        procedure.code.body.iter().for_each(|stmt| uses.stmt(stmt));
        for (id, span, how) in uses.found {
            self.used(procedure, id, span, how);
        }
        let name = &procedure.name;
        let Some(mover) = procedure.mover else {
            if let Some(measure) = procedure.contract.decreases.first() {
                let message = format!("`{name}` does not move, so nothing has to decrease");
                let help = "declare how it moves: `left procedure`, or leave `decreases` out";
                self.wrong(measure.span, message, help);
            }
            return;
        };
        self.contract(procedure);
        if mover == Mover::Atomic {
            let message =
                format!("`{name}` is a procedure, and these are `left`, `right` or `both`");
            let help =
                "leave `atomic` out; what is one step above it is the action that it refines";
            self.wrong(procedure.span, message, help);
        }
        if procedure.refines.is_some() {
            let message = format!("`{name}` moves and refines an action");
            let help =
                "a procedure that moves is part of what its callers refine: leave one of both out";
            self.wrong(procedure.span, message, help);
        }
        for measure in &procedure.contract.decreases {
            if !globals_read(measure).is_empty() {
                let message = "a procedure cannot read a global here".to_owned();
                self.wrong(
                    measure.span,
                    message,
                    "let the measure be about its parameters",
                );
            }
        }
        if mover.is_left()
            && procedure.contract.decreases.is_empty()
            && self.calls_itself(procedure)
        {
            let message = format!("`{name}` moves left and calls itself, perhaps for ever");
            let help = "say what decreases with every call: `decreases n`; or call it in the second half of a \
                        `maybe`, so that the first one comes to an end";
            self.wrong(procedure.span, message, help);
        }
    }

    /// A contract is about the layer of the procedure.
    fn contract(&mut self, procedure: &Procedure) {
        let conditions = procedure.contract.requires.iter();
        for condition in conditions.chain(&procedure.contract.ensures) {
            for id in globals_read(condition) {
                let global = &self.actions.globals[id.index()];
                if !is_seen(global, procedure.layer) {
                    let (name, layer) = (&global.name, procedure.layer);
                    let message = format!("`{name}` does not exist at layer {layer}");
                    self.wrong(condition.span, message, "change one of the layers");
                }
            }
        }
    }

    fn used(&mut self, user: &Procedure, id: ProcedureId, span: Span, how: How) {
        let used = &self.actions.procedures[id.index()];
        let Some(mover) = used.mover else { return };
        let name = &used.name;
        if used.layer != user.layer {
            let layer = used.layer;
            let message = format!(
                "`{name}` moves at layer {layer}, and `{}` is of layer {}",
                user.name, user.layer
            );
            let help = "a procedure that moves is called by procedures of its own layer";
            self.wrong(span, message, help);
        }
        match how {
            How::Call => {}
            How::Arm => {
                let message = format!("`{name}` moves, and is no arm of a `par`");
                self.wrong(span, message, "call it before the `par` or behind it");
            }
            How::Async if user.synchronizes.contains(&id) && mover.is_left() => {}
            How::Async => {
                let message = format!("`{name}` moves, and is no thread of its own at its layer");
                let help = "call it, or let it move left and say `synchronizes`";
                self.wrong(span, message, help);
            }
        }
    }

    /// Do calls of procedures that move lead back to it?
    fn calls_itself(&self, procedure: &Procedure) -> bool {
        let mut seen: BTreeSet<ProcedureId> = BTreeSet::new();
        let mut open = vec![procedure];
        let mut first_halves = true;
        while let Some(one) = open.pop() {
            let mut uses = Uses {
                first_halves,
                ..Uses::default()
            };
            first_halves = false;
            one.code.body.iter().for_each(|stmt| uses.stmt(stmt));
            for (id, ..) in uses.found {
                let next = &self.actions.procedures[id.index()];
                if next.name == procedure.name {
                    return true;
                }
                if next.mover.is_some() && seen.insert(id) {
                    open.push(next);
                }
            }
        }
        false
    }
}

/// How a procedure is used.
#[derive(Clone, Copy)]
enum How {
    Call,
    Arm,
    Async,
}

/// The procedures that code calls or starts.
#[derive(Default)]
struct Uses {
    found: Vec<(ProcedureId, Span, How)>,
    /// Not in second halves of `maybe`.
    first_halves: bool,
}

impl Visit for Uses {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Call(_, call) => {
                if let Callee::Procedure(id) = call.callee {
                    self.found.push((id, call.span, How::Call));
                }
            }
            StmtKind::Par(calls) => {
                for call in calls {
                    if let Callee::Procedure(id) = call.callee {
                        self.found.push((id, call.span, How::Arm));
                    }
                }
            }
            StmtKind::Spawn(id, _) => self.found.push((*id, stmt.span, How::Async)),
            StmtKind::Maybe(first, _) if self.first_halves => {
                first.iter().for_each(|stmt| self.stmt(stmt));
                return;
            }
            _ => {}
        }
        walk::stmt(self, stmt);
    }
}
