//! `plainsong sim`: one random execution, now.

use super::request::{request, start, validate};
use crate::arguments::SimArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::plan::Request;
use plainsong_driver::save::{Saver, saved_execution};
use plainsong_driver::simulation::{Execution, NoExecution, simulation};
use plainsong_driver::{Exit, LoadedSong, Problem};
use plainsong_report::stream::{self, Record, Summary};
use std::time::{SystemTime, UNIX_EPOCH};

/// Executes the song once.
pub(crate) fn sim(arguments: &SimArguments, session: &mut Session) -> Exit {
    session.console.json = arguments.json;
    if arguments.json {
        session
            .console
            .record(&start("sim", std::slice::from_ref(&arguments.file)));
    }
    let limited = Limited::begin(&arguments.limits, "sim", arguments.json);
    let exit = execute(arguments, &limited, session).unwrap_or_else(|exit| exit);
    if arguments.json {
        let summary = Summary {
            resume: None,
            verdicts: Vec::new(),
            exit: exit.code(),
        };
        session.console.record(&Record::Summary(summary));
    }
    exit
}

fn execute(
    arguments: &SimArguments,
    limited: &Limited,
    session: &mut Session,
) -> Result<Exit, Exit> {
    let (loaded, song) = session.song(&arguments.file)?;
    let request = request(&arguments.instance);
    if request.every_delivery {
        let problem = Problem::new("`sim` runs one execution, so under one delivery model")
            .help("`--delivery all` is for `check` and `explore`");
        return Err(session.reject(&problem));
    }
    validate(&request, &[&song]).map_err(|problem| session.reject(&problem))?;
    let seed = arguments.seed.unwrap_or_else(by_chance);
    let executions = simulation(&loaded, &song, &request, seed, arguments.steps);
    let executions = executions.map_err(|error| match error {
        NoExecution::Problem(problem) => {
            session.console.problem(&problem, Some(&loaded.source));
            Exit::Rejected
        }
        NoExecution::Bug(crash) => session.bug(Some(&loaded.source), &crash),
    })?;
    limited.lift();
    let mut exit = Exit::Fine;
    let mut saver = arguments.out.clone().map(Saver::new);
    for execution in &executions {
        show(arguments, session, &loaded, execution, seed);
        if let Some(saver) = &mut saver {
            save(saver, session, &loaded, &request, execution, seed)?;
        }
        exit = exit.and(Exit::of_ending(&execution.trace.ending));
    }
    Ok(exit)
}

fn show(
    arguments: &SimArguments,
    session: &mut Session,
    loaded: &LoadedSong,
    execution: &Execution,
    seed: u64,
) {
    let source = loaded.source.text();
    let Execution { line, bound, trace } = execution;
    if arguments.json {
        let record = stream::execution(source, line.as_deref(), seed, bound, trace);
        session.console.record(&record);
        return;
    }
    let mut heading = source.name.to_owned();
    heading.extend(line.iter().map(|line| format!("  {line}")));
    heading.extend(
        bound
            .iter()
            .map(|(name, value)| format!("  {name}={value}")),
    );
    let text = plainsong_report::execution(source, trace, &[]);
    session
        .console
        .result(&format!("{heading}  seed {seed}\n\n{text}"));
    if arguments.seed.is_none() {
        session.console.result(&format!("  again: --seed {seed}\n"));
    }
}

fn save(
    saver: &mut Saver,
    session: &mut Session,
    loaded: &LoadedSong,
    request: &Request,
    execution: &Execution,
    seed: u64,
) -> Result<(), Exit> {
    let saved = saved_execution(loaded, request, execution, seed);
    let title = plainsong_report::reason(loaded.source.text(), &execution.trace);
    let name = execution.line.as_deref().unwrap_or("sim");
    let path = saver
        .execution(&loaded.source, name, &title, &saved)
        .map_err(|problem| session.reject(&problem))?;
    if !session.console.json {
        let path = path.display();
        session.console.result(&format!("  saved: {path}\n"));
    }
    Ok(())
}

/// Small enough to be typed again.
fn by_chance() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}
