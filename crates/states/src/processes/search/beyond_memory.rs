//! When memory ends: the search goes on with its states on disk (`disk`).
//!
//! The roots in memory are then those that were met lately: what is among them has been noted as a candidate. Whether a candidate is
//! new is known when its level is over. What is claimed of it is looked at before that: of a state that is not new it is looked at twice.
//!
//! *How a state was reached* is known from the files of the levels, which are kept.

use super::{Again, Roots, Scratch, Search, WAYS};
use std::io;

/// What is sorted at a time takes this part of the memory, and at least so many states are.
const PART: u64 = 16;
const FEWEST: u64 = 1 << 12;
/// This part of the memory is spared.
const SPARE: u64 = 8;
/// And at most so many are sorted at a time.
const MOST: u64 = 1 << 24;

impl Search<'_, '_> {
    /// Are the states on disk?
    #[inline]
    pub(super) fn is_on_disk(&self) -> bool {
        self.disk.as_ref().is_some_and(super::Disk::is_used)
    }

    /// Are levels in files, whether or not all states are?
    pub(super) fn has_levels_on_disk(&self) -> bool {
        self.disk.as_ref().is_some_and(super::Disk::has_levels)
    }

    /// Something was found that may be new.
    #[inline]
    pub(super) fn note_candidate(&mut self, root: u64) {
        if let Some(disk) = &mut self.disk {
            disk.note(root);
        }
    }

    /// How many bytes states may take in memory. With a folder for others these are fewer than there may be, since what is freed does not
    /// always go back to the system.
    #[inline]
    pub(super) fn limit(&self) -> u64 {
        let limit = self.manner.memory.unwrap_or(u64::MAX);
        limit - self.disk.as_ref().map_or(0, |_| limit / SPARE)
    }

    /// Are there more states in memory than there may be, if others have a place?
    #[inline]
    pub(super) fn has_too_many(&self) -> bool {
        self.roots.len() > self.manner.in_memory && self.disk.is_some()
    }

    /// Puts states on disk; false if that is of no use.
    pub(super) fn make_room(&mut self, limit: u64, depth: usize) -> Result<bool, String> {
        let Some(disk) = &mut self.disk else {
            return Ok(false);
        };
        if self.has_ways {
            let levels = self.levels[..depth].iter_mut().enumerate();
            let kept = levels.filter(|(_, level)| !level.is_empty());
            let kept = kept.map(|(depth, level)| disk.keep_level(depth, level));
            let kept = kept.collect::<io::Result<()>>();
            kept.map_err(|error| self.is_lost(&error))?;
        }
        if self.bytes_that_stay() > limit / 8 * 7 {
            return Ok(false);
        }
        let Some(disk) = &mut self.disk else {
            return Ok(false);
        };
        let most = (limit / PART / 8).clamp(FEWEST, MOST) as usize;
        let done = match disk.is_used() {
            true => disk.flush(),
            false => disk.take(&self.roots, most),
        };
        self.roots = Roots::default();
        done.map(|()| true).map_err(|error| self.is_lost(&error))
    }

    /// Why the search ends when there is too little memory.
    pub(super) fn is_too_much(&self, limit: u64) -> String {
        let (states, megabytes) = (self.states(), limit / 1_000_000);
        match self.is_on_disk() {
            false => format!(
                "the states need more than {megabytes} MB of memory: {states} were found; see --memory and --disk"
            ),
            true => format!(
                "what processes do, and what states share, does not go to disk and needs more than {megabytes} MB of memory: \
                 {states} states were found; see --memory"
            ),
        }
    }

    fn is_lost(&self, error: &io::Error) -> String {
        let states = self.states();
        format!("the folder of --disk cannot be used: {error}; {states} states were found")
    }

    /// All states of a level that are in memory were looked at: gets more of them, or goes to the next level. Is it the next?
    pub(super) fn leave(&mut self, depth: usize) -> Result<bool, String> {
        if self.is_on_disk() {
            let left = self.leave_on_disk(depth);
            return left.map_err(|error| self.is_lost(&error));
        }
        let is_many = self.roots.len() > WAYS.saturating_mul(self.manner.ways as u64);
        if !self.keeps_ways && is_many && self.has_ways {
            let disk = self.disk.as_mut();
            let kept = disk.map(|disk| disk.keep_level(depth, &mut self.levels[depth]));
            self.has_ways = matches!(kept, Some(Ok(())));
        }
        if !self.has_ways {
            self.levels[depth] = Vec::new();
        }
        Ok(true)
    }

    fn leave_on_disk(&mut self, depth: usize) -> io::Result<bool> {
        let Some(disk) = &mut self.disk else {
            return Ok(true);
        };
        disk.keep_level(depth, &mut self.levels[depth])?;
        self.load(depth)?;
        if !self.levels[depth].is_empty() {
            return Ok(false);
        }
        let sure = std::mem::take(&mut self.levels[depth + 1]);
        for root in &sure {
            self.stand_for -= self.orbit(*root);
        }
        let has_more = !sure.is_empty();
        let Some(mut disk) = self.disk.take() else {
            return Ok(true);
        };
        let room = self.most.saturating_sub(disk.total().unwrap_or(0));
        let settled = disk.settle(depth + 1, (sure, room), &mut |root| self.is_cut_off(root));
        self.disk = Some(disk);
        let (found, cut) = settled?;
        self.cuts.count += cut;
        self.full |= found > room;
        if found.min(room) > 0 || has_more {
            self.deepest = depth + 1;
        }
        self.load(depth + 1)?;
        Ok(true)
    }

    /// States of the present level come into memory.
    fn load(&mut self, depth: usize) -> io::Result<()> {
        self.levels[depth].clear();
        if let Some(disk) = &mut self.disk {
            for root in disk.more()? {
                self.stand_for = self.stand_for.saturating_add(self.orbit(root));
                self.levels[depth].push(root);
            }
        }
        Ok(())
    }

    /// Is a state cut off? That is not counted here.
    fn is_cut_off(&mut self, root: u64) -> bool {
        if !self.net.processes.machine().is_constrained() {
            return false;
        }
        let mut nodes = vec![0; self.tree.nodes()];
        self.tree.unfold(root, &mut nodes);
        let news = self.claims.first(self.net, &nodes);
        let count = self.cuts.count;
        let is_cut = self.cuts.is_cut(self.net, &news, &nodes);
        self.cuts.count = count;
        is_cut
    }

    /// For how many states a state stands.
    fn orbit(&mut self, root: u64) -> u128 {
        if self.net.names.is_none() {
            return 1;
        }
        let mut nodes = vec![0; self.tree.nodes()];
        self.tree.unfold(root, &mut nodes);
        self.net.represent(&mut nodes[..self.net.lanes.len()])
    }

    /// A state of some level from which a step leads to this one.
    pub(super) fn state_before(
        &mut self,
        target: u64,
        level: usize,
        scratch: &mut Scratch,
    ) -> Result<u64, Again> {
        const FOUND: &str = "a state is found by a step from the level before it";
        let reader = self.disk.as_ref().and_then(|disk| disk.read_level(level));
        if let Some(reader) = reader {
            let mut reader = reader.map_err(|_| Again::NoDisk)?;
            while let Some(before) = reader.next().map_err(|_| Again::NoDisk)? {
                self.follow(before, scratch);
                if scratch.roots.contains(&target) {
                    return Ok(before);
                }
            }
            panic!("{FOUND}");
        }
        let all = std::mem::take(&mut self.levels[level]);
        let before = all.iter().copied().find(|before| {
            self.follow(*before, scratch);
            scratch.roots.contains(&target)
        });
        self.levels[level] = all;
        Ok(before.expect(FOUND))
    }
}
