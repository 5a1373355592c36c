//! Limits of verbs that have nothing to say before they are done: when one is reached, the run ends with exit code 2.
//!
//! A second thread looks at the clock and at the memory, so the limits hold whatever the first one is at. Solvers end
//! with the process. Files are written after [`Limited::lift`]: a limit never leaves half of one.

use crate::arguments::LimitArguments;
use crate::console::Console;
use plainsong_driver::watch::{Allowance, Stop};
use plainsong_driver::{Exit, Problem, memory};
use plainsong_report::stream::{Record, Summary};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the limits are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Limits that hold until they are lifted or this is dropped.
pub(crate) struct Limited(Arc<AtomicBool>);

impl Limited {
    /// From now on the limits of the user hold, or else that of memory by default.
    pub(crate) fn begin(limits: &LimitArguments, verb: &'static str, json: bool) -> Self {
        let lifted = Arc::new(AtomicBool::new(false));
        let allowance = limits.allowance();
        let deadline = allowance
            .time
            .and_then(|time| Instant::now().checked_add(time));
        let watched = lifted.clone();
        let watching = move || {
            while !watched.load(Ordering::SeqCst) {
                if let Some(stop) = reached(&allowance, deadline)
                    && !watched.swap(true, Ordering::SeqCst)
                {
                    end(&allowance, stop, verb, json);
                }
                std::thread::sleep(GLANCE);
            }
        };
        // Without a second thread there are no limits.
        drop(std::thread::Builder::new().spawn(watching));
        Limited(lifted)
    }

    /// From now on there are no limits. A limit that was just reached ends the run.
    pub(crate) fn lift(&self) {
        if self.0.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn reached(allowance: &Allowance, deadline: Option<Instant>) -> Option<Stop> {
    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Some(Stop::TimeLimit);
    }
    let most = allowance.memory.map(memory::at_most);
    let is_full = most
        .zip(memory::resident())
        .is_some_and(|(most, taken)| taken > most);
    is_full.then_some(Stop::MemoryLimit)
}

fn end(allowance: &Allowance, stop: Stop, verb: &str, json: bool) {
    let mut console = Console::new();
    console.json = json;
    let why = allowance.sentence(stop);
    console.problem(
        &Problem::new(format!("`{verb}` did not come to its end: {why}")),
        None,
    );
    if json {
        console.record(&Record::Summary(Summary {
            resume: None,
            verdicts: Vec::new(),
            exit: Exit::Unknown.code(),
        }));
    }
    std::process::exit(i32::from(Exit::Unknown.code()));
}
