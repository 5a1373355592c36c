//! One question over many machines: between the driver, which has work in pieces, and the queue that hands them out.

mod question;
mod song_work;

pub(crate) use song_work::SongWork;

use crate::arguments::{DeliveryModel, ExploreArguments, QueueArguments};
use crate::session::Session;
use plainsong_driver::pieces::{self, PieceQueue, Pieces};
use plainsong_driver::{Exit, Problem, Source};
use plainsong_swarm::{Asked, Collector, Connection, Progress, Run, Server, Trouble};
use question::Question;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After how long without a worker it is said how to start one.
const PATIENCE: Duration = Duration::from_secs(3);

/// What went wrong with the server.
pub(crate) fn problem(trouble: Trouble) -> Problem {
    Problem {
        help: trouble.help,
        ..Problem::new(trouble.message)
    }
}

/// Connects to a server.
pub(crate) fn connect(url: &str) -> Result<Arc<Connection>, Problem> {
    let server = Server::from_environment(url).map_err(problem)?;
    Ok(Arc::new(Connection::new(&server).map_err(problem)?))
}

/// A run of this command over many machines.
pub(crate) struct Begun {
    queue: Arc<Queue>,
    /// The seed of the first random execution, where nobody chose one.
    pub(crate) seed: u64,
}

/// Begins a run or joins one, if that is asked for.
pub(crate) fn begin(
    arguments: &QueueArguments,
    source: &Source,
    session: &mut Session,
) -> Result<Option<Begun>, Exit> {
    let Some(url) = &arguments.swarm else {
        return Ok(None);
    };
    let question = Question::new(&session.arguments, source, arguments.run.as_deref());
    let begun = start(url, arguments.run.as_deref(), &question);
    let queue = begun.map_err(|problem| session.reject(&problem))?;
    let said = match queue.run.is_finished() {
        true => "was finished before: its results are read again",
        false => "goes to all workers of the server",
    };
    let name = queue.run.name();
    session.console.remark(&format!("run {name} {said}\n"));
    Ok(Some(Begun {
        queue: Arc::new(queue),
        seed: question.seed,
    }))
}

/// The same for `explore`, which takes several files otherwise.
pub(crate) fn begin_exploring(
    arguments: &ExploreArguments,
    session: &mut Session,
) -> Result<Option<Begun>, Exit> {
    if arguments.queue.swarm.is_none() {
        return Ok(None);
    }
    session.console.json = arguments.check.json;
    let check = &arguments.check;
    let unfit = [
        (check.files.len() != 1, "`--swarm` takes one song"),
        (
            arguments.resuming.resume.is_some(),
            "`--swarm` needs no `--resume`: `--run` goes on with a run by its name",
        ),
        (
            check.grow,
            "`--swarm` takes sizes as they are, without `--grow`",
        ),
        (
            check.symmetry,
            "`--swarm` is for executions, and `--symmetry` visits states",
        ),
        (
            matches!(check.instance.delivery, Some(DeliveryModel::All)),
            "`--swarm` takes one delivery model",
        ),
        (
            check.list,
            "`--list` asks nothing, so there is nothing to share",
        ),
    ];
    if let Some((_, why)) = unfit.iter().find(|(is_unfit, _)| *is_unfit) {
        return Err(session.reject(&Problem::new(*why)));
    }
    let file: &Path = &check.files[0];
    let source = Source::load(file).map_err(|problem| session.reject(&problem))?;
    begin(&arguments.queue, &source, session)
}

fn start(url: &str, name: Option<&str>, question: &Question) -> Result<Queue, Problem> {
    let connection = connect(url)?;
    let asked = Asked {
        build: plainsong_swarm::this_build().map_err(problem)?,
        title: question.title(),
        body: question.text(),
    };
    let name = name.map_or_else(|| question.name(&asked), str::to_owned);
    let run = Run::start_or_join(&connection, &name, &asked).map_err(problem)?;
    Ok(Queue {
        run,
        url: url.to_owned(),
    })
}

impl Begun {
    /// Who has pieces carried out.
    pub(crate) fn queue(&self) -> Arc<dyn PieceQueue> {
        self.queue.clone()
    }

    /// The question is answered, or whoever asked goes away.
    pub(crate) fn end(&self, exit: Exit, session: &mut Session) {
        let run = &self.queue.run;
        let is_open = session.interrupt.is_set() || matches!(exit, Exit::Unknown);
        let ended = match is_open {
            true => run.pause(),
            false => run.finish(),
        };
        if let Err(trouble) = ended {
            session.console.problem(&problem(trouble), None);
        }
        if is_open {
            let name = run.name();
            let remark =
                format!("run {name} is paused: the same command with `--run {name}` goes on\n");
            session.console.remark(&remark);
        }
    }
}

/// The queue of a run, as the driver sees it.
#[derive(Debug)]
struct Queue {
    run: Run,
    url: String,
}

impl PieceQueue for Queue {
    fn ask(
        &self,
        question: &str,
        first: &[String],
        collector: &mut dyn pieces::Collector,
    ) -> Result<bool, Problem> {
        let mut collecting = Collecting {
            collector,
            url: &self.url,
            alone: Some(Instant::now()),
        };
        let asked = self.run.ask(question, first, &mut collecting);
        asked.map_err(problem)
    }
}

/// Who collects, as the queue sees it.
struct Collecting<'c> {
    collector: &'c mut dyn pieces::Collector,
    url: &'c str,
    /// Since when there is no worker, as long as that was not said.
    alone: Option<Instant>,
}

impl Collector for Collecting<'_> {
    fn take(&mut self, body: &str, result: &str) -> Result<(), String> {
        self.collector.take(body, result)
    }

    fn is_needed(&self, body: &str) -> bool {
        self.collector.is_needed(body)
    }

    fn go_on(&mut self, progress: Progress) -> bool {
        if progress.desks > 0 {
            self.alone = None;
        }
        if self.alone.is_some_and(|since| since.elapsed() > PATIENCE) {
            self.alone = None;
            let url = self.url;
            let hint = format!(
                "no worker of this build is there yet: `plainsong worker --swarm {url}` starts one\n"
            );
            // Who cannot read it is not worth stopping for.
            let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), hint.as_bytes());
        }
        self.collector.go_on(Pieces {
            done: progress.done,
            open: progress.open,
            workers: progress.desks,
        })
    }
}
