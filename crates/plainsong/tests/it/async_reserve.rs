//! Room in tokio's queues: reserved, counted, and given to those who waited for it.

use crate::script::DELIVERIES;
use plainsong::tokio::sync::mpsc::error::{TryRecvError, TrySendError};
use plainsong::tokio::{self, sync::mpsc};
use plainsong::{Explorer, Report, cover};
use std::pin::Pin;
use std::task::{Context, Waker};

/// Explores a program under every order of delivery.
#[track_caller]
fn holds_everywhere(program: impl AsyncFn() + Copy + Send + Sync + 'static) -> Report {
    let mut reports = DELIVERIES.map(|delivery| {
        let explorer = Explorer::new().delivery(delivery);
        let report = explorer.run(move || tokio::block_on(program()));
        report.assert_holds();
        report
    });
    let first = reports[0].executions;
    assert!(reports.iter().all(|report| report.executions == first));
    reports.swap(0, 3);
    let [report, ..] = reports;
    report
}

/// Polls a future once, with a waker of its own: so it is known that this makes a difference.
async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(future).poll(&mut context).is_pending()
}

#[test]
fn room_is_counted() {
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(2);
        assert_eq!((sender.capacity(), sender.max_capacity()), (2, 2));
        assert!(receiver.is_empty() && !receiver.is_closed());
        let early = sender.reserve().await.unwrap();
        let late = sender.try_reserve().unwrap();
        assert_eq!((sender.capacity(), receiver.len()), (0, 0));
        assert!(matches!(sender.try_reserve(), Err(TrySendError::Full(()))));
        assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        late.send(1);
        early.send(2);
        assert_eq!((sender.capacity(), receiver.len()), (0, 2));
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!((sender.capacity(), receiver.len()), (1, 1));
        let owned = sender.clone().reserve_owned().await.unwrap();
        assert_eq!(sender.capacity(), 0);
        let again = owned.release();
        assert!(again.same_channel(&sender));
        assert_eq!(sender.capacity(), 1);
        let owned = again.try_reserve_owned().unwrap();
        drop(owned.send(3));
        assert_eq!(receiver.recv().await, Some(2));
        assert_eq!(receiver.recv().await, Some(3));
        drop(sender);
        assert!(receiver.is_closed());
        assert_eq!(receiver.recv().await, None);
    });
    assert_eq!(report.executions, 1);
}

#[test]
fn a_closed_queue_ends_when_reserved_room_is_used_or_given_back() {
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(3);
        sender.try_send(1).unwrap();
        let used = sender.reserve().await.unwrap();
        let unused = sender.reserve().await.unwrap();
        receiver.close();
        assert!(receiver.is_closed() && sender.is_closed());
        assert!(sender.reserve().await.is_err());
        assert!(matches!(
            sender.try_reserve(),
            Err(TrySendError::Closed(()))
        ));
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        used.send(2);
        assert_eq!(receiver.try_recv(), Ok(2));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        drop(unused);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        assert_eq!(receiver.recv().await, None);
    });
    assert_eq!(report.executions, 1);
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let Ok(permit) = sender.reserve().await else {
                cover("too late");
                return;
            };
            permit.send(1);
        });
        receiver.close();
        match receiver.recv().await {
            Some(1) => cover("in time"),
            other => assert_eq!(other, None),
        }
        assert_eq!(receiver.recv().await, None);
        task.await.unwrap();
    });
    assert!(report.coverage["too late"] > 0 && report.coverage["in time"] > 0);
}

#[test]
fn what_was_counted_is_there() {
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(2);
        let task = tokio::spawn(async move {
            sender.send(1).await.unwrap();
            sender.send(2).await.unwrap();
            sender
        });
        let first = receiver.len();
        cover(format!("first {first}"));
        let second = receiver.len();
        assert!(first <= second && second <= 2);
        for n in 1..=second {
            assert_eq!(receiver.try_recv(), Ok(n));
        }
        let sender = task.await.unwrap();
        assert_eq!(receiver.len(), 2 - second);
        assert_eq!(sender.capacity(), second);
    });
    assert!((0..=2).all(|n| report.coverage[&format!("first {n}")] > 0));
}

/// Two wait for room, and somebody tries while two messages are taken: those who wait get it.
#[test]
fn trying_to_send_does_not_overtake_those_who_wait() {
    let _ = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(2);
        sender.try_send(1).unwrap();
        sender.try_send(2).unwrap();
        let mut ann = Box::pin(sender.reserve());
        let mut bob = Box::pin(sender.send(4));
        assert!(is_pending(&mut ann).await && is_pending(&mut bob).await);
        let other = sender.clone();
        let tries = tokio::spawn(async move {
            assert_eq!(other.capacity(), 0);
            assert_eq!(other.try_send(5), Err(TrySendError::Full(5)));
        });
        assert_eq!(receiver.recv().await, Some(1));
        assert_eq!(receiver.recv().await, Some(2));
        tries.await.unwrap();
        bob.await.unwrap();
        ann.await.unwrap().send(3);
        assert_eq!(receiver.recv().await, Some(4));
        assert_eq!(receiver.recv().await, Some(3));
    });
}

/// A send that is known to have waited has room when there is some, and sends when its task goes on.
#[test]
fn others_may_send_before_a_send_that_waited() {
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(2);
        sender.try_send("a").unwrap();
        sender.try_send("b").unwrap();
        let mut waits = Box::pin(sender.send("waited"));
        assert!(is_pending(&mut waits).await);
        assert_eq!(receiver.try_recv(), Ok("a"));
        assert_eq!(receiver.try_recv(), Ok("b"));
        sender.try_send("tried").unwrap();
        waits.await.unwrap();
        assert_eq!(receiver.try_recv(), Ok("tried"));
        assert_eq!(receiver.try_recv(), Ok("waited"));
    });
    assert_eq!(report.executions, 1);
}

#[test]
fn room_that_nobody_waits_for_any_more_goes_to_the_next() {
    let _ = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(1);
        sender.try_send(1).unwrap();
        let mut ann = Box::pin(sender.reserve());
        let mut bob = Box::pin(sender.reserve());
        assert!(is_pending(&mut ann).await && is_pending(&mut bob).await);
        assert_eq!(receiver.recv().await, Some(1));
        drop(ann);
        bob.await.unwrap().send(2);
        assert_eq!(receiver.recv().await, Some(2));
        assert_eq!(sender.capacity(), 1);
    });
}

/// A send takes room and then puts its message into the queue: in between the queue is full and empty.
#[test]
fn a_queue_is_full_and_empty_while_a_send_is_between_its_steps() {
    let report = holds_everywhere(async || {
        let (sender, mut receiver) = mpsc::channel(1);
        let other = sender.clone();
        let task = tokio::spawn(async move { other.try_send(1).is_ok() });
        if sender.try_send(2) == Err(TrySendError::Full(2)) {
            match receiver.try_recv() {
                Ok(n) => {
                    assert_eq!(n, 1);
                    cover("full");
                }
                other => {
                    assert_eq!(other, Err(TryRecvError::Empty));
                    cover("full and empty");
                    // When the other task is through, the message is there.
                    assert!(task.await.unwrap());
                    assert_eq!(receiver.try_recv(), Ok(1));
                }
            }
        } else {
            assert_eq!(receiver.try_recv(), Ok(2), "its own message is there");
        }
    });
    assert!(report.coverage["full"] > 0 && report.coverage["full and empty"] > 0);
}
