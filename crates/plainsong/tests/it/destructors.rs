//! Destructors that take locks, while an execution is given up or unwinds from a panic: the failure is reported,
//! with its line, and the program goes on.

use plainsong::sync::atomic::{AtomicU32, Ordering};
use plainsong::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use plainsong::{
    End, Explorer, FailureKind, Report, Verdict, explore, receive, spawn, thread, tokio,
};
use std::time::Duration;

/// Gives back what was leased.
struct Lease(Arc<Mutex<u32>>);

impl Lease {
    fn of(count: &Arc<Mutex<u32>>) -> Self {
        *count.lock().unwrap() += 1;
        Lease(Arc::clone(count))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.0.lock().unwrap() -= 1;
    }
}

fn leases(most: u32) -> Report {
    explore(move || {
        let count = Arc::new(Mutex::new(0));
        let threads = [1, 2].map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let _lease = Lease::of(&count);
                let now = *count.lock().unwrap();
                assert!(now <= most, "too many leases");
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*count.lock().unwrap(), 0);
    })
}

#[test]
fn a_failure_survives_a_destructor_that_takes_a_lock() {
    let report = leases(1);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].message, "too many leases");
    let place = report.failures[0].location.as_deref().unwrap();
    assert!(place.contains("destructors.rs:"), "{place}");
    leases(2).assert_holds();
}

/// Counts in a lock that nobody else takes.
struct Count(Arc<(Mutex<u32>, RwLock<u32>, AtomicU32)>);

impl Drop for Count {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap() += 1;
        let read = *self.0.1.read().unwrap();
        *self.0.1.write().unwrap() += read + 1;
        self.0.2.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_lock_that_was_never_taken_has_its_first_value() {
    for ends in ["a panic", "a deadlock", "a limit"] {
        let explorer = Explorer::new().limit_executions(if ends == "a limit" { 1 } else { 100 });
        let report = explorer.run(move || {
            let counts = Arc::new((Mutex::new(0), RwLock::new(0), AtomicU32::new(0)));
            let count = Count(Arc::clone(&counts));
            spawn(move || {
                let _count = count;
                match ends {
                    "a panic" => panic!("on purpose"),
                    "a deadlock" => receive::<u32>(),
                    _ => plainsong::choose(0..3),
                }
            });
        });
        let expected = match ends {
            "a limit" => Verdict::Unknown,
            _ => Verdict::Refuted,
        };
        assert_eq!(report.verdict, expected, "{ends}: {report}");
    }
}

/// Joins its workers, as thread pools do.
struct Pool(Option<mpsc::Sender<u32>>, Vec<thread::JoinHandle<()>>);

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.0.take());
        for worker in self.1.drain(..) {
            worker.join().unwrap();
        }
    }
}

#[test]
fn a_pool_joins_its_workers_while_a_test_fails() {
    let report = explore(|| {
        let (sender, receiver) = mpsc::channel();
        let worker = thread::spawn(move || while receiver.recv().is_ok() {});
        let pool = Pool(Some(sender), vec![worker]);
        pool.0.as_ref().unwrap().send(1).unwrap();
        assert!(plainsong::choose([true, false]), "the test fails");
    });
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].message, "the test fails");
}

/// Does something when it is dropped.
struct Afterwards<F: FnMut()>(F);

impl<F: FnMut()> Drop for Afterwards<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A run that fails, or ends well, and does something in a destructor.
fn fails_or_not(deed: impl FnMut()) {
    let _afterwards = Afterwards(deed);
    assert!(plainsong::choose([true, false]), "the test fails");
}

/// The failure is found, and destructors come to their end.
fn is_survived(program: impl Fn() + Send + Sync + 'static) {
    let report = explore(program);
    assert_eq!(report.verdict, Verdict::Refuted, "{report}");
    assert_eq!(report.failures[0].message, "the test fails");
}

#[test]
fn whatever_a_destructor_asks_of_threads_and_channels_is_answered() {
    is_survived(|| {
        let (_sender, receiver) = mpsc::channel::<u32>();
        fails_or_not(|| assert!(receiver.try_recv().is_err()));
    });
    is_survived(|| {
        let (sender, receiver) = mpsc::sync_channel::<u32>(1);
        fails_or_not(|| {
            sender.send(1).unwrap();
            let _ = receiver.recv_timeout(Duration::from_secs(1));
        });
    });
    is_survived(|| {
        let barrier = Barrier::new(1);
        fails_or_not(|| {
            let _ = barrier.wait();
        });
    });
    is_survived(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        fails_or_not(|| {
            let guard = mutex.lock().unwrap();
            let second = Duration::from_secs(1);
            assert!(condvar.wait_timeout(guard, second).unwrap().1.timed_out());
        });
    });
    is_survived(|| {
        let mut thread = Some(thread::spawn(|| 7));
        fails_or_not(|| {
            let result = thread.take().map(thread::JoinHandle::join);
            assert!(std::thread::panicking() || matches!(result, Some(Ok(7))));
        });
    });
    is_survived(|| {
        let main = thread::current();
        thread::spawn(move || main.unpark());
        fails_or_not(thread::park);
    });
}

#[test]
fn whatever_a_destructor_asks_of_tokio_is_answered() {
    use tokio::sync::{broadcast, mpsc, oneshot, watch};
    is_survived(|| {
        let (sender, mut receiver) = mpsc::channel::<u32>(1);
        fails_or_not(|| {
            let _ = sender.capacity();
            sender.blocking_send(1).unwrap();
            let _ = receiver.blocking_recv();
        });
    });
    is_survived(|| {
        let (sender, receiver) = oneshot::channel::<u32>();
        let mut ends = Some((sender, receiver));
        fails_or_not(|| {
            if let Some((sender, receiver)) = ends.take() {
                sender.send(1).unwrap();
                let _ = receiver.blocking_recv();
            }
        });
    });
    is_survived(|| {
        let (sender, receiver) = watch::channel(0);
        fails_or_not(|| {
            sender.send(1).unwrap();
            let _ = (*receiver.borrow(), receiver.has_changed());
        });
    });
    is_survived(|| {
        let (sender, mut receiver) = broadcast::channel::<u32>(1);
        fails_or_not(|| {
            let _ = (sender.receiver_count(), receiver.len());
            let _ = sender.send(1);
            let _ = receiver.blocking_recv();
        });
    });
}

#[test]
fn a_failure_in_a_scope_survives_destructors() {
    is_survived(|| {
        let count = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| *count.lock().unwrap() += 1);
            fails_or_not(|| *count.lock().unwrap() += 1);
        });
    });
    is_survived(|| {
        thread::scope(|scope| {
            let mut thread = Some(scope.spawn(|| 7));
            fails_or_not(|| drop(thread.take().map(thread::ScopedJoinHandle::join)));
        });
    });
}

/// Takes a lock of `tokio`, if it is free.
struct Visitor(std::sync::Arc<tokio::sync::Mutex<u32>>);

impl Drop for Visitor {
    fn drop(&mut self) {
        if let Ok(mut visits) = self.0.try_lock() {
            *visits += 1;
        }
        *self.0.blocking_lock() += 1;
    }
}

#[test]
fn a_lock_of_tokio_is_taken_while_an_execution_is_given_up() {
    let report = Explorer::new().limit_time(Duration::from_secs(20)).run(|| {
        tokio::block_on(async {
            let visits = std::sync::Arc::new(tokio::sync::Mutex::new(0));
            let visitor = Visitor(std::sync::Arc::clone(&visits));
            let task = tokio::spawn(async move {
                let _visitor = visitor;
                tokio::task::yield_now().await;
                panic!("on purpose");
            });
            *visits.lock().await += 1;
            task.await.unwrap()
        });
    });
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].message, "on purpose");
}

#[test]
fn a_process_that_catches_such_a_panic_is_not_explored() {
    let report = explore(|| {
        let count = Arc::new(Mutex::new(0));
        let inner = Arc::clone(&count);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _lease = Lease::of(&inner);
            panic!("caught");
        }));
        assert!(caught.is_err());
        assert_eq!(*count.lock().unwrap(), 0);
    });
    assert_eq!(
        (report.verdict, report.end),
        (Verdict::Unknown, End::Unsupported),
        "{report}"
    );
    assert_eq!(report.failures[0].kind, FailureKind::Unsupported);
}
