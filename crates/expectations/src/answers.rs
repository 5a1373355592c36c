//! What the library says about a song: the answers that expectations are compared with.
//!
//! Everything goes the way the command line goes: `syntax` compiles and formats, the driver plans and
//! runs, `semantics` counts.

use super::header::{Ending, Scope};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_driver::effort::Effort;
use plainsong_driver::engine::{Fairness, LivenessOptions};
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::watch::{Interrupt, Observer, Stage};
use plainsong_driver::{Source, engines, sizes};
use plainsong_explore_songs::{Manner, explore};
use plainsong_ir::{Sizing, Song};
use plainsong_semantics::executions::{self, ExecutionCount};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::outcomes::{split, undecided};
use plainsong_semantics::search::{Completeness, Limits, Progress, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::trace;
use plainsong_semantics::verdict::Verdict;
use std::sync::Arc;
use std::time::Duration;

/// A text that was compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What it means; nothing when it has errors.
    pub song: Option<Arc<Song>>,
    /// What is wrong or suspicious, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

pub fn compile(text: &str) -> Compiled {
    let compiled = plainsong_syntax::compile(text);
    Compiled {
        song: compiled.song.map(Arc::new),
        diagnostics: compiled.diagnostics,
    }
}

/// The text in canonical style; unchanged when it cannot be formatted.
pub fn format(text: &str) -> String {
    plainsong_syntax::format(text).unwrap_or_else(|_| text.to_owned())
}

/// One verdict for each property of a song and its text about termination, as `diverge` says, if need be only about fair executions.
pub fn rests(
    (song, text): (&Arc<Song>, &str),
    scope: &Scope,
    fairness: Option<Fairness>,
) -> Result<Vec<Verdict>, String> {
    let request = Request {
        engine: Some("diverge"),
        liveness: LivenessOptions {
            fairness,
            prove: true,
            ..LivenessOptions::default()
        },
        ..Request::default()
    };
    asked((song, text), scope, request)
}

/// One verdict for each thing that `check`, or the verb of an engine, asks about a song and its text.
pub fn verdicts(
    (song, text): (&Arc<Song>, &str),
    scope: &Scope,
    engine: Option<&'static str>,
) -> Result<Vec<Verdict>, String> {
    let request = Request {
        engine,
        ..Request::default()
    };
    asked((song, text), scope, request)
}

/// One verdict for each thing that `check` asks without any flags.
pub fn plain_check(about: (&Arc<Song>, &str)) -> Result<Vec<Verdict>, String> {
    let request = Request {
        look_further: true,
        ..Request::default()
    };
    answers_to(about, &request)
}

fn asked(
    (song, text): (&Arc<Song>, &str),
    scope: &Scope,
    request: Request,
) -> Result<Vec<Verdict>, String> {
    let request = Request {
        sizes: sizings(song, &scope.sizes)?,
        effort: effort(scope),
        ..request
    };
    answers_to((song, text), &request)
}

fn answers_to((song, text): (&Arc<Song>, &str), request: &Request) -> Result<Vec<Verdict>, String> {
    let plan = plan(song, request, engines::ALL).map_err(|problem| problem.message)?;
    let source = Source {
        name: "song".to_owned(),
        text: text.to_owned(),
        path: None,
    };
    let mut supervision = Supervision {
        interrupt: &Interrupt::default(),
        observer: &mut Nobody,
        timeout: None,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let results = run(&plan, &source, song, &mut supervision);
    if let Some(problem) = results.problems.first() {
        return Err(problem.message.clone());
    }
    if let Some(crash) = results.crashes.first() {
        return Err(format!("a bug of plainsong: {}", crash.message));
    }
    Ok(results
        .answers
        .into_iter()
        .map(|answer| answer.verdict)
        .collect())
}

/// How many executions end in which way, over all values of open parameters.
pub fn executions(song: &Arc<Song>, scope: &Scope) -> Result<Vec<(Ending, u64)>, String> {
    let mut counts: Vec<(Ending, u64)> =
        Ending::ALL.into_iter().map(|ending| (ending, 0)).collect();
    let mut open: Vec<Instance> = instances(song, &scope.sizes)?;
    open = open.into_iter().map(undecided).collect();
    while let Some(instance) = open.pop() {
        let machine = Machine::new(&instance, Subject::System);
        let count = executions::executions(&machine, &limits(scope), &mut Unwatched)
            .ok_or("executions are counted only where processes exchange messages")?;
        // Those that ask for outcomes of external functions are counted for every outcome.
        if let Some(more) = split(&machine, u64::MAX)? {
            open.extend(more);
            continue;
        }
        finished(&count.completeness)?;
        agrees_with(&count, &machine, &limits(scope))?;
        for (ending, number) in &mut counts {
            *number += match ending {
                Ending::Executions => count.complete,
                Ending::Blocked => count.blocked,
                Ending::Failed => count.failed,
                Ending::Discarded => count.discarded,
            };
        }
    }
    Ok(counts)
}

/// The optimal exploration finds as many executions, or says that it does not cover the song.
fn agrees_with(count: &ExecutionCount, machine: &Machine, limits: &Limits) -> Result<(), String> {
    let manner = Manner {
        limits: *limits,
        remembers: Some(0),
        ..Manner::default()
    };
    match explore(machine, &[], &manner, &mut Unwatched) {
        Ok(found) if found.count != *count => Err(format!(
            "the reference finds {count:?}, exploration {:?}",
            found.count
        )),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How many states there are, over all values of open parameters and everything that can be run.
pub fn states(song: &Arc<Song>, scope: &Scope) -> Result<u64, String> {
    let mut states = 0;
    for instance in instances(song, &scope.sizes)? {
        for query in Query::all(song) {
            // Without checks the search has no reason to stop early.
            let query = Query {
                checks: Vec::new(),
                ..query
            };
            let report = search(&instance, &query, &limits(scope), &mut Unwatched);
            finished(&report.completeness)?;
            states += report.states;
        }
    }
    Ok(states)
}

/// Counts without those that are 0, which go without saying.
pub fn without_zeros(counts: &[(Ending, u64)]) -> Vec<(Ending, u64)> {
    counts
        .iter()
        .copied()
        .filter(|&(_, number)| number > 0)
        .collect()
}

/// Does the verdict say `part`, in its reason or about those who wait?
pub fn says(verdict: &Verdict, part: &str) -> bool {
    reason(verdict).contains(part)
}

/// Why the verdict is what it is, with everything that its execution ends with.
pub fn reason(verdict: &Verdict) -> String {
    let mut reason = verdict.reason.clone();
    for name in verdict.provided.iter() {
        reason.push_str(&format!("; provided `{name}`"));
    }
    let Some(trace) = &verdict.trace else {
        return reason;
    };
    if let trace::Ending::Deadlock(waiting) = &trace.ending {
        for one in waiting {
            let who = one.lane.and_then(|lane| trace.lanes.get(lane));
            let sentence = match who {
                Some(name) => format!("{name} waits for {}", one.what),
                None => format!("{} is blocked", one.what),
            };
            if !reason.contains(&sentence) {
                reason = format!("{reason}; {sentence}");
            }
        }
    }
    reason
}

/// A song of the corpus that needs more states without saying so is too slow to be a test.
const MOST_STATES: u64 = 300_000;

fn limits(scope: &Scope) -> Limits {
    Limits {
        states: scope.states.unwrap_or(MOST_STATES),
        ..Limits::default()
    }
}

/// States are looked at before executions as far as that goes.
fn effort(scope: &Scope) -> Effort {
    let states = limits(scope).states;
    Effort {
        states: Some(states),
        first_states: states,
        ..Effort::default()
    }
}

/// The sizes as the command line gives them, refused as it would refuse them.
fn sizings(song: &Song, chosen: &Sizes) -> Result<Vec<Sizing>, String> {
    let sizings: Vec<Sizing> = chosen
        .chosen
        .iter()
        .map(|(name, &size)| Sizing {
            name: name.clone(),
            low: size,
            high: size,
            span: Span::default(),
        })
        .collect();
    sizes::validate(&sizings, &[song]).map_err(|problem| problem.message)?;
    Ok(sizings)
}

/// Every instance that the sizes leave open.
fn instances(song: &Arc<Song>, chosen: &Sizes) -> Result<Vec<Instance>, String> {
    let table = sizes::table(song, None, &sizings(song, chosen)?);
    let mut all = Vec::new();
    for sizes in sizes::ascending(&table) {
        let found = Instance::all(song.clone(), &sizes, &Bounds::default());
        all.extend(found.map_err(|error| error.message)?);
    }
    Ok(all)
}

fn finished(completeness: &Completeness) -> Result<(), String> {
    match completeness {
        Completeness::Complete => Ok(()),
        other => Err(format!("not everything was seen: {other:?}")),
    }
}

/// Nobody looks on.
struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}
