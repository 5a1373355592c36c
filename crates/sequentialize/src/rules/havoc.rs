//! Havoc: what the rounds of a loop change in others is different in each round.
//!
//! Statement. A round is looked at from a state in which nothing is known of the variables that rounds change in
//! processes beside the owner and its member: families that an inner loop goes over, and daemons that stand in the
//! middle of their loop. Where a round changes such a variable, it is forgotten before the loop, and the round is looked at
//! again (traps `c6` to `c8`). Daemons at their heads forget by themselves when they begin a round (`unroll.rs`).
//!
//! Members beside the one that a loop over their family deals with (chosen, or served by an inner loop) may have had
//! their round already, or be the only one there is. So a loop that touches others leaves its member where it was, with
//! the messages that it had (trap `o1`), and an inner loop is served by whoever comes only if everybody who is looked at
//! is still where the family is (traps `o2`, `o3`).
//!
//! Why sound. Induction over the rounds needs a hypothesis that holds before each of them: forgetting makes it so
//! (condition S3). What is known of a family is known of members before their round; if the round changes nothing but
//! forgotten variables, it is known of all of them.

use super::Engine;
use super::focus::which;
use super::set_loop::Loop;
use crate::process_code::{OpKind, Var};
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp};
use plainsong_ir::FamilyId;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that rounds change in others.
pub(super) type Drift = BTreeSet<(Comp, Var)>;

impl Engine<'_> {
    /// What the rounds change in processes that were there before, but for these.
    pub(super) fn drift(
        &self,
        start: &SymbolicState,
        leaves: &[SymbolicState],
        but: &[Comp],
    ) -> Drift {
        let values = leaves.iter().flat_map(|leaf| &leaf.env);
        let changed = values.filter(|((comp, var), value)| {
            !but.contains(comp)
                && start.places.contains_key(comp)
                && start.env.get(&(*comp, *var)) != Some(value)
                && !self.begins_anew(start, *comp)
        });
        changed.map(|(place, _)| *place).collect()
    }

    pub(super) fn forget_drift(&mut self, state: &mut SymbolicState, drift: &Drift) {
        for (comp, var) in drift {
            self.forget(state, *comp, &BTreeSet::from([*var]));
        }
    }

    /// What the rounds change in families that are no daemons: what daemons remember is forgotten anyway.
    pub(super) fn drift_of_families(
        &self,
        start: &SymbolicState,
        leaves: &[SymbolicState],
        but: &[Comp],
    ) -> Drift {
        let mut drift = self.drift(start, leaves, but);
        drift.retain(|(comp, _)| !self.is_daemon(start, *comp));
        drift
    }

    /// Is it a daemon that forgets what its rounds assign when it begins the next?
    fn begins_anew(&self, state: &SymbolicState, comp: Comp) -> bool {
        let place = &state.places[&comp];
        let op = place.op(self.part(comp));
        self.is_daemon(state, comp)
            && super::unroll::is_outermost(place)
            && op.is_some_and(|op| matches!(op.kind, OpKind::Loop(_)))
    }

    /// Is everybody of a family who is looked at by itself where the family is?
    pub(super) fn are_all_home(&self, state: &SymbolicState, family: FamilyId) -> bool {
        let mut members = state.members(family).into_iter();
        members.all(|member| {
            state.places[&member] == state.places[&member.rest()]
                && queues_of(state, member) == queues_of(state, member.rest())
        })
    }

    /// A round that touches others of its member's family leaves the member as it was.
    pub(super) fn others_are_alike(
        &self,
        start: &SymbolicState,
        end: &SymbolicState,
        u: Comp,
        this: Loop,
    ) -> Result<(), Stuck> {
        let is_same =
            || end.places[&u] == start.places[&u] && queues_of(end, u) == queues_of(start, u);
        if !end.strangers.contains(&u.family) || is_same() {
            return Ok(());
        }
        let sentence = format!(
            "a round of this loop over `{}` also deals with others of them, which may have had their round already",
            self.score.name(u.family)
        );
        Err(Stuck::new(Obstacle::Indiscriminate, this.span, sentence))
    }
}

/// Which messages wait in the queues of a member, or of each member of a family.
fn queues_of(state: &SymbolicState, comp: Comp) -> BTreeMap<Chan, Vec<u32>> {
    let mine = state.queues.iter().filter(|(chan, _)| chan.touches(comp));
    let mine = mine.map(|(chan, queue)| (chan.replace(comp, comp.rest()), which(queue, false)));
    mine.collect()
}
