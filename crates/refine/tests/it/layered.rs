//! Whatever is proved of a layered program, its layers show when they are run.
//!
//! Random programs in two layers are proved without any help of the interpreter; then, for each that is
//! proved, every schedule of every layer is run at sizes 1 to 3, switching threads anywhere: the lower
//! program fails nowhere the upper one cannot, and ends only as that may.
//!
//! `PLAINSONG_LAYERED` and `PLAINSONG_SEED` say how many programs, and from where on.

use crate::programs::Dice;
use plainsong_ir::{ActionId, Actions, Mover, ProcedureId, Song, System};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::{Answer, Prover};
use plainsong_refine::atomicity::movers_used;
use plainsong_refine::brute::Brute;
use plainsong_refine::compare::{Compared, compare};
use plainsong_refine::layer_program::height;
use plainsong_refine::movers::{Side, needs};
use plainsong_refine::refine::Refining;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most states of a layer that is run.
const STATES: usize = 30_000;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) proved: u64,
    pub(crate) moving: u64,
    by_movers: u64,
    pub(crate) too_large: u64,
    open: u64,
    pub(crate) different: u64,
}

#[test]
#[expect(
    clippy::print_stderr,
    reason = "how many were proved is part of the result"
)]
fn what_is_proved_of_random_layered_programs_no_run_refutes() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_LAYERED", 16), number("PLAINSONG_SEED", 0));
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 7);
        let (text, mut song) = written(&mut dice);
        if seed % 4 != 0 {
            infer(&mut song);
        }
        one(seed, &text, &Arc::new(song), &solvers, &mut counts);
    }
    let Counts {
        proved,
        by_movers,
        too_large,
        open,
        different,
        ..
    } = counts;
    let summary = format!(
        "{proved} proved ({by_movers} with declared or inferred movers, {too_large} too large to run \
         completely), {different} not proved and different when run, {open} not proved"
    );
    eprintln!("{summary}");
    assert!(proved >= count / 8, "{summary}");
    assert!(different >= count / 20, "{summary}");
    assert!(too_large * 5 <= count, "{summary}");
}

/// The first program that is well formed; some name what is not there.
fn written(dice: &mut Dice) -> (String, Song) {
    for _ in 0..10 {
        let text = dice.layered();
        if let Some(song) = plainsong_syntax::compile(&text).song {
            return (text, song);
        }
    }
    panic!("no program in ten is well formed");
}

/// Proves a program, and runs it.
pub(crate) fn one(seed: u64, text: &str, song: &Arc<Song>, solvers: &Solvers, counts: &mut Counts) {
    let actions = song.actions().expect("there are actions");
    let mut theory = Theory::new(song.clone());
    let cancel = Cancel::default();
    let mut prover = Prover {
        theory: &mut theory,
        solvers,
        cancel: &cancel,
        seed: 0,
        second: None,
    };
    let mut refining = Refining::by_proof_alone(song);
    let proved = (0..actions.procedures.len()).all(|at| {
        let answer = refining.procedure(ProcedureId::from(at), &mut prover);
        matches!(answer, Answer::Proved(_))
    });
    let mut complete = true;
    for layer in 1..=height(actions) {
        match compare(song, layer, if proved { 3 } else { 2 }, STATES) {
            Compared::Differs(why) if proved => {
                panic!("seed {seed}: proved, but {}\n{text}", why.reason)
            }
            Compared::Differs(_) => {
                counts.different += 1;
                return;
            }
            Compared::GaveUp => complete = false,
            Compared::Included => {}
        }
    }
    match proved {
        true => counts.proved += 1,
        false => counts.open += 1,
    }
    let moving = |mover: Option<Mover>| mover.is_some_and(|mover| mover != Mover::Atomic);
    let moved = actions.actions.iter().any(|one| moving(one.role.mover));
    counts.by_movers += u64::from(proved && moved);
    let moving = actions.procedures.iter().any(|one| one.mover.is_some());
    counts.moving += u64::from(proved && moving);
    counts.too_large += u64::from(proved && !complete);
}

/// Lets every action move as far as small states allow; whether it does is still to be proved.
fn infer(song: &mut Song) {
    let shared = Arc::new(song.clone());
    let brute = Brute::new(&shared, 2, 400);
    let System::Actions(actions) = &mut song.system else {
        panic!("there are actions");
    };
    for id in used(actions) {
        // What a left mover requires is its own business.
        if !actions.actions[id.index()].role.requires.is_empty() {
            continue;
        }
        let moves = |side| {
            let mut needs = needs(shared.actions().expect("the same"), id, side).into_iter();
            needs.all(|need| brute.refutes(&need).is_none())
        };
        actions.actions[id.index()].role.mover =
            Some(match (moves(Side::Left), moves(Side::Right)) {
                (true, true) => Mover::Both,
                (true, false) => Mover::Left,
                (false, true) => Mover::Right,
                (false, false) => Mover::Atomic,
            });
    }
}

/// The actions that procedures call.
fn used(actions: &Actions) -> BTreeSet<ActionId> {
    let mut used = BTreeSet::new();
    for procedure in &actions.procedures {
        for layer in 1..=procedure.layer {
            used.extend(movers_used(actions, procedure, layer));
        }
    }
    used
}
