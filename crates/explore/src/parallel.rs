//! Several workers explore one program.
//!
//! A worker that has nothing to do makes the others hungry for company: at its next leaf, each
//! worker that has an untried outcome gives the oldest one away, as the path that leads to it. Any
//! outcome can be given away, of a choice, a receive or a revisit. The paths partition the leaves,
//! so the sums are the same as for one worker.
//!
//! A program is made anew by each worker, inside its own thread: it needs neither `Send` nor `Sync`.

use crate::engine::{Engine, Path, Tally, Visitor};
use crate::program::Program;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// Explores with `jobs` workers; returns the sums and the visitors.
///
/// When a visitor has seen enough, all workers stop. A worker that panics (in the program or in a
/// visitor) stops the others, and the panic goes on in the caller: nothing hangs, nothing is lost.
pub fn explore_in_parallel<P: Program, V: Visitor<P> + Send>(
    jobs: usize,
    program: impl Fn() -> P + Sync,
    visitor: impl Fn() -> V + Sync,
    configure: impl for<'p> Fn(Engine<'p, P>) -> Engine<'p, P> + Sync,
) -> (Tally, Vec<V>) {
    let shared = Shared::new(jobs);
    let work = || {
        let _alarm = Alarm(&shared);
        let mut program = program();
        let mut visitor = visitor();
        let mut tally = Tally::default();
        while let Some(path) = shared.take() {
            let mut engine = configure(Engine::new(&mut program)).below(path);
            loop {
                if !engine.step(&mut visitor) {
                    if engine.has_seen_enough() {
                        shared.stop();
                    }
                    break;
                }
                if shared.is_stopped() {
                    break;
                }
                if shared.is_hungry()
                    && let Some(path) = engine.give_away()
                {
                    shared.give(path);
                }
            }
            tally += engine.tally();
            program_is_idle(&mut program);
        }
        (tally, visitor)
    };
    let results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect::<Vec<_>>()
    });
    let mut tally = Tally::default();
    let mut visitors = Vec::new();
    for result in results {
        match result {
            Ok((more, visitor)) => {
                tally += more;
                visitors.push(visitor);
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    (tally, visitors)
}

/// A program is explored again from its start: all answers are void.
fn program_is_idle<P: Program>(program: &mut P) {
    program.forget(0, 0);
}

/// What the workers share.
struct Shared {
    queue: Mutex<Queue>,
    news: Condvar,
    hungry: AtomicUsize,
    stopped: AtomicBool,
}

struct Queue {
    paths: Vec<Path>,
    /// Workers that wait for a path.
    idle: usize,
    jobs: usize,
}

impl Shared {
    fn new(jobs: usize) -> Self {
        let queue = Queue {
            paths: vec![Path::new()],
            idle: 0,
            jobs,
        };
        Shared {
            queue: Mutex::new(queue),
            news: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next path to explore; `None` when everybody waits or all should stop.
    fn take(&self) -> Option<Path> {
        let mut queue = self.lock();
        queue.idle += 1;
        self.hungry.store(queue.idle, Ordering::Relaxed);
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(path) = queue.paths.pop() {
                queue.idle -= 1;
                self.hungry.store(queue.idle, Ordering::Relaxed);
                return Some(path);
            }
            if queue.idle == queue.jobs {
                self.news.notify_all();
                return None;
            }
            queue = self
                .news
                .wait(queue)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    fn give(&self, path: Path) {
        self.lock().paths.push(path);
        self.news.notify_one();
    }

    /// Are there more workers waiting than paths for them?
    fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0 && {
            let queue = self.lock();
            queue.idle > queue.paths.len()
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn stop(&self) {
        let _queue = self.lock();
        self.stopped.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Stops everybody when its worker panics.
struct Alarm<'s>(&'s Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
