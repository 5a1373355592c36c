//! What would be without faults.
//!
//! Where a crash or a lost message is part of an execution that refutes something, the order of messages is
//! often not to blame. The same question is therefore asked of the same instance of the song without its
//! declared faults, for a limited number of executions, or of states where executions do not answer it. Only
//! when all of them were seen and nothing is wrong is something said: then the faults are needed.

use crate::replay::instance;
use crate::select::{Question, questions};
use crate::watch::Interrupt;
use plainsong_explore_songs::{Finding, Manner, explore};
use plainsong_ir::{Song, System};
use plainsong_report::trace_file::Header;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::{Completeness, Limits, Progress, Query, Watch, search};
use plainsong_semantics::trace::{Event, EventKind, Trace};
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;

/// Executions that are looked at for one sentence.
const MOST_EXECUTIONS: u64 = 1_000_000;

/// States that are looked at where executions do not answer.
const MOST_STATES: u64 = 50_000;

/// `node[2] crashes; without faults, one_leader holds`, where that is known.
pub(crate) fn faultless(
    song: &Arc<Song>,
    header: &Header,
    trace: &Trace,
    interrupt: &Interrupt,
) -> Option<String> {
    let happened: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| words(trace, event))
        .collect();
    if happened.is_empty() {
        return None;
    }
    let name = header.property.as_ref()?;
    let question = questions(song).into_iter().find(|one| one.name == *name)?;
    let safe = instance(&without_faults(song), header).ok()?;
    let holds = holds_in_executions(&safe, &question, interrupt)
        .unwrap_or_else(|| holds_in_states(&safe, &question, interrupt));
    if !holds {
        return None;
    }
    let well = match name.as_str() {
        "assertions" => "nothing fails".to_owned(),
        "no_deadlock" => "there is no deadlock".to_owned(),
        name => format!("{name} holds"),
    };
    Some(format!("{}; without faults, {well}", happened.join(", ")))
}

/// Was every execution seen, and does it hold in all? Nothing if there were too many, or this is not how
/// the question is answered.
fn holds_in_executions(
    safe: &Instance,
    question: &Question,
    interrupt: &Interrupt,
) -> Option<bool> {
    let machine = Machine::new(safe, question.subject);
    let manner = Manner {
        limits: Limits {
            states: MOST_EXECUTIONS,
            ..Limits::default()
        },
        ..Manner::default()
    };
    let found = explore(&machine, &[question.check], &manner, &mut Until(interrupt)).ok()?;
    match found.findings[..] {
        [Finding::Refuted(_)] => Some(false),
        [Finding::NotRefuted] if found.count.completeness == Completeness::Complete => Some(true),
        _ => None,
    }
}

/// The same of the states.
fn holds_in_states(safe: &Instance, question: &Question, interrupt: &Interrupt) -> bool {
    let query = Query {
        subject: question.subject,
        checks: vec![question.check],
    };
    let limits = Limits {
        states: MOST_STATES,
        ..Limits::default()
    };
    let report = search(safe, &query, &limits, &mut Until(interrupt));
    let verdicts = report.verdicts(&safe.bound());
    let holds = verdicts.iter().all(|one| one.outcome == Outcome::Holds);
    report.completeness == Completeness::Complete && holds
}

/// The song without its declared faults.
pub(crate) fn without_faults(song: &Song) -> Arc<Song> {
    let mut song = song.clone();
    if let System::Voices(voices) = &mut song.system {
        voices.faults.clear();
    }
    Arc::new(song)
}

/// A fault in words; nothing for what is none.
fn words(trace: &Trace, event: &Event) -> Option<String> {
    let lane = event.lane.and_then(|lane| trace.lanes.get(lane));
    let who = lane.map_or("init", String::as_str);
    let message = &event.label;
    Some(match event.kind {
        EventKind::Crash => format!("{who} crashes"),
        EventKind::Restart => format!("{who} restarts"),
        EventKind::Lose => format!("{message} to {who} is lost"),
        EventKind::Duplicate => format!("{message} from {who} comes twice"),
        _ => return None,
    })
}

/// Goes on until somebody presses Ctrl-C.
pub(crate) struct Until<'a>(pub(crate) &'a Interrupt);

impl Watch for Until<'_> {
    fn keep_going(&mut self, _: &Progress) -> bool {
        !self.0.is_set()
    }
}
