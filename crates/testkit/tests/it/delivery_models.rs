//! A stricter delivery model allows fewer executions, and where that decides a verdict, some message of
//! the refuting execution overtakes another.

use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::{PROGRAMS, asked_for, sometimes_seasoned};
use plainsong_explore_songs::{Explored, Finding, Manner, explore};
use plainsong_ir::Delivery;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::overtaking::overtaking;
use plainsong_semantics::search::{Check, Limits, Unwatched};
use plainsong_testkit::random_song::small_voices;

const CHECKS: [Check; 2] = [Check::Assertions, Check::NoDeadlock];

#[test]
fn a_border_between_two_models_is_a_message_that_overtakes() {
    let (mut compared, mut borders) = (0, 0);
    let (skipped, programs) = asked_for(2 * PROGRAMS);
    for seed in skipped..skipped + programs {
        let song = sometimes_seasoned(seed, small_voices(seed, None));
        let Some(instance) = instance(&song) else {
            continue;
        };
        for pair in Delivery::ALL.windows(2) {
            let (weak, strict) = (under(&instance, pair[0]), under(&instance, pair[1]));
            if let (Some((weak, _)), Some((strict, machine))) = (weak, strict) {
                compared += 1;
                borders += compare(seed, &weak, &strict, &machine);
            }
        }
    }
    assert!(compared > programs as usize, "{compared} compared");
    assert!(borders > 2, "{borders} borders");
}

/// How many of the checks part the two models.
fn compare(seed: u64, weak: &Explored, strict: &Explored, machine: &Machine) -> usize {
    assert!(weak.count.complete >= strict.count.complete, "seed {seed}");
    let mut borders = 0;
    for (weak, strict) in weak.findings.iter().zip(&strict.findings) {
        match (weak, strict) {
            (Finding::Refuted(trace), Finding::NotRefuted) => {
                let found = overtaking(machine, trace).unwrap_or_else(|| {
                    panic!("seed {seed}: nothing overtakes in {trace:#?}");
                });
                assert_ne!(found.taken, (String::new(), None));
                borders += 1;
            }
            (Finding::NotRefuted, Finding::Refuted(_)) => {
                panic!("seed {seed}: refuted under the stricter model only")
            }
            _ => {}
        }
    }
    borders
}

type Under = Option<(Explored, Machine)>;

fn under(instance: &Instance, model: Delivery) -> Under {
    let instance = instance.clone().with_delivery(Some(model));
    let machine = Machine::new(&instance, Subject::System);
    let manner = Manner {
        limits: Limits {
            states: 2_000,
            refutations: None,
        },
        ..Manner::default()
    };
    let explored = explore(&machine, &CHECKS, &manner, &mut Unwatched).ok()?;
    explored.left.is_empty().then_some((explored, machine))
}
