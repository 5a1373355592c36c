//! The layer program: what a song in layers denotes at one layer.
//!
//! Statement. At layer `n` there are the globals with `a < n <= b`, the actions whose layers contain `n`
//! and the procedures of layer `n` and above. A call of a lower procedure is a call of its action, or
//! nothing if it refines nothing; so is an `async`. A call of an action that is no more is one of the action that it
//! refines. Assignments to introduced variables are gone, because
//! those exist only above; so are notes. Invariants, also of loops, and measures are what proofs say about a program, not
//! part of it.
//!
//! This is the only place that says so: the checker, the printed program (`--layer N --emit`) and the
//! comparison of layers all use [`extract`] or [`meant`].

use crate::atomicity::yields_here;
use plainsong_ir::ghost::{notes, remove_notes};
use plainsong_ir::visit::{VisitMut, globals_read, reads_pending, walk_mut};
use plainsong_ir::{
    ActionId, Actions, Block, Call, Callee, Claim, Contract, Expr, ExprKind, GlobalId, Layers,
    LoopClauses, Mover, PendingOf, Place, Procedure, ProcedureId, Root, Sequentialization, Song,
    Stmt, StmtKind, System,
};
use std::collections::BTreeMap;

/// What a callee is at a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// An action: one step.
    Action(ActionId),
    /// A procedure that is still there.
    Procedure(ProcedureId),
    /// Nothing: a procedure that refined nothing.
    Nothing,
}

/// What a callee is at a layer.
pub fn meant(actions: &Actions, callee: Callee, layer: u32) -> Meant {
    match callee {
        Callee::Action(id) => Meant::Action(action_at(actions, id, layer)),
        Callee::Procedure(id) => {
            let procedure = &actions.procedures[id.index()];
            match procedure.refines {
                _ if procedure.layer >= layer => Meant::Procedure(id),
                Some(action) => Meant::Action(action_at(actions, action, layer)),
                None => Meant::Nothing,
            }
        }
    }
}

/// How a procedure moves as a whole at a layer: only at its own, where it is part of what its callers do.
pub fn moves_here(procedure: &Procedure, layer: u32) -> Option<Mover> {
    procedure.mover.filter(|_| procedure.layer == layer)
}

/// What an action is at a layer; the checker has made sure that it is something wherever it is called.
pub fn action_at(actions: &Actions, action: ActionId, layer: u32) -> ActionId {
    actions.action_at(action, layer).unwrap_or(action)
}

/// The last layer with a procedure; the program above it is the specification.
pub fn height(actions: &Actions) -> u32 {
    let layers = actions.procedures.iter().map(|one| one.layer);
    layers.max().unwrap_or(0)
}

/// The program of a layer as a song of its own.
pub fn extract(song: &Song, layer: u32) -> Song {
    let Some(actions) = song.actions() else {
        return song.clone();
    };
    let mut extracting = LayerExtractor {
        actions,
        layer,
        globals: kept(actions.globals.iter().map(|one| one.exists_at(layer))),
        kept_actions: kept(actions.actions.iter().map(|one| one.exists_at(layer))),
        procedures: kept(actions.procedures.iter().map(|one| one.layer >= layer)),
        keeps_clauses: false,
    };
    let mut program = Actions {
        init: actions.init.clone(),
        ..Actions::default()
    };
    for global in actions.globals.iter().filter(|one| one.exists_at(layer)) {
        let mut global = global.clone();
        global.layers = None;
        walk_mut::start(&mut extracting, &mut global.start);
        program.globals.push(global);
    }
    for action in actions.actions.iter().filter(|one| one.exists_at(layer)) {
        let mut action = action.clone();
        action.role.layers = None;
        action.role.refines = None;
        action.role.requires.clear();
        extracting.block(&mut action.code.body);
        program.actions.push(action);
    }
    for procedure in actions.procedures.iter().filter(|one| one.layer >= layer) {
        let mut procedure = procedure.clone();
        procedure.refines = None;
        procedure.clauses.clear();
        procedure.contract = Contract::default();
        procedure.layer = procedure.layer - layer + 1;
        let notes = notes(&procedure.code);
        remove_notes(&mut procedure.code.body, &notes);
        extracting.block(&mut procedure.code.body);
        program.procedures.push(procedure);
    }
    if let Some(init) = &mut program.init {
        extracting.block(&mut init.body);
    }
    if layer > height(actions) {
        extracting.keeps_clauses = true;
        let sequences = actions.sequences.iter();
        program.sequences = sequences.map(|one| extracting.sequence(one)).collect();
    }
    Song {
        system: System::Actions(program),
        properties: Vec::new(),
        ..song.clone()
    }
}

/// The program above all procedures, with the schedules and the properties of final states, by their positions in
/// the song. A property speaks about the lowest layer, so all that it reads exists at every layer.
pub fn topmost(song: &Song) -> (Song, Vec<usize>) {
    let Some(actions) = song.actions() else {
        return (song.clone(), Vec::new());
    };
    let top = height(actions) + 1;
    let mut whole = extract(song, top);
    let mut renumbering = LayerExtractor {
        actions,
        layer: top,
        globals: kept(actions.globals.iter().map(|one| one.exists_at(top))),
        kept_actions: kept(actions.actions.iter().map(|one| one.exists_at(top))),
        procedures: BTreeMap::new(),
        keeps_clauses: true,
    };
    let mut positions = Vec::new();
    for (at, property) in song.properties.iter().enumerate() {
        let Claim::Finally(claim) = &property.claim else {
            continue;
        };
        let read = globals_read(claim);
        let mut read = read.iter().map(|id| &actions.globals[id.index()]);
        if read.all(|one| (1..=top).all(|layer| one.exists_at(layer))) && !reads_pending(claim) {
            let mut property = property.clone();
            if let Claim::Finally(claim) = &mut property.claim {
                renumbering.expr(claim);
            }
            positions.push(at);
            whole.properties.push(property);
        }
    }
    (whole, positions)
}

/// New numbers of the rows that are kept.
fn kept(rows: impl Iterator<Item = bool>) -> BTreeMap<usize, usize> {
    let kept = rows.enumerate().filter(|(_, keep)| *keep);
    kept.enumerate().map(|(new, (old, _))| (old, new)).collect()
}

struct LayerExtractor<'s> {
    actions: &'s Actions,
    layer: u32,
    globals: BTreeMap<usize, usize>,
    kept_actions: BTreeMap<usize, usize>,
    procedures: BTreeMap<usize, usize>,
    /// Are loops part of a proof, with their invariants?
    keeps_clauses: bool,
}

impl LayerExtractor<'_> {
    fn sequence(&mut self, sequence: &Sequentialization) -> Sequentialization {
        let mut sequence = sequence.clone();
        for one in &mut sequence.eliminated {
            one.action = self.action(one.action);
            one.by = one.by.map(|by| self.action(by));
        }
        sequence.into = sequence.into.map(|action| self.action(action));
        if let Some(by) = &mut sequence.by {
            by.becomes = self.action(by.becomes);
            by.invariant = self.action(by.invariant);
            by.with.iter_mut().for_each(|(_, value)| self.expr(value));
        }
        let clauses = sequence.invariants.iter_mut();
        for expr in clauses.chain(&mut sequence.decreases) {
            self.expr(expr);
        }
        self.block(&mut sequence.code.body);
        sequence
    }

    fn action(&self, id: ActionId) -> ActionId {
        let new = self.kept_actions.get(&id.index());
        ActionId::from(*new.expect("layers were checked: the action exists here"))
    }

    fn global(&self, id: GlobalId) -> GlobalId {
        let new = self.globals.get(&id.index());
        GlobalId::from(*new.expect("layers were checked: the global exists here"))
    }

    fn procedure(&self, id: ProcedureId) -> ProcedureId {
        let new = self.procedures.get(&id.index());
        ProcedureId::from(*new.expect("a procedure that is still there"))
    }

    /// What a call is here; `None` when it is nothing.
    fn call(&self, mut call: Call) -> Option<Call> {
        call.callee = match meant(self.actions, call.callee, self.layer) {
            Meant::Action(id) => Callee::Action(self.action(id)),
            Meant::Procedure(id) => Callee::Procedure(self.procedure(id)),
            Meant::Nothing => return None,
        };
        Some(call)
    }

    /// What a statement is here; `None` when it is nothing.
    fn statement(&self, stmt: Stmt) -> Option<Stmt> {
        let kind = match stmt.kind {
            StmtKind::Assign(place, value) => {
                let gone = matches!(place.root, Root::Global(id) if !self.globals.contains_key(&id.index()));
                if gone {
                    return None;
                }
                StmtKind::Assign(place, value)
            }
            StmtKind::Call(result, call) => StmtKind::Call(result, self.call(call)?),
            StmtKind::Par(calls) => {
                let calls = calls.into_iter().filter_map(|call| self.call(call));
                StmtKind::Par(calls.collect())
            }
            StmtKind::Yield(calls) if !yields_here(self.actions, &calls, self.layer) => {
                return None;
            }
            StmtKind::Yield(_) => StmtKind::Yield(Vec::new()),
            StmtKind::Async(id, arguments) => StmtKind::Async(self.action(id), arguments),
            StmtKind::Spawn(id, arguments) => {
                match meant(self.actions, Callee::Procedure(id), self.layer) {
                    Meant::Action(id) => StmtKind::Async(self.action(id), arguments),
                    Meant::Procedure(id) => StmtKind::Spawn(self.procedure(id), arguments),
                    Meant::Nothing => return None,
                }
            }
            other => other,
        };
        Some(Stmt { kind, ..stmt })
    }
}

impl VisitMut for LayerExtractor<'_> {
    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(block);
        *block = stmts
            .into_iter()
            .filter_map(|stmt| self.statement(stmt))
            .collect();
        walk_mut::block(self, block);
    }

    fn clauses(&mut self, clauses: &mut LoopClauses) {
        match self.keeps_clauses {
            true => walk_mut::clauses(self, clauses),
            false => *clauses = LoopClauses::default(),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Global(id) => *id = self.global(*id),
            ExprKind::Pending(PendingOf::Action(id)) | ExprKind::PendingOf(id, _) => {
                *id = self.action(*id);
            }
            _ => {}
        }
        walk_mut::expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Global(id) = &mut place.root {
            *id = self.global(*id);
        }
        walk_mut::place(self, place);
    }
}

/// Is it there for the checker of a layer: does it exist, or is it introduced there?
pub fn is_seen(layers: Option<Layers>, layer: u32) -> bool {
    layers.is_none_or(|layers| layers.first <= layer && layer <= layers.last)
}
