//! Locks, semaphores, notifications and barriers as in tokio.

use crate::script::{DELIVERIES, every_way};
use plainsong::future::block_on;
use plainsong::tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, TryAcquireError};
use plainsong::tokio::time::timeout;
use plainsong::{Explorer, FailureKind, cover, current, explore, receive, send, spawn, tokio};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn count_everywhere<F: Fn() + Send + Sync + 'static>(expected: u64, program: impl Fn() -> F) {
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, &program), (expected, 0), "{delivery:?}");
    }
}

#[test]
fn tasks_that_lock_once_have_every_order_once() {
    for (n, expected) in [(1, 1), (2, 2), (3, 6)] {
        count_everywhere(expected, || {
            move || {
                let log = Arc::new(Mutex::new(Vec::new()));
                let tasks: Vec<_> = (0..n)
                    .map(|n| {
                        let log = Arc::clone(&log);
                        tokio::spawn(async move { log.lock().await.push(n) })
                    })
                    .collect();
                block_on(async {
                    for task in tasks {
                        task.await.unwrap();
                    }
                    assert_eq!(log.lock().await.len(), n);
                });
            }
        });
    }
}

#[test]
fn an_update_is_lost_between_two_locks() {
    let report = explore(|| {
        let counter = Arc::new(Mutex::new(0));
        let tasks = [(); 2].map(|()| {
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                let seen = *counter.lock().await;
                *counter.lock().await = seen + 1;
            })
        });
        block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(*counter.lock().await, 2, "an update was lost");
        });
    });
    assert!(
        report.failures[0].message.contains("an update was lost"),
        "{report}"
    );
}

#[test]
fn a_lock_that_is_never_given_back_is_a_deadlock() {
    let report = explore(|| {
        let mutex = Mutex::new(());
        block_on(async {
            let _guard = mutex.lock().await;
            let _again = mutex.lock().await;
        });
    });
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: main waits for mutex 1, held by main"
    );
}

#[test]
fn a_guard_may_travel_and_is_held_across_awaits() {
    count_everywhere(1, || {
        || {
            let mutex = Arc::new(Mutex::new(1));
            block_on(async {
                let mut guard = Arc::clone(&mutex).lock_owned().await;
                *guard += 1;
                assert!(mutex.try_lock().is_err());
                let task = tokio::spawn(async move {
                    tokio::task::yield_now().await;
                    *guard += 1;
                });
                task.await.unwrap();
                assert_eq!(*mutex.try_lock().unwrap(), 3);
            });
            assert_eq!(*mutex.blocking_lock(), 3);
        }
    });
}

#[test]
fn try_lock_fails_only_while_somebody_has_the_lock() {
    let program = || {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let task = tokio::spawn(async move { *other.lock().await = 1 });
        let got = mutex.try_lock().map(|guard| *guard).ok();
        cover(format!("{got:?}"));
        block_on(task).unwrap();
        assert_eq!(
            mutex.try_lock().map(|guard| *guard).ok(),
            Some(1),
            "it is free now"
        );
    };
    let report = explore(program);
    report.assert_holds();
    assert_eq!(
        report.coverage.keys().collect::<Vec<_>>(),
        ["None", "Some(0)", "Some(1)"]
    );
    count_everywhere(report.executions, || program);
}

#[test]
fn a_lock_that_was_given_up_is_free() {
    let program = || {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let task = tokio::spawn(async move {
            match timeout(SECOND, other.lock()).await {
                Ok(mut guard) => *guard += 1,
                Err(_) => cover("given up"),
            }
        });
        block_on(async {
            *mutex.lock().await += 10;
            task.await.unwrap();
            assert!(*mutex.lock().await >= 10);
        });
    };
    let report = explore(program);
    report.assert_holds();
    assert!(report.coverage["given up"] > 0);
    count_everywhere(report.executions, || program);
}

#[test]
fn a_task_that_is_aborted_gives_its_lock_back() {
    let program = || {
        let mutex = Arc::new(Mutex::new(0));
        let other = Arc::clone(&mutex);
        let task = tokio::spawn(async move {
            let _guard = other.lock().await;
            std::future::pending::<()>().await;
        });
        task.abort();
        block_on(async {
            drop(mutex.lock().await);
            assert!(task.await.is_err());
        });
    };
    let report = explore(program);
    report.assert_holds();
    count_everywhere(report.executions, || program);
}

#[test]
fn readers_share_and_writers_do_not() {
    let program = || {
        let lock = Arc::new(RwLock::new(0));
        let writers = [1, 2].map(|n| {
            let lock = Arc::clone(&lock);
            tokio::spawn(async move {
                let mut value = lock.write().await;
                let before = *value;
                tokio::task::yield_now().await;
                *value = before + n;
            })
        });
        let reader = Arc::clone(&lock);
        let read = tokio::spawn(async move {
            let (one, other) = (reader.read().await, reader.try_read());
            if let Ok(other) = other {
                assert_eq!(*one, *other, "nobody writes while somebody reads");
            }
            *one
        });
        block_on(async {
            for writer in writers {
                writer.await.unwrap();
            }
            cover(format!("{}", read.await.unwrap()));
            assert_eq!(*lock.read().await, 3);
        });
    };
    let report = explore(program);
    report.assert_holds();
    assert_eq!(
        report.coverage.keys().collect::<Vec<_>>(),
        ["0", "1", "2", "3"]
    );
    count_everywhere(report.executions, || program);
}

#[test]
fn a_writer_waits_for_all_readers_in_one_order() {
    count_everywhere(1, || {
        || {
            let lock = Arc::new(RwLock::new(0));
            block_on(async {
                let guards = [lock.read().await, lock.read().await, lock.read().await];
                let writer = Arc::clone(&lock);
                let main = current();
                let task = tokio::spawn(async move {
                    send(main, ());
                    *writer.write().await = 1;
                });
                plainsong::future::async_receive::<()>().await;
                drop(guards);
                task.await.unwrap();
                assert_eq!(*lock.read().await, 1);
            });
        }
    });
}

#[test]
fn a_semaphore_lets_so_many_in() {
    let program = |permits: usize| {
        move || {
            let semaphore = Arc::new(Semaphore::new(permits));
            let inside = plainsong::sync::Arc::new(plainsong::sync::atomic::AtomicUsize::new(0));
            for _ in 0..2 {
                let (semaphore, inside) = (Arc::clone(&semaphore), inside.clone());
                tokio::spawn(async move {
                    let _permit = semaphore.acquire().await.unwrap();
                    let order = plainsong::sync::atomic::Ordering::SeqCst;
                    let others = inside.fetch_add(1, order);
                    cover(format!("{others} others"));
                    inside.fetch_sub(1, order);
                });
            }
        }
    };
    let one = explore(program(1));
    one.assert_holds();
    assert_eq!(one.coverage.keys().collect::<Vec<_>>(), ["0 others"]);
    let two = explore(program(2));
    two.assert_holds();
    assert_eq!(two.coverage.len(), 2);
}

#[test]
fn permits_are_counted() {
    count_everywhere(1, || {
        || {
            let semaphore = Arc::new(Semaphore::new(2));
            block_on(async {
                let many = semaphore.acquire_many(2).await.unwrap();
                assert_eq!(
                    semaphore.try_acquire().unwrap_err(),
                    TryAcquireError::NoPermits
                );
                drop(many);
                let owned = Arc::clone(&semaphore).acquire_owned().await.unwrap();
                assert_eq!(semaphore.available_permits(), 1);
                owned.forget();
                semaphore.add_permits(3);
                assert_eq!(semaphore.available_permits(), 4);
                assert!(!semaphore.is_closed());
                semaphore.close();
                assert_eq!(
                    semaphore.try_acquire().unwrap_err(),
                    TryAcquireError::Closed
                );
                assert!(semaphore.acquire().await.is_err());
            });
        }
    });
    // Closing wakes who waits.
    let report = explore(|| {
        let semaphore = Arc::new(Semaphore::new(0));
        let other = Arc::clone(&semaphore);
        let task = tokio::spawn(async move { other.acquire().await.is_err() });
        semaphore.close();
        assert!(block_on(task).unwrap());
    });
    report.assert_holds();
}

#[test]
fn a_notification_for_nobody_is_kept_but_only_one() {
    let report = explore(|| {
        let notify = Notify::new();
        notify.notify_one();
        notify.notify_one();
        block_on(async {
            notify.notified().await;
            assert!(timeout(SECOND, notify.notified()).await.is_err());
        });
    });
    report.assert_holds();
    let report = explore(|| {
        let notify = Arc::new(Notify::new());
        let waiter = Arc::clone(&notify);
        let task = tokio::spawn(async move { waiter.notified().await });
        notify.notify_one();
        block_on(task).unwrap();
    });
    report.assert_holds();
}

#[test]
fn notify_waiters_wakes_those_that_are_there_and_keeps_nothing() {
    let report = explore(|| {
        let notify = Notify::new();
        block_on(async {
            let (made, other) = (notify.notified(), notify.notified());
            notify.notify_waiters();
            tokio::join!(made, other);
            assert!(timeout(SECOND, notify.notified()).await.is_err());
        });
    });
    report.assert_holds();
    // Whoever comes too late waits for ever.
    let report = explore(|| {
        let notify = Arc::new(Notify::new());
        let waiter = Arc::clone(&notify);
        tokio::spawn(async move { waiter.notified().await });
        notify.notify_waiters();
    });
    let failure = &report.failures[0];
    assert!(
        failure
            .message
            .contains("waits for a notification of notify 1"),
        "{report}"
    );
}

#[test]
fn a_notification_is_passed_on_by_one_who_has_given_up() {
    let program = || {
        let notify = Arc::new(Notify::new());
        let main = current();
        for n in 0..2 {
            let notify = Arc::clone(&notify);
            tokio::spawn(async move {
                match n {
                    0 => drop(timeout(SECOND, notify.notified()).await),
                    _ => notify.notified().await,
                }
                send(main, n);
            });
        }
        notify.notify_one();
        // The one who does not give up may be left without; then there must have been another.
        let first = receive::<i32>();
        notify.notify_one();
        let second = receive::<i32>();
        assert_eq!(first + second, 1);
    };
    let report = explore(program);
    report.assert_holds();
    count_everywhere(report.executions, || program);
}

#[test]
fn everybody_waits_at_a_barrier_and_one_leads() {
    let program = || {
        let barrier = Arc::new(Barrier::new(3));
        let tasks = [(); 3].map(|()| {
            let barrier = Arc::clone(&barrier);
            tokio::spawn(async move { barrier.wait().await.is_leader() })
        });
        block_on(async {
            let mut leaders = 0;
            for task in tasks {
                leaders += u32::from(task.await.unwrap());
            }
            assert_eq!(leaders, 1);
        });
    };
    count_everywhere(6, || program);
    let report = explore(|| {
        let barrier = Arc::new(Barrier::new(2));
        spawn(move || block_on(barrier.wait()).is_leader());
    });
    assert!(
        report.failures[0]
            .message
            .contains("waits for the others at barrier 1"),
        "{report}"
    );
}

/// Polls a future once.
async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx).is_pending())).await
}

/// Two wait for a permit each, and somebody tries while two come back at once: those who wait get them.
#[test]
fn trying_does_not_overtake_those_who_wait() {
    let program = async || {
        let semaphore = Arc::new(Semaphore::new(2));
        let both = semaphore.acquire_many(2).await.unwrap();
        let mut ann = Box::pin(semaphore.acquire());
        let mut bob = Box::pin(semaphore.acquire());
        assert!(is_pending(&mut ann).await);
        assert!(is_pending(&mut bob).await);
        let other = Arc::clone(&semaphore);
        let tries = tokio::spawn(async move {
            assert_eq!(other.available_permits(), 0);
            assert_eq!(other.try_acquire().unwrap_err(), TryAcquireError::NoPermits);
        });
        drop(both);
        tries.await.unwrap();
        let (ann, bob) = (ann.await.unwrap(), bob.await.unwrap());
        assert_eq!(semaphore.available_permits(), 0);
        drop((ann, bob));
        assert_eq!(semaphore.available_permits(), 2);
    };
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery);
        explorer
            .run(move || tokio::block_on(program()))
            .assert_holds();
    }
}

/// One who waits for several keeps what there is.
#[test]
fn a_request_for_several_permits_keeps_what_there_is() {
    let program = async || {
        let semaphore = Arc::new(Semaphore::new(2));
        let one = semaphore.acquire().await.unwrap();
        let mut all = Box::pin(semaphore.acquire_many(2));
        assert!(is_pending(&mut all).await);
        assert_eq!(semaphore.available_permits(), 0);
        assert!(semaphore.try_acquire().is_err());
        drop(all);
        assert_eq!(semaphore.available_permits(), 1);
        drop(one);
        assert_eq!(semaphore.available_permits(), 2);
    };
    plainsong::explore(move || tokio::block_on(program())).assert_holds();
}
