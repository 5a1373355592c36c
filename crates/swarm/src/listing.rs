//! Runs as a list, and their end.

use crate::record::{RunRecord, State};
use crate::server::Trouble;
use crate::store::Connection;

/// A run with what is stored of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The run.
    pub run: RunRecord,
    /// How many pieces have an outcome.
    pub done: u64,
    /// How many are in the queue or worked on.
    pub waiting: u64,
}

impl Connection {
    /// All runs, by name.
    pub fn runs(&self) -> Result<Vec<Listed>, Trouble> {
        let names = self.runtime.block_on(self.hub.all_runs())?;
        let mut runs = Vec::new();
        for name in names {
            // What is no run, or of another version, is no concern of a list.
            if let Ok(Some(run)) = self.run(&name) {
                runs.push(run);
            }
        }
        Ok(runs)
    }

    /// The run of this name.
    pub fn run(&self, name: &str) -> Result<Option<Listed>, Trouble> {
        self.runtime.block_on(async {
            let Some((run, _)) = self.hub.run(name).await? else {
                return Ok(None);
            };
            let done = self.hub.stored(&run.id).await?;
            let waiting = self.hub.waiting(&run.asked.build, &run.id).await?;
            Ok(Some(Listed { run, done, waiting }))
        })
    }

    /// Forgets a run and all that was found; `false` if there is none of this name.
    pub fn delete(&self, name: &str) -> Result<bool, Trouble> {
        self.runtime.block_on(async {
            let names = self.hub.all_runs().await?;
            if !names.iter().any(|one| one == name) {
                return Ok(false);
            }
            // What cannot be read is deleted, too.
            let run = self.hub.run(name).await.ok().flatten().map(|(run, _)| run);
            if let Some(run) = &run {
                self.hub.clear(&run.asked.build, &run.id).await?;
            }
            let id = run.as_ref().map(|run| run.id.as_str());
            self.hub.forget(name, id).await?;
            Ok(true)
        })
    }

    /// Open runs that wait for workers of another build.
    pub fn of_other_builds(&self, build: &str) -> Result<Vec<RunRecord>, Trouble> {
        let runs = self.runs()?.into_iter().map(|listed| listed.run);
        let others = runs.filter(|run| run.state == State::Open && run.asked.build != build);
        Ok(others.collect())
    }
}
