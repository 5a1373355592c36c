//! Looking ahead: what the next states of a level lead to, looked up by several workers.
//!
//! A worker only reads: expansions, deliveries, pairs and roots that are known. What it cannot look up, it leaves to the search as
//! a *gap*, which is filled in its place. The search then enters everything in the order of the states, and works out what is new in that
//! order too. So all numbers, counts and findings are those of one worker, whatever the number of workers.
//!
//! *Why nothing goes stale.* Numbers are given once, and what was worked out of them is never changed while a search goes on; a root that
//! is known stays known. When the search begins again, what was foreseen is thrown away.
//!
//! NOT COVERED. States up to names, and fewer steps where their order does not matter: there one worker does everything. Entering states, and what cannot be looked up, is left to one
//! worker: about half of the time in a model of Raft, which bounds what more workers gain.

use super::super::lane::{Outcome, Signs};
use super::super::net::Net;
use super::super::roots::Roots;
use super::super::tables::unpack;
use super::super::tree::Tree;
use super::{Scratch, Search};

/// The most states to look ahead at a time, for each worker.
const MOST: usize = 8_192;
/// A gap: what follows says which outcome. No root is this number, since no number of a pair is the largest.
const GAP: u64 = u64::MAX;

/// What was foreseen of some states of a level.
#[derive(Default)]
pub(super) struct Ahead {
    shares: Vec<Share>,
    /// The states it is about.
    first: usize,
    end: usize,
    /// Where to go on: the share, the state in it, and the root.
    at: (usize, usize, usize),
}

/// What one worker has foreseen.
#[derive(Default)]
struct Share {
    /// For each state: its signs and steps, and where its roots end; none if it has to be looked at anew.
    seen: Vec<Option<(Signs, u64, usize)>>,
    roots: Vec<u64>,
}

/// What workers read.
struct Known<'s, 'm> {
    net: &'s Net<'m>,
    tree: &'s Tree,
    roots: &'s Roots,
    /// Are states left out that are known at first sight?
    only_new: bool,
}

impl Ahead {
    /// Is a state beyond what was foreseen?
    pub(super) fn is_over(&self, at: usize) -> bool {
        !(self.first..self.end).contains(&at)
    }

    /// Was something foreseen of the next state?
    pub(super) fn has_more(&self) -> bool {
        !self.shares.is_empty()
    }

    /// What was foreseen of the next state.
    fn next(&mut self) -> Option<(Signs, u64, &[u64])> {
        let (share, state, root) = &mut self.at;
        if *state == self.shares[*share].seen.len() {
            (*share, *state, *root) = (*share + 1, 0, 0);
        }
        let of = &self.shares[*share];
        let (signs, steps, end) = of.seen[*state].unwrap_or((0, 0, *root));
        let is_seen = of.seen[*state].is_some();
        let roots = &of.roots[*root..end];
        (*state, *root) = (*state + 1, end);
        is_seen.then_some((signs, steps, roots))
    }
}

impl Search<'_, '_> {
    /// Lets workers look at the next states of a level, if they are many.
    pub(super) fn look_ahead(&self, depth: usize, first: usize) -> Ahead {
        let left = &self.levels[depth][first..];
        let jobs = self.manner.jobs.min(left.len() / self.manner.share.max(1));
        let mut ahead = Ahead {
            first,
            end: first,
            ..Ahead::default()
        };
        if jobs < 2 || self.net.names.is_some() || self.net.order.is_on {
            // Nobody looks ahead at what is left.
            ahead.end = usize::MAX;
            return ahead;
        }
        let each = left.len().div_ceil(jobs).min(MOST);
        let known = Known {
            net: &*self.net,
            tree: &self.tree,
            roots: &self.roots,
            only_new: !self.claims.are_about_steps(),
        };
        let known = &known;
        let mut parts = left.chunks(each).take(jobs);
        let own = parts.next().unwrap_or(&[]);
        let others: Vec<&[u64]> = parts.collect();
        ahead.end += own.len() + others.iter().map(|part| part.len()).sum::<usize>();
        ahead.shares = std::thread::scope(|scope| {
            let look = |part: &'_ [u64]| known.look_at(part);
            let workers: Vec<_> = others
                .into_iter()
                .map(|part| scope.spawn(move || known.look_at(part)))
                .collect();
            let mut shares = vec![look(own)];
            for worker in workers {
                match worker.join() {
                    Ok(share) => shares.push(share),
                    Err(panicked) => std::panic::resume_unwind(panicked),
                }
            }
            shares
        });
        ahead
    }

    /// The same as to [`follow`](Search::follow) the next state that was looked at ahead.
    pub(super) fn follow_ahead(
        &mut self,
        root: u64,
        ahead: &mut Ahead,
        scratch: &mut Scratch,
    ) -> (Signs, u64) {
        let Some((signs, mut steps, seen)) = ahead.next() else {
            return self.follow(root, scratch);
        };
        let Scratch {
            base,
            next,
            changed,
            roots,
            ..
        } = scratch;
        roots.clear();
        self.tree.unfold(root, base);
        let mut seen = seen.iter();
        while let Some(one) = seen.next() {
            if *one != GAP {
                roots.push(*one);
                continue;
            }
            let (slot, at) = unpack(*seen.next().expect("a gap says where it is"));
            let row = (&base[..], &mut next[..], &mut changed[..]);
            if let Some(more) = self.take(slot as usize, at, row) {
                steps += more;
                roots.push(self.tree.fold(next, changed));
            }
        }
        (signs, steps)
    }
}

impl Known<'_, '_> {
    fn look_at(&self, states: &[u64]) -> Share {
        let mut scratch = Scratch::new(self.tree.nodes());
        let mut share = Share::default();
        for root in states {
            let before = share.roots.len();
            let seen = self.follow(*root, &mut scratch, &mut share.roots);
            if seen.is_none() {
                share.roots.truncate(before);
            }
            let end = share.roots.len();
            let seen = seen.map(|(signs, steps)| (signs, steps, end));
            share.seen.push(seen);
        }
        share
    }

    /// The roots of the states that follow one, and gaps; none if it is not known what can happen.
    fn follow(
        &self,
        root: u64,
        scratch: &mut Scratch,
        roots: &mut Vec<u64>,
    ) -> Option<(Signs, u64)> {
        self.tree.unfold(root, &mut scratch.base);
        let (mut signs, mut steps) = (0, 0);
        for (slot, lane) in self.net.lanes.iter().enumerate() {
            let expansion = lane.expansion(scratch.base[slot])?;
            signs |= expansion.signs;
            steps += u64::from(expansion.steps);
            for at in expansion.first..expansion.first + expansion.count {
                let outcome = lane.outcomes[at as usize];
                match self.take(slot, outcome, scratch) {
                    None => roots.extend([GAP, (slot as u64) << 32 | u64::from(at)]),
                    Some(None) => {}
                    Some(Some((root, more))) => {
                        steps += more;
                        let (left, right) = unpack(root);
                        if !self.only_new || !self.roots.is_at_first_sight(left, right) {
                            roots.push(root);
                        }
                    }
                }
            }
        }
        Some((signs, steps))
    }

    /// The root after an outcome, with the steps of a fault; some none if the fault may not happen, none if it is not known.
    fn take(
        &self,
        slot: usize,
        outcome: Outcome,
        scratch: &mut Scratch,
    ) -> Option<Option<(u64, u64)>> {
        let Scratch {
            base,
            next,
            changed,
            ..
        } = scratch;
        let last = self.net.lanes.len() - 1;
        next.copy_from_slice(base);
        changed.fill(false);
        next[slot] = outcome.after;
        changed[slot] = true;
        let mut more = 0;
        if outcome.fault > 0 {
            let Some(spent) = self.net.known_spending(next[last], outcome.fault - 1)? else {
                return Some(None);
            };
            next[last] = spent;
            changed[last] = true;
            more = u64::from(outcome.times);
        }
        if outcome.sends != 0 {
            for send in self.net.sends.get(outcome.sends).chunks_exact(2) {
                let to = send[0] as usize;
                next[to] = self.net.lanes[to].deliveries.get(next[to], send[1])?;
                changed[to] = true;
            }
        }
        Some(Some((self.tree.fold_known(next, changed)?, more)))
    }
}
