//! A report as JSON.
//!
//! The shape has a version, `"version": 1`. Within a version, members may be added and none is removed or
//! changes its meaning. A member that has no value is `null`, never absent.
//!
//! ```text
//! {
//!   "format": "plainsong.report", "version": 1,
//!   "verdict": "holds" | "refuted" | "unknown",
//!   "end": "complete" | "failure" | "limit" | "cancelled" | "wrong checkpoint" | "wrong fix" | "unsupported" | "replayed",
//!   "limit": "executions" | "time" | "memory" | "events" | "samples" | null,
//!   "fixed": [{ "name", "process" | null, "occurrence" | null, "value" }],
//!   "executions", "failed", "blocked", "events": numbers,
//!   "counters": { "revisits", "process_starts", "checks", "in_vain" },
//!   "coverage": { mark: executions },
//!   "seconds": number, "peak_memory": bytes | null,
//!   "estimate": { "executions", "margin" } | null,
//!   "restart": "changed" | "all",
//!   "failures": [{
//!     "kind", "message", "location" | null, "process" | null, "picture", "race" | null,
//!     "events": { "all", "shown" }, "trace": text | null, "backtrace" | null
//!   }],
//!   "notes": [text],
//!   "memory_model": "sc" | "rc11", "weak_orderings": [text],
//!   "trace_file" | null, "checkpoint_file" | null, "dot_file" | null
//! }
//! ```

use crate::explorer::Restart;
use crate::failure::Failure;
use crate::fix::Fixed;
use crate::report::{End, Limit, Report, Verdict};
use serde_json::{Value, json};
use std::path::Path;

impl Report {
    /// The report as JSON, for other programs. Needs the feature `json`, which is on unless you say
    /// otherwise.
    ///
    /// The shape has a version: within one, members may be added, and none is removed or changes its
    /// meaning. A member that has no value is `null`.
    ///
    /// | member | what |
    /// |---|---|
    /// | `format`, `version` | `"plainsong.report"`, 1 |
    /// | `verdict` | `"holds"`, `"refuted"`, `"unknown"` |
    /// | `end`, `limit` | why the exploration ended, and which limit ended it |
    /// | `fixed` | choices that were fixed: `name`, `process`, `occurrence`, `value` |
    /// | `executions`, `failed`, `blocked`, `events` | numbers, as here |
    /// | `counters` | as [`Counters`](crate::Counters) |
    /// | `coverage` | executions by mark |
    /// | `seconds`, `peak_memory`, `estimate`, `restart` | as here |
    /// | `failures` | `kind`, `message`, `location`, `process`, `picture`, `race`, `events` (`all`, `shown`), `trace`, `backtrace` |
    /// | `memory_model` | `"sc"`, `"rc11"` |
    /// | `weak_orderings` | places, as here |
    /// | `notes`, `trace_file`, `checkpoint_file`, `dot_file` | as here |
    ///
    /// ```
    /// let report = plainsong::explore(|| assert_ne!(plainsong::choose(1..=3), 2));
    /// let json: serde_json::Value = serde_json::from_str(&report.to_json())?;
    /// assert_eq!(json["version"], 1);
    /// assert_eq!(json["verdict"], "refuted");
    /// assert_eq!(json["failures"][0]["kind"], "panic");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        format!("{:#}\n", value(self))
    }
}

fn value(report: &Report) -> Value {
    let file = |path: &Option<_>| {
        path.as_deref()
            .map(|path: &Path| path.display().to_string())
    };
    json!({
        "format": "plainsong.report",
        "version": 1,
        "verdict": verdict(report.verdict),
        "end": end(report.end),
        "limit": limit(report.end),
        "fixed": report.fixed.iter().map(fixed).collect::<Vec<_>>(),
        "executions": report.executions,
        "failed": report.failed,
        "blocked": report.blocked,
        "events": report.events,
        "counters": {
            "revisits": report.counters.revisits,
            "process_starts": report.counters.process_starts,
            "checks": report.counters.checks,
            "in_vain": report.counters.in_vain,
        },
        "coverage": report.coverage,
        "seconds": report.seconds,
        "peak_memory": report.peak_memory,
        "estimate": report.estimate.map(|estimate| json!({
            "executions": estimate.executions,
            "margin": estimate.margin,
        })),
        "restart": match report.restart {
            Restart::All => "all",
            Restart::Auto | Restart::Changed => "changed",
        },
        "failures": report.failures.iter().map(failure).collect::<Vec<_>>(),
        "notes": report.notes,
        "memory_model": report.memory_model.name(),
        "weak_orderings": report.weak_orderings,
        "trace_file": file(&report.trace_file),
        "checkpoint_file": file(&report.checkpoint_file),
        "dot_file": file(&report.dot_file),
    })
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Refuted => "refuted",
        Verdict::Unknown => "unknown",
    }
}

fn end(end: End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::Failure => "failure",
        End::Limit(_) => "limit",
        End::Cancelled => "cancelled",
        End::WrongCheckpoint => "wrong checkpoint",
        End::WrongFix => "wrong fix",
        End::Unsupported => "unsupported",
        End::Replayed => "replayed",
    }
}

fn limit(end: End) -> Option<&'static str> {
    let End::Limit(limit) = end else {
        return None;
    };
    Some(match limit {
        Limit::Executions => "executions",
        Limit::Time => "time",
        Limit::Memory => "memory",
        Limit::Events => "events",
        Limit::Samples => "samples",
    })
}

fn fixed(fixed: &Fixed) -> Value {
    let place = fixed.place.as_ref();
    json!({
        "name": fixed.name,
        "process": place.map(|place| &place.0),
        "occurrence": place.map(|place| place.1),
        "value": fixed.value,
    })
}

fn failure(failure: &Failure) -> Value {
    json!({
        "kind": failure.kind.name(),
        "message": failure.message,
        "location": failure.location,
        "process": failure.process,
        "picture": failure.picture,
        "race": failure.race,
        "events": { "all": failure.events.0, "shown": failure.events.1 },
        "trace": failure.trace.as_ref().map(ToString::to_string),
        "backtrace": failure.backtrace,
    })
}
