//! Several workers explore one program.
//!
//! A worker that has nothing to do makes the others hungry for company: at its next leaf, each
//! worker that has an untried outcome gives the oldest one away, as the path that leads to it. Any
//! outcome can be given away, of a choice, a receive or a revisit. The paths partition the leaves,
//! so the sums are the same as for one worker. What is given away and not taken, and what a worker has
//! left when all are stopped, is what remains for another time.
//!
//! A program is made anew by each worker, inside its own thread: it needs neither `Send` nor `Sync`.

use crate::counters::Tally;
use crate::engine::{Engine, Path, Visitor};
use crate::program::Program;
use crate::search_slice::Part;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};

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
    let everything = vec![Part::default()];
    let slice = explore_parts(jobs, everything, program, visitor, configure);
    (slice.tally, slice.visitors)
}

/// What came of exploring some parts of a program.
pub struct Slice<V> {
    /// The sums.
    pub tally: Tally,
    /// What each worker saw.
    pub visitors: Vec<V>,
    /// What was not explored because a visitor had seen enough.
    pub left: Vec<Part>,
    /// What is part of the sums, and will be counted again by whoever explores what is left.
    pub twice: Tally,
}

/// Explores parts of a program, like [`explore_in_parallel`]; one worker is the caller's own thread.
pub fn explore_parts<P: Program, V: Visitor<P> + Send>(
    jobs: usize,
    parts: Vec<Part>,
    program: impl Fn() -> P + Sync,
    visitor: impl Fn() -> V + Sync,
    configure: impl for<'p> Fn(Engine<'p, P>) -> Engine<'p, P> + Sync,
) -> Slice<V> {
    let visitor = |_: &P| visitor();
    let workers = Workers { jobs, stack: None };
    explore_parts_with(
        workers,
        parts,
        program,
        visitor,
        |visitor| visitor,
        configure,
    )
}

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// How many; one is the caller's own thread.
    pub jobs: usize,
    /// The size of their stacks in bytes, if it matters.
    pub stack: Option<usize>,
}

/// Like [`explore_parts`], for visitors that share something with their program: each is made for the
/// program of its worker, stays in its thread, and hands over what `finish` makes of it.
///
/// Panics if the machine has no thread left for a worker.
pub fn explore_parts_with<P: Program, V: Visitor<P>, R: Send>(
    workers: Workers,
    parts: Vec<Part>,
    program: impl Fn() -> P + Sync,
    visitor: impl Fn(&P) -> V + Sync,
    finish: impl Fn(V) -> R + Sync,
    configure: impl for<'p> Fn(Engine<'p, P>) -> Engine<'p, P> + Sync,
) -> Slice<R> {
    let shared = Shared::new(workers.jobs, parts);
    let work = || {
        let _alarm = Alarm(&shared);
        let mut program = program();
        let mut visitor = visitor(&program);
        let mut tally = Tally::default();
        while let Some(path) = shared.take() {
            let mut engine = configure(Engine::new(&mut program)).below(path);
            shared.explore(&mut engine, &mut visitor);
            tally += engine.tally();
            program_is_idle(&mut program);
        }
        (tally, finish(visitor))
    };
    let results = match workers.jobs {
        1 => vec![Ok(work())],
        jobs => std::thread::scope(|scope| {
            let begin = |_| workers.begin(scope, work);
            let begun: Vec<_> = (0..jobs).map(begin).collect();
            let ended = begun.into_iter().map(ScopedJoinHandle::join);
            ended.collect::<Vec<_>>()
        }),
    };
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
    let queue = shared.queue.into_inner();
    let queue = queue.unwrap_or_else(PoisonError::into_inner);
    Slice {
        tally,
        visitors,
        left: queue.parts,
        twice: queue.twice,
    }
}

impl Workers {
    fn begin<'scope, T: Send + 'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> ScopedJoinHandle<'scope, T> {
        let mut thread = std::thread::Builder::new();
        if let Some(bytes) = self.stack {
            thread = thread.stack_size(bytes);
        }
        thread
            .spawn_scoped(scope, work)
            .expect("the machine has a thread for each worker")
    }
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
    /// Is there only one worker?
    is_alone: bool,
}

struct Queue {
    parts: Vec<Part>,
    /// Workers that wait for a path.
    idle: usize,
    jobs: usize,
    /// What was counted of executions that are left.
    twice: Tally,
}

impl Shared {
    fn new(jobs: usize, parts: Vec<Part>) -> Self {
        let queue = Queue {
            parts,
            idle: 0,
            jobs,
            twice: Tally::default(),
        };
        Shared {
            queue: Mutex::new(queue),
            news: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            is_alone: jobs == 1,
        }
    }

    /// Lets an engine go on until there is nothing left for it, or all should stop.
    fn explore<P: Program>(&self, engine: &mut Engine<'_, P>, visitor: &mut dyn Visitor<P>) {
        while engine.step(visitor) {
            if self.is_stopped() {
                self.leave(engine);
                return;
            }
            if self.is_alone && visitor.wants_left() {
                let mut left = self.lock().parts.clone();
                left.push(engine.left());
                visitor.left(left);
            }
            if self.is_hungry()
                && let Some(path) = engine.give_away()
            {
                self.give(path.into());
            }
        }
        if engine.has_seen_enough() {
            self.stop();
            self.leave(engine);
        }
    }

    /// Leaves what an engine has not explored for another time.
    fn leave<P: Program>(&self, engine: &Engine<'_, P>) {
        self.give(engine.left());
        self.lock().twice += engine.counted_twice();
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
            if let Some(part) = queue.parts.pop() {
                let (path, rest) = part.split();
                queue.parts.extend(rest);
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
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give(&self, part: Part) {
        self.lock().parts.push(part);
        self.news.notify_one();
    }

    /// Are there more workers waiting than paths for them?
    fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0 && {
            let queue = self.lock();
            queue.idle > queue.parts.len()
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
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
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
