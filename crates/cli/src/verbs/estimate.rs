//! `plainsong estimate`: how many executions there are, before they are visited.

use super::request::{request, start, validate};
use crate::arguments::EstimateArguments;
use crate::session::Session;
use plainsong_driver::estimate::{Walks, forecasts};
use plainsong_driver::watch::{Observer, Unobserved};
use plainsong_driver::worker::{Control, Ended, within};
use plainsong_driver::{Exit, Problem, memory};
use plainsong_report::forecast_lines;
use plainsong_report::stream::{Record, Summary};
use std::time::Instant;

/// Says how much work the file is.
pub(crate) fn estimate(arguments: &EstimateArguments, session: &mut Session) -> Exit {
    session.console.json = arguments.json;
    session.interrupt_gently();
    if arguments.json {
        let file = std::slice::from_ref(&arguments.file);
        session.console.record(&start("estimate", file));
    }
    let exit = forecast(arguments, session).unwrap_or_else(|exit| exit);
    if arguments.json {
        session.console.record(&Record::Summary(Summary {
            verdicts: Vec::new(),
            resume: None,
            exit: exit.code(),
        }));
    }
    exit
}

fn forecast(arguments: &EstimateArguments, session: &mut Session) -> Result<Exit, Exit> {
    let began = Instant::now();
    let (loaded, song) = session.song(&arguments.file)?;
    let request = request(&arguments.instance);
    if request.every_delivery {
        let problem = Problem::new("`estimate` counts under one delivery model")
            .help("`--delivery all` is for `check` and `explore`");
        return Err(session.reject(&problem));
    }
    validate(&request, &[&song]).map_err(|problem| session.reject(&problem))?;
    let walks = Walks {
        most: arguments.walks,
        seed: arguments.seed,
    };
    let interrupt = session.interrupt.clone();
    let work = {
        let (loaded, interrupt) = (loaded.clone(), interrupt.clone());
        move |_: &mut dyn Observer| forecasts(&loaded, &song, &request, walks, &interrupt)
    };
    let allowance = arguments.limits.allowance();
    let deadline = allowance.time.and_then(|time| began.checked_add(time));
    let control = Control::new(&interrupt, deadline, allowance.memory.map(memory::at_most));
    let found = match within(&control, &mut Unobserved, work) {
        Ended::Done(Ok(found)) => found,
        Ended::Done(Err(crash)) => return Err(session.bug(Some(&loaded.source), &crash)),
        Ended::LeftBehind(stop, _) => {
            let why = allowance.sentence(stop);
            let problem = Problem::new(format!("`estimate` did not come to its end: {why}"));
            session.console.problem(&problem, Some(&loaded.source));
            return Ok(Exit::Unknown);
        }
    };
    let found = found.map_err(|problem| {
        session.console.problem(&problem, Some(&loaded.source));
        Exit::Rejected
    })?;
    for one in found {
        match arguments.json {
            true => session.console.record(&Record::Estimate(one)),
            false => session.console.result(&forecast_lines(&one)),
        }
    }
    Ok(match interrupt.is_set() {
        true => Exit::Unknown,
        false => Exit::Fine,
    })
}
