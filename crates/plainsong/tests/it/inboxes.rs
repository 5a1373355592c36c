//! Sets of messages: exact numbers of executions, under every order of delivery.

use crate::counting::counts_via;
use plainsong::{
    Delivery, Explorer, Verdict, channel, current, inbox, messages, send, spawn, try_receive,
};

const ALL: [Delivery; 4] = [
    Delivery::Unordered,
    Delivery::Fifo,
    Delivery::Causal,
    Delivery::Mailbox,
];

/// So many senders of one message each.
fn senders(n: u32) {
    let main = current();
    for i in 0..n {
        spawn(move || send(main, i));
    }
}

/// One sender of so many messages.
fn stream(n: u32) {
    let main = current();
    spawn(move || (0..n).for_each(|i| send(main, i)));
}

#[test]
fn every_set_of_senders_is_a_set_of_messages() {
    for delivery in ALL {
        let count = counts_via(delivery, || {
            senders(4);
            inbox::<u32>();
        });
        assert_eq!(count, (16, 0), "{delivery:?}");
    }
}

/// Defects 5 and 6 of the peer: it finds 2 or 8 in order of senders, and panics for mailboxes.
#[test]
fn a_stream_arrives_up_to_some_message() {
    let program = || {
        stream(3);
        let arrived: Vec<u32> = inbox();
        plainsong::cover(format!("{}", arrived.len()));
    };
    assert_eq!(counts_via(Delivery::Unordered, program), (8, 0));
    for delivery in [Delivery::Fifo, Delivery::Causal, Delivery::Mailbox] {
        assert_eq!(counts_via(delivery, program), (4, 0), "{delivery:?}");
        let report = Explorer::new().delivery(delivery).run(program);
        assert_eq!(report.coverage.len(), 4, "0, 1, 2 or 3 messages");
    }
}

#[test]
fn what_is_sent_later_is_not_in_it() {
    for n in 0..5_u32 {
        let count = counts_via(Delivery::Unordered, move || {
            let main = current();
            (0..n).for_each(|i| send(main, i));
            inbox::<u32>();
            (0..3).for_each(|i| send(main, i));
        });
        assert_eq!(count, (1 << n, 0));
    }
}

#[test]
fn one_message_and_then_the_rest() {
    for n in 1..5_u32 {
        let first = counts_via(Delivery::Unordered, move || {
            let main = current();
            (0..n).for_each(|i| send(main, i));
            try_receive::<u32>();
            inbox::<u32>();
        });
        let last = counts_via(Delivery::Unordered, move || {
            let main = current();
            (0..n).for_each(|i| send(main, i));
            inbox::<u32>();
            try_receive::<u32>();
        });
        let expected = (1 << n) + u64::from(n) * (1 << (n - 1));
        assert_eq!(first, (expected, 0));
        assert_eq!(last, (expected, 0));
    }
}

#[test]
fn numbers_of_messages_are_kept() {
    let with = |least: usize, most: usize| {
        counts_via(Delivery::Unordered, move || {
            let main = current();
            (0..2).for_each(|i| send(main, i));
            try_receive::<i32>();
            let arrived = messages::<i32>().inbox(least..=most);
            assert!((least..=most).contains(&arrived.len()));
        })
    };
    assert_eq!(with(1, 9), (5, 0));
    assert_eq!(with(2, 9), (1, 2));
    assert_eq!(with(1, 1), (4, 0));
    assert_eq!(with(1, 2), (5, 0));
    assert_eq!(with(2, 2), (1, 2));
}

#[test]
fn numbers_of_messages_of_many_senders() {
    let with = |n: u32, least: usize, most: usize| {
        counts_via(Delivery::Unordered, move || {
            senders(n);
            messages::<u32>().inbox(least..=most);
        })
    };
    assert_eq!(with(3, 1, 9), (7, 0));
    assert_eq!(with(3, 2, 2), (3, 0));
    assert_eq!(with(3, 1, 2), (6, 0));
    assert_eq!(with(2, 1, 1), (2, 0));
    assert_eq!(with(2, 0, 9), (4, 0));
    assert_eq!(with(2, 3, 9), (0, 1), "waits once, not once per set");
}

#[test]
fn two_sets_one_after_the_other() {
    for delivery in ALL {
        let count = counts_via(delivery, || {
            senders(2);
            messages::<u32>().inbox(1..=1);
            messages::<u32>().inbox(1..=1);
        });
        assert_eq!(count, (2, 0), "{delivery:?}");
        // Each message is in the first set, the second, or neither.
        let count = counts_via(delivery, || {
            senders(3);
            inbox::<u32>();
            inbox::<u32>();
        });
        assert_eq!(count, (27, 0), "{delivery:?}");
    }
}

#[test]
fn sets_by_tag_value_and_channel() {
    let count = counts_via(Delivery::Fifo, || {
        senders(3);
        let even = messages::<u32>().filter(|n, _| n % 2 == 0).inbox(..);
        assert!(even.iter().all(|n| n % 2 == 0));
    });
    assert_eq!(count, (4, 0));
    let count = counts_via(Delivery::Fifo, || {
        let (sender, receiver) = channel("votes");
        for n in 0..3 {
            let sender = sender.clone();
            spawn(move || sender.send_tagged(n, n));
        }
        receiver.messages().tagged(1).inbox(1..);
    });
    assert_eq!(count, (1, 0));
}

#[test]
fn a_quorum_that_is_wrong_is_seen_and_replayed() {
    let program = || {
        let main = current();
        for name in ["ann", "bob", "cem"] {
            plainsong::spawn_named(name, move || send(main, name));
        }
        let quorum = messages::<&str>().inbox(2..);
        assert!(quorum.contains(&"ann"), "ann is missing");
    };
    let report = plainsong::explore(program);
    assert_eq!(report.verdict, Verdict::Refuted);
    let failure = &report.failures[0];
    assert_eq!(failure.message, "ann is missing");
    assert!(
        failure.picture.contains("2 messages at once"),
        "{}",
        failure.picture
    );
    let trace = failure.trace.as_ref().expect("a failure has a trace");
    let text = trace.to_string();
    assert!(
        text.contains("\"main\" set &str 1 from \"bob\" &str 1 from \"cem\""),
        "{text}"
    );
    let again = Explorer::new().replay(&text.parse().expect("what is written"), program);
    assert_eq!(again.failures[0].message, failure.message);
}
