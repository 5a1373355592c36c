//! Explorations that stop and go on later.
//!
//! A search that stops knows what it has left: paths of outcome numbers in the search tree. Those and
//! the sums so far are a *checkpoint*, a small text file. The next run with the same settings goes on
//! there. What was seen and what is left partition the executions, so the sums of runs in slices are
//! those of one run, and the verdict is [`Verdict::Holds`](crate::Verdict::Holds) only when
//! nothing is left.
//!
//! That is right only if the program and the settings are the same as before. So the file names them
//! (`identity`): the settings that matter, the type of the program, a hash of the executable, which
//! changes whenever code is compiled differently, and a hash of the first execution. If one of them
//! differs, or a path leads nowhere, the run fails and says so; it does not start again by itself,
//! because that would throw away work because of a typing error.
//!
//! NOT COVERED. Code that is the same and does something else, because it looks at the environment or
//! at what its closure has captured, in a way that neither the first execution nor the paths show.
//!
//! The file is written to a neighbour first and then renamed: there is always a whole one. It is
//! removed when nothing is left, and when a failure has ended the exploration.

mod identity;
mod saved;

use crate::explorer::Explorer;
use crate::failure::{Failure, FailureKind};
use identity::Identity;
pub(crate) use identity::{first_execution, program_name};
pub(crate) use saved::Saved;
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Explorer {
    /// Saves what is left when a [limit](Explorer::limit_time) or
    /// [cancellation](Explorer::cancel) ends the exploration, and goes on from there if there is such a
    /// file.
    ///
    /// The numbers of the report are those of all runs together. Limits are for each run. While it runs,
    /// the file is written [now and then](Explorer::checkpoint_every), for the case that the process is
    /// killed. When everything was explored, or a failure was found (and one does not
    /// [keep going](Explorer::keep_going)), the file is removed, and the next run is a new
    /// exploration.
    ///
    /// The program must be the same, down to the executable, and so must the settings that decide what
    /// is explored and counted; [`jobs`](Explorer::jobs) and limits may differ, except
    /// [`limit_events`](Explorer::limit_events). Otherwise the run ends with
    /// [`End::WrongCheckpoint`](crate::End::WrongCheckpoint), and nothing is touched. Of what the
    /// program captures, or reads from its environment, this notices only some changes: let the
    /// name of the file say with which arguments it was made.
    ///
    /// ```
    /// use plainsong::{choose, End, Explorer, Limit, Verdict};
    ///
    /// let file = std::env::temp_dir().join("plainsong-checkpoint-example");
    /// # let _ = std::fs::remove_file(&file);
    /// let explorer = Explorer::new().checkpoint_file(&file).limit_executions(40);
    /// let program = || assert!(choose(0..10) + choose(0..10) < 20);
    ///
    /// let report = explorer.run(program);
    /// assert_eq!((report.verdict, report.executions), (Verdict::Unknown, 40));
    /// assert_eq!(report.end, End::Limit(Limit::Executions));
    /// assert_eq!(report.checkpoint_file.as_ref(), Some(&file));
    ///
    /// assert_eq!(explorer.run(program).executions, 80);
    ///
    /// let report = explorer.run(program);
    /// assert_eq!((report.verdict, report.executions), (Verdict::Holds, 100));
    /// assert!(!file.exists());
    /// ```
    pub fn checkpoint_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.checkpoint = Some(path.into());
        self
    }

    /// How often the [checkpoint](Explorer::checkpoint_file) is written while the exploration runs;
    /// every 10 seconds otherwise. Looked at after each execution.
    pub fn checkpoint_every(mut self, interval: Duration) -> Self {
        self.checkpoint_interval = interval;
        self
    }
}

/// A checkpoint file of one exploration.
pub(crate) struct Checkpoint {
    path: PathBuf,
    identity: Identity,
}

/// Why a checkpoint cannot be used, and what to do about it.
pub(crate) struct Misfit(String);

impl Misfit {
    pub(crate) fn into_failure(self) -> Failure {
        Failure::plain(FailureKind::WrongCheckpoint, self.0, None)
    }
}

impl Checkpoint {
    /// The checkpoint that the settings ask for.
    pub(crate) fn new(settings: &Explorer, program: &'static str) -> Option<Self> {
        let path = settings.checkpoint.clone()?;
        let identity = Identity::new(settings, program);
        Some(Checkpoint { path, identity })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What was saved, if anything was.
    pub(crate) fn load(&self) -> Result<Option<Saved>, Misfit> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.misfit(&format!("cannot be read: {error}"))),
        };
        let (identity, saved) =
            saved::parse(&text).map_err(|mistake| self.misfit(&format!("is broken: {mistake}")))?;
        match self.identity.difference(&identity) {
            None => Ok(Some(saved)),
            Some(difference) => Err(self.misfit(&difference)),
        }
    }

    /// Writes what was seen and what is left.
    pub(crate) fn save(&self, saved: &Saved) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let neighbour = self.path.with_file_name(name);
        std::fs::write(&neighbour, saved::print(&self.identity, saved))?;
        std::fs::rename(&neighbour, &self.path)
    }

    /// There is nothing to go on with any more.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The program is another one, as its executions show.
    pub(crate) fn other_program(&self, how: &str) -> Misfit {
        self.misfit(&format!(
            "is of a program that does something else: {how}. Does it depend on its environment, or on \
             what it has captured?"
        ))
    }

    fn misfit(&self, what: &str) -> Misfit {
        Misfit(format!(
            "the checkpoint {} {what}\n  nothing was explored; to start from the beginning, delete it",
            self.path.display()
        ))
    }
}
