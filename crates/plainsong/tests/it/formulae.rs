//! Programs whose executions can be counted by an argument, which is given with each of them.
//!
//! What is counted: two executions are the same if every receive gets the same message and every
//! choice takes the same option.

use crate::script::{DELIVERIES, every_way};
use plainsong::{
    Builder, Delivery, Letter, Process, channel_via, choose, current, messages, receive,
    receive_where, send, spawn, try_receive,
};

use Delivery::{Causal, Fifo, Mailbox, Unordered};

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// Ways to choose `k` of `n`.
fn choices(n: u64, k: u64) -> u64 {
    factorial(n) / factorial(k) / factorial(n - k)
}

/// Ways to arrange `k` of `n`.
fn arrangements(n: u64, k: u64) -> u64 {
    factorial(n) / factorial(n - k)
}

/// Complete executions in the order of [`DELIVERIES`]; none is blocked.
fn expect<F: Fn() + Send + Sync + 'static>(
    name: &str,
    program: impl Fn() -> F,
    expected: [u64; 4],
) {
    for (delivery, expected) in DELIVERIES.into_iter().zip(expected) {
        let counted = every_way(delivery, &program);
        assert_eq!(counted, (expected, 0), "{name}, {delivery:?}");
    }
}

/// Spawns a process that receives so many numbers.
fn receiver(count: u64) -> Process {
    spawn(move || (0..count).for_each(|_| assert!(receive::<u64>() < 100))).process()
}

/// Spawns so many processes that send a number each.
fn each_sends(count: u64, to: Process) {
    for i in 0..count {
        spawn(move || send(to, i));
    }
}

#[test]
fn streams_merge_in_multinomially_many_ways() {
    // Any order of all messages; or one that keeps each of the m streams of n in order: each order
    // of the m * n places, where the n! orders of a stream count once.
    for (m, n) in [(2, 2), (3, 2), (2, 3)] {
        let all = factorial(m * n);
        let merged = all / factorial(n).pow(m as u32);
        expect(
            "streams",
            || {
                move || {
                    let to = receiver(m * n);
                    for _ in 0..m {
                        spawn(move || (0..n).for_each(|i| send(to, i)));
                    }
                }
            },
            [all, merged, merged, merged],
        );
    }
}

#[test]
fn some_of_many_are_received() {
    // k receives, n independent senders: an arrangement of k of n, whatever the order of delivery.
    for (n, k) in [(5, 2), (4, 3), (5, 0)] {
        let expected = arrangements(n, k);
        expect(
            "some",
            || {
                move || {
                    let to = receiver(k);
                    each_sends(n, to);
                }
            },
            [expected; 4],
        );
    }
}

#[test]
fn tries_at_a_stream() {
    // k tries at a stream of n: choose which j of them get something; in order what they get is
    // determined, without it is an arrangement of j of n.
    for (n, k) in [(2, 4), (3, 3), (4, 2)] {
        let most = n.min(k);
        let ordered = (0..=most).map(|j| choices(k, j)).sum();
        let unordered = (0..=most).map(|j| choices(k, j) * arrangements(n, j)).sum();
        expect(
            "tries",
            || {
                move || {
                    let to = spawn(move || {
                        (0..k).for_each(|_| assert_ne!(try_receive::<u64>(), Some(100)));
                    });
                    let to = to.process();
                    spawn(move || (0..n).for_each(|i| send(to, i)));
                }
            },
            [unordered, ordered, ordered, ordered],
        );
    }
}

#[test]
fn a_ring_has_one_execution() {
    // Everybody sends to the next one, who receives exactly that.
    expect(
        "ring",
        || {
            || {
                let ring: Vec<Process> = (0..5)
                    .map(|_| {
                        spawn(|| {
                            let next = receive::<Process>();
                            send(next, 1_u64);
                            receive::<u64>();
                        })
                        .process()
                    })
                    .collect();
                for at in 0..5 {
                    send(ring[at], ring[(at + 1) % 5]);
                }
            }
        },
        [1; 4],
    );
}

#[test]
fn a_pipeline_reorders_at_every_stage() {
    // Each of the stages, sink included, receives n messages of one sender: n! orders or one.
    for (n, relays) in [(2_u64, 2_u32), (3, 1), (2, 3)] {
        let unordered = factorial(n).pow(relays + 1);
        expect(
            "pipeline",
            || {
                move || {
                    let mut to = receiver(n);
                    for _ in 0..relays {
                        to = spawn(move || (0..n).for_each(|_| send(to, receive::<u64>())))
                            .process();
                    }
                    (0..n).for_each(|i| send(to, i));
                }
            },
            [unordered, 1, 1, 1],
        );
    }
}

/// Tells the root, then spawns two subtrees.
fn tree(depth: u32, root: Process) {
    send(root, u64::from(depth));
    if depth > 0 {
        for _ in 0..2 {
            spawn(move || tree(depth - 1, root));
        }
    }
}

#[test]
fn a_tree_of_spawns_is_a_heap() {
    // A parent sends before it spawns its children, so causally its message comes before theirs. The
    // orders of n nodes in which parents come before children are n! over the product of the sizes
    // of all subtrees: 7! / (7 * 3 * 3) = 80 for three levels. The senders are all different, so
    // first-in-first-out does not help.
    expect(
        "tree",
        || {
            || {
                let root = receiver(7);
                spawn(move || tree(2, root));
            }
        },
        [5040, 5040, 80, 80],
    );
}

#[test]
fn leaves_of_a_tree_are_independent() {
    fn grow(depth: u32, root: Process) {
        if depth == 0 {
            send(root, 0_u64);
            return;
        }
        for _ in 0..2 {
            spawn(move || grow(depth - 1, root));
        }
    }
    // Only the 4 leaves send: any order.
    expect(
        "leaves",
        || {
            || {
                let root = receiver(4);
                grow(2, root);
            }
        },
        [24; 4],
    );
}

#[test]
fn joins_order_what_was_sent_before() {
    // One child after the other: causally a chain. Without the joins any order.
    let program = |joins: bool| {
        move || {
            let to = receiver(4);
            for i in 0..4_u64 {
                let child = spawn(move || send(to, i));
                if joins {
                    child.join();
                }
            }
        }
    };
    expect("joined", || program(true), [24, 24, 1, 1]);
    expect("not joined", || program(false), [24; 4]);
}

#[test]
fn results_of_joined_processes() {
    // The choices of the children decide, in whichever order they are joined.
    expect(
        "results",
        || {
            || {
                let children = [2_u64, 3, 4].map(|n| spawn(move || choose(0..n)));
                let sum: u64 = children.into_iter().rev().map(|child| child.join()).sum();
                assert!(sum <= 6);
            }
        },
        [24; 4],
    );
    // A child that waits for one of 3 messages returns which: 3 executions for each of two children.
    expect(
        "results of races",
        || {
            || {
                let children = [(); 2].map(|()| spawn(receive::<u64>));
                for child in &children {
                    let to = child.process();
                    each_sends(3, to);
                }
                let sum: u64 = children.into_iter().map(|child| child.join()).sum();
                assert!(sum <= 4);
            }
        },
        [9; 4],
    );
}

#[test]
fn orders_that_are_mixed_in_one_mailbox() {
    // One sender, one mailbox: f messages in order, c in causal order, u unordered. They do not
    // constrain one another: any order of all in which the f, and the c, are in order.
    for (f, c, u) in [(2_u64, 2_u64, 1_u64), (3, 0, 2), (1, 2, 2)] {
        let expected = factorial(f + c + u) / factorial(f) / factorial(c);
        let program = || {
            move || {
                let to = receiver(f + c + u);
                for (count, delivery) in [(f, Fifo), (c, Causal), (u, Unordered)] {
                    (0..count).for_each(|i| Letter::new(i).via(delivery).send(to));
                }
            }
        };
        expect("mixed", program, [expected; 4]);
    }
}

#[test]
fn orders_that_are_mixed_between_channels() {
    // The crossing pattern on two channels. One order of all sends forbids one of the four outcomes
    // only if both channels go by it.
    let program = |first: Delivery, second: Delivery| {
        move || {
            let (to_a, a) = channel_via::<u32>("a", first);
            let (to_b, b) = channel_via::<u32>("b", second);
            spawn(move || (a.receive(), a.receive()));
            spawn(move || (b.receive(), b.receive()));
            let (to_a2, to_b2) = (to_a.clone(), to_b.clone());
            spawn(move || {
                to_a.send(1);
                to_b.send(1);
            });
            spawn(move || {
                to_b2.send(2);
                to_a2.send(2);
            });
        }
    };
    for first in DELIVERIES {
        for second in DELIVERIES {
            let both = matches!((first, second), (Mailbox, Mailbox));
            let expected = if both { 3 } else { 4 };
            let counted = every_way(Fifo, || program(first, second));
            assert_eq!(counted, (expected, 0), "{first:?} {second:?}");
        }
    }
}

#[test]
fn crossing_many_mailboxes() {
    // One sender goes through k receivers upwards, the other downwards; each receives both. In one
    // order of all sends: if b came first at i and a came first at j > i, then
    // b(i) < a(i) < a(j) < b(j) < b(i). So a comes first at some receivers from the left, b at the
    // rest: k + 1 outcomes instead of 2^k. If both go upwards, all 2^k are possible.
    for k in 1..=4_usize {
        let all = 1 << k;
        for (crosses, mailbox) in [(true, k as u64 + 1), (false, all)] {
            let program = || {
                move || {
                    let receivers: Vec<Process> = (0..k).map(|_| receiver(2)).collect();
                    let upwards = receivers.clone();
                    spawn(move || upwards.into_iter().for_each(|to| send(to, 1_u64)));
                    let mut other = receivers;
                    if crosses {
                        other.reverse();
                    }
                    spawn(move || other.into_iter().for_each(|to| send(to, 2_u64)));
                }
            };
            expect("crossing", program, [all, all, all, mailbox]);
        }
    }
}

#[test]
fn receives_that_select_by_value() {
    // First the even ones, then the odd ones: in order there is nothing to choose; otherwise any
    // order of each half.
    let n = 3_u64;
    let unordered = factorial(n) * factorial(n);
    expect(
        "parity",
        || {
            move || {
                let to = spawn(move || {
                    for parity in [0, 1] {
                        for _ in 0..n {
                            let i = receive_where(move |i: &u64, _| i % 2 == parity);
                            assert_eq!(i % 2, parity);
                        }
                    }
                })
                .process();
                (0..2 * n).for_each(|i| send(to, i));
            }
        },
        [unordered, 1, 1, 1],
    );
}

#[test]
fn receives_that_select_by_sender() {
    // All of one sender, then all of the next: each stream in n! orders or one.
    let (m, n) = (3_u32, 2_u64);
    let unordered = factorial(n).pow(m);
    expect(
        "by sender",
        || {
            move || {
                let main = current();
                let senders: Vec<Process> = (0..m)
                    .map(|_| spawn(move || (0..n).for_each(|i| send(main, i))).process())
                    .collect();
                for &sender in senders.iter().rev() {
                    (0..n).for_each(|_| assert!(messages::<u64>().from(sender).receive() < n));
                }
            }
        },
        [unordered, 1, 1, 1],
    );
}

#[test]
fn receives_that_select_by_tag() {
    // One message per tag, and a try for each: there or not, 2^k. A second try for each tag gets
    // something only if the first did not: 3^k.
    let k = 3_u64;
    let program = |rounds: u64| {
        move || {
            let to = spawn(move || {
                for _ in 0..rounds {
                    (0..k).for_each(|tag| {
                        let got = messages::<u64>().tagged(tag).try_receive();
                        assert!(got.is_none_or(|got| got == tag));
                    });
                }
            })
            .process();
            (0..k).for_each(|tag| Letter::new(tag).tagged(tag).send(to));
        }
    };
    expect("by tag", || program(1), [2_u64.pow(k as u32); 4]);
    expect("by tag, twice", || program(2), [3_u64.pow(k as u32); 4]);
}

#[test]
fn clients_and_a_server() {
    // Each of n clients makes r calls, one after the other: the server sees the n * r requests in
    // any order that keeps each client's, under every order of delivery.
    for (n, r) in [(3_u64, 1_u64), (2, 2), (3, 2), (2, 3)] {
        let expected = factorial(n * r) / factorial(r).pow(n as u32);
        let program = || {
            move || {
                let server = Builder::new().daemon().spawn(|| {
                    loop {
                        let client = receive::<Process>();
                        send(client, ());
                    }
                });
                let server = server.process();
                for _ in 0..n {
                    spawn(move || {
                        for _ in 0..r {
                            send(server, current());
                            receive::<()>();
                        }
                    });
                }
            }
        };
        expect("calls", program, [expected; 4]);
    }
}

#[test]
fn rounds_with_a_barrier() {
    // In each round the coordinator hears from all n workers in any order, then lets them go on.
    let (n, rounds) = (3_usize, 2_u32);
    let expected = factorial(n as u64).pow(rounds);
    expect(
        "barrier",
        || {
            move || {
                let main = current();
                let worker = move || {
                    for _ in 0..rounds {
                        send(main, current());
                        receive::<()>();
                    }
                };
                for _ in 0..n {
                    spawn(worker);
                }
                for _ in 0..rounds {
                    let waiting: Vec<Process> = (0..n).map(|_| receive::<Process>()).collect();
                    waiting.into_iter().for_each(|process| send(process, ()));
                }
            }
        },
        [expected; 4],
    );
}

#[test]
fn messages_that_nobody_wants() {
    // What is not accepted by any receive does not count, however much of it there is.
    expect(
        "noise",
        || {
            || {
                let to = receiver(2);
                for i in 0..2_u64 {
                    spawn(move || {
                        send(to, "noise");
                        send(to, i);
                        send(to, "more noise");
                    });
                }
            }
        },
        [2; 4],
    );
}
