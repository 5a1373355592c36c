//! How many executions a second: `cargo run --release --example throughput`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use plainsong::{Delivery, Explorer, Process, choose_bool, current, receive, send, spawn};

/// `n` senders race for a receiver that receives `n` times.
fn senders_and_receives(n: u32) {
    let receiver = spawn(move || {
        for _ in 0..n {
            receive::<u32>();
        }
    });
    for i in 0..n {
        let to = receiver.process();
        spawn(move || send(to, i));
    }
}

/// `n` senders race for a worker; then the worker races with `main` for `main`'s mailbox.
fn workers(n: u32) {
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

/// Two-phase commit with `n` participants.
fn two_phase_commit(n: usize) {
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
        assert!(yes || !receive::<bool>());
    };
    let participants = (0..n)
        .map(|_| spawn(participant).process())
        .collect::<Vec<_>>();
    send(to, participants);
}

/// Two processes send `n` messages back and forth: one long execution.
fn round_trips(n: u32) {
    let main = current();
    let other = spawn(move || {
        for _ in 0..n {
            let i = receive::<u32>();
            send(main, i + 1);
        }
    });
    for i in 0..n {
        send(other.process(), i);
        assert_eq!(receive::<u32>(), i + 1);
    }
}

fn measure(name: &str, explorer: &Explorer, program: impl Fn() + Send + Sync + 'static) {
    let before = cpu_seconds();
    let report = explorer.run(program);
    report.assert_holds();
    let seconds = before
        .zip(cpu_seconds())
        .map_or(report.seconds, |(before, now)| now - before);
    println!(
        "{name:22} {:>8} executions {seconds:>7.3} s {:>9.0} per s {:>6.1} MB",
        report.executions,
        report.executions as f64 / seconds,
        report.peak_memory.unwrap_or_default() as f64 / 1e6,
    );
}

/// What this thread has had of the processor, where the system tells: on a busy machine, the time
/// that passes says little.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn main() {
    let n = std::env::args()
        .nth(1)
        .map_or(8, |n| n.parse().expect("a number"));
    let fifo = Explorer::new();
    measure(&format!("ns+nr({n})"), &fifo, move || {
        senders_and_receives(n);
    });
    measure(&format!("nworkers({n})"), &fifo, move || workers(n));
    measure("2pc(6)", &fifo, || two_phase_commit(6));
    measure("1000 round trips", &fifo, || round_trips(1000));
    for delivery in [Delivery::Unordered, Delivery::Causal, Delivery::Mailbox] {
        let explorer = Explorer::new().delivery(delivery);
        measure(
            &format!("nworkers({n}) {delivery:?}"),
            &explorer,
            move || workers(n),
        );
    }
}
