//! The parametric families of the conformance suite: exact numbers of executions per model.

use crate::threads::*;

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// `n` threads that each send once to thread 0, which does `receiver`.
fn senders(n: usize, receiver: Vec<Op>) -> Vec<Vec<Op>> {
    let mut threads = vec![receiver];
    threads.extend((0..n).map(|at| vec![S(0, at as i64)]));
    threads
}

#[test]
fn c1_many_senders_one_receive() {
    for n in 1..=6 {
        assert_eq!(complete(&senders(n, vec![R])), [n as u64; 4]);
    }
}

#[test]
fn c2_many_senders_as_many_receives() {
    for n in 1..=5 {
        assert_eq!(
            complete(&senders(n, times(n, &R))),
            [factorial(n as u64); 4]
        );
    }
}

#[test]
fn c3_selective_receives_leave_one() {
    for n in 1..=5 {
        let receiver = (0..n).map(|at| Rt(at as i64)).collect();
        assert_eq!(complete(&senders(n, receiver)), [1; 4]);
    }
}

#[test]
fn c4_workers() {
    for n in 1..=4usize {
        let mut worker = times(n, &R);
        worker.push(S(1, 0));
        let mut threads = vec![worker, vec![S(1, 1), R]];
        threads.extend((0..n).map(|at| vec![S(0, at as i64)]));
        assert_eq!(complete(&threads), [2 * factorial(n as u64); 4]);
    }
}

#[test]
fn c5_crossing_has_one_less_with_mailboxes() {
    for n in 1..=2u32 {
        let mut threads = Vec::new();
        for copy in 0..n as usize {
            let (a, b) = (4 * copy + 2, 4 * copy + 3);
            threads.push(vec![S(a, 0), S(b, 0)]);
            threads.push(vec![S(b, 1), S(a, 1)]);
            threads.push(vec![R, R]);
            threads.push(vec![R, R]);
        }
        assert_eq!(
            complete(&threads),
            [4u64.pow(n), 4u64.pow(n), 4u64.pow(n), 3u64.pow(n)]
        );
    }
}

#[test]
fn c6_one_stream() {
    for n in 1..=5 {
        let threads = [times(n, &S(1, 0)), times(n, &R)];
        assert_eq!(complete(&threads), [factorial(n as u64), 1, 1, 1]);
    }
}

#[test]
fn c7_two_streams() {
    for n in 1..=3usize {
        let threads = [times(n, &S(2, 0)), times(n, &S(2, 1)), times(2 * n, &R)];
        let n = n as u64;
        let merges = factorial(2 * n) / (factorial(n) * factorial(n));
        assert_eq!(
            complete(&threads),
            [factorial(2 * n), merges, merges, merges]
        );
    }
}

#[test]
fn c8_triangle() {
    let threads = [vec![S(2, 0), S(1, 0)], vec![R, S(2, 1)], vec![R, R]];
    assert_eq!(complete(&threads), [2, 2, 1, 1]);
}

#[test]
fn c9_branching_receive() {
    let threads = [
        vec![S(0, 0), R],
        vec![S(3, 1)],
        vec![S(3, 2)],
        vec![R],
        vec![S(0, 3)],
    ];
    assert_eq!(complete(&threads), [4; 4]);
}

#[test]
fn c10_timeouts_without_senders() {
    for n in 1..=4 {
        assert_eq!(complete(&[times(n, &T)]), [1; 4]);
    }
}

#[test]
fn c11_senders_and_timeouts() {
    for (n, expected) in [(1, 2), (2, 7), (3, 34), (4, 209)] {
        assert_eq!(complete(&senders(n, times(n, &T))), [expected; 4]);
    }
}

#[test]
fn c12_choices() {
    for n in 1..=5 {
        assert_eq!(
            complete(&[times(n, &Toss(vec![], vec![]))]),
            [2u64.pow(n as u32); 4]
        );
        assert_eq!(complete(&[times(n, &Choose(3))]), [3u64.pow(n as u32); 4]);
    }
}

#[test]
fn c13_two_phase_commit() {
    for n in 1..=3usize {
        let mut coordinator = times(n, &R);
        coordinator.extend((1..=n).map(|db| S(db, 0)));
        let mut threads = vec![coordinator];
        threads.extend((0..n).map(|_| vec![Toss(vec![S(0, 1)], vec![S(0, 2)]), R]));
        let expected = 2u64.pow(n as u32) * factorial(n as u64);
        assert_eq!(complete(&threads), [expected; 4]);
    }
}
