//! To find something busy, full, empty or open is an observation: what would have made it otherwise comes later.
//!
//! In each test one task does something that the other then does not find done. So the second task was
//! earlier, and what it did before that is there for the first.

use plainsong::sync::atomic::{AtomicBool, Ordering::SeqCst};
use plainsong::tokio::sync::{
    Barrier, BarrierWaitResult, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot,
};
use plainsong::tokio::time::{Duration, timeout};
use plainsong::{Explorer, Report, Verdict, cover, tokio};
use std::sync::Arc;

/// Task A does something and looks whether B's word has come; B gives its word and looks whether A has done
/// it. Not both may find nothing.
fn explore_both<X: 'static, Y: 'static, A: Future<Output = ()>>(
    make: impl Fn() -> (X, Y) + Copy + Send + Sync + 'static,
    act: impl Fn(X) -> A + Copy + Send + Sync + 'static,
    finds_it_undone: impl Fn(Y) -> bool + Copy + Send + Sync + 'static,
    asks: bool,
) -> Report {
    Explorer::new().run(move || {
        tokio::block_on(async {
            let (word, mut heard) = oneshot::channel();
            let (here, there) = make();
            let a = tokio::spawn(async move {
                act(here).await;
                heard.try_recv().is_ok()
            });
            let b = tokio::spawn(async move {
                word.send(1).ok();
                finds_it_undone(there)
            });
            let (hears, is_undone) = (a.await.unwrap(), b.await.unwrap());
            assert!(hears || (asks && !is_undone), "nobody was first");
        });
    })
}

fn is_an_observation<X: 'static, Y: 'static, A: Future<Output = ()>>(
    make: impl Fn() -> (X, Y) + Copy + Send + Sync + 'static,
    act: impl Fn(X) -> A + Copy + Send + Sync + 'static,
    finds_it_undone: impl Fn(Y) -> bool + Copy + Send + Sync + 'static,
) {
    explore_both(make, act, finds_it_undone, true).assert_holds();
    // If B is not asked, A may well have been first.
    let report = explore_both(make, act, finds_it_undone, false);
    assert_eq!(report.verdict, Verdict::Refuted);
}

/// One for each of two tasks.
fn both<S>(object: S) -> (Arc<S>, Arc<S>) {
    let object = Arc::new(object);
    (Arc::clone(&object), object)
}

#[test]
fn a_lock_that_is_busy_is_given_back_later() {
    is_an_observation(
        || both(Mutex::new(0)),
        |lock| async move { drop(lock.lock().await) },
        |lock| lock.try_lock().is_err(),
    );
}

#[test]
fn a_lock_that_is_read_is_given_back_later() {
    is_an_observation(
        || both(RwLock::new(0)),
        |lock| async move { drop(lock.read().await) },
        |lock| lock.try_write().is_err(),
    );
}

#[test]
fn a_lock_that_is_written_is_given_back_later() {
    is_an_observation(
        || both(RwLock::new(0)),
        |lock| async move { drop(lock.write().await) },
        |lock| lock.try_read().is_err(),
    );
}

#[test]
fn permits_that_are_out_come_back_later() {
    is_an_observation(
        || both(Semaphore::new(2)),
        |permits| async move { drop(permits.acquire_many(2).await) },
        |permits| permits.try_acquire().is_err(),
    );
    is_an_observation(
        || both(Semaphore::new(1)),
        |permits| async move { drop(permits.acquire().await) },
        |permits| permits.available_permits() == 0,
    );
}

#[test]
fn permits_that_are_not_there_are_made_later() {
    is_an_observation(
        || both(Semaphore::new(0)),
        |permits| async move { permits.add_permits(1) },
        |permits| permits.available_permits() == 0,
    );
}

#[test]
fn what_is_not_closed_is_closed_later() {
    is_an_observation(
        || both(Semaphore::new(0)),
        |permits| async move { permits.close() },
        |permits| !permits.is_closed(),
    );
}

#[test]
fn a_semaphore_that_is_closed_is_closed_for_all_at_one_moment() {
    // What is added after it was closed is not there while it is open.
    let report = plainsong::explore(|| {
        tokio::block_on(async {
            let permits = Arc::new(Semaphore::new(0));
            let closing = Arc::clone(&permits);
            let closer = tokio::spawn(async move {
                closing.close();
                closing.add_permits(1);
            });
            assert!(permits.try_acquire().is_err(), "a permit of a closed one");
            closer.await.unwrap();
        });
    });
    report.assert_holds();
}

/// A queue for one message, full.
fn full_queue() -> (mpsc::Receiver<i32>, mpsc::Sender<i32>) {
    let (sender, receiver) = mpsc::channel(1);
    sender.try_send(1).unwrap();
    (receiver, sender)
}

#[test]
fn room_that_is_not_there_is_made_later() {
    async fn receive(mut receiver: mpsc::Receiver<i32>) {
        receiver.recv().await.unwrap();
        std::mem::forget(receiver);
    }
    is_an_observation(full_queue, receive, |queue| queue.try_send(2).is_err());
    is_an_observation(full_queue, receive, |queue| queue.try_reserve().is_err());
    is_an_observation(full_queue, receive, |queue| queue.capacity() == 0);
}

#[test]
fn a_receiver_that_is_there_is_dropped_later() {
    is_an_observation(
        full_queue,
        |receiver| async move { drop(receiver) },
        |sender| !sender.is_closed(),
    );
    is_an_observation(
        || {
            let (sender, receiver) = oneshot::channel::<i32>();
            (receiver, sender)
        },
        |receiver| async move { drop(receiver) },
        |sender| !sender.is_closed(),
    );
    is_an_observation(
        || {
            let (sender, receiver) = broadcast::channel::<i32>(1);
            (receiver, sender)
        },
        |receiver| async move { drop(receiver) },
        |sender| sender.receiver_count() == 1,
    );
}

#[test]
fn a_message_that_is_not_there_is_sent_later() {
    is_an_observation(
        mpsc::unbounded_channel::<i32>,
        |sender| async move { sender.send(1).unwrap_or_default() },
        |mut receiver| receiver.try_recv() == Err(mpsc::error::TryRecvError::Empty),
    );
    is_an_observation(
        || broadcast::channel::<i32>(1),
        |sender| async move { sender.send(1).map_or((), |_| ()) },
        |mut receiver| receiver.try_recv() == Err(broadcast::error::TryRecvError::Empty),
    );
}

#[test]
fn a_queue_with_a_later_message_is_not_empty() {
    // Two send; whoever sees that the second is there finds one.
    let report = plainsong::explore(|| {
        tokio::block_on(async {
            let (sender, mut receiver) = mpsc::channel(2);
            let (word, mut heard) = oneshot::channel();
            let other = sender.clone();
            let one = tokio::spawn(async move { sender.send(1).await.unwrap() });
            let two = tokio::spawn(async move {
                other.send(2).await.unwrap();
                heard.try_recv().is_ok()
            });
            word.send(()).ok();
            let is_empty = receiver.try_recv().is_err();
            let hears = two.await.unwrap();
            one.await.unwrap();
            assert!(hears || !is_empty, "neither was first");
        });
    });
    report.assert_holds();
}

#[test]
fn a_message_that_does_not_come_in_time_is_sent_later() {
    use tokio::time::{Duration, timeout};
    // Each gives its word and waits for that of the other: not both can wait in vain.
    let explored = |is_certain: bool| {
        Explorer::new().run(move || {
            tokio::block_on(async {
                let (one, mut hears_one) = mpsc::unbounded_channel();
                let (two, hears_two) = oneshot::channel();
                let other = tokio::spawn(async move {
                    one.send(1).ok();
                    timeout(Duration::from_secs(1), hears_two).await.is_ok()
                });
                two.send(2).ok();
                let here = timeout(Duration::from_secs(1), hears_one.recv())
                    .await
                    .is_ok();
                let there = other.await.unwrap();
                assert!(here || (is_certain && there), "nobody was first");
            });
        })
    };
    explored(true).assert_holds();
    assert_eq!(explored(false).verdict, Verdict::Refuted);
}

#[test]
fn who_was_woken_with_all_others_leaves_a_kept_notification_there() {
    // As in `tokio` from 1.51 on, whichever came first, and whether or not somebody looks.
    let program = |is_kept: bool, is_observed: bool, one_is_first: bool| {
        plainsong::explore(move || {
            tokio::block_on(async {
                let notify = Notify::new();
                let first = notify.notified();
                if is_kept && one_is_first {
                    notify.notify_one();
                }
                notify.notify_waiters();
                if is_kept && !one_is_first {
                    notify.notify_one();
                }
                if is_observed {
                    assert!(
                        tokio::time::timeout(std::time::Duration::from_secs(1), first)
                            .await
                            .is_ok()
                    );
                } else {
                    first.await;
                }
                notify.notified().await;
            });
        })
    };
    for (is_observed, one_is_first) in [(true, true), (true, false), (false, true), (false, false)]
    {
        program(true, is_observed, one_is_first).assert_holds();
        let report = program(false, is_observed, one_is_first);
        assert_eq!(report.verdict, Verdict::Refuted);
        assert!(report.failures[0].message.starts_with("deadlock"));
    }
}

#[test]
fn a_queue_that_was_closed_may_still_get_what_there_was_room_for() {
    let program = || {
        tokio::block_on(async {
            let (sender, mut receiver) = mpsc::channel(1);
            let sending = tokio::spawn(async move { sender.send(7).await.is_ok() });
            receiver.close();
            let early = receiver.try_recv();
            let late = receiver.recv().await;
            let is_sent = sending.await.unwrap();
            assert_eq!(early.is_ok() || late.is_some(), is_sent);
            cover(format!("{early:?} {late:?}"));
        });
    };
    let report = Explorer::new().run(program);
    report.assert_holds();
    let seen: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    let expected = ["Err(Disconnected) None", "Err(Empty) Some(7)", "Ok(7) None"];
    assert_eq!(seen, expected);
}

#[test]
fn whoever_finds_no_broadcast_comes_before_the_count_of_its_receivers() {
    let program = || {
        tokio::block_on(async {
            let (sender, first) = broadcast::channel(2);
            let mut second = sender.subscribe();
            let flag = Arc::new(AtomicBool::new(false));
            let is_gone = Arc::clone(&flag);
            tokio::spawn(async move {
                drop(first);
                flag.store(true, SeqCst);
            });
            let looking = tokio::spawn(async move {
                let is_gone = is_gone.load(SeqCst);
                is_gone && second.try_recv().is_err()
            });
            let counted = sender.send(7);
            if looking.await.unwrap() {
                assert_ne!(counted, Ok(2), "one was dropped before that");
            }
        });
    };
    Explorer::new().run(program).assert_holds();
}

#[test]
fn the_last_at_a_barrier_does_not_wait_so_it_is_not_aborted_there() {
    let program = || {
        tokio::block_on(async {
            let barrier = Arc::new(Barrier::new(2));
            let other = Arc::clone(&barrier);
            let task = tokio::spawn(async move { other.wait().await.is_leader() });
            task.abort();
            let met = timeout(Duration::from_secs(1), barrier.wait()).await;
            cover(format!(
                "{:?}",
                met.as_ref().ok().map(BarrierWaitResult::is_leader)
            ));
            if let Ok(met) = met
                && !met.is_leader()
            {
                assert_eq!(task.await.ok(), Some(true));
            }
        });
    };
    let report = Explorer::new().run(program);
    report.assert_holds();
    assert_eq!(report.coverage.len(), 3);
}
