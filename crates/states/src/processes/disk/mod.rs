//! States on disk: sorted runs with delayed duplicate detection.
//!
//! *Statement.* What is found while a level is searched is not looked up: it is a *candidate*. Candidates are sorted in memory and written
//! as runs. When the level is over, all candidates are merged, and those in no known run are the next level, each
//! once. The file of the level is a known run from then on.
//!
//! *Why sound.* A state is in the next level exactly when a state of this level leads to it and no level up to this one has it: the same
//! levels as in memory, only in ascending order. Roots are kept whole, as differences, so nothing is lost.
//!
//! *Cost.* One sequential pass over all known states for each level, about three bytes a state. Looking states up one by one in an
//! embedded store takes a random read for each step, hundreds of times as long.
//!
//! Source. Delayed duplicate detection [Korf04], of the disk-based Murphi [DellaPenna02].
//! DIFFERS. Known runs are merged when they are of similar size, so that there are few of them and none is rewritten for each level.
//! NOT COVERED. What is not a root stays in memory: inner pairs, and what processes do. Partial-order reduction asks whether a state is
//! new, so from here on all steps are taken.

mod runs;

use super::roots::Roots;
use crate::Scratch;
use runs::{Merge, RunWriter};
pub(super) use runs::{Run, RunReader};
use std::io;

/// How many states of a level are in memory at a time, at most.
const CHUNK: usize = 1 << 18;

/// States on disk.
pub(super) struct Disk<'d> {
    scratch: &'d dyn Scratch,
    chunk: usize,
    /// The files of levels, by depth: of those that are not in memory any more.
    levels: Vec<Option<Run>>,
    /// All states up to the present level, if they are on disk.
    known: Option<Known>,
}

/// What there is once states are on disk.
#[derive(Default)]
struct Known {
    /// Every state is in one of these at least; the largest first.
    runs: Vec<Run>,
    /// How many states that are.
    total: u64,
    /// What was found in the present level, sorted and written.
    candidates: Vec<Run>,
    /// The same, still in memory.
    fresh: Vec<u64>,
    /// Where the present level is read.
    reader: Option<RunReader>,
}

impl<'d> Disk<'d> {
    /// There, with so many states in memory at most.
    pub(super) fn new(scratch: &'d dyn Scratch, in_memory: u64) -> Disk<'d> {
        Disk {
            scratch,
            chunk: CHUNK.min(in_memory.max(1) as usize),
            levels: Vec::new(),
            known: None,
        }
    }

    /// Are the states on disk?
    pub(super) fn is_used(&self) -> bool {
        self.known.is_some()
    }

    /// Are levels in files?
    pub(super) fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// How many states are, up to the present level.
    pub(super) fn total(&self) -> Option<u64> {
        Some(self.known.as_ref()?.total)
    }

    /// How many bytes of memory candidates take.
    pub(super) fn bytes(&self) -> u64 {
        let known = self.known.as_ref();
        known.map_or(0, |known| 8 * known.fresh.capacity() as u64)
    }

    /// Something was found that may be new.
    #[inline]
    pub(super) fn note(&mut self, root: u64) {
        if let Some(known) = &mut self.known {
            known.fresh.push(root);
        }
    }

    /// Puts all states on disk, at most so many of them sorted at a time.
    pub(super) fn take(&mut self, roots: &Roots, most: usize) -> io::Result<()> {
        let mut known = Known {
            total: roots.len(),
            ..Known::default()
        };
        let (mut part, mut runs) = (
            Vec::with_capacity(most.min(roots.len() as usize)),
            Vec::new(),
        );
        let scratch = self.scratch;
        let shown = roots.each(&mut |root| {
            part.push(root);
            if part.len() == most {
                runs.push(write(scratch, &mut part)?);
            }
            Ok(())
        });
        known.runs = runs;
        let last = shown.and_then(|()| write(scratch, &mut part));
        known.runs.extend(last.as_ref().ok());
        let known = self.known.insert(known);
        last?;
        drop(part);
        known.unite(scratch, &self.levels, true)
    }

    /// Writes candidates that are in memory.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if let Some(known) = &mut self.known
            && !known.fresh.is_empty()
        {
            let run = write(self.scratch, &mut known.fresh)?;
            known.fresh = Vec::new();
            known.candidates.push(run);
        }
        Ok(())
    }

    /// Keeps a level that was searched, for the ways to what is found later.
    pub(super) fn keep_level(&mut self, depth: usize, roots: &mut Vec<u64>) -> io::Result<()> {
        if self.level(depth).is_none() {
            let run = write(self.scratch, &mut std::mem::take(roots))?;
            self.set_level(depth, run);
        }
        Ok(())
    }

    fn level(&self, depth: usize) -> Option<Run> {
        self.levels.get(depth).copied().flatten()
    }

    fn set_level(&mut self, depth: usize, run: Run) {
        if self.levels.len() <= depth {
            self.levels.resize(depth + 1, None);
        }
        self.levels[depth] = Some(run);
    }

    /// The states of a level, if they are in a file.
    pub(super) fn read_level(&self, depth: usize) -> Option<io::Result<RunReader>> {
        let run = self.level(depth)?;
        Some(RunReader::new(self.scratch, run))
    }

    /// The present level is over: finds the next one, to which those in `sure` belong that are known already, and none that is cut off. There is
    /// room for `room` states more; says how many there were, and how many of those that had room are cut off.
    pub(super) fn settle(
        &mut self,
        depth: usize,
        (mut sure, room): (Vec<u64>, u64),
        is_cut: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<(u64, u64)> {
        let scratch = self.scratch;
        let known = self.known.as_mut().expect("states are on disk");
        known.fresh.sort_unstable();
        sure.sort_unstable();
        let fresh = std::mem::take(&mut known.fresh);
        let mut candidates = Merge::new(scratch, &known.candidates, fresh)?;
        let mut before = Merge::new(scratch, &known.runs, Vec::new())?;
        let mut sure = sure.into_iter().peekable();
        let mut next = RunWriter::new(scratch)?;
        let mut ends = Vec::new();
        let (mut old, mut found) = (before.next()?, 0);
        while let Some(root) = candidates.next()? {
            while old.is_some_and(|old| old < root) {
                old = before.next()?;
            }
            if old == Some(root) {
                continue;
            }
            found += 1;
            if found > room {
                continue;
            }
            if is_cut(root) {
                ends.push(root);
                continue;
            }
            while let Some(one) = sure.next_if(|one| *one < root) {
                next.push(one)?;
            }
            next.push(root)?;
        }
        sure.try_for_each(|one| next.push(one))?;
        let run = next.finish()?;
        let cut = ends.len() as u64;
        if cut > 0 {
            known.runs.push(write(scratch, &mut ends)?);
        }
        for candidates in known.candidates.drain(..) {
            scratch.remove(candidates.file);
        }
        known.reader = Some(RunReader::new(scratch, run)?);
        if run.count > 0 {
            known.runs.push(run);
        }
        self.set_level(depth, run);
        let known = self.known.as_mut().expect("states are on disk");
        known.unite(scratch, &self.levels, false)?;
        known.total += found.min(room);
        Ok((found, cut))
    }

    /// More states of the present level; none when all were seen, or it is in memory.
    pub(super) fn more(&mut self) -> io::Result<Vec<u64>> {
        let reader = self.known.as_mut().and_then(|known| known.reader.as_mut());
        let mut roots = Vec::new();
        if let Some(reader) = reader {
            while roots.len() < self.chunk
                && let Some(root) = reader.next()?
            {
                roots.push(root);
            }
        }
        Ok(roots)
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let known = self.known.take().unwrap_or_default();
        let levels = self.levels.iter().flatten();
        for run in levels.chain(&known.runs).chain(&known.candidates) {
            self.scratch.remove(run.file);
        }
    }
}

impl Known {
    /// Merges the last known runs until each is more than twice as large as those after it together; or all of them.
    fn unite(
        &mut self,
        scratch: &dyn Scratch,
        levels: &[Option<Run>],
        is_all: bool,
    ) -> io::Result<()> {
        let mut from = self.runs.len().saturating_sub(1);
        let mut sum = self.runs.last().map_or(0, |run| run.count);
        while from > 0 && (is_all || self.runs[from - 1].count < 2 * sum) {
            from -= 1;
            sum += self.runs[from].count;
        }
        if self.runs.len() - from < 2 {
            return Ok(());
        }
        let mut all = Merge::new(scratch, &self.runs[from..], Vec::new())?;
        let mut writer = RunWriter::new(scratch)?;
        while let Some(root) = all.next()? {
            writer.push(root)?;
        }
        let united = writer.finish()?;
        for run in self.runs.drain(from..) {
            let is_level = levels.iter().flatten().any(|level| level.file == run.file);
            if !is_level {
                scratch.remove(run.file);
            }
        }
        self.runs.push(united);
        Ok(())
    }
}

/// Writes numbers as a sorted run, and leaves none.
fn write(scratch: &dyn Scratch, roots: &mut Vec<u64>) -> io::Result<Run> {
    roots.sort_unstable();
    roots.dedup();
    let mut writer = RunWriter::new(scratch)?;
    roots.drain(..).try_for_each(|root| writer.push(root))?;
    writer.finish()
}
