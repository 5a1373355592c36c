//! The programs, written for Plainsong.

use super::Case;
use super::measured::Measured;
use super::programs::chain::chain;
use super::programs::election::{election, vote};
use crate::measure::thread_time;
use plainsong::{
    Delivery, Explorer, Process, choose_bool, current, receive, send, spawn, try_receive,
};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

/// Explores with so many workers.
pub fn explore(case: Case, workers: usize) -> Measured {
    let delivery = match case.delivery {
        "unordered" => Delivery::Unordered,
        "fifo" => Delivery::Fifo,
        "causal" => Delivery::Causal,
        _ => Delivery::Mailbox,
    };
    let Case { program, n, .. } = case;
    let clocks = Arc::new(Clocks::default());
    let worker_clocks = Arc::clone(&clocks);
    let before = thread_time();
    let report = Explorer::new()
        .delivery(delivery)
        .jobs(workers)
        .run(move || {
            if workers > 1 {
                worker_clocks.read();
            }
            match program {
                "ns+nr" => race(n),
                "nworkers" => self::workers(n),
                "2PC" => commit(n),
                "streams" => streams(n),
                "trips" => trips(n),
                "tosses" => tosses(n),
                "polls" => polls(n),
                "mutex" => mutex(n),
                "chain" => chain(n as usize, 2, 2),
                "election" => election(2, 2, n as usize, vote),
                _ => crossing(n),
            }
        });
    let alone = thread_time() - before;
    report.assert_holds();
    let longest = if workers > 1 { clocks.longest() } else { alone };
    Measured {
        executions: report.executions,
        blocked: report.blocked,
        events: report.events,
        longest: longest.as_nanos() as u64,
        ..Measured::default()
    }
}

/// The CPU time of each worker, read now and then when it runs the program again.
#[derive(Default)]
struct Clocks(Mutex<HashMap<ThreadId, Duration>>);

impl Clocks {
    fn read(&self) {
        thread_local! {
            static TURN: Cell<u32> = const { Cell::new(0) };
        }
        let turn = TURN.replace(TURN.get().wrapping_add(1));
        if turn.is_multiple_of(256) {
            let mut clocks = self.0.lock().expect("nobody panics with it");
            clocks.insert(std::thread::current().id(), thread_time());
        }
    }

    fn longest(&self) -> Duration {
        let clocks = self.0.lock().expect("nobody panics with it");
        clocks.values().copied().max().unwrap_or_default()
    }
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
            let all = receive::<bool>();
            assert!(yes || !all);
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

fn tosses(n: u32) {
    spawn(move || (0..n).filter(|_| choose_bool()).count());
}

fn polls(n: u32) {
    let receiver = spawn(move || {
        for _ in 0..n {
            try_receive::<u32>();
        }
    });
    let receiver = receiver.process();
    for i in 0..n {
        spawn(move || send(receiver, i));
    }
}

fn mutex(n: u32) {
    let mutex = Arc::new(plainsong::sync::Mutex::new(0));
    for _ in 0..n {
        let mutex = Arc::clone(&mutex);
        spawn(move || *mutex.lock().expect("nobody panics") += 1);
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
