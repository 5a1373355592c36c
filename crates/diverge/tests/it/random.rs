//! Every part of the engine against deciding by brute force, on random programs.
//!
//! `PLAINSONG_PROGRAMS` sets how many. What diverges is replayed and its cycle executed again before the
//! engine says so; here the verdicts are compared with an independent decision where that can be made:
//! everywhere where the states are few. Where they have no end, what is said to terminate must at least
//! have no cycle among the first states.

use crate::decision::States;
use crate::odd::odd_program;
use crate::programs::{Dice, machine, program};
use plainsong_diverge::{Fairness, Finding, Method, Question, diverge};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::Unwatched;
use std::time::{Duration, Instant};

const METHODS: [Method; 9] = [
    Method::All,
    Method::Nearest,
    Method::Rounds,
    Method::Covering,
    Method::Structural,
    Method::States,
    Method::Shifted,
    Method::Drifting,
    Method::Alive {
        delay: 2,
        recursion: 2,
    },
];

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    decided: usize,
    diverge: usize,
    diverge_fairly: usize,
    unfair_only: usize,
    endless: usize,
    unknown: usize,
    unknown_fair: usize,
    counted: usize,
    ignores_the_past: usize,
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "how many programs of each kind there were is what the test is worth"
)]
fn every_part_agrees_with_brute_force() {
    let programs: u64 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(400, |n| n.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in 0..programs {
        compare(seed, &program(&mut Dice(seed)), &mut tally);
        if (seed + 1).is_multiple_of(1_000) {
            println!("{tally:?}");
        }
    }
    println!("{tally:?}");
    assert!(tally.decided > tally.programs / 3, "{tally:?}");
    assert!(tally.diverge_fairly > 0 && tally.unfair_only > 0 && tally.endless > 0);
    assert!(tally.ignores_the_past > 0, "{tally:?}");
    assert!(tally.unfair_only * 20 > tally.programs, "{tally:?}");
    assert!(tally.unknown == 0, "without fairness everything is decided");
}

/// The same for families, queues, bodies, faults and choices, of which some parts of the engine know nothing and must
/// say so.
#[test]
#[expect(
    clippy::print_stdout,
    reason = "how many programs of each kind there were is what the test is worth"
)]
fn every_part_agrees_on_odd_programs() {
    // Takes long: only where somebody asks for it.
    let Ok(programs) = std::env::var("PLAINSONG_PROGRAMS") else {
        return;
    };
    let programs: u64 = programs.parse().expect("a number");
    let mut tally = Tally::default();
    for seed in 0..programs {
        compare(seed, &odd_program(&mut Dice(seed)), &mut tally);
        if (seed + 1).is_multiple_of(100) {
            println!("odd: {tally:?}");
        }
    }
    println!("odd: {tally:?}");
    assert!(tally.decided > tally.programs / 3, "{tally:?}");
    assert!(tally.diverge_fairly > 0, "{tally:?}");
    // Few of these ignore somebody for ever.
    let are_many = tally.programs >= 1_000;
    assert!(!are_many || tally.unfair_only > 0, "{tally:?}");
}

fn compare(seed: u64, text: &str, tally: &mut Tally) {
    let machine = machine(text);
    let begun = Instant::now();
    let states = States::of(&machine, 120);
    let cycle = states.has_cycle();
    let fair_cycle = states.has_fair_cycle();
    slow(seed, begun, "brute force");
    tally.programs += 1;
    tally.decided += usize::from(states.complete);
    tally.endless += usize::from(!states.complete);
    for (fairness, known) in [(Fairness::Any, Some(cycle)), (Fairness::Fair, fair_cycle)] {
        for method in METHODS {
            let begun = Instant::now();
            let found = ask(&machine, fairness, method);
            slow(seed, begun, &format!("{fairness:?}, {method:?}"));
            let context = || format!("seed {seed}, {fairness:?}, {method:?}: {found:?}\n{text}");
            match &found {
                Finding::Diverges(found) => {
                    assert!(!states.complete || known != Some(false), "{}", context());
                    let is_fair = found.repetition.ignored.is_empty();
                    assert!(fairness == Fairness::Any || is_fair, "{}", context());
                }
                Finding::Rests(_) => assert!(known != Some(true), "{}", context()),
                Finding::Unknown(_) => {
                    let must_know = method == Method::All && states.complete;
                    assert!(!must_know, "{}", context());
                }
            }
            count(tally, fairness, method, &found);
        }
    }
    compare_resent(
        &machine,
        fair_cycle,
        &|| format!("seed {seed}\n{text}"),
        tally,
    );
    let unfair = matches!(
        ask(&machine, Fairness::Any, Method::All),
        Finding::Diverges(_)
    );
    let fair = matches!(
        ask(&machine, Fairness::Fair, Method::All),
        Finding::Rests(_)
    );
    tally.unfair_only += usize::from(unfair && fair);
}

/// Programs that take long are named: one of them is enough for a run of thousands never to end.
#[expect(clippy::print_stdout, reason = "whoever waits should know for what")]
fn slow(seed: u64, begun: Instant, what: &str) {
    let took = begun.elapsed();
    if took > Duration::from_secs(20) {
        println!("seed {seed}, {what}: {took:?}");
    }
}

/// What serves all that is sent again may ignore what was sent before, so a fair cycle is one of these too; and
/// when one part has found a cycle, no other part may exclude it.
fn compare_resent(
    machine: &Machine,
    fair_cycle: Option<bool>,
    context: &dyn Fn() -> String,
    tally: &mut Tally,
) {
    let found = METHODS.map(|method| ask(machine, Fairness::Resent, method));
    let diverges = found
        .iter()
        .any(|found| matches!(found, Finding::Diverges(_)));
    let rests = found.iter().any(|found| matches!(found, Finding::Rests(_)));
    let is_known = diverges || fair_cycle == Some(true);
    assert!(!(is_known && rests), "{found:?}, {}", context());
    tally.ignores_the_past += usize::from(diverges && fair_cycle == Some(false));
}

fn ask(machine: &Machine, fairness: Fairness, method: Method) -> Finding {
    let question = Question {
        property: usize::from(fairness == Fairness::Fair),
        fairness,
        states: 3_000,
        method,
    };
    diverge(machine, &question, &mut Unwatched).finding
}

fn count(tally: &mut Tally, fairness: Fairness, method: Method, found: &Finding) {
    let is_any = fairness == Fairness::Any;
    match (method, found) {
        (Method::All, Finding::Diverges(_)) if is_any => tally.diverge += 1,
        (Method::All, Finding::Diverges(_)) => tally.diverge_fairly += 1,
        (Method::All, Finding::Unknown(_)) if is_any => tally.unknown += 1,
        (Method::All, Finding::Unknown(_)) => tally.unknown_fair += 1,
        (Method::Structural, Finding::Rests(_)) => tally.counted += 1,
        _ => {}
    }
}
