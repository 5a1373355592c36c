//! A worker of songs: pieces of runs of `sim` and `explore`.

use super::question::Question;
use crate::arguments::{Arguments, CheckArguments, Verb};
use crate::verbs::{asked_of_sim, request};
use clap::Parser as _;
use plainsong_driver::contain::contained;
use plainsong_driver::pieces::{self, ExecutionsWorker, RandomWorker};
use plainsong_driver::plan::Request;
use plainsong_driver::random_check::Supervision;
use plainsong_driver::select::Selection;
use plainsong_driver::simulation::NoExecution;
use plainsong_driver::watch::{Allowance, Interrupt, Unobserved};
use plainsong_driver::{Problem, Source, song};
use plainsong_swarm::{Done, Pause, RunRecord, Wish, Work};
use std::collections::BTreeMap;

/// So many runs are kept ready.
const KEPT: usize = 8;

/// Carries out pieces of songs.
#[derive(Default)]
pub(crate) struct SongWork {
    ready: BTreeMap<String, Ready>,
}

/// Of a run whose song was read.
enum Ready {
    Random(Box<RandomWorker>),
    Executions(Box<ExecutionsWorker>),
}

impl Work for SongWork {
    fn carry_out(&mut self, run: &RunRecord, body: &str, pause: &Pause) -> Result<Done, String> {
        if self.ready.len() >= KEPT && !self.ready.contains_key(&run.id) {
            self.ready.clear();
        }
        let done = contained(|| {
            if !self.ready.contains_key(&run.id) {
                self.ready.insert(run.id.clone(), ready(&run.asked.body)?);
            }
            let ready = self.ready.get_mut(&run.id).ok_or("the run is not ready")?;
            ready.carry_out(body, pause)
        });
        let done = done.unwrap_or_else(|crash| {
            self.ready.remove(&run.id);
            Err(format!("this is a bug of plainsong: {}", crash.message))
        })?;
        Ok(Done {
            result: done.result,
            children: done.children,
        })
    }
}

impl Ready {
    fn carry_out(&mut self, body: &str, pause: &Pause) -> Result<pieces::Done, String> {
        let mut wish = || match pause.wish() {
            Wish::GoOn => pieces::Wish::GoOn,
            Wish::Save => pieces::Wish::Save,
            Wish::Share => pieces::Wish::Share,
            Wish::Cancel => pieces::Wish::Cancel,
        };
        match self {
            Ready::Random(worker) => worker.carry_out(body, &mut wish),
            Ready::Executions(worker) => worker.carry_out(body, &mut wish),
        }
    }
}

/// Reads the song of a run, and the arguments.
fn ready(body: &str) -> Result<Ready, String> {
    let question = Question::read(body).ok_or("a run whose question cannot be read")?;
    let arguments = Arguments::try_parse_from(&question.arguments).map_err(|error| {
        format!("a run with arguments that this command does not have: {error}")
    })?;
    let source = Source {
        name: question.file.clone(),
        text: question.song.clone(),
        path: None,
    };
    let loaded = song::compile(source).map_err(|(_, crash)| crash.message)?;
    let song = loaded.song.clone().ok_or("a run of a song with mistakes")?;
    match &arguments.verb {
        Verb::Sim(sim) => {
            let supervision = Supervision {
                interrupt: &Interrupt::default(),
                observer: &mut Unobserved,
                allowance: Allowance::default(),
                queue: None,
            };
            let asked = asked_of_sim(sim, Some(question.seed));
            let worker =
                RandomWorker::new(&loaded, &song, &request(&sim.instance), asked, &supervision);
            let worker = worker.map_err(|why| match why {
                NoExecution::Problem(problem) => problem.message,
                NoExecution::Bug(crash) => crash.message,
            })?;
            Ok(Ready::Random(Box::new(worker)))
        }
        Verb::Explore(explore) => {
            let request = request_of_explore(&explore.check).map_err(|problem| problem.message)?;
            let worker = ExecutionsWorker::new(&song, &request);
            let worker = worker.map_err(|problem| problem.message)?;
            Ok(Ready::Executions(Box::new(worker)))
        }
        _ => Err("a run of a verb that is not done in pieces".to_owned()),
    }
}

/// What `explore` plans by, as far as it makes a difference to which instances there are.
fn request_of_explore(arguments: &CheckArguments) -> Result<Request, Problem> {
    let selection = Selection::new(arguments.property.clone(), arguments.pattern.as_deref())?;
    Ok(Request {
        selection,
        engine: Some("explore"),
        look_further: true,
        ..request(&arguments.instance)
    })
}
