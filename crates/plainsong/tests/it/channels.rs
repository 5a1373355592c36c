//! Channels.

use crate::script::{DELIVERIES, every_way};
use plainsong::{
    Explorer, FailureKind, Sender, Verdict, channel, current, messages, receive, send, spawn,
    spawn_named,
};
use std::rc::Rc;

#[test]
fn senders_travel_in_messages() {
    let program = || {
        let (reply_to, replies) = channel::<u32>("replies");
        let server = spawn(|| {
            for _ in 0..2 {
                let (n, reply_to) = receive::<(u32, Sender<u32>)>();
                reply_to.send(n * 10);
            }
        });
        for n in [1_u32, 2] {
            let (reply_to, to) = (reply_to.clone(), server.process());
            spawn(move || send(to, (n, reply_to)));
        }
        assert_eq!(replies.receive() + replies.receive(), 30);
    };
    for delivery in DELIVERIES {
        // Unordered replies of the server may overtake each other.
        let expected = if matches!(delivery, plainsong::Delivery::Unordered) {
            4
        } else {
            2
        };
        assert_eq!(every_way(delivery, || program), (expected, 0));
    }
}

#[test]
fn names_are_shown() {
    plainsong::explore(|| {
        let (sender, receiver) = channel::<u8>("pipe");
        assert_eq!(
            format!("{sender:?} {receiver:?}"),
            "Sender(pipe) Receiver(pipe)"
        );
    })
    .assert_holds();
}

#[test]
fn channels_of_one_name_are_different_channels() {
    plainsong::explore(|| {
        let channels = [(); 2].map(|()| channel::<u32>("same"));
        channels[0].0.send(1);
        channels[1].0.send(2);
        assert_eq!(channels[1].1.receive(), 2);
        assert_eq!(channels[0].1.receive(), 1);
    })
    .assert_holds();
}

#[test]
fn conditions_on_a_channel() {
    plainsong::explore(|| {
        let (sender, receiver) = channel::<u32>("numbers");
        (0..4).for_each(|n| sender.send_tagged(n % 2, n));
        assert_eq!(receiver.receive_where(|n, _| *n > 2), 3);
        assert_eq!(receiver.messages().tagged(1).receive(), 1);
        let (n, info) = receiver.messages().receive_with_info();
        assert_eq!((n, info.from()), (0, current()));
        assert!(
            receiver
                .receive_timeout(std::time::Duration::ZERO)
                .is_none_or(|n| n == 2)
        );
    })
    .assert_holds();
}

#[test]
fn a_receiver_is_moved_to_its_process() {
    plainsong::explore(|| {
        let (sender, receiver) = channel::<u32>("work");
        let worker = spawn(move || receiver.receive());
        sender.send(4);
        assert_eq!(worker.join(), 4);
    })
    .assert_holds();
}

#[test]
fn two_processes_that_receive_from_one_channel_are_reported() {
    for jobs in [1, 2] {
        let report = Explorer::new().jobs(jobs).keep_going(true).run(|| {
            let (sender, receiver) = channel::<u32>("shared");
            let receiver = Rc::new(receiver);
            for name in ["a", "b"] {
                let receiver = Rc::clone(&receiver);
                spawn_named(name, move || receiver.receive());
            }
            sender.send(1);
            sender.send(2);
        });
        assert_eq!(report.verdict, Verdict::Unknown);
        assert_eq!(report.failures[0].kind, FailureKind::TwoReceivers);
        let message = &report.failures[0].message;
        assert!(message.starts_with("both a and b receive from channel `shared`, and nothing"));
    }
}

#[test]
fn different_processes_may_receive_in_different_executions() {
    let report = plainsong::explore(|| {
        let (sender, receiver) = channel::<u32>("either");
        sender.send(1);
        if plainsong::choose_bool() {
            receiver.receive();
        } else {
            spawn(move || receiver.receive());
        }
    });
    report.assert_holds();
    assert_eq!(report.executions, 2);
}

#[test]
fn messages_to_another_process_cannot_be_taken() {
    let report = plainsong::explore(|| {
        let mine = messages::<u32>();
        spawn_named("thief", move || mine.receive());
    });
    let message = &report.failures[0].message;
    assert!(
        message.starts_with("thief receives messages to main"),
        "{report}"
    );
}
