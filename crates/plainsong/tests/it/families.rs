//! Parametric families with known counts, under every order of delivery.

use crate::script::{DELIVERIES, Do, RECV, Script, TRY, every_way, script_counts};
use plainsong::{Delivery, Process, choose, choose_bool, current, receive, send, spawn};

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// The counts under [`DELIVERIES`], in that order, all executions complete.
fn expect(name: &str, script: &Script, expected: [u64; 4]) {
    for (delivery, expected) in DELIVERIES.into_iter().zip(expected) {
        assert_eq!(
            script_counts(script, delivery),
            (expected, 0),
            "{name} {delivery:?}"
        );
    }
}

#[test]
fn senders_race_for_one_receive() {
    let mut script = vec![vec![RECV]];
    script.extend(vec![vec![Do::Send(0, 0)]; 6]);
    expect("ns+r", &script, [6; 4]);
}

#[test]
fn senders_race_for_as_many_receives() {
    let mut script = vec![vec![RECV; 5]];
    script.extend(vec![vec![Do::Send(0, 0)]; 5]);
    expect("ns+nr", &script, [120; 4]);
}

#[test]
fn selective_receives_do_not_race() {
    let mut script = vec![
        (0..6)
            .map(|tag| Do::Recv(Some(tag), true))
            .collect::<Vec<_>>(),
    ];
    script.extend((0..6).map(|tag| vec![Do::Send(0, tag)]));
    expect("ns+nr-sel", &script, [1; 4]);
}

#[test]
fn workers_and_a_waiter() {
    for n in [3_u32, 5] {
        for delivery in DELIVERIES {
            let counted = every_way(delivery, || {
                move || {
                    let main = current();
                    let worker = spawn(move || {
                        for _ in 0..n {
                            receive::<u32>();
                        }
                        send(main, n);
                    });
                    for i in 0..n {
                        let to = worker.process();
                        spawn(move || send(to, i));
                    }
                    send(main, 0_u32);
                    receive::<u32>();
                }
            });
            assert_eq!(counted, (2 * factorial(u64::from(n)), 0), "{delivery:?}");
        }
    }
}

#[test]
fn crossing_pairs_need_one_order_of_all_sends() {
    for n in 1..=3 {
        let mut script = Vec::new();
        for pair in 0..n {
            let (a, b) = (4 * pair, 4 * pair + 1);
            script.extend([
                vec![RECV; 2],
                vec![RECV; 2],
                vec![Do::Send(a, 0), Do::Send(b, 0)],
                vec![Do::Send(b, 0), Do::Send(a, 0)],
            ]);
        }
        let n = n as u32;
        expect(
            "crossing",
            &script,
            [4u64.pow(n), 4u64.pow(n), 4u64.pow(n), 3u64.pow(n)],
        );
    }
}

#[test]
fn a_stream_stays_in_order() {
    let script = vec![vec![RECV; 4], vec![Do::Send(0, 0); 4]];
    expect("one stream", &script, [24, 1, 1, 1]);
}

#[test]
fn two_streams_merge() {
    let script = vec![
        vec![RECV; 6],
        vec![Do::Send(0, 0); 3],
        vec![Do::Send(0, 0); 3],
    ];
    expect("two streams", &script, [720, 20, 20, 20]);
}

#[test]
fn a_triangle_is_ordered_by_causality() {
    let script = vec![
        vec![Do::Send(2, 0), Do::Send(1, 0)],
        vec![RECV, Do::Send(2, 0)],
        vec![RECV; 2],
    ];
    expect("triangle", &script, [2, 2, 1, 1]);
}

#[test]
fn a_revisit_happens_from_one_execution_only() {
    let script = vec![
        vec![Do::Send(0, 0), RECV],
        vec![Do::Send(3, 0)],
        vec![Do::Send(3, 0)],
        vec![RECV],
        vec![Do::Send(0, 0)],
    ];
    expect("s+s+r-br", &script, [4; 4]);
}

#[test]
fn receives_that_do_not_wait() {
    expect("nnr", &vec![vec![TRY]; 5], [1; 4]);
    for (n, expected) in [(3, 34), (4, 209)] {
        let mut script = vec![vec![TRY; n]];
        script.extend(vec![vec![Do::Send(0, 0)]; n]);
        expect("ns+nr?", &script, [expected; 4]);
    }
}

#[test]
fn choices_multiply() {
    let toss = every_way(Delivery::Fifo, || {
        || assert_eq!([(); 10].map(|()| choose_bool()).len(), 10)
    });
    assert_eq!(toss, (1024, 0));
    let three = every_way(Delivery::Fifo, || {
        || assert_eq!([(); 5].map(|()| choose(0..3)).len(), 5)
    });
    assert_eq!(three, (243, 0));
}

#[test]
fn two_phase_commit() {
    for delivery in DELIVERIES {
        for n in 1..=4 {
            let counted = every_way(delivery, || move || two_phase_commit_among(n));
            let expected = 2u64.pow(n as u32) * factorial(n as u64);
            assert_eq!(counted, (expected, 0), "{delivery:?}");
        }
    }
}

/// The coordinator first learns who takes part; that exchange does not race with anything.
fn two_phase_commit_among(n: usize) {
    let coordinator = spawn(move || {
        let participants = receive::<Vec<Process>>();
        let votes: Vec<bool> = (0..n).map(|_| receive::<bool>()).collect();
        let commit = votes.into_iter().all(|yes| yes);
        for participant in participants {
            send(participant, commit);
        }
    });
    let to = coordinator.process();
    let participant = move || {
        let yes = choose_bool();
        send(to, yes);
        let commit = receive::<bool>();
        assert!(yes || !commit);
    };
    let participants = (0..n)
        .map(|_| spawn(participant).process())
        .collect::<Vec<_>>();
    send(to, participants);
}

#[test]
fn large_members() {
    if std::env::var_os("PLAINSONG_SLOW").is_none() {
        return;
    }
    let mut script = vec![vec![RECV; 8]];
    script.extend(vec![vec![Do::Send(0, 0)]; 8]);
    expect("ns+nr(8)", &script, [40_320; 4]);
}
