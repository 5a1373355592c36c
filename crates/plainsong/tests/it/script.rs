//! Straight-line test programs: one list of operations per process, each with a channel of its own.

use plainsong::{
    Delivery, Explorer, Receiver, Report, Restart, Sender, assume, channel, choose, spawn,
};
use std::sync::Arc;

/// An operation of a test program; processes are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    /// Send a message with a tag.
    Send(usize, u8),
    /// Receive any message, or one with this tag; wait for it or not.
    Recv(Option<u8>, bool),
    /// Choose one of so many.
    Choose(u32),
    /// End here unless the last receive got something (and this tag, if given).
    Unless(Option<u8>),
    /// Give up unless the last receive got something with this tag.
    Assume(u8),
}

/// Receives anything, waiting for it.
pub(crate) const RECV: Do = Do::Recv(None, true);

/// Receives anything or nothing.
pub(crate) const TRY: Do = Do::Recv(None, false);

/// One list of operations per process.
pub(crate) type Script = Vec<Vec<Do>>;

pub(crate) const DELIVERIES: [Delivery; 4] = [
    Delivery::Unordered,
    Delivery::Fifo,
    Delivery::Causal,
    Delivery::Mailbox,
];

/// Runs a script inside an exploration, processes spawned in the given order.
pub(crate) fn play(script: &Script, order: &[usize]) {
    let (senders, receivers): (Vec<Sender<u8>>, Vec<_>) = (0..script.len())
        .map(|n| channel::<u8>(format!("box {n}")))
        .unzip();
    let mut receivers: Vec<Option<Receiver<u8>>> = receivers.into_iter().map(Some).collect();
    for &n in order {
        let steps = script[n].clone();
        let senders = senders.clone();
        let receiver = receivers[n].take().expect("each process is spawned once");
        spawn(move || perform(&steps, &senders, &receiver));
    }
}

fn perform(steps: &[Do], senders: &[Sender<u8>], receiver: &Receiver<u8>) {
    let mut got = None;
    for &step in steps {
        match step {
            Do::Send(to, tag) => senders[to].send_tagged(tag, tag),
            Do::Recv(tag, waits) => {
                let wanted = match tag {
                    Some(tag) => receiver.messages().tagged(tag),
                    None => receiver.messages(),
                };
                got = if waits {
                    Some(wanted.receive())
                } else {
                    wanted.try_receive()
                };
            }
            Do::Choose(options) => {
                choose(0..options);
            }
            Do::Assume(tag) => assume(got == Some(tag)),
            Do::Unless(wanted) => {
                if got.is_none() || (wanted.is_some() && wanted != got) {
                    return;
                }
            }
        }
    }
}

/// Explores a program in every way there is; all must agree. Returns complete and blocked
/// executions.
pub(crate) fn every_way<F: Fn() + Send + Sync + 'static>(
    delivery: Delivery,
    program: impl Fn() -> F,
) -> (u64, u64) {
    let usual = Explorer::new().delivery(delivery).allow_deadlock(true);
    let first = counts(&usual.clone().run(program()));
    let ways = [
        ("restart", usual.clone().restart(Restart::Changed)),
        ("restart all", usual.clone().restart(Restart::All)),
        ("shuffled", usual.clone().seed(7)),
        (
            "shuffled, restart all",
            usual.clone().seed(8).restart(Restart::All),
        ),
        ("parallel", usual.clone().jobs(2)),
        (
            "parallel, restart all",
            usual.clone().jobs(2).restart(Restart::All),
        ),
    ];
    for (way, explorer) in ways {
        let report = explorer.run(program());
        assert_eq!(counts(&report), first, "{way}, {delivery:?}");
    }
    first
}

fn counts(report: &Report) -> (u64, u64) {
    report.assert_holds();
    (report.executions, report.blocked)
}

/// Complete and blocked executions of a script, its processes spawned in every order (up to 120 of
/// them), with schedules that differ from one to the next.
pub(crate) fn in_every_spawn_order(script: &Script, delivery: Delivery) -> (u64, u64) {
    let script = Arc::new(script.clone());
    let usual = Explorer::new().delivery(delivery).allow_deadlock(true);
    let mut first = None;
    for (number, order) in spawn_orders(script.len(), 120).into_iter().enumerate() {
        let seed = number as u64;
        let explorers = [
            usual.clone(),
            usual.clone().seed(seed).restart(Restart::All),
            usual.clone().seed(seed),
        ];
        // All of them for the first order of spawning, then one after the other.
        let chosen = if number == 0 {
            0..3
        } else {
            number % 3..number % 3 + 1
        };
        for explorer in &explorers[chosen] {
            let (script, order) = (Arc::clone(&script), order.clone());
            let report = explorer.run(move || play(&script, &order));
            let counted = counts(&report);
            assert_eq!(*first.get_or_insert(counted), counted, "{explorer:?}");
        }
    }
    first.expect("there is an order of spawning")
}

/// All orders of `0..n`, or about as many as wanted if there are more, far apart.
fn spawn_orders(n: usize, wanted: usize) -> Vec<Vec<usize>> {
    let count: usize = (1..=n).product();
    let step = (count / wanted).max(1);
    let nth = |mut number: usize| {
        let mut left: Vec<usize> = (0..n).collect();
        (1..=n)
            .rev()
            .map(|choices| {
                let at = number % choices;
                number /= choices;
                left.remove(at)
            })
            .collect()
    };
    (0..count).step_by(step).map(nth).collect()
}

/// Complete and blocked executions of a script, in every way and in two orders of spawning.
pub(crate) fn script_counts(script: &Script, delivery: Delivery) -> (u64, u64) {
    let script = Arc::new(script.clone());
    let forward: Vec<usize> = (0..script.len()).collect();
    let backward: Vec<usize> = (0..script.len()).rev().collect();
    let run = |order: Vec<usize>| {
        every_way(delivery, || {
            let (script, order) = (Arc::clone(&script), order.clone());
            move || play(&script, &order)
        })
    };
    let counts = run(forward);
    assert_eq!(
        run(backward),
        counts,
        "spawned the other way round, {delivery:?}"
    );
    counts
}
