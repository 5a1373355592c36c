//! Witnesses that the song names: `commute A(x) choosing v then B(y) with v = e;`.
//!
//! Statement. If `A` and then `B` chose so, then in the order `B`, `A` they choose what the expressions say, and what
//! they chose where nothing is said.
//!
//! Why sound. A witness is a guess: whether it leads to the same state without blocking is what the obligations ask.

use super::Need;
use super::setting::Setting;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Action, Choice, Commute, LocalId, Stmt, StmtKind};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Env, Lowering};
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

/// Those that are said about a pair.
pub(super) fn named(theory: &Theory, need: &Need) -> Vec<Commute> {
    let commutes = theory.song.actions().map_or(&[][..], |one| &one.commutes);
    let fits = |one: &&Commute| (one.first, one.second) == (need.first, need.second);
    commutes.iter().filter(fits).cloned().collect()
}

/// The choices of the swapped order.
pub(super) fn instead(
    theory: &mut Theory,
    setting: &Setting,
    runs: [&Gated; 2],
    commute: &Commute,
) -> Result<[Vec<Term>; 2]> {
    let mut doings = runs.map(|run| run.doings(theory));
    let mut env = Env {
        store: setting.store.clone(),
        ..Env::default()
    };
    // Which name stands for which choice of which action.
    let mut places: Vec<Option<(usize, usize)>> = Vec::new();
    for (which, run) in runs.iter().enumerate() {
        for value in &setting.arguments[which] {
            env.locals.insert(LocalId::from(places.len()), *value);
            places.push(None);
        }
        let chosen = picks(setting.action(which)).into_iter();
        for (at, _) in chosen.take(commute.named[2 * which + 1]) {
            env.locals
                .insert(LocalId::from(places.len()), run.choices[at]);
            places.push(Some((which, at)));
        }
    }
    for (local, value) in &commute.with {
        if let Some(Some((which, at))) = places.get(local.index()) {
            let mut lowering = Lowering::new(theory, env.clone());
            doings[*which][*at] = lowering.expr(value)?;
        }
    }
    Ok(doings)
}

/// Among all choices of an action, `maybe` included, the positions of those with a name, and the names.
pub(crate) fn picks(action: &Action) -> Vec<(usize, LocalId)> {
    let mut picks = Picks::default();
    picks.block(&action.code.body);
    picks.named
}

#[derive(Default)]
struct Picks {
    all: usize,
    named: Vec<(usize, LocalId)>,
}

impl Visit for Picks {
    fn stmt(&mut self, stmt: &Stmt) {
        if matches!(stmt.kind, StmtKind::Maybe(..)) {
            self.all += 1;
        }
        walk::stmt(self, stmt);
    }

    fn choice(&mut self, choice: &Choice) {
        self.named.push((self.all, choice.local));
        self.all += 1;
        walk::choice(self, choice);
    }
}
