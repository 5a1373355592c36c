//! Processes whose loops take members of symmetric sorts in any order.
//!
//! See [`plainsong_ir::symmetry`] for what this is good for.

use super::config::Voice;
use super::{Act, VoiceSystem};
use crate::code::{ElementOrder, ForLoop, OpKind};
use crate::value::Value;
use plainsong_ir::symmetry::Round;
use plainsong_ir::{LocalId, Ty};

impl VoiceSystem {
    /// The same processes, where loops of bodies that communicate take their elements in any order, if these
    /// are about members.
    pub(crate) fn loosened(&self, is_about: impl Fn(&Ty) -> bool) -> VoiceSystem {
        let mut system = self.clone();
        for program in &self.programs {
            let Act::Body(number) = program.act else {
                continue;
            };
            let code = &mut system.codes[number];
            for one in &code.loops {
                let element = &code.locals[one.local.index()].ty;
                if one.in_sequence || !is_about(element) {
                    continue;
                }
                let OpKind::Next { order, .. } = &mut code.ops[one.next].kind else {
                    panic!("a loop binds its next element")
                };
                *order = match one.round {
                    Round::Local => ElementOrder::First,
                    Round::Blind => ElementOrder::Blind,
                    Round::Named => ElementOrder::Any,
                };
            }
        }
        system
    }

    /// Is there a loosened loop?
    pub(crate) fn has_loosened(&self) -> bool {
        self.codes.iter().any(|code| {
            let mut loops = code.loops.iter();
            loops.any(|one| match code.ops[one.next].kind {
                OpKind::Next { order, .. } => order != ElementOrder::First,
                _ => false,
            })
        })
    }

    /// The elements that the loosened loops of a process are at, each with its local.
    pub(crate) fn taken<'v>(
        &'v self,
        lane: usize,
        voice: &'v Voice,
    ) -> impl Iterator<Item = (usize, &'v Value)> {
        let code = match self.program_at(lane).act {
            Act::Body(number) => Some(&self.codes[number]),
            Act::Handlers(_) => None,
        };
        let loops = code.into_iter().flat_map(|code| {
            let is_loose = |one: &&ForLoop| {
                matches!(
                    code.ops[one.next].kind,
                    OpKind::Next {
                        order: ElementOrder::Any,
                        ..
                    }
                )
            };
            code.loops.iter().filter(is_loose)
        });
        let element = |one: &ForLoop| one.local.index();
        loops.filter_map(move |one| Some((element(one), voice.slots.get(element(one))?)))
    }

    /// What the body of a process keeps between steps; none for handlers, which keep their indices.
    pub(crate) fn kept(&self, lane: usize) -> Option<Kept<'_>> {
        let Act::Body(number) = self.program_at(lane).act else {
            return None;
        };
        let code = &self.codes[number];
        let loops = code.loops.iter().map(|one| (one.hidden, one.local));
        Some(Kept {
            locals: code.locals.iter().map(|local| &local.ty).collect(),
            loops: loops.collect(),
        })
    }
}

/// What a body keeps between steps.
pub(crate) struct Kept<'a> {
    /// The types of its locals.
    pub(crate) locals: Vec<&'a Ty>,
    /// For each loop, the slot of its elements and the name of one.
    pub(crate) loops: Vec<(usize, LocalId)>,
}
