//! Focus: what is left of a family talks to daemons only, one arbitrary member from start to end.
//!
//! Statement. No single process but daemons has anything left to do. Unfold a member `u`, forget what the
//! loops of daemons assign (and what `u` assigns if it stands at a loop), and run `u` with the daemons. If
//! every path ends with `u` at its end (or back at its loop), the daemons at their heads and no new
//! message anywhere, all members can be served, in any interleaving of their rounds.
//!
//! Why sound. Each conversation of a member with a daemon is closed (see `receive.rs`), so rounds of different
//! members do not depend on each other, and a daemon's round starts from any state (S3, S9, S13; traps `c3`,
//! `k1`, `z3`). A member that loops for ever is checked for one full round from any state; that is not vacuous:
//! the round must come to its end (S13).

use super::havoc::Drift;
use super::{Engine, Scene};
use crate::derivation_log::{At, Event, Story};
use crate::process_code::OpKind;
use crate::state::{QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp};
use plainsong_diagnostics::Span;
use std::collections::{BTreeMap, BTreeSet};

impl Engine<'_> {
    pub(super) fn focus(
        &mut self,
        state: &SymbolicState,
        family: Comp,
    ) -> Result<SymbolicState, Stuck> {
        self.focus_on(state, family, &Drift::new())
    }

    /// One member, when nothing is known of some variables of other families.
    fn focus_on(
        &mut self,
        state: &SymbolicState,
        family: Comp,
        vague: &Drift,
    ) -> Result<SymbolicState, Stuck> {
        let Some((at, kind, span)) = self.op(state, family) else {
            return Err(self.all_fail(Span::default()));
        };
        let loops = matches!(kind, OpKind::Loop(_));
        let mut round = state.clone();
        let u = self.unfold(&mut round, family.family);
        let start = round.places[&u].clone();
        round.story = Story::default();
        round.used.clear();
        round.consumed.clear();
        round.active = BTreeSet::from([u]);
        round.may_unfold.clear();
        if loops {
            let vars = self.part(u).assigned_after(&start);
            self.forget(&mut round, u, &vars);
            self.forget_messages(&mut round, u);
            self.tell_forgotten(&mut round, u, &vars);
        }
        let daemons: Vec<Comp> = state
            .places
            .keys()
            .copied()
            .filter(|comp| self.is_daemon(state, *comp))
            .collect();
        for daemon in &daemons {
            let vars = self.part(*daemon).assigned_after(&round.places[daemon]);
            self.forget(&mut round, *daemon, &vars);
        }
        let mut frozen = BTreeSet::new();
        for &comp in round.places.keys() {
            if comp != u && (comp.is_rest() || !self.is_daemon(&round, comp)) {
                frozen.insert(comp);
            }
        }
        let inside = Scene {
            frozen,
            depth: 1,
            focus: Some(u),
            ..Scene::default()
        };
        let begin = round.clone();
        let leaves = self.run(round, &inside)?;
        if leaves.is_empty() {
            return Err(self.all_fail(span));
        }
        let drift = self.drift_of_families(&begin, &leaves, &[u, family]);
        if !drift.is_subset(vague) {
            let mut state = state.clone();
            self.forget_drift(&mut state, &drift);
            let vague = vague.union(&drift).copied().collect();
            return self.focus_on(&state, family, &vague);
        }
        for leaf in &leaves {
            self.client_is_served(state, leaf, u, loops, &start)
                .map_err(|stuck| self.cause(stuck))?;
            self.bags_fit(state, leaf, None, span)?;
            self.nothing_new(state, leaf, u, loops, span)?;
            self.stale_is_about(state, leaf, (!loops).then_some(u), span)?;
            self.pins_are_known(state, leaf, span)?;
        }
        let mut after = state.clone();
        self.forget_chosen(&mut after, state, &leaves);
        if loops {
            after.reactive.insert(family.family);
            self.endless.insert(family.family);
        } else {
            after.places.insert(family, Default::default());
            after.queues.retain(|chan, _| !chan.touches(family));
        }
        for daemon in daemons {
            let vars = self.part(daemon).assigned_after(&after.places[&daemon]);
            self.forget(&mut after, daemon, &vars);
        }
        let vars = self.part(family).assigned_after(&state.places[&family]);
        self.forget(&mut after, family, &vars);
        let stories: Vec<Story> = leaves.iter().map(|leaf| leaf.story.clone()).collect();
        after.story.push(Event::Each {
            at: At { comp: family, ..at },
            family: family.family,
            member: u,
            second: u,
            rounds: true,
            with: None,
            leaves: stories.into(),
        });
        Ok(after)
    }

    /// Forgets what waits on the queues of a member: earlier rounds may have left it.
    fn forget_messages(&mut self, state: &mut SymbolicState, u: Comp) {
        let chans: Vec<Chan> = state.queues.keys().copied().collect();
        for chan in chans.into_iter().filter(|chan| chan.touches(u)) {
            self.forget_queue(state, chan);
        }
    }

    /// Forgets what the messages of a queue say.
    pub(super) fn forget_queue(&mut self, state: &mut SymbolicState, chan: Chan) {
        let fields = &self.score.voices.messages[chan.message.index()].fields;
        let mut queue = state.queues.remove(&chan).unwrap_or_default();
        for waiting in &mut queue {
            let values = fields.iter().map(|row| self.fresh(chan.from, &row.ty));
            waiting.values = values.collect();
        }
        state.queues.insert(chan, queue);
    }

    /// That somebody waits is mostly a consequence of a loop that could not be taken.
    pub(super) fn cause(&self, stuck: Stuck) -> Stuck {
        let mut failed = self.failed_loops.iter();
        let cause = failed.find(|one| one.obstacle != Obstacle::Blocked);
        cause.cloned().unwrap_or(stuck)
    }

    fn client_is_served(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        u: Comp,
        loops: bool,
        start: &crate::process_code::Place,
    ) -> Result<(), Stuck> {
        let is_over = if loops {
            leaf.places[&u] == *start
        } else {
            leaf.places[&u].is_end()
        };
        if !is_over {
            let (what, span) = self.about_to(leaf, u);
            let sentence = format!("{} {what} and is never served", self.call(u));
            let stuck = Stuck::new(Obstacle::Blocked, span, sentence);
            return Err(self.advised(stuck, leaf, u));
        }
        for (comp, place) in &leaf.places {
            let home = match before.places.get(comp) {
                Some(home) => home,
                None if *comp == u => continue,
                None => &before.places[&comp.rest()],
            };
            if place != home {
                let (what, span) = self.about_to(leaf, *comp);
                let sentence = format!(
                    "after serving {}, {} {what}",
                    self.call(u),
                    self.call(*comp)
                );
                return Err(Stuck::new(Obstacle::Blocked, span, sentence));
            }
        }
        Ok(())
    }

    fn nothing_new(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        u: Comp,
        loops: bool,
        span: Span,
    ) -> Result<(), Stuck> {
        let family = u.rest();
        // Messages of others are the same ones; of the member's there are as many.
        let waiting = |state: &SymbolicState| -> BTreeMap<Chan, Vec<u32>> {
            let others = state
                .queues
                .iter()
                .filter(|(chan, _)| !chan.touches(family));
            others
                .map(|(chan, queue)| (*chan, which(queue, chan.touches(u))))
                .collect()
        };
        let has = waiting(leaf);
        let mut had = waiting(before);
        if loops {
            for (chan, queue) in before
                .queues
                .iter()
                .filter(|(chan, _)| chan.touches(family))
            {
                had.insert(chan.replace(family, u), which(queue, true));
            }
        }
        if has == had {
            return Ok(());
        }
        let chans: BTreeSet<&Chan> = has.keys().chain(had.keys()).collect();
        let chan = chans
            .into_iter()
            .find(|chan| has.get(chan) != had.get(chan));
        Err(self.superfluous(*chan.expect("they differ somewhere"), span))
    }
}

/// Which messages wait, or only how many.
pub(super) fn which(queue: &[QueuedMessage], only_number: bool) -> Vec<u32> {
    let numbers = queue.iter().map(|waiting| waiting.sent);
    match only_number {
        true => numbers.map(|_| 0).collect(),
        false => numbers.collect(),
    }
}
