//! Layers: everything is used only where it exists.
//!
//! Statement. At layer `n` a song denotes the program that `plainsong-refine` extracts: the globals
//! with `a < n <= b`, the actions whose layers contain `n`, the procedures whose layer is at least `n`;
//! calls of the others are calls of their actions. The rules here make that program well formed for
//! every `n`, so that extraction cannot fail.
//!
//! - A global `@ a..a` exists at no layer: procedures of layer `a` assign it, invariants of it speak about it.
//! - An action uses only globals that exist at all of its layers.
//! - An invariant at layer `n` reads globals that exist at `n` or are introduced at `n`.
//! - Above the last of its layers, an action is the action that it refines, which exists directly above it.
//! - A procedure at layer `n` calls actions that exist at layers 1 to `n`, procedures of layer `m <= n`
//!   whose actions exist at layers `m + 1` to `n`. What it starts by `async` is also there at layer `n + 1`, for its
//!   action leaves it behind, unless it is synchronized or the procedure refines nothing.
//! - What an action requires is an invariant of the only layer at which it exists.
//! - What `init` starts refines nothing, or its action exists at all layers above the procedure's.
//! - A procedure reads and writes globals only to assign to those introduced at its own layer, and in notes
//!   (`let then = x;`, [`plainsong_ir::ghost`]); then it may read what an invariant of that layer may; so may the invariants
//!   of its loops. Notes are used by other notes, by what is introduced, by invariants of loops, and by the
//!   invariants of the procedure's layer at yields, and nowhere else.
//! - A first value reads no other global, and `init` of a program with procedures neither reads nor
//!   writes globals: not all of them exist at all layers.

use super::Lowering;
use super::codes::layers::{WRONG_LAYER, WRONG_REFINES};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::ghost::{note_read, notes};
use plainsong_ir::visit::{Visit, globals_read, walk};
use plainsong_ir::{
    Action, ActionId, Actions, Block, Call, Callee, Code, Expr, ExprKind, Global, GlobalId,
    InvariantCall, Local, LoopClauses, Place, Procedure, ProcedureId, Role, Root, Song, StartValue,
    Stmt, StmtKind,
};
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Reports what is used at a layer where it does not exist.
    pub(crate) fn layers(&mut self, song: &Song) {
        let Some(actions) = song.actions() else {
            return;
        };
        let mut found = Found {
            actions,
            diagnostics: Vec::new(),
        };
        found.globals();
        actions.actions.iter().for_each(|one| found.action(one));
        found.invariants();
        for procedure in &actions.procedures {
            found.procedure(procedure);
        }
        if actions.is_layered() {
            found.init();
            found.sequences();
        }
        let diagnostics = found.diagnostics;
        diagnostics.into_iter().for_each(|one| self.report(one));
        self.moving_procedures(actions);
        if self.errors == 0 {
            self.splits(&song.enums);
            self.permissions(actions, &song.enums);
        }
    }
}

struct Found<'s> {
    actions: &'s Actions,
    diagnostics: Vec<Diagnostic>,
}

impl Found<'_> {
    fn wrong(&mut self, span: Span, message: String, help: &str) {
        let diagnostic = Diagnostic::error(&WRONG_LAYER, span, message).help(help);
        self.diagnostics.push(diagnostic);
    }

    fn globals(&mut self) {
        for global in &self.actions.globals {
            if let Some(layers) = global.layers
                && layers.last == 0
            {
                let message = format!("`{}` exists at no layer", global.name);
                let help = "write `@ a..b` with `a < b`, or `@ a` for one that only invariants of \
                            layer `a` speak about";
                self.wrong(global.span, message, help);
            }
            let read = match &global.start {
                StartValue::Value(value) => globals_read(value),
                StartValue::Choice(choice) => {
                    let mut reads = Reads::default();
                    reads.choice(choice);
                    reads.globals
                }
            };
            if self.actions.is_layered() && !read.is_empty() {
                let message = format!("the first value of `{}` reads a global", global.name);
                let help = "in a program with procedures, first values stand alone";
                self.wrong(global.span, message, help);
            }
        }
    }

    fn action(&mut self, action: &Action) {
        let mut reads = Reads::default();
        action.code.body.iter().for_each(|stmt| reads.stmt(stmt));
        for id in reads.globals {
            let global = &self.actions.globals[id.index()];
            if !covers(action, global) {
                let message = format!(
                    "`{}` uses `{}`, which does not exist at all of its layers",
                    action.name, global.name
                );
                let help = "write `@` with the layers at which the action exists";
                self.wrong(action.span, message, help);
            }
        }
        for id in reads.created {
            let other = &self.actions.actions[id.index()];
            if self.actions.is_layered() && !outlives(action, other) {
                let message = format!(
                    "`{}` creates `{}`, which does not exist at all of its layers",
                    action.name, other.name
                );
                self.wrong(action.span, message, "let the action exist at more layers");
            }
        }
        self.refined_action(action);
        for call in &action.role.requires {
            self.required(action, call);
        }
    }

    /// An action and the one that stands in its place above it.
    fn refined_action(&mut self, action: &Action) {
        let Some(id) = action.role.refines else {
            return;
        };
        let other = &self.actions.actions[id.index()];
        let next = action.role.layers.map(|layers| layers.last + 1);
        if !next.is_some_and(|next| other.exists_at(next) && other.role.layers.is_some()) {
            let message = format!(
                "`{}` refines `{}`, which does not exist directly above it",
                action.name, other.name
            );
            let help =
                "the action takes its place one layer above its last one: write `@` after both";
            self.wrong(action.span, message, help);
        }
        if signature(&action.code, &action.role) != signature(&other.code, &other.role) {
            self.differ(&action.name, action.span, other);
        }
    }

    /// What an action relies on where it is called.
    fn required(&mut self, action: &Action, call: &InvariantCall) {
        let invariant = &self.actions.invariants[call.invariant.index()];
        let only = action.role.layers.filter(|one| one.first == one.last);
        if only.is_none_or(|only| only.first != invariant.layer) {
            let message = format!(
                "`{}` requires `{}`, but does not exist only at its layer, {}",
                action.name, invariant.name, invariant.layer
            );
            self.wrong(call.span, message, "let both have one layer, the same");
        }
        for id in globals_read(&invariant.body) {
            let global = &self.actions.globals[id.index()];
            if !global.exists_at(invariant.layer) {
                let message = format!(
                    "`{}` reads `{}`, which does not exist at layer {} for actions",
                    invariant.name, global.name, invariant.layer
                );
                let help = "what an action requires speaks about variables that actions see";
                self.wrong(call.span, message, help);
            }
        }
        let exprs = call.arguments.iter();
        exprs.for_each(|expr| self.no_globals_in(globals_read(expr), expr.span));
    }

    fn differ(&mut self, name: &str, span: Span, action: &Action) {
        let message = format!(
            "`{name}` and `{}` have different parameters or results",
            action.name
        );
        let diagnostic = Diagnostic::error(&WRONG_REFINES, span, message)
            .also(action.span, format!("`{}` is declared here", action.name));
        self.diagnostics.push(diagnostic);
    }

    fn invariants(&mut self) {
        for invariant in &self.actions.invariants {
            for id in globals_read(&invariant.body) {
                let global = &self.actions.globals[id.index()];
                if !is_seen(global, invariant.layer) {
                    let message = format!(
                        "`{}` reads `{}`, which does not exist at layer {}",
                        invariant.name, global.name, invariant.layer
                    );
                    self.wrong(invariant.span, message, "change one of the layers");
                }
            }
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        self.refines(procedure);
        self.synchronizes(procedure);
        for clause in &procedure.clauses {
            self.invariant_call(procedure, &clause.call);
        }
        self.block(procedure, &procedure.code.body);
    }

    fn refines(&mut self, procedure: &Procedure) {
        let Some(id) = procedure.refines else {
            return;
        };
        let action = &self.actions.actions[id.index()];
        let next = procedure.layer + 1;
        if !action.exists_at(next) {
            let message = format!(
                "`{}` refines `{}`, which does not exist at layer {next}",
                procedure.name, action.name
            );
            let help = "the action takes the place of the procedure one layer above it";
            self.wrong(procedure.span, message, help);
        }
        let (code, of) = (&procedure.code, &action.code);
        let same = types(&code.locals[..code.arity]).eq(types(&of.locals[..of.arity]))
            && procedure.linear == action.role.linear
            && procedure.taken == action.role.taken
            && procedure.given == action.role.given
            && procedure.gives == action.role.gives
            && result(&code.locals, procedure.result) == result(&of.locals, action.role.result);
        if !same {
            self.differ(&procedure.name, procedure.span, action);
        }
    }

    fn invariant_call(&mut self, procedure: &Procedure, call: &InvariantCall) {
        let invariant = &self.actions.invariants[call.invariant.index()];
        if invariant.layer > procedure.layer {
            let message = format!(
                "`{}` holds at layer {}, where `{}` is no longer a procedure",
                invariant.name, invariant.layer, procedure.name
            );
            self.wrong(call.span, message, "change one of the layers");
        }
        let exprs = call.arguments.iter();
        exprs.for_each(|expr| self.no_globals_in(globals_read(expr), expr.span));
        if invariant.layer < procedure.layer {
            self.no_notes(procedure, &call.arguments);
        }
    }

    fn nothing_of_proofs(&mut self, procedure: &Procedure, exprs: &[Expr]) {
        for expr in exprs {
            self.no_globals_in(globals_read(expr), expr.span);
        }
        self.no_notes(procedure, exprs);
    }

    fn no_notes(&mut self, procedure: &Procedure, exprs: &[Expr]) {
        let notes = notes(&procedure.code);
        for expr in exprs {
            if let Some(local) = note_read(expr, &notes) {
                let name = &procedure.code.locals[local.index()].name;
                let message =
                    format!("`{name}` is a note about globals, which is there for proofs only");
                let help = format!(
                    "say it in invariants of layer {} at yields, and of loops; what the program does depends on results: \
                     `let x = call read();`",
                    procedure.layer
                );
                self.wrong(expr.span, message, &help);
            }
        }
    }

    /// A note speaks about what an invariant of the layer may speak about.
    fn note(&mut self, procedure: &Procedure, value: &Expr) {
        for id in globals_read(value) {
            let read = &self.actions.globals[id.index()];
            if !is_seen(read, procedure.layer) {
                let message = format!(
                    "`{}` does not exist at layer {}",
                    read.name, procedure.layer
                );
                self.wrong(value.span, message, "change one of the layers");
            }
        }
    }

    fn no_globals_in(&mut self, read: BTreeSet<GlobalId>, span: Span) {
        if let Some(id) = read.first() {
            let name = &self.actions.globals[id.index()].name;
            let message = format!("a procedure cannot read the global `{name}` here");
            let help = "read it in an action with a result: `let x = call read();`";
            self.wrong(span, message, help);
        }
    }

    fn block(&mut self, procedure: &Procedure, block: &Block) {
        for stmt in block {
            self.stmt(procedure, stmt);
        }
    }

    fn stmt(&mut self, procedure: &Procedure, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) if is_global(place) => {
                self.introduces(procedure, place, value);
            }
            StmtKind::Let(local, value) if notes(&procedure.code).contains(local) => {
                self.note(procedure, value);
            }
            StmtKind::AssignChoice(place, _) if is_global(place) => {
                let message = "what is introduced is not chosen freely".to_owned();
                self.wrong(stmt.span, message, "assign a value that is known");
            }
            StmtKind::Call(_, call) => self.call(procedure, call),
            StmtKind::Par(calls) => calls.iter().for_each(|call| self.call(procedure, call)),
            StmtKind::Yield(calls) => {
                for call in calls {
                    self.invariant_call(procedure, call);
                }
            }
            StmtKind::Async(id, _) => {
                let name = &self.actions.actions[id.index()].name;
                let message = format!("`{name}` is an action, and procedures start procedures");
                let help = format!("start a procedure that calls it: `call {name}(…);`");
                self.wrong(stmt.span, message, &help);
            }
            StmtKind::Spawn(id, arguments) => {
                let other = &self.actions.procedures[id.index()];
                if other.layer > procedure.layer {
                    let message = format!("`{}` cannot be started here", other.name);
                    let help = "a procedure starts procedures of its own layer or lower ones";
                    self.wrong(stmt.span, message, help);
                }
                self.exists_above(procedure, other, stmt.span);
                self.nothing_of_proofs(procedure, arguments);
            }
            _ => {
                let mut own = Reads {
                    shallow: true,
                    ..Reads::default()
                };
                walk::stmt(&mut own, stmt);
                self.no_globals_in(own.globals, stmt.span);
                self.no_notes(procedure, &own.read);
            }
        }
        if let StmtKind::While(_, clauses, _) | StmtKind::For { clauses, .. } = &stmt.kind {
            self.loop_clauses(procedure, clauses);
        }
        match &stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                self.block(procedure, yes);
                self.block(procedure, no);
            }
            StmtKind::Match(_, arms) => {
                arms.iter()
                    .for_each(|(_, body)| self.block(procedure, body));
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => self.block(procedure, body),
            _ => {}
        }
    }

    /// What is left behind by an action one layer up, or is pending while the procedure is one.
    fn exists_above(&mut self, procedure: &Procedure, started: &Procedure, span: Span) {
        let Some(action) = started.refines else {
            return;
        };
        let action = &self.actions.actions[action.index()];
        let last = match procedure.refines {
            Some(_) => procedure.layer + 1,
            None => procedure.layer,
        };
        let missing = (started.layer + 1..=last).find(|layer| !action.exists_at(*layer));
        if let Some(layer) = missing
            && !(layer > procedure.layer && self.is_synchronized(procedure, started))
        {
            let message = format!(
                "`{}` does not exist at layer {layer}, where it is left behind",
                action.name
            );
            self.wrong(span, message, "let the action exist at more layers");
        }
    }

    fn is_synchronized(&self, procedure: &Procedure, other: &Procedure) -> bool {
        let ids = procedure.synchronizes.iter();
        let mut names = ids.map(|id| &self.actions.procedures[id.index()].name);
        names.any(|name| *name == other.name)
    }

    /// What is synchronized is an action of a lower procedure, or a procedure of the same layer that moves.
    fn synchronizes(&mut self, procedure: &Procedure) {
        for id in &procedure.synchronizes {
            let other = &self.actions.procedures[id.index()];
            let moves = other.mover.is_some() && other.layer == procedure.layer;
            if !moves && (other.layer >= procedure.layer || other.refines.is_none()) {
                let message = format!("`{}` cannot be synchronized here", other.name);
                let help = "what is synchronized is a procedure of a lower layer that refines an action, or \
                     one of the same layer that moves left";
                self.wrong(procedure.span, message, help);
            }
        }
    }

    /// What a loop's invariants say is about the layer of the procedure.
    fn loop_clauses(&mut self, procedure: &Procedure, clauses: &LoopClauses) {
        for invariant in &clauses.invariants {
            for id in globals_read(invariant) {
                let read = &self.actions.globals[id.index()];
                if !is_seen(read, procedure.layer) {
                    let message = format!(
                        "`{}` does not exist at layer {}",
                        read.name, procedure.layer
                    );
                    self.wrong(invariant.span, message, "change one of the layers");
                }
            }
        }
        self.nothing_of_proofs(procedure, &clauses.decreases);
    }

    fn introduces(&mut self, procedure: &Procedure, place: &Place, value: &Expr) {
        let Root::Global(id) = place.root else { return };
        let global = &self.actions.globals[id.index()];
        let layer = procedure.layer;
        if global.layers.is_none_or(|layers| layers.first != layer) {
            let message = format!(
                "`{}` is not introduced at layer {layer}, so `{}` cannot assign to it",
                global.name, procedure.name
            );
            let help = "call an action that changes it; only what a layer introduces is assigned in \
                        its procedures";
            self.wrong(place.span, message, help);
        }
        let mut reads = Reads::default();
        reads.expr(value);
        walk::place(&mut reads, place);
        for id in reads.globals {
            let read = &self.actions.globals[id.index()];
            if !is_seen(read, layer) {
                let message = format!("`{}` does not exist at layer {layer}", read.name);
                self.wrong(value.span, message, "change one of the layers");
            }
        }
    }

    fn call(&mut self, procedure: &Procedure, call: &Call) {
        self.nothing_of_proofs(procedure, &call.arguments);
        let (action, first) = match call.callee {
            Callee::Action(id) => (Some(id), 1),
            Callee::Procedure(id) => {
                let callee = &self.actions.procedures[id.index()];
                if callee.layer > procedure.layer {
                    let message = format!(
                        "`{}` is still a procedure at layer {}, where `{}` is none",
                        callee.name, callee.layer, procedure.name
                    );
                    self.wrong(
                        call.span,
                        message,
                        "a procedure calls those of lower layers",
                    );
                    return;
                }
                let lost = callee.result.is_some() && callee.refines.is_none();
                if lost && callee.layer < procedure.layer {
                    let message = format!(
                        "the result of `{}` is gone above layer {}",
                        callee.name, callee.layer
                    );
                    let help = "say which action it refines: `refines A`";
                    self.wrong(call.span, message, help);
                }
                (callee.refines, callee.layer + 1)
            }
        };
        let Some(id) = action else { return };
        let action = &self.actions.actions[id.index()];
        let mut layers = first..=procedure.layer;
        let missing = layers.find(|layer| self.actions.action_at(id, *layer).is_none());
        if let Some(layer) = missing {
            let message = format!(
                "`{}` does not exist at layer {layer}, where `{}` needs it",
                action.name, procedure.name
            );
            self.wrong(call.span, message, "let the action exist at more layers");
        }
    }

    fn init(&mut self) {
        let Some(init) = &self.actions.init else {
            return;
        };
        let mut reads = Reads::default();
        init.body.iter().for_each(|stmt| reads.stmt(stmt));
        for (id, span) in std::mem::take(&mut reads.started) {
            self.started(id, span);
        }
        if reads.globals.is_empty() && !reads.asyncs {
            return;
        }
        let span = init.body.first().map_or(Span::default(), |stmt| stmt.span);
        let message = "`init` of a program with procedures only starts procedures".to_owned();
        let help = "give variables their first values where they are declared";
        self.wrong(span, message, help);
    }
}

impl Found<'_> {
    /// Schedules are about the program above all procedures.
    fn sequences(&mut self) {
        let layers = self.actions.procedures.iter().map(|one| one.layer);
        let top = layers.max().unwrap_or(0) + 1;
        for sequence in &self.actions.sequences {
            let eliminated = sequence.eliminated.iter();
            let eliminated = eliminated.flat_map(|one| [Some(one.action), one.by]);
            let by = sequence.by.iter().flat_map(|by| [by.becomes, by.invariant]);
            let named = eliminated.chain([sequence.into]).chain(by.map(Some));
            for id in named.flatten() {
                let action = &self.actions.actions[id.index()];
                if !action.exists_at(top) {
                    let name = &action.name;
                    let message = format!("`{name}` does not exist at layer {top}");
                    let help = "schedules are about the program above all procedures";
                    self.wrong(sequence.span, message, help);
                }
            }
            let mut reads = Reads::default();
            let clauses = sequence.invariants.iter().chain(&sequence.decreases);
            clauses.for_each(|expr| reads.expr(expr));
            let with = sequence.by.iter().flat_map(|by| &by.with);
            with.for_each(|(_, value)| reads.expr(value));
            reads.block(&sequence.code.body);
            for id in reads.globals {
                let global = &self.actions.globals[id.index()];
                if !global.exists_at(top) {
                    let name = &global.name;
                    let message = format!("`{name}` does not exist at layer {top}");
                    let help = "schedules are about the program above all procedures";
                    self.wrong(sequence.span, message, help);
                }
            }
        }
    }

    /// What `init` starts is there at every layer, as a procedure or as its action.
    fn started(&mut self, id: ProcedureId, span: Span) {
        let procedure = &self.actions.procedures[id.index()];
        let Some(action) = procedure.refines else {
            return;
        };
        let layers = self.actions.procedures.iter().map(|one| one.layer);
        let top = layers.max().unwrap_or(0) + 1;
        let mut above = procedure.layer + 1..=top;
        let missing = above.find(|layer| self.actions.action_at(action, *layer).is_none());
        let action = &self.actions.actions[action.index()];
        if let Some(layer) = missing {
            let message = format!(
                "`{}` does not exist at layer {layer}, where `init` starts it in place of `{}`",
                action.name, procedure.name
            );
            self.wrong(span, message, "let the action exist at more layers");
        }
    }
}

/// Does a global exist at all layers of an action?
fn covers(action: &Action, global: &Global) -> bool {
    match (action.role.layers, global.layers) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(of), Some(_)) => (of.first..=of.last).all(|layer| global.exists_at(layer)),
    }
}

/// Does an action exist at all layers of another?
fn outlives(action: &Action, other: &Action) -> bool {
    match (action.role.layers, other.role.layers) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(of), Some(_)) => (of.first..=of.last).all(|layer| other.exists_at(layer)),
    }
}

/// May the checker of a layer speak of it: is it there, or introduced there?
pub(super) fn is_seen(global: &Global, layer: u32) -> bool {
    let introduced = global.layers.is_some_and(|layers| layers.first == layer);
    introduced || global.exists_at(layer)
}

fn is_global(place: &Place) -> bool {
    matches!(place.root, Root::Global(_))
}

/// What a caller has to know of an action.
fn signature<'s>(code: &'s Code, role: &'s Role) -> impl PartialEq + use<'s> {
    (
        types(&code.locals[..code.arity]).collect::<Vec<_>>(),
        &role.linear,
        &role.taken,
        &role.given,
        role.gives,
        result(&code.locals, role.result),
    )
}

fn types(rows: &[Local]) -> impl Iterator<Item = &plainsong_ir::Ty> {
    rows.iter().map(|row| &row.ty)
}

fn result(rows: &[Local], result: Option<plainsong_ir::LocalId>) -> Option<&plainsong_ir::Ty> {
    result.map(|local| &rows[local.index()].ty)
}

/// The globals that code reads or writes.
#[derive(Default)]
struct Reads {
    globals: BTreeSet<GlobalId>,
    asyncs: bool,
    created: BTreeSet<ActionId>,
    started: Vec<(ProcedureId, Span)>,
    /// Not in the blocks of a statement.
    shallow: bool,
    /// The names of locals.
    read: Vec<Expr>,
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Global(id) = &expr.kind {
            self.globals.insert(*id);
        }
        if let ExprKind::Local(_) = &expr.kind {
            self.read.push(expr.clone());
        }
        walk::expr(self, expr);
    }

    fn block(&mut self, block: &Block) {
        if !self.shallow {
            walk::block(self, block);
        }
    }

    fn clauses(&mut self, clauses: &LoopClauses) {
        if !self.shallow {
            walk::clauses(self, clauses);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Async(id, _) = &stmt.kind {
            self.asyncs = true;
            self.created.insert(*id);
        }
        if let StmtKind::Spawn(id, _) = &stmt.kind {
            self.started.push((*id, stmt.span));
        }
        walk::stmt(self, stmt);
    }

    fn place(&mut self, place: &Place) {
        if let Root::Global(id) = place.root {
            self.globals.insert(id);
        }
        walk::place(self, place);
    }
}
