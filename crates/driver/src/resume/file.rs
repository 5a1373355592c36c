//! A ledger as a file, with what it is of.
//!
//! The file is JSON, and a last line with a hash of that: what was changed by accident is refused. It names the arguments of the run, the songs with hashes of their texts, and the
//! executable by a hash: a place of the search tree means the same only to the same program. Traces of
//! refutations are in it as their own files would have them.

use super::{Key, Ledger};
use crate::save::{TOOL, replace};
use crate::{Problem, Source};
use plainsong_diagnostics::Span;
use plainsong_explore_songs::{Explored, Finding, Orders};
use plainsong_report::trace_file::{self, SavedTrace, hash};
use plainsong_semantics::executions::ExecutionCount;
use plainsong_semantics::search::{Completeness, Coverage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The version of the format.
const SCHEMA: u32 = 3;

/// A run that stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// The arguments it was started with, and the command itself before them.
    pub arguments: Vec<String>,
    /// The hash of each song, by the name of its file.
    pub songs: BTreeMap<String, u64>,
    /// What it found and left.
    pub ledger: Ledger,
}

impl Stopped {
    /// Reads the file; refuses what another build of the command wrote.
    pub fn read(path: &Path) -> Result<Stopped, Problem> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Problem::new(format!("cannot read {name}: {error}")))?;
        let (json, sum) = match text.trim_end().rsplit_once('\n') {
            Some((json, sum)) => (json, sum.parse().ok()),
            None => (&text[..], None),
        };
        let saved: Saved = serde_json::from_str(json).map_err(|error| {
            Problem::new(format!("{name} is no file to go on from: {error}")).help(
                "use one that `plainsong explore` or `plainsong check` wrote when it was stopped",
            )
        })?;
        if (saved.schema, saved.tool.as_str(), &saved.executable) != (SCHEMA, TOOL, &executable()) {
            return Err(begin_again(format!(
                "{name} was written by another build of plainsong"
            )));
        }
        let is_whole = sum == Some(hash(json));
        let stopped = is_whole.then(|| saved.stopped()).flatten();
        stopped.ok_or_else(|| begin_again(format!("{name} is damaged")))
    }

    /// Refuses a song that is not the one of the file.
    pub fn expect(&self, source: &Source) -> Result<(), Problem> {
        if self.songs.get(&source.name) == Some(&hash(&source.text)) {
            return Ok(());
        }
        let problem = Problem::new("the song has changed since the run was stopped");
        let help =
            "what was found of it does not count any more; check it again, without `--resume`";
        Err(problem.help(help).in_file(&source.name))
    }

    /// Writes the file as a whole.
    pub fn write(&self, path: &Path) -> Result<(), Problem> {
        let saved = Saved::new(self);
        let json = serde_json::to_string(&saved).expect("these are maps with names as keys");
        let text = format!("{json}\n{}\n", hash(&json));
        let folder = path.parent().unwrap_or(Path::new("."));
        let made = std::fs::create_dir_all(folder);
        made.and_then(|()| replace(path, &text)).map_err(|error| {
            Problem::new(format!("cannot write {}: {error}", path.display()))
                .help("choose another folder with `--out`")
        })
    }
}

fn begin_again(message: impl Into<String>) -> Problem {
    Problem::new(message).help("nothing was explored; begin again, without `--resume`")
}

/// Which build of the program runs: the size of its file, and when it was written; nothing where that is not known, which
/// fits nothing. What is in the file is not read: with what helps debuggers that takes longer than a user waits.
pub(super) fn executable() -> Option<u64> {
    let data = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let since = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mix = |hash: u64, word: u64| {
        (hash ^ word)
            .wrapping_mul(0x517c_c1b7_2722_0a95)
            .rotate_left(5)
    };
    Some(mix(
        mix(data.len(), since.as_secs()),
        u64::from(since.subsec_nanos()),
    ))
}

#[derive(Serialize, Deserialize)]
struct Saved {
    schema: u32,
    tool: String,
    executable: Option<u64>,
    arguments: Vec<String>,
    songs: BTreeMap<String, u64>,
    entries: Vec<Entry>,
}

impl Saved {
    fn new(stopped: &Stopped) -> Self {
        let entries = stopped.ledger.entries.iter();
        Saved {
            schema: SCHEMA,
            tool: TOOL.to_owned(),
            executable: executable(),
            arguments: stopped.arguments.clone(),
            songs: stopped.songs.clone(),
            entries: entries.map(|(key, found)| Entry::new(key, found)).collect(),
        }
    }

    fn stopped(self) -> Option<Stopped> {
        let mut ledger = Ledger::default();
        for entry in self.entries {
            let (key, explored) = entry.explored()?;
            ledger.entries.insert(key, explored);
        }
        Some(Stopped {
            arguments: self.arguments,
            songs: self.songs,
            ledger,
        })
    }
}

/// What was found about one instance, as JSON.
pub(crate) fn explored_to_json(explored: &Explored) -> String {
    let entry = Entry::new(&Key::default(), explored);
    serde_json::to_string(&entry).expect("these are maps with names as keys")
}

/// What [`explored_to_json`] wrote.
pub(crate) fn explored_from_json(text: &str) -> Option<Explored> {
    let entry: Entry = serde_json::from_str(text).ok()?;
    Some(entry.explored()?.1)
}

/// One instance.
#[derive(Serialize, Deserialize)]
struct Entry {
    file: String,
    delivery: Option<String>,
    properties: Vec<String>,
    bound: BTreeMap<String, String>,
    complete: u64,
    blocked: u64,
    failed: u64,
    discarded: u64,
    /// What of the interpreter ran out in some execution.
    resource: Option<String>,
    findings: Vec<Found>,
    covered: Covered,
    orders: Vec<(u64, f64)>,
    /// How many zeros the hashes of these end in.
    level: u32,
    left: Vec<String>,
    /// How much of its limit a run had looked at that did not come to its end.
    looked_at: u64,
}

#[derive(Serialize, Deserialize)]
enum Found {
    NotRefuted,
    Unknown(String),
    Refuted(String),
}

/// What took part, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct Covered {
    executed: Vec<(u32, u32)>,
    missed: Vec<(u32, u32)>,
    received: Vec<String>,
    never_received: Vec<String>,
    sent: Vec<String>,
    never_sent: Vec<String>,
    met: Vec<(u32, u32)>,
    never_met: Vec<(u32, u32)>,
    passed: Vec<(u32, u32)>,
}

impl Entry {
    fn new(key: &Key, found: &Explored) -> Self {
        let count = &found.count;
        let resource = match &count.completeness {
            Completeness::Resource(what) => Some(what.clone()),
            _ => None,
        };
        Entry {
            file: key.file.clone(),
            delivery: key.delivery.clone(),
            properties: key.properties.clone(),
            bound: key.bound.clone(),
            complete: count.complete,
            blocked: count.blocked,
            failed: count.failed,
            discarded: count.discarded,
            resource,
            findings: found.findings.iter().map(Found::new).collect(),
            covered: Covered::new(&found.coverage),
            orders: found.orders.drawn().to_vec(),
            level: found.orders.level(),
            left: found.left.iter().map(ToString::to_string).collect(),
            looked_at: found.looked_at,
        }
    }

    fn explored(self) -> Option<(Key, Explored)> {
        let key = Key {
            file: self.file,
            delivery: self.delivery,
            properties: self.properties,
            bound: self.bound,
        };
        let completeness = match self.resource {
            Some(what) => Completeness::Resource(what),
            None if self.left.is_empty() => Completeness::Complete,
            None => Completeness::Stopped,
        };
        let count = ExecutionCount {
            complete: self.complete,
            blocked: self.blocked,
            failed: self.failed,
            discarded: self.discarded,
            completeness,
        };
        let findings = self.findings.into_iter().map(Found::finding);
        let left = self.left.iter().map(|part| part.parse().ok());
        let explored = Explored {
            count,
            findings: findings.collect::<Option<_>>()?,
            refuting: None,
            coverage: self.covered.coverage(),
            orders: Orders::new(self.level, self.orders),
            left: left.collect::<Option<_>>()?,
            looked_at: self.looked_at,
        };
        Some((key, explored))
    }
}

impl Found {
    fn new(finding: &Finding) -> Self {
        match finding {
            Finding::NotRefuted => Found::NotRefuted,
            Finding::Unknown(why) => Found::Unknown(why.clone()),
            Finding::Refuted(trace) => Found::Refuted(trace_file::write(&SavedTrace {
                header: trace_file::Header::default(),
                trace: (**trace).clone(),
            })),
        }
    }

    fn finding(self) -> Option<Finding> {
        Some(match self {
            Found::NotRefuted => Finding::NotRefuted,
            Found::Unknown(why) => Finding::Unknown(why),
            Found::Refuted(text) => Finding::Refuted(Box::new(trace_file::read(&text).ok()?.trace)),
        })
    }
}

impl Covered {
    pub(crate) fn new(coverage: &Coverage) -> Self {
        let places = |spans: &[Span]| spans.iter().map(|span| (span.start, span.end)).collect();
        Covered {
            executed: places(&coverage.executed),
            missed: places(&coverage.missed),
            received: coverage.received.clone(),
            never_received: coverage.never_received.clone(),
            sent: coverage.sent.clone(),
            never_sent: coverage.never_sent.clone(),
            met: places(&coverage.met),
            never_met: places(&coverage.never_met),
            passed: places(&coverage.passed),
        }
    }

    pub(crate) fn coverage(&self) -> Coverage {
        let spans = |places: &[(u32, u32)]| {
            let places = places.iter();
            places.map(|&(start, end)| Span { start, end }).collect()
        };
        Coverage {
            executed: spans(&self.executed),
            missed: spans(&self.missed),
            received: self.received.clone(),
            never_received: self.never_received.clone(),
            sent: self.sent.clone(),
            never_sent: self.never_sent.clone(),
            met: spans(&self.met),
            never_met: spans(&self.never_met),
            passed: spans(&self.passed),
        }
    }
}
