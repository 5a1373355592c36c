//! The search: breadth first, level by level, over roots.
//!
//! The loop has no expressions: it takes a root apart, looks up what can happen in each capsule, what batches do to
//! the capsules of their receivers, and the pairs on the way to the root. States, steps, depth and final
//! states are counted as in [`plainsong_semantics::search`].
//!
//! The levels are kept for the first states, and forgotten after that. When something is found later on, the search begins
//! again and keeps them ([`Again`]).

mod ahead;
mod beyond_memory;
mod checkpoint;
mod fewer;
mod telling;

use super::claims::Claims;
use super::cuts::Cuts;
use super::disk::Disk;
use super::lane::{DISCARDS, FAILS, RUNS, STUTTERS, Signs};
use super::net::Net;
use super::roots::Roots;
use super::tables::{Values, unpack};
use super::told::Told;
use super::tree::Tree;
use crate::Manner;
use ahead::Ahead;
use checkpoint::Place;
use plainsong_semantics::machine::{Config, Outcome};
use plainsong_semantics::search::{
    Check, Completeness, Findings, Limits, PACE, Progress, Query, Watch,
};
use plainsong_semantics::vacuity::Premise;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Levels are kept for so many times as many states as [`Manner::ways`] says: a root is small.
const WAYS: u64 = 64;
/// After a mistake about dead messages the search goes on at least to so many states, to learn.
const LEARNS: u64 = 50_000;
/// How many states are looked at between two looks at the memory.
const MEMORY_PACE: u64 = 4_096;
/// A state with many steps counts for more than one: so many of its steps are as much work as one state.
const STEPS_A_STATE: u64 = 16;

/// Why messages are kept: claims count them.
pub(super) const COUNTED: &str = "a property counts messages in flight";
/// Why messages are kept: taking one that changes nothing makes a difference.
pub(super) const STEPS: &str = "a property is false of steps that change nothing";

/// Why a search has to begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Something was found, but it was not kept how that was reached.
    Ways,
    /// A message was dropped that can matter.
    Wrong,
    /// Messages were dropped, but that makes a difference, for this reason.
    Kept(&'static str),
    /// There are many states, and the order of steps seems to matter little.
    Order,
    /// A file could not be read.
    NoDisk,
}

/// A search in progress.
pub(super) struct Search<'a, 'm> {
    net: &'a mut Net<'m>,
    tree: Tree,
    roots: Roots,
    claims: Claims<'a>,
    pub(super) cuts: Cuts<'a>,
    /// Steps of the farthest state after `init`.
    deepest: usize,
    /// States before `init`.
    before: Values<Config>,
    /// States at the start, where there is no `init`.
    starts: Vec<Config>,
    /// The roots of each level, as long as they are kept; of the last ones always.
    levels: Vec<Vec<u64>>,
    pub(super) keeps_ways: bool,
    has_ways: bool,
    /// Why messages are kept after all, if that was found out on the way.
    pub(super) kept: Option<&'static str>,
    /// Where to go on, if not at the start.
    place: Option<Place>,
    /// Was it asked whether the order of steps matters?
    asked_about_order: bool,
    /// Where that is made use of: the states of the next level.
    next_level: FxHashSet<u64>,
    /// What it is called among the searches of an instance.
    name: String,
    manner: Manner<'a>,
    /// Where states go when memory ends.
    disk: Option<Disk<'a>>,
    most: u64,
    full: bool,
    steps: u64,
    /// How much work is left until the next look at the limits.
    until_look: u64,
    /// How many states there were when a mistake about dead messages was seen.
    wrong_at: Option<u64>,
    /// Failures that were told, by process and capsule.
    told: FxHashSet<(usize, u32)>,
    /// Inboxes that were left over.
    left: FxHashSet<(usize, u32)>,
    /// Premises that were true.
    pub(super) met: FxHashSet<usize>,
    is_enough: bool,
    /// For how many states those that are kept stand.
    pub(super) stand_for: u128,
    /// How often a check was violated up to names, but by no real execution that was found.
    pub(super) tries: BTreeMap<Check, u32>,
    scratch: Scratch,
}

/// Room for one state and what follows.
#[derive(Default)]
struct Scratch {
    base: Vec<u32>,
    next: Vec<u32>,
    changed: Vec<bool>,
    roots: Vec<u64>,
    /// Up to names: for each of the roots, the row before it was renamed, and for how many states it stands.
    rows: Vec<u32>,
    orbits: Vec<u128>,
}

impl Scratch {
    fn new(nodes: usize) -> Self {
        Scratch {
            base: vec![0; nodes],
            next: vec![0; nodes],
            changed: vec![false; nodes],
            ..Scratch::default()
        }
    }
}

impl<'a, 'm> Search<'a, 'm> {
    pub(super) fn new(
        net: &'a mut Net<'m>,
        query: &Query,
        premises: &[Premise],
        (manner, keeps_ways): (Manner<'a>, bool),
    ) -> Self
    where
        'm: 'a,
    {
        let tree = Tree::new(net.lanes.len());
        let nodes = tree.nodes();
        let instance = net.processes.machine().instance();
        Search {
            claims: Claims::new(instance, &query.checks, premises),
            cuts: Cuts::new(instance, net.lanes.len()),
            deepest: 0,
            scratch: Scratch::new(nodes),
            stand_for: 0,
            tries: BTreeMap::new(),
            net,
            tree,
            roots: Roots::default(),
            before: Values::default(),
            starts: Vec::new(),
            levels: vec![Vec::new()],
            keeps_ways,
            has_ways: true,
            kept: None,
            place: None,
            asked_about_order: false,
            next_level: FxHashSet::default(),
            name: String::new(),
            manner,
            disk: manner
                .scratch
                .map(|scratch| Disk::new(scratch, manner.in_memory)),
            most: u64::MAX,
            full: false,
            steps: 0,
            until_look: 0,
            wrong_at: None,
            told: FxHashSet::default(),
            left: FxHashSet::default(),
            met: FxHashSet::default(),
            is_enough: false,
        }
    }

    /// Calls it so among the searches of an instance.
    pub(super) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// How many states there are that are not cut off.
    pub(super) fn states(&self) -> u64 {
        let on_disk = self.disk.as_ref().and_then(Disk::total);
        on_disk.unwrap_or(self.roots.len()) - self.cuts.count
    }

    /// Steps taken.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps from the start to the farthest state.
    pub(super) fn depth(&self) -> u64 {
        let has_begun = u64::from(self.roots.len() > 0 || self.is_on_disk());
        self.deepest as u64 + u64::from(!self.before.is_empty()) * has_begun
    }

    /// How many bytes the states take.
    fn bytes(&self) -> u64 {
        let candidates = self.disk.as_ref().map_or(0, Disk::bytes);
        self.roots.bytes() + candidates + self.bytes_that_stay()
    }

    /// The same of what does not go to disk.
    fn bytes_that_stay(&self) -> u64 {
        let levels = self.levels.iter().map(|level| 8 * level.capacity() as u64);
        let next = 9 * self.next_level.capacity() as u64;
        self.tree.bytes() + self.net.bytes() + levels.sum::<u64>() + next
    }

    /// Looks at every state.
    pub(super) fn explore(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        watch: &mut dyn Watch,
    ) -> Result<Completeness, Again> {
        self.most = limits.states;
        let place = match self.place.take() {
            Some(place) => place,
            None => {
                self.begin(findings, limits)?;
                Place::default()
            }
        };
        let (mut depth, mut first) = (place.depth, place.at);
        while !self.levels[depth].is_empty() {
            if self.levels.len() == depth + 1 {
                self.levels.push(Vec::new());
            }
            let mut ahead = Ahead::default();
            if self.net.order.is_on {
                self.next_level.extend(&self.levels[depth + 1]);
            }
            for at in std::mem::take(&mut first)..self.levels[depth].len() {
                if self.is_enough {
                    return Ok(Completeness::Enough);
                }
                if let Some(ends) = self.look_up(findings, watch, depth, at) {
                    return Ok(ends);
                }
                if self.manner.jobs > 1 && ahead.is_over(at) {
                    ahead = self.look_ahead(depth, at);
                }
                let root = self.levels[depth][at];
                let before = self.steps;
                self.state(findings, limits, (root, depth), &mut ahead)?;
                let work = 1 + (self.steps - before) / STEPS_A_STATE;
                self.until_look = self.until_look.saturating_sub(work);
                self.learn()?;
            }
            match self.leave(depth) {
                Ok(true) => depth += 1,
                Ok(false) => continue,
                Err(why) => return Ok(Completeness::Resource(why)),
            }
            self.next_level.clear();
            self.ask_about_order(depth)?;
        }
        if self.net.is_wrong {
            return Err(Again::Wrong);
        }
        if self.is_enough {
            return Ok(Completeness::Enough);
        }
        Ok(findings.completeness(self.full))
    }

    /// Asks whether to go on.
    fn look_up(
        &mut self,
        findings: &mut Findings<'_>,
        watch: &mut dyn Watch,
        depth: usize,
        at: usize,
    ) -> Option<Completeness> {
        if at == 0 || self.until_look == 0 {
            self.until_look = PACE;
            findings.tell(watch);
            let waiting = self.levels[depth].len() - at + self.levels[depth + 1].len();
            let progress = Progress {
                states: self.states(),
                waiting: waiting as u64,
                steps: self.steps,
                depth: depth as u64 + u64::from(!self.before.is_empty()),
            };
            if !watch.keep_going(&progress) {
                return Some(Completeness::Stopped);
            }
            self.keep(findings, watch, Place { depth, at });
        }
        let is_time = (at as u64).is_multiple_of(MEMORY_PACE);
        let limit = self.limit();
        let is_over = is_time && self.manner.memory.is_some() && self.bytes() > limit;
        if !is_over && !self.has_too_many() {
            return None;
        }
        match self.make_room(limit, depth) {
            Ok(true) => None,
            Ok(false) if !is_over => None,
            Ok(false) => Some(Completeness::Resource(self.is_too_much(limit))),
            Err(why) => Some(Completeness::Resource(why)),
        }
    }

    /// Begins again once enough was learnt from a mistake.
    fn learn(&mut self) -> Result<(), Again> {
        if !self.net.is_wrong {
            return Ok(());
        }
        let states = self.states();
        let first = *self.wrong_at.get_or_insert(states);
        match states >= LEARNS.max(2 * first) {
            true => Err(Again::Wrong),
            false => Ok(()),
        }
    }

    /// Enters the states at the start and takes the steps of `init`.
    fn begin(&mut self, findings: &mut Findings<'_>, limits: &Limits) -> Result<(), Again> {
        let processes = self.net.processes;
        for outcome in processes.initial(&mut self.net.marks) {
            match outcome {
                Outcome::Failed(failure, config) => findings.failed_start(failure, config),
                Outcome::Discarded => {}
                Outcome::Next(config) if !processes.has_begun(&config) => {
                    self.before.insert(config);
                }
                Outcome::Next(config) => {
                    self.starts.push(config.clone());
                    self.enter_start(findings, limits, &config)?;
                }
            }
        }
        for at in 0..self.before.len() {
            let config = self.before[at].clone();
            let steps = processes.steps(&config, &mut self.net.marks);
            let there = Told::there(config);
            findings.state(&there, 0, &steps);
            for (number, step) in steps.into_iter().enumerate() {
                self.steps += 1;
                match step.outcome {
                    Outcome::Next(next) => self.enter_start(findings, limits, &next)?,
                    Outcome::Failed(failure, _) => {
                        findings.failed_step(&there, 0, number, failure);
                    }
                    Outcome::Discarded => {}
                }
            }
        }
        self.note_refuted(findings, limits);
        Ok(())
    }

    fn enter_start(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        config: &Config,
    ) -> Result<(), Again> {
        let mut nodes = self.net.encode(config);
        let orbit = self.net.represent(&mut nodes);
        nodes.resize(self.tree.nodes(), 0);
        let root = self
            .tree
            .fold(&mut nodes, &mut vec![true; self.tree.nodes()]);
        if !self.add(root) {
            return Ok(());
        }
        let news = self.claims.first(self.net, &nodes);
        if !self.cuts.is_cut(self.net, &news, &nodes) {
            self.levels[0].push(root);
            self.stand_for = self.stand_for.saturating_add(orbit);
        }
        self.tell(findings, limits, (root, 0), &news)
    }

    /// Adds a state; says whether it is new, and there was room.
    #[inline]
    fn add(&mut self, root: u64) -> bool {
        let (left, right) = unpack(root);
        if !self.is_on_disk() && self.roots.len() >= self.most {
            self.full |= !self.roots.has(left, right);
            return false;
        }
        self.roots.add(left, right)
    }

    /// Looks at one state, and enters what follows.
    fn state(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        ahead: &mut Ahead,
    ) -> Result<(), Again> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (signs, steps) = match ahead.has_more() {
            true => self.follow_ahead(root, ahead, &mut scratch),
            false if self.net.order.is_on && !self.is_on_disk() => {
                self.follow_fewer(root, &mut scratch)
            }
            false => self.follow(root, &mut scratch),
        };
        self.steps += steps;
        let mut done = Ok(());
        if self.claims.are_about_steps() {
            done = self.steps_from(findings, limits, (root, depth), (&mut scratch, signs));
        }
        for at in 0..scratch.roots.len() {
            let next = scratch.roots[at];
            if done.is_err() {
                break;
            }
            if !self.add(next) {
                continue;
            }
            if !self.is_on_disk() {
                self.deepest = depth + 1;
            }
            let row = match self.net.names {
                None => {
                    self.tree.unfold(next, &mut scratch.next);
                    &scratch.next[..]
                }
                // Claims have the same truth in every naming, and fewer processes have changed in this one.
                Some(_) => {
                    let slots = self.net.lanes.len();
                    &scratch.rows[at * slots..(at + 1) * slots]
                }
            };
            let news = self.claims.after(self.net, &scratch.base, row);
            if self.is_on_disk() {
                self.note_candidate(next);
            } else if !self.cuts.is_cut(self.net, &news, row) {
                self.levels[depth + 1].push(next);
                if self.net.order.is_on {
                    self.next_level.insert(next);
                }
                let orbit = scratch.orbits.get(at).copied().unwrap_or(1);
                self.stand_for = self.stand_for.saturating_add(orbit);
            }
            if !news.is_empty() {
                done = self.tell(findings, limits, (next, depth + 1), &news);
            }
        }
        let row = scratch.base.clone();
        self.scratch = scratch;
        done?;
        if signs & FAILS != 0 {
            self.failures(findings, limits, (root, depth), &row)?;
        }
        if signs & RUNS == 0 && signs & DISCARDS != 0 {
            findings.cut_off();
        }
        if signs & (RUNS | DISCARDS) == 0 {
            self.rest(findings, limits, (root, depth), &row, signs)?;
        }
        Ok(())
    }

    /// Looks at what is claimed about the steps out of a state.
    fn steps_from(
        &mut self,
        findings: &mut Findings<'_>,
        limits: &Limits,
        (root, depth): (u64, usize),
        (scratch, signs): (&mut Scratch, Signs),
    ) -> Result<(), Again> {
        let Scratch {
            base,
            next,
            roots,
            rows,
            ..
        } = scratch;
        // Whoever takes a message that was dropped takes a step that changes nothing.
        if (self.net.drops || signs & STUTTERS != 0)
            && !self.claims.step(self.net, base, base).is_empty()
        {
            if self.net.drops {
                return Err(Again::Kept(STEPS));
            }
            self.tell_steps(findings, limits, (root, depth), base)?;
        }
        let slots = self.net.lanes.len();
        for (at, after) in roots.iter().enumerate() {
            self.tree.unfold(*after, next);
            let row = match self.net.names {
                None => &next[..],
                Some(_) => &rows[at * slots..(at + 1) * slots],
            };
            if !self.claims.step(self.net, base, row).is_empty() {
                self.tell_steps(findings, limits, (root, depth), next)?;
            }
        }
        Ok(())
    }

    /// The roots of all states that follow one, except those known at first sight; its signs, and how many steps there are.
    #[inline]
    fn follow(&mut self, root: u64, scratch: &mut Scratch) -> (Signs, u64) {
        let Scratch {
            base,
            next,
            changed,
            roots,
            rows,
            orbits,
        } = scratch;
        roots.clear();
        rows.clear();
        orbits.clear();
        self.tree.unfold(root, base);
        let last = self.net.lanes.len() - 1;
        let (mut signs, mut steps) = (0, 0);
        for slot in 0..=last {
            let expansion = self.net.expansion(slot, base[slot]);
            signs |= expansion.signs;
            steps += u64::from(expansion.steps);
            for at in expansion.first..expansion.first + expansion.count {
                let row = (&base[..], &mut next[..], &mut changed[..]);
                let Some(more) = self.take(slot, at, row) else {
                    continue;
                };
                steps += more;
                if self.net.names.is_some() {
                    let known = rows.len();
                    rows.extend_from_slice(&next[..=last]);
                    let orbit = self.net.represent(&mut next[..=last]);
                    changed.fill(true);
                    let root = self.tree.fold(next, changed);
                    let (left, right) = unpack(root);
                    let is_known = self.roots.is_at_first_sight(left, right);
                    if is_known && !self.claims.are_about_steps() {
                        rows.truncate(known);
                    } else {
                        roots.push(root);
                        orbits.push(orbit);
                    }
                    continue;
                }
                roots.push(self.tree.fold(next, changed));
            }
        }
        if self.claims.are_about_steps() || self.net.names.is_some() {
            return (signs, steps);
        }
        let known = &self.roots;
        roots.retain(|root| {
            let (left, right) = unpack(*root);
            !known.is_at_first_sight(left, right)
        });
        (signs, steps)
    }

    /// Takes an outcome in a row: the leaves after it, and which have changed. Says how many steps of a fault it stands for; none
    /// if that may not happen.
    #[inline]
    fn take(
        &mut self,
        slot: usize,
        at: u32,
        (base, next, changed): (&[u32], &mut [u32], &mut [bool]),
    ) -> Option<u64> {
        let last = self.net.lanes.len() - 1;
        let outcome = self.net.lanes[slot].outcomes[at as usize];
        next.copy_from_slice(base);
        changed.fill(false);
        next[slot] = outcome.after;
        changed[slot] = true;
        let mut steps = 0;
        if outcome.fault > 0 {
            next[last] = self.net.spend(next[last], outcome.fault - 1)?;
            changed[last] = true;
            steps = u64::from(outcome.times);
        }
        if outcome.sends != 0 {
            let count = self.net.sends.get(outcome.sends).len();
            for at in (0..count).step_by(2) {
                let sends = self.net.sends.get(outcome.sends);
                let (to, batch) = (sends[at] as usize, sends[at + 1]);
                next[to] = self.net.deliver(to, next[to], batch);
                changed[to] = true;
            }
        }
        Some(steps)
    }

    /// The way to a state of some level.
    fn way(&mut self, root: u64, depth: usize) -> Result<Told, Again> {
        if self.net.is_wrong {
            return Err(Again::Wrong);
        }
        if !self.has_ways {
            return Err(Again::Ways);
        }
        // States on the way are numbered, whether or not a question led there.
        self.net.journal.has_strangers = true;
        let mut way = vec![root];
        let mut scratch = Scratch::new(self.tree.nodes());
        let known = std::mem::take(&mut self.roots);
        for level in (0..depth).rev() {
            let target = way[way.len() - 1];
            match self.state_before(target, level, &mut scratch) {
                Ok(before) => way.push(before),
                Err(again) => {
                    self.roots = known;
                    return Err(again);
                }
            }
        }
        self.roots = known;
        let mut rows = way.iter().rev().map(|root| {
            let mut nodes = vec![0; self.tree.nodes()];
            self.tree.unfold(*root, &mut nodes);
            nodes.truncate(self.net.lanes.len());
            nodes
        });
        let first = rows.next().expect("a way has a state");
        let rows: Vec<Vec<u32>> = rows.collect();
        let mut told = self.start(&first);
        for row in rows {
            let is_there = told.go_to(self.net, &row);
            if self.net.is_wrong {
                return Err(Again::Wrong);
            }
            assert!(is_there, "a state is found by a step of the interpreter");
        }
        Ok(told)
    }

    /// The start of a way: a state with this row.
    fn start(&mut self, row: &[u32]) -> Told {
        for start in &self.starts {
            if self.net.encode_up_to_names(start) == row {
                return Told::there(start.clone());
            }
        }
        for before in &self.before {
            let mut told = Told::there(before.clone());
            if !told.go_first(self.net, row) {
                continue;
            }
            return told;
        }
        panic!("a state at the start is found again")
    }
}
