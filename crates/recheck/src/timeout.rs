//! Receives with a timeout: a message is taken, or late, or does not come.
//!
//! Statement. Where a message can be taken, both ways must be there: it is taken, or the receiver goes on and the
//! message is *stale*. Where none can come any more, the receiver goes on. A whole family does neither, because its
//! members may differ.
//!
//! Why sound. A timeout is possible at any time, and whether it comes before or after the message was sent makes no
//! difference to anybody else, because the message stays where it is; nothing is received from there again.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::race::{Waits, waits};
use crate::receive::From;
use crate::state::SymbolicState;
use crate::{Refused, refuse};
use plainsong_certificate::Event;
use plainsong_ir::Stmt;

impl<'a> Checker<'a> {
    /// The states after a message was taken and after it was not waited for.
    pub(crate) fn takes_or_not(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &[&Event],
        scene: &Scene<'a>,
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        let Some(Waits {
            arms,
            timeout: Some(timeout),
        }) = waits(stmt)
        else {
            return refuse("it has no timeout");
        };
        if actor.is_family(self.song) {
            return refuse("members may time out or not");
        }
        let waits = Waits {
            arms,
            timeout: Some(timeout),
        };
        let mut taken = None;
        for event in events {
            if let Event::Receives { from, kind, .. } = event {
                let from = Actor::named(self.song, from)?;
                let mut next = state.clone();
                self.receives(&mut next, actor, stmt, from, *kind, scene)?;
                if taken.replace((next, from, *kind)).is_some() {
                    return refuse("two messages at once");
                }
            }
        }
        let given_up = match &taken {
            Some((next, from, kind)) => {
                let mut late = state.clone();
                let channel = (*from, actor, waits.arms[*kind].0.message);
                late.pop(&channel);
                late.stale.insert(channel);
                late.engaged.clone_from(&next.engaged);
                late.taken.clone_from(&next.taken);
                late.consumed.clone_from(&next.consumed);
                late
            }
            None => {
                self.waits_in_vain(state, actor, &waits, scene)?;
                state.clone()
            }
        };
        let mut given_up = Some(given_up);
        let mut states = Vec::new();
        for event in events {
            states.push(match event {
                Event::Receives { .. } => match taken.take() {
                    Some((next, ..)) => next,
                    None => return refuse("two messages at once"),
                },
                Event::TimesOut { .. } => match given_up.take() {
                    Some(mut late) => {
                        self.go_on(&mut late, actor, Some(timeout));
                        late
                    }
                    None => return refuse("two timeouts at once"),
                },
                _ => return refuse("it is a receive"),
            });
        }
        match given_up {
            None => Ok(states),
            Some(_) => refuse("the timeout is missing"),
        }
    }

    /// Can nothing that is waited for come any more?
    fn waits_in_vain(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        waits: &Waits<'a>,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let From::One(from) = self.source(state, actor, waits)? else {
            return refuse("a message may still come");
        };
        let mut kinds = waits.arms.iter().map(|(accept, _)| accept.message);
        match kinds.all(|kind| self.sends_no_more(state, actor, from, kind, scene)) {
            true => Ok(()),
            false => refuse("a message may still come"),
        }
    }
}
