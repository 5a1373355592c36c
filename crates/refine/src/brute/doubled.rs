//! An action that doubles a permission, or makes one, seen in a small state.

use super::held::{Permission, of_variable, parts};
use super::{Brute, combinations, passes};
use crate::cut::is_cut;
use crate::linear_permissions::{common_layers, holder};
use plainsong_ir::{Action, ActionId, Actions, LocalId, Song, Ty};
use plainsong_semantics::atomic::{Atoms, Done};
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;

/// A permission, and where it is.
type Placed = (Permission, String);

impl Brute {
    /// A small state from which an action takes a permission to two places, or to one when it was at none; in words.
    pub fn doubles(&self, id: ActionId) -> Option<String> {
        self.atoms().iter().find_map(|(_, atoms)| {
            let song = atoms.instance().song().clone();
            let actions = song.actions()?;
            let looking = DoubledCheck {
                song: &song,
                actions,
                action: &actions.actions[id.index()],
                id,
                atoms,
            };
            if is_cut(&song, looking.action) {
                return None;
            }
            looking.doubled(self.most)
        })
    }
}

struct DoubledCheck<'s> {
    song: &'s Song,
    actions: &'s Actions,
    action: &'s Action,
    id: ActionId,
    atoms: &'s Atoms,
}

impl DoubledCheck<'_> {
    fn doubled(&self, most: usize) -> Option<String> {
        let (instance, code) = (self.atoms.instance(), &self.action.code);
        let globals = self.actions.globals.iter().map(|one| &one.ty);
        let arguments = code.locals[..code.arity].iter().map(|row| &row.ty);
        let domains = globals.chain(arguments);
        let domains: Result<Vec<_>, _> = domains.map(|ty| instance.candidates(ty)).collect();
        let count = self.actions.globals.len();
        combinations(&domains.ok()?, most)
            .iter()
            .find_map(|values| {
                let (globals, arguments) = values.split_at(count);
                self.wrong_from(globals, arguments)
            })
    }

    fn wrong_from(&self, globals: &[Value], arguments: &[Value]) -> Option<String> {
        let before = self.before(globals, arguments);
        if twice(&before).is_some() {
            return None;
        }
        let effects = self.atoms.run(self.id, globals, arguments);
        passes(&effects)?.iter().find_map(|done| {
            let after = self.after(done, arguments);
            let ((ty, one), places) = twice(&after).or_else(|| added(&before, &after))?;
            let one = show(self.atoms.instance(), &one, &ty);
            let from = self.told(globals, arguments);
            Some(format!("with {from}, `{one}` is {places} afterwards"))
        })
    }

    /// Where permissions are before it.
    fn before(&self, globals: &[Value], arguments: &[Value]) -> Vec<Placed> {
        let mut all = self.in_variables(globals);
        for local in &self.action.role.linear {
            all.extend(self.of_parameter(*local, arguments));
        }
        all
    }

    /// Where they are behind it.
    fn after(&self, done: &Done, arguments: &[Value]) -> Vec<Placed> {
        let (mut all, role) = (self.in_variables(&done.globals), &self.action.role);
        let kept = role.linear.iter().filter(|one| !role.taken.contains(one));
        for local in kept.chain(&role.given) {
            all.extend(self.of_parameter(*local, arguments));
        }
        if let (true, Some(local), Some(value)) = (role.gives, role.result, &done.result) {
            let ty = &self.action.code.locals[local.index()].ty;
            all.extend(self.placed(ty, value, "in its result"));
        }
        for (id, values) in &done.created {
            let started = &self.actions.actions[id.index()];
            for local in &started.role.linear {
                let row = &started.code.locals[local.index()];
                let place = format!("in `{}` of an async `{}`", row.name, started.name);
                all.extend(self.placed(&row.ty, &values[local.index()], &place));
            }
        }
        all
    }

    fn in_variables(&self, globals: &[Value]) -> Vec<Placed> {
        let layers = common_layers(self.actions, &[self.id]);
        let mut all = Vec::new();
        for (global, value) in self.actions.globals.iter().zip(globals) {
            let held = of_variable(&self.song.enums, global, value).into_iter();
            let held = held.filter(|(ty, _)| {
                let holder = holder(self.song, self.actions, ty, &layers);
                holder.is_some_and(|id| self.actions.globals[id.index()].name == global.name)
            });
            all.extend(held.map(|one| (one, format!("in `{}`", global.name))));
        }
        all
    }

    fn of_parameter(&self, local: LocalId, arguments: &[Value]) -> Vec<Placed> {
        let row = &self.action.code.locals[local.index()];
        let place = format!("in `{}` of its caller", row.name);
        self.placed(&row.ty, &arguments[local.index()], &place)
    }

    fn placed(&self, ty: &Ty, value: &Value, place: &str) -> Vec<Placed> {
        let parts = parts(&self.song.enums, ty, value).into_iter();
        parts.map(|one| (one, place.to_owned())).collect()
    }

    /// The arguments, and the variables that hold permissions.
    fn told(&self, globals: &[Value], arguments: &[Value]) -> String {
        let instance = self.atoms.instance();
        let rows = self.action.code.locals.iter().zip(arguments);
        let arguments = rows.map(|(row, value)| (&row.name, value, &row.ty));
        let rows = self.actions.globals.iter().zip(globals);
        let globals = rows.filter(|(row, _)| row.linear);
        let globals = globals.map(|(row, value)| (&row.name, value, &row.ty));
        let told = arguments.chain(globals);
        let told = told.map(|(name, value, ty)| format!("{name} = {}", show(instance, value, ty)));
        told.collect::<Vec<_>>().join(", ")
    }
}

/// A permission that is at two places, and which.
fn twice(all: &[Placed]) -> Option<(Permission, String)> {
    let mut pairs = all.iter().enumerate();
    pairs.find_map(|(at, (one, here))| {
        let (_, there) = all[..at].iter().find(|(other, _)| other == one)?;
        let places = match here == there {
            true => format!("twice {here}"),
            false => format!("{there} and {here}"),
        };
        Some((one.clone(), places))
    })
}

/// A permission that was nowhere before, and where it is now.
fn added(before: &[Placed], after: &[Placed]) -> Option<(Permission, String)> {
    let new = |(one, _): &&Placed| !before.iter().any(|(other, _)| other == one);
    let (one, here) = after.iter().find(new)?;
    Some((one.clone(), format!("{here} and was nowhere before")))
}
