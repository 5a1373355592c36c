//! Unrolling: one more round of a loop.
//!
//! Statement. A single process enters the body. A daemon, and a member of a family, enter it only when the
//! first communication of the body is a receive whose message waits; a member may do so once without, if it
//! was unfolded for that. A daemon that begins its outermost loop anew forgets what the loop assigns. A
//! whole family never does, because its members may leave at different times. Whoever begins a round of `while c` has `c`.
//!
//! Why sound. Unrolling is what the loop means. A daemon's round may come after any number of others, so
//! nothing that rounds change may be relied on (condition S3; trap `c3`). A `while` that decides at the end of its rounds
//! (`voices_to_parts.rs`) is at its head only after it has found `c` to be true, and nothing that `c` reads has changed since:
//! only the process itself changes it. So cases in which `c` is false are none (traps `l1`, `l2`: what is received decides, not what
//! was known before).

use super::entail::learn;
use super::receive::From;
use super::{Engine, Step, place_mut};
use crate::derivation_log::Event;
use crate::eval::Test;
use crate::process_code::{BlockId, OpKind, Place, Var};
use crate::state::SymbolicState;
use crate::stuck::Stuck;
use crate::value::{Chan, Comp};
use plainsong_ir::Accept;
use std::collections::BTreeSet;

impl Engine<'_> {
    pub(super) fn unroll(
        &mut self,
        state: &mut SymbolicState,
        comp: Comp,
        body: BlockId,
    ) -> Result<Step, Stuck> {
        if comp.is_rest() {
            return Ok(Step::Waits);
        }
        let is_daemon = self.is_daemon(state, comp);
        let may = state.active.contains(&comp);
        if (is_daemon || comp.is_member()) && !may && !self.is_ready(state, comp, body) {
            return Ok(Step::Waits);
        }
        if let Some(cases) = self.went_on(state, comp, body)? {
            return Ok(Step::Split(cases));
        }
        if is_daemon && is_outermost(&state.places[&comp]) {
            let vars = self.part(comp).assigned(body);
            self.forget(state, comp, &vars);
            state.taken.retain(|(who, _)| *who != comp);
            if self.interleaves {
                self.tell_forgotten(state, comp, &vars);
            }
        }
        state.active.remove(&comp);
        let part = &self.score.parts[&comp.family];
        place_mut(state, comp).enter(part, body, true);
        Ok(Step::Taken)
    }

    /// What a `while` found at the end of the round before, or when it was gone into. The cases in which that is so, if it
    /// is not seen at once.
    fn went_on(
        &mut self,
        state: &mut SymbolicState,
        comp: Comp,
        body: BlockId,
    ) -> Result<Option<Vec<SymbolicState>>, Stuck> {
        let [_, .., last] = &self.part(comp).blocks[body.0 as usize][..] else {
            return Ok(None);
        };
        let OpKind::Unless(condition) = last.kind else {
            return Ok(None);
        };
        match self.eval(state, comp, |eval| eval.test(condition)) {
            Ok(Test::Known(_)) => Ok(None),
            Ok(Test::Open(claim)) => {
                learn(state, claim.as_ref(), true);
                Ok(None)
            }
            Ok(Test::Ask(fact)) | Err(fact) => {
                let Step::Split(mut cases) = self.ask(state, comp, fact) else {
                    return Ok(None);
                };
                cases.retain(|case| {
                    let test = self.eval(case, comp, |eval| eval.test(condition));
                    !matches!(test, Ok(Test::Known(false)))
                });
                Ok(Some(cases))
            }
        }
    }

    /// The line says that rounds of others may have come before, where that can be seen; and that they kept what the daemon
    /// claims of the head of its loop. That is shown where it comes there: at the start, and after each round.
    pub(super) fn tell_forgotten(
        &self,
        state: &mut SymbolicState,
        comp: Comp,
        vars: &BTreeSet<Var>,
    ) {
        let Some((at, OpKind::Loop(body), span)) = self.op(state, comp) else {
            return;
        };
        let mut seen = self.part(comp).live_at_head(body);
        // What is claimed of the head is claimed of any values that rounds left.
        let claims = self.score.hints.get(&span).into_iter().copied().flatten();
        claims.for_each(|claim| seen.extend(crate::live_variables::read_in(claim)));
        seen.retain(|var| vars.contains(var));
        if !seen.is_empty() {
            state
                .story
                .push(Event::Forgot(at, seen.into_iter().collect()));
        }
    }

    /// A daemon that is back at its outermost loop serves nobody.
    pub(super) fn back_at_head(&mut self, state: &mut SymbolicState, comp: Comp) {
        let place = &state.places[&comp];
        let is_head = is_outermost(place)
            && place
                .op(&self.score.parts[&comp.family])
                .is_some_and(|op| matches!(op.kind, OpKind::Loop(_)));
        if is_head && self.is_daemon(state, comp) {
            state.serving.remove(&comp);
            state.round_heard.remove(&comp);
            state.rounds.remove(&comp);
            self.claim(state, comp);
        }
    }

    /// A daemon that comes to the head of its loop claims something, if it does.
    pub(super) fn claim(&self, state: &mut SymbolicState, comp: Comp) {
        if let Some((at, OpKind::Loop(_), span)) = self.op(state, comp)
            && self.part(comp).daemon
            && is_outermost(&state.places[&comp])
            && self.score.hints.contains_key(&span)
        {
            state.story.push(Event::Claimed(at));
        }
    }

    /// Is the first communication of the body a receive whose message waits?
    fn is_ready(&mut self, state: &SymbolicState, comp: Comp, body: BlockId) -> bool {
        let ops: Vec<OpKind<'_>> = self.part(comp).blocks[body.0 as usize]
            .iter()
            .map(|op| op.kind.clone())
            .collect();
        for op in ops {
            match op {
                OpKind::Set(..) | OpKind::Choose(..) | OpKind::Assert(_) | OpKind::Assume(_) => {}
                other => {
                    let mut accepts = other.accepts().into_iter();
                    return accepts.any(|accept| self.waits_for(state, comp, accept));
                }
            }
        }
        false
    }

    /// Is there a message for a receive?
    fn waits_for(&mut self, state: &SymbolicState, comp: Comp, accept: &Accept) -> bool {
        let senders = match self.source(state, comp, accept) {
            Ok(From::One(from)) => vec![from],
            Ok(From::Any(family)) => state.members(family),
            Ok(From::Clients(clients)) => {
                let comps = state.places.keys().copied();
                comps
                    .filter(|from| clients.contains(&from.family))
                    .collect()
            }
            Ok(From::Unknown) | Err(_) => return false,
        };
        let chan = |from| Chan {
            from,
            to: comp,
            message: accept.message,
        };
        senders
            .into_iter()
            .any(|from| !from.is_rest() && state.queues.contains_key(&chan(from)))
    }
}

/// Does it stand directly in the code of the process, in no block?
pub(super) fn is_outermost(place: &Place) -> bool {
    matches!(&place.0[..], [frame] if frame.block == BlockId::ENTRY)
}
