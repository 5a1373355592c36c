//! An action that does not refine the one above it, seen in a small state.

use super::{Brute, Scene, dones, failure, scenes};
use crate::answer::Refutation;
use crate::cut::is_cut;
use crate::movers::{Condition, Need};
use plainsong_ir::{ActionId, GlobalId};
use plainsong_semantics::atomic::{Atoms, Done};
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;

impl Brute {
    /// A small state in which `lower` does what `upper` may not do, as far as `seen` tells.
    pub(crate) fn unrefined(
        &self,
        lower: ActionId,
        upper: ActionId,
        seen: &[GlobalId],
    ) -> Option<Refutation> {
        let need = Need {
            condition: Condition::Nonblocking,
            first: lower,
            second: upper,
        };
        self.atoms().iter().find_map(|(_, atoms)| {
            let song = atoms.instance().song().clone();
            let actions = song.actions()?;
            if [lower, upper]
                .iter()
                .any(|id| is_cut(&song, &actions.actions[id.index()]))
            {
                return None;
            }
            let all = scenes(atoms, actions, &need, self.most)?;
            all.into_iter()
                .find_map(|scene| wrong(atoms, &need, &scene, seen))
        })
    }
}

/// Both with the arguments of the first.
fn wrong(atoms: &Atoms, need: &Need, scene: &Scene, seen: &[GlobalId]) -> Option<Refutation> {
    let (below, above) = (
        atoms.run(need.first, &scene.globals, &scene.first),
        atoms.run(need.second, &scene.globals, &scene.first),
    );
    if failure(&above)?.is_some() {
        return None;
    }
    let song = atoms.instance().song();
    let actions = song.actions()?;
    let names = [need.first, need.second].map(|id| &actions.actions[id.index()].name);
    let told = |values: &[Value]| {
        let rows = seen.iter().map(|id| {
            let row = &actions.globals[id.index()];
            let value = show(atoms.instance(), &values[id.index()], &row.ty);
            format!("{} = {value}", row.name)
        });
        rows.collect::<Vec<_>>().join(", ")
    };
    let before = told(&scene.globals);
    if let Some(why) = failure(&below)? {
        let reason = format!(
            "`{}` fails where `{}` does not, with {before}: {why}",
            names[0], names[1]
        );
        return Some(Refutation {
            reason,
            picture: Vec::new(),
        });
    }
    let same = |a: &Done, b: &Done| {
        let mut seen = seen.iter();
        a.result == b.result && seen.all(|id| a.globals[id.index()] == b.globals[id.index()])
    };
    let (below, above) = (dones(&below)?, dones(&above)?);
    let done = below
        .iter()
        .find(|low| !above.iter().any(|high| same(low, high)))?;
    let result = |done: &Done| match &done.result {
        Some(value) => {
            let action = &actions.actions[need.first.index()];
            let local = action
                .role
                .result
                .map(|local| &action.code.locals[local.index()].ty);
            local.map_or(String::new(), |ty| {
                format!(" -> {}", show(atoms.instance(), value, ty))
            })
        }
        None => String::new(),
    };
    let mut picture = vec![
        format!("before:  {before}"),
        format!("`{}`:  {}{}", names[0], told(&done.globals), result(done)),
    ];
    let ways = above.iter().take(4);
    picture.extend(
        ways.map(|high| format!("`{}`:  {}{}", names[1], told(&high.globals), result(high))),
    );
    if above.is_empty() {
        picture.push(format!("`{}` blocks", names[1]));
    }
    Some(Refutation {
        reason: format!(
            "from {before}, `{}` leads to {}, `{}` does not",
            names[0],
            told(&done.globals),
            names[1]
        ),
        picture,
    })
}
