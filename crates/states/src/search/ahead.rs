//! Looking ahead: what the next states lead to, worked out by several workers.
//!
//! A worker foresees a state when nothing about it is out of the ordinary: every async that is pending is taken
//! by a direct form or a program, none fails or needs the interpreter, no statement or action runs for the
//! first time, the state is not at rest, and what should hold in it does. Everything else is left to the
//! search itself, in the order of the states. What was foreseen is entered in that order too, so the numbers of states
//! and all counts are those of one worker.
//!
//! Why nothing goes stale. What a state leads to depends on the state and on the programs only. When states are
//! packed anew, or asyncs that were never seen before come up, what was foreseen is thrown away.
//!
//! NOT COVERED. Where the graph of all states is wanted, one worker does everything.

use super::{Compiled, Search, Turn};
use crate::coding::Coding;
use crate::direct::{Attempt, Came};
use crate::run::{Ran, Runs};
use crate::store::Store;
use plainsong_semantics::search::Findings;
use std::collections::VecDeque;
use std::ops::Range;

/// The most states to look ahead at a time, for each worker.
const MOST: usize = 4_096;
/// A worker stops when what its states lead to takes so many words.
const MOST_WORDS: usize = 1 << 18;

/// What was foreseen.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// In the order of the states.
    shares: VecDeque<Share>,
    /// How many states a worker can manage, if one could not manage the most.
    manageable: Option<usize>,
    /// Is there hardly any room for more states? Then nobody looks ahead.
    is_over: bool,
}

/// What one worker has foreseen.
#[derive(Debug, Default)]
struct Share {
    /// The first of the states.
    first: usize,
    /// For each state, what it leads to; none for those that are left to the search.
    seen: VecDeque<Option<Seen>>,
    /// The states that they lead to, one after the other.
    emitted: Vec<u64>,
    /// How many of these words are used up.
    used: usize,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
struct Seen {
    steps: u32,
    /// How many asyncs were taken.
    taken: u32,
}

impl Ahead {
    /// Throws everything away.
    pub(super) fn clear(&mut self) {
        self.shares.clear();
    }
}

impl<'s> Search<'s> {
    /// Enters what the states from `at` on lead to, as far as that was foreseen. Gives how many states these
    /// are; none if the search has to look at the state itself.
    pub(super) fn enter_ahead(
        &mut self,
        findings: &Findings<'_>,
        (at, depth): (usize, &mut usize),
        most: u64,
    ) -> Option<usize> {
        let is_bounded = self.machine.instance().bounds().pending.is_some();
        let alone =
            self.manner.jobs < 2 || self.manner.ends || is_bounded || !self.step_claims.is_empty();
        if alone || self.edges.is_some() || self.ahead.is_over {
            return None;
        }
        self.ahead.shares.retain(|share| !share.seen.is_empty());
        let next = self.ahead.shares.front().map(|share| share.first);
        if next != Some(at) {
            self.look_ahead(findings, at);
        }
        let words = self.store.words();
        let share = self.ahead.shares.front_mut()?;
        let run: Vec<Seen> = share.seen.iter().map_while(|seen| *seen).collect();
        if run.is_empty() {
            share.seen.pop_front();
            share.first += 1;
            return None;
        }
        share.seen.drain(..run.len());
        share.first += run.len();
        let steps: usize = run.iter().map(|seen| seen.steps as usize).sum();
        let first = share.used;
        share.used += steps * words;
        let mut emitted = share.emitted[first..share.used].to_vec();
        self.ahead.is_over = self.store.len() as u64 + steps as u64 > most;
        if self.ahead.is_over || self.rename(&mut emitted).is_err() || !self.fits_store(words) {
            self.ahead.clear();
            return None;
        }
        self.enter_run(&run, &emitted, at, depth);
        Some(run.len())
    }

    /// Enters what a run of states, the first of them `at`, leads to.
    fn enter_run(&mut self, run: &[Seen], emitted: &[u64], at: usize, depth: &mut usize) {
        let words = self.store.words();
        let mut new = self
            .store
            .new_among(emitted, self.manner.jobs)
            .into_iter()
            .peekable();
        let mut end = 0;
        for (parent, seen) in (at..).zip(run) {
            if self.levels.get(*depth + 1) == Some(&parent) {
                *depth += 1;
            }
            self.steps += u64::from(seen.steps);
            self.taken.by_programs += u64::from(seen.taken);
            end += seen.steps;
            while let Some(found) = new.next_if(|found| *found < end) {
                let first = found as usize * words;
                self.store.enter(&emitted[first..first + words], parent);
                if self.levels.len() == *depth + 1 {
                    self.levels.push(self.store.len() - 1);
                }
            }
        }
    }

    /// Has workers look at the states from `at` on.
    fn look_ahead(&mut self, findings: &Findings<'_>, at: usize) {
        self.ahead.clear();
        let waiting = self.store.len() - at;
        let jobs = self.manner.jobs.min(waiting / self.manner.share.max(1));
        let is_known = self.turns.len() == self.coding.asyncs.all().len();
        if jobs < 2 || !is_known || !self.coding.has_begun(self.store.state(at)) {
            return;
        }
        let share = (waiting / jobs).min(self.ahead.manageable.unwrap_or(MOST));
        let claims = self.claims.iter().filter(|claim| claim.is_always);
        let claims = claims.filter(|claim| findings.is_open(claim.check));
        let premises = self.premises.iter().filter(|one| !one.premise.at_the_end);
        let seer = Seer {
            store: &self.store,
            coding: &self.coding,
            turns: &self.turns,
            directs: &self.directs,
            programs: &self.programs,
            acted: &self.acted,
            claims: claims.map(|claim| &claim.program).collect(),
            premises: premises.map(|one| &one.program).collect(),
            constraints: self.constraints.iter().map(|one| &one.program).collect(),
        };
        let runs = &self.runs;
        let shares: VecDeque<Share> = std::thread::scope(|scope| {
            let look = |worker: usize| {
                let first = at + worker * share;
                let seer = &seer;
                scope.spawn(move || seer.look(first..first + share, runs.again()))
            };
            let workers: Vec<_> = (0..jobs).map(look).collect();
            let shares = workers.into_iter();
            shares
                .map(|worker| worker.join().expect("looking ahead does not fail"))
                .collect()
        });
        let least = shares.iter().map(|share| share.seen.len()).min();
        self.ahead.manageable = least.filter(|least| *least < share);
        self.ahead.shares = shares;
    }
}

/// What a worker needs to know.
struct Seer<'a, 's> {
    store: &'a Store,
    coding: &'a Coding,
    turns: &'a [Turn],
    directs: &'a [Attempt],
    programs: &'a [Compiled<'s>],
    acted: &'a [bool],
    claims: Vec<&'a Compiled<'s>>,
    premises: Vec<&'a Compiled<'s>>,
    constraints: Vec<&'a Compiled<'s>>,
}

impl Seer<'_, '_> {
    fn look(&self, states: Range<usize>, mut runs: Runs) -> Share {
        let first = states.start;
        let mut seen = VecDeque::with_capacity(states.len());
        for at in states {
            if runs.emitted.len() > MOST_WORDS {
                break;
            }
            let before = runs.emitted.len();
            let found = self.foresee(self.store.state(at), &mut runs);
            if found.is_none() {
                runs.emitted.truncate(before);
            }
            seen.push_back(found);
        }
        Share {
            first,
            seen,
            emitted: runs.emitted,
            used: 0,
        }
    }

    /// What a state leads to; none if that is left to the search.
    fn foresee(&self, base: &[u64], runs: &mut Runs) -> Option<Seen> {
        let mut seen = Seen { steps: 0, taken: 0 };
        for (turn, direct) in self.turns.iter().zip(self.directs) {
            let (word, mask, none) = turn.count;
            if base[word] & mask == none {
                continue;
            }
            seen.taken += 1;
            if turn.guard.holds(base) {
                seen.steps += self.take(turn, direct, base, runs)?;
            }
        }
        let holds = |claim: &&Compiled<'_>| self.is_true(claim, base, runs) == Some(true);
        let good = self.claims.iter().chain(&self.constraints).all(holds);
        let fails = |claim: &&Compiled<'_>| self.is_true(claim, base, runs) == Some(false);
        (good && self.premises.iter().all(fails) && seen.steps > 0).then_some(seen)
    }

    /// Takes an async; gives how many states it leads to.
    fn take(&self, turn: &Turn, direct: &Attempt, base: &[u64], runs: &mut Runs) -> Option<u32> {
        if let Attempt::Direct(direct) = direct {
            match direct.run(base, &mut runs.emitted) {
                Came::Blocked => return Some(0),
                Came::State => return Some(1),
                Came::Misfit => return None,
            }
        }
        let Compiled::Program(program) = self.programs.get(turn.ground)? else {
            return None;
        };
        let before = runs.emitted.len();
        let ran = runs.run(program, base, Some(turn.ground), &mut &*self.coding);
        if ran == Ran::Bailed || runs.has_new_marks() {
            runs.unmark();
            return None;
        }
        let steps = (runs.emitted.len() - before) / base.len();
        let action = self.coding.asyncs.all()[turn.ground].action.index();
        (steps == 0 || self.acted[action]).then_some(steps as u32)
    }

    fn is_true(&self, claim: &Compiled<'_>, base: &[u64], runs: &mut Runs) -> Option<bool> {
        let Compiled::Program(program) = claim else {
            return None;
        };
        let states = runs.emitted.len();
        let ran = runs.run(program, base, None, &mut &*self.coding);
        let is_true = runs.emitted.len() > states;
        runs.emitted.truncate(states);
        (ran == Ran::Well).then_some(is_true)
    }
}
