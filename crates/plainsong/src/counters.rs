//! What an exploration did, in numbers: for dashboards and for those who make it faster.

use crate::report::{Report, Verdict};
use std::fmt::Write as _;

/// How much work an exploration was, in numbers.
///
/// ```
/// use plainsong::{current, receive, send, spawn};
///
/// let report = plainsong::explore(|| {
///     let main = current();
///     for n in 0..3 {
///         spawn(move || send(main, n));
///     }
///     for _ in 0..3 {
///         assert!(receive::<i32>() < 3);
///     }
/// });
/// assert_eq!(report.executions, 6);
/// assert!(report.counters.process_starts >= 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Receives that were given a message which was sent later in the search.
    pub revisits: u64,
    /// How often the code of a process was started, from its beginning.
    pub process_starts: u64,
    /// Executions that were run once more from scratch, to check them or to show them.
    pub checks: u64,
    /// Searches that turned out to lead to no execution.
    pub in_vain: u64,
}

impl Report {
    /// The numbers of the report in the text format of Prometheus, to be scraped or pushed. Names start
    /// with `plainsong_`; they stay, and others may join them.
    ///
    /// ```
    /// let report = plainsong::explore(|| {
    ///     plainsong::choose(0..3);
    /// });
    /// let text = report.prometheus();
    /// assert!(text.contains("# TYPE plainsong_executions_total counter"));
    /// assert!(text.contains("plainsong_executions_total{outcome=\"completed\"} 3"));
    /// ```
    pub fn prometheus(&self) -> String {
        let mut page = Page::default();
        page.family(
            "executions_total",
            "counter",
            "Executions that were explored, by how they ended.",
        );
        page.labelled("executions_total", "outcome", "completed", self.executions);
        page.labelled("executions_total", "outcome", "failed", self.failed);
        page.labelled("executions_total", "outcome", "blocked", self.blocked);
        page.counter(
            "events_total",
            "Events that the search went through.",
            self.events,
        );
        page.counter(
            "revisits_total",
            "Receives that were given a message which was sent later in the search.",
            self.counters.revisits,
        );
        page.counter(
            "process_starts_total",
            "How often the code of a process was started.",
            self.counters.process_starts,
        );
        page.counter(
            "checks_total",
            "Executions that were run once more from scratch.",
            self.counters.checks,
        );
        page.counter(
            "in_vain_total",
            "Searches that led to no execution.",
            self.counters.in_vain,
        );
        if !self.coverage.is_empty() {
            let help = "Executions that reach a mark.";
            page.family("covered_executions_total", "counter", help);
        }
        for (mark, &count) in &self.coverage {
            page.labelled("covered_executions_total", "mark", mark, count);
        }
        page.gauge("seconds", "How long it took.", self.seconds);
        if let Some(bytes) = self.peak_memory {
            page.gauge(
                "peak_memory_bytes",
                "The most memory of the whole program.",
                bytes as f64,
            );
        }
        if let Some(estimate) = &self.estimate {
            let help = "How many executions there probably are.";
            page.gauge("estimated_executions", help, estimate.executions);
        }
        let holds = f64::from(u8::from(self.verdict == Verdict::Holds));
        page.gauge(
            "holds",
            "1 if every execution was explored and is fine.",
            holds,
        );
        let failures = self.failures.len() as f64;
        page.gauge("failures", "Different failures.", failures);
        page.0
    }
}

/// Lines of metrics.
#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP plainsong_{name} {help}"));
        self.line(format_args!("# TYPE plainsong_{name} {kind}"));
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.line(format_args!("plainsong_{name} {value}"));
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "gauge", help);
        self.line(format_args!("plainsong_{name} {value}"));
    }

    fn labelled(&mut self, name: &str, label: &str, text: &str, value: u64) {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        let text = text.replace('\n', "\\n");
        self.line(format_args!(
            "plainsong_{name}{{{label}=\"{text}\"}} {value}"
        ));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("a string takes everything");
    }
}
