//! Advice: somebody waits and is not served, and what its writer can do about it.
//!
//! That somebody waits in the canonical schedule says little. What stands in the way is where the one is who should send: at
//! its end, at a loop whose rounds are not seen to fit, at a decision, or waiting itself for somebody who does not move.
//! Nothing here decides anything.

use super::Engine;
use crate::process_code::OpKind;
use crate::state::SymbolicState;
use crate::stuck::Stuck;
use crate::value::{Comp, Role};
use plainsong_ir::{Accept, ExprKind, FamilyId, Source};

impl Engine<'_> {
    /// The same reason, with what usually helps where this one waits.
    pub(super) fn advised(&self, stuck: Stuck, state: &SymbolicState, waiting: Comp) -> Stuck {
        match self.advice(state, waiting) {
            Some(help) => stuck.help(help),
            None => stuck,
        }
    }

    fn advice(&self, state: &SymbolicState, waiting: Comp) -> Option<String> {
        let (_, kind, _) = self.op(state, waiting)?;
        let accept = *kind.accepts().first()?;
        let what = self.message(accept.message);
        let sender = self.whoever_sends(state, self.sending_family(accept)?)?;
        let who = self.call(sender);
        let Some((_, kind, span)) = self.op(state, sender) else {
            return Some(format!(
                "{who} is at its end: send `{what}` once more there, or wait for it less often"
            ));
        };
        let place = plainsong_diagnostics::place_marker(span);
        Some(match kind {
            OpKind::For { .. } => format!(
                "{who} is at a loop ({place}) whose rounds are not seen to be those of this one: go over the same sort or \
                 range in both processes, with one exchange of messages in each round"
            ),
            OpKind::Loop(_) if self.is_daemon(state, sender) => format!(
                "{who} has ended its round or not begun one ({place}): let it send `{what}` on every way through the round"
            ),
            OpKind::Loop(_) => format!(
                "{who} is at a loop ({place}): let it send `{what}`, or wait, at the beginning of a round, and let what it \
                 receives in the round decide whether there is another"
            ),
            OpKind::Receive(_) | OpKind::Select { .. } => format!(
                "{who} waits itself ({place}): send what it waits for before, in the same round of the same loop"
            ),
            OpKind::If(..) | OpKind::Match(..) | OpKind::Maybe(..) | OpKind::Unless(_)
                if sender.is_rest() =>
            {
                format!(
                    "the members of `{}` may decide differently ({place}): decide by what all of them know alike, or let \
                     a loop over them deal with one at a time",
                    self.score.name(sender.family)
                )
            }
            _ => return None,
        })
    }

    /// The family of whoever should send.
    fn sending_family(&self, accept: &Accept) -> Option<FamilyId> {
        if let Some(family) = self.senders.get(&accept.span) {
            return Some(*family);
        }
        match &accept.source {
            Source::Process(process) => match &process.kind {
                ExprKind::Pid(family, _) => Some(*family),
                _ => None,
            },
            Source::Family(family, ..) => Some(*family),
            Source::Anyone(_) => None,
        }
    }

    /// The member that is dealt with, else all of them, or the single process.
    fn whoever_sends(&self, state: &SymbolicState, family: FamilyId) -> Option<Comp> {
        let mut of = state.places.keys().filter(|comp| comp.family == family);
        let first = *of.next()?;
        let member = of.chain([&first]).find(|comp| comp.is_member());
        Some(member.copied().unwrap_or(match first.role {
            Role::Single => first,
            _ => first.rest(),
        }))
    }
}
