//! Havoc: what rounds change in others than those they are about.
//!
//! Statement. Variables that rounds change in others (families of inner loops, daemons in the middle of their loop) are
//! forgotten before a loop, until a round changes nothing that is known. A daemon at its loop forgets by itself. Where a
//! round of a loop over a family also looks at others of that family, it leaves its member where it was, with the same
//! messages. Somebody comes to an inner loop only while everybody of the family who is looked at is where the family is.
//!
//! Why sound. A round is any of the rounds only if what is known before it is known before each of them; and of others
//! nobody knows whether they have had their round, or whether there are any.

use crate::actor::Actor;
use crate::derivation::Checker;
use crate::position::{Var, is_endless};
use crate::round::sendings;
use crate::state::{Channel, SymbolicState, redirect, touches};
use crate::{Refused, refuse};
use plainsong_ir::FamilyId;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that rounds change in others.
pub(crate) type Changes = BTreeSet<(Actor, Var)>;

impl<'a> Checker<'a> {
    /// What rounds that begin like this change in those who were there, but for these.
    pub(crate) fn changes(
        &self,
        start: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        but: &[Actor],
    ) -> Changes {
        let mut changes = Changes::new();
        for ((actor, var), value) in ends.iter().flat_map(|end| &end.values) {
            let other = start.positions.contains_key(actor) && !but.contains(actor);
            let changed = start.values.get(&(*actor, *var)) != Some(value);
            if other && changed && !self.forgets_by_itself(start, *actor) {
                changes.insert((*actor, *var));
            }
        }
        changes
    }

    pub(crate) fn havoc(&mut self, state: &mut SymbolicState<'a>, changes: &Changes) {
        for (actor, var) in changes {
            state.forget(&mut self.numbers, *actor, [var]);
        }
    }

    fn forgets_by_itself(&self, state: &SymbolicState<'a>, actor: Actor) -> bool {
        let position = &state.positions[&actor];
        self.is_daemon(state, actor)
            && position.is_outermost()
            && position.stmt().is_some_and(is_endless)
    }

    /// What rounds change in families that are no daemons.
    pub(crate) fn changes_of_families(
        &self,
        start: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        but: &[Actor],
    ) -> Changes {
        let mut changes = self.changes(start, ends, but);
        changes.retain(|(actor, _)| !self.is_daemon(start, *actor));
        changes
    }

    /// Is everybody of a family who is looked at where the family is?
    pub(crate) fn are_all_home(&self, state: &SymbolicState<'a>, family: FamilyId) -> bool {
        state.members(family).into_iter().all(|member| {
            let whole = member.whole();
            state.positions[&member] == state.positions[&whole]
                && waiting(state, member) == waiting(state, whole)
        })
    }

    /// A round that looks at others of its member's family leaves the member as it was.
    pub(crate) fn others_are_alike(
        &self,
        start: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        member: Actor,
    ) -> Result<(), Refused> {
        let same = || {
            end.positions[&member] == start.positions[&member]
                && waiting(end, member) == waiting(start, member)
        };
        match !end.strangers.contains(&member.family) || same() {
            true => Ok(()),
            false => refuse("a round looks at others, who may have had their round"),
        }
    }
}

/// Which messages wait in somebody's queues.
fn waiting(state: &SymbolicState<'_>, actor: Actor) -> BTreeMap<Channel, Vec<u32>> {
    let mine = state
        .queues
        .keys()
        .filter(|channel| touches(channel, actor));
    let mine = mine.map(|channel| {
        let home = redirect(channel, actor, actor.whole());
        (home, sendings(state, channel))
    });
    mine.collect()
}
