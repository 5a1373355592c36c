//! Single programs of the conformance suite.

use crate::threads::*;
use plainsong_ir::Delivery::{self, Causal, Fifo, Mailbox, Unordered};

/// Complete, and cut off or blocked.
fn both(threads: &[Vec<Op>], model: Delivery) -> (u64, u64) {
    let count = counts(threads, model);
    assert_eq!(count.failed, 0);
    (count.complete, count.blocked + count.discarded)
}

#[test]
fn l1_l2_choices_before_a_timeout() {
    let toss = |count| [vec![Choose(count), S(1, 0)], vec![T]];
    for (count, expected) in [(2, 4), (5, 10), (4, 8)] {
        assert_eq!(complete(&toss(count)), [expected; 4]);
    }
}

#[test]
fn l3_forwarders_and_two_timeouts() {
    let forward = |to| vec![Got(vec![S(to, 0)], vec![])];
    let threads = [vec![S(1, 0), S(2, 0)], forward(3), forward(3), vec![T, T]];
    assert_eq!(complete(&threads)[1..], [14; 3]);
    let threads = [vec![S(1, 0), S(2, 0)], forward(3), forward(3), vec![T]];
    assert_eq!(complete(&threads)[2..], [8; 2]);
}

#[test]
fn l5_l6_two_forwards_and_an_assumption() {
    let forward = vec![Got(vec![S(2, 0), S(2, 0)], vec![])];
    assert_eq!(complete(&[vec![S(1, 0)], forward, vec![T]])[1], 3);
    let forward = vec![Got(vec![S(2, 0), S(2, 0)], vec![Cut])];
    let threads = [vec![S(1, 0)], forward, vec![Got(vec![], vec![Cut])]];
    let count = counts(&threads, Fifo);
    assert_eq!((count.complete, count.blocked, count.discarded), (1, 0, 2));
}

#[test]
fn l8_nobody_receives_the_replies() {
    let reply = vec![R, S(0, 0)];
    let threads = [
        vec![S(1, 0), S(2, 0), S(3, 0)],
        reply.clone(),
        reply.clone(),
        reply,
    ];
    assert_eq!(complete(&threads), [1; 4]);
}

#[test]
fn l15_l16_selection_by_tag() {
    let two = vec![S(1, 1), S(1, 2)];
    assert_eq!(complete(&[two.clone(), vec![Rt(2), Rt(1)]]), [1; 4]);
    assert_eq!(complete(&[two.clone(), vec![Rt(1), Rt(2)]]), [1; 4]);
    assert_eq!(complete(&[two, vec![Tt(1), Tt(2)]])[1], 4);
    let threads = [
        vec![S(1, 2), S(1, 1)],
        vec![Rt(2), Rt(1)],
        vec![S(1, 1), S(1, 0)],
    ];
    assert_eq!(complete(&threads)[1], 2);
}

#[test]
fn l17_selection_by_sender() {
    let senders = |receiver: Vec<Op>| {
        let mut threads = vec![receiver];
        threads.extend((0..4).map(|_| vec![S(0, 0)]));
        threads
    };
    assert_eq!(complete(&senders(vec![Rf(2)])), [1; 4]);
    assert_eq!(complete(&senders(vec![Tf(2)])), [2; 4]);
}

#[test]
fn w1_the_first_choice_must_not_depend_on_time() {
    let only = |tag| vec![If(tag, vec![], vec![Cut])];
    let mut main = vec![S(0, 0)];
    main.extend(only(3));
    let threads = [
        main,
        vec![S(0, 1), S(2, 0)],
        vec![S(0, 2), Got(vec![S(0, 3)], vec![])],
    ];
    assert_eq!(counts(&threads, Unordered).complete, 1);
}

#[test]
fn w2_two_timeouts_two_senders() {
    assert_eq!(complete(&[vec![T, T], vec![S(0, 1)], vec![S(0, 2)]])[0], 7);
}

#[test]
fn b1_to_b5_timeouts_on_one_stream() {
    assert_eq!(complete(&[vec![S(0, 0), T]])[0], 2);
    let two = times(2, &S(1, 0));
    assert_eq!(complete(&[two.clone(), vec![T]])[..2], [3, 2]);
    assert_eq!(complete(&[two.clone(), vec![T, T]])[..2], [7, 4]);
    for n in 0..=4usize {
        let threads = [times(n, &S(1, 0)), times(n, &T)];
        assert_eq!(counts(&threads, Fifo).complete, 2u64.pow(n as u32));
        let threads = [two.clone(), times(n, &T)];
        assert_eq!(counts(&threads, Unordered).complete, (n * n + n + 1) as u64);
    }
}

#[test]
fn b7_a_timeout_may_leave_what_is_then_waited_for() {
    let threads = [vec![S(1, 0)], vec![T, R]];
    for model in Delivery::ALL {
        assert_eq!(both(&threads, model), (1, 1));
    }
}

#[test]
fn p1_to_p3_one_program_under_every_model() {
    // main sends 1, 2 to M; A sends 3 to M, then 5 to B; B receives 5, then sends 4 to M.
    let threads = [
        vec![S(3, 1), S(3, 2)],
        vec![S(3, 3), S(2, 5)],
        vec![R, S(3, 4)],
        vec![R, R, R, R],
    ];
    assert_eq!(complete(&threads), [24, 12, 6, 6]);
    assert_eq!(
        complete(&[vec![S(1, 1), S(1, 2), S(1, 3)], vec![R, R, R]]),
        [6, 1, 1, 1]
    );
}

#[test]
fn p5_a_failure_only_without_mailboxes() {
    // The crossing pattern, where the one combination that mailboxes exclude fails.
    let a = vec![If(1, vec![S(4, 0)], vec![]), R];
    let b = vec![If(0, vec![S(4, 0)], vec![]), R];
    let judge = vec![R, R, Fail];
    let threads = [vec![S(2, 0), S(3, 0)], vec![S(3, 1), S(2, 1)], a, b, judge];
    assert!(counts(&threads, Causal).failed > 0);
    assert_eq!(counts(&threads, Mailbox).failed, 0);
}

#[test]
fn a_failing_process_stands_still_and_the_others_go_on() {
    let threads = [vec![S(1, 0), Fail], vec![Got(vec![Fail], vec![])]];
    let count = counts(&threads, Fifo);
    // The send and the failure are one step, so the message never arrives.
    assert_eq!((count.complete, count.failed), (0, 1));
    let threads = [vec![S(1, 0)], vec![Got(vec![Fail], vec![Cut])]];
    let count = counts(&threads, Fifo);
    assert_eq!((count.complete, count.failed, count.discarded), (0, 1, 1));
}
