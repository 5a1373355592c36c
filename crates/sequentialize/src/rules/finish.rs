//! Finish: from the start to the end, or to where nothing applies.
//!
//! Statement. Run; when everybody is at their end (daemons and checked clients at their loops) and no message
//! waits, there is a line. Else try joint loops (of two single processes, or of one and a family), then focus if no single process is busy; else it is
//! stuck.

use super::set_loop::Loop;
use super::{Engine, Scene};
use crate::process_code::Over;
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::value::Comp;
use plainsong_diagnostics::Span;

impl Engine<'_> {
    /// All ways to the end.
    pub(crate) fn finish(&mut self) -> Result<Vec<SymbolicState>, Stuck> {
        let start = self.start();
        let mut open = self.run_all(start)?;
        open.reverse();
        let mut ends = Vec::new();
        while let Some(state) = open.pop() {
            self.farthest = Some(state.clone());
            if self.is_over(&state) {
                self.nothing_waits(&state)?;
                ends.push(state);
                continue;
            }
            let mut failed = std::mem::take(&mut self.failed_loops);
            let mut together = Vec::new();
            let next = match self.joint(&state, &mut together)? {
                Some(next) => Some(next),
                None => self.focused(&state, &mut failed)?,
            };
            let Some(next) = next else {
                return Err(self.stuck(&state, failed, together));
            };
            self.failed_loops.clear();
            let mut leaves = self.run_all(next)?;
            leaves.reverse();
            open.extend(leaves);
            if ends.len() + open.len() > super::LEAVES {
                return Err(self.too_long("too many branches"));
            }
        }
        if ends.is_empty() {
            return Err(self.all_fail(Span::default()));
        }
        Ok(ends)
    }

    fn run_all(&mut self, state: SymbolicState) -> Result<Vec<SymbolicState>, Stuck> {
        let frozen = state.places.keys().copied();
        let frozen = frozen.filter(|comp| comp.is_rest() && self.is_daemon(&state, *comp));
        let scene = Scene {
            frozen: frozen.collect(),
            ..Scene::default()
        };
        self.run(state, &scene)
    }

    fn is_over(&self, state: &SymbolicState) -> bool {
        state.places.iter().all(|(comp, place)| {
            if !self.is_daemon(state, *comp) {
                return place.is_end();
            }
            match comp.is_member() {
                true => *place == state.places[&comp.rest()],
                false => place.is_at_last_loop(self.part(*comp)),
            }
        })
    }

    fn nothing_waits(&self, state: &SymbolicState) -> Result<(), Stuck> {
        let Some(chan) = state.queues.keys().chain(state.bags.keys()).next() else {
            return Ok(());
        };
        let (message, from, to) = (
            self.message(chan.message),
            self.call(chan.from),
            self.call(chan.to),
        );
        let span = self.sends(chan.from, chan.message);
        if self.is_daemon(state, chan.to) && self.takes(chan.to, chan.message) {
            let sentence = format!(
                "`{message}` from {from} is left for the daemon {to} to take when no process waits for that: such rounds of a \
                 daemon are not followed"
            );
            let help = format!("let {to} answer `{message}`, and {from} wait for the answer");
            return Err(Stuck::new(Obstacle::NotCovered, span, sentence).help(help));
        }
        let sentence = format!("`{message}` from {from} to {to} is never received");
        Err(Stuck::new(Obstacle::SuperfluousSend, span, sentence))
    }

    /// Does a component receive a kind of message somewhere?
    fn takes(&self, comp: Comp, message: plainsong_ir::MessageId) -> bool {
        let ops = self.part(comp).ops(crate::process_code::BlockId::ENTRY);
        let mut accepts = ops.into_iter().flat_map(|op| op.kind.accepts());
        accepts.any(|accept| accept.message == message)
    }

    /// Where a component sends a kind of message.
    fn sends(&self, comp: Comp, message: plainsong_ir::MessageId) -> Span {
        let ops = self.part(comp).ops(crate::process_code::BlockId::ENTRY);
        let send = ops
            .into_iter()
            .find(|op| matches!(&op.kind, crate::process_code::OpKind::Send(sent, ..) if *sent == message));
        send.map_or(Span::default(), |op| op.span)
    }

    fn joint(
        &mut self,
        state: &SymbolicState,
        failed: &mut Vec<Stuck>,
    ) -> Result<Option<SymbolicState>, Stuck> {
        let singles = state.places.keys().copied();
        let loops: Vec<_> = singles
            .filter(|comp| !comp.is_rest() && !self.is_daemon(state, *comp))
            .filter_map(|comp| self.loop_of(state, comp))
            .collect();
        for (at, one) in loops.iter().enumerate() {
            for other in &loops[at + 1..] {
                if one.over != other.over {
                    continue;
                }
                match self.joint_loop(state, *one, *other) {
                    Ok(next) => return Ok(Some(next)),
                    Err(stuck) if stuck.obstacle == Obstacle::TooLong => return Err(stuck),
                    Err(stuck) => failed.push(stuck),
                }
            }
            for other in self.families_at(state, one.over) {
                match self.joint_loop(state, *one, other) {
                    Ok(next) => return Ok(Some(next)),
                    Err(stuck) if stuck.obstacle == Obstacle::TooLong => return Err(stuck),
                    Err(stuck) => failed.push(stuck),
                }
            }
        }
        Ok(None)
    }

    /// The loops with this number of rounds that whole families are at, one member like the other.
    fn families_at(&self, state: &SymbolicState, over: Over) -> Vec<Loop> {
        if !matches!(over, Over::Rounds(_)) || !self.score.losses.is_none() {
            return Vec::new();
        }
        let families = state.places.keys().copied().filter(|comp| {
            comp.is_rest() && !self.is_daemon(state, *comp) && state.members(comp.family).is_empty()
        });
        families
            .filter_map(|comp| self.loop_of(state, comp))
            .filter(|one| one.over == over)
            .collect()
    }

    fn focused(
        &mut self,
        state: &SymbolicState,
        failed: &mut Vec<Stuck>,
    ) -> Result<Option<SymbolicState>, Stuck> {
        let open: Vec<Comp> = state
            .places
            .iter()
            .filter(|(comp, place)| !self.is_daemon(state, **comp) && !place.is_end())
            .map(|(comp, _)| *comp)
            .collect();
        if open.iter().any(|comp| !comp.is_rest()) {
            return Ok(None);
        }
        for &family in &open {
            match self.families(state, family, &open) {
                None => {}
                Some(Ok(next)) => return Ok(Some(next)),
                Some(Err(stuck)) if stuck.obstacle == Obstacle::TooLong => return Err(stuck),
                Some(Err(stuck)) => failed.push(stuck),
            }
        }
        for family in open {
            match self.focus(state, family) {
                Ok(next) => return Ok(Some(next)),
                Err(stuck) if stuck.obstacle == Obstacle::TooLong => return Err(stuck),
                Err(stuck) => failed.push(stuck),
            }
        }
        Ok(None)
    }

    /// What everybody who is not done is about to do.
    pub(crate) fn remaining(&self, state: &SymbolicState) -> Vec<String> {
        let open = state
            .places
            .iter()
            .filter(|(comp, place)| !self.is_daemon(state, **comp) && !place.is_end());
        open.map(|(comp, _)| format!("{} {}", self.call(*comp), self.about_to(state, *comp).0))
            .collect()
    }

    /// Nothing applies: the first reason that a rule gave, or who waits. Where rounds of one loop differ, who waits
    /// in its partner's says more.
    fn stuck(
        &self,
        state: &SymbolicState,
        mut failed: Vec<Stuck>,
        mut together: Vec<Stuck>,
    ) -> Stuck {
        let differs = failed
            .iter()
            .find(|stuck| stuck.obstacle != Obstacle::Blocked)
            .is_some_and(|stuck| stuck.obstacle == Obstacle::StatefulLoop);
        let blocked = together
            .iter()
            .position(|stuck| stuck.obstacle == Obstacle::Blocked);
        if let (true, Some(at)) = (differs, blocked) {
            return together.swap_remove(at);
        }
        failed.append(&mut together);
        // That somebody waits is mostly a consequence of something else.
        let cause = failed
            .iter()
            .position(|stuck| stuck.obstacle != Obstacle::Blocked);
        if let Some(first) = failed.into_iter().nth(cause.unwrap_or(0)) {
            return first;
        }
        let waiting = state
            .places
            .iter()
            .filter(|(comp, place)| !self.is_daemon(state, **comp) && !place.is_end())
            .map(|(comp, _)| *comp);
        let mut parts = Vec::new();
        let mut first = Span::default();
        let mut who = None;
        for comp in waiting {
            let (what, span) = self.about_to(state, comp);
            if parts.is_empty() {
                first = span;
                who = Some(comp);
            }
            parts.push(format!("{} {what}", self.call(comp)));
        }
        if parts.is_empty() {
            parts.push("a daemon stops in the middle of its round".to_owned());
        }
        let stuck = Stuck::new(Obstacle::Blocked, first, parts.join("; "));
        match who {
            Some(who) => self.advised(stuck, state, who),
            None => stuck,
        }
    }
}
