//! Roles over TCP on the loopback interface: everything goes well.

use crate::shapes::commit::{self, Commit};
use crate::shapes::swap::{Pair, Parameters, Swap};
use plainsong_runtime::tcp::{self, Options};
use plainsong_runtime::{Cast, Net, Rx, Tx, sim, threads};
use std::time::Duration;

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
