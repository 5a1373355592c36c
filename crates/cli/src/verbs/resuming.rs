//! Runs that are stopped and go on later: from the arguments of the first run to the last entry.

use super::check::{Manner, check_in};
use crate::arguments::{Arguments, CheckArguments, ResumeArguments, Verb};
use crate::session::Session;
use clap::Parser as _;
use plainsong_driver::effort::Level;
use plainsong_driver::pieces::PieceQueue;
use plainsong_driver::resume::Ledger;
use plainsong_driver::resume::checkpoints::Checkpoints;
use plainsong_driver::resume::file::Stopped;
use plainsong_driver::{Exit, Problem, Source};
use plainsong_report::trace_file::hash;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs `check` or an engine's verb so that it can go on later, or goes on with an earlier run of the same verb.
pub(crate) fn run_or_go_on(
    arguments: &CheckArguments,
    resume: &ResumeArguments,
    manner: Manner,
    session: &mut Session,
) -> Exit {
    let verb = manner.engine.unwrap_or("check");
    let Some(path) = &resume.resume else {
        let resuming = Some(Resuming::new(verb, manner.queue.clone(), session));
        return check_in(arguments, Manner { resuming, ..manner }, session);
    };
    match Resuming::from(path, verb, arguments) {
        Ok((first, level, resuming)) => {
            let manner = Manner {
                resuming: Some(resuming),
                level,
                ..manner
            };
            check_in(&first, manner, session)
        }
        Err(problem) => {
            session.console.json = arguments.json;
            session.reject(&problem)
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// By Ctrl-C?
    pub(crate) interrupted: bool,
    /// With something unknown?
    pub(crate) unknown: bool,
    /// With every song read, and nothing unknown or refuted? Where something is refuted, executions may be left to count.
    pub(crate) fine: bool,
}

/// A run that can go on later, or does.
pub(crate) struct Resuming {
    /// Of which verb.
    verb: &'static str,
    /// The file it goes on from.
    from: Option<PathBuf>,
    stopped: Stopped,
    checkpoints: Option<Arc<Checkpoints>>,
}

impl Resuming {
    /// A first run.
    fn new(verb: &'static str, queue: Option<Arc<dyn PieceQueue>>, session: &Session) -> Self {
        Resuming {
            verb,
            from: None,
            stopped: Stopped {
                arguments: session.arguments.clone(),
                songs: BTreeMap::new(),
                ledger: Ledger::visited_by(queue),
            },
            checkpoints: None,
        }
    }

    /// A run that goes on, with what was asked then. What does not change the answer is as it is said now.
    fn from(
        path: &Path,
        verb: &'static str,
        now: &CheckArguments,
    ) -> Result<(CheckArguments, Level, Self), Problem> {
        let stopped = Stopped::read(path)?;
        let first = Arguments::try_parse_from(&stopped.arguments).ok();
        let (check, level) = match (first.map(|first| first.verb), verb) {
            (Some(Verb::Explore(first)), "explore") => (first.check, Level::default()),
            (Some(Verb::Check(first)), "check") => {
                (first.check, first.effort.unwrap_or_default().into())
            }
            _ => {
                let path = path.display();
                return Err(Problem::new(format!("{path} is not of a run of `{verb}`")));
            }
        };
        let arguments = CheckArguments {
            timeout: now.timeout,
            jobs: now.jobs.or(check.jobs),
            require: now.require.clone(),
            out: now.out.clone(),
            json: now.json,
            junit: now.junit.clone(),
            sarif: now.sarif.clone(),
            page: now.page.clone(),
            detail: now.detail,
            ..check
        };
        let resuming = Resuming {
            verb,
            from: Some(path.to_owned()),
            stopped,
            checkpoints: None,
        };
        Ok((arguments, level, resuming))
    }

    /// What was found; it is written now and then, with the songs that are part of the run by now.
    pub(crate) fn ledger(&mut self, folder: &Path) -> &mut Ledger {
        if self.checkpoints.is_none() {
            let (arguments, songs) = (&self.stopped.arguments, &self.stopped.songs);
            let all = Checkpoints::new(self.path(folder), arguments.clone(), songs.clone());
            self.checkpoints = Some(Arc::new(all));
        }
        self.stopped.ledger.checkpoints = self.checkpoints.clone();
        self.stopped.ledger.goes_on = self.from.is_some();
        &mut self.stopped.ledger
    }

    /// Where there will be something to go on from.
    fn path(&self, folder: &Path) -> PathBuf {
        let usual = || folder.join(format!("{}.resume", self.verb));
        self.from.clone().unwrap_or_else(usual)
    }

    /// Why there is no checkpoint, if that is because it could not be written.
    pub(crate) fn trouble(&self) -> Option<String> {
        let checkpoints = self.checkpoints.as_ref()?;
        let trouble = checkpoints.trouble();
        let said = |why| format!("the run could not be written down on the way: {why}");
        trouble.map(said).or_else(|| checkpoints.lost())
    }

    /// This song is part of the run.
    pub(crate) fn song(&mut self, source: &Source) -> Result<(), Problem> {
        if self.from.is_some() {
            return self.stopped.expect(source);
        }
        let songs = &mut self.stopped.songs;
        songs.insert(source.name.clone(), hash(&source.text));
        Ok(())
    }

    /// Writes what there is to go on from, if there is something, and returns where. Otherwise the file that
    /// this run went on from has served its turn, and is removed.
    pub(crate) fn finish(&self, end: End, folder: &Path) -> Result<Option<PathBuf>, Problem> {
        let ledger = &self.stopped.ledger;
        // What one engine has left may have been answered by another.
        let is_open = ledger.has_left() && (end.unknown || (!end.fine && self.verb == "explore"));
        let checkpoints = self.checkpoints.as_ref();
        let has_states = checkpoints.is_some_and(|all| all.has_open_states());
        let is_half = (end.interrupted && !ledger.is_empty())
            || (has_states && (end.interrupted || end.unknown));
        if is_open || is_half {
            let path = self.path(folder);
            self.stopped.write(&path)?;
            return Ok(Some(path));
        }
        let is_written = checkpoints.is_some_and(|all| all.is_written());
        if self.from.is_some() || is_written {
            // A file that stays does no harm: going on from it gives the same answer again.
            let _ = std::fs::remove_file(self.path(folder));
            let _ = checkpoints.map(|all| std::fs::remove_file(all.states()));
        }
        Ok(None)
    }
}
