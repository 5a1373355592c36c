//! Which permissions values stand for in a small state, and whether they are all different.

use crate::brute::{Scene, action};
use crate::linear_permissions::{common_layers, holder};
use crate::movers::Need;
use plainsong_ir::permission::{permission_ty, split_by, variants_held};
use plainsong_ir::{Action, EnumDecl, Global, Song, Ty};
use plainsong_semantics::value::Value;

/// A permission: its type, which is not split any more, and its value.
pub(super) type Permission = (Ty, Value);

/// Are all permissions of a scene different, and none of them in a variable that holds some?
pub(super) fn is_linear(song: &Song, need: &Need, scene: &Scene) -> bool {
    let Some(actions) = song.actions() else {
        return true;
    };
    let (one, two) = (action(actions, need.first), action(actions, need.second));
    let mut all = of_caller(song, one, &scene.first);
    all.extend(of_caller(song, two, &scene.second));
    let layers = common_layers(actions, &[need.first, need.second]);
    let free = |one: &Permission| {
        let holder = holder(song, actions, &one.0, &layers);
        holder.is_some_and(|id| {
            let global = &actions.globals[id.index()];
            of_variable(&song.enums, global, &scene.globals[id.index()]).contains(one)
        })
    };
    if all.iter().any(free) {
        return false;
    }
    let count = all.len();
    all.sort();
    all.dedup();
    all.len() == count
}

/// The permissions that the caller of an action has.
fn of_caller(song: &Song, action: &Action, values: &[Value]) -> Vec<Permission> {
    let linear = action.role.linear.iter();
    let parts = linear.flat_map(|local| {
        let ty = &action.code.locals[local.index()].ty;
        parts(&song.enums, ty, &values[local.index()])
    });
    parts.collect()
}

/// The permissions that a value is.
pub(super) fn parts(enums: &[EnumDecl], ty: &Ty, value: &Value) -> Vec<Permission> {
    let of = permission_ty(enums, ty);
    match split_by(enums, ty) {
        None => vec![(of, value.clone())],
        Some(id) => (0..enums[id.index()].variants.len())
            .map(|at| (of.clone(), part(at, value)))
            .collect(),
    }
}

/// The permissions that a variable holds.
pub(super) fn of_variable(enums: &[EnumDecl], global: &Global, value: &Value) -> Vec<Permission> {
    let Some(element) = global.ty.element() else {
        return Vec::new();
    };
    let of = permission_ty(enums, element);
    let elements = value.elements();
    match variants_held(enums, global) {
        None => elements
            .iter()
            .map(|one| (of.clone(), one.clone()))
            .collect(),
        Some(variants) => {
            let all = elements.iter();
            let all = all.flat_map(|one| variants.iter().map(|at| (of.clone(), part(*at, one))));
            all.collect()
        }
    }
}

fn part(variant: usize, value: &Value) -> Value {
    Value::Variant(variant as u32, [value.clone()].into())
}
