//! Index loop: a loop with a number of rounds, each served by whichever member comes.
//!
//! Statement. `c` is at `for i in K { A }`. Take an arbitrary round: forget what `A` assigns, and what the
//! remaining code of every family assigns; a receive from any member in `A` may unfold one member. If every
//! path ends with `A` done, everybody else where they were, and every unfolded member where its family is
//! with exactly the messages it had, the loop is over. Where a round replaces such a message by one with another
//! content, nothing is known of the content, before the loop or after it. What members or `c` send to a frozen third party is
//! kept as one message per round.
//!
//! Why sound. Induction over the rounds; which member is served may differ from round to round, so nothing
//! that a member's code changes may be relied on (S3), and its waiting messages must be as they were (S13b;
//! traps `i1`, `i2`). Every sort has at least one member, so somebody serves the round (S14).
//!
//! Source. [Brisk17] rule Loop-repeat.

use super::fold::Renaming;
use super::havoc::Drift;
use super::set_loop::Loop;
use super::{Engine, Scene};
use crate::derivation_log::{Event, Story};
use crate::process_code::{Over, Place, Var};
use crate::state::{Index, QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Value};
use plainsong_ir::FamilyId;
use std::collections::{BTreeMap, BTreeSet};

/// What rounds leave behind, by queue, with families in the place of members.
type Left = BTreeMap<Chan, Vec<QueuedMessage>>;

impl Engine<'_> {
    pub(super) fn index_loop(
        &mut self,
        state: &SymbolicState,
        this: Loop,
        scene: &Scene,
    ) -> Result<SymbolicState, Stuck> {
        self.rounds(state, this, scene, &BTreeSet::new(), &Drift::new())
    }

    /// The loop, when nothing is known of the messages that wait in some queues, and of some variables.
    fn rounds(
        &mut self,
        state: &SymbolicState,
        this: Loop,
        scene: &Scene,
        vague: &BTreeSet<Chan>,
        vague_vars: &Drift,
    ) -> Result<SymbolicState, Stuck> {
        let owner = this.at.comp;
        let index = match this.over {
            Over::Rounds(rounds) => Index::Rounds(rounds),
            Over::Members(family) | Over::SizeOf(family) => Index::Members(family),
        };
        let assigned = self.part(owner).assigned(this.body);
        let mut round = state.clone();
        self.forget(&mut round, owner, &assigned);
        self.forget_families(&mut round);
        let name = self.fresh(owner, self.ty(owner, Var::Local(this.local)));
        round.env.insert((owner, Var::Local(this.local)), name);
        round
            .places
            .insert(owner, Place::start(self.part(owner), this.body));
        round.story = Story::default();
        round.used.clear();
        round.taken.retain(|(who, _)| *who != owner);
        round.active.clear();
        round.may_unfold = self
            .gathered(owner, this)
            .into_iter()
            .map(|one| (owner, one))
            .collect();
        let mut frozen = scene.frozen.clone();
        for &comp in round.places.keys() {
            if comp != owner && (comp.is_rest() || !self.is_daemon(&round, comp)) {
                frozen.insert(comp);
            }
        }
        let inside = Scene {
            frozen,
            owner: Some(owner),
            index: Some(index),
            depth: scene.depth + 1,
            beyond: None,
            focus: scene.focus,
            closed: scene.closed,
            halts: scene.halts.clone(),
        };
        let begin = round.clone();
        let leaves = self.run(round, &inside)?;
        let changed = changed(state, &leaves);
        let mut drift = self.drift(&begin, &leaves, &[owner]);
        drift.retain(|(comp, _)| !comp.is_rest());
        if !changed.is_subset(vague) || !drift.is_subset(vague_vars) {
            let mut start = state.clone();
            self.forget_drift(&mut start, &drift);
            let vague_vars = vague_vars.union(&drift).copied().collect();
            for chan in &changed {
                self.forget_queue(&mut start, *chan);
            }
            let vague = vague.union(&changed).copied().collect();
            return self.rounds(&start, this, scene, &vague, &vague_vars);
        }
        let mut lefts: Vec<Left> = Vec::new();
        let mut shape = None;
        for leaf in &leaves {
            self.round_is_over(state, leaf, this, &[], None)?;
            let members = unfolded(state, leaf);
            self.back_home(state, leaf, &members, this.span)?;
            self.bags_fit(state, leaf, Some(index), this.span)?;
            self.stale_is_about(state, leaf, None, this.span)?;
            self.pins_are_known(state, leaf, this.span)?;
            let left = self.left_over(state, leaf, &members, this, &inside)?;
            let lengths = |left: &Left| {
                left.iter()
                    .map(|(chan, one)| (*chan, one.len()))
                    .collect::<Vec<_>>()
            };
            let families: Vec<FamilyId> = members.iter().map(|comp| comp.family).collect();
            let bags: Vec<(Chan, usize)> = leaf
                .bags
                .iter()
                .map(|(chan, bag)| (*chan, bag.len()))
                .collect();
            let found = (lengths(&left), bags, families);
            if shape.as_ref().is_some_and(|shape| *shape != found) {
                let sentence = "the rounds of this loop do not all end alike";
                return Err(Stuck::new(Obstacle::StatefulLoop, this.span, sentence));
            }
            shape = Some(found);
            lefts.push(left);
        }
        if leaves.is_empty() {
            return Err(self.all_fail(this.span));
        }
        let mut after = state.clone();
        self.advance_place(&mut after, owner);
        self.forget_families(&mut after);
        self.forget_changes(&mut after, state, &leaves, owner);
        self.remember_heard(&mut after, state, &leaves);
        self.remember_strangers(&mut after, &leaves);
        after.bags = leaves[0].bags.clone();
        let gone = leaves.iter().flat_map(|leaf| leaf.places.keys().copied());
        let gone = gone
            .filter(|comp| !state.places.contains_key(comp))
            .collect();
        let renaming = Renaming::new(state, gone);
        self.leave_per_round(&mut after, &lefts, index, &renaming, owner, this.span)?;
        self.forget(&mut after, owner, &assigned);
        self.forget(&mut after, owner, &BTreeSet::from([Var::Local(this.local)]));
        let stories: Vec<Story> = leaves.iter().map(|leaf| leaf.story.clone()).collect();
        after.story.push(Event::Repeat {
            at: this.at,
            partner: None,
            over: this.over,
            leaves: stories.into(),
        });
        Ok(after)
    }

    /// Forgets whatever the remaining code of families assigns.
    fn forget_families(&mut self, state: &mut SymbolicState) {
        let families: Vec<Comp> = state
            .places
            .keys()
            .copied()
            .filter(|comp| comp.is_rest())
            .collect();
        for family in families {
            let vars = self.part(family).assigned_after(&state.places[&family]);
            self.forget(state, family, &vars);
        }
    }

    /// Forgets what the rounds of a loop changed in daemons and others.
    pub(super) fn forget_changes(
        &mut self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
        owner: Comp,
    ) {
        for leaf in leaves {
            for (&(comp, var), value) in &leaf.env {
                let other = comp != owner && !comp.is_rest() && before.places.contains_key(&comp);
                if other && before.env.get(&(comp, var)) != Some(value) {
                    let fresh: Value = self.fresh(comp, self.ty(comp, var));
                    after.env.insert((comp, var), fresh);
                }
            }
        }
    }

    /// The families from whose members the body of a loop receives.
    fn gathered(&self, owner: Comp, this: Loop) -> BTreeSet<FamilyId> {
        let ops = self.part(owner).ops(this.body);
        let accepts = ops.into_iter().flat_map(|op| op.kind.accepts());
        accepts
            .filter_map(|accept| self.senders.get(&accept.span).copied())
            .filter(|family| self.score.parts[family].sort.is_some())
            .collect()
    }

    /// What a round leaves for frozen third parties; anything else must be as it was.
    fn left_over(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        members: &BTreeSet<Comp>,
        this: Loop,
        inside: &Scene,
    ) -> Result<Left, Stuck> {
        let owner = this.at.comp;
        let mut chans: BTreeSet<Chan> = leaf
            .queues
            .keys()
            .chain(before.queues.keys())
            .copied()
            .collect();
        for member in members {
            let mine = before
                .queues
                .keys()
                .filter(|chan| chan.touches(member.rest()));
            let mine: Vec<Chan> = mine
                .map(|chan| chan.replace(member.rest(), *member))
                .collect();
            chans.extend(mine);
        }
        let mut left = Left::new();
        for chan in chans {
            let has = leaf.queues.get(&chan).map_or(&[][..], Vec::as_slice);
            let touched = members.iter().any(|member| chan.touches(*member));
            let home = if touched { chan.general() } else { chan };
            let had = before.queues.get(&home).map_or(&[][..], Vec::as_slice);
            let is_out =
                inside.frozen.contains(&chan.to) && chan.to != owner && !members.contains(&chan.to);
            let from_here = if touched {
                members.contains(&chan.from)
            } else {
                chan.from == owner
            };
            if is_out && from_here && has.len() >= had.len() {
                if has.len() > had.len() {
                    let mut new = has[had.len()..].to_vec();
                    if touched {
                        for waiting in &mut new {
                            let values = waiting.values.iter();
                            waiting.values = values
                                .map(|value| value.replace(chan.from, chan.from.rest()))
                                .collect();
                        }
                    }
                    left.insert(home, new);
                }
            } else if touched && has.len() != had.len() {
                let sentence = format!(
                    "a round of this loop changes the `{}` that wait between {} and {}",
                    self.message(chan.message),
                    self.call(chan.from),
                    self.call(chan.to)
                );
                return Err(Stuck::new(Obstacle::LateMessage, this.span, sentence));
            } else if !touched && has != had {
                return Err(self.superfluous(chan, this.span));
            }
        }
        Ok(left)
    }
}

/// The members that were unfolded in a round.
fn unfolded(before: &SymbolicState, leaf: &SymbolicState) -> BTreeSet<Comp> {
    let comps = leaf.places.keys().copied();
    comps
        .filter(|comp| !before.places.contains_key(comp))
        .collect()
}

/// Queues of families in which rounds replace a message by one that says something else.
fn changed(before: &SymbolicState, leaves: &[SymbolicState]) -> BTreeSet<Chan> {
    let mut changed = BTreeSet::new();
    for leaf in leaves {
        for member in unfolded(before, leaf) {
            let mine = leaf.queues.iter().filter(|(chan, _)| chan.touches(member));
            for (chan, queue) in mine {
                let home = chan.general();
                let had = before.queues.get(&home).map_or(&[][..], Vec::as_slice);
                let other = had.iter().zip(queue).any(|(old, new)| {
                    let values = new.values.iter();
                    let values = values.map(|value| value.replace(member, member.rest()));
                    old.sent != new.sent && !values.eq(old.values.iter().cloned())
                });
                if other {
                    changed.insert(home);
                }
            }
        }
    }
    changed
}
