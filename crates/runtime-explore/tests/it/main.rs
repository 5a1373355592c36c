//! Generated-shape programs under exploration: one execution per vector of free choices.

#[path = "../../../runtime/tests/it/shapes/mod.rs"]
mod shapes;

use plainsong::{FailureKind, Verdict, explore};
use plainsong_runtime::{Cast, Error, Net, Rx, Tx, sim, threads};
use plainsong_runtime_explore::{start, start_protocol};
use shapes::commit::{self, Commit, State};
use shapes::swap::{Pair, Parameters, Swap};

#[test]
fn swap_has_one_execution_and_swaps() {
    let report = explore(|| {
        let ends = start_protocol(Swap, &Parameters { x: 1, y: 2 }).unwrap();
        assert_eq!(ends.join(), [Pair { v: 2, t: 1 }, Pair { v: 1, t: 2 }]);
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
}

/// How many vectors of votes there are with at most so many rounds: a round that everybody votes for
/// is the last one.
fn vectors(servers: u32, rounds: u32) -> u64 {
    match rounds {
        0 => 1,
        _ => 1 + (2_u64.pow(servers) - 1) * vectors(servers, rounds - 1),
    }
}

#[test]
fn two_phase_commit_has_one_execution_per_vector_of_votes() {
    for (servers, rounds) in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1)] {
        let parameters = commit::Parameters {
            servers,
            rounds: i64::from(rounds),
        };
        let report = explore(move || {
            let ends = start_protocol(Commit, &parameters).unwrap().join();
            let State::Coordinator { votes, commit, .. } = &ends[0] else {
                panic!("{ends:?}")
            };
            assert_eq!(*commit, votes.iter().all(|&vote| vote));
        });
        report.assert_holds();
        let servers = u32::try_from(servers).unwrap();
        assert_eq!(
            report.executions,
            vectors(servers, rounds),
            "{servers} servers, {rounds} rounds"
        );
    }
}

#[test]
fn the_ends_under_exploration_are_those_of_the_other_transports() {
    let parameters = commit::Parameters {
        servers: 2,
        rounds: 2,
    };
    for seed in 0..20 {
        let options = threads::Options {
            seed,
            ..threads::Options::default()
        };
        let on_threads = threads::run_protocol(&Commit, &parameters, &options).unwrap();
        let simulated = sim::run_protocol(&Commit, &parameters, seed).unwrap();
        assert_eq!(on_threads, simulated);
        let wanted: Vec<State> = on_threads.into_iter().map(Result::unwrap).collect();
        let parameters = parameters.clone();
        let report = explore(move || {
            let ends = start_protocol(Commit, &parameters).unwrap().join();
            plainsong::cover_if(ends == wanted, "as on threads");
        });
        // Ends do not tell the votes of the first round, so more than one vector may end like this.
        assert!(report.coverage["as on threads"] >= 1, "seed {seed}");
    }
}

/// Both send first, then receive: on a rendezvous this would be a deadlock; links have room.
#[test]
fn a_cyclic_exchange_has_one_execution() {
    let cast = Cast::new("exchange", 1, ["a", "b", "c"]);
    let report = explore(move || {
        let ends = start(&cast, |role, net| {
            let mut to = net.tx::<usize>((role + 1) % 3, 0)?;
            let mut from = net.rx::<usize>((role + 2) % 3, 0)?;
            to.send(1, role)?;
            from.recv(1)
        });
        assert_eq!(ends.join(), [2, 0, 1]);
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
}

#[test]
fn a_deadlock_is_found() {
    let cast = Cast::new("mutual", 1, ["a", "b"]);
    let report = explore(move || {
        let ends = start(&cast, |role, net| {
            let got = net.rx::<bool>(1 - role, 0)?.recv(1)?;
            net.tx::<bool>(1 - role, 0)?.send(1, got)
        });
        ends.join();
    });
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].kind, FailureKind::Deadlock);
}

#[test]
fn two_sends_in_the_wrong_order_are_noticed() {
    let cast = Cast::new("twisted", 1, ["a", "b"]);
    let report = explore(move || {
        let ends = start(&cast, |role, net| {
            if role == 0 {
                let mut to_b = net.tx(1, 0)?;
                to_b.send(2, 20_i64)?;
                to_b.send(1, 10)?;
                return Ok(0);
            }
            let mut from_a = net.rx::<i64>(0, 0)?;
            Ok(from_a.recv(1)? + from_a.recv(2)?)
        });
        let ends: Vec<Result<i64, Error>> = ends.join_all();
        let error = ends[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("sent by statement 2"), "{error}");
    });
    report.assert_holds();
}

/// As on the other transports; no execution has such an end unnoticed.
#[test]
fn what_nobody_receives_is_an_error_of_the_sender() {
    let cast = Cast::new("lost", 1, ["a", "b"]);
    let report = explore(move || {
        let ends = start(&cast, |role, net| {
            if role == 0 {
                let mut to_b = net.tx::<u32>(1, 0)?;
                to_b.send(1, 1)?;
                return to_b.send(2, 2);
            }
            net.rx::<u32>(0, 0)?.recv(1).map(drop)
        });
        let ends = ends.join_all();
        assert_eq!(ends[1], Ok(()));
        assert_eq!(
            ends[0].as_ref().unwrap_err().to_string(),
            "b never received what statement 2 sent to it: it came to its end"
        );
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
}
