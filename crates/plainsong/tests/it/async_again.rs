//! Futures that are polled again, or inside of others: what came in the meantime is there.
//!
//! A future that was pending and lost a `select!` or a timeout can be polled in the next one. If what it waits for
//! has come by then, it is ready, as in `tokio`. So is an `async` block that waits for what is there already.

use futures_util::FutureExt;
use plainsong::tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot};
use plainsong::tokio::sync::{SemaphorePermit, watch};
use plainsong::tokio::time::timeout;
use plainsong::{Report, Verdict, cover, explore, tokio};
use std::pin::{Pin, pin};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(1);

/// Is it ready now? Asked in one of several ways.
async fn is_ready<F: Future>(future: Pin<&mut F>, way: u8) -> bool {
    match way {
        0 => tokio::select! {
            biased;
            _ = future => true,
            () = async {} => false,
        },
        1 => tokio::select! {
            biased;
            () = async { drop(future.await) } => true,
            () = async {} => false,
        },
        2 => future.now_or_never().is_some(),
        _ => timeout(SOON, future).await.is_ok(),
    }
}

/// Pending, then made ready, then ready: in all executions, and only if it was made ready.
macro_rules! ready_again {
    ($($name:ident { $($before:tt)* } $future:expr, { $($then:tt)* })*) => {$(
        #[test]
        fn $name() {
            let explored = |way: u8, is_made: bool| -> Report {
                explore(move || tokio::block_on(async move {
                    $($before)*
                    let mut future = pin!($future);
                    assert!(!is_ready(future.as_mut(), way).await);
                    if is_made {
                        $($then)*
                    }
                    assert!(is_ready(future.as_mut(), way).await, "not ready");
                }))
            };
            for way in 0..4 {
                explored(way, true).assert_holds();
                let report = explored(way, false);
                assert_eq!(report.verdict, Verdict::Refuted, "{way}: {report}");
                assert!(report.failures[0].message.contains("not ready"), "{way}: {report}");
            }
        }
    )*};
}

ready_again! {
    a_notification { let notify = Notify::new(); } notify.notified(), { notify.notify_one(); }
    a_notification_of_all {
        let notify = Notify::new();
    } notify.notified(), { notify.notify_waiters(); }
    a_notification_that_is_passed_on {
        let notify = Notify::new();
        let mut first = Box::pin(notify.notified());
        assert!(!first.as_mut().enable());
    } notify.notified(), { notify.notify_one(); drop(first); }
    a_permit { let semaphore = Semaphore::new(0); } semaphore.acquire(), { semaphore.add_permits(1); }
    a_permit_after_somebody_gave_up {
        let semaphore = Semaphore::new(1);
        let mut first = Box::pin(semaphore.acquire_many(2));
        assert!(!is_ready(first.as_mut(), 0).await);
    } semaphore.acquire(), { drop(first); }
    a_closed_semaphore { let semaphore = Semaphore::new(0); } semaphore.acquire(), { semaphore.close(); }
    a_mutex { let mutex = Mutex::new(0); let guard = mutex.lock().await; } mutex.lock(), { drop(guard); }
    a_reader { let lock = RwLock::new(0); let guard = lock.write().await; } lock.read(), { drop(guard); }
    a_writer { let lock = RwLock::new(0); let guard = lock.read().await; } lock.write(), { drop(guard); }
    a_send {
        let (sender, mut receiver) = mpsc::channel(1);
        sender.send(1).await.unwrap();
    } sender.send(2), { assert_eq!(receiver.try_recv(), Ok(1)); }
    a_send_to_nobody {
        let (sender, receiver) = mpsc::channel(1);
        sender.send(1).await.unwrap();
    } sender.send(2), { drop(receiver); }
    room {
        let (sender, mut receiver) = mpsc::channel(1);
        sender.send(1).await.unwrap();
    } sender.reserve(), { assert_eq!(receiver.try_recv(), Ok(1)); }
    the_end_of_a_queue {
        let (sender, receiver) = mpsc::channel::<u8>(1);
    } sender.closed(), { drop(receiver); }
    a_message { let (sender, mut receiver) = mpsc::channel(1); } receiver.recv(), {
        sender.try_send(1).unwrap();
    }
    an_answer { let (sender, receiver) = oneshot::channel(); } receiver, { sender.send(1).unwrap(); }
    a_change { let (sender, mut receiver) = watch::channel(0); } receiver.changed(), {
        sender.send(1).unwrap();
    }
    the_last_change { let (sender, mut receiver) = watch::channel(0); } receiver.changed(), {
        drop(sender);
    }
    a_broadcast { let (sender, mut receiver) = broadcast::channel(2); } receiver.recv(), {
        sender.send(1).unwrap();
    }
    a_barrier { let barrier = Barrier::new(2); } barrier.wait(), { barrier.wait().await; }
}

#[test]
fn a_future_that_has_asked_and_is_handed_on_is_not_refuted() {
    let explored = |is_handed_on: bool, is_looked_at: bool| {
        explore(move || {
            tokio::block_on(async {
                let semaphore = std::sync::Arc::new(Semaphore::new(0));
                let mut permit = Box::pin(std::sync::Arc::clone(&semaphore).acquire_owned());
                assert!(!is_ready(permit.as_mut(), 0).await);
                semaphore.add_permits(1);
                let way = if is_looked_at { 0 } else { 3 };
                let then = async move { is_ready(permit.as_mut(), way).await };
                let is_ready = match is_handed_on {
                    true => tokio::spawn(then).await.unwrap(),
                    false => then.await,
                };
                assert!(is_ready);
            });
        })
    };
    for is_looked_at in [true, false] {
        explored(false, is_looked_at).assert_holds();
        let report = explored(true, is_looked_at);
        assert_eq!(report.verdict, Verdict::Unknown, "{report}");
        let message = &report.failures[0].message;
        assert!(message.contains("handed to another task"), "{report}");
    }
}

#[test]
fn permits_go_to_who_waited_longest() {
    let report = explore(|| {
        tokio::block_on(async {
            let semaphore = Semaphore::new(0);
            let mut first = pin!(semaphore.acquire());
            let mut second = pin!(semaphore.acquire());
            assert!(!is_ready(first.as_mut(), 0).await && !is_ready(second.as_mut(), 0).await);
            semaphore.add_permits(1);
            assert!(!is_ready(second.as_mut(), 0).await, "it overtook the first");
            let permit: SemaphorePermit<'_> = first.await.unwrap();
            assert!(!is_ready(second.as_mut(), 2).await, "there is one permit");
            drop(permit);
            assert!(is_ready(second.as_mut(), 3).await, "it is its turn");
        });
    });
    report.assert_holds();
}

#[test]
fn a_block_that_goes_on_waits_for_the_next_message() {
    let explored = |messages: u32| {
        explore(move || {
            tokio::block_on(async {
                let (sender, mut receiver) = mpsc::unbounded_channel();
                (0..messages).for_each(|n| sender.send(n).unwrap());
                tokio::select! {
                    biased;
                    () = async { receiver.recv().await; receiver.recv().await; } => cover("both"),
                    () = async {} => cover("not yet"),
                }
            });
        })
    };
    for (messages, expected) in [(1, "not yet"), (2, "both")] {
        let report = explored(messages);
        report.assert_holds();
        let covered: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
        assert_eq!(covered, [expected]);
    }
}

#[test]
fn to_find_nothing_in_a_biased_select_is_an_observation() {
    let explored = |sends_first: bool| {
        explore(move || {
            tokio::block_on(async {
                let (to_here, mut here) = mpsc::unbounded_channel();
                let (to_there, mut there) = mpsc::unbounded_channel();
                let other = tokio::spawn(async move {
                    if sends_first {
                        to_here.send(1).ok();
                    }
                    let found = is_ready(pin!(there.recv()), 0).await;
                    to_here.send(1).ok();
                    found
                });
                to_there.send(1).ok();
                let found = is_ready(pin!(here.recv()), 0).await;
                assert!(found || other.await.unwrap(), "nobody was first");
            });
        })
    };
    explored(true).assert_holds();
    assert_eq!(explored(false).verdict, Verdict::Refuted);
}
