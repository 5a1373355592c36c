//! Many queries at once.
//!
//! A reset costs a solver some milliseconds, far more than most goals need. So queries are first asked
//! in batches: one process, no reset, each query between `push` and `pop`, all in one write. What a
//! batch leaves open is asked alone.
//!
//! Why sound. Between `push` and `pop` the solver knows the query's own assertions and nothing else,
//! so its `unsat` means what it says.
//!
//! Why deterministic. Batches are cut by position, not by who is free, so what a process saw before a
//! query is a function of the list of queries. Only verdicts are taken from a batch, `sat` only where no
//! values are asked for: models and reasons, which may depend on what the solver learnt before, come
//! from asking alone. Where an attempt ([`Strategy::Matching`]) is undecided, that is left at that: whoever
//! makes it goes on otherwise.

use crate::answer::{Answer, Outcome, Reason};
use crate::cancel::Cancel;
use crate::pool::Pool;
use crate::query::{Kind, Query, Strategy};
use crate::reply::reply;
use crate::script;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many queries share a process without a reset, at most.
const LENGTH: usize = 100;

/// A list is cut into some pieces, so that several processes have something to do; but not into pieces that
/// take less time than it takes to start a process: they have at least so many bytes. How many processes there are
/// makes no difference to where a list is cut.
const PIECES: usize = 4;
const SHORTEST: usize = 24 << 10;

/// A further process is worth its start when there are so many more bytes to read.
const PER_PROCESS: usize = 64 << 10;

/// How long their text is, at most: starting a process and a reset cost as much as some tens of thousands of
/// bytes, and what is longer had better be shared between processes.
const BYTES: usize = 160 << 10;

/// Easy goals need less than this; the others lose little by being asked twice.
const RESOURCE: u64 = 200_000;

/// What is asked alone is mostly over before a further process has started.
const START: Duration = Duration::from_millis(10);

/// Answers all queries, in their order.
pub(crate) fn ask_all(pool: &Pool, queries: &[&Query], cancel: &Cancel) -> Vec<Answer> {
    let contents: Vec<String> = queries.iter().map(|query| script::content(query)).collect();
    let batches = cut(queries, &contents);
    let mut answers: Vec<Option<Answer>> = vec![None; queries.len()];
    let bytes: usize = contents.iter().map(String::len).sum();
    let found = in_parallel(
        pool.size().processes.min(bytes / PER_PROCESS + 1),
        batches.len(),
        Duration::ZERO,
        |at| ask_batch(pool, queries, &contents, &batches[at], cancel),
    );
    for (at, answer) in found.into_iter().flatten() {
        answers[at] = Some(answer);
    }
    let open: Vec<usize> = (0..queries.len())
        .filter(|&at| answers[at].is_none())
        .collect();
    let rest = in_parallel(pool.size().processes, open.len(), START, |at| {
        pool.ask(queries[open[at]], cancel)
    });
    for (at, answer) in open.into_iter().zip(rest) {
        answers[at] = Some(answer);
    }
    let none = || Answer::unknown(Reason::Crash("no thread could be started".to_owned()));
    answers
        .into_iter()
        .map(|answer| answer.unwrap_or_else(none))
        .collect()
}

/// Positions that are asked together: they have the same settings, and follow each other among those that have.
fn cut(queries: &[&Query], contents: &[String]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Batch> = Vec::new();
    let total: usize = contents.iter().map(String::len).sum();
    let most = (total / PIECES).clamp(SHORTEST, BYTES);
    for (at, query) in queries.iter().enumerate() {
        if query.strategy.kind() != Kind::Z3 {
            continue;
        }
        let settings = script::settings(query);
        let bytes = contents[at].len();
        let mut newest_first = batches.iter_mut().rev();
        match newest_first.find(|batch| batch.settings == settings) {
            Some(batch) if batch.positions.len() < LENGTH && batch.bytes + bytes <= most => {
                batch.positions.push(at);
                batch.bytes += bytes;
            }
            _ => batches.push(Batch {
                settings,
                positions: vec![at],
                bytes,
            }),
        }
    }
    let several = |batch: &Batch| batch.positions.len() > 1;
    let batches = batches.into_iter().filter(several);
    batches.map(|batch| batch.positions).collect()
}

/// Queries for one process without a reset.
struct Batch {
    settings: Vec<(String, String)>,
    positions: Vec<usize>,
    bytes: usize,
}

/// The decided ones of a batch. A failure ends it; what is left is asked alone.
fn ask_batch(
    pool: &Pool,
    queries: &[&Query],
    contents: &[String],
    batch: &[usize],
    cancel: &Cancel,
) -> Vec<(usize, Answer)> {
    let mut decided = Vec::new();
    let first = queries[batch[0]];
    let Some(mut seat) = pool.seat(first, cancel) else {
        return decided;
    };
    let Ok(process) = seat.process() else {
        return decided;
    };
    let mut text = script::batch_opening(first);
    let mut markers = Vec::new();
    for &at in batch {
        let marker = process.marker();
        let resource = queries[at].limits.resource.min(RESOURCE);
        text.push_str(&script::in_batch(
            queries[at],
            &contents[at],
            resource,
            &marker,
        ));
        markers.push(marker);
    }
    process.say(text);
    let mut counter = Some(0);
    for (&at, marker) in batch.iter().zip(&markers) {
        let query = queries[at];
        let begin = Instant::now();
        let Ok(heard) = process.hear(marker, query.limits.time, cancel) else {
            return decided;
        };
        let ask = batch_ask(query);
        let reply = reply(&heard, &ask);
        let spent = counter
            .zip(reply.counter)
            .and_then(|(a, b)| b.checked_sub(a));
        counter = reply.counter.or(counter);
        let decides = match reply.outcome {
            Outcome::Unsat { .. } => true,
            Outcome::Sat { .. } => query.ask.values.is_empty() && !query.ask.model,
            Outcome::Unknown(Reason::Resource | Reason::Incomplete(_)) => {
                query.strategy == Strategy::Matching && query.limits.resource <= RESOURCE
            }
            Outcome::Unknown(_) => false,
        };
        if decides {
            let mut answer = pool.answer(reply.outcome, spent);
            answer.time = begin.elapsed();
            decided.push((at, answer));
        }
    }
    seat.keep();
    decided
}

/// What a batch asks: no values.
fn batch_ask(query: &Query) -> crate::Ask {
    crate::Ask {
        core: query.ask.core,
        ..crate::Ask::default()
    }
}

/// Does `count` pieces of work on so many threads; results in order. All but one thread begin
/// after a while: what is done by then needs no further process.
fn in_parallel<T: Send>(
    threads: usize,
    count: usize,
    after: Duration,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let threads = threads.clamp(1, count.max(1));
    if threads == 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let serve = || {
        loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            if at >= count {
                return;
            }
            let result = work(at);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, result));
        }
    };
    let is_over = (Mutex::new(false), Condvar::new());
    let serve_later = || {
        let (over, told) = &is_over;
        let over = over.lock().unwrap_or_else(PoisonError::into_inner);
        drop(told.wait_timeout_while(over, after, |over| !*over));
        serve();
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without further threads this one does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, serve_later);
        }
        serve();
        *is_over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        is_over.1.notify_all();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
