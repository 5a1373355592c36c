//! Values of any type: what is sent, returned, locked or spawned need not be `Clone` or `Debug`. The verdicts and
//! counts are those of values that can be copied.

use plainsong::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use plainsong::sync::{Arc, Mutex, RwLock};
use plainsong::thread;
use plainsong::tokio::{self, sync::oneshot, sync::watch};
use plainsong::{Explorer, FailureKind, Report, Restart, Verdict, explore};
use std::error::Error;

type Job = Box<dyn FnOnce() + Send>;

/// The thread pool of the Rust Book, chapter 21.
struct Pool {
    workers: Vec<Option<thread::JoinHandle<()>>>,
    sender: Option<Sender<Job>>,
    forgets: bool,
}

impl Pool {
    fn new(size: usize, forgets: bool) -> Self {
        let (sender, receiver) = channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        let workers = (0..size).map(|_| Some(worker(Arc::clone(&receiver))));
        Pool {
            workers: workers.collect(),
            sender: Some(sender),
            forgets,
        }
    }

    fn execute(&self, job: impl FnOnce() + Send + 'static) {
        let job: Job = Box::new(job);
        self.sender.as_ref().unwrap().send(job).unwrap();
    }
}

fn worker(receiver: Arc<Mutex<Receiver<Job>>>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        loop {
            let message = receiver.lock().unwrap().recv();
            match message {
                Ok(job) => job(),
                Err(_) => break,
            }
        }
    })
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !self.forgets {
            drop(self.sender.take());
        }
        for worker in &mut self.workers {
            if let Some(worker) = worker.take() {
                worker.join().unwrap();
            }
        }
    }
}

fn use_pool(forgets: bool) -> Report {
    explore(move || {
        let (done, results) = channel();
        let pool = Pool::new(2, forgets);
        for n in [1, 2] {
            let done = done.clone();
            pool.execute(move || done.send(n).unwrap());
        }
        drop(pool);
        drop(done);
        let sum: u32 = results.iter().sum();
        assert_eq!(sum, 3);
    })
}

#[test]
fn the_books_thread_pool_shuts_down() {
    let report = use_pool(false);
    report.assert_holds();
    assert_eq!(report.restart, Restart::All);
    // Who takes each job, who sees the end first, and in which order the results come where they race.
    assert_eq!(report.executions, 12);
}

#[test]
fn a_pool_that_keeps_its_sender_waits_for_ever() {
    let report = use_pool(true);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.failures[0].kind, FailureKind::Deadlock);
    let trace = report.failures[0].trace.clone().unwrap();
    let again = Explorer::new().replay(&trace, || {
        let (done, results) = channel();
        let pool = Pool::new(2, true);
        for n in [1, 2] {
            let done = done.clone();
            pool.execute(move || done.send(n).unwrap());
        }
        drop(pool);
        drop((done, results));
    });
    assert_eq!(again.verdict, Verdict::Refuted, "{again}");
}

/// Two senders, one receiver that wants the first one's message first, and a lock on the way.
fn race<T: Send + 'static>(of: fn(u32) -> T, number: fn(T) -> u32) -> Report {
    Explorer::new().keep_going(true).run(move || {
        let (sender, receiver) = channel::<T>();
        let (tight, narrow) = sync_channel::<T>(0);
        let lock = Arc::new(Mutex::new(of(0)));
        let threads = [1, 2].map(|n| {
            let (sender, tight, lock) = (sender.clone(), tight.clone(), Arc::clone(&lock));
            thread::spawn(move || {
                *lock.lock().unwrap() = of(n);
                sender.send(of(n)).ok();
                tight.send(of(10 * n)).ok();
                of(n)
            })
        });
        let last = number(narrow.recv().unwrap()) + number(narrow.recv().unwrap());
        let first = number(receiver.recv().unwrap());
        let returned = threads.map(|thread| number(thread.join().unwrap()));
        assert_eq!((last, returned), (30, [1, 2]));
        let left = number(std::mem::replace(&mut *lock.lock().unwrap(), of(0)));
        assert!(first != 2 || left != 1, "2 was first, and 1 was left");
    })
}

#[test]
fn counts_do_not_depend_on_the_type() {
    struct Opaque(Box<u32>);
    let copied = race(|n| n, |n| n);
    let texts = race(|n| n.to_string(), |text| text.parse().unwrap());
    let boxed = race(|n| Box::new(Opaque(Box::new(n))), |boxed| *boxed.0);
    let code = race(
        |n| Box::new(move || n) as Box<dyn FnOnce() -> u32 + Send>,
        |code| code(),
    );
    assert_eq!(copied.restart, Restart::Changed);
    assert_eq!(copied.verdict, Verdict::Refuted);
    for other in [texts, boxed, code] {
        assert_eq!(other.verdict, copied.verdict);
        assert_eq!(other.executions, copied.executions);
        assert_eq!(other.failed, copied.failed);
        assert_eq!(other.failures[0].message, copied.failures[0].message);
    }
}

/// Something with an owner, and a witness of its end.
struct Unique(u32, Sender<u32>);

impl Drop for Unique {
    fn drop(&mut self) {
        self.1.send(self.0).ok();
    }
}

#[test]
fn what_is_handed_over_is_dropped_once() {
    let report = explore(|| {
        let (ends, ended) = channel();
        let (sender, receiver) = channel::<Unique>();
        let witness = ends.clone();
        let taker = thread::spawn(move || {
            let one = receiver.recv().unwrap();
            assert_eq!(one.0, 1);
        });
        sender.send(Unique(1, witness)).unwrap();
        drop((sender, ends));
        taker.join().unwrap();
        assert_eq!(ended.iter().collect::<Vec<_>>(), [1]);
    });
    report.assert_holds();
}

#[test]
fn the_value_of_a_send_that_fails_comes_back() {
    explore(|| {
        let (sender, receiver) = channel::<Box<dyn Fn() -> u32>>();
        drop(receiver);
        let back = sender.send(Box::new(|| 7)).unwrap_err().0;
        assert_eq!(back(), 7);
        let (sender, _receiver) = sync_channel::<Box<dyn Fn() -> u32>>(1);
        sender.try_send(Box::new(|| 8)).unwrap();
        assert!(sender.try_send(Box::new(|| 9)).is_err());
    })
    .assert_holds();
}

#[test]
fn readers_share_what_cannot_be_copied() {
    struct Table(Vec<Box<dyn Fn() -> u32>>);
    let report = explore(|| {
        let table = Arc::new(RwLock::new(Table(vec![Box::new(|| 1)])));
        let writer = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.write().unwrap().0.push(Box::new(|| 2)))
        };
        let (one, other) = (table.read().unwrap(), Arc::clone(&table));
        let seen: u32 = one.0.iter().map(|get| get()).sum();
        drop(one);
        writer.join().unwrap();
        assert!(matches!(seen, 1 | 3));
        assert_eq!(other.read().unwrap().0.len(), 2);
    });
    report.assert_holds();
    assert_eq!(report.executions, 2);
}

#[test]
fn tasks_return_send_and_watch_anything() {
    struct Settings(Box<dyn Fn(u32) -> u32>);
    async fn fetch(n: u32) -> Result<u32, Box<dyn Error + Send + Sync>> {
        match n {
            0 => Err("nothing".into()),
            n => Ok(n),
        }
    }
    let report = explore(|| {
        tokio::block_on(async {
            let (change, mut settings) = watch::channel(Settings(Box::new(|n| n)));
            let (answer, question) =
                oneshot::channel::<Result<u32, Box<dyn Error + Send + Sync>>>();
            let mutex = Arc::new(tokio::sync::Mutex::new(Settings(Box::new(|n| n))));
            let inside = Arc::clone(&mutex);
            let task = tokio::spawn(async move {
                *inside.lock().await = Settings(Box::new(|n| n + 5));
                change.send(Settings(Box::new(|n| n + 1))).ok();
                answer.send(fetch(1).await).ok();
                fetch(0).await
            });
            assert_eq!(question.await.unwrap().unwrap(), 1);
            settings.changed().await.unwrap();
            assert_eq!((settings.borrow().0)(1), 2);
            assert_eq!((mutex.lock().await.0)(1), 6);
            assert_eq!(task.await.unwrap().unwrap_err().to_string(), "nothing");
        });
    });
    report.assert_holds();
}

#[test]
fn a_failure_names_the_type_of_what_it_cannot_show() {
    struct Order;
    let report = explore(|| {
        let (sender, receiver) = channel::<Order>();
        thread::spawn(move || sender.send(Order).ok());
        receiver.recv().unwrap();
        panic!("enough");
    });
    assert_eq!(report.verdict, Verdict::Refuted);
    let picture = &report.failures[0].picture;
    assert!(picture.contains("Order"), "{picture}");
}

#[test]
fn destructors_that_lock_what_cannot_be_copied_end() {
    type Deeds = Vec<Box<dyn Fn()>>;
    struct Lease(Arc<Mutex<Deeds>>);
    impl Drop for Lease {
        fn drop(&mut self) {
            self.0.lock().unwrap().push(Box::new(|| {}));
        }
    }
    let report = Explorer::new().keep_going(true).run(|| {
        let held = Arc::new(Mutex::new(Vec::new()));
        let threads = [1, 2].map(|n| {
            let held = Arc::clone(&held);
            thread::spawn(move || {
                let lease = Lease(Arc::clone(&held));
                held.lock().unwrap().push(Box::new(|| {}) as Box<dyn Fn()>);
                assert!(n == 1 || held.lock().unwrap().len() < 3, "too many");
                drop(lease);
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(report.verdict, Verdict::Refuted, "{report}");
}

/// Real code puts these into `Box<dyn Future + Send>`.
#[test]
fn guards_and_senders_go_to_other_threads() {
    fn goes<T: Send>() {}
    goes::<tokio::sync::MutexGuard<'_, u32>>();
    goes::<tokio::sync::OwnedMutexGuard<u32>>();
    goes::<tokio::sync::RwLockReadGuard<'_, u32>>();
    goes::<tokio::sync::OwnedSemaphorePermit>();
    goes::<tokio::sync::mpsc::Sender<Job>>();
    goes::<tokio::sync::oneshot::Sender<Job>>();
    goes::<Sender<Job>>();
    goes::<Arc<Mutex<Receiver<Job>>>>();
}
