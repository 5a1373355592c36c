//! Assignments in actions: a variable, or a part of one.

use super::{ActionState, SymbolicRun};
use crate::lower::Unsupported;
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;
use plainsong_ir::{Place, Root};

impl SymbolicRun<'_> {
    /// Writes `value` to a place.
    pub(super) fn write(
        &mut self,
        state: &mut ActionState,
        place: &Place,
        value: Term,
    ) -> Result<()> {
        self.acting(state);
        let song = self.theory.song.clone();
        let ty = place.root.ty(&song, &self.code.locals, None);
        let before = match &place.root {
            Root::Local(local) => state.env.locals.get(local).copied(),
            Root::Global(global) => state.env.store.globals.get(global).copied(),
            Root::Own(_) | Root::Of(..) => None,
        };
        let after = match (before, ty) {
            _ if place.path.is_empty() => value,
            (Some(before), Some(ty)) => self.written(state, place, (ty, before), value)?,
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
