//! Folding (loop summarization): what one round showed becomes what is known after all rounds.
//!
//! Shared by the loop rules. Unknowns that were born in the round become unknowns of the whole family, one
//! per member, where the family keeps them, and new ones where anybody else does (condition S12; traps `y1`,
//! `y2`). Members that were unfolded on the way become unknown. From whom somebody heard in a round it has heard
//! after the loop: a client that a daemon keeps must not wait for others, in a loop or not (condition S9b).

use super::Engine;
use crate::eval::{Joined, join, next, unknown};
use crate::process_code::Var;
use crate::state::{Index, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Key, Value};
use plainsong_diagnostics::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How unknowns of a round are called after it.
pub(super) struct Renaming {
    pub(super) keep: BTreeSet<Key>,
    pub(super) gone: BTreeSet<Comp>,
    names: BTreeMap<Key, u32>,
}

impl Renaming {
    pub(super) fn new(before: &SymbolicState, gone: BTreeSet<Comp>) -> Self {
        Renaming {
            keep: before.unknowns(),
            gone,
            names: BTreeMap::new(),
        }
    }
}

impl Engine<'_> {
    /// For the family: the same unknown of the round has the same name everywhere.
    pub(super) fn for_family(
        &mut self,
        renaming: &mut Renaming,
        family: Comp,
        value: &Value,
    ) -> Value {
        let names = &mut renaming.names;
        let numbers = &mut self.numbers;
        let mut key = |old: Option<Key>| {
            let number = match old {
                Some(old) => *names.entry(old).or_insert_with(|| next(numbers)),
                None => next(numbers),
            };
            Key {
                number,
                owner: Some(family),
            }
        };
        value.rename(&renaming.keep, &renaming.gone, &mut key)
    }

    /// For anybody else: every occurrence is a new unknown.
    pub(super) fn for_other(&mut self, renaming: &Renaming, owner: Comp, value: &Value) -> Value {
        let numbers = &mut self.numbers;
        let mut key = |_: Option<Key>| Key {
            number: next(numbers),
            owner: Some(owner),
        };
        value.rename(&renaming.keep, &renaming.gone, &mut key)
    }

    /// One of these values.
    pub(super) fn joined(&mut self, owner: Comp, values: &[Value]) -> Value {
        match join(values) {
            Joined::Same(value) => value,
            Joined::OneOf(domain) => {
                let number = self.number();
                unknown(number, owner, Some(domain))
            }
            Joined::Anything => {
                let number = self.number();
                unknown(number, owner, None)
            }
        }
    }

    /// After a loop of `owner`: what its rounds assigned, and what they changed elsewhere.
    pub(super) fn settle(
        &mut self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
        owner: Comp,
        assigned: &BTreeSet<Var>,
        members: &BTreeSet<Comp>,
    ) {
        for &var in assigned {
            let place = (owner, var);
            let values: Vec<Value> = leaves
                .iter()
                .filter_map(|leaf| leaf.env.get(&place).cloned())
                .collect();
            if values.is_empty() {
                continue;
            }
            let mut value = self.joined(owner, &values);
            let changed = before.env.get(&place).is_some_and(|old| *old != value);
            if changed || value.mentions(members) {
                value = self.fresh(owner, self.ty(owner, var));
            }
            after.env.insert(place, value);
        }
        for leaf in leaves {
            for (&(comp, var), value) in &leaf.env {
                let other = comp != owner && !comp.is_rest() && before.places.contains_key(&comp);
                if other && before.env.get(&(comp, var)) != Some(value) {
                    let fresh = self.fresh(comp, self.ty(comp, var));
                    after.env.insert((comp, var), fresh);
                }
            }
        }
    }

    /// Forgets what is known of families of which rounds chose members: some of them have moved.
    pub(super) fn forget_chosen(
        &mut self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
    ) {
        let comps = leaves.iter().flat_map(|leaf| leaf.places.keys());
        let chosen: BTreeSet<Comp> = comps
            .filter(|comp| !before.places.contains_key(comp))
            .map(|comp| comp.rest())
            .collect();
        for family in chosen {
            let vars = self.part(family).assigned_after(&before.places[&family]);
            self.forget(after, family, &vars);
        }
    }

    /// Of which families members were looked at beside the one at hand.
    pub(super) fn remember_strangers(&self, after: &mut SymbolicState, leaves: &[SymbolicState]) {
        let strangers = leaves
            .iter()
            .flat_map(|leaf| leaf.strangers.iter().copied());
        after.strangers.extend(strangers);
    }

    /// Whom everybody who was there before the loop has heard in its rounds.
    pub(super) fn remember_heard(
        &self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
    ) {
        for &comp in before.places.keys().filter(|comp| !comp.is_rest()) {
            let had = before.heard_by(comp);
            for leaf in leaves {
                let heard = leaf.heard.get(&comp).map_or(&[][..], Vec::as_slice);
                append(&mut after.heard, comp, heard.get(had..).unwrap_or(heard));
                let heard = leaf.round_heard.get(&comp).map_or(&[][..], Vec::as_slice);
                append(&mut after.round_heard, comp, heard);
            }
        }
    }

    /// Messages per round are produced and consumed by the loop they are counted by, not by one inside it
    /// (condition S8b; traps `g1`, `g3`).
    pub(super) fn bags_fit(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        index: Option<Index>,
        span: Span,
    ) -> Result<(), Stuck> {
        let chans: BTreeSet<Chan> = before
            .bags
            .keys()
            .chain(leaf.bags.keys())
            .chain(&leaf.used)
            .copied()
            .collect();
        for chan in chans {
            let list = |state: &SymbolicState| {
                let bag = state.bags.get(&chan).map_or(&[][..], Vec::as_slice);
                bag.iter().map(|one| Some(one.index)).collect::<Vec<_>>()
            };
            let mut had = list(before);
            let mut has = list(leaf);
            has.extend(leaf.used.iter().filter(|one| **one == chan).map(|_| index));
            had.sort_unstable();
            has.sort_unstable();
            if had != has {
                let what = self.message(chan.message);
                let sentence = format!(
                    "an inner loop sends or receives `{what}` that belong to the rounds of another"
                );
                return Err(Stuck::new(Obstacle::MixedChannel, span, sentence));
            }
        }
        Ok(())
    }
}

fn append(all: &mut BTreeMap<Comp, Vec<Comp>>, comp: Comp, heard: &[Comp]) {
    if !heard.is_empty() {
        let heard = heard.iter().map(|from| from.general());
        all.entry(comp).or_default().extend(heard);
    }
}
