//! The programs, written for Plainsong.

use super::Case;
use plainsong::{Delivery, Explorer, Process, choose_bool, current, receive, send, spawn};

/// Explores with `jobs` workers; returns the number of executions.
pub fn explore(case: Case, jobs: usize) -> u64 {
    let delivery = match case.delivery {
        "fifo" => Delivery::Fifo,
        "causal" => Delivery::Causal,
        _ => Delivery::Mailbox,
    };
    let Case { program, n, .. } = case;
    let report = Explorer::new()
        .delivery(delivery)
        .jobs(jobs)
        .run(move || match program {
            "ns+nr" => race(n),
            "nworkers" => workers(n),
            "2PC" => commit(n),
            "streams" => streams(n),
            "trips" => trips(n),
            _ => crossing(n),
        });
    report.assert_holds();
    report.executions
}

fn take(n: u32) {
    for _ in 0..n {
        receive::<u32>();
    }
}

fn receive_all(n: u32) -> Process {
    spawn(move || take(n)).process()
}

fn race(n: u32) {
    let receiver = receive_all(n);
    for i in 0..n {
        spawn(move || send(receiver, i));
    }
}

fn workers(n: u32) {
    let main = current();
    let waiter = spawn(move || {
        take(n);
        send(main, n);
    });
    let waiter = waiter.process();
    for i in 0..n {
        spawn(move || send(waiter, i));
    }
    send(main, 0_u32);
    receive::<u32>();
}

fn commit(n: u32) {
    let coordinator = spawn(move || {
        let votes: Vec<(Process, bool)> = (0..n).map(|_| receive()).collect();
        let all = votes.iter().all(|&(_, yes)| yes);
        for (voter, _) in votes {
            send(voter, all);
        }
    });
    let coordinator = coordinator.process();
    for _ in 0..n {
        spawn(move || {
            let yes = choose_bool();
            send(coordinator, (current(), yes));
            assert!(yes || !receive::<bool>());
        });
    }
}

fn streams(n: u32) {
    let receiver = receive_all(2 * n);
    for _ in 0..2 {
        spawn(move || (0..n).for_each(|i| send(receiver, i)));
    }
}

fn trips(n: u32) {
    let main = current();
    let other = spawn(move || {
        for _ in 0..n {
            let i = receive::<u32>();
            send(main, i);
        }
    });
    for i in 0..n {
        send(other.process(), i);
        receive::<u32>();
    }
}

fn crossing(n: u32) {
    for _ in 0..n {
        let (left, right) = (receive_all(2), receive_all(2));
        spawn(move || {
            send(left, 1_u32);
            send(right, 2_u32);
        });
        spawn(move || {
            send(right, 3_u32);
            send(left, 4_u32);
        });
    }
}
