//! Channels as in tokio: capacity, disconnection, cancellation.

use crate::script::{DELIVERIES, every_way};
use plainsong::future::block_on;
use plainsong::tokio::sync::mpsc::error::{TryRecvError, TrySendError};
use plainsong::tokio::sync::{mpsc, oneshot, watch};
use plainsong::tokio::time::timeout;
use plainsong::{FailureKind, channel, cover, current, explore, receive, send, spawn, tokio};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn count_everywhere<F: Fn() + Send + Sync + 'static>(expected: u64, program: impl Fn() -> F) {
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, &program), (expected, 0), "{delivery:?}");
    }
}

#[test]
fn racing_sends_come_in_every_order_whatever_the_capacity() {
    for n in 1..=3_u64 {
        for room in 1..=3 {
            count_everywhere((1..=n).product(), || {
                move || {
                    let (sender, mut receiver) = mpsc::channel(room);
                    for i in 0..n {
                        let sender = sender.clone();
                        tokio::spawn(async move { sender.send(i).await.unwrap() });
                    }
                    drop(sender);
                    let mut sum = 0;
                    block_on(async {
                        while let Some(i) = receiver.recv().await {
                            sum += i;
                        }
                        assert_eq!(receiver.recv().await, None, "once closed, always closed");
                    });
                    assert_eq!(sum, n * (n - 1) / 2);
                }
            });
        }
    }
}

#[test]
fn an_unbounded_queue_keeps_the_order_of_each_sender() {
    // Two senders with two messages each.
    count_everywhere(6, || {
        || {
            let (sender, mut receiver) = mpsc::unbounded_channel();
            for who in 0..2 {
                let sender = sender.clone();
                spawn(move || (0..2).for_each(|n| sender.send((who, n)).unwrap()));
            }
            drop(sender);
            let mut next = [0, 0];
            while let Some((who, n)) = receiver.blocking_recv() {
                assert_eq!(n, next[who]);
                next[who] += 1;
            }
            assert_eq!(next, [2, 2]);
        }
    });
}

#[test]
fn a_message_does_not_overtake_one_that_caused_it() {
    count_everywhere(1, || {
        || {
            let (sender, mut receiver) = mpsc::unbounded_channel();
            let second = sender.clone();
            let friend = spawn(move || {
                receive::<()>();
                second.send("comment").unwrap();
            });
            sender.send("news").unwrap();
            send(friend.process(), ());
            assert_eq!(receiver.blocking_recv(), Some("news"));
            assert_eq!(receiver.blocking_recv(), Some("comment"));
        }
    });
}

#[test]
fn a_full_queue_makes_the_sender_wait() {
    let program = |room: usize| {
        move || {
            let (sender, mut receiver) = mpsc::channel(room);
            let (done, is_done) = channel::<u32>("done");
            tokio::spawn(async move {
                for n in 0..3 {
                    sender.send(n).await.unwrap();
                    done.send(n);
                }
            });
            // Nothing is received before so many are done.
            for n in 0..room as u32 {
                assert_eq!(is_done.messages().filter(move |m, _| *m == n).receive(), n);
            }
            let one_more = timeout(SECOND, is_done.messages().receive_async());
            cover(format!("{room}: {:?}", block_on(one_more).ok()));
            block_on(async { while receiver.recv().await.is_some() {} });
        }
    };
    for room in 1..=2 {
        let report = explore(program(room));
        report.assert_holds();
        assert_eq!(report.executions, 1);
        assert_eq!(report.coverage[&format!("{room}: None")], 1);
    }
    let report = explore(|| {
        let (sender, _receiver) = mpsc::channel(1);
        block_on(async {
            sender.send(1).await.unwrap();
            sender.send(2).await.unwrap();
        });
    });
    assert_eq!(report.failures[0].kind, FailureKind::Deadlock);
    assert_eq!(
        report.failures[0].message,
        "deadlock: main waits for room in channel 1"
    );
}

#[test]
fn try_send_is_honest() {
    count_everywhere(1, || {
        || {
            let (sender, mut receiver) = mpsc::channel(2);
            assert_eq!(sender.try_send(1), Ok(()));
            assert_eq!(sender.try_send(2), Ok(()));
            assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
            assert_eq!(receiver.try_recv(), Ok(1));
            assert_eq!(sender.try_send(4), Ok(()));
            drop(receiver);
            assert_eq!(sender.try_send(5), Err(TrySendError::Closed(5)));
            assert!(sender.is_closed());
        }
    });
    // The receiver makes room, or not yet, or has already closed the channel.
    count_everywhere(3, || {
        || {
            let (sender, mut receiver) = mpsc::channel(1);
            sender.try_send(1).unwrap();
            let other = spawn(move || {
                assert_eq!(receiver.blocking_recv(), Some(1));
                receiver.close();
                receiver.blocking_recv()
            });
            let sent = sender.try_send(2).is_ok();
            drop(sender);
            assert_eq!(other.join(), sent.then_some(2));
        }
    });
}

#[test]
fn defect_14_try_recv_does_not_block_and_knows_empty_from_disconnected() {
    count_everywhere(1, || {
        || {
            let (sender, mut receiver) = mpsc::unbounded_channel::<u32>();
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
            sender.send(1).unwrap();
            assert_eq!(receiver.try_recv(), Ok(1), "nothing is late");
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
            let other = sender.clone();
            drop(sender);
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
            other.send(2).unwrap();
            drop(other);
            assert_eq!(receiver.try_recv(), Ok(2));
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        }
    });
    let program = || {
        let (sender, mut receiver) = mpsc::channel::<u32>(1);
        tokio::spawn(async move { sender.send(1).await });
        let first = receiver.try_recv();
        cover(format!("{first:?}"));
        // A message is not skipped because the sender is gone.
        assert_ne!(first, Err(TryRecvError::Disconnected));
    };
    let report = explore(program);
    report.assert_holds();
    assert_eq!(report.coverage.len(), 2, "{report}");
}

#[test]
fn defect_14_closing_is_modelled_both_ways() {
    // All senders are dropped.
    count_everywhere(1, || {
        || {
            let (sender, mut receiver) = mpsc::unbounded_channel::<u32>();
            let senders = [sender.clone(), sender.clone(), sender];
            for sender in senders {
                let again = sender.clone();
                tokio::spawn(async move { drop((sender, again)) });
            }
            assert_eq!(block_on(receiver.recv()), None);
        }
    });
    // The receiver is dropped, before or after the send.
    let program = || {
        let (sender, receiver) = mpsc::unbounded_channel::<u32>();
        spawn(move || drop(receiver));
        cover(format!("{}", sender.send(1).is_ok()));
    };
    count_everywhere(2, || program);
    assert_eq!(explore(program).coverage.len(), 2);
    // A sender that is never dropped keeps the channel open.
    let report = explore(|| {
        let (sender, mut receiver) = mpsc::unbounded_channel::<u32>();
        block_on(receiver.recv());
        drop(sender);
    });
    assert_eq!(report.failures[0].message, "deadlock: main waits for u32");
}

#[test]
fn close_lets_in_no_more_but_gives_what_is_there() {
    count_everywhere(3, || {
        || {
            let (sender, mut receiver) = mpsc::channel(4);
            let task = tokio::spawn(async move {
                let first = sender.send(1).await.is_ok();
                let second = sender.send(2).await.is_ok();
                assert!(first || !second);
                u32::from(first) + u32::from(second)
            });
            block_on(async {
                receiver.close();
                let mut received = 0;
                while receiver.recv().await.is_some() {
                    received += 1;
                }
                assert_eq!(task.await.unwrap(), received);
            });
        }
    });
}

#[test]
fn a_waiting_sender_is_told_that_the_receiver_is_gone() {
    // It waits, or does not have to: nobody can tell, but the door has an order.
    count_everywhere(2, || {
        || {
            let (sender, receiver) = mpsc::channel(1);
            sender.try_send(1).unwrap();
            let main = current();
            let task = tokio::spawn(async move {
                send(main, "waits");
                sender.send(2).await.is_err()
            });
            receive::<&str>();
            drop(receiver);
            assert!(block_on(task).unwrap());
        }
    });
    count_everywhere(1, || {
        || {
            let (sender, receiver) = mpsc::channel::<u32>(1);
            let task = tokio::spawn(async move { sender.closed().await });
            drop(receiver);
            block_on(task).unwrap();
        }
    });
}

#[test]
fn a_send_that_is_given_up_has_sent_nothing() {
    let program = || {
        let (sender, mut receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let mut sent = Vec::new();
            for n in 0..2_u32 {
                if timeout(SECOND, sender.send(n)).await.is_ok() {
                    sent.push(n);
                }
            }
            sent
        });
        block_on(async {
            let mut received = Vec::new();
            while let Some(n) = receiver.recv().await {
                received.push(n);
            }
            assert_eq!(task.await.unwrap(), received);
            cover(format!("{received:?}"));
        });
    };
    let report = explore(program);
    report.assert_holds();
    // There is room for the first, so it is sent at once.
    assert_eq!(
        report.coverage.keys().collect::<Vec<_>>(),
        ["[0, 1]", "[0]"]
    );
    for delivery in DELIVERIES {
        every_way(delivery, || program);
    }
}

#[test]
fn the_room_of_a_send_that_was_given_up_is_free_again() {
    let program = || {
        let (sender, mut receiver) = mpsc::channel(1);
        block_on(async {
            sender.send(0).await.unwrap();
            // There is no room, so this can only time out.
            assert!(timeout(SECOND, sender.send(1)).await.is_err());
            assert_eq!(receiver.recv().await, Some(0));
            sender.send(2).await.unwrap();
            assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
            assert_eq!(receiver.recv().await, Some(2));
        });
    };
    let report = explore(program);
    report.assert_holds();
    for delivery in DELIVERIES {
        every_way(delivery, || program);
    }
}

#[test]
fn select_over_two_queues_with_two_messages_each() {
    // Any merge of the two.
    count_everywhere(6, || {
        || {
            let (left, mut from_left) = mpsc::unbounded_channel();
            let (right, mut from_right) = mpsc::unbounded_channel();
            for sender in [left.clone(), right.clone()] {
                spawn(move || (0..2).for_each(|n| sender.send(n).unwrap()));
            }
            block_on(async {
                for _ in 0..4 {
                    tokio::select! {
                        Some(n) = from_left.recv() => assert!(n < 2),
                        Some(n) = from_right.recv() => assert!(n < 2),
                    }
                }
            });
            drop((left, right));
        }
    });
}

#[test]
fn a_oneshot_is_sent_dropped_or_too_late() {
    count_everywhere(1, || {
        || {
            let (sender, receiver) = oneshot::channel();
            tokio::spawn(async move { sender.send("yes").unwrap() });
            assert_eq!(block_on(receiver), Ok("yes"));
        }
    });
    count_everywhere(1, || {
        || {
            let (sender, receiver) = oneshot::channel::<u32>();
            tokio::spawn(async move { drop(sender) });
            assert!(block_on(receiver).is_err());
        }
    });
    let program = || {
        let (sender, receiver) = oneshot::channel();
        spawn(move || drop(receiver));
        cover(format!("{:?}", sender.send(1)));
    };
    count_everywhere(2, || program);
    assert_eq!(explore(program).coverage.len(), 2);
}

#[test]
fn a_oneshot_may_be_given_up() {
    let program = || {
        let (sender, receiver) = oneshot::channel();
        let task = tokio::spawn(async move { sender.send(1).is_ok() });
        let got = block_on(timeout(SECOND, receiver));
        let sent = block_on(task).unwrap();
        assert!(sent || got.is_err());
        cover(format!("{} {sent}", got.is_ok()));
    };
    // In time; too late to be received; too late to be sent.
    count_everywhere(3, || program);
    assert_eq!(explore(program).coverage.len(), 3);
}

#[test]
fn a_oneshot_sender_waits_for_its_receiver_to_be_dropped() {
    count_everywhere(2, || {
        || {
            let (mut sender, receiver) = oneshot::channel::<u32>();
            spawn(move || drop(receiver));
            block_on(async {
                let was_closed = sender.is_closed();
                sender.closed().await;
                assert!(sender.is_closed() || !was_closed);
                assert_eq!(sender.send(1), Err(1));
            });
        }
    });
}

#[test]
fn oneshots_are_not_cloned() {
    let report = explore(|| {
        let (sender, _receiver) = oneshot::channel::<u32>();
        drop(sender.clone());
    });
    assert!(
        report.failures[0].message.contains("has one owner"),
        "{report}"
    );
}

#[derive(Clone, Debug)]
enum Command {
    Get(oneshot::Sender<u32>),
    Set(u32),
}

#[test]
fn requests_carry_where_to_answer() {
    // Get before, between or after the two sets.
    count_everywhere(3, || {
        || {
            let (commands, mut inbox) = mpsc::channel(2);
            tokio::spawn(async move {
                let mut value = 0;
                while let Some(command) = inbox.recv().await {
                    match command {
                        Command::Get(reply) => reply.send(value).unwrap(),
                        Command::Set(new) => value = new,
                    }
                }
            });
            let writer = commands.clone();
            tokio::spawn(async move {
                for n in 1..=2 {
                    writer.send(Command::Set(n)).await.unwrap();
                }
            });
            let value = block_on(async move {
                let (reply, answer) = oneshot::channel();
                commands.send(Command::Get(reply)).await.unwrap();
                answer.await.unwrap()
            });
            assert!(value <= 2);
        }
    });
}

#[test]
fn messages_left_in_a_queue_are_dropped_with_it() {
    // The service stops after one request; whoever sent the other is told so.
    let program = || {
        let (commands, mut inbox) = mpsc::channel(2);
        let service = tokio::spawn(async move {
            if let Some(Command::Get(reply)) = inbox.recv().await {
                reply.send(7).unwrap();
            }
        });
        let clients = [0, 1].map(|_| {
            let commands = commands.clone();
            tokio::spawn(async move {
                let (reply, answer) = oneshot::channel();
                commands.send(Command::Get(reply)).await.is_ok() && answer.await == Ok(7)
            })
        });
        block_on(async {
            let mut served = 0;
            for client in clients {
                served += u32::from(client.await.unwrap());
            }
            assert_eq!(served, 1);
            service.await.unwrap();
        });
    };
    // Who is first; the other is in the queue when it is dropped, or comes too late.
    count_everywhere(4, || program);
}

#[test]
fn a_watched_value_is_the_newest() {
    let program = || {
        let (sender, mut receiver) = watch::channel(0);
        let task = tokio::spawn(async move {
            for n in 1..=2 {
                sender.send(n).unwrap();
            }
        });
        block_on(async {
            let mut seen = vec![*receiver.borrow()];
            while receiver.changed().await.is_ok() {
                seen.push(*receiver.borrow_and_update());
            }
            assert!(seen.is_sorted(), "{seen:?}");
            assert_eq!(seen.last(), Some(&2), "the last one is always seen");
            cover(format!("{seen:?}"));
            task.await.unwrap();
        });
    };
    let report = explore(program);
    report.assert_holds();
    for seen in ["[0, 1, 2]", "[0, 2]", "[1, 2]"] {
        assert!(report.coverage.contains_key(seen), "{report}");
    }
    count_everywhere(report.executions, || program);
}

#[test]
fn nobody_watches_any_more() {
    count_everywhere(1, || {
        || {
            let (sender, receiver) = watch::channel(0);
            let other = receiver.clone();
            assert_eq!(sender.receiver_count(), 2);
            drop((receiver, other));
            assert!(sender.is_closed());
            assert!(sender.send(1).is_err());
            assert_eq!(sender.send_replace(2), 0);
            assert_eq!(*sender.borrow(), 2);
            let late = sender.subscribe();
            assert_eq!(late.has_changed(), Ok(false));
            sender.send(3).unwrap();
            assert_eq!(late.has_changed(), Ok(true));
            drop(sender);
            assert!(late.has_changed().is_err());
            assert_eq!(*late.borrow(), 3);
        }
    });
}
