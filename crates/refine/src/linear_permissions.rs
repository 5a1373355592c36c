//! Linear permissions: nobody else has what a variable holds, and actions do not duplicate it.
//!
//! Statement. A `linear` variable holds permissions, and a `linear` value is some (`parts`): itself, or all variants of the
//! enum that splits its type. After an action, every permission that is in a variable, in a parameter that its caller
//! keeps (`linear`) or gets (`give`), in its result, or in an argument of an async that it leaves behind was in the variable or in
//! a parameter before; and no permission is in two of these places.
//!
//! Why sound. Induction over steps: the permissions of all threads, of all pending asyncs and of the variable are
//! different. Calls and threads move permissions about, which the type checker follows. A step changes what the variable
//! has and what the thread that acts has; what both and its asyncs have afterwards they had before, each at one
//! place, so it is still different from what others have. So wherever two threads are about to act, or a thread
//! has just yielded, that all of them differ may be relied on.
//!
//! Source. [Kragl20] section 3.5. DIFFERS. Collectors are not functions: a value is itself or its variants, a variable
//! is the set of its elements or of one variant of each.
//! NOT COVERED. A set of permissions as a parameter.

use crate::answer::obligation;
use crate::layer_program::height;
use crate::read_write_sets::Footprint;
use crate::sequential::context::arbitrary;
use plainsong_ir::permission::{permission_ty, split_by, variants_held};
use plainsong_ir::{Action, ActionId, Actions, GlobalId, LocalId, Song, Ty};
use plainsong_prove::gated_actions::{Created, Gated};
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A permission: its type, which is not split any more, and its value.
pub type Permission = (Ty, Term);

/// The permissions that a value is.
pub fn parts(theory: &mut Theory, ty: &Ty, value: Term) -> Result<Vec<Permission>> {
    let song = theory.song.clone();
    let Some(id) = split_by(&song.enums, ty) else {
        return Ok(vec![(ty.clone(), value)]);
    };
    let (decl, whole) = (&song.enums[id.index()], Ty::Enum(id));
    let sort = theory.sort_of_type(&whole, decl.span)?;
    let parts = (0..decl.variants.len()).map(|at| {
        let part = theory.terms.make(sort, at as u32, &[value]);
        (whole.clone(), part)
    });
    Ok(parts.collect())
}

/// That of two lists of permissions none is in both.
pub fn apart(theory: &mut Theory, some: &[Permission], others: &[Permission]) -> Term {
    let mut all = Vec::new();
    for (ty, a) in some {
        for (_, b) in others.iter().filter(|(other, _)| other == ty) {
            let same = theory.equal(ty, *a, *b);
            all.push(theory.terms.not(same));
        }
    }
    theory.terms.and(&all)
}

/// That no variable of some layers holds one of these permissions.
pub fn not_in_variables(
    theory: &mut Theory,
    layers: &RangeInclusive<u32>,
    store: &Store,
    all: &[Permission],
) -> Result {
    let song = theory.song.clone();
    let mut known = Vec::new();
    if let Some(actions) = song.actions() {
        for (ty, value) in all {
            if let Some(holder) = holder(&song, actions, ty, layers) {
                let free = is_free(theory, actions, store, holder, *value)?;
                known.push(theory.terms.not(free));
            }
        }
    }
    Ok(theory.terms.and(&known))
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

/// The variable that holds permissions of a type at all of some layers.
pub fn holder(
    song: &Song,
    actions: &Actions,
    of: &Ty,
    layers: &RangeInclusive<u32>,
) -> Option<GlobalId> {
    let at = actions.globals.iter().position(|one| {
        let element = one.ty.element();
        one.linear && element.is_some_and(|element| permission_ty(&song.enums, element) == *of)
    })?;
    let exists = |layer| actions.globals[at].exists_at(layer);
    layers.clone().all(exists).then(|| GlobalId::from(at))
}

/// Is a permission in the variable that holds those of its type?
fn is_free(
    theory: &mut Theory,
    actions: &Actions,
    store: &Store,
    holder: GlobalId,
    value: Term,
) -> Result {
    let song = theory.song.clone();
    let global = &actions.globals[holder.index()];
    let of = global.ty.element().cloned().unwrap_or(Ty::Bool);
    let whole = store.globals[&holder];
    let is_member = |theory: &mut Theory, element: Term| {
        Lowering::new(theory, Env::default()).is_member(&global.ty, whole, &of, element)
    };
    let Some(variants) = variants_held(&song.enums, global) else {
        return is_member(theory, value);
    };
    let mut any = Vec::new();
    for variant in variants {
        let is_this = theory.terms.is(value, variant as u32);
        let inside = theory.terms.get(value, variant as u32, 0);
        let inside = is_member(theory, inside)?;
        any.push(theory.terms.and(&[is_this, inside]));
    }
    Ok(theory.terms.or(&any))
}

/// What has to be shown of an action that moves permissions.
pub fn obligations(theory: &mut Theory, id: ActionId) -> Result<Vec<Obligation>> {
    let song = theory.song.clone();
    let Some(actions) = song.actions() else {
        return Ok(Vec::new());
    };
    let action = &actions.actions[id.index()];
    let (store, arguments, mut known) = arbitrary(theory, &action.code)?;
    let (code, result) = (&action.code, action.role.result);
    let run = Gated::run(theory, code, result, &store, &arguments, None)?;
    let moving = PermissionTransfer {
        actions,
        action,
        layers: common_layers(actions, &[id]),
        arguments,
    };
    let types = moving.concerned(theory, &run.created);
    if types.is_empty() {
        return Ok(Vec::new());
    }
    known.extend(moving.different(theory, &store)?);
    known.push(run.gate(theory));
    known.push(run.guard);
    let mut all = Vec::new();
    for ty in types {
        let goal = moving.kept(theory, &ty, &store, &run)?;
        let told = format!("`{}` doubles no permission", action.name);
        let rule = "permission/action";
        all.push(obligation(rule, action.span, told, known.clone(), goal));
    }
    Ok(all)
}

/// An action about to run, and where permissions are.
struct PermissionTransfer<'s> {
    actions: &'s Actions,
    action: &'s Action,
    layers: RangeInclusive<u32>,
    arguments: Vec<Term>,
}

impl PermissionTransfer<'_> {
    /// The types of permissions that the action may move.
    fn concerned(&self, theory: &Theory, created: &[Created]) -> BTreeSet<Ty> {
        let enums = &theory.song.enums;
        let (rows, role) = (&self.action.code.locals, &self.action.role);
        let written = Footprint::of(self.action).writes.into_iter();
        let written = written.map(|id| &self.actions.globals[id.index()]);
        let written = written.filter(|one| one.linear);
        let mut types: Vec<&Ty> = written.filter_map(|one| one.ty.element()).collect();
        let given = role.result.iter().filter(|_| role.gives);
        let given = given.chain(&role.given);
        types.extend(given.map(|local| &rows[local.index()].ty));
        for one in created {
            let started = &self.actions.actions[one.action.index()];
            let linear = started.role.linear.iter();
            types.extend(linear.map(|local| &started.code.locals[local.index()].ty));
        }
        let types = types.into_iter().map(|ty| permission_ty(enums, ty));
        types.collect()
    }

    /// The permissions of one parameter.
    fn of(&self, theory: &mut Theory, local: LocalId) -> Result<Vec<Permission>> {
        let ty = &self.action.code.locals[local.index()].ty;
        parts(theory, ty, self.arguments[local.index()])
    }

    /// What the caller has and what variables have is different.
    fn different(&self, theory: &mut Theory, store: &Store) -> Result<Vec<Term>> {
        let (mut known, mut seen) = (Vec::new(), Vec::new());
        for local in &self.action.role.linear {
            let own = self.of(theory, *local)?;
            known.push(apart(theory, &own, &seen));
            known.push(not_in_variables(theory, &self.layers, store, &own)?);
            seen.extend(own);
        }
        Ok(known)
    }

    /// Every permission of a type is at one place at most, and was at one before.
    fn kept(&self, theory: &mut Theory, ty: &Ty, before: &Store, run: &Gated) -> Result {
        let (one, valid) = theory.arbitrary("permission", ty, self.action.span)?;
        let holder = holder(&theory.song, self.actions, ty, &self.layers);
        let (mut was, mut places) = (Vec::new(), Vec::new());
        if let Some(holder) = holder {
            was.push(is_free(theory, self.actions, before, holder, one)?);
            places.push(is_free(theory, self.actions, &run.after, holder, one)?);
        }
        let role = &self.action.role;
        for local in &role.linear {
            let own = self.of(theory, *local)?;
            let here = is_among(theory, ty, one, &own);
            was.push(here);
            if !role.taken.contains(local) {
                places.push(here);
            }
        }
        for local in &role.given {
            let own = self.of(theory, *local)?;
            places.push(is_among(theory, ty, one, &own));
        }
        if let (true, Some(local), Some(value)) = (role.gives, role.result, run.result) {
            let of = &self.action.code.locals[local.index()].ty;
            let own = parts(theory, of, value)?;
            places.push(is_among(theory, ty, one, &own));
        }
        let mut goals = Vec::new();
        for created in &run.created {
            let (some, other) = (self.other(theory, created), self.other(theory, created));
            let own = self.handed_on(theory, ty, one, &some)?;
            let again = self.handed_on(theory, ty, one, &other)?;
            // Of one place in the text, two rounds leave two asyncs behind.
            let members = some.each.iter().zip(&other.each);
            let alike: Vec<Term> = members.map(|(a, b)| theory.terms.eq(*a, *b)).collect();
            let alike = theory.terms.and(&alike);
            for (at, a) in own.iter().enumerate() {
                for (b_at, b) in again.iter().enumerate() {
                    let both = theory.terms.and(&[*a, *b]);
                    let only = if at == b_at {
                        alike
                    } else {
                        theory.terms.bool(false)
                    };
                    goals.push(theory.terms.implies(both, only));
                }
            }
            let any = theory.terms.or(&own);
            places.push(any);
        }
        let was = theory.terms.or(&was);
        for (at, here) in places.iter().enumerate() {
            goals.push(theory.terms.implies(*here, was));
            for there in &places[..at] {
                let both = theory.terms.and(&[*here, *there]);
                goals.push(theory.terms.not(both));
            }
        }
        let goal = theory.terms.and(&goals);
        Ok(theory.terms.implies(valid, goal))
    }

    /// An async that is created in some round, with names of its own for the members of the loops around it.
    fn other(&self, theory: &mut Theory, created: &Created) -> Created {
        let mut by = FxHashMap::default();
        let mut each = Vec::new();
        for member in &created.each {
            let sort = theory.terms.sort(*member);
            let fresh = theory.terms.fresh("round", sort);
            by.insert(*member, fresh);
            each.push(fresh);
        }
        let arguments = created.arguments.iter();
        let arguments = arguments.map(|one| theory.terms.replace(*one, &by));
        let arguments: Vec<Term> = arguments.collect();
        Created {
            condition: theory.terms.replace(created.condition, &by),
            action: created.action,
            arguments,
            each,
        }
    }

    /// Is a permission handed on to an async? Parameter by parameter.
    fn handed_on(
        &self,
        theory: &mut Theory,
        ty: &Ty,
        one: Term,
        created: &Created,
    ) -> Result<Vec<Term>> {
        let started = &self.actions.actions[created.action.index()];
        let mut all = Vec::new();
        for local in &started.role.linear {
            let of = &started.code.locals[local.index()].ty;
            let own = parts(theory, of, created.arguments[local.index()])?;
            let here = is_among(theory, ty, one, &own);
            all.push(theory.terms.and(&[created.condition, here]));
        }
        Ok(all)
    }
}

/// Is a permission of a type one of these?
fn is_among(theory: &mut Theory, ty: &Ty, one: Term, all: &[Permission]) -> Term {
    let alike = all.iter().filter(|(other, _)| other == ty);
    let alike: Vec<Term> = alike
        .map(|(_, value)| theory.equal(ty, *value, one))
        .collect();
    theory.terms.or(&alike)
}
