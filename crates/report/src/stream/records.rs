//! The objects of the stream, field by field.

use super::Record;
use serde::Serialize;
use serde_json::{Map, Value};

/// An obligation that is open.
#[derive(Clone, Debug, Serialize)]
pub struct OpenRecord {
    /// The rule that asks for it.
    pub rule: String,
    /// One sentence: what may be wrong.
    pub sentence: String,
    /// Why it is open.
    pub why: String,
    /// Line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What stands there.
    pub text: String,
}

/// What one engine said on the way to a verdict.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptRecord {
    pub engine: String,
    /// `proved`, `holds`, `refuted` or `unknown`.
    pub verdict: &'static str,
    /// Sizes and limits.
    pub bound: Map<String, Value>,
    /// One sentence.
    pub reason: String,
    /// How long it took.
    pub seconds: f64,
}

/// What was started.
#[derive(Clone, Debug, Serialize)]
pub struct Start {
    /// [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// `plainsong 0.1.0`.
    pub tool: String,
    /// `check`, `sim`, …
    pub verb: String,
    /// The files, as named.
    pub files: Vec<String>,
}

/// A complaint about the command line or a file as a whole.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorRecord {
    /// Which file, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A property of a file.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRecord {
    pub file: String,
    /// Its name.
    pub property: String,
    /// What it claims: `finally`, `always`, …
    pub claim: String,
}

/// How far a query has come.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    pub file: String,
    /// Which property, or several.
    pub property: String,
    pub engine: String,
    /// Sizes.
    pub bound: Map<String, Value>,
    /// States visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Executions counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// How many there probably are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
    /// Since the query began.
    pub seconds: f64,
}

/// An answer.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictRecord {
    pub file: String,
    pub property: String,
    pub engine: String,
    /// `proved`, `holds`, `refuted` or `unknown`.
    pub verdict: &'static str,
    /// Sizes and limits; empty when proved for all.
    pub bound: Map<String, Value>,
    /// One sentence.
    pub reason: String,
    /// How long it took.
    pub seconds: f64,
    /// Does it rest on the cache of an earlier run's answers?
    pub cached: bool,
    /// Complete executions, where counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// Blocked executions, where counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<u64>,
    /// About how many interleavings the executions stand for, where guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleavings: Option<f64>,
    /// States visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Line and column of where what is asked about is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<(u32, u32)>,
    /// Obligations that were shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obligations: Option<u64>,
    /// How many entries of the cache it rests on.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_entries: u64,
    /// Is a premise never true, or was there nothing to check?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// Everything trusted and not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Properties that this rests on and that are not proved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provided: Vec<String>,
    /// Obligations that are open, where a proof was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenRecord>,
    /// What a reader should know besides: premises that were never true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Who was asked, and what each said, in that order; nothing where only one was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<AttemptRecord>,
    /// What to type next, where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Where the refuting execution was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What decided it: one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<String>,
    /// How many events the execution has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<usize>,
    /// How many it had before it was made smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrunk_from: Option<usize>,
    /// How many executions of the instance that is shown refute it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuting: Option<u64>,
    /// How many executions that instance has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuting_of: Option<u64>,
    /// Which faults there are in the execution, where nothing is wrong without faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<String>,
    /// The seed of the random execution that refutes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A song that was run as a test.
#[derive(Clone, Debug, Serialize)]
pub struct TestRecord {
    pub file: String,
    pub passed: bool,
    /// By what it was judged, in words.
    pub rule: String,
    /// What is not as the song says: lines and sentences.
    pub problems: Vec<(usize, String)>,
    pub seconds: f64,
}

/// Random executions, all together.
#[derive(Clone, Debug, Serialize)]
pub struct RandomRecord {
    pub file: String,
    /// Which choreography, when it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choreography: Option<String>,
    /// The seed of the first; the others follow one by one.
    pub seed: u64,
    /// The depth of probabilistic concurrency testing; steps with equal probability without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pct: Option<u32>,
    pub executions: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Steps of the longest.
    pub longest: u64,
    /// How they ended.
    pub terminated: u64,
    pub deadlocked: u64,
    pub failed: u64,
    /// At the limit on steps.
    pub cut: u64,
    /// By an `assume`.
    pub discarded: u64,
    /// By the interpreter's own limits.
    pub beyond_reach: u64,
    /// Why there are fewer than asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    pub seconds: f64,
}

/// Under which delivery models a property holds.
#[derive(Clone, Debug, Serialize)]
pub struct DeliveryRecord {
    pub file: String,
    pub property: String,
    /// Models under which it holds.
    pub holds: Vec<&'static str>,
    /// Models under which it is refuted.
    pub refuted: Vec<&'static str>,
    /// Models under which it is unknown.
    pub unknown: Vec<&'static str>,
    /// What happens under the strictest model that refutes it and the next one forbids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// How much of a file was used.
#[derive(Clone, Debug, Serialize)]
pub struct CoveredRecord {
    pub file: String,
    /// Statements executed, of `all_statements`.
    pub statements: u64,
    pub all_statements: u64,
    /// Kinds of messages or actions taken, of `all_kinds`.
    pub kinds: u64,
    pub all_kinds: u64,
    /// Places never executed.
    pub never: Vec<String>,
    /// Kinds of messages or actions never sent.
    pub never_sent: Vec<String>,
    /// Kinds of messages or actions sent but never taken.
    pub never_taken: Vec<String>,
    /// Premises never true, with their places.
    pub never_true: Vec<String>,
}

/// What was seen beyond the sizes by default.
#[derive(Clone, Debug, Serialize)]
pub struct FurtherRecord {
    pub file: String,
    /// The largest sizes.
    pub bound: Map<String, Value>,
    /// Was everything there seen?
    pub whole: bool,
    /// How much was seen: `120 executions`.
    pub seen: String,
}

/// One random execution.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutionRecord {
    pub file: String,
    /// Which choreography, when it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choreography: Option<String>,
    /// What it can be repeated with.
    pub seed: u64,
    /// Sizes.
    pub bound: Map<String, Value>,
    /// `final`, `deadlock`, `failed`, `violated`, `cut` or `discarded`.
    pub ending: &'static str,
    /// How it ended, in one sentence.
    pub reason: String,
    /// The processes.
    pub lanes: Vec<String>,
    /// What happened, in order.
    pub steps: Vec<StepRecord>,
}

/// One step of an execution.
#[derive(Clone, Debug, Serialize)]
pub struct StepRecord {
    /// Who acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// `send`, `receive`, `handle`, …
    pub kind: &'static str,
    /// The message with its payload, or the statement.
    pub label: String,
    /// The other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Free choices, as `yes = true`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// State variables that changed, with their new values.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub changes: Map<String, Value>,
    /// The line in the text.
    pub line: u32,
}

/// The last line.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Every verdict again, each tagged like the line it had.
    pub verdicts: Vec<Record>,
    /// A file from which the run can go on, if it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The exit code.
    pub exit: u8,
}

/// A diagnostic with positions a person counts.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticRecord {
    pub file: String,
    /// The stable code.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// Where, and what is said there; the first is the mistake itself.
    pub labels: Vec<LabelRecord>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// A ready-made change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixRecord>,
}

/// A place with something to say about it.
#[derive(Clone, Debug, Serialize)]
pub struct LabelRecord {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
    /// What is said; may be empty.
    pub text: String,
}

/// A ready-made change.
#[derive(Clone, Debug, Serialize)]
pub struct FixRecord {
    /// What it does.
    pub title: String,
    /// Replacements, in ascending order.
    pub edits: Vec<EditRecord>,
}

/// One replacement.
#[derive(Clone, Debug, Serialize)]
pub struct EditRecord {
    /// First byte replaced.
    pub start: u32,
    /// One past the last byte replaced.
    pub end: u32,
    /// What comes instead.
    pub text: String,
}

/// A choreography that was played by `run`.
#[derive(Clone, Debug, Serialize)]
pub struct PerformanceRecord {
    pub file: String,
    pub choreography: String,
    /// `sequential`, `threads`, `tcp` or `sim`; `role` for one endpoint over TCP.
    pub way: &'static str,
    /// What it can be repeated with.
    pub seed: u64,
    /// The parameters, with their values as songs write them.
    pub parameters: Map<String, Value>,
    /// External functions: what they returned was drawn among what their contracts allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
    /// How each endpoint ended.
    pub ends: Vec<EndRecord>,
}

/// How an endpoint ended: with `variables`, or with an `error`.
#[derive(Clone, Debug, Serialize)]
pub struct EndRecord {
    /// Which endpoint; nothing when a line as a whole failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its variables, with their values as songs write them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Map<String, Value>>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
