//! A search of packed processes as bytes, and a search that goes on from them.
//!
//! *What is written*: the journal of questions (`journal`), the inner pairs, the levels, and the roots that are in no level any more. What
//! can be looked up again (expansions, deliveries, what is known of claims) is not: it is worked out once more, and with the
//! same result, since it depends on numbers that are the same. So a search that goes on gives the same numbers to what comes, and ends with the
//! same counts. About 8 bytes a state, or 16 while the levels are kept.
//!
//! NOT COVERED. States up to names, states on disk, and searches that have found something: of these the last checkpoint before counts.

use super::{COUNTED, STEPS, Search};
use crate::snapshot::{Pen, Reader, damaged};
use plainsong_semantics::search::{Account, Findings, Limits, Watch};
use std::io;

/// The version of the format.
const FORMAT: u64 = 2;

/// Where a search is: the level, and the place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Place {
    pub(super) depth: usize,
    pub(super) at: usize,
}

/// Why messages are kept, as a number.
const REASONS: [&str; 2] = [COUNTED, STEPS];

impl Search<'_, '_> {
    /// Keeps what there is, if somebody wants that.
    pub(super) fn keep(&mut self, findings: &Findings<'_>, watch: &mut dyn Watch, place: Place) {
        if !self.net.can_be_written() || self.is_on_disk() || !watch.wants_snapshot() {
            return;
        }
        let Some(account) = findings.account() else {
            return;
        };
        // So it is when it is read, too.
        self.leave_out_what_is_known(findings);
        let instance = self.net.processes.machine().instance();
        watch.keep_snapshot(instance, &self.name, &mut |out| {
            let mut pen = Pen::new(out);
            self.write(&account, place, &mut pen)?;
            pen.finish()
        });
    }

    fn write(&self, account: &Account, place: Place, pen: &mut Pen<'_>) -> io::Result<()> {
        let kept = self
            .kept
            .and_then(|why| REASONS.iter().position(|one| *one == why));
        let orbits = self.stand_for;
        pen.words(
            15,
            [
                FORMAT,
                u64::from(self.asked_about_order),
                place.depth as u64,
                place.at as u64,
                kept.map_or(0, |at| at as u64 + 1),
                u64::from(self.keeps_ways),
                u64::from(self.has_ways && !self.has_levels_on_disk()),
                u64::from(self.full),
                self.steps,
                self.deepest as u64,
                self.wrong_at.map_or(0, |at| at + 1),
                self.cuts.count,
                (orbits >> 64) as u64,
                orbits as u64,
                self.roots.len(),
            ],
        )?;
        write_account(account, pen)?;
        self.net.write(pen)?;
        self.tree.write(pen)?;
        pen.word(self.levels.len() as u64)?;
        for level in &self.levels {
            pen.words(level.len(), level.iter().copied())?;
        }
        let in_levels: usize = self.levels.iter().map(Vec::len).sum();
        match in_levels as u64 == self.roots.len() {
            true => pen.word(0)?,
            false => {
                pen.word(self.roots.len())?;
                self.roots.each(&mut |root| pen.word(root))?;
            }
        }
        for pairs in [&self.told, &self.left] {
            let mut all: Vec<u64> = pairs
                .iter()
                .map(|(a, b)| (*a as u64) << 32 | u64::from(*b))
                .collect();
            all.sort_unstable();
            pen.words(all.len(), all)?;
        }
        let mut met: Vec<u64> = self.met.iter().map(|at| *at as u64).collect();
        met.sort_unstable();
        pen.words(met.len(), met)?;
        pen.word(self.cuts.by.len() as u64)?;
        self.cuts.by.iter().try_for_each(|by| pen.text(by))?;
        self.claims.write(pen)
    }

    /// Goes on from what was written, in a search that has just been made.
    pub(in super::super) fn go_on_from(
        &mut self,
        reader: &mut Reader<'_>,
        findings: &mut Findings<'_>,
        limits: &Limits,
    ) -> io::Result<()> {
        // The start is numbered first, as it was then.
        self.most = limits.states;
        if self.begin(findings, limits).is_err() {
            return Err(damaged());
        }
        let numbers = reader.all_words()?;
        let &[
            format,
            asked,
            depth,
            at,
            kept,
            keeps,
            has,
            full,
            steps,
            deepest,
            wrong,
            cut,
            high,
            low,
            count,
        ] = &numbers[..]
        else {
            return Err(damaged());
        };
        if format != FORMAT {
            return Err(damaged());
        }
        self.asked_about_order = asked == 1;
        self.place = Some(Place {
            depth: depth as usize,
            at: at as usize,
        });
        self.kept = match (kept as usize).checked_sub(1) {
            None => None,
            Some(at) => Some(*REASONS.get(at).ok_or_else(damaged)?),
        };
        (self.keeps_ways, self.has_ways, self.full) = (keeps == 1, has == 1, full == 1);
        (self.steps, self.deepest) = (steps, deepest as usize);
        self.wrong_at = wrong.checked_sub(1);
        self.cuts.count = cut;
        self.stand_for = u128::from(high) << 64 | u128::from(low);
        findings.go_on_from(read_account(reader)?);
        self.net.read(reader)?;
        self.tree.read(reader)?;
        self.read_states(reader, count)?;
        for pairs in [&mut self.told, &mut self.left] {
            pairs.clear();
            reader.words(|pair| {
                pairs.insert(((pair >> 32) as usize, pair as u32));
            })?;
        }
        self.met.clear();
        let met = &mut self.met;
        reader.words(|at| {
            met.insert(at as usize);
        })?;
        self.cuts.by.clear();
        for _ in 0..reader.word()? {
            self.cuts.by.insert(reader.text()?);
        }
        self.leave_out_what_is_known(findings);
        self.claims.read(reader)
    }

    /// The levels and the roots.
    fn read_states(&mut self, reader: &mut Reader<'_>, count: u64) -> io::Result<()> {
        self.roots = super::Roots::default();
        self.levels.clear();
        for _ in 0..reader.word()? {
            self.levels.push(reader.all_words()?);
        }
        let roots = &mut self.roots;
        let mut add = |root: u64| {
            roots.add((root >> 32) as u32, root as u32);
        };
        self.levels.iter().flatten().for_each(|root| add(*root));
        reader.words(add)?;
        let place = self.place.unwrap_or_default();
        let is_there = self
            .levels
            .get(place.depth)
            .is_some_and(|level| place.at <= level.len());
        match is_there && self.roots.len() == count {
            true => Ok(()),
            false => Err(damaged()),
        }
    }
}

fn write_account(account: &Account, pen: &mut Pen<'_>) -> io::Result<()> {
    pen.words(3, account.counts)?;
    pen.words(
        2,
        [account.failures, account.resource.is_some()].map(u64::from),
    )?;
    pen.text(account.resource.as_deref().unwrap_or_default())?;
    pen.word(account.undelivered.len() as u64)?;
    account
        .undelivered
        .iter()
        .try_for_each(|kind| pen.text(kind))
}

fn read_account(reader: &mut Reader<'_>) -> io::Result<Account> {
    let counts = reader.all_words()?.try_into().map_err(|_| damaged())?;
    let flags: [u64; 2] = reader.all_words()?.try_into().map_err(|_| damaged())?;
    let resource = reader.text()?;
    let undelivered = (0..reader.word()?)
        .map(|_| reader.text())
        .collect::<io::Result<_>>()?;
    Ok(Account {
        counts,
        failures: flags[0] == 1,
        undelivered,
        resource: (flags[1] == 1).then_some(resource),
    })
}
