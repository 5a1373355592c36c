//! Whatever the solver shows of a mover, no small state refutes.
//!
//! The two sides share nothing but the list of conditions: the solver sees normal forms as terms, the
//! brute force runs the actions in the interpreter. Conditions that the engine leaves out, because the
//! actions touch different variables, are tried here all the same.
//!
//! `PLAINSONG_SYSTEMS` and `PLAINSONG_SEED` say how many systems, and from where on.

use crate::programs::Dice;
use plainsong_ir::{ActionId, Song};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::{Answer, Prover};
use plainsong_refine::brute::Brute;
use plainsong_refine::movers::{Condition, Need, Side, coexist, moves};
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

#[test]
fn what_is_shown_of_random_movers_no_state_refutes() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_SYSTEMS", 12), number("PLAINSONG_SEED", 0));
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let (mut proved, mut refuted, mut open) = (0, 0, 0);
    for seed in first..first + count {
        let text = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1).system();
        let compiled = plainsong_syntax::compile(&text);
        let song = Arc::new(compiled.song.unwrap_or_else(|| panic!("{text}")));
        let (brute, nothing) = (Brute::new(&song, 2, 4_000), Brute::new(&song, 1, 0));
        let mut theory = Theory::new(song.clone());
        let cancel = Cancel::default();
        let mut prover = Prover {
            theory: &mut theory,
            solvers: &solvers,
            cancel: &cancel,
            seed: 0,
            second: None,
        };
        for action in (0..3).map(ActionId::from) {
            for side in [Side::Left, Side::Right] {
                let shown = moves(&song, action, side, &nothing, &mut prover);
                let shown = matches!(shown, Answer::Proved(_));
                let mut every = every_need(&song, action, side).into_iter();
                match (shown, every.find_map(|need| brute.refutes(&need))) {
                    (true, Some(why)) => panic!(
                        "seed {seed}: {} is shown to move {}, but {}\n{text}",
                        action.index(),
                        side.name(),
                        why.reason
                    ),
                    (true, None) => proved += 1,
                    (false, Some(_)) => refuted += 1,
                    (false, None) => open += 1,
                }
            }
        }
    }
    let summary = format!("{proved} proved, {refuted} refuted, {open} open");
    assert!(proved >= count / 4, "{summary}");
    assert!(refuted >= count, "{summary}");
    assert!(open <= 2 * count, "{summary}");
}

/// Every condition of the rule, also those that cannot fail because of what the actions touch.
pub(crate) fn every_need(song: &Song, action: ActionId, side: Side) -> Vec<Need> {
    let alone = match side {
        Side::Left => Condition::Nonblocking,
        Side::Right => Condition::AsyncFree,
    };
    let need = |condition, first, second| Need {
        condition,
        first,
        second,
    };
    let mut all = vec![need(alone, action, action)];
    let actions = song.actions().expect("there are actions");
    let others = (0..actions.actions.len()).map(ActionId::from);
    for other in others.filter(|other| coexist(actions, action, *other)) {
        let (first, second) = match side {
            Side::Left => (other, action),
            Side::Right => (action, other),
        };
        all.push(need(Condition::Gate, first, second));
        all.push(need(Condition::Commutes, first, second));
        if side == Side::Left {
            all.push(need(Condition::Failure, first, second));
        }
    }
    all
}
