//! Stepping: an execution that the reader makes, event by event, as the page shows it.
//!
//! The client keeps the path, and each question carries it whole, so nothing is kept here, and going back or trying
//! another branch is asking with another path. A question may begin with the execution that refutes a property.

use crate::verdicts::Told;
use plainsong_diagnostics::Span;
use plainsong_driver::plan::Request;
use plainsong_driver::save::{TOOL, refuting_execution};
use plainsong_driver::{Source, replay, simulation, song};
use plainsong_ir::Sizing;
use plainsong_report::trace_file::{Header, SavedTrace, hash};
use plainsong_report::{Page, Steps, difference, stepping_book, stepping_html};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::property_values::{Truths, truths};
use plainsong_semantics::stepping::Stepping;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The request's method.
pub const METHOD: &str = "plainsong/step";
/// More steps than anybody takes by hand.
const MOST_STEPS: usize = 5_000;

/// What is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepParams {
    /// Of which document.
    pub text_document: lsp_types::TextDocumentIdentifier,
    /// The numbers of the steps that were taken; with `refuting` and no path, all of that execution.
    #[serde(default)]
    pub path: Option<Vec<usize>>,
    /// Begin where the execution begins that refutes this property, and compare with it.
    #[serde(default)]
    pub refuting: Option<String>,
    /// Sizes of sorts and values of parameters.
    #[serde(default)]
    pub sizes: BTreeMap<String, i64>,
    /// Which of several starts.
    #[serde(default)]
    pub seed: u64,
    /// Is the page wanted, or only what it is told?
    #[serde(default)]
    pub html: bool,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Stepped {
    /// The path, as far as it went.
    pub path: Vec<usize>,
    /// What the page is told.
    pub book: Value,
    /// The page itself, where it was asked for.
    pub html: Option<String>,
}

/// Takes the steps; a sentence where that cannot be.
pub fn stepped(
    params: &StepParams,
    source: &Source,
    told: Option<&Told>,
) -> Result<Stepped, String> {
    let loaded = song::compile(source.clone());
    let loaded = loaded.map_err(|(_, crash)| format!("a bug of plainsong: {}", crash.message))?;
    let song = loaded.song.clone().ok_or("the song has mistakes")?;
    let mut request = Request::default();
    let sizes = params.sizes.iter();
    request.sizes = sizes
        .map(|(name, &size)| Sizing {
            name: name.clone(),
            low: size,
            high: size,
            span: Span::default(),
        })
        .collect();
    let refuting = match &params.refuting {
        None => None,
        Some(_) if told.is_some_and(|told| told.of != hash(&source.text)) => {
            return Err("the text has changed since; check it again".to_owned());
        }
        Some(property) => {
            let saved = told.and_then(|told| refuting_execution(source, &request, &told.answer));
            let unknown = || format!("no execution that refutes `{property}` is known");
            Some(saved.ok_or_else(unknown)?)
        }
    };
    let machine = match &refuting {
        Some(saved) => replay::machine(&song, &saved.header).map_err(|problem| problem.message)?,
        None => {
            let machines = simulation::machines(&loaded, &song, &request, params.seed);
            let mut machines = machines.map_err(said)?;
            machines.swap_remove(0)
        }
    };
    let stepping = walk(&machine, params, refuting.as_ref())?;
    Ok(answer(params, source, &machine, &stepping, refuting))
}

fn said(why: simulation::NoExecution) -> String {
    match why {
        simulation::NoExecution::Problem(problem) => problem.message,
        simulation::NoExecution::Bug(crash) => format!("a bug of plainsong: {}", crash.message),
    }
}

/// Along the path, from the start that is meant.
fn walk<'m>(
    machine: &'m Machine,
    params: &StepParams,
    refuting: Option<&SavedTrace>,
) -> Result<Stepping<'m>, String> {
    let Some(path) = &params.path else {
        let along = match refuting {
            Some(saved) => Stepping::along(machine, &saved.trace),
            None => Stepping::begin(machine, params.seed),
        };
        return along.ok_or_else(|| "no execution starts well".to_owned());
    };
    let start = match refuting {
        Some(saved) => {
            let mut start = saved.trace.clone();
            start.events.clear();
            Stepping::along(machine, &start)
        }
        None => Stepping::begin(machine, params.seed),
    };
    let mut stepping = start.ok_or("no execution starts well")?;
    for step in path.iter().take(MOST_STEPS) {
        if !stepping.take(*step) {
            return Err(format!(
                "step {} is not possible after {} steps",
                step,
                stepping.steps()
            ));
        }
    }
    Ok(stepping)
}

fn answer(
    params: &StepParams,
    source: &Source,
    machine: &Machine,
    stepping: &Stepping<'_>,
    refuting: Option<SavedTrace>,
) -> Stepped {
    let trace = stepping.trace();
    let header = match &refuting {
        Some(saved) => saved.header.clone(),
        None => header(source, machine),
    };
    let worth = truths(machine, &trace);
    let saved = SavedTrace { header, trace };
    let page = page(&saved, source, &worth);
    let theirs = refuting.as_ref().map(|saved| truths(machine, &saved.trace));
    let theirs = theirs.unwrap_or_default();
    let name = "the failing execution";
    let beside = refuting.as_ref().map(|other| {
        let text = source.text();
        let parted = difference(
            (text, "your steps", &saved.trace),
            (text, name, &other.trace),
        );
        (self::page(other, source, &theirs), parted)
    });
    let choices: Vec<_> = (0..=stepping.steps())
        .map(|steps| stepping.choices_after(steps))
        .collect();
    let steps = Steps {
        page: &page,
        choices: &choices,
        beside: beside.as_ref().map(|(page, parted)| (name, page, parted)),
    };
    Stepped {
        path: stepping.path().to_vec(),
        book: stepping_book(&steps),
        html: params.html.then(|| stepping_html(&steps)),
    }
}

fn page<'a>(saved: &'a SavedTrace, source: &'a Source, truths: &'a [Truths]) -> Page<'a> {
    Page {
        saved,
        source: Some(source.text()),
        truths,
        race: None,
        other_truths: &[],
        note: None,
    }
}

/// What is said of an execution that refutes nothing: its sizes.
fn header(source: &Source, machine: &Machine) -> Header {
    let mut header = Header {
        tool: TOOL.to_owned(),
        file: source.name.clone(),
        hash: hash(&source.text),
        ..Header::default()
    };
    for (name, value) in machine.instance().bound() {
        match value.parse() {
            Ok(size) => drop(header.sizes.insert(name, size)),
            Err(_) => drop(header.limits.insert(name, value)),
        }
    }
    header
}
