//! Send: a message joins its queue.
//!
//! Statement. The address must come to a known process. The message is appended to the queue between sender,
//! receiver and kind; for a whole family, to one queue per member. A queue on which a loop has left a
//! message per round takes nothing else (condition S8; trap `b1`). A daemon that serves a member tells nobody
//! but that member and other daemons (condition S9b).
//!
//! A message that may be lost in flight to a daemon leads to two states, in one of which it was never sent; a
//! whole family waits there, because its members may differ.
//!
//! Why sound. A send is always enabled and only appends. For losses see `losses.rs`.

use super::{Engine, Step};
use crate::derivation_log::{At, Event};
use crate::state::{QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Value};
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, MessageId};

impl Engine<'_> {
    pub(super) fn send(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        message: MessageId,
        arguments: &[Expr],
        address: &Expr,
        span: Span,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let evaluated = self.eval(state, comp, |eval| {
            let values: Result<Vec<Value>, _> =
                arguments.iter().map(|one| eval.expr(one)).collect();
            Ok((values?, eval.expr(address)?))
        });
        let (values, to) = match evaluated {
            Ok(evaluated) => evaluated,
            Err(fact) => return Ok(self.ask(state, comp, fact)),
        };
        let what = self.message(message);
        let Value::Pid(to) = to else {
            let sentence = format!("it is not known to whom {} sends `{what}`", self.call(comp));
            return Err(Stuck::new(Obstacle::UnknownAddress, span, sentence));
        };
        let chan = Chan {
            from: comp,
            to,
            message,
        };
        if state.bags.contains_key(&chan.general()) {
            return Err(Stuck::new(
                Obstacle::MixedChannel,
                span,
                format!(
                    "`{what}` is sent both once per round of a loop and otherwise, to the same process"
                ),
            ));
        }
        if let Some((served, _)) = state.serving.get(&comp)
            && to != *served
            && !self.is_daemon(state, to)
        {
            let sentence = format!(
                "{} sends to {} while it serves another member",
                self.call(comp),
                self.call(to)
            );
            return Err(Stuck::new(Obstacle::IndependentChoices, span, sentence));
        }
        if state.queues.get(&chan).map_or(0, Vec::len) >= super::WAITING {
            return Err(self.too_long(&format!("too many `{what}` in flight")));
        }
        self.nobody_else_is_told(state, comp, to, span)?;
        self.not_to_itself(comp, to, message, span)?;
        let may_miss = self.score.losses.may_miss(comp.family, to.family, message);
        if may_miss && comp.is_rest() {
            return Ok(Step::Waits);
        }
        let lost = may_miss.then(|| {
            let mut lost = state.clone();
            lost.story.push(Event::Took(at, 1));
            self.advance_place(&mut lost, comp);
            lost
        });
        if lost.is_some() {
            state.story.push(Event::Took(at, 0));
        }
        let sent = self.number();
        let stamp = state.heard_by(comp);
        let knows = state.knows.get(&comp).cloned().unwrap_or_default();
        let cause = state.rounds.get(&comp).and_then(|round| round.cause);
        state.push(
            chan,
            QueuedMessage {
                values,
                stamp,
                sent,
                knows,
                cause,
            },
        );
        state.story.push(Event::Sent(at, sent, to));
        self.advance_place(state, comp);
        Ok(match lost {
            None => Step::Taken,
            Some(lost) => Step::Split(vec![state.clone(), lost]),
        })
    }
}
