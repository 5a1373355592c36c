//! The parametric families: song, Rust program and formula agree.

use super::{Counts, agreed, is_slow_wanted, mailboxes, song};
use plainsong::{channel, choose, choose_bool, spawn};
use plainsong_ir::Delivery;

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// All executions are complete, and there are as many as expected under each model.
fn expect<F: Fn() + Send + Sync + 'static>(
    name: &str,
    sizes: &[(&str, i64)],
    expected: [u64; 4],
    program: impl Fn() -> F,
) {
    let complete: [Counts; 4] = expected.map(|executions| (executions, 0));
    let counts = agreed(song(name, sizes), program);
    assert_eq!(counts, complete, "{name} {sizes:?}");
}

/// The usual sizes up to `usual`, and some more where time does not matter.
fn sizes(usual: u64, slow: u64) -> impl Iterator<Item = u64> {
    1..=if is_slow_wanted() { slow } else { usual }
}

/// `n` processes that send one number each to one that does what it is told to.
fn racing(n: u64, receiver: impl Fn(plainsong::Receiver<u64>) + 'static) {
    let (to, at) = channel::<u64>("receiver");
    spawn(move || receiver(at));
    for i in 0..n {
        let to = to.clone();
        spawn(move || to.send(i));
    }
}

#[test]
fn c1_senders_race_for_one_receive() {
    for n in sizes(5, 9) {
        expect(
            "senders-race-for-one-receive",
            &[("Sender", n as i64)],
            [n; 4],
            || {
                move || {
                    racing(n, |at| {
                        at.receive();
                    });
                }
            },
        );
    }
}

#[test]
fn c1_with_a_queue_that_fixes_the_order_of_arrival() {
    for n in sizes(4, 7) {
        let orders = factorial(n);
        let expected = [n * orders, orders, orders, orders];
        expect(
            "arrival-order-fixed-by-a-queue",
            &[("Sender", n as i64)],
            expected,
            || {
                move || {
                    let (to, at) = channel::<u64>("last");
                    spawn(move || at.receive());
                    racing(n, move |at| (0..n).for_each(|_| to.send(at.receive())));
                }
            },
        );
    }
}

#[test]
fn c2_senders_race_for_all_receives() {
    for n in sizes(5, 8) {
        let orders = factorial(n);
        expect(
            "senders-race-for-all-receives",
            &[("Sender", n as i64)],
            [orders; 4],
            || {
                move || {
                    racing(n, move |at| {
                        (0..n).for_each(|_| {
                            at.receive();
                        });
                    });
                }
            },
        );
    }
}

#[test]
fn c3_selective_receives_do_not_race() {
    for n in sizes(5, 8) {
        expect(
            "selective-receives-do-not-race",
            &[("Sender", n as i64)],
            [1; 4],
            || {
                move || {
                    racing(n, move |at| {
                        (0..n).for_each(|i| {
                            at.receive_where(move |&x, _| x == i);
                        });
                    });
                }
            },
        );
    }
}

#[test]
fn c4_worker_and_a_message_to_oneself() {
    for n in sizes(4, 7) {
        let ways = 2 * factorial(n);
        expect(
            "worker-and-self-message",
            &[("Sender", n as i64)],
            [ways; 4],
            || {
                move || {
                    let (to, at) = channel::<u64>("start");
                    let report = to.clone();
                    spawn(move || {
                        to.send(0);
                        at.receive();
                    });
                    racing(n, move |at| {
                        (0..n).for_each(|_| {
                            at.receive();
                        });
                        report.send(1);
                    });
                }
            },
        );
    }
}

#[test]
fn c5_pairs_that_cross() {
    for n in sizes(2, 4) {
        let (four, three) = (4_u64.pow(n as u32), 3_u64.pow(n as u32));
        let expected = [four, four, four, three];
        expect(
            "pairs-that-cross-mailbox",
            &[("Pair", n as i64)],
            expected,
            || move || (0..n).for_each(|_| crossing()),
        );
    }
}

fn crossing() {
    let (to, at) = mailboxes::<()>("crossing", 2);
    for at in at {
        spawn(move || (at.receive(), at.receive()));
    }
    let back: Vec<_> = to.iter().rev().cloned().collect();
    for ways in [to, back] {
        spawn(move || ways.iter().for_each(|way| way.send(())));
    }
}

#[test]
fn c6_one_stream() {
    for n in sizes(5, 8) {
        let expected = [factorial(n), 1, 1, 1];
        expect("one-stream-fifo", &[("N", n as i64)], expected, || {
            move || streams(1, n)
        });
    }
}

#[test]
fn c7_two_streams() {
    for n in sizes(2, 4) {
        let (all, each) = (factorial(2 * n), factorial(n));
        let merged = all / each / each;
        let expected = [all, merged, merged, merged];
        expect("two-streams-fifo", &[("N", n as i64)], expected, || {
            move || streams(2, n)
        });
    }
}

/// Senders of `n` messages each to one receiver.
fn streams(senders: u64, n: u64) {
    let (to, at) = channel::<u64>("receiver");
    spawn(move || {
        (0..senders * n).for_each(|_| {
            at.receive();
        });
    });
    for _ in 0..senders {
        let to = to.clone();
        spawn(move || (0..n).for_each(|i| to.send(i)));
    }
}

#[test]
fn c8_triangle() {
    expect("triangle-fifo", &[], [2, 2, 1, 1], || {
        || {
            let (to_b, at_b) = channel::<u64>("b");
            let (to_c, at_c) = channel::<u64>("c");
            let also_to_c = to_c.clone();
            spawn(move || {
                to_c.send(1);
                to_b.send(1);
            });
            spawn(move || {
                at_b.receive();
                also_to_c.send(2);
            });
            spawn(move || (at_c.receive(), at_c.receive()));
        }
    });
}

#[test]
fn c9_two_races_that_meet() {
    expect("two-races-that-meet", &[], [4; 4], || {
        || {
            let (to_first, at_first) = channel::<u64>("first");
            let (to_fourth, at_fourth) = channel::<u64>("fourth");
            let also_to_first = to_first.clone();
            spawn(move || {
                to_first.send(1);
                at_first.receive();
            });
            for i in [2, 3] {
                let to_fourth = to_fourth.clone();
                spawn(move || to_fourth.send(i));
            }
            spawn(move || at_fourth.receive());
            spawn(move || also_to_first.send(5));
        }
    });
}

#[test]
fn c10_timeouts_with_nobody_sending() {
    for n in sizes(5, 9) {
        expect(
            "timeouts-with-nobody-sending",
            &[("N", n as i64)],
            [1; 4],
            || {
                move || {
                    racing(0, move |at| {
                        (0..n).for_each(|_| assert_eq!(at.try_receive(), None));
                    });
                }
            },
        );
    }
}

#[test]
fn c11_timeouts_race_with_messages() {
    for n in sizes(4, 5) {
        let ways = |k| {
            let left_out = factorial(n) / factorial(n - k);
            left_out / factorial(k) * left_out
        };
        let expected = (0..=n).map(ways).sum();
        expect(
            "timeouts-race-with-messages",
            &[("Sender", n as i64)],
            [expected; 4],
            || {
                move || {
                    racing(n, move |at| {
                        (0..n).for_each(|_| {
                            at.try_receive();
                        });
                    });
                }
            },
        );
    }
}

/// Combinations of choices are not listed.
#[test]
fn c12_more_coin_tosses_than_one_lists() {
    let many = song("coin-tosses", &[("N", 40)]);
    assert_eq!(many.counts(Delivery::Fifo), (1 << 40, 0));
}

#[test]
fn c12_coin_tosses() {
    for n in sizes(6, 12) {
        expect("coin-tosses", &[("N", n as i64)], [1 << n; 4], || {
            move || {
                (0..n).for_each(|_| {
                    choose_bool();
                });
            }
        });
    }
}

#[test]
fn c12_choices_of_several() {
    for (k, n) in [(3, 2), (2, 4), (4, 3)] {
        let (options, expected) = (k as u64, [(k as u64).pow(n as u32); 4]);
        expect(
            "choices-of-several",
            &[("K", k), ("N", n)],
            expected,
            || {
                move || {
                    (0..n).for_each(|_| {
                        choose(0..options);
                    });
                }
            },
        );
    }
}

#[test]
fn c13_voters_and_one_collector() {
    for n in sizes(3, 5) {
        let expected = [factorial(n) << n; 4];
        expect(
            "voters-and-one-collector",
            &[("Voter", n as i64)],
            expected,
            || move || votes(n as usize),
        );
    }
}

fn votes(n: usize) {
    let (to_collector, at_collector) = channel::<bool>("collector");
    let (to_voter, at_voter) = mailboxes::<bool>("voter", n);
    spawn(move || {
        let votes: Vec<bool> = (0..n).map(|_| at_collector.receive()).collect();
        let all = votes.into_iter().all(|yes| yes);
        to_voter.iter().for_each(|voter| voter.send(all));
    });
    for at in at_voter {
        let to_collector = to_collector.clone();
        spawn(move || {
            let mine = choose_bool();
            to_collector.send(mine);
            assert!(mine || !at.receive());
        });
    }
}
