//! A path through representatives, told in one naming.
//!
//! The store knows that the state `r[k+1]` was found from `r[k]`: some step leads from `r[k]` to a state `s[k]`
//! which a renaming `p[k]` turns into `r[k+1]`. In one naming, the path to `r[n]` is
//! `a[n] = r[n]`, and `a[k]` is `r[k]` renamed by `p[k]`, `p[k+1]` and so on: the same renaming turns `s[k]`
//! into `a[k+1]`, so each step of it is one of the interpreter's, because renaming keeps steps; and `a[0]` is
//! initial because `r[0]` is.

use super::Swaps;
use crate::coding::Coding;
use plainsong_ir::Song;
use plainsong_semantics::action_state::ActionState;
use plainsong_semantics::machine::{Config, Machine, Outcome};
use plainsong_semantics::rename::Renaming;

/// The start, and the numbers of the steps that lead along `way`, whose last state stays as it is.
pub(crate) fn path(
    machine: &Machine,
    coding: &Coding,
    swaps: &Swaps,
    way: &[&[u64]],
) -> (Config, Vec<usize>) {
    let song = machine.instance().song();
    let (mut coding, mut swaps) = (coding.clone(), swaps.clone());
    let mut between = Vec::new();
    for pair in way.windows(2) {
        between.push(renaming(machine, &mut coding, &mut swaps, song, pair));
    }
    let mut onward = Renaming::default();
    let mut told = Vec::new();
    for (at, words) in way.iter().enumerate().rev() {
        told.push(onward.state(song, &coding.state(words)).config());
        if let Some(before) = at.checked_sub(1) {
            onward = between[before].then(&onward);
        }
    }
    told.reverse();
    let steps = told.windows(2).map(|pair| {
        let leads_there =
            |step: &Outcome| matches!(step, Outcome::Next(after) if *after == pair[1]);
        let steps = machine.steps(&pair[0]);
        let step = steps.iter().position(|step| leads_there(&step.outcome));
        step.expect("a renamed step is a step")
    });
    let steps = steps.collect();
    (told.swap_remove(0), steps)
}

/// The renaming that turns a successor of the first state into the second.
fn renaming(
    machine: &Machine,
    coding: &mut Coding,
    swaps: &mut Swaps,
    song: &Song,
    pair: &[&[u64]],
) -> Renaming {
    let mut words = Vec::new();
    for step in machine.steps(&coding.state(pair[0]).config()) {
        let Outcome::Next(after) = step.outcome else {
            continue;
        };
        words.clear();
        let mut renaming = Renaming::default();
        let written = coding.words(&ActionState::of(&after), &mut words);
        let replaced =
            written.and_then(|()| swaps.replace(&mut words, coding, song, Some(&mut renaming)));
        if replaced.is_ok() && words == pair[1] {
            return renaming;
        }
    }
    panic!("a state is found by a step of the interpreter");
}
