//! What there is to say about an execution that refutes something: made as small as it can be, with
//! what decided it. The same for every engine, because it needs only the trace.

use crate::contain::{Crash, contained};
use crate::failing_share::share;
use crate::plan::Request;
use crate::save::header;
use crate::shrink::shrink;
use crate::watch::Interrupt;
use crate::without_faults::faultless;
use crate::{LoadedSong, replay};
use plainsong_diagnostics::{Span, line_and_column};
use plainsong_ir::Song;
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Account, Answer};
use plainsong_semantics::event_sentences::words;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::property_values::{Truths, truths};
use plainsong_semantics::race::{Race, race};
use plainsong_semantics::search::reason_against;
use plainsong_semantics::trace::{Change, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Makes the refuting execution of an answer smaller and says what decided it; nothing to do when
/// there is none. A bug of ours here costs only the account.
pub fn account(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    interrupt: &Interrupt,
    answer: &mut Answer,
) -> Result<(), Crash> {
    let Some(trace) = answer.verdict.trace.clone() else {
        return Ok(());
    };
    let header = header(&loaded.source, request, answer);
    let Ok(machine) = replay::machine(song, &header) else {
        return Ok(());
    };
    let told = contained(|| {
        let smaller = shrink(song, request, answer, &machine, &trace, interrupt);
        let machine = smaller.machine.as_ref().unwrap_or(&machine);
        let race = race(machine, &smaller.trace);
        let start = chosen_at_the_start(machine, &smaller.trace);
        let share = share(machine, &answer.verdict.property, interrupt);
        (
            smaller.trace,
            Account {
                bound: smaller.bound,
                shrunk: smaller.shrunk,
                share,
                race,
                start,
                faults: None,
                place: None,
                flow: Vec::new(),
            },
        )
    })?;
    let (trace, mut account) = told;
    answer.verdict.reason = reason_against(&trace);
    let place = |span: Span| {
        let at = line_and_column(&loaded.source.text, span.start);
        (at.line, at.column)
    };
    account.place = plainsong_report::place(&trace).map(place);
    let events = trace.events.iter();
    account.flow = events
        .map(|event| {
            let (line, column) = place(event.span);
            (line, column, words(&trace.lanes, event))
        })
        .collect();
    answer.verdict.trace = Some(trace);
    answer.account = Some(Box::new(account));
    without_faults(loaded, song, request, interrupt, answer)
}

/// The first values of an execution that are others in other executions. Of a choreography all of them are told
/// anyway.
fn chosen_at_the_start(machine: &Machine, trace: &Trace) -> Vec<String> {
    const MOST_STARTS: usize = 10_000;
    if machine.subject() != Subject::System {
        return Vec::new();
    }
    let starts = machine.initial().into_iter().take(MOST_STARTS);
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for start in starts {
        if let Outcome::Next(config) = start {
            for Change {
                variable, after, ..
            } in machine.start(&config)
            {
                values.entry(variable).or_default().insert(after);
            }
        }
    }
    let is_chosen = |change: &&Change| {
        values
            .get(&change.variable)
            .is_some_and(|all| all.len() > 1)
    };
    let chosen = trace.start.iter().filter(is_chosen);
    chosen
        .map(|change| format!("{} = {}", change.variable, change.after))
        .collect()
}

/// Says what would be without the faults of the execution, and no more of races than faults leave to say.
fn without_faults(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    interrupt: &Interrupt,
    answer: &mut Answer,
) -> Result<(), Crash> {
    let header = header(&loaded.source, request, answer);
    let (Some(trace), Some(account)) = (&answer.verdict.trace, &mut answer.account) else {
        return Ok(());
    };
    account.faults = contained(|| faultless(song, &header, trace, interrupt))?;
    // That it could still have ended well says nothing then: without the fault it does.
    if account.faults.is_some() {
        account.race = account.race.take().filter(|race| race.certain);
    }
    Ok(())
}

/// What more can be told about a saved execution when its song is at hand.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// What the properties are worth along it.
    pub truths: Vec<Truths>,
    /// What decided it.
    pub race: Option<Race>,
    /// What the properties are worth along the alternative.
    pub other_truths: Vec<Truths>,
    /// First values that are others in other executions.
    pub start: Vec<String>,
}

/// Tells more about a saved execution that the song still follows.
pub fn background(song: &Arc<Song>, saved: &SavedTrace) -> Background {
    let Ok(machine) = replay::machine(song, &saved.header) else {
        return Background::default();
    };
    contained(|| told(&machine, &saved.trace)).unwrap_or_default()
}

fn told(machine: &Machine, trace: &Trace) -> Background {
    let race = race(machine, trace);
    let other_truths = race
        .as_ref()
        .map_or_else(Vec::new, |race| truths(machine, &race.alternative));
    Background {
        truths: truths(machine, trace),
        race,
        other_truths,
        start: chosen_at_the_start(machine, trace),
    }
}
