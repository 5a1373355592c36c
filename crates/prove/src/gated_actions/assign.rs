//! Assignments in actions: a variable, or a part of one.

use super::{ActionState, SymbolicRun};
use crate::lower::Unsupported;
use crate::term::Term;
use crate::theory::Result;
use crate::vc::assign::{Into, put};
use plainsong_ir::{Access, Place, Root};

impl SymbolicRun<'_> {
    /// Writes `value` to a place.
    pub(super) fn assign(
        &mut self,
        state: &mut ActionState,
        place: &Place,
        value: Term,
    ) -> Result<()> {
        let song = self.theory.song.clone();
        let ty = place.root.ty(&song, &self.code.locals, None);
        let before = match &place.root {
            Root::Local(local) => state.env.locals.get(local).copied(),
            Root::Global(global) => state.env.store.globals.get(global).copied(),
            Root::Own(_) | Root::Of(..) => None,
        };
        let after = match (before, ty) {
            _ if place.path.is_empty() => value,
            (Some(before), Some(ty)) => self.reading(state, place.span, |lowering| {
                let mut path = Vec::new();
                for access in &place.path {
                    path.push(match access {
                        Access::Field(part) | Access::Project(part) => Into::Part(*part),
                        Access::Index(index) => Into::Index(lowering.expr(index)?),
                    });
                }
                put(lowering, ty, before, &path, value, place)
            })?,
            _ => {
                return Err(Unsupported::new(
                    place.span,
                    "this variable has no value here",
                ));
            }
        };
        match &place.root {
            Root::Local(local) => _ = state.env.locals.insert(*local, after),
            Root::Global(global) => _ = state.env.store.globals.insert(*global, after),
            Root::Own(_) | Root::Of(..) => {}
        }
        Ok(())
    }
}
