//! What is ready at its first poll is known to be: it can win, and it is not given up.

use plainsong::tokio::sync::{Notify, mpsc, oneshot};
use plainsong::{Explorer, Report, cover, explore, tokio};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many executions reach which mark.
fn covered(program: impl AsyncFn() + Send + Sync + 'static) -> BTreeMap<String, u64> {
    let program = Arc::new(program);
    let report = explore(move || {
        let program = Arc::clone(&program);
        tokio::block_on(async move { program().await });
    });
    report.assert_holds();
    report.coverage.into_iter().collect()
}

fn marks<const N: usize>(expected: [(&str, u64); N]) -> BTreeMap<String, u64> {
    let expected = expected.into_iter();
    expected.map(|(name, n)| (name.to_owned(), n)).collect()
}

#[test]
fn a_closed_queue_does_not_hide_a_value_that_is_there() {
    let program = async || {
        let (_sender, mut queue) = mpsc::channel::<u8>(1);
        let (sender, value) = oneshot::channel::<u8>();
        sender.send(1).unwrap();
        queue.close();
        tokio::select! {
            _ = queue.recv() => cover("closed"),
            _ = value => cover("value"),
        }
    };
    assert_eq!(covered(program), marks([("closed", 1), ("value", 1)]));
}

#[test]
fn of_several_that_are_ready_each_wins() {
    let program = async || {
        let (_a, mut first) = mpsc::channel::<u8>(1);
        let (_b, mut second) = mpsc::unbounded_channel::<u8>();
        let mut none = tokio::task::JoinSet::<u8>::new();
        first.close();
        second.close();
        tokio::select! {
            _ = first.recv() => cover("first"),
            _ = second.recv() => cover("second"),
            _ = none.join_next() => cover("none"),
            () = async {} => cover("ready"),
        }
    };
    let expected = [("first", 1), ("second", 1), ("none", 1), ("ready", 1)];
    assert_eq!(covered(program), marks(expected));
}

#[test]
fn of_several_that_are_ready_the_first_wins_if_biased() {
    let program = async || {
        let (_sender, mut queue) = mpsc::channel::<u8>(1);
        queue.close();
        tokio::select! {
            biased;
            _ = queue.recv() => cover("closed"),
            () = async {} => cover("ready"),
        }
    };
    assert_eq!(covered(program), marks([("closed", 1)]));
}

#[test]
fn one_notification_of_all_wakes_nobody_twice() {
    let program = || {
        tokio::block_on(async {
            let notify = Arc::new(Notify::new());
            let other = Arc::clone(&notify);
            tokio::spawn(async move { other.notify_waiters() });
            notify.notified().await;
            cover("woken");
            notify.notified().await;
            cover("woken again");
        });
    };
    let report: Report = Explorer::new().allow_deadlock(true).run(program);
    assert!(report.failures.is_empty(), "{report}");
    let coverage: BTreeMap<String, u64> = report.coverage.into_iter().collect();
    // Before it waits (but after it was made) or while it waits; or too early, and it waits for ever.
    assert_eq!(coverage, marks([("woken", 2)]));
}
