//! The same programs, written for TraceForge.

use super::Case;
use super::measured::Measured;
use std::sync::atomic::{AtomicU32, Ordering};
use traceforge::thread::{self, ThreadId};
use traceforge::{Config, ConsType, TypeNondet, recv_msg_block, send_msg};

/// Round trips that [`trips`] has completed: a thread that becomes longer than the peer's threshold
/// is not an error there, it just stops.
static TRIPS: AtomicU32 = AtomicU32::new(0);

/// Explores.
pub fn explore(case: Case) -> Measured {
    let order = match case.delivery {
        "fifo" => ConsType::FIFO,
        "causal" => ConsType::Causal,
        _ => ConsType::Mailbox,
    };
    let Case { program, n, .. } = case;
    let config = Config::builder()
        .with_cons_type(order)
        .with_progress_report(usize::MAX)
        .with_thread_threshold(1_000_000)
        .build();
    let stats = traceforge::verify(config, move || match program {
        "ns+nr" => race(n),
        "nworkers" => workers(n),
        "2PC" => commit(n),
        "streams" => streams(n),
        "trips" => trips(n),
        _ => crossing(n),
    });
    if program == "trips" {
        assert_eq!(TRIPS.swap(0, Ordering::Relaxed), n, "it went all the way");
    }
    Measured {
        executions: stats.execs as u64,
        blocked: stats.block as u64,
        ..Measured::default()
    }
}

fn take() -> u32 {
    recv_msg_block()
}

fn take_all(n: u32) {
    for _ in 0..n {
        take();
    }
}

fn receive_all(n: u32) -> ThreadId {
    thread::spawn(move || take_all(n)).thread().id()
}

fn race(n: u32) {
    let receiver = receive_all(n);
    for i in 0..n {
        thread::spawn(move || send_msg(receiver, i));
    }
}

fn workers(n: u32) {
    let main = thread::current().id();
    let waiter = thread::spawn(move || {
        take_all(n);
        send_msg(main, n);
    });
    let waiter = waiter.thread().id();
    for i in 0..n {
        thread::spawn(move || send_msg(waiter, i));
    }
    send_msg(main, 0_u32);
    take();
}

fn commit(n: u32) {
    let coordinator = thread::spawn(move || {
        let votes: Vec<(ThreadId, bool)> = (0..n).map(|_| recv_msg_block()).collect();
        let all = votes.iter().all(|&(_, yes)| yes);
        for (voter, _) in votes {
            send_msg(voter, all);
        }
    });
    let coordinator = coordinator.thread().id();
    for _ in 0..n {
        thread::spawn(move || {
            let yes = <bool>::nondet();
            send_msg(coordinator, (thread::current().id(), yes));
            let all: bool = recv_msg_block();
            assert!(yes || !all);
        });
    }
}

fn streams(n: u32) {
    let receiver = receive_all(2 * n);
    for _ in 0..2 {
        thread::spawn(move || (0..n).for_each(|i| send_msg(receiver, i)));
    }
}

fn trips(n: u32) {
    let main = thread::current().id();
    let other = thread::spawn(move || {
        for _ in 0..n {
            let i = take();
            send_msg(main, i);
        }
    });
    let other = other.thread().id();
    for i in 0..n {
        send_msg(other, i);
        take();
        TRIPS.store(i + 1, Ordering::Relaxed);
    }
}

fn crossing(n: u32) {
    for _ in 0..n {
        let (left, right) = (receive_all(2), receive_all(2));
        thread::spawn(move || {
            send_msg(left, 1_u32);
            send_msg(right, 2_u32);
        });
        thread::spawn(move || {
            send_msg(right, 3_u32);
            send_msg(left, 4_u32);
        });
    }
}
