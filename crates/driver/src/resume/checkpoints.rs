//! Checkpoints: a long run writes now and then what there is to go on from, so that whatever ends it costs little.
//!
//! The file is the one that a stopped run leaves ([`file`](super::file)), and it is replaced as a whole: whoever reads it after
//! `kill -9` or a power cut finds the last one or the one before. What is written between two executions says for each of them
//! whether it was visited, so a run that goes on ends with the totals of one that was not disturbed.
//!
//! *How often.* First after some seconds, then less and less often, and never so often that writing takes more than a twentieth of the
//! time: what is lost with a run is small beside what it has taken. A checkpoint that cannot be written is no reason to end a run:
//! the last one stays, and the trouble is told at the end.

use super::Ledger;
use super::file::Stopped;
use std::collections::BTreeMap;
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
            }),
        }
    }

    /// Where.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is it time for the next one?
    pub(crate) fn is_due(&self) -> bool {
        let next = self.rhythm().next;
        next.is_some_and(|next| Instant::now() >= next)
    }

    /// Writes one.
    pub(crate) fn write(&self, ledger: &Ledger) {
        let began = Instant::now();
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
