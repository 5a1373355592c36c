//! The seeded simulator: the same seed gives the same interleaving, every seed the same end.

use crate::shapes::commit::{self, Commit};
use crate::shapes::swap::{Parameters, Swap};
use plainsong_runtime::sim::{self, Deed, Simulation};
use plainsong_runtime::{Cast, Error, Fault, Net, Protocol, Rx, Tx, threads};
use std::collections::BTreeSet;

#[test]
fn one_seed_is_one_interleaving_and_all_end_alike() {
    let parameters = Parameters { x: 1, y: 2 };
    let cast = Swap.cast(&parameters).unwrap();
    let play = |seed| {
        let simulation = Simulation::new(&cast, seed);
        let ends = simulation.run(|role, net| Swap.play(role, net, &parameters));
        (ends, simulation.acts())
    };
    let mut interleavings = BTreeSet::new();
    let (first, _) = play(0);
    for seed in 0..40 {
        let (ends, acts) = play(seed);
        assert_eq!(ends, first, "seed {seed}");
        assert_eq!(play(seed), (ends, acts.clone()), "seed {seed}");
        interleavings.insert(format!("{acts:?}"));
    }
    // b sends; a receives; a sends; b receives: only one order.
    assert_eq!(interleavings.len(), 1, "{interleavings:?}");
}

#[test]
fn seeds_reach_different_interleavings() {
    let cast = Cast::new("independent", 1, ["a", "b", "c"]);
    let orders: BTreeSet<String> = (0..200)
        .map(|seed| {
            let simulation = Simulation::new(&cast, seed);
            let ends = simulation.run(|_, net| net.choose(1, 1));
            assert_eq!(ends, [Ok(0), Ok(0), Ok(0)]);
            let roles = simulation.acts().into_iter().map(|act| act.role);
            format!("{:?}", roles.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(orders.len(), 6, "{orders:?}");
}

#[test]
fn choices_are_those_of_the_threads() {
    for seed in 0..30 {
        let parameters = commit::Parameters {
            servers: 3,
            rounds: 2,
        };
        let options = threads::Options {
            seed,
            ..threads::Options::default()
        };
        assert_eq!(
            sim::run_protocol(&Commit, &parameters, seed).unwrap(),
            threads::run_protocol(&Commit, &parameters, &options).unwrap(),
            "seed {seed}"
        );
    }
}

#[test]
fn that_everybody_waits_is_told() {
    let cast = Cast::new("mutual", 1, ["a", "b"]);
    let ends = sim::run(&cast, 3, |role, net| {
        let mut from = net.rx::<bool>(1 - role, 0)?;
        let mut to = net.tx::<bool>(1 - role, 0)?;
        let got = from.recv(5)?;
        to.send(6, got)?;
        Ok(got)
    });
    let deadlocked = |end: &Result<bool, Error>| {
        matches!(
            end.as_ref().unwrap_err().fault(),
            Fault::Deadlock { site: 5, .. }
        )
    };
    assert!(ends.iter().any(deadlocked), "{ends:?}");
    assert!(ends.iter().all(Result::is_err), "{ends:?}");
}

#[test]
fn wherever_a_role_crashes_nobody_hangs_and_all_who_needed_it_fail() {
    let parameters = commit::Parameters {
        servers: 2,
        rounds: 1,
    };
    let cast = Commit.cast(&parameters).unwrap();
    let mut failures = 0;
    for role in 0..3 {
        for after in 0..12 {
            for seed in 0..5 {
                let simulation = Simulation::new(&cast, seed).crash(role, after);
                let ends = simulation.run(|role, net| Commit.play(role, net, &parameters));
                let acts = simulation.acts();
                let crashed = ends[role].is_err();
                failures += u32::from(crashed);
                assert_eq!(
                    crashed,
                    acts.iter().filter(|act| act.role == role).count() <= after
                        && ends[role] == Err(Error::from(Fault::Crashed)),
                    "{ends:?}"
                );
                if !crashed {
                    assert!(ends.iter().all(Result::is_ok), "{ends:?}");
                }
                if role == 0 && crashed && acts.iter().all(|act| act.role != 0) {
                    // The coordinator did nothing at all: no server can end well.
                    assert!(ends.iter().all(Result::is_err), "{ends:?}");
                    assert!(!acts.iter().any(|act| matches!(act.deed, Deed::Received(_))));
                }
            }
        }
    }
    assert!(failures > 50, "{failures}");
}

#[test]
fn a_wrong_order_of_sends_is_noticed() {
    let cast = Cast::new("twisted", 1, ["a", "b"]);
    let ends = sim::run(&cast, 1, |role, net| {
        if role == 0 {
            let mut to_b = net.tx(1, 0)?;
            to_b.send(2, 20_i64)?;
            return Ok(0);
        }
        net.rx::<i64>(0, 0)?.recv(1)
    });
    assert!(matches!(
        ends[1].as_ref().unwrap_err().fault(),
        Fault::WrongSite {
            expected: 1,
            found: 2,
            ..
        }
    ));
}
