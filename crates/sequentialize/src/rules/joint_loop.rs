//! Joint loop: two single processes, or one and a whole family, go through loops with the same number of rounds together.
//!
//! Statement. Both are at a `for` over the same thing. Forget what both bodies assign and run the bodies
//! together, everybody else but the daemons being frozen. If every path ends with both done and all queues
//! as they were, both loops are over. Of a family no member is unfolded before, and every member goes through its body once:
//! after that it stands at its loop and goes no further. Where messages can be lost this is not tried.
//!
//! Why sound. Induction over the rounds, as for the other loops (S3, S4, S5; trap `c2`). That everybody ends a round before
//! anybody begins the next is one schedule among others. A member that is ahead does not confuse a receive from any member:
//! where the single process collects, a member that was heard does not send the kind again before it hears from
//! the collector, and what it does after its round is looked at as well, because it stands in its loop (S7; traps `j1` to
//! `j3`).

use super::havoc::Drift;
use super::set_loop::Loop;
use super::{Engine, Scene};
use crate::derivation_log::{Event, Story};
use crate::process_code::{OpKind, Over, Place, Var};
use crate::state::{Index, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::Comp;
use std::collections::BTreeSet;

impl Engine<'_> {
    /// The loop that a component is at.
    pub(super) fn loop_of(&self, state: &SymbolicState, comp: Comp) -> Option<Loop> {
        match self.op(state, comp)? {
            (at, OpKind::For { local, over, body }, span) => Some(Loop {
                at,
                local,
                over,
                body,
                span,
            }),
            _ => None,
        }
    }

    pub(super) fn joint_loop(
        &mut self,
        state: &SymbolicState,
        one: Loop,
        other: Loop,
    ) -> Result<SymbolicState, Stuck> {
        self.jointly(state, one, other, &Drift::new())
    }

    /// Both loops, when nothing is known of some variables of others.
    fn jointly(
        &mut self,
        state: &SymbolicState,
        one: Loop,
        other: Loop,
        vague: &Drift,
    ) -> Result<SymbolicState, Stuck> {
        let index = match one.over {
            Over::Rounds(rounds) => Index::Rounds(rounds),
            Over::Members(family) | Over::SizeOf(family) => Index::Members(family),
        };
        let owners = BTreeSet::from([one.at.comp, other.at.comp]);
        let mut round = state.clone();
        let mut after = state.clone();
        for this in [one, other] {
            let owner = this.at.comp;
            let mut vars = self.part(owner).assigned(this.body);
            self.forget(&mut round, owner, &vars);
            let name = self.fresh(owner, self.ty(owner, Var::Local(this.local)));
            round.env.insert((owner, Var::Local(this.local)), name);
            let place = self.beginning_of(state, this);
            round.places.insert(owner, place);
            vars.insert(Var::Local(this.local));
            self.advance_place(&mut after, owner);
            self.forget(&mut after, owner, &vars);
        }
        round.story = Story::default();
        round.used.clear();
        round.active.clear();
        round.may_unfold.clear();
        round.taken.retain(|(who, _)| !owners.contains(who));
        let mut frozen = BTreeSet::new();
        for &comp in round.places.keys() {
            if !owners.contains(&comp) && (comp.is_rest() || !self.is_daemon(&round, comp)) {
                frozen.insert(comp);
            }
        }
        let inside = Scene {
            frozen,
            owner: None,
            index: Some(index),
            // Two processes are inside of their loops.
            depth: 2,
            halts: other
                .at
                .comp
                .is_rest()
                .then(|| (other.at.comp.family, state.places[&other.at.comp].clone())),
            ..Scene::default()
        };
        let start = round.clone();
        let leaves = self.run(round, &inside)?;
        let drift = self.drift(&start, &leaves, &[one.at.comp, other.at.comp]);
        if !drift.is_subset(vague) {
            let mut state = state.clone();
            self.forget_drift(&mut state, &drift);
            let vague = vague.union(&drift).copied().collect();
            return self.jointly(&state, one, other, &vague);
        }
        if leaves.is_empty() {
            return Err(self.all_fail(one.span));
        }
        for leaf in &leaves {
            self.round_is_over(state, leaf, one, &[other.at.comp], None)?;
            match other.at.comp.is_rest() {
                true => self.is_back_at_loop(state, leaf, other.at.comp)?,
                false => self.round_is_over(state, leaf, other, &[one.at.comp], None)?,
            }
            let extra = leaf.places.keys().copied();
            let extra: BTreeSet<Comp> = extra
                .filter(|comp| !state.places.contains_key(comp))
                .collect();
            self.back_home(state, leaf, &extra, one.span)?;
            if leaf.queues != state.queues {
                let sentence = format!(
                    "a round of the loops of {} and {} leaves messages behind",
                    self.call(one.at.comp),
                    self.call(other.at.comp)
                );
                return Err(Stuck::new(Obstacle::SuperfluousSend, one.span, sentence));
            }
            self.bags_fit(state, leaf, Some(index), one.span)?;
            self.stale_is_about(state, leaf, None, one.span)?;
            self.pins_are_known(state, leaf, one.span)?;
        }
        after.bags = leaves[0].bags.clone();
        if leaves.iter().any(|leaf| leaf.bags != after.bags) {
            let sentence = "the rounds of these loops do not all end alike";
            return Err(Stuck::new(Obstacle::StatefulLoop, one.span, sentence));
        }
        for owner in owners {
            self.forget_changes(&mut after, state, &leaves, owner);
        }
        self.remember_heard(&mut after, state, &leaves);
        self.remember_heard_by_all(&mut after, state, &leaves, other.at.comp);
        self.remember_strangers(&mut after, &leaves);
        self.forget_chosen(&mut after, state, &leaves);
        let both = BTreeSet::from([one.at.comp, other.at.comp]);
        for owner in both {
            let vars = self.part(owner).assigned(if owner == one.at.comp {
                one.body
            } else {
                other.body
            });
            self.forget(&mut after, owner, &vars);
        }
        let stories: Vec<Story> = leaves.iter().map(|leaf| leaf.story.clone()).collect();
        after.story.push(Event::Repeat {
            at: one.at,
            partner: Some(other.at),
            over: one.over,
            leaves: stories.into(),
        });
        Ok(after)
    }

    /// The place at which a round begins. A member stays in its loop, so that what comes after the round is known.
    fn beginning_of(&self, state: &SymbolicState, this: Loop) -> Place {
        let owner = this.at.comp;
        let part = self.part(owner);
        match owner.is_rest() {
            false => Place::start(part, this.body),
            true => {
                let mut place = state.places[&owner].clone();
                place.enter(part, this.body, true);
                place
            }
        }
    }

    /// Every member has gone through its round.
    fn is_back_at_loop(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        family: Comp,
    ) -> Result<(), Stuck> {
        if leaf.places[&family] == before.places[&family] {
            return Ok(());
        }
        let (what, span) = self.about_to(leaf, family);
        let sentence = format!(
            "at the end of a round that everybody goes through together, {} {what}",
            self.call(family)
        );
        Err(Stuck::new(Obstacle::Blocked, span, sentence))
    }

    /// Whom the members of a family have heard in their rounds.
    fn remember_heard_by_all(
        &self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
        family: Comp,
    ) {
        let had = before.heard_by(family);
        for heard in leaves.iter().filter_map(|leaf| leaf.heard.get(&family)) {
            let new = heard.get(had..).unwrap_or(heard).iter();
            let new: Vec<Comp> = new.map(|from| from.general()).collect();
            if family.is_rest() && !new.is_empty() {
                after.heard.entry(family).or_default().extend(new);
            }
        }
    }
}
