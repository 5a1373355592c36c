//! Timeouts come only while nothing is there that they are given up for: no message, and no end of a channel.

use plainsong::tokio::sync::{Mutex, broadcast, mpsc, oneshot, watch};
use plainsong::tokio::time::{Duration, timeout};
use plainsong::{Explorer, Report, tokio};
use std::sync::Arc;

const SECOND: Duration = Duration::from_secs(1);

fn explore<F: Future<Output = ()>>(program: impl Fn() -> F + Send + Sync + 'static) -> Report {
    Explorer::new().run(move || tokio::block_on(program()))
}

fn always<F: Future<Output = ()>>(program: impl Fn() -> F + Send + Sync + 'static) {
    let report = explore(program);
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
}

#[test]
fn the_end_of_a_queue_is_never_late() {
    always(|| async {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        drop(sender);
        assert_eq!(timeout(SECOND, receiver.recv()).await, Ok(None));
    });
    always(|| async {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let other = sender.clone();
        other.send(1).unwrap();
        drop((sender, other));
        assert_eq!(timeout(SECOND, receiver.recv()).await, Ok(Some(1)));
        assert_eq!(timeout(SECOND, receiver.recv()).await, Ok(None));
    });
    always(|| async {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        tokio::spawn(async move { drop(sender) }).await.unwrap();
        assert_eq!(timeout(SECOND, receiver.recv()).await, Ok(None));
    });
    always(|| async {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        receiver.close();
        assert_eq!(timeout(SECOND, receiver.recv()).await, Ok(None));
        drop(sender);
    });
}

#[test]
fn the_end_of_other_channels_is_never_late() {
    always(|| async {
        let (sender, mut receiver) = broadcast::channel::<u8>(1);
        drop(sender);
        assert!(timeout(SECOND, receiver.recv()).await.is_ok());
    });
    always(|| async {
        let (sender, mut receiver) = watch::channel(1);
        drop(sender);
        assert!(timeout(SECOND, receiver.changed()).await.is_ok());
    });
    always(|| async {
        let (sender, receiver) = oneshot::channel::<u8>();
        drop(sender);
        assert!(timeout(SECOND, receiver).await.is_ok());
    });
    always(|| async {
        let (mut sender, receiver) = oneshot::channel::<u8>();
        drop(receiver);
        assert!(timeout(SECOND, sender.closed()).await.is_ok());
    });
}

#[test]
fn a_sender_that_is_left_or_dropped_meanwhile_lets_the_timeout_come() {
    let report = explore(|| async {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        let other = sender.clone();
        drop(sender);
        let got = timeout(SECOND, receiver.recv()).await;
        drop(other);
        assert!(got.is_ok(), "nothing came");
    });
    assert!(report.failures[0].message.contains("nothing came"));
    let report = explore(|| async {
        let (sender, mut receiver) = mpsc::channel::<u8>(1);
        tokio::spawn(async move { drop(sender) });
        let got = timeout(SECOND, receiver.recv()).await;
        plainsong::cover(format!("{}", got.is_ok()));
    });
    report.assert_holds();
    assert_eq!(report.executions, 2);
    assert_eq!(report.coverage.len(), 2);
}

/// Each drops a sender and then looks: at least one of them comes second.
#[test]
fn of_two_that_drop_and_look_one_finds_the_end() {
    let report = explore(|| async {
        let (a, mut of_a) = mpsc::channel::<u8>(1);
        let (b, mut of_b) = mpsc::channel::<u8>(1);
        let other = tokio::spawn(async move {
            drop(a);
            timeout(SECOND, of_b.recv()).await.is_ok()
        });
        drop(b);
        let here = timeout(SECOND, of_a.recv()).await.is_ok();
        let there = other.await.unwrap();
        plainsong::cover(format!("{here} {there}"));
        assert!(here || there);
    });
    report.assert_holds();
    assert_eq!(report.coverage.len(), 3);
}

#[test]
fn of_several_timeouts_none_comes_for_what_is_there() {
    let queue = |message: i32| {
        let (sender, receiver) = mpsc::channel(1);
        sender.try_send(message).unwrap();
        (sender, receiver)
    };
    let report = explore(move || async move {
        let (_a, mut first) = queue(1);
        let (_b, mut second) = mpsc::channel::<i32>(1);
        let (x, y) = tokio::join!(
            timeout(SECOND, first.recv()),
            timeout(SECOND, second.recv())
        );
        assert_eq!(x, Ok(Some(1)));
        assert!(y.is_err());
    });
    report.assert_holds();
    let report = explore(move || async move {
        let (_a, mut first) = queue(1);
        let got = timeout(SECOND, timeout(SECOND, first.recv())).await;
        assert_eq!(got, Ok(Ok(Some(1))));
    });
    report.assert_holds();
    let report = explore(move || async move {
        let (_a, mut first) = queue(1);
        let (_b, mut second) = mpsc::channel::<i32>(1);
        let got = timeout(SECOND, async {
            tokio::select! {
                got = first.recv() => got,
                got = second.recv() => got,
            }
        });
        assert_eq!(got.await, Ok(Some(1)));
    });
    report.assert_holds();
}

/// While the lock is not given back, its timeout may come, and no later.
#[test]
fn a_lock_that_was_given_back_is_not_late() {
    let report = explore(|| async {
        let lock = Arc::new(Mutex::new(()));
        let held = Arc::clone(&lock).lock_owned().await;
        let (told, mut hears) = oneshot::channel();
        let waiting = Arc::clone(&lock);
        let waiter = tokio::spawn(async move {
            let got = timeout(SECOND, waiting.lock()).await.is_ok();
            (got, hears.try_recv().is_ok())
        });
        drop(held);
        told.send(()).ok();
        let (got, has_heard) = waiter.await.unwrap();
        plainsong::cover(format!("{got} {has_heard}"));
    });
    report.assert_holds();
    assert_eq!(report.coverage.len(), 4, "{:?}", report.coverage);
}
