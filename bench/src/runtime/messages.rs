//! Messages between two threads: a stream one way, and there and back.

use super::Contestant;
use plainsong_runtime::{Cast, Net, Rx, Tx, threads};
use std::hint::black_box;
use std::sync::mpsc;
use std::thread;

/// Messages of a stream.
pub const ONE_WAY: u32 = 1_000_000;
/// Round trips.
pub const ROUND_TRIPS: u32 = 20_000;

pub fn one_way() -> Vec<Contestant> {
    vec![
        Contestant::new("std::sync::mpsc", || {
            let (tx, rx) = mpsc::channel::<u64>();
            thread::scope(|scope| {
                scope.spawn(move || (0..u64::from(ONE_WAY)).for_each(|n| tx.send(n).unwrap()));
                scope.spawn(move || {
                    let mut sum = 0_u64;
                    for _ in 0..ONE_WAY {
                        sum = sum.wrapping_add(rx.recv().unwrap());
                    }
                    black_box(sum);
                });
            });
        }),
        Contestant::new("plainsong-runtime, threads", || {
            let cast = Cast::new("stream", 1, ["a", "b"]);
            let ends = threads::run(&cast, &threads::Options::default(), |role, net| {
                let mut sum = 0_u64;
                if role == 0 {
                    let mut to_b = net.tx::<u64>(1, 0)?;
                    for n in 0..u64::from(ONE_WAY) {
                        to_b.send(1, n)?;
                    }
                } else {
                    let mut from_a = net.rx::<u64>(0, 0)?;
                    for _ in 0..ONE_WAY {
                        sum = sum.wrapping_add(from_a.recv(1)?);
                    }
                }
                Ok(sum)
            });
            assert!(ends.iter().all(Result::is_ok));
        }),
    ]
}

pub fn ping_pong() -> Vec<Contestant> {
    vec![
        Contestant::new("std::sync::mpsc", || {
            let (to_b, from_a) = mpsc::channel::<u64>();
            let (to_a, from_b) = mpsc::channel::<u64>();
            thread::scope(|scope| {
                scope.spawn(move || {
                    for n in 0..u64::from(ROUND_TRIPS) {
                        to_b.send(n).unwrap();
                        black_box(from_b.recv().unwrap());
                    }
                });
                scope.spawn(move || {
                    for _ in 0..ROUND_TRIPS {
                        to_a.send(from_a.recv().unwrap()).unwrap();
                    }
                });
            });
        }),
        Contestant::new("plainsong-runtime, threads", || {
            let cast = Cast::new("ping-pong", 1, ["a", "b"]);
            let ends = threads::run(&cast, &threads::Options::default(), |role, net| {
                let mut to = net.tx::<u64>(1 - role, 0)?;
                let mut from = net.rx::<u64>(1 - role, 0)?;
                for n in 0..u64::from(ROUND_TRIPS) {
                    if role == 0 {
                        to.send(1, n)?;
                        black_box(from.recv(2)?);
                    } else {
                        let got = from.recv(1)?;
                        to.send(2, got)?;
                    }
                }
                Ok(())
            });
            assert!(ends.iter().all(Result::is_ok));
        }),
    ]
}
