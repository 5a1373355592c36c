//! Small programs with exact counts: the examples of the paper and the litmus tests of the peer.

use crate::script::{DELIVERIES, Do, RECV, TRY, every_way, script_counts};
use plainsong::{
    Delivery, Process, assume, channel, channel_via, choose, choose_bool, current, messages,
    receive, receive_where, select, send, spawn, try_receive,
};

use Delivery::{Causal, Fifo, Mailbox, Unordered};

fn in_all(program: fn(), expected: (u64, u64)) {
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), expected, "{delivery:?}");
    }
}

#[test]
fn a_toy_chain_has_two_executions() {
    in_all_but_unordered(
        || {
            let tail = spawn(|| (receive::<u32>(), receive::<u32>()));
            let to = tail.process();
            let head = spawn(move || {
                for _ in 0..2 {
                    send(to, receive::<u32>());
                }
            });
            for n in [1_u32, 2] {
                let to = head.process();
                spawn(move || send(to, n));
            }
        },
        (2, 0),
    );
}

#[test]
fn timeouts_by_coin_toss_are_wasteful() {
    let n = 5;
    in_all(
        || {
            (0..5).for_each(|_| {
                if choose_bool() {
                    assume(true);
                }
            });
        },
        (1 << n, 0),
    );
    in_all(
        || assert_eq!([(); 5].map(|()| try_receive::<u32>()), [None; 5]),
        (1, 0),
    );
}

#[test]
fn selective_receives_overtake() {
    let script = vec![
        vec![Do::Send(1, 1), Do::Send(1, 2)],
        vec![Do::Recv(Some(2), true), Do::Recv(Some(1), true)],
    ];
    for delivery in DELIVERIES {
        assert_eq!(script_counts(&script, delivery), (1, 0));
    }
}

#[test]
fn l1_a_toss_decides_what_is_sent() {
    for (options, expected) in [(2_u32, 4), (5, 10), (4, 8)] {
        for delivery in DELIVERIES {
            let counted = every_way(delivery, || {
                move || {
                    let helper = spawn(try_receive::<u32>);
                    let value = choose(0..options);
                    send(helper.process(), value);
                }
            });
            assert_eq!(counted, (expected, 0));
        }
    }
}

fn forwards_if_it_got_something(to: Process) -> impl FnOnce() + 'static {
    move || {
        if try_receive::<u32>().is_some() {
            send(to, 1_u32);
        }
    }
}

#[test]
fn l3_two_forwarders() {
    in_all_but_unordered(
        || {
            let r = spawn(|| {
                try_receive::<u32>();
                try_receive::<u32>();
            });
            let s1 = spawn(forwards_if_it_got_something(r.process()));
            let s2 = spawn(forwards_if_it_got_something(r.process()));
            send(s1.process(), 0_u32);
            send(s2.process(), 0_u32);
        },
        (14, 0),
    );
}

#[test]
fn l4_two_forwarders_and_one_receive() {
    for delivery in [Causal, Mailbox] {
        let counted = every_way(delivery, || {
            || {
                let r = spawn(try_receive::<u32>);
                let s1 = spawn(forwards_if_it_got_something(r.process()));
                let s2 = spawn(forwards_if_it_got_something(r.process()));
                send(s1.process(), 0_u32);
                send(s2.process(), 0_u32);
            }
        });
        assert_eq!(counted, (8, 0), "{delivery:?}");
    }
}

fn in_all_but_unordered(program: fn(), expected: (u64, u64)) {
    for delivery in [Fifo, Causal, Mailbox] {
        assert_eq!(every_way(delivery, || program), expected, "{delivery:?}");
    }
}

#[test]
fn l5_two_sends_after_a_receive() {
    in_all_but_unordered(
        || {
            let r = spawn(try_receive::<u32>);
            let to = r.process();
            let s = spawn(move || {
                if try_receive::<u32>().is_some() {
                    send(to, 1_u32);
                    send(to, 2_u32);
                }
            });
            send(s.process(), 0_u32);
        },
        (3, 0),
    );
}

#[test]
fn l6_assumptions_block() {
    in_all_but_unordered(
        || {
            let r = spawn(|| assume(try_receive::<u32>().is_some()));
            let to = r.process();
            let s = spawn(move || {
                assume(try_receive::<u32>().is_some());
                send(to, 1_u32);
                send(to, 2_u32);
            });
            send(s.process(), 0_u32);
        },
        (1, 2),
    );
}

#[test]
fn l7_the_value_decides_who_waits_for_ever() {
    // S1 forwards only if it was given an address; S2 sends S1 something else.
    let program = || {
        let r = spawn(receive::<u32>);
        let s1 = spawn(|| {
            if let Some(to) = receive::<Option<Process>>() {
                send(to, 1_u32);
            }
        });
        let to = s1.process();
        let s2 = spawn(move || {
            receive::<()>();
            send(to, None::<Process>);
        });
        send(s1.process(), Some(r.process()));
        send(s2.process(), ());
    };
    for delivery in [Unordered, Fifo] {
        assert_eq!(every_way(delivery, || program), (1, 1), "{delivery:?}");
    }
    // Here what S2 sends comes after what `main` sent before.
    assert_eq!(every_way(Causal, || program), (1, 0));
}

#[test]
fn l8_nobody_receives_the_answers() {
    in_all(
        || {
            let main = current();
            let workers = [(); 3].map(|()| {
                spawn(move || {
                    let n = receive::<u32>();
                    send(main, n);
                })
            });
            for worker in workers {
                send(worker.process(), 1_u32);
            }
        },
        (1, 0),
    );
}

#[test]
fn l13_a_value_that_must_arrive() {
    let program = |waits: bool| {
        move || {
            let h1 = spawn(|| assume(try_receive::<u32>() == Some(42))).process();
            let h3 = spawn(move || {
                if waits {
                    receive::<u32>();
                } else {
                    try_receive::<u32>();
                }
            })
            .process();
            let h2 = spawn(|| {
                let to = receive::<Process>();
                send(to, 1_u32);
            });
            let h4 = spawn(|| {
                let (a, b) = (receive::<Process>(), receive::<Process>());
                send(a, 2_u32);
                send(b, 42_u32);
            });
            send(h2.process(), h3);
            send(h4.process(), h3);
            send(h4.process(), h1);
        }
    };
    assert_eq!(every_way(Fifo, || program(true)).0, 2);
    assert_eq!(every_way(Fifo, || program(false)).0, 3);
}

#[test]
fn l15_tags() {
    let sender = vec![Do::Send(1, 1), Do::Send(1, 2)];
    for (receiver, expected) in [
        (vec![Do::Recv(Some(2), true), Do::Recv(Some(1), true)], 1),
        (vec![Do::Recv(Some(1), true), Do::Recv(Some(2), true)], 1),
        (vec![Do::Recv(Some(1), false), Do::Recv(Some(2), false)], 4),
    ] {
        let script = vec![sender.clone(), receiver];
        assert_eq!(script_counts(&script, Fifo), (expected, 0));
    }
}

#[test]
fn l16_two_senders_of_one_tag() {
    let script = vec![
        vec![Do::Send(1, 2), Do::Send(1, 1)],
        vec![Do::Recv(Some(2), true), Do::Recv(Some(1), true)],
        vec![Do::Send(1, 1), Do::Send(1, 0)],
    ];
    assert_eq!(script_counts(&script, Fifo), (2, 0));
}

#[test]
fn l17_selecting_by_sender() {
    let program = |waits: bool| {
        move || {
            let main = current();
            let senders = [1_u32, 2, 3, 4].map(|n| spawn(move || send(main, n)).process());
            let wanted = messages::<u32>().from(senders[2]);
            if waits {
                assert_eq!(wanted.receive(), 3);
            } else {
                assert!(matches!(wanted.try_receive(), None | Some(3)));
            }
        }
    };
    assert_eq!(every_way(Fifo, || program(true)), (1, 0));
    assert_eq!(every_way(Fifo, || program(false)), (2, 0));
}

#[test]
fn l18_contradictory_orders_do_not_exist_in_mailboxes() {
    // T1 sends to T4, then T3; T2 sends to T3, then T4. T3 sees T1's message first and T4 sees T2's
    // first: no order of all sends explains that.
    let program = || {
        let t3 = spawn(|| assume(receive::<u32>() == 1)).process();
        let t4 = spawn(|| assume(receive::<u32>() == 2)).process();
        spawn(move || {
            send(t4, 1_u32);
            send(t3, 1_u32);
        });
        spawn(move || {
            send(t3, 2_u32);
            send(t4, 2_u32);
        });
    };
    assert_eq!(every_way(Mailbox, || program).0, 0);
    assert_eq!(every_way(Causal, || program).0, 1);
}

#[test]
fn w1_the_tie_breaker_does_not_look_at_when_things_happened() {
    let counted = every_way(Unordered, || {
        || {
            let main = current();
            let t2 = spawn(move || {
                send(main, 2_u32);
                if try_receive::<u32>() == Some(1) {
                    send(main, 3_u32);
                }
            })
            .process();
            spawn(move || {
                send(main, 1_u32);
                send(t2, 1_u32);
            });
            send(main, 0_u32);
            assume(receive::<u32>() == 3);
        }
    });
    assert_eq!(counted.0, 1);
}

#[test]
fn w2_two_senders_two_tries() {
    let script = vec![vec![TRY, TRY], vec![Do::Send(0, 0)], vec![Do::Send(0, 0)]];
    assert_eq!(script_counts(&script, Unordered), (7, 0));
}

#[test]
fn b1_a_message_to_oneself() {
    let counted = every_way(Unordered, || {
        || {
            let (sender, receiver) = channel("self");
            sender.send(1);
            receiver.try_receive();
        }
    });
    assert_eq!(counted, (2, 0));
}

#[test]
fn b3_b4_b5_streams_and_tries() {
    let stream = |sends: usize, tries: usize, delivery: Delivery| {
        let script = vec![vec![TRY; tries], vec![Do::Send(0, 0); sends]];
        script_counts(&script, delivery)
    };
    assert_eq!(stream(2, 1, Unordered), (3, 0));
    assert_eq!(stream(2, 1, Fifo), (2, 0));
    assert_eq!(stream(2, 2, Unordered), (7, 0));
    assert_eq!(stream(2, 2, Fifo), (4, 0));
    for n in 0..6u64 {
        assert_eq!(stream(n as usize, n as usize, Fifo), (1 << n, 0));
        assert_eq!(stream(2, n as usize, Unordered), (n * n + n + 1, 0));
    }
}

#[test]
fn b6_no_revisit_into_the_causal_past() {
    in_all(
        || {
            let (sender, receiver) = channel::<u32>("c");
            assert_eq!(receiver.try_receive(), None);
            spawn(move || sender.send(1));
        },
        (1, 0),
    );
    in_all(
        || {
            let main = current();
            let child = spawn(try_receive::<u32>);
            let process = child.process();
            child.join();
            send(process, 1_u32);
            assert_eq!(current(), main);
        },
        (1, 0),
    );
}

#[test]
fn b7_a_try_may_miss_the_only_message() {
    let script = vec![vec![TRY, RECV], vec![Do::Send(0, 0)]];
    for delivery in DELIVERIES {
        // The receive waits for ever if the try has taken the message.
        assert_eq!(script_counts(&script, delivery), (1, 1));
    }
}

#[test]
fn b9_select_over_two_channels() {
    in_all(
        || {
            let (one, first) = channel::<u32>("first");
            let (two, second) = channel::<&str>("second");
            spawn(move || one.send(1));
            spawn(move || two.send("two"));
            select()
                .on(&first, |n| n == 1)
                .on(&second, |s| s == "two")
                .try_receive();
        },
        (3, 0),
    );
}

#[test]
fn b12_one_channel_twice_in_a_select() {
    in_all(
        || {
            let (sender, receiver) = channel::<u32>("c");
            sender.send(1);
            let first = select()
                .on(&receiver, |_| "first")
                .on(&receiver, |_| "second")
                .receive();
            assert_eq!(first, "first");
        },
        (1, 0),
    );
}

#[test]
fn p1_to_p3_the_same_program_under_every_order() {
    let program = || {
        let m = spawn(|| [(); 4].map(|()| receive::<u32>())).process();
        let b = spawn(move || {
            receive_where(|n: &u32, _| *n == 5);
            send(m, 4_u32);
        })
        .process();
        spawn(move || {
            send(m, 3_u32);
            send(b, 5_u32);
        });
        send(m, 1_u32);
        send(m, 2_u32);
    };
    for (delivery, expected) in [(Unordered, 24), (Fifo, 12), (Causal, 6), (Mailbox, 6)] {
        assert_eq!(
            every_way(delivery, || program),
            (expected, 0),
            "{delivery:?}"
        );
    }
}

#[test]
fn p3_a_stream_of_three() {
    let script = vec![vec![RECV; 3], vec![Do::Send(0, 0); 3]];
    for (delivery, expected) in [(Unordered, 6), (Fifo, 1), (Causal, 1), (Mailbox, 1)] {
        assert_eq!(
            script_counts(&script, delivery),
            (expected, 0),
            "{delivery:?}"
        );
    }
}

#[test]
fn orders_mix_in_one_program() {
    // Two channels of one sender: one keeps the order, one does not.
    let counted = every_way(Fifo, || {
        || {
            let (radio, heard) = channel_via::<u32>("radio", Unordered);
            let (wire, read) = channel_via::<u32>("wire", Causal);
            spawn(move || {
                (0..3).for_each(|n| radio.send(n));
                (0..3).for_each(|n| wire.send(n));
            });
            let _ = [(); 3].map(|()| heard.receive());
            assert_eq!([(); 3].map(|()| read.receive()), [0, 1, 2]);
        }
    });
    assert_eq!(counted, (6, 0));
}
