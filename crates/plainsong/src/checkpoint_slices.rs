//! A search in slices, with a checkpoint after each.
//!
//! When it is time for a checkpoint, all workers stop, what is left is saved, and they start again from
//! there: going on in this process and going on in another are the same thing. Without a checkpoint
//! there is one slice.

use crate::attempt::{configure, observed_machine};
use crate::checkpoint::{Checkpoint, Misfit, Saved, first_execution};
use crate::determinism_check::Mismatch;
use crate::explorer::{Explorer, Restart};
use crate::leaf_visitor::{Shared, Watch};
use crate::sync::mpsc::hang_up::Askers;
use plainsong_explore::{Part, explore_parts};
use std::path::PathBuf;
use std::sync::Arc;

/// Where a search begins, and where it is saved.
pub(crate) struct Slices {
    checkpoint: Option<Checkpoint>,
    /// What earlier runs have seen and left.
    saved: Saved,
    /// Was there an earlier run?
    is_resumed: bool,
}

/// What a search came to.
pub(crate) struct Searched {
    /// Sums of this run and the earlier ones, and what is left.
    pub(crate) sums: Saved,
    pub(crate) notes: Vec<String>,
    /// Where what is left was saved.
    pub(crate) file: Option<PathBuf>,
}

impl Slices {
    /// One slice.
    pub(crate) fn whole() -> Self {
        Slices {
            checkpoint: None,
            saved: from_the_start(),
            is_resumed: false,
        }
    }

    /// As the settings and the checkpoint file want it.
    pub(crate) fn new(settings: &Explorer, program: &'static str) -> Result<Self, Misfit> {
        let is_sample = settings.samples.is_some();
        let checkpoint = Checkpoint::new(settings, program).filter(|_| !is_sample);
        let saved = checkpoint.as_ref().map_or(Ok(None), Checkpoint::load)?;
        Ok(Slices {
            checkpoint,
            is_resumed: saved.is_some(),
            saved: saved.unwrap_or_else(from_the_start),
        })
    }

    /// Who asks, as far as earlier runs know.
    pub(crate) fn askers(&self) -> Askers {
        self.saved.askers.clone()
    }

    /// Is symmetry used, as far as earlier runs know?
    pub(crate) fn symmetry(&self, asked_for: bool) -> bool {
        match self.is_resumed {
            true => self.saved.symmetry,
            false => asked_for,
        }
    }

    /// Is memory explored under RC11, as far as earlier runs know?
    pub(crate) fn rc11(&self, asked_for: bool) -> bool {
        asked_for || self.is_resumed && self.saved.rc11
    }

    /// What runs again, as far as earlier runs know.
    pub(crate) fn restart(&self) -> Restart {
        match self.saved.restart {
            Restart::All => Restart::All,
            Restart::Auto | Restart::Changed => Restart::Changed,
        }
    }

    /// What earlier runs have seen is void.
    pub(crate) fn start_again(&mut self) {
        self.saved = from_the_start();
        self.is_resumed = false;
    }

    /// Searches until nothing is left or the watches stop.
    pub(crate) fn search(&self, shared: &Arc<Shared>) -> Result<Searched, Misfit> {
        let mut sums = self.begin(shared)?;
        let mut searched = Searched {
            notes: Vec::new(),
            file: None,
            sums: Saved::default(),
        };
        loop {
            explore_slice(shared, &mut sums);
            if shared.found().is_lost {
                self.explain_lost(shared)?;
            }
            let Some(checkpoint) = &self.checkpoint else {
                break;
            };
            let is_over = sums.left.is_empty() || shared.is_decided();
            let written = match is_over {
                true => checkpoint.remove(),
                false => checkpoint.save(&sums),
            };
            if let Err(error) = &written {
                let path = checkpoint.path().display();
                searched.notes = vec![format!("the checkpoint {path} was not written: {error}")];
            }
            if is_over || !shared.found().is_paused {
                let is_saved = !is_over && written.is_ok();
                searched.file = is_saved.then(|| checkpoint.path().to_owned());
                break;
            }
        }
        searched.notes.extend(self.notes(&sums, &searched));
        searched.sums = sums;
        Ok(searched)
    }

    /// The sums at the start, if the program is the one that they are of.
    fn begin(&self, shared: &Shared) -> Result<Saved, Misfit> {
        let mut sums = self.saved.clone();
        if let Some(checkpoint) = &self.checkpoint {
            let first = first_execution(shared);
            if self.is_resumed && first != sums.first {
                return Err(checkpoint.other_program("the first execution differs"));
            }
            sums.first = first;
        }
        sums.runs += 1;
        sums.restart = shared.restart;
        sums.symmetry = shared.settings.symmetry;
        sums.rc11 = shared.settings.rc11;
        sums.askers.clone_from(&shared.settings.askers);
        let mut found = shared.found();
        found.failures.clone_from(&sums.failures);
        found.notes.clone_from(&sums.notes);
        found.weak_orderings.clone_from(&sums.weak_orderings);
        found.is_too_long = sums.too_long;
        found.fixes_seen.used.clone_from(&sums.fixes_used);
        drop(found);
        Ok(sums)
    }

    /// A path leads nowhere: the program is not what it was when the path was noted.
    fn explain_lost(&self, shared: &Shared) -> Result<(), Misfit> {
        if let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| self.is_resumed) {
            // What another program did is no part of it. If this fails, the complaint is the same.
            let _ = checkpoint.save(&self.saved);
            return Err(checkpoint.other_program("it has left an execution that does not exist"));
        }
        shared.found().mismatch.get_or_insert_with(|| Mismatch {
            process: "the program".to_owned(),
            index: 0,
            before: "the start of executions that are gone now".to_owned(),
            now: "the start of others".to_owned(),
        });
        Ok(())
    }

    fn notes(&self, sums: &Saved, searched: &Searched) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_resumed {
            notes.push(format!(
                "numbers are sums of {} runs, from checkpoint to checkpoint",
                sums.runs
            ));
        }
        if let Some(file) = &searched.file {
            notes.push(format!(
                "what is left is saved in {}: to go on, run again with the same settings; to start \
                 from the beginning, delete it",
                file.display()
            ));
        }
        notes
    }
}

fn from_the_start() -> Saved {
    Saved {
        left: vec![Part::default()],
        ..Saved::default()
    }
}

/// Explores what is left until the watches stop.
fn explore_slice(shared: &Arc<Shared>, sums: &mut Saved) {
    shared.found().is_paused = false;
    let slice = explore_parts(
        shared.settings.jobs,
        std::mem::take(&mut sums.left),
        || observed_machine(shared),
        || Watch::new(shared),
        |engine| configure(shared, engine),
    );
    sums.left = slice.left;
    sums.events += slice.tally.events;
    sums.counters.revisits += slice.tally.revisits;
    sums.counters.in_vain += slice.tally.in_vain;
    if !shared.is_decided() {
        sums.events -= slice.twice.events;
        sums.counters.revisits -= slice.twice.revisits;
        sums.counters.in_vain -= slice.twice.in_vain;
    }
    for watch in slice.visitors {
        sums.add(watch);
    }
    let found = shared.found();
    sums.too_long = found.is_too_long;
    sums.fixes_used.clone_from(&found.fixes_seen.used);
    sums.failures.clone_from(&found.failures);
    sums.notes.clone_from(&found.notes);
    sums.weak_orderings.clone_from(&found.weak_orderings);
}

impl Saved {
    /// Adds what a worker has seen, but for its events.
    pub(crate) fn add(&mut self, watch: Watch) {
        self.executions += watch.complete;
        self.blocked += watch.blocked;
        self.failed += watch.failed;
        self.counters.process_starts += watch.starts;
        self.counters.checks += watch.checks.get();
        for (name, count) in watch.coverage {
            *self.coverage.entry(name).or_default() += count;
        }
    }
}
