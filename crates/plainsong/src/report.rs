//! What an exploration found.

use crate::counters::Counters;
use crate::explorer::Restart;
use crate::failure::Failure;
use crate::fix::Fixed;
use crate::memory::MemoryModel;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// What an exploration found.
///
/// ```
/// use plainsong::{choose, Verdict};
///
/// let report = plainsong::explore(|| assert_ne!(choose(1..=3), 2));
/// assert_eq!(report.verdict, Verdict::Refuted);
/// assert!(report.failures[0].message.contains("left != right"));
/// println!("{report}");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use = "a report says whether the program is right; see `assert_holds`"]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Why the exploration ended.
    pub end: End,
    /// What went wrong, each kind of failure once.
    pub failures: Vec<Failure>,
    /// How many executions failed.
    pub failed: u64,
    /// How many executions ended well.
    pub executions: u64,
    /// How many executions did not end: an [assumption](crate::assume) did not hold, or a process
    /// waited for ever and [that was allowed](crate::Explorer::allow_deadlock).
    pub blocked: u64,
    /// How many events the exploration went through.
    pub events: u64,
    /// How much work it was.
    pub counters: Counters,
    /// How many executions reached each [mark](crate::cover).
    pub coverage: BTreeMap<String, u64>,
    /// How long it took.
    pub seconds: f64,
    /// The most memory that the whole program has had so far, in bytes, where the system tells.
    pub peak_memory: Option<u64>,
    /// How many executions there probably are, if not all were explored.
    pub estimate: Option<Estimate>,
    /// What ran again for each execution; never [`Restart::Auto`].
    pub restart: Restart,
    /// Where the trace of the first failure was saved.
    pub trace_file: Option<PathBuf>,
    /// Where it was saved what is left, for [another run](crate::Explorer::checkpoint_file).
    pub checkpoint_file: Option<PathBuf>,
    /// Where the [graph](crate::Explorer::dot_file) of an execution was saved.
    pub dot_file: Option<PathBuf>,
    /// What else one should know.
    pub notes: Vec<String>,
    /// The choices that were [fixed](crate::Explorer::fix): the verdict is about executions with these
    /// values only.
    pub fixed: Vec<Fixed>,
    /// How shared memory was explored: never [`MemoryModel::Auto`].
    pub memory_model: MemoryModel,
    /// Where atomics are used with orderings weaker than `SeqCst`, if they were explored as `SeqCst` because
    /// that was [asked for](crate::Explorer::memory_model): `Relaxed at src/lib.rs:26:17`. Then a verdict other than [`Verdict::Refuted`] is about sequentially consistent
    /// executions only.
    ///
    /// ```
    /// use plainsong::sync::atomic::{AtomicBool, Ordering};
    /// use plainsong::{Explorer, MemoryModel};
    ///
    /// let program = || drop(AtomicBool::new(false).load(Ordering::Acquire));
    /// plainsong::explore(program).assert_holds(); // under RC11
    ///
    /// let strong = Explorer::new().memory_model(MemoryModel::SequentialConsistency);
    /// let report = strong.run(program);
    /// report.assert_holds();
    /// assert!(report.weak_orderings[0].starts_with("Acquire at "));
    /// assert!(report.to_string().starts_with("holds for SeqCst: every execution was explored"));
    /// ```
    pub weak_orderings: Vec<String>,
}

/// The answer of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every execution was explored and none fails.
    Holds,
    /// Some execution fails.
    Refuted,
    /// No failure was found, but not everything was explored.
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Refuted => "REFUTED",
            Verdict::Unknown => "unknown",
        })
    }
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything was explored.
    Complete,
    /// A failure was found.
    Failure,
    /// A limit was reached.
    Limit(Limit),
    /// It was [cancelled](crate::Explorer::cancel).
    Cancelled,
    /// The [checkpoint](crate::Explorer::checkpoint_file) is of another program or of other
    /// settings. Nothing was explored.
    WrongCheckpoint,
    /// A [fixed](crate::Explorer::fix) choice does not exist, or has no such option.
    WrongFix,
    /// The program does something that cannot be explored; the failures say what.
    Unsupported,
    /// A trace was followed to its end.
    Replayed,
}

/// What an exploration may not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Explorer::limit_executions`](crate::Explorer::limit_executions).
    Executions,
    /// [`Explorer::limit_time`](crate::Explorer::limit_time).
    Time,
    /// [`Explorer::limit_memory`](crate::Explorer::limit_memory).
    Memory,
    /// [`Explorer::limit_events`](crate::Explorer::limit_events) or
    /// [`Explorer::limit_events_per_process`](crate::Explorer::limit_events_per_process), in some
    /// execution.
    Events,
    /// [`Explorer::sample`](crate::Explorer::sample) or [`Explorer::pct`](crate::Explorer::pct): only
    /// some executions were looked at.
    Samples,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Executions => "limit on executions reached",
            Limit::Time => "time limit reached",
            Limit::Memory => "memory limit reached",
            Limit::Events => "some executions have more events than the limit",
            Limit::Samples => "only a sample was explored",
        })
    }
}

/// How many executions there probably are.
///
/// ```
/// use plainsong::{choose, Explorer};
///
/// let estimate = Explorer::new().estimate(100, || {
///     for _ in 0..20 {
///         choose(0..10);
///     }
/// });
/// assert_eq!(estimate.to_string(), "about 1e20 executions");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of some random guesses.
    pub executions: f64,
    /// Half the width of an interval that contains the truth about 19 times out of 20.
    pub margin: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {}", magnitude(self.executions))?;
        if self.margin > self.executions * 0.001 {
            write!(f, " ± {}", magnitude(self.margin))?;
        }
        f.write_str(" executions")
    }
}

fn magnitude(number: f64) -> String {
    if number < 1e6 {
        format!("{number:.0}")
    } else {
        format!("{number:.1e}").replace(".0e", "e")
    }
}

impl Report {
    /// Panics with everything there is to see unless every execution was explored and is fine.
    ///
    /// # Panics
    ///
    /// When the verdict is not [`Verdict::Holds`].
    #[track_caller]
    pub fn assert_holds(&self) {
        assert!(self.verdict == Verdict::Holds, "{self}");
    }

    /// Panics with everything there is to see if there is a failure: for explorations that are
    /// known to be incomplete.
    ///
    /// ```
    /// use plainsong::{choose, Explorer};
    ///
    /// let report = Explorer::new().limit_executions(10).run(|| assert!(choose(0..1000) < 1000));
    /// report.assert_no_failure();
    /// ```
    ///
    /// # Panics
    ///
    /// When the verdict is [`Verdict::Refuted`], or there is another failure, such as a checkpoint
    /// that does not fit.
    #[track_caller]
    pub fn assert_no_failure(&self) {
        let all_fine = self.verdict != Verdict::Refuted && self.failures.is_empty();
        assert!(all_fine, "{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        write!(f, "{}", self.verdict)?;
        if self.verdict == Verdict::Holds && !self.weak_orderings.is_empty() {
            f.write_str(" for SeqCst")?;
        }
        for (at, fixed) in self.fixed.iter().enumerate() {
            write!(f, "{}{fixed}", if at == 0 { " where " } else { " and " })?;
        }
        match self.end {
            End::Complete if self.verdict == Verdict::Holds && !self.fixed.is_empty() => {
                f.write_str(": every such execution was explored")?;
            }
            End::Complete if self.verdict == Verdict::Holds => {
                f.write_str(": every execution was explored")?;
            }
            End::Complete | End::Failure => {}
            End::Limit(limit) => write!(f, ": {limit}")?,
            End::Cancelled => f.write_str(": cancelled")?,
            End::WrongCheckpoint => f.write_str(": the checkpoint does not fit")?,
            End::WrongFix => f.write_str(": what is fixed does not fit")?,
            End::Unsupported => f.write_str(": the program cannot be explored")?,
            End::Replayed => f.write_str(": one trace was replayed")?,
        }
        let all = self.executions + self.failed + self.blocked;
        let plural = if all == 1 { "" } else { "s" };
        write!(f, "\n  {all} execution{plural}")?;
        if all > self.executions {
            write!(f, ": {} fine", self.executions)?;
        }
        if self.failed > 0 {
            write!(f, ", {} failed", self.failed)?;
        }
        if self.blocked > 0 {
            write!(f, ", {} blocked", self.blocked)?;
        }
        write!(f, ", {} events, {:.2} s", self.events, self.seconds)?;
        if let Some(bytes) = self.peak_memory {
            write!(f, ", {:.1} MB", bytes as f64 / 1e6)?;
        }
        if let Some(estimate) = &self.estimate {
            write!(f, "\n  there are {estimate}")?;
        }
        if !self.coverage.is_empty() {
            f.write_str("\n  reached:")?;
            for (name, count) in &self.coverage {
                write!(f, " {name} ({count})")?;
            }
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        if let Some(path) = &self.trace_file {
            write!(f, "\n  trace: {}", path.display())?;
        }
        if let Some(path) = &self.dot_file {
            write!(f, "\n  graph: {}", path.display())?;
        }
        Ok(())
    }
}

/// The most memory that this program has had so far.
pub(crate) fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// The memory that this program has now.
pub(crate) fn present_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
