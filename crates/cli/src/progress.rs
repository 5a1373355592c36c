//! Progress of long work, on standard error: one line redrawn every second on a terminal, a plain
//! line every few seconds otherwise, nothing for runs under a second. In the JSON stream, a record
//! every second.

use crate::arguments::DetailArguments;
use plainsong_driver::watch::{Observer, Stage};
use plainsong_report::stream::{self, Record};
use plainsong_report::{about, count, thousands};
use plainsong_semantics::search::Progress;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Says now and then how far the work has come.
pub(crate) struct ProgressLine {
    style: Style,
    next: Instant,
    drawn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Silent,
    Redrawn,
    Lines,
    Records,
}

impl Style {
    fn interval(self) -> Duration {
        match self {
            Style::Redrawn | Style::Records => Duration::from_secs(1),
            Style::Lines | Style::Silent => Duration::from_secs(5),
        }
    }
}

impl ProgressLine {
    pub(crate) fn new(detail: DetailArguments, json: bool) -> Self {
        let style = match (detail.quiet, json) {
            (true, _) => Style::Silent,
            (false, true) => Style::Records,
            (false, false) if std::io::stderr().is_terminal() => Style::Redrawn,
            (false, false) => Style::Lines,
        };
        ProgressLine {
            style,
            next: Instant::now() + Duration::from_secs(1),
            drawn: false,
        }
    }

    /// Takes the line away before something else is written.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }

    fn draw(&mut self, line: &str) {
        let mut stderr = std::io::stderr().lock();
        // Progress that cannot be shown is not worth stopping for.
        let _ = match self.style {
            Style::Redrawn => write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush()),
            _ => writeln!(stderr, "{line}"),
        };
        self.drawn = self.style == Style::Redrawn;
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, stage: &Stage, progress: &Progress, elapsed: Duration) {
        let now = Instant::now();
        if self.style == Style::Silent || now < self.next {
            return;
        }
        self.next = now + self.style.interval();
        if self.style == Style::Records {
            let _ = std::io::stdout()
                .lock()
                .write_all(record(stage, progress, elapsed).line().as_bytes());
        } else {
            self.draw(&line(stage, progress, elapsed));
        }
    }
}

/// `explore agreement Db=4  12,480 executions  41 k/s  est. 31,000 ± 6,000 (40 %, about 0.5 s left)  1 s  31 MB`
fn line(stage: &Stage, progress: &Progress, elapsed: Duration) -> String {
    let bound: Vec<String> = stage
        .bound
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let number = progress.states;
    let part = stage.part.map(|part| format!("{}: ", part.told()));
    format!(
        "{}{} {} {}  {}  {}{}{}  {:.0} s{}",
        part.unwrap_or_default(),
        stage.engine,
        properties(stage),
        bound.join(","),
        of_goal(stage, number),
        rate(number, elapsed),
        expectation(stage, number, elapsed),
        stage
            .remark
            .as_ref()
            .map_or(String::new(), |remark| format!("  {remark}")),
        elapsed.as_secs_f64(),
        memory(),
    )
}

/// `12,480 executions`, or `12,480 of 100,000 executions` where somebody said how many there are to be.
fn of_goal(stage: &Stage, number: u64) -> String {
    match stage.goal {
        Some(goal) => format!("{} of {}", thousands(number), count(goal, stage.counted)),
        None => count(number, stage.counted),
    }
}

/// `  31 MB`: what this process takes, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kilobytes.map_or(String::new(), |kilobytes: u64| {
        format!("  {} MB", kilobytes.div_ceil(1_000))
    })
}

fn properties(stage: &Stage) -> String {
    match stage.properties.as_slice() {
        [one] => one.clone(),
        several => format!("{} properties", several.len()),
    }
}

fn rate(number: u64, elapsed: Duration) -> String {
    let per_second = number as f64 / elapsed.as_secs_f64().max(0.001);
    if per_second >= 1000.0 {
        format!("{:.0} k/s", per_second / 1000.0)
    } else {
        format!("{per_second:.0}/s")
    }
}

/// How far it has come, where that was guessed.
fn expectation(stage: &Stage, number: u64, elapsed: Duration) -> String {
    let Some((expected, margin)) = stage.expected else {
        return String::new();
    };
    let (number, expected) = (number.max(1) as f64, expected as f64);
    let guess = match margin {
        Some(margin) => format!("est. {} ± {}", about(expected), about(margin as f64)),
        None => format!("est. {} or more", about(expected)),
    };
    if number >= expected {
        return format!("  {guess}, exceeded");
    }
    let left = elapsed.as_secs_f64() * (expected - number) / number;
    let percent = 100.0 * number / expected;
    format!("  {guess} ({percent:.0} %, about {} s left)", about(left))
}

fn record(stage: &Stage, progress: &Progress, elapsed: Duration) -> Record {
    let counted = |what: &str| (stage.counted == what).then_some(progress.states);
    Record::Progress(stream::Progress {
        file: stage.file.clone(),
        property: properties(stage),
        engine: stage.engine.to_owned(),
        bound: stream::bound(stage.bound.iter()),
        states: counted("state"),
        executions: counted("execution"),
        expected: stage.goal.or(stage.expected.map(|(expected, _)| expected)),
        seconds: stream::round(elapsed.as_secs_f64()),
    })
}
