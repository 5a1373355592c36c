//! Channels as in `std`: exact counts, disconnection both ways, bounds.

use crate::script::{DELIVERIES, every_way};
use plainsong::sync::mpsc::{
    self, RecvError, RecvTimeoutError, SyncSender, TryRecvError, TrySendError,
};
use plainsong::sync::{Arc, Mutex};
use plainsong::{Explorer, FailureKind, cover, explore, thread};
use std::collections::BTreeMap;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The count in every way there is, under every order of delivery.
fn count<F: Fn() + Send + Sync + 'static>(program: impl Fn() -> F) -> u64 {
    let counts = DELIVERIES.map(|delivery| every_way(delivery, &program));
    assert!(counts.iter().all(|found| *found == counts[0]), "{counts:?}");
    assert_eq!(counts[0].1, 0);
    counts[0].0
}

fn coverage(program: impl Fn() + Send + Sync + 'static) -> BTreeMap<String, u64> {
    let report = explore(program);
    report.assert_holds();
    report.coverage
}

fn reached(names: &[&str]) -> BTreeMap<String, u64> {
    names.iter().map(|name| ((*name).to_owned(), 1)).collect()
}

/// n senders, all messages received, then all senders gone: n! orders, and dropping has none.
#[test]
fn dropping_senders_has_no_orders() {
    for (senders, expected) in [(1, 1), (2, 2), (3, 6)] {
        let found = count(|| {
            move || {
                let (sender, receiver) = mpsc::channel();
                for n in 0..senders {
                    let sender = sender.clone();
                    thread::spawn(move || sender.send(n).unwrap());
                }
                drop(sender);
                assert_eq!(receiver.into_iter().count(), senders);
            }
        });
        assert_eq!(found, expected, "{senders} senders");
    }
}

/// Clones of clones are waited for too.
#[test]
fn a_clone_of_a_clone_keeps_the_channel_open() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let second = sender.clone();
            drop(sender);
            thread::spawn(move || {
                let third = second.clone();
                drop(second);
                third.send(1).unwrap();
            });
        });
        assert_eq!(receiver.recv(), Ok(1));
        assert_eq!(receiver.recv(), Err(RecvError));
        assert_eq!(receiver.recv(), Err(RecvError));
    };
    assert_eq!(count(|| program), 1);
}

/// Messages nobody receives have no order: n senders, one receive.
#[test]
fn what_is_not_received_has_no_order() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let threads = [1, 2, 3].map(|n| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap())
        });
        receiver.recv().unwrap();
        for thread in threads {
            thread.join().unwrap();
        }
    };
    assert_eq!(count(|| program), 3);
}

/// What one knows to be sent is there, whoever sent it: a queue is not a network.
#[test]
fn messages_do_not_overtake() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let (next, go) = mpsc::channel();
        let second = sender.clone();
        thread::spawn(move || {
            sender.send(1).unwrap();
            next.send(()).unwrap();
        });
        thread::spawn(move || {
            go.recv().unwrap();
            second.send(2).unwrap();
        });
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    };
    assert_eq!(count(|| program), 1);
}

#[test]
fn trying_finds_what_is_there() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        let first = receiver.try_recv();
        thread.join().unwrap();
        let second = receiver.try_recv();
        match first {
            Ok(1) => assert_eq!(second, Err(TryRecvError::Disconnected)),
            Err(TryRecvError::Empty) => {
                assert_eq!(second, Ok(1), "it is there, for certain");
                assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
            }
            other => unreachable!("{other:?}"),
        }
    };
    // The message before all senders are gone, or after, or not at first: two look alike.
    assert_eq!(count(|| program), 3);
}

/// Nothing sent; the sender is dropped before or after the question.
#[test]
fn trying_knows_whether_senders_are_left() {
    let program = || {
        let (sender, receiver) = mpsc::channel::<u8>();
        thread::spawn(move || drop(sender));
        match receiver.recv_timeout(SECOND) {
            Err(RecvTimeoutError::Timeout) => cover("timeout"),
            Err(RecvTimeoutError::Disconnected) => cover("disconnected"),
            Ok(_) => unreachable!("nothing is sent"),
        }
    };
    assert_eq!(count(|| program), 2);
    assert_eq!(coverage(program), reached(&["disconnected", "timeout"]));
}

#[test]
fn iterating_over_what_is_there() {
    explore(|| {
        let (sender, receiver) = mpsc::channel();
        for n in 0..3 {
            sender.send(n).unwrap();
        }
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(
            format!("{sender:?} {receiver:?}"),
            "Sender(channel 1) Receiver(channel 1)"
        );
    })
    .assert_holds();
}

/// The receiver is dropped before, between, or after two sends.
#[test]
fn a_send_may_come_too_late() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let sent = [1, 2].map(|n| sender.send(n).is_ok());
            cover(format!("{sent:?}"));
        });
        drop(receiver);
    };
    assert_eq!(count(|| program), 3);
    let expected = ["[false, false]", "[true, false]", "[true, true]"];
    assert_eq!(coverage(program), reached(&expected));
}

/// Two senders do not know of each other: each may be in time, 2 × 2.
#[test]
fn sends_that_may_fail_have_no_order() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        for n in [1, 2] {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).is_ok());
        }
        drop(receiver);
    };
    assert_eq!(count(|| program), 4);
}

/// A drop that one knows of makes the send fail, with the message given back.
#[test]
fn a_send_fails_for_certain() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || drop(receiver));
        thread.join().unwrap();
        assert_eq!(sender.send(7).unwrap_err().0, 7);
        assert!(sender.clone().send(8).is_err());
    };
    assert_eq!(count(|| program), 1);
}

/// A consumer that stops after one message; a producer that does not expect that.
#[test]
fn a_producer_is_surprised() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let consumer = thread::Builder::new().name("consumer".to_owned());
        consumer.spawn(move || receiver.recv().unwrap()).unwrap();
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    };
    let report = explore(program);
    let failure = &report.failures[0];
    assert!(failure.message.contains("SendError"), "{failure}");
    assert_eq!(failure.process.as_deref(), Some("main"));
    let trace = failure.trace.clone().unwrap();
    let again = Explorer::new().replay(&trace, program);
    assert_eq!(
        again.failures[0].message, failure.message,
        "{:?}",
        again.notes
    );
}

#[test]
fn waiting_for_a_message_that_nobody_sends() {
    let report = explore(|| {
        let (_sender, receiver) = mpsc::channel::<u8>();
        let _ = receiver.recv();
    });
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: main waits for a message on channel 1"
    );
    assert!(
        failure
            .location
            .as_ref()
            .unwrap()
            .contains("std_channels.rs")
    );
}

/// A sender that travels in a message stays one sender.
#[test]
fn senders_travel() {
    let program = || {
        let (requests, server) = mpsc::channel::<(u32, mpsc::Sender<u32>)>();
        thread::spawn(move || {
            for (n, reply) in server {
                reply.send(n * 10).unwrap();
            }
        });
        let clients = [1, 2].map(|n| {
            let requests = requests.clone();
            thread::spawn(move || {
                let (reply, answers) = mpsc::channel();
                requests.send((n, reply)).unwrap();
                let answer = answers.recv().unwrap();
                assert_eq!(answers.recv(), Err(RecvError), "the server has dropped it");
                answer
            })
        });
        drop(requests);
        assert_eq!(clients.map(|client| client.join().unwrap()), [10, 20]);
    };
    assert_eq!(count(|| program), 2);
}

/// And so it does when a mutex protects it.
#[test]
fn a_sender_in_a_mutex() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        let shared = Arc::new(Mutex::new(Some(sender)));
        for n in [1, 2] {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut guard = shared.lock().unwrap();
                guard.as_ref().unwrap().send(n).unwrap();
                if n == 2 {
                    let other = guard.take();
                    *guard = other.clone();
                }
            });
        }
        let mut got = [receiver.recv().unwrap(), receiver.recv().unwrap()];
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
        drop(shared.lock().unwrap().take());
        assert_eq!(receiver.recv(), Err(RecvError));
    };
    assert_eq!(count(|| program), 2);
}

/// One producer and one consumer have one execution, whatever the bound.
#[test]
fn a_bound_makes_no_difference_to_two() {
    for bound in 0..3 {
        let found = count(|| {
            move || {
                let (sender, receiver) = mpsc::sync_channel(bound);
                thread::spawn(move || {
                    for n in 0..3 {
                        sender.send(n).unwrap();
                    }
                });
                assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
            }
        });
        assert_eq!(found, 1, "bound {bound}");
    }
}

/// n producers that send once: n!, whatever the bound.
#[test]
fn producers_race_for_room() {
    for bound in 0..3 {
        let found = count(|| {
            move || {
                let (sender, receiver) = mpsc::sync_channel(bound);
                for n in 0..3 {
                    let sender = sender.clone();
                    thread::spawn(move || sender.send(n).unwrap());
                }
                drop(sender);
                assert_eq!(receiver.iter().sum::<i32>(), 3);
            }
        });
        assert_eq!(found, 6, "bound {bound}");
    }
}

/// Two messages that cross in channels with room for none are a deadlock, with room for one not.
#[test]
fn a_bound_that_is_too_small() {
    let program = |bound: usize| {
        move || {
            let (to_other, from_main) = mpsc::sync_channel(bound);
            let (to_main, from_other) = mpsc::sync_channel(bound);
            let other = thread::Builder::new().name("other".to_owned());
            other
                .spawn(move || {
                    to_main.send(1).unwrap();
                    from_main.recv().unwrap();
                })
                .unwrap();
            to_other.send(2).unwrap();
            from_other.recv().unwrap();
        }
    };
    explore(program(1)).assert_holds();
    let report = explore(program(0));
    assert_eq!(
        report.failures[0].message,
        "deadlock: main waits for room in channel 1; other waits for room in channel 2"
    );
}

/// Full as long as nobody has received; not full when one knows that somebody has.
#[test]
fn trying_to_send() {
    let program = || {
        let (sender, ack) = mpsc::channel();
        let (data, receiver) = mpsc::sync_channel(1);
        data.send(1).unwrap();
        thread::spawn(move || {
            receiver.recv().unwrap();
            let _ = sender.send(());
            let _ = receiver.recv();
        });
        match data.try_send(2) {
            Ok(()) => cover("room"),
            Err(TrySendError::Full(2)) => {
                cover("full");
                ack.recv().unwrap();
                assert_eq!(data.try_send(3), Ok(()));
            }
            other => unreachable!("{other:?}"),
        }
    };
    // With room, the acknowledgement is sent before or after `ack` is dropped.
    assert_eq!(count(|| program), 3);
    let expected = [("full".to_owned(), 1), ("room".to_owned(), 2)];
    assert_eq!(coverage(program), BTreeMap::from(expected));
}

/// A sender that waits for room is let go when the receiver is dropped.
#[test]
fn waiting_for_room_in_vain() {
    for bound in [0, 1] {
        let program = move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let full: Vec<()> = (0..bound).map(|_| sender.send(0).unwrap()).collect();
            assert_eq!(full.len(), bound);
            let waiting = thread::spawn(move || sender.send(1).is_err());
            drop(receiver);
            assert!(waiting.join().unwrap());
        };
        assert_eq!(count(|| program), 1, "bound {bound}");
    }
}

/// With the bound 0 a message is there when its sender waits.
#[test]
fn meeting_without_waiting() {
    let program = || {
        let (sender, receiver) = mpsc::sync_channel(0);
        thread::spawn(move || {
            let _ = sender.send(1);
        });
        match receiver.try_recv() {
            Ok(1) => cover("met"),
            Err(TryRecvError::Empty) => cover("missed"),
            other => unreachable!("{other:?}"),
        }
    };
    assert_eq!(count(|| program), 2);
    assert_eq!(coverage(program), reached(&["met", "missed"]));
}

#[test]
fn nobody_meets_oneself() {
    explore(|| {
        let (sender, receiver): (SyncSender<u8>, _) = mpsc::sync_channel(0);
        assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        drop(sender);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    })
    .assert_holds();
}
