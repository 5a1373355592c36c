//! Runs that are stopped and go on later: from the arguments of the first run to the last entry.

use crate::arguments::{Arguments, CheckArguments, ExploreArguments, Verb};
use crate::session::Session;
use clap::Parser as _;
use plainsong_driver::resume::Ledger;
use plainsong_driver::resume::file::Stopped;
use plainsong_driver::{Problem, Source};
use plainsong_report::trace_file::hash;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run that can go on later, or does.
pub(crate) struct Resuming {
    /// The file it goes on from.
    from: Option<PathBuf>,
    stopped: Stopped,
}

impl Resuming {
    /// A first run.
    pub(crate) fn new(session: &Session) -> Self {
        Resuming {
            from: None,
            stopped: Stopped {
                arguments: session.arguments.clone(),
                songs: BTreeMap::new(),
                ledger: Ledger::default(),
            },
        }
    }

    /// A run that goes on, with what was asked then. What does not change the answer is as it is said now.
    pub(crate) fn from(
        path: &Path,
        now: &CheckArguments,
    ) -> Result<(CheckArguments, Self), Problem> {
        let stopped = Stopped::read(path)?;
        let first = Arguments::try_parse_from(&stopped.arguments).ok();
        let Some(Verb::Explore(ExploreArguments { check, .. })) = first.map(|first| first.verb)
        else {
            let path = path.display();
            return Err(Problem::new(format!("{path} is not of a run of `explore`")));
        };
        let arguments = CheckArguments {
            timeout: now.timeout,
            jobs: now.jobs.or(check.jobs),
            require: now.require,
            out: now.out.clone(),
            json: now.json,
            junit: now.junit.clone(),
            sarif: now.sarif.clone(),
            page: now.page.clone(),
            detail: now.detail,
            ..check
        };
        let resuming = Resuming {
            from: Some(path.to_owned()),
            stopped,
        };
        Ok((arguments, resuming))
    }

    /// What was found.
    pub(crate) fn ledger(&mut self) -> &mut Ledger {
        &mut self.stopped.ledger
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
    pub(crate) fn finish(
        &self,
        is_interrupted: bool,
        folder: &Path,
    ) -> Result<Option<PathBuf>, Problem> {
        let ledger = &self.stopped.ledger;
        if ledger.has_left() || (is_interrupted && !ledger.is_empty()) {
            let path = self.from.clone();
            let path = path.unwrap_or_else(|| folder.join("explore.resume"));
            self.stopped.write(&path)?;
            return Ok(Some(path));
        }
        if let Some(path) = &self.from {
            // A file that stays does no harm: going on from it gives the same answer again.
            let _ = std::fs::remove_file(path);
        }
        Ok(None)
    }
}
