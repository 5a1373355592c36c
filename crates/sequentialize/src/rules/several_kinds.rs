//! Several kinds: a receive that takes whichever comes.
//!
//! Statement. All kinds must come from the same process, or from any member of the same family. If one kind
//! waits from a sender, that is what is taken. If several do, the oldest is taken between two single
//! processes; where a family is on either side the order is not known, and nothing is taken.
//!
//! Why sound. Messages of one sender are delivered in the order of sending, among those that the receive
//! accepts; what waits in the canonical schedule was sent before whatever that sender sends later, so it is
//! the oldest in every execution. Between single processes the numbers of sendings are that order. Queues of a
//! family are joined from paths that may have sent in different orders, so there the order is not relied on.
//! A loop that takes one of several kinds from each member has to see that the member sends no second message
//! of *any* of them (`receive.rs` remembers all of them for condition S7).

use super::Engine;
use super::receive::{Arm, From};
use crate::eval::Fact;
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Role};

/// A message that waits, and the arm that takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) arm: usize,
    pub(super) chan: Chan,
}

impl<'a> Engine<'a> {
    /// The one source of all kinds.
    pub(super) fn same_source(
        &mut self,
        state: &SymbolicState,
        comp: Comp,
        arms: &[Arm<'a>],
    ) -> Result<Result<From, Fact>, Stuck> {
        let mut same: Option<From> = None;
        for (accept, _) in arms {
            let source = match self.source(state, comp, accept) {
                Ok(source) => source,
                Err(fact) => return Ok(Err(fact)),
            };
            if same.as_ref().is_some_and(|same| *same != source) {
                let sentence = format!(
                    "{} receives {} from different processes, and which comes first is not known",
                    self.call(comp),
                    self.kinds(arms)
                );
                return Err(Stuck::new(Obstacle::AsymmetricRace, accept.span, sentence));
            }
            same = Some(source);
        }
        Ok(Ok(same.unwrap_or(From::Unknown)))
    }

    /// What waits from these senders.
    pub(super) fn ready(
        &self,
        state: &SymbolicState,
        comp: Comp,
        arms: &[Arm<'a>],
        senders: &[Comp],
    ) -> Vec<Ready> {
        let mut ready = Vec::new();
        for &from in senders {
            for (arm, (accept, _)) in arms.iter().enumerate() {
                let chan = Chan {
                    from,
                    to: comp,
                    message: accept.message,
                };
                if state.queues.contains_key(&chan) {
                    ready.push(Ready { arm, chan });
                }
            }
        }
        ready
    }

    /// The oldest of what waits from one sender.
    pub(super) fn oldest(
        &self,
        state: &SymbolicState,
        ready: &[Ready],
        arms: &[Arm<'a>],
    ) -> Result<Option<Ready>, Stuck> {
        let Some(first) = ready.first() else {
            return Ok(None);
        };
        let Chan { from, to, .. } = first.chan;
        let per_round = arms.iter().any(|(accept, _)| {
            let chan = Chan {
                message: accept.message,
                ..first.chan
            };
            state.bags.contains_key(&chan.general())
        });
        let singles = from.role == Role::Single && to.role == Role::Single;
        if (ready.len() > 1 && !singles) || (arms.len() > 1 && per_round) {
            let sentence = format!(
                "{} wait for {} from {}, in an order that is not known",
                self.kinds(arms),
                self.call(to),
                self.call(from)
            );
            return Err(Stuck::new(
                Obstacle::MixedChannel,
                arms[first.arm].0.span,
                sentence,
            ));
        }
        let oldest = ready
            .iter()
            .min_by_key(|one| state.queues[&one.chan][0].sent);
        Ok(oldest.copied())
    }

    /// The kinds of a receive in a sentence.
    pub(super) fn kinds(&self, arms: &[Arm<'a>]) -> String {
        let names = arms.iter().map(|(accept, _)| accept.message);
        let names = names.map(|message| format!("`{}`", self.message(message)));
        names.collect::<Vec<_>>().join(" or ")
    }
}
