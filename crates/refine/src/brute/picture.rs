//! A condition that is false, drawn: both orders side by side, the first difference marked.

use super::{Scene, Wrong, action};
use crate::answer::Refutation;
use crate::async_text::{told_async, told_global};
use crate::movers::Need;
use crate::read_write_sets::Footprint;
use plainsong_ir::{ActionId, Actions, GlobalId};
use plainsong_semantics::atomic::{Atoms, Done, Effect};
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;
use std::collections::BTreeSet;

/// Tells why a condition is false in a scene.
pub(crate) fn refutation(atoms: &Atoms, need: &Need, scene: &Scene, wrong: &Wrong) -> Refutation {
    let song = atoms.instance().song().clone();
    let actions = song.actions().expect("scenes are of actions");
    let touched = |id| Footprint::of(action(actions, id)).all();
    let told = Teller {
        atoms,
        actions,
        shown: &touched(need.first) | &touched(need.second),
    };
    let (one, two) = (
        told.call(need.first, &scene.first),
        told.call(need.second, &scene.second),
    );
    let start = told.globals(&scene.globals);
    let at = format!("where {}", start.join(", "));
    let swapped = || told.swapped(need, scene);
    match wrong {
        Wrong::Order { between, end } => {
            let left = vec![
                told.globals(&scene.globals),
                told.step(&one, need.first, between),
                told.step(&two, need.second, end),
            ];
            let right = swapped();
            Refutation {
                reason: format!("`{one}`, `{two}` cannot be swapped {at}"),
                picture: columns(
                    &format!("{one}; {two}"),
                    left,
                    &format!("{two}; {one}"),
                    right,
                ),
            }
        }
        Wrong::Gate { between, failure } => Refutation {
            reason: format!("`{one}` makes `{two}` fail {at}: {failure}"),
            picture: columns(
                &format!("{one}; {two}"),
                vec![
                    told.globals(&scene.globals),
                    told.step(&one, need.first, between),
                    vec![format!("{two} fails"), failure.clone()],
                ],
                &format!("{two}; {one}"),
                swapped(),
            ),
        },
        Wrong::Failure { between, failure } => Refutation {
            reason: format!("`{two}` hides that `{one}` fails {at}: {failure}"),
            picture: columns(
                &format!("{one}; {two}"),
                vec![
                    told.globals(&scene.globals),
                    vec![format!("{one} fails"), failure.clone()],
                ],
                &format!("{two}; {one}"),
                vec![
                    told.globals(&scene.globals),
                    told.step(&two, need.second, between),
                    vec![format!("{one} does not fail")],
                ],
            ),
        },
        Wrong::Blocked => Refutation {
            reason: format!("`{two}` blocks {at}"),
            picture: Vec::new(),
        },
        Wrong::Creates(done) => Refutation {
            reason: format!("`{one}` creates asyncs {at}"),
            picture: told.step(&one, need.first, done),
        },
    }
}

struct Teller<'a> {
    atoms: &'a Atoms,
    actions: &'a Actions,
    /// The globals that one of the two touches.
    shown: BTreeSet<GlobalId>,
}

impl Teller<'_> {
    fn value(&self, value: &Value, ty: &plainsong_ir::Ty) -> String {
        show(self.atoms.instance(), value, ty)
    }

    /// `RELEASE(Tid#0)`.
    fn call(&self, id: ActionId, arguments: &[Value]) -> String {
        told_async(self.atoms.instance(), action(self.actions, id), arguments)
    }

    fn globals(&self, values: &[Value]) -> Vec<String> {
        let rows = self.actions.globals.iter().zip(values).enumerate();
        rows.filter(|(at, _)| self.shown.contains(&GlobalId::from(*at)))
            .flat_map(|(_, (row, value))| told_global(self.atoms.instance(), row, value))
            .collect()
    }

    /// What stands in the box of a step that was taken.
    fn step(&self, told: &str, id: ActionId, done: &Done) -> Vec<String> {
        let mut lines = vec![told.to_owned()];
        lines.extend(self.globals(&done.globals));
        let action = action(self.actions, id);
        if let (Some(local), Some(value)) = (action.role.result, &done.result) {
            let row = &action.code.locals[local.index()];
            lines.push(format!("-> {}", self.value(value, &row.ty)));
        }
        for (created, arguments) in &done.created {
            lines.push(format!("async {}", self.call(*created, arguments)));
        }
        lines
    }

    /// The other order, as far as it goes, along its first ways.
    fn swapped(&self, need: &Need, scene: &Scene) -> Vec<Vec<String>> {
        let (one, two) = (
            self.call(need.first, &scene.first),
            self.call(need.second, &scene.second),
        );
        let mut boxes = vec![self.globals(&scene.globals)];
        let early = self.atoms.run(need.second, &scene.globals, &scene.second);
        let Some(globals) = self.taken(&two, need.second, &early, &mut boxes) else {
            return boxes;
        };
        let late = self.atoms.run(need.first, &globals, &scene.first);
        self.taken(&one, need.first, &late, &mut boxes);
        boxes
    }

    fn taken(
        &self,
        told: &str,
        id: ActionId,
        effects: &[Effect],
        boxes: &mut Vec<Vec<String>>,
    ) -> Option<Vec<Value>> {
        let failed = effects.iter().find_map(|effect| match effect {
            Effect::Failed(failure) => Some(failure.message.clone()),
            Effect::Done(_) => None,
        });
        if let Some(message) = failed {
            boxes.push(vec![format!("{told} fails"), message]);
            return None;
        }
        let done = effects.iter().find_map(|effect| match effect {
            Effect::Done(done) => Some(done),
            Effect::Failed(_) => None,
        });
        match done {
            Some(done) => {
                boxes.push(self.step(told, id, done));
                Some(done.globals.clone())
            }
            None => {
                boxes.push(vec![format!("{told} blocks")]);
                None
            }
        }
    }
}

/// Two columns of boxes; the first line in which the last boxes differ is marked.
fn columns(
    left_head: &str,
    left: Vec<Vec<String>>,
    right_head: &str,
    right: Vec<Vec<String>>,
) -> Vec<String> {
    let ends = (left.last().cloned(), right.last().cloned());
    let mut rows = vec![(left_head.to_owned(), right_head.to_owned())];
    let mut last = 0;
    for at in 0..left.len().max(right.len()) {
        rows.push((String::new(), String::new()));
        last = rows.len();
        let empty = Vec::new();
        let (a, b) = (
            left.get(at).unwrap_or(&empty),
            right.get(at).unwrap_or(&empty),
        );
        for line in 0..a.len().max(b.len()) {
            let of = |lines: &Vec<String>| lines.get(line).cloned().unwrap_or_default();
            rows.push((of(a), of(b)));
        }
    }
    let width = rows
        .iter()
        .map(|(a, _)| a.chars().count())
        .max()
        .unwrap_or(0);
    let mut marked = ends.0 == ends.1;
    let mut lines = Vec::new();
    for (at, (a, b)) in rows.iter().enumerate() {
        let title = at == last && is_taken(a) && is_taken(b);
        let differs = at >= last && a != b && !marked && !title;
        marked |= differs;
        let mark = if differs { "   <- differs" } else { "" };
        lines.push(format!("{a:width$} | {b}{mark}").trim_end().to_owned());
    }
    lines
}

/// Is it the title of a step that was taken?
fn is_taken(line: &str) -> bool {
    !line.ends_with(" fails") && !line.ends_with(" blocks")
}
