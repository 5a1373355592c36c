//! Is it shown that those who decide a condition part by part agree? Without that, processes that keep their own
//! part of a condition could wait for each other, so `plainsong project` proves it first.
//!
//! What the choreography itself ensures is looked at when it has come to its end: nothing before relies on it (what
//! its parts ensure is relied on by it). So where no more than that is open, the same choreography without its
//! `ensures` is asked about; if that is proved, its endpoints agree and it is projected, with a warning.

use crate::arguments::DetailArguments;
use crate::progress::ProgressLine;
use crate::session::Session;
use plainsong_driver::engine::ProofOptions;
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Results, Supervision, run};
use plainsong_driver::select::{Selection, questions};
use plainsong_driver::{Exit, LoadedSong, Problem, engines, projection};
use plainsong_ir::Song;
use plainsong_report::{Answer, counterexample, file_lines};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::Check;
use plainsong_semantics::trace::{Ending, Failure};
use plainsong_semantics::verdict::Outcome;
use plainsong_smt::Caching;
use std::sync::Arc;
use std::time::Duration;

/// Proves what the projection of a choreography rests on; says so, or says what is wrong.
pub(crate) fn agreed(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    quiet: bool,
    caching: &Caching,
    session: &mut Session,
) -> Result<(), Exit> {
    let mut answers = answers_about((loaded, song), line, quiet, caching, session)?;
    if all_proved(&answers) {
        return Ok(());
    }
    let is_refuted = answers.iter().any(|one| one.verdict.trace.is_some());
    if !is_refuted && !song.lines[line].ensures.is_empty() {
        let mut agreement = Song::clone(song);
        agreement.lines[line].ensures.clear();
        let agreement = (loaded, &Arc::new(agreement));
        let rest = answers_about(agreement, line, quiet, caching, session)?;
        if all_proved(&rest) {
            warn_of_open_contract((loaded, song), line, &answers, session);
            return Ok(());
        }
        answers = rest;
    }
    let name = &loaded.source.name;
    session.console.result(&file_lines(name, &answers, None));
    for answer in answers.iter().filter(|one| one.verdict.trace.is_some()) {
        let shown = counterexample(loaded.source.text(), answer);
        session.console.result(&format!("\n{shown}\n"));
    }
    let line = &song.lines[line].name;
    let failures = || answers.iter().filter_map(failure);
    let disagreement = failures().find(|one| projection::is_for_several_to_decide(song, one.span));
    let refuted = disagreement.or_else(|| failures().next());
    let message = match refuted {
        Some(failure) if disagreement.is_some() => format!(
            "`{line}` is not projected: its endpoints do not always agree: {}",
            failure.message
        ),
        Some(failure) => format!(
            "`{line}` is not projected: that its endpoints always agree is proved together with its contract, \
             and that is refuted here: {}",
            failure.message
        ),
        None => format!(
            "`{line}` is not projected: that its endpoints always agree where each decides for itself is not \
             proved{}",
            what_is_open(&answers)
        ),
    };
    let help =
        "with `--decide` one endpoint decides and tells the others, and nothing has to be proved";
    let mut problem = Problem::new(message).help(help).in_file(name);
    problem.span = refuted.map(|failure| failure.span);
    session.console.problem(&problem, Some(&loaded.source));
    let outcomes = answers
        .iter()
        .map(|one| Exit::of(one.verdict.outcome, true));
    Err(outcomes.fold(Exit::Unknown, Exit::and))
}

fn all_proved(answers: &[Answer]) -> bool {
    let mut verdicts = answers.iter().map(|answer| &answer.verdict);
    verdicts.all(|verdict| verdict.outcome == Outcome::Proved && !verdict.is_conditional())
}

/// Says that only what it ensures at the end is open.
fn warn_of_open_contract(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    answers: &[Answer],
    session: &mut Session,
) {
    let line = &song.lines[line].name;
    session.console.remark(&format!(
        "\u{1b}[1;33mwarning\u{1b}[0m: {}: the endpoints of `{line}` always agree, but what it ensures is not proved{}\n  \
         = help: `plainsong prove` says more\n",
        loaded.source.name,
        what_is_open(answers)
    ));
}

/// `: 1 of 5 obligations open: …`, or nothing where there is only a run to tell of.
fn what_is_open(answers: &[Answer]) -> String {
    let open = answers
        .iter()
        .filter(|one| one.verdict.outcome == Outcome::Unknown);
    let reasons: Vec<&str> = open.map(|one| one.verdict.reason.as_str()).collect();
    match reasons.is_empty() {
        true => String::new(),
        false => format!(": {}", reasons.join("; ")),
    }
}

/// How the run that refutes it fails.
fn failure(answer: &Answer) -> Option<&Failure> {
    match &answer.verdict.trace.as_ref()?.ending {
        Ending::Failed(failure) => Some(failure),
        _ => None,
    }
}

/// Says that `prove` refutes a choreography about which nothing has to be proved to project it. What is not refuted within
/// [`LOOK`] is projected without a word: whoever wants a proof asks for it.
pub(crate) fn warn_if_refuted(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    caching: &Caching,
    session: &mut Session,
) {
    let Ok(results) = ask((loaded, song), line, (true, Some(LOOK)), caching, session) else {
        return;
    };
    let Some(failure) = results.answers.iter().find_map(failure) else {
        return;
    };
    let name = &song.lines[line].name;
    session.console.remark(&format!(
        "\u{1b}[1;33mwarning\u{1b}[0m: {}: `{name}` is projected, and it is refuted: {}\n  \
         = help: `plainsong prove` shows a run in which that happens\n",
        loaded.source.name, failure.message
    ));
}

/// How long is looked for a refutation that nobody has asked for.
const LOOK: Duration = Duration::from_secs(3);

fn answers_about(
    of: (&LoadedSong, &Arc<Song>),
    line: usize,
    quiet: bool,
    caching: &Caching,
    session: &mut Session,
) -> Result<Vec<Answer>, Exit> {
    let source = &of.0.source;
    let results = ask(of, line, (quiet, None), caching, session);
    let results = results.map_err(|problem| session.reject(&problem.in_file(&source.name)))?;
    if let Some(crash) = results.crashes.first() {
        return Err(session.bug(Some(source), crash));
    }
    if let Some(problem) = results.problems.first() {
        return Err(session.reject(problem));
    }
    Ok(results.answers)
}

fn ask(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    (quiet, timeout): (bool, Option<Duration>),
    caching: &Caching,
    session: &mut Session,
) -> Result<Results, Problem> {
    let asked = questions(song).into_iter().filter(|question| {
        let checks = matches!(question.check, Check::Contract | Check::Assertions);
        question.subject == Subject::Line(line) && checks
    });
    let request = Request {
        selection: Selection {
            names: asked.map(|question| question.name).collect(),
            pattern: None,
        },
        engine: Some("prove"),
        proof: ProofOptions {
            host: super::serve::host(),
            caching: caching.clone(),
            ..ProofOptions::default()
        },
        ..Request::default()
    };
    session.interrupt_gently();
    let plan = plan(song, &request, engines::ALL)?;
    let verbose = false;
    let mut progress = ProgressLine::new(DetailArguments { quiet, verbose }, false);
    let interrupt = session.interrupt.clone();
    let mut supervision = Supervision {
        interrupt: &interrupt,
        observer: &mut progress,
        timeout,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let results = run(&plan, &loaded.source, song, &mut supervision);
    progress.clear();
    Ok(results)
}
