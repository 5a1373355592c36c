//! Unfolding: one member is looked at by itself.
//!
//! Statement. A new member of a family has its code, its values and its waiting messages, with the member
//! in the place of the family, also as the owner of unknowns.
//!
//! Why sound. What is said of a family holds for each of its members, so also for this one; it is an
//! arbitrary one because nothing else is assumed of it.

use super::Engine;
use crate::state::SymbolicState;
use crate::value::{Comp, Role};
use plainsong_ir::FamilyId;

impl Engine<'_> {
    pub(super) fn unfold(&mut self, state: &mut SymbolicState, family: FamilyId) -> Comp {
        let rest = Comp {
            family,
            role: Role::Rest,
        };
        let member = Comp {
            family,
            role: Role::Member(self.number()),
        };
        let place = state.places[&rest].clone();
        state.places.insert(member, place);
        let env: Vec<_> = state
            .env
            .range((rest, crate::process_code::Var::Own(plainsong_ir::VarId(0)))..)
            .take_while(|((comp, _), _)| *comp == rest)
            .map(|((_, var), value)| ((member, *var), value.replace(rest, member)))
            .collect();
        state.env.extend(env);
        let queues: Vec<_> = state
            .queues
            .iter()
            .filter(|(chan, _)| chan.touches(rest))
            .map(|(chan, queue)| {
                let mut queue = queue.clone();
                for waiting in &mut queue {
                    let values = waiting.values.iter();
                    waiting.values = values.map(|value| value.replace(rest, member)).collect();
                }
                (chan.replace(rest, member), queue)
            })
            .collect();
        state.queues.extend(queues);
        let stale: Vec<_> = state
            .stale
            .iter()
            .filter(|chan| chan.touches(rest))
            .map(|chan| chan.replace(rest, member))
            .collect();
        state.stale.extend(stale);
        if let Some(heard) = state.heard.get(&rest).cloned() {
            state.heard.insert(member, heard);
        }
        if let Some(knows) = state.knows.get(&rest).cloned() {
            state.knows.insert(member, knows);
        }
        state.engaged.insert(member, Default::default());
        member
    }
}
