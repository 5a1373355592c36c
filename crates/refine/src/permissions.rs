//! Permissions that variables hold: nobody else has them, and actions do not double them.
//!
//! Statement. A `linear` variable is a set of permissions. After an action, it holds nothing but what it held
//! before and what the action took from its caller (`take`); a `linear` result is one of those, too, and not in it
//! afterwards.
//!
//! Why sound. Induction over steps: what threads hold and what the variable of that type holds are all
//! different. Calls and threads move permissions about, which the type checker follows; a step takes
//! some out of the variable, gives at most one of them to the thread that acts, and puts in what it takes from it. So wherever two
//! threads are about to act, or a thread has just yielded, that all of them differ may be relied on.
//!
//! Source. [Kragl20] section 3.5. DIFFERS. The collectors are fixed: a set of permissions, and a permission
//! itself. NOT COVERED. Splitting a permission.

use crate::answer::obligation;
use crate::extract::height;
use crate::footprint::Footprint;
use plainsong_ir::{Action, ActionId, Actions, GlobalId, LocalId, Ty};
use plainsong_prove::gated::Gated;
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The variable that holds permissions of a type at all of some layers.
pub fn holder(actions: &Actions, of: &Ty, mut layers: RangeInclusive<u32>) -> Option<GlobalId> {
    let holds = |one: &plainsong_ir::Global| one.linear && one.ty.element() == Some(of);
    let at = actions.globals.iter().position(holds)?;
    let exists = layers.all(|layer| actions.globals[at].exists_at(layer));
    exists.then(|| GlobalId::from(at))
}

/// The layers at which some actions all exist.
pub fn common_layers(actions: &Actions, ids: &[ActionId]) -> RangeInclusive<u32> {
    let (mut first, mut last) = (1, height(actions) + 1);
    for id in ids {
        if let Some(layers) = actions.actions[id.index()].role.layers {
            first = first.max(layers.first);
            last = last.min(layers.last);
        }
    }
    first..=last
}

/// Is a permission in the variable that holds those of its type?
pub fn is_free(
    theory: &mut Theory,
    actions: &Actions,
    store: &Store,
    holder: GlobalId,
    value: Term,
) -> Result {
    let ty = &actions.globals[holder.index()].ty;
    let of = ty.element().cloned().unwrap_or(Ty::Bool);
    let whole = store.globals[&holder];
    Lowering::new(theory, Env::default()).is_member(ty, whole, &of, value)
}

/// What has to be shown of an action that gives a permission, or writes a variable that holds some.
pub fn obligations(theory: &mut Theory, id: ActionId) -> Result<Vec<Obligation>> {
    let song = theory.song.clone();
    let Some(actions) = song.actions() else {
        return Ok(Vec::new());
    };
    let action = &actions.actions[id.index()];
    let types = concerned(actions, action);
    if types.is_empty() {
        return Ok(Vec::new());
    }
    let (mut known, mut store) = (Vec::new(), Store::default());
    for (at, global) in actions.globals.iter().enumerate() {
        let (value, valid) = theory.arbitrary(&global.name, &global.ty, global.span)?;
        known.push(valid);
        store.globals.insert(GlobalId::from(at), value);
    }
    let mut arguments = Vec::new();
    for row in &action.code.locals[..action.code.arity] {
        let (value, valid) = theory.arbitrary(&row.name, &row.ty, row.span)?;
        known.push(valid);
        arguments.push(value);
    }
    let layers = common_layers(actions, &[id]);
    let rows = &action.code.locals;
    for (at, local) in action.role.linear.iter().enumerate() {
        let ty = &rows[local.index()].ty;
        for other in &action.role.linear[..at] {
            if rows[other.index()].ty == *ty {
                let (a, b) = (arguments[local.index()], arguments[other.index()]);
                let same = theory.equal(ty, a, b);
                known.push(theory.terms.not(same));
            }
        }
        if let Some(holder) = holder(actions, ty, layers.clone()) {
            let free = is_free(theory, actions, &store, holder, arguments[local.index()])?;
            known.push(theory.terms.not(free));
        }
    }
    let (code, result) = (&action.code, action.role.result);
    let run = Gated::run(theory, code, result, &store, &arguments, None)?;
    known.push(run.gate(theory));
    known.push(run.guard);
    let mut all = Vec::new();
    for ty in types {
        let holder = holder(actions, &ty, layers.clone());
        let given = result
            .filter(|local| action.role.gives && is_of(action, *local, &ty))
            .and(run.result);
        let taken = action.role.taken.iter();
        let taken = taken.filter(|local| is_of(action, **local, &ty));
        let taken: Vec<Term> = taken.map(|local| arguments[local.index()]).collect();
        let stores = [&store, &run.after];
        let goal = kept(theory, actions, &ty, holder, stores, &taken, given)?;
        let told = format!("`{}` doubles no permission", action.name);
        let rule = "permission/action";
        all.push(obligation(rule, action.span, told, known.clone(), goal));
    }
    Ok(all)
}

/// The types of permissions that an action may move.
fn concerned(actions: &Actions, action: &Action) -> BTreeSet<Ty> {
    let written = Footprint::of(action).writes.into_iter();
    let written = written.map(|id| &actions.globals[id.index()]);
    let written = written.filter(|one| one.linear);
    let mut types: BTreeSet<Ty> = written
        .filter_map(|one| one.ty.element().cloned())
        .collect();
    let given = action.role.result.filter(|_| action.role.gives);
    types.extend(given.map(|local| action.code.locals[local.index()].ty.clone()));
    types
}

fn is_of(action: &Action, local: LocalId, ty: &Ty) -> bool {
    action.code.locals[local.index()].ty == *ty
}

/// Nothing is added to the variable but what was taken, and what is given was there and is not any more.
fn kept(
    theory: &mut Theory,
    actions: &Actions,
    ty: &Ty,
    holder: Option<GlobalId>,
    [before, after]: [&Store; 2],
    taken: &[Term],
    given: Option<Term>,
) -> Result {
    let was_taken = |theory: &mut Theory, value: Term| {
        let same = taken.iter().map(|one| theory.equal(ty, *one, value));
        let same: Vec<Term> = same.collect();
        theory.terms.or(&same)
    };
    let Some(holder) = holder else {
        return Ok(match given {
            Some(given) => was_taken(theory, given),
            None => theory.terms.bool(true),
        });
    };
    let span = actions.globals[holder.index()].span;
    let (one, valid) = theory.arbitrary("permission", ty, span)?;
    let is_in = is_free(theory, actions, after, holder, one)?;
    let was_in = is_free(theory, actions, before, holder, one)?;
    let of_caller = was_taken(theory, one);
    let was_in = theory.terms.or(&[was_in, of_caller]);
    let mut parts = vec![theory.terms.implies(is_in, was_in)];
    if let Some(given) = given {
        let was_in = is_free(theory, actions, before, holder, given)?;
        let of_caller = was_taken(theory, given);
        parts.push(theory.terms.or(&[was_in, of_caller]));
        let still = is_free(theory, actions, after, holder, given)?;
        parts.push(theory.terms.not(still));
    }
    let goal = theory.terms.and(&parts);
    Ok(theory.terms.implies(valid, goal))
}
