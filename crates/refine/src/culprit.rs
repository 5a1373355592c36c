//! Whose fault it is that a layer does more than the next one.
//!
//! If the layer fails, those procedures that give way there are to blame of which a step fails. Otherwise, one is to blame if
//! the layer still does more when the others are already the actions that they refine. An action that touches what is
//! not there yet cannot be put in its procedure's place; then the procedure stays. Who was shown by itself is not to blame; if
//! nobody is left, all the others are.
//!
//! Nothing is refuted by this: that the layer does more was seen in the layer itself. It only tells for whom that counts.

use crate::compare::{begun, instances};
use crate::layer_program::{Meant, extract, meant};
use crate::read_write_sets::Footprint;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{ActionId, Actions, ProcedureId, Song, Stmt, StmtKind, System};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The procedures that give way at a layer.
pub(crate) fn of_layer(actions: &Actions, layer: u32) -> Vec<ProcedureId> {
    let all = (0..actions.procedures.len()).map(ProcedureId::from);
    all.filter(|id| actions.procedures[id.index()].layer == layer)
        .collect()
}

/// The procedures of a layer of which a step fails at a small size.
pub(crate) fn failing(
    song: &Arc<Song>,
    layer: u32,
    largest: i64,
    most: usize,
) -> BTreeSet<ProcedureId> {
    let Some(actions) = song.actions() else {
        return BTreeSet::new();
    };
    let program = Arc::new(extract(song, layer));
    let all = (1..=largest).flat_map(|size| instances(&program, size));
    let begun = all.filter_map(|instance| begun(&instance, &[], most));
    let ways = begun.flat_map(|(ways, _)| ways.into_values());
    let spans: BTreeSet<Span> = ways.flat_map(|way| way.failing).collect();
    let steps = |id: &ProcedureId| {
        let mut steps = Steps::new(actions, layer);
        steps.procedure(*id);
        spans.iter().any(|span| steps.contains(*span))
    };
    let mut all = of_layer(actions, layer);
    all.retain(steps);
    all.into_iter().collect()
}

/// What a procedure of a layer may do: its own text, and that of the actions that it calls.
struct Steps<'s> {
    actions: &'s Actions,
    layer: u32,
    texts: BTreeSet<Span>,
    called: BTreeSet<ProcedureId>,
}

impl Steps<'_> {
    fn new(actions: &Actions, layer: u32) -> Steps<'_> {
        Steps {
            actions,
            layer,
            texts: BTreeSet::new(),
            called: BTreeSet::new(),
        }
    }

    fn contains(&self, span: Span) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|text| text.start <= span.start && span.end <= text.end)
    }

    fn procedure(&mut self, id: ProcedureId) {
        if self.called.insert(id) {
            self.block(&self.actions.procedures[id.index()].code.body);
        }
    }
}

impl Visit for Steps<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        self.texts.insert(stmt.span);
        let calls = match &stmt.kind {
            StmtKind::Call(_, call) => std::slice::from_ref(call),
            StmtKind::Par(calls) => calls,
            _ => &[],
        };
        for callee in calls.iter().map(|call| call.callee) {
            match meant(self.actions, callee, self.layer) {
                Meant::Action(id) => {
                    let body = &self.actions.actions[id.index()].code.body;
                    self.texts.extend(body.iter().map(|stmt| stmt.span));
                }
                Meant::Procedure(id) => self.procedure(id),
                Meant::Nothing => {}
            }
        }
        walk::stmt(self, stmt);
    }
}

/// The song in which all others that can be are actions before the layer of a procedure.
pub(crate) fn alone(song: &Song, id: ProcedureId) -> Song {
    let mut song = song.clone();
    if let System::Actions(actions) = &mut song.system {
        for other in others(actions, id) {
            let layer = actions.procedures[other.index()].layer;
            let action = abstraction(actions, other).expect("others refine something");
            actions.procedures[other.index()].layer = layer - 1;
            if let Some(layers) = &mut actions.actions[action.index()].role.layers {
                layers.first = layers.first.min(layer);
            }
        }
    }
    song
}

/// The other procedures of the same layer that can be replaced by their actions one layer earlier.
fn others(actions: &Actions, id: ProcedureId) -> Vec<ProcedureId> {
    let layer = actions.procedures[id.index()].layer;
    let early = |at: &ProcedureId| {
        let action = abstraction(actions, *at)?;
        let row = &actions.actions[action.index()];
        let globals = Footprint::of(row).all();
        let mut globals = globals.iter().map(|id| &actions.globals[id.index()]);
        let is_known = globals.all(|one| one.exists_at(layer));
        (is_known && !Footprint::of(row).creates).then_some(())
    };
    let mut all = of_layer(actions, layer);
    all.retain(|at| *at != id && early(at).is_some());
    all
}

/// What a procedure is above its layer.
fn abstraction(actions: &Actions, id: ProcedureId) -> Option<ActionId> {
    let procedure = &actions.procedures[id.index()];
    actions.action_at(procedure.refines?, procedure.layer + 1)
}
