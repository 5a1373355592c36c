//! Roles over TCP on the loopback interface: everything goes well.

use crate::shapes::commit::{self, Commit};
use crate::shapes::swap::{Pair, Parameters, Swap};
use plainsong_runtime::tcp::{self, Options};
use plainsong_runtime::{Cast, Error, Net, Rx, Tx, sim, threads};
use std::time::{Duration, Instant};

#[test]
fn swap_swaps() {
    let ends = tcp::run_protocol(&Swap, &Parameters { x: 1, y: 2 }, &Options::default()).unwrap();
    assert_eq!(ends, [Ok(Pair { v: 2, t: 1 }), Ok(Pair { v: 1, t: 2 })]);
}

#[test]
fn roles_end_as_on_threads_and_in_the_simulator() {
    for seed in 0..20 {
        let parameters = commit::Parameters {
            servers: 3,
            rounds: 3,
        };
        let over_tcp = Options {
            seed,
            ..Options::default()
        };
        let on_threads = threads::Options {
            seed,
            ..threads::Options::default()
        };
        let ends = tcp::run_protocol(&Commit, &parameters, &over_tcp).unwrap();
        let others = threads::run_protocol(&Commit, &parameters, &on_threads).unwrap();
        assert_eq!(ends, others, "seed {seed}");
        let others = sim::run_protocol(&Commit, &parameters, seed).unwrap();
        assert_eq!(ends, others, "seed {seed}");
    }
}

#[test]
fn a_long_stream_arrives_in_order_also_when_nobody_reads_for_a_while() {
    const MESSAGES: u64 = 100_000;
    let cast = Cast::new("stream", 1, ["a", "b"]);
    let ends = tcp::run(&cast, &Options::default(), |role, net| {
        if role == 0 {
            let mut to_b = net.tx::<(u64, String)>(1, 0)?;
            for n in 0..MESSAGES {
                to_b.send(1, (n, "x".repeat((n % 50) as usize)))?;
            }
            return Ok(MESSAGES);
        }
        let mut from_a = net.rx::<(u64, String)>(0, 0)?;
        std::thread::sleep(Duration::from_millis(50));
        for n in 0..MESSAGES {
            let (got, text) = from_a.recv(1)?;
            assert_eq!((got, text.len() as u64), (n, n % 50));
        }
        Ok(MESSAGES)
    });
    assert_eq!(ends, [Ok(MESSAGES), Ok(MESSAGES)]);
}

/// Both send megabytes before either receives: neither waits for the other's program.
#[test]
fn large_messages_cross() {
    let cast = Cast::new("crossing", 1, ["a", "b"]);
    let ends = tcp::run(&cast, &Options::default(), |role, net| {
        let mut to = net.tx::<Vec<u64>>(1 - role, 0)?;
        let mut from = net.rx::<Vec<u64>>(1 - role, 0)?;
        to.send(1, vec![u64::MAX; 1_000_000])?;
        Ok(from.recv(1)?.len())
    });
    assert_eq!(ends, [Ok(1_000_000), Ok(1_000_000)]);
}

/// A message goes out although its sender computes for long and receives nothing.
#[test]
fn what_is_sent_is_not_held_back() {
    let cast = Cast::new("busy", 1, ["a", "b"]);
    let options = Options {
        deadline: Some(Duration::from_secs(2)),
        ..Options::default()
    };
    let ends = tcp::run(&cast, &options, |role, net| {
        if role == 0 {
            net.tx(1, 0)?.send(1, true)?;
            std::thread::sleep(Duration::from_secs(3));
            return Ok(true);
        }
        net.rx::<bool>(0, 0)?.recv(1)
    });
    assert_eq!(ends, [Ok(true), Ok(true)]);
}

/// Signs of life are sent while a program computes for longer than silence is allowed to last.
#[test]
fn a_role_that_computes_for_long_is_not_lost() {
    let cast = Cast::new("slow", 1, ["a", "b"]);
    let options = Options {
        silence: Duration::from_millis(400),
        ..Options::default()
    };
    let ends = tcp::run(&cast, &options, |role, net| {
        if role == 0 {
            std::thread::sleep(Duration::from_millis(1200));
            net.tx(1, 0)?.send(1, true)?;
            return Ok(true);
        }
        net.rx::<bool>(0, 0)?.recv(1)
    });
    assert_eq!(ends, [Ok(true), Ok(true)]);
}

#[test]
fn one_role_alone_and_no_role_at_all() {
    let alone = Cast::new("alone", 1, ["a"]);
    let ends = tcp::run(&alone, &Options::default(), |_, net| {
        let _never_used = (net.tx::<bool>(0, 0)?, net.rx::<bool>(0, 0)?);
        net.choose(1, 1)
    });
    assert_eq!(ends, [Ok(0)]);
    let nobody = Cast::new("nobody", 1, [""; 0]);
    assert_eq!(tcp::run(&nobody, &Options::default(), |_, _| Ok(())), []);
}

/// The hub of a star with 200 roles hears each of them: there are 199 connections, not 19,900.
#[test]
fn a_star_is_connected_to_its_hub_only() {
    let count = 200;
    let names = (0..count).map(|at| format!("role[{at}]"));
    let cast = Cast::new("star", 1, names).linked([(0..1, 1..count)]);
    let begun = Instant::now();
    let ends = tcp::run(&cast, &Options::default(), |role, net| {
        if role > 0 {
            net.tx(0, 0)?.send(1, role)?;
            return Ok(0);
        }
        let mut links = net.rxs::<usize>(1..count, 0)?;
        links.iter_mut().map(|link| link.recv(1)).sum()
    });
    let taken = begun.elapsed();
    assert_eq!(ends[0], Ok(count * (count - 1) / 2));
    assert!(ends[1..].iter().all(|end| *end == Ok(0)));
    assert!(taken < Duration::from_secs(10), "{taken:?}");
}

/// What is not linked cannot talk, whatever carries the messages.
#[test]
fn roles_that_are_not_linked_have_no_link() {
    let cast = Cast::new("star", 1, ["hub", "a", "b"]).linked([(0..1, 1..3)]);
    fn talk<N: Net>(role: usize, net: &mut N) -> Result<(), Error> {
        match role {
            1 => net.tx::<bool>(2, 0).map(drop),
            2 => net.rx::<bool>(1, 0).map(drop),
            _ => Ok(()),
        }
    }
    let over_tcp = tcp::run(&cast, &Options::default(), talk);
    let on_threads = threads::run(&cast, &threads::Options::default(), talk);
    let simulated = sim::run(&cast, 0, talk);
    for ends in [over_tcp, on_threads, simulated] {
        assert_eq!(ends[0], Ok(()));
        for end in &ends[1..] {
            let why = end.as_ref().unwrap_err().to_string();
            assert!(why.contains("exchange no messages"), "{why}");
        }
    }
}
