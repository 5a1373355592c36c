//! The JSON stream: one object per line, first `start`, last `summary`.
//!
//! Field names are a contract; add fields, never change or remove them without raising
//! [`SCHEMA`]. The summary repeats all verdicts, so a partial stream can never look complete.

mod records;

pub use records::{
    AttemptRecord, CoveredRecord, DeliveryRecord, DiagnosticRecord, EditRecord, EndRecord,
    ErrorRecord, ExecutionRecord, FixRecord, FurtherRecord, LabelRecord, OpenRecord,
    PerformanceRecord, Progress, PropertyRecord, RandomRecord, Start, StepRecord, Summary,
    TestRecord, VerdictRecord,
};

use crate::trace_file::{ending_word, kind_word};
use crate::{Answer, Attempt, Coverage, Forecast, Sensitivity, Text};
use plainsong_diagnostics::{Diagnostic, Label, Severity, line_and_column};
use plainsong_semantics::trace::{Change, Event, Trace};
use plainsong_semantics::verdict::OpenObligation;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The version of the stream, in every `start` object.
pub const SCHEMA: u32 = 1;

/// One line of the stream.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Start(Start),
    /// Something wrong (or suspicious) in a file.
    Diagnostic(DiagnosticRecord),
    /// Something wrong with what was asked: a missing file, an unknown property.
    Error(ErrorRecord),
    /// A property there is, under `--list`.
    Property(PropertyRecord),
    /// Work in progress.
    Progress(Progress),
    /// An answer.
    Verdict(Box<VerdictRecord>),
    /// Under which delivery models a property holds.
    Delivery(DeliveryRecord),
    /// How much of a file was used.
    Covered(CoveredRecord),
    /// What was seen beyond the sizes by default.
    Further(FurtherRecord),
    /// One random execution.
    Execution(Box<ExecutionRecord>),
    /// A song that was run as a test.
    Test(TestRecord),
    /// Random executions, all together.
    Random(Box<RandomRecord>),
    /// A choreography that was played.
    Performance(PerformanceRecord),
    /// How much work an exploration will be.
    Estimate(Forecast),
    /// The last line.
    Summary(Summary),
}

impl Record {
    /// As one line of text, ended.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("records have only plain data");
        line.push('\n');
        line
    }
}

/// An answer as a record.
pub fn verdict(answer: &Answer) -> Record {
    let verdict = &answer.verdict;
    let account = answer.account.as_deref();
    let share = account.and_then(|account| account.share);
    Record::Verdict(Box::new(VerdictRecord {
        file: answer.file.clone(),
        property: verdict.property.clone(),
        engine: answer.engine.clone(),
        verdict: verdict.outcome.name(),
        bound: bound(verdict.bound.iter()),
        reason: verdict.reason.clone(),
        seconds: round(answer.seconds),
        cached: answer.cached > 0,
        cache_entries: answer.cached,
        vacuous: verdict.is_vacuous(),
        executions: verdict.executions,
        interleavings: verdict.interleavings.map(about),
        blocked: verdict.blocked,
        states: verdict.states,
        declared: answer.declared,
        obligations: verdict.obligations,
        assumptions: verdict
            .assumptions
            .iter()
            .map(ToString::to_string)
            .collect(),
        provided: verdict.provided.clone(),
        open: verdict.open.iter().map(open).collect(),
        notes: verdict.notes.clone(),
        tried: match &answer.tried[..] {
            [_] => Vec::new(),
            several => several.iter().map(attempt).collect(),
        },
        next: answer.next.clone(),
        trace: answer.trace_path.clone(),
        race: account
            .and_then(|account| account.race.as_ref())
            .map(|race| race.sentence.clone()),
        events: verdict.trace.as_ref().map(|trace| trace.events.len()),
        shrunk_from: account
            .and_then(|account| account.shrunk.as_ref())
            .map(|shrunk| shrunk.events),
        refuting: share.map(|(refuting, _)| refuting),
        refuting_of: share.map(|(_, all)| all),
        faults: account.and_then(|account| account.faults.clone()),
        seed: answer.seed,
    }))
}

fn attempt(one: &Attempt) -> AttemptRecord {
    AttemptRecord {
        engine: one.engine.clone(),
        verdict: one.outcome.name(),
        bound: bound(one.bound.iter()),
        reason: one.reason.clone(),
        seconds: round(one.seconds),
    }
}

fn open(one: &OpenObligation) -> OpenRecord {
    OpenRecord {
        rule: one.rule.clone(),
        sentence: one.sentence.clone(),
        why: one.why.clone(),
        line: one.place.map(|(line, _)| line),
        column: one.place.map(|(_, column)| column),
        text: one.text.clone(),
    }
}

/// A bound as an object: whole numbers as numbers, the rest as text.
pub fn bound<'a>(parts: impl Iterator<Item = (&'a String, &'a String)>) -> Map<String, Value> {
    let value = |text: &String| {
        text.parse::<i64>()
            .map_or_else(|_| Value::from(text.as_str()), Value::from)
    };
    parts
        .map(|(name, text)| (name.clone(), value(text)))
        .collect()
}

/// For records that keep their bound as text.
pub(crate) fn as_bound<S: serde::Serializer>(
    parts: &BTreeMap<String, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    bound(parts.iter()).serialize(serializer)
}

/// An execution as a record.
pub fn execution(
    source: Text<'_>,
    choreography: Option<&str>,
    seed: u64,
    sizes: &BTreeMap<String, String>,
    trace: &Trace,
) -> Record {
    Record::Execution(Box::new(ExecutionRecord {
        file: source.name.to_owned(),
        choreography: choreography.map(str::to_owned),
        seed,
        bound: bound(sizes.iter()),
        ending: ending_word(&trace.ending),
        reason: crate::reason(source, trace),
        lanes: trace.lanes.clone(),
        steps: trace
            .events
            .iter()
            .map(|event| step(source, trace, event))
            .collect(),
    }))
}

fn step(source: Text<'_>, trace: &Trace, event: &Event) -> StepRecord {
    let name = |lane: Option<usize>| lane.and_then(|lane| trace.lanes.get(lane)).cloned();
    let change = |change: &Change| (change.variable.clone(), Value::from(change.after.as_str()));
    StepRecord {
        lane: name(event.lane),
        kind: kind_word(event.kind),
        label: event.label.clone(),
        peer: name(event.peer),
        choices: event.choices.clone(),
        changes: event.changes.iter().map(change).collect(),
        line: line_and_column(source.text, event.span.start).line,
    }
}

/// A diagnostic as a record.
pub fn diagnostic(source: Text<'_>, diagnostic: &Diagnostic) -> Record {
    let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    Record::Diagnostic(DiagnosticRecord {
        file: source.name.to_owned(),
        code: diagnostic.code.name,
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        labels: labels.map(|one| label(source, one)).collect(),
        help: diagnostic.help.clone(),
        fix: diagnostic.fix.as_ref().map(|fix| FixRecord {
            title: fix.title.clone(),
            edits: fix
                .edits
                .iter()
                .map(|(span, text)| EditRecord {
                    start: span.start,
                    end: span.end,
                    text: text.clone(),
                })
                .collect(),
        }),
    })
}

/// What the delivery models say about a property, as a record.
pub fn delivery(file: &str, one: &Sensitivity) -> Record {
    Record::Delivery(DeliveryRecord {
        file: file.to_owned(),
        property: one.property.clone(),
        holds: one.holds.clone(),
        refuted: one.refuted.clone(),
        unknown: one.unknown.clone(),
        difference: one.difference.clone(),
    })
}

/// What was seen beyond the sizes by default, where nothing is wrong, as a record.
pub fn further(file: &str, sizes: &BTreeMap<String, String>, whole: bool, seen: &str) -> Record {
    Record::Further(FurtherRecord {
        file: file.to_owned(),
        bound: bound(sizes.iter()),
        whole,
        seen: seen.to_owned(),
    })
}

pub fn covered(file: &str, coverage: &Coverage) -> Record {
    Record::Covered(CoveredRecord {
        file: file.to_owned(),
        statements: coverage.statements,
        all_statements: coverage.all_statements,
        kinds: coverage.kinds,
        all_kinds: coverage.all_kinds,
        never: coverage.never.clone(),
        never_sent: coverage.never_sent.clone(),
        never_taken: coverage.never_taken.clone(),
        never_true: coverage.never_true.clone(),
    })
}

fn label(source: Text<'_>, label: &Label) -> LabelRecord {
    let at = line_and_column(source.text, label.span.start);
    LabelRecord {
        start: label.span.start,
        end: label.span.end,
        line: at.line,
        column: at.column,
        text: label.text.clone(),
    }
}

/// A number that is known as a power of ten: two digits are enough.
fn about(power: f64) -> f64 {
    let number = 10f64.powf(power);
    let unit = 10f64.powf(power.floor() - 1.0);
    (number / unit).round() * unit
}

/// Microseconds are enough.
pub fn round(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
