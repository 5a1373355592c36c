//! What is ready at its first poll is known to be: it can win, and it is not given up.

use plainsong::tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, mpsc, oneshot, watch};
use plainsong::tokio::time::timeout;
use plainsong::{Explorer, Report, cover, explore, tokio};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(1);

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

/// What is certainly there when it is polled first: if biased the first wins, else each of both does,
/// and no timeout comes.
macro_rules! ready_at_once {
    ($($name:ident { $($before:tt)* } $future:expr;)*) => {$(
        #[test]
        fn $name() {
            let first = async || {
                $($before)*
                tokio::select! {
                    biased;
                    _ = $future => cover("first"),
                    () = async {} => cover("ready"),
                }
            };
            assert_eq!(covered(first), marks([("first", 1)]));
            let either = async || {
                $($before)*
                tokio::select! {
                    _ = $future => cover("it"),
                    () = async {} => cover("ready"),
                }
            };
            assert_eq!(covered(either), marks([("it", 1), ("ready", 1)]));
            let in_time = async || {
                $($before)*
                assert!(timeout(SOON, $future).await.is_ok());
                cover("in time");
            };
            assert_eq!(covered(in_time), marks([("in time", 1)]));
        }
    )*};
}

ready_at_once! {
    a_notification_that_was_given { let notify = Notify::new(); notify.notify_one(); } notify.notified();
    a_mutex_that_is_free { let mutex = Mutex::new(1); } mutex.lock();
    a_lock_that_is_free_to_read { let lock = RwLock::new(1); } lock.read();
    a_lock_that_is_free_to_write { let lock = RwLock::new(1); } lock.write();
    a_semaphore_with_permits { let semaphore = Semaphore::new(2); } semaphore.acquire_many(2);
    a_semaphore_that_is_closed { let semaphore = Semaphore::new(0); semaphore.close(); } semaphore.acquire();
    a_queue_with_room { let (sender, _receiver) = mpsc::channel::<u8>(1); } sender.send(1);
    a_queue_without_receiver { let (sender, receiver) = mpsc::channel::<u8>(1); drop(receiver); } sender.send(1);
    a_value_that_has_changed { let (sender, mut value) = watch::channel(1); sender.send(2).unwrap(); } value.changed();
    a_value_that_will_not_change { let (sender, mut value) = watch::channel(1); drop(sender); } value.changed();
}

#[test]
fn what_is_not_there_does_not_win_and_may_time_out() {
    let program = async || {
        let (mutex, notify) = (Mutex::new(1), Notify::new());
        let (sender, _receiver) = mpsc::channel::<u8>(1);
        let (_sender, mut value) = watch::channel(1);
        sender.try_send(1).unwrap();
        let _guard = mutex.lock().await;
        tokio::select! {
            _ = mutex.lock() => cover("mutex"),
            () = notify.notified() => cover("notify"),
            _ = sender.send(2) => cover("send"),
            _ = value.changed() => cover("changed"),
            () = async {} => cover("ready"),
        }
        assert!(timeout(SOON, mutex.lock()).await.is_err());
    };
    // Each of the five may be polled first.
    assert_eq!(covered(program), marks([("ready", 5)]));
}

#[test]
fn a_lock_that_was_given_back_before_does_not_time_out() {
    let program = async || {
        let mutex = Arc::new(Mutex::new(1));
        let other = Arc::clone(&mutex);
        let task = tokio::spawn(async move { *other.lock().await += 1 });
        task.await.unwrap();
        let guard = timeout(SOON, mutex.lock()).await.expect("it is free");
        cover(format!("{}", *guard));
    };
    assert_eq!(covered(program), marks([("2", 1)]));
}

#[test]
fn a_lock_that_another_may_have_is_waited_for() {
    let program = async || {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        tokio::spawn(async move { *other.lock().await += 1 });
        tokio::select! {
            biased;
            n = mutex.lock() => cover(format!("at once {}", *n)),
            () = async {} => cover("not at once"),
        }
    };
    let seen: Vec<String> = covered(program).into_keys().collect();
    assert_eq!(seen, ["at once 0", "at once 1", "not at once"]);
}

#[test]
fn join_goes_on_in_its_first_future_if_the_lock_is_free() {
    let program = async || {
        let (mutex, log) = (Mutex::new(()), Mutex::new(Vec::new()));
        let first = async {
            let _guard = mutex.lock().await;
            log.try_lock().unwrap().push(1);
        };
        let second = async { log.try_lock().unwrap().push(2) };
        tokio::join!(first, second);
        cover(format!("{:?}", log.try_lock().unwrap()));
    };
    assert_eq!(covered(program), marks([("[1, 2]", 1)]));
}

#[test]
fn a_wait_that_is_enabled_knows_a_notification_that_was_given() {
    let program = async || {
        let notify = Notify::new();
        notify.notify_one();
        let (first, second) = (notify.notified(), notify.notified());
        tokio::pin!(first, second);
        cover(format!("{}", first.as_mut().enable()));
        cover(format!("then {}", second.as_mut().enable()));
    };
    assert_eq!(covered(program), marks([("true", 1), ("then false", 1)]));
}

#[test]
fn a_channel_that_was_closed_is_known_to_be() {
    let program = async || {
        let (sender, receiver) = mpsc::channel::<u8>(1);
        drop(receiver);
        tokio::select! {
            biased;
            () = sender.closed() => cover("closed"),
            () = async {} => cover("ready"),
        }
    };
    assert_eq!(covered(program), marks([("closed", 1)]));
}

#[test]
fn the_last_one_at_a_barrier_does_not_wait() {
    let program = async || {
        let barrier = Barrier::new(1);
        tokio::select! {
            biased;
            _ = barrier.wait() => cover("all there"),
            () = async {} => cover("ready"),
        }
    };
    assert_eq!(covered(program), marks([("all there", 1)]));
}
