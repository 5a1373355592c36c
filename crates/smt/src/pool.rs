//! A few warm processes of one solver.
//!
//! Which of them serves a query makes no difference: each query says all its settings and begins
//! with a reset, which was measured to leave no trace (same verdicts, same models, same resource
//! counts as in a fresh process, in any order; `tests/it/determinism.rs`). Options that only some
//! queries set outlive a reset, so a process serves only queries with the same ones.

use crate::answer::{Answer, Outcome, Reason};
use crate::batch;
use crate::cancel::Cancel;
use crate::process::Process;
use crate::query::{Kind, Query};
use crate::reply::reply;
use crate::script;
use crate::solver::Solver;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After so many questions a process is replaced: its memory is never given back otherwise.
const RETIREMENT: u64 = 2_000;

/// How many processes there may be, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSize {
    /// How many answer at the same time.
    pub processes: usize,
    /// What each may use, in megabytes.
    pub memory_mb: u32,
}

impl Default for PoolSize {
    fn default() -> Self {
        PoolSize {
            processes: std::thread::available_parallelism().map_or(2, usize::from),
            memory_mb: 2_048,
        }
    }
}

/// Processes of one solver. Dropping it ends them.
pub struct Pool {
    solver: Solver,
    title: Arc<str>,
    size: PoolSize,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    busy: usize,
    idle: Vec<Idle>,
}

/// A process that waits, and the options that are set in it.
struct Idle {
    options: Vec<(String, String)>,
    process: Process,
}

impl Pool {
    /// An empty pool: processes are started when they are needed.
    pub fn new(solver: Solver, size: PoolSize) -> Pool {
        Pool {
            title: solver.title(),
            solver,
            size,
            state: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Whose processes these are.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// How many processes, how large.
    pub fn size(&self) -> PoolSize {
        self.size
    }

    /// Answers one query, from a clean state. A crash is tried again once, in a new process.
    pub fn ask(&self, query: &Query, cancel: &Cancel) -> Answer {
        let begin = Instant::now();
        let mut answer = self.attempt(query, cancel);
        if matches!(answer.outcome, Outcome::Unknown(Reason::Crash(_))) {
            answer = self.attempt(query, cancel);
        }
        answer.time = begin.elapsed();
        answer
    }

    /// Answers many queries, in parallel; easy ones share processes without a reset between them.
    /// Answers come in the order of the queries.
    pub fn ask_all(&self, queries: &[&Query], cancel: &Cancel) -> Vec<Answer> {
        batch::ask_all(self, queries, cancel)
    }

    fn attempt(&self, query: &Query, cancel: &Cancel) -> Answer {
        let Some(mut seat) = self.seat(query, cancel) else {
            return self.answer(Outcome::Unknown(Reason::Cancelled), None);
        };
        let process = match seat.process() {
            Ok(process) => process,
            Err(reason) => return self.answer(Outcome::Unknown(reason), None),
        };
        let marker = process.marker();
        process.say(script::alone(query, &marker));
        match process.hear(&marker, query.limits.time, cancel) {
            Ok(text) => {
                seat.keep();
                let reply = reply(&text, &query.ask);
                self.answer(reply.outcome, reply.counter)
            }
            Err(reason) => self.answer(Outcome::Unknown(reason), None),
        }
    }

    pub(crate) fn answer(&self, outcome: Outcome, resource: Option<u64>) -> Answer {
        Answer {
            outcome,
            resource,
            time: Duration::ZERO,
            solver: self.title.clone(),
            cached: false,
        }
    }

    /// Waits until one more process may be busy; none if nobody wants it any more.
    pub(crate) fn seat<'a>(&'a self, query: &'a Query, cancel: &Cancel) -> Option<Seat<'a>> {
        let mut state = self.lock();
        while state.busy >= self.size.processes.max(1) {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.left.wait_timeout(state, Duration::from_millis(10));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if cancel.is_cancelled() {
            return None;
        }
        state.busy += 1;
        let options = script::lasting(query);
        let found = state.idle.iter().rposition(|idle| idle.options == options);
        let process = found.map(|at| state.idle.remove(at).process);
        Some(Seat {
            pool: self,
            query,
            process,
            is_usable: false,
        })
    }

    /// Is a process good for another query? cvc5 was not seen to forget everything at a reset.
    fn keeps(&self, process: &Process) -> bool {
        self.solver.kind == Kind::Z3 && process.questions() < RETIREMENT
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to keep one process busy. Unless [`Seat::keep`] is called at the end, the process has
/// disappointed and is ended.
pub(crate) struct Seat<'a> {
    pool: &'a Pool,
    query: &'a Query,
    process: Option<Process>,
    is_usable: bool,
}

impl Seat<'_> {
    /// The process, started if need be.
    pub(crate) fn process(&mut self) -> Result<&mut Process, Reason> {
        self.is_usable = false;
        let process = match self.process.take() {
            Some(process) => process,
            None => {
                Process::start(&self.pool.solver, self.pool.size.memory_mb).map_err(|error| {
                    let program = self.pool.solver.program.display();
                    Reason::Crash(format!("{program} cannot be started: {error}"))
                })?
            }
        };
        Ok(self.process.insert(process))
    }

    /// The process answered all it was asked: others may use it.
    pub(crate) fn keep(&mut self) {
        self.is_usable = true;
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let process = self.process.take();
        let kept = process.filter(|one| self.is_usable && self.pool.keeps(one));
        let mut state = self.pool.lock();
        state.busy -= 1;
        let mut surplus = Vec::new();
        if let Some(process) = kept {
            state.idle.push(Idle {
                options: script::lasting(self.query),
                process,
            });
            let too_many = state
                .idle
                .len()
                .saturating_sub(self.pool.size.processes.max(1));
            surplus.extend(state.idle.drain(..too_many));
        }
        drop(state);
        self.pool.left.notify_one();
        drop(surplus); // Ending processes takes a moment; nobody has to wait for it.
    }
}
