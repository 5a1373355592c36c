//! The cases that every explorer of this kind should agree on, as scripts: under every order of
//! delivery, with the processes spawned in every order and scheduled in several ways.
//!
//! Each count that is known from elsewhere is written down; all counts, known or not, are compared
//! with the brute-force enumerator. (What cannot be a script is in `litmus` and `formulae`.)

use crate::oracle::count;
use crate::script::{DELIVERIES, Do, RECV, Script, TRY, in_every_spawn_order};
use plainsong::{Delivery, Explorer, Verdict, assume, receive, send, spawn};

use Do::{Assume, Choose, Recv, Send, Unless};

/// Executions that are known, complete and blocked, in the order of [`DELIVERIES`].
type Known = [Option<(u64, u64)>; 4];

fn check(name: &str, script: &Script, known: Known) {
    for (delivery, known) in DELIVERIES.into_iter().zip(known) {
        let expected = count(script, delivery);
        if let Some(known) = known {
            assert_eq!(known, expected, "the enumerator, {name}, {delivery:?}");
        }
        let found = in_every_spawn_order(script, delivery);
        assert_eq!(found, expected, "{name}, {delivery:?}");
    }
}

/// The same under every order of delivery.
fn all(complete: u64, blocked: u64) -> Known {
    [Some((complete, blocked)); 4]
}

/// Complete ones only, under each order of delivery.
fn each(complete: [u64; 4]) -> Known {
    complete.map(|complete| Some((complete, 0)))
}

/// Under all orders but the first.
fn ordered(complete: u64, blocked: u64) -> Known {
    let known = Some((complete, blocked));
    [None, known, known, known]
}

/// `n` processes that send one message each to process 0.
fn with_senders(mut script: Script, n: usize) -> Script {
    script.extend(vec![vec![Send(0, 0)]; n]);
    script
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn c1_to_c3_senders_and_receives() {
    for n in [1, 2, 4] {
        check("ns+r", &with_senders(vec![vec![RECV]], n), all(n as u64, 0));
        let mut tagged = vec![(0..n as u8).map(|tag| Recv(Some(tag), true)).collect()];
        tagged.extend((0..n as u8).map(|tag| vec![Send(0, tag)]));
        check("ns+nr-sel", &tagged, all(1, 0));
    }
    for n in 1..=4 {
        let script = with_senders(vec![vec![RECV; n]], n);
        check("ns+nr", &script, all(factorial(n as u64), 0));
    }
}

#[test]
fn c4_workers_and_a_waiter() {
    for n in 1..=3 {
        let mut worker = vec![RECV; n];
        worker.push(Send(1, 0));
        let script = with_senders(vec![worker, vec![Send(1, 0), RECV]], n);
        check("nworkers", &script, all(2 * factorial(n as u64), 0));
    }
}

fn crossing() -> Script {
    vec![
        vec![RECV; 2],
        vec![RECV; 2],
        vec![Send(0, 0), Send(1, 0)],
        vec![Send(1, 0), Send(0, 0)],
    ]
}

#[test]
fn c5_crossing() {
    check("crossing", &crossing(), each([4, 4, 4, 3]));
}

#[test]
fn c6_and_c7_streams() {
    for n in 1..=4 {
        let script = vec![vec![RECV; n], vec![Send(0, 0); n]];
        check("one stream", &script, each([factorial(n as u64), 1, 1, 1]));
    }
    for (n, merged) in [(1, 2), (2, 6)] {
        let stream = vec![Send(0, 0); n];
        let script = vec![vec![RECV; 2 * n], stream.clone(), stream];
        let unordered = factorial(2 * n as u64);
        check(
            "two streams",
            &script,
            each([unordered, merged, merged, merged]),
        );
    }
}

#[test]
fn c8_a_triangle() {
    let script = vec![
        vec![Send(2, 0), Send(1, 0)],
        vec![RECV, Send(2, 0)],
        vec![RECV; 2],
    ];
    check("triangle", &script, each([2, 2, 1, 1]));
}

#[test]
fn c9_a_revisit_with_a_branch() {
    let script = vec![
        vec![Send(0, 0), RECV],
        vec![Send(3, 0)],
        vec![Send(3, 0)],
        vec![RECV],
        vec![Send(0, 0)],
    ];
    check("s+s+r-br", &script, all(4, 0));
}

#[test]
fn c10_and_c11_tries() {
    check("nnr", &vec![vec![TRY; 3]; 3], all(1, 0));
    for (n, expected) in [(1, 2), (2, 7), (3, 34)] {
        check(
            "ns+nr?",
            &with_senders(vec![vec![TRY; n]], n),
            all(expected, 0),
        );
    }
}

#[test]
fn c12_choices() {
    check("toss", &vec![vec![Choose(2); 5]], all(32, 0));
    check(
        "choice",
        &vec![vec![Choose(3); 2], vec![Choose(4)]],
        all(36, 0),
    );
}

/// The coordinator and `n` participants.
fn two_phase_commit(n: usize) -> Script {
    let mut coordinator = vec![RECV; n];
    coordinator.extend((1..=n).map(|participant| Send(participant, 0)));
    let mut script = vec![coordinator];
    script.extend(vec![vec![Choose(2), Send(0, 0), RECV]; n]);
    script
}

#[test]
fn c13_and_t1_two_phase_commit() {
    for n in 1..=3 {
        let expected = 2_u64.pow(n as u32) * factorial(n as u64);
        check("2PC", &two_phase_commit(n), all(expected, 0));
    }
    let script = std::sync::Arc::new(two_phase_commit(5));
    for delivery in DELIVERIES {
        for jobs in [1, 2, 4] {
            let script = std::sync::Arc::clone(&script);
            let explorer = Explorer::new().delivery(delivery).jobs(jobs);
            let report = explorer.run(move || crate::script::play(&script, &[3, 1, 0, 5, 2, 4]));
            report.assert_holds();
            assert_eq!(
                (report.executions, report.blocked),
                (3840, 0),
                "{delivery:?} {jobs}"
            );
        }
    }
}

#[test]
fn examples_of_the_paper() {
    check(
        "2.3, 4.1, 4.2",
        &with_senders(vec![vec![RECV]], 2),
        all(2, 0),
    );
    let selective = vec![
        vec![Send(1, 1), Send(1, 2)],
        vec![Recv(Some(2), true), Recv(Some(1), true)],
    ];
    check("2.8", &selective, all(1, 0));
    let causal_pair = vec![
        vec![Send(2, 1), Send(1, 0)],
        vec![RECV, Send(2, 2)],
        vec![RECV; 2],
    ];
    check("3.1", &causal_pair, each([2, 2, 1, 1]));
}

/// S forwards to R if it got something.
fn forwarder(to: usize) -> Vec<Do> {
    vec![TRY, Unless(None), Send(to, 0)]
}

#[test]
fn l1_and_l2_a_choice_and_a_try() {
    for (options, expected) in [(2, 4), (5, 10), (4, 8)] {
        let script = vec![vec![TRY], vec![Choose(options), Send(0, 0)]];
        check("L1, L2", &script, all(expected, 0));
    }
}

#[test]
fn l3_and_l4_two_forwarders() {
    let program = |tries| {
        let main = vec![Send(1, 0), Send(2, 0)];
        vec![vec![TRY; tries], forwarder(0), forwarder(0), main]
    };
    check("L3", &program(2), ordered(14, 0));
    check("L4", &program(1), ordered(8, 0));
}

#[test]
fn l5_and_l6_two_sends_after_a_try() {
    let main = vec![Send(1, 7)];
    let s = vec![TRY, Unless(None), Send(0, 1), Send(0, 1)];
    check("L5", &vec![vec![TRY], s, main.clone()], ordered(3, 0));
    let s = vec![TRY, Assume(7), Send(0, 1), Send(0, 1)];
    check("L6", &vec![vec![TRY, Assume(1)], s, main], ordered(1, 2));
}

#[test]
fn l7_the_value_decides() {
    let script = vec![
        vec![RECV],
        vec![RECV, Unless(Some(1)), Send(0, 0)],
        vec![RECV, Send(1, 2)],
        vec![Send(1, 1), Send(2, 0)],
    ];
    // Causally, what S2 sends comes after what main had sent before.
    let known = [Some((1, 1)), Some((1, 1)), Some((1, 0)), Some((1, 0))];
    check("L7", &script, known);
}

#[test]
fn l8_nobody_receives() {
    let worker = vec![RECV, Send(3, 0)];
    let main = vec![Send(0, 0), Send(1, 0), Send(2, 0)];
    let script = vec![worker.clone(), worker.clone(), worker, main];
    check("L8", &script, all(1, 0));
}

#[test]
fn l13_a_value_that_must_arrive() {
    let program = |third| {
        vec![
            vec![TRY, Assume(42)],
            vec![RECV, Send(2, 1)],
            vec![third],
            vec![RECV, RECV, Send(2, 2), Send(0, 42)],
            vec![Send(1, 0), Send(3, 3), Send(3, 4)],
        ]
    };
    let complete = |script: &Script| {
        let fifo = in_every_spawn_order(script, Delivery::Fifo);
        assert_eq!(fifo, count(script, Delivery::Fifo));
        fifo.0
    };
    assert_eq!(complete(&program(RECV)), 2);
    assert_eq!(complete(&program(TRY)), 3);
    check("L13", &program(RECV), [None; 4]);
    check("L13 with a try", &program(TRY), [None; 4]);
}

#[test]
fn l15_and_l16_tags() {
    let sender = vec![Send(1, 1), Send(1, 2)];
    let receiver = |first, second, waits| vec![Recv(Some(first), waits), Recv(Some(second), waits)];
    check(
        "L15",
        &vec![sender.clone(), receiver(2, 1, true)],
        all(1, 0),
    );
    check(
        "L15",
        &vec![sender.clone(), receiver(1, 2, true)],
        all(1, 0),
    );
    check("L15", &vec![sender, receiver(1, 2, false)], all(4, 0));
    let script = vec![
        vec![Send(1, 2), Send(1, 1)],
        receiver(2, 1, true),
        vec![Send(1, 1), Send(1, 0)],
    ];
    check("L16", &script, ordered(2, 0));
}

#[test]
fn l18_contradictory_orders() {
    let script = vec![
        vec![RECV, Assume(1)],
        vec![RECV, Assume(2)],
        vec![Send(1, 1), Send(0, 1)],
        vec![Send(0, 2), Send(1, 2)],
    ];
    // Blocked are the executions in which some assumption fails: all but one, or all there are.
    let known = [Some((1, 3)), Some((1, 3)), Some((1, 3)), Some((0, 3))];
    check("L18", &script, known);
}

#[test]
fn w1_and_w2_revisits() {
    let script = vec![
        vec![Send(0, 0), RECV, Assume(3)],
        vec![Send(0, 1), Send(2, 1)],
        vec![Send(0, 2), TRY, Unless(Some(1)), Send(0, 3)],
    ];
    assert_eq!(count(&script, Delivery::Unordered).0, 1);
    check("W1", &script, [None; 4]);
    check("W2", &with_senders(vec![vec![TRY; 2]], 2), all(7, 0));
}

#[test]
fn b1_to_b7_streams_and_tries() {
    check("B1", &vec![vec![Send(0, 0), TRY]], all(2, 0));
    let stream = |sends, tries| vec![vec![TRY; tries], vec![Send(0, 0); sends]];
    check("B3", &stream(2, 1), each([3, 2, 2, 2]));
    check("B4", &stream(2, 2), each([7, 4, 4, 4]));
    for n in 0..=5_usize {
        let ordered = Some((1 << n, 0));
        check("B5", &stream(n, n), [None, ordered, ordered, ordered]);
        let n = n as u64;
        let unordered = Some((n * n + n + 1, 0));
        check("B5", &stream(2, n as usize), [unordered, None, None, None]);
    }
    check("B7", &with_senders(vec![vec![TRY, RECV]], 1), all(1, 1));
}

#[test]
fn b5_longer() {
    use crate::script::script_counts;
    for n in 6..=9_u64 {
        let tries = vec![TRY; n as usize];
        let stream = vec![tries.clone(), vec![Send(0, 0); n as usize]];
        assert_eq!(script_counts(&stream, Delivery::Fifo), (1 << n, 0));
        let two = vec![tries, vec![Send(0, 0); 2]];
        assert_eq!(script_counts(&two, Delivery::Unordered), (n * n + n + 1, 0));
    }
}

#[test]
fn p1_to_p4_one_program_under_every_order() {
    let program = |receives| {
        vec![
            vec![RECV; receives],
            vec![Send(0, 3), Send(2, 5)],
            vec![RECV, Send(0, 4)],
            vec![Send(0, 1), Send(0, 2)],
        ]
    };
    check("P1", &program(4), each([24, 12, 6, 6]));
    // The last message is determined by the others.
    check("P1", &program(3), each([24, 12, 6, 6]));
    check(
        "P3",
        &vec![vec![RECV; 3], vec![Send(0, 0); 3]],
        each([6, 1, 1, 1]),
    );
    check("P4", &crossing(), each([4, 4, 4, 3]));
}

#[test]
fn p5_a_violation_that_mailboxes_exclude() {
    // Each receiver reports whether the other sender's message came first; both at once is what no
    // order of all sends explains.
    let program = || {
        let judge = spawn(|| {
            let crossed = [receive::<bool>(), receive::<bool>()];
            assert_ne!(crossed, [true, true], "contradictory orders");
        })
        .process();
        let receivers = [0_u32, 1].map(|own| {
            spawn(move || {
                let first = receive::<u32>();
                receive::<u32>();
                send(judge, first != own);
            })
            .process()
        });
        for sender in 0..2_u32 {
            let (own, other) = (receivers[sender as usize], receivers[1 - sender as usize]);
            spawn(move || {
                send(own, sender);
                send(other, sender);
            });
        }
    };
    for delivery in DELIVERIES {
        for seed in 0..8 {
            let report = Explorer::new().delivery(delivery).seed(seed).run(program);
            match delivery {
                // Three orders of the receives, and two of the reports.
                Delivery::Mailbox => assert_eq!(report.executions, 6, "{report}"),
                _ => assert_eq!(report.verdict, Verdict::Refuted, "{delivery:?}"),
            }
        }
    }
    let alone = || {
        let receivers = [0_u32, 1].map(|own| {
            spawn(move || {
                let first = receive::<u32>();
                receive::<u32>();
                assume(first == own);
            })
            .process()
        });
        for sender in 0..2_u32 {
            let (own, other) = (receivers[sender as usize], receivers[1 - sender as usize]);
            spawn(move || {
                send(other, sender);
                send(own, sender);
            });
        }
    };
    let report = Explorer::new().delivery(Delivery::Mailbox).run(alone);
    assert_eq!(
        (report.executions, report.blocked),
        (0, 3),
        "complete and blocked"
    );
}
