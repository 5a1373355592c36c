//! Checkpoints: a long run writes now and then what there is to go on from, so that whatever ends it costs little.
//!
//! The file is the one that a stopped run leaves ([`file`](super::file)), and it is replaced as a whole: whoever reads it after
//! `kill -9` or a power cut finds the last one or the one before. What is written between two executions says for each of them
//! whether it was visited, so a run that goes on ends with the totals of one that was not disturbed.
//!
//! *Searches through states* have a file of their own beside it (`check.states` beside `check.resume`), written before it: a line that says of
//! which search it is, and what the search wrote. One that is of another search is left alone.
//!
//! *How often.* First after some seconds, then less and less often, and never so often that writing takes more than a twentieth of the
//! time: what is lost with a run is small beside what it has taken. A checkpoint that cannot be written is no reason to end a run:
//! the last one stays, and the trouble is told at the end.

use super::Ledger;
use super::file::Stopped;
use super::file::executable;
use crate::save::replace_with;
use plainsong_semantics::search::Writing;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The environment variable that says after how many seconds the first checkpoint is written; `never` for none.
const FIRST: &str = "PLAINSONG_CHECKPOINT";
/// After how long it is, where nobody says.
const USUAL: Duration = Duration::from_secs(5);
/// The longest time between two of them, unless writing takes long.
const LONGEST: Duration = Duration::from_secs(120);
/// Between two of them passes at least so many times as long as writing one takes.
const COST: u32 = 20;

/// Where a run writes its checkpoints, and when.
#[derive(Debug)]
pub struct Checkpoints {
    path: PathBuf,
    arguments: Vec<String>,
    songs: BTreeMap<String, u64>,
    rhythm: Mutex<Rhythm>,
}

#[derive(Debug)]
struct Rhythm {
    /// When the next one is due, if ever.
    next: Option<Instant>,
    gap: Duration,
    is_written: bool,
    trouble: Option<String>,
    /// Is there something to go on from of a search through states that has not come to its end?
    has_open_states: bool,
    /// Why what was written of a search could not be used.
    lost: Option<String>,
}

impl Checkpoints {
    /// Into this file, of a run with these arguments and songs.
    pub fn new(path: PathBuf, arguments: Vec<String>, songs: BTreeMap<String, u64>) -> Self {
        let said = std::env::var(FIRST).ok();
        let gap = match said.as_deref().map(str::trim) {
            Some("never") => None,
            Some(seconds) => seconds.parse().ok().and_then(of_seconds).or(Some(USUAL)),
            None => Some(USUAL),
        };
        Checkpoints {
            path,
            arguments,
            songs,
            rhythm: Mutex::new(Rhythm {
                next: gap.and_then(|gap| Instant::now().checked_add(gap)),
                gap: gap.unwrap_or_default(),
                is_written: false,
                trouble: None,
                has_open_states: false,
                lost: None,
            }),
        }
    }

    /// Where a search through states is kept.
    pub fn states(&self) -> PathBuf {
        self.path.with_extension("states")
    }

    /// Which search a file is of, in one line. The songs are in it with their hashes, and the build of the command.
    fn title(&self, search: &str) -> String {
        let title = format!("{:?} {:?} {search:?}", executable(), self.songs);
        title.replace('\n', " ")
    }

    /// Writes what a search has, and the ledger.
    pub(crate) fn write_states(&self, ledger: &Ledger, search: &str, write: Writing<'_>) {
        let began = Instant::now();
        let title = self.title(search);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            replace_with(&self.states(), &mut |file| {
                writeln!(file, "{title}")?;
                write(file)
            })
        });
        match written {
            Ok(()) => {
                self.rhythm().has_open_states = true;
                self.write_since(began, ledger);
            }
            Err(error) => {
                let why = format!("cannot write {}: {error}", self.states().display());
                self.rhythm().wrote(began, Err(why));
            }
        }
    }

    /// What an earlier run has written of a search.
    pub(crate) fn earlier_states(&self, search: &str) -> Option<Box<dyn Read>> {
        let mut file = BufReader::new(File::open(self.states()).ok()?);
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line).ok()?;
        let is_it = line.strip_suffix(b"\n") == Some(self.title(search).as_bytes());
        is_it.then(|| Box::new(file) as Box<dyn Read>)
    }

    /// What was written of a search cannot be used, for this reason.
    pub(crate) fn lose(&self, why: &str) {
        let file = self.states();
        let lost = format!("{} was not gone on from: {why}", file.display());
        self.rhythm().lost = Some(lost);
    }

    /// A search has come to its end: nothing is left of it.
    pub(crate) fn close_states(&self) {
        self.rhythm().has_open_states = false;
    }

    /// Is there something to go on from of a search through states?
    pub fn has_open_states(&self) -> bool {
        self.rhythm().has_open_states
    }

    /// Why what was written of a search could not be used, if so.
    pub fn lost(&self) -> Option<String> {
        self.rhythm().lost.clone()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is it time for the next one?
    pub(crate) fn is_due(&self) -> bool {
        let next = self.rhythm().next;
        next.is_some_and(|next| Instant::now() >= next)
    }

    pub(crate) fn write(&self, ledger: &Ledger) {
        self.write_since(Instant::now(), ledger);
    }

    fn write_since(&self, began: Instant, ledger: &Ledger) {
        let stopped = Stopped {
            arguments: self.arguments.clone(),
            songs: self.songs.clone(),
            ledger: ledger.clone(),
        };
        let written = stopped.write(&self.path);
        self.rhythm()
            .wrote(began, written.map_err(|problem| problem.message));
    }

    /// Was one written?
    pub fn is_written(&self) -> bool {
        self.rhythm().is_written
    }

    /// Why the last one could not be written, if so.
    pub fn trouble(&self) -> Option<String> {
        self.rhythm().trouble.clone()
    }

    fn rhythm(&self) -> std::sync::MutexGuard<'_, Rhythm> {
        self.rhythm.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rhythm {
    /// One was written, or not, and that began then.
    fn wrote(&mut self, began: Instant, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.is_written = true;
                self.trouble = None;
            }
            Err(why) => self.trouble = Some(why),
        }
        let now = Instant::now();
        self.gap = (self.gap + self.gap / 2).min(LONGEST);
        let wait = self.gap.max((now - began) * COST);
        self.next = now.checked_add(wait);
    }
}

fn of_seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_takes_a_twentieth_of_the_time_at_most() {
        let mut rhythm = Rhythm {
            next: None,
            gap: Duration::from_millis(1),
            is_written: false,
            trouble: None,
            has_open_states: false,
            lost: None,
        };
        let second = Duration::from_secs(1);
        let began = Instant::now().checked_sub(second).expect("it is later");
        rhythm.wrote(began, Err("no room".to_owned()));
        assert!(!rhythm.is_written);
        let next = rhythm.next.expect("there is a next one");
        assert!(next >= began + 20 * second);
        assert_eq!(rhythm.trouble.as_deref(), Some("no room"));
        rhythm.wrote(Instant::now(), Ok(()));
        assert!(rhythm.is_written && rhythm.trouble.is_none());
    }
}
