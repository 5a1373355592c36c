//! Channels with several receivers, and channels with a capacity.

use crate::counting::counts_via;
use plainsong::{
    Delivery, Explorer, bounded_channel, cover, current, receive, send, shared_channel,
    shared_channel_via, spawn, spawn_named, try_receive,
};

#[test]
fn two_receivers_race_for_one_message() {
    let count = counts_via(Delivery::Fifo, || {
        let (jobs, worker) = shared_channel("jobs");
        for _ in 0..2 {
            let worker = worker.clone();
            spawn(move || worker.receive());
        }
        jobs.send(1);
    });
    assert_eq!(count, (0, 2));
}

#[test]
fn two_receivers_that_do_not_wait() {
    let program = || {
        let (jobs, worker) = shared_channel("jobs");
        for _ in 0..2 {
            let worker = worker.clone();
            spawn(move || worker.try_receive());
        }
        jobs.send(1);
        jobs.send(2);
    };
    // Nothing and nothing; the first message to one of them; both, one each.
    assert_eq!(counts_via(Delivery::Fifo, program), (5, 0));
    // Out of order, a lone message is either, and two are taken in either order as well.
    assert_eq!(counts_via(Delivery::Unordered, program), (1 + 4 + 4, 0));
}

#[test]
fn nobody_waits_who_need_not() {
    // Three workers, three jobs of one sender: each order of workers.
    for delivery in [Delivery::Fifo, Delivery::Causal, Delivery::Mailbox] {
        let count = counts_via(delivery, || {
            let (jobs, worker) = shared_channel("jobs");
            for _ in 0..3 {
                let worker = worker.clone();
                spawn(move || worker.receive());
            }
            (0..3).for_each(|n| jobs.send(n));
        });
        assert_eq!(count, (6, 0), "{delivery:?}");
    }
    // No job at all: one execution, in which they wait.
    let count = counts_via(Delivery::Fifo, || {
        let (_jobs, worker) = shared_channel::<u32>("jobs");
        for _ in 0..3 {
            let worker = worker.clone();
            spawn(move || worker.receive());
        }
    });
    assert_eq!(count, (0, 1));
}

#[test]
fn every_job_is_done_by_exactly_one() {
    let report = Explorer::new().run(|| {
        let (jobs, worker) = shared_channel_via("jobs", Delivery::Unordered);
        let main = current();
        for name in ["ann", "bob"] {
            let worker = worker.clone();
            spawn_named(name, move || send(main, (name, worker.receive())));
        }
        jobs.send(1);
        jobs.send(2);
        let mut done = [receive::<(&str, i32)>(), receive::<(&str, i32)>()];
        done.sort_by_key(|&(_, job)| job);
        cover(format!("{} {}", done[0].0, done[1].0));
        assert_eq!([done[0].1, done[1].1], [1, 2]);
    });
    report.assert_holds();
    let seen: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(seen, ["ann bob", "bob ann"]);
}

#[test]
fn a_picture_has_the_channel_as_a_lane_and_the_trace_replays() {
    let program = || {
        let (jobs, worker) = shared_channel("jobs");
        for name in ["ann", "bob"] {
            let worker = worker.clone();
            spawn_named(name, move || {
                let job: u32 = worker.receive();
                assert!(name == "ann" || job != 1, "bob cannot do this");
            });
        }
        jobs.send(1_u32);
        jobs.send(2_u32);
    };
    let report = Explorer::new().run(program);
    let failure = &report.failures[0];
    assert_eq!(failure.message, "bob cannot do this");
    assert!(
        failure.picture.contains("jobs") && failure.picture.contains("bob"),
        "{}",
        failure.picture
    );
    assert!(
        !failure.picture.contains("a request"),
        "{}",
        failure.picture
    );
    let trace = failure.trace.as_ref().expect("a failure has a trace");
    let again = Explorer::new().replay(trace, program);
    assert_eq!(again.failures[0].message, failure.message, "{again}");
}

#[test]
fn a_deadlock_names_the_channel() {
    let report = Explorer::new().run(|| {
        let (_jobs, worker) = shared_channel::<u32>("jobs");
        spawn_named("ann", move || worker.receive());
    });
    let failure = &report.failures[0];
    assert_eq!(failure.message, "deadlock: ann waits for a message on jobs");
    assert!(failure.location.as_ref().unwrap().contains("shared.rs"));
}

#[test]
fn one_sender_and_one_receiver_have_one_execution() {
    for capacity in 0..4 {
        let count = counts_via(Delivery::Fifo, move || {
            let (sender, receiver) = bounded_channel("pipe", capacity);
            let reader = spawn(move || [(); 3].map(|()| receiver.receive()));
            (0..3).for_each(|n| sender.send(n));
            assert_eq!(reader.join(), [0, 1, 2]);
        });
        assert_eq!(count, (1, 0), "capacity {capacity}");
    }
}

#[test]
fn a_sender_waits_for_room() {
    for capacity in 0..4_usize {
        for messages in 0..4_usize {
            let count = counts_via(Delivery::Fifo, move || {
                let (sender, _receiver) = bounded_channel("pipe", capacity);
                (0..messages).for_each(|n| sender.send(n));
            });
            let fits = u64::from(messages <= capacity);
            assert_eq!(count, (fits, 1 - fits), "{messages} in {capacity}");
        }
    }
}

#[test]
fn a_rendezvous_is_over_when_the_message_is_received() {
    let report = Explorer::new().run(|| {
        let (sender, receiver) = bounded_channel("handshake", 0);
        let main = current();
        spawn(move || {
            let job: u32 = receiver.receive();
            send(main, job);
        });
        sender.send(7_u32);
        // It has been received, though the receiver may not have told us yet.
        cover(format!("{:?}", try_receive::<u32>()));
    });
    report.assert_holds();
    assert_eq!(report.coverage.len(), 2);
}

#[test]
fn two_senders_compete_for_room() {
    let count = counts_via(Delivery::Fifo, || {
        let (sender, _receiver) = bounded_channel("pipe", 1);
        for n in 0..2 {
            let sender = sender.clone();
            spawn(move || sender.send(n));
        }
    });
    assert_eq!(count, (0, 2));
}
