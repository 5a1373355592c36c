//! Two threads about to act: a state, and arguments for both.

use super::{Condition, Context, Need};
use crate::linear_permissions::{apart, common_layers, not_in_variables, parts};
use plainsong_ir::{Action, ActionId, GlobalId, Song};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::Store;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::sync::Arc;

/// A state, the arguments of two actions of different threads, and what is known about them.
pub(super) struct Setting {
    song: Arc<Song>,
    pub(super) store: Store,
    pub(super) known: Vec<Term>,
    pub(super) arguments: [Vec<Term>; 2],
    ids: [ActionId; 2],
}

impl Setting {
    pub(super) fn new(theory: &mut Theory, need: &Need, context: &dyn Context) -> Result<Setting> {
        let (first, second) = (need.first, need.second);
        let alone = matches!(
            need.condition,
            Condition::Nonblocking | Condition::AsyncFree
        );
        let song = theory.song.clone();
        let mut known = Vec::new();
        let mut store = Store::default();
        let ids = [first, second];
        for (at, global) in globals(&song).iter().enumerate() {
            let id = GlobalId::from(at);
            let (value, valid) = theory.arbitrary(&global.name, &global.ty, global.span)?;
            known.push(valid);
            store.globals.insert(id, value);
        }
        let mut arguments = [Vec::new(), Vec::new()];
        for (which, id) in ids.into_iter().enumerate() {
            let code = &action(&song, id).code;
            for row in &code.locals[..code.arity] {
                let (value, valid) = theory.arbitrary(&row.name, &row.ty, row.span)?;
                known.push(valid);
                arguments[which].push(value);
            }
        }
        let mut setting = Setting {
            song,
            store,
            known,
            arguments,
            ids,
        };
        let [one, two] = &setting.arguments;
        let more = match alone {
            true => context.alone(theory, &setting.store, (second, two))?,
            false => context.known(theory, &setting.store, [(first, one), (second, two)])?,
        };
        if !alone {
            setting.disjoint(theory)?;
        }
        setting.known.extend(more);
        Ok(setting)
    }

    /// No two permissions of one type are the same, and a variable that holds some has none of them.
    fn disjoint(&mut self, theory: &mut Theory) -> Result<()> {
        let song = self.song.clone();
        let actions = song.actions().expect("a mover is an action");
        let layers = common_layers(actions, &self.ids);
        let mut held = Vec::new();
        for (which, id) in self.ids.into_iter().enumerate() {
            let action = action(&song, id);
            for local in &action.role.linear {
                let ty = &action.code.locals[local.index()].ty;
                let own = parts(theory, ty, self.arguments[which][local.index()])?;
                self.known.push(apart(theory, &own, &held));
                let free = not_in_variables(theory, &layers, &self.store, &own)?;
                self.known.push(free);
                held.extend(own);
            }
        }
        Ok(())
    }

    pub(super) fn action(&self, which: usize) -> &Action {
        action(&self.song, self.ids[which])
    }

    /// Runs the first (0) or the second (1) from a store.
    pub(super) fn run(
        &self,
        theory: &mut Theory,
        which: usize,
        before: &Store,
        given: Option<&[Term]>,
    ) -> Result<Gated> {
        let action = self.action(which);
        let (code, result) = (&action.code, action.role.result);
        Gated::run(theory, code, result, before, &self.arguments[which], given)
    }
}

fn globals(song: &Song) -> &[plainsong_ir::Global] {
    song.actions().map_or(&[], |actions| &actions.globals)
}

fn action(song: &Song, id: ActionId) -> &Action {
    let actions = song.actions().expect("a mover is an action");
    &actions.actions[id.index()]
}
