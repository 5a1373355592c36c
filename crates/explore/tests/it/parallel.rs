//! Several workers: the same executions, each once; failures and panics are never lost.

use crate::random::{Rng, Spice, generate, programs};
use crate::script::{Collected, Do, Script, Scripted, explore};
use plainsong_explore::{
    Engine, Graph, Leaf, Model, Policy, Tally, Visitor, explore_in_parallel, sample,
};

fn in_parallel(script: &Script, jobs: usize) -> (Tally, Collected) {
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let program = || Scripted {
        script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    let visitor = || Collected::named(&spawn_order);
    let (tally, visitors) = explore_in_parallel(jobs, program, visitor, |engine| engine);
    let mut all = Collected::named(&spawn_order);
    visitors.into_iter().for_each(|one| all.merge(one));
    (tally, all)
}

#[test]
fn workers_partition_the_executions() {
    let mut rng = Rng(77);
    for round in 0..programs(300).min(300) {
        let script = generate(&mut rng, None, Spice::Both);
        let spawn_order: Vec<usize> = (0..script.len()).collect();
        let (alone, tally) = explore(&script, &spawn_order, Policy::ReceivesLast);
        let (sums, together) = in_parallel(&script, 1 + round as usize % 4);
        assert_eq!(
            (sums.complete, sums.blocked),
            (tally.complete, tally.blocked),
            "{script:?}"
        );
        assert_eq!(sums, tally, "every number is the same: {script:?}");
        assert_eq!(together.complete, alone.complete, "{script:?}");
        assert_eq!(together.blocked, alone.blocked, "{script:?}");
    }
}

fn race(senders: usize) -> Script {
    let mut script = vec![vec![Do::Recv(None, true); senders]];
    script.extend(vec![vec![Do::Send(0, 0, Model::Fifo)]; senders]);
    script
}

#[test]
fn a_large_race_is_shared() {
    let (tally, _) = in_parallel(&race(7), 2);
    assert_eq!(tally.complete, 5040);
    assert_eq!(tally, in_parallel(&race(7), 1).0);
}

/// Stops at, or panics in, some execution.
struct Trap {
    left: u32,
    panics: bool,
}

impl Visitor<Scripted<'_>> for Trap {
    fn leaf(&mut self, _graph: &Graph<Scripted<'_>>, _leaf: Leaf) -> bool {
        self.left -= 1;
        assert!(self.left > 0 || !self.panics, "the trap closes");
        self.left > 0
    }
}

fn trapped(panics: bool) -> Tally {
    let script = race(7);
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let program = || Scripted {
        script: &script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    explore_in_parallel(
        3,
        program,
        || Trap { left: 50, panics },
        |engine: Engine<'_, _>| engine,
    )
    .0
}

#[test]
fn one_visitor_stops_all() {
    assert!(trapped(false).complete < 5040);
}

#[test]
#[should_panic(expected = "the trap closes")]
fn a_panic_reaches_the_caller() {
    trapped(true);
}

#[test]
fn estimates_are_exact_on_uniform_trees() {
    let script = race(6);
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let mut program = Scripted {
        script: &script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    let mut seen = Collected::named(&spawn_order);
    let estimate = sample(&mut program, 50, 3, &mut seen, |engine| engine);
    assert!((estimate.executions - 720.0).abs() < 1e-6, "{estimate:?}");
    assert!(estimate.margin < 1e-6, "{estimate:?}");
    assert!(seen.complete.len() > 10, "walks differ");
}

#[test]
fn estimates_are_unbiased_when_sends_turn_receives_round() {
    let mut rng = Rng(5);
    let mut compared = 0;
    for _ in 0..200 {
        let script = generate(&mut rng, None, Spice::Both);
        let spawn_order: Vec<usize> = (0..script.len()).collect();
        let (_, tally) = explore(&script, &spawn_order, Policy::ReceivesLast);
        let truth = (tally.complete + tally.blocked) as f64;
        if truth < 4.0 {
            continue;
        }
        let mut program = Scripted {
            script: &script,
            spawn_order: spawn_order.clone(),
            families: Vec::new(),
        };
        let mut seen = Collected::named(&spawn_order);
        let estimate = sample(&mut program, 2000, 9, &mut seen, |engine| engine);
        // Three times the interval: wrong about once in 10^8 by chance, and the seed is fixed.
        let off = (estimate.executions - truth).abs();
        assert!(
            off <= 3.0 * estimate.margin + 1e-6,
            "{truth} {estimate:?} {script:?}"
        );
        compared += 1;
    }
    assert!(compared > 20);
}

#[test]
fn long_executions_are_given_up() {
    let script = race(4);
    let mut program = Scripted {
        script: &script,
        spawn_order: vec![0, 1, 2, 3, 4],
        families: Vec::new(),
    };
    let mut seen = Collected::named(&[0, 1, 2, 3, 4]);
    let tally = Engine::new(&mut program).limit_events(12).run(&mut seen);
    assert_eq!(tally.complete, 0);
    assert!(tally.too_long > 0);
}
