//! Is it shown that those who decide a condition part by part agree? Without that, processes that keep their own
//! part of a condition could wait for each other, so `plainsong project` proves it first.

use crate::arguments::DetailArguments;
use crate::progress::ProgressLine;
use crate::session::Session;
use plainsong_driver::engine::ProofOptions;
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::select::{Selection, questions};
use plainsong_driver::{Exit, LoadedSong, Problem, engines, projection};
use plainsong_ir::Song;
use plainsong_report::{Answer, counterexample, file_lines};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::Check;
use plainsong_semantics::trace::{Ending, Failure};
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;

/// Proves what the projection of a choreography rests on; says so, or says what is wrong.
pub(crate) fn agreed(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    quiet: bool,
    session: &mut Session,
) -> Result<(), Exit> {
    if !projection::has_to_agree(song, line) {
        return Ok(());
    }
    let answers = answers((loaded, song), line, quiet, session)?;
    let proved = |answer: &Answer| answer.verdict.outcome == Outcome::Proved;
    if answers.iter().all(proved) {
        return Ok(());
    }
    let name = &loaded.source.name;
    session.console.result(&file_lines(name, &answers, None));
    for answer in answers.iter().filter(|one| one.verdict.trace.is_some()) {
        let shown = counterexample(loaded.source.text(), answer);
        session.console.result(&format!("\n{shown}\n"));
    }
    let line = &song.lines[line].name;
    let refuted = answers
        .iter()
        .find_map(|answer| broken_promise(song, answer));
    let message = match refuted {
        Some(failure) => format!(
            "`{line}` is not projected: that its endpoints always agree is proved together with its contract, \
             and that is refuted here: {}",
            failure.message
        ),
        None => format!(
            "`{line}` is not projected: that its endpoints always agree where each decides for itself is not proved"
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

/// What is refuted, if that is no disagreement of endpoints.
fn broken_promise<'a>(song: &Song, answer: &'a Answer) -> Option<&'a Failure> {
    match &answer.verdict.trace.as_ref()?.ending {
        Ending::Failed(failure) => {
            let is_disagreement = projection::is_for_several_to_decide(song, failure.span);
            (!is_disagreement).then_some(failure)
        }
        _ => None,
    }
}

fn answers(
    (loaded, song): (&LoadedSong, &Arc<Song>),
    line: usize,
    quiet: bool,
    session: &mut Session,
) -> Result<Vec<Answer>, Exit> {
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
            ..ProofOptions::default()
        },
        ..Request::default()
    };
    session.interrupt_gently();
    let plan = plan(song, &request, engines::ALL);
    let plan = plan.map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let verbose = false;
    let mut progress = ProgressLine::new(DetailArguments { quiet, verbose }, false);
    let interrupt = session.interrupt.clone();
    let mut supervision = Supervision {
        interrupt: &interrupt,
        observer: &mut progress,
        timeout: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let results = run(&plan, &loaded.source, song, &mut supervision);
    progress.clear();
    if let Some(crash) = results.crashes.first() {
        return Err(session.bug(Some(&loaded.source), crash));
    }
    if let Some(problem) = results.problems.first() {
        return Err(session.reject(problem));
    }
    Ok(results.answers)
}
