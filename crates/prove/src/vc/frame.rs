//! Frame axioms: what a loop leaves alone of a map that it writes.
//!
//! Statement. If every write to a map in a loop is to its part at `x`, and `x` is a name that stands for the
//! same value throughout the loop, then all other parts are what they were before the loop.
//!
//! So an invariant need not say that a loop about one round of a protocol leaves the other rounds alone.

use super::{SymbolicState, VcWalk};
use crate::rounds::Variable;
use crate::theory::Result;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Access, Block, ExprKind, GlobalId, LocalId, Place, Root, Ty};
use std::collections::BTreeSet;

impl VcWalk<'_> {
    /// Makes the only part of a map that the body writes arbitrary, if there is only one; says whether it did.
    pub(super) fn forget_part(
        &mut self,
        state: &mut SymbolicState,
        variable: Variable,
        (body, own): (&Block, Option<LocalId>),
    ) -> Result<bool> {
        let Variable::Global(global) = variable else {
            return Ok(false);
        };
        let song = self.theory.song.clone();
        let decl = song.actions().map(|all| &all.globals[global.index()]);
        let (Some(decl), Some(before)) = (decl, state.env.store.value(variable)) else {
            return Ok(false);
        };
        let (Ty::Map(_, part), Some(local)) = (&decl.ty, only_part(body, global)) else {
            return Ok(false);
        };
        let Some(at) = state.env.locals.get(&local).copied() else {
            return Ok(false);
        };
        if own == Some(local) {
            return Ok(false);
        }
        let (value, valid) = self.theory.arbitrary(&decl.name, part, decl.span)?;
        state.hypotheses.push(valid);
        let whole = self.theory.terms.store(before, at, value);
        state.env.store.set(variable, whole);
        Ok(true)
    }
}

/// The name that is the first key of every write to a global, if the body neither binds nor assigns it.
fn only_part(body: &Block, global: GlobalId) -> Option<LocalId> {
    let mut writes = Writes {
        global,
        keys: BTreeSet::new(),
        changed: BTreeSet::new(),
    };
    writes.block(body);
    let mut keys = writes.keys.into_iter();
    match (keys.next(), keys.next()) {
        (Some(Some(local)), None) if !writes.changed.contains(&local) => Some(local),
        _ => None,
    }
}

struct Writes {
    global: GlobalId,
    /// First keys that are names; `None` for others.
    keys: BTreeSet<Option<LocalId>>,
    /// Names that are bound or assigned.
    changed: BTreeSet<LocalId>,
}

impl Visit for Writes {
    fn binds(&mut self, local: &LocalId) {
        self.changed.insert(*local);
    }

    fn place(&mut self, place: &Place) {
        match &place.root {
            Root::Global(global) if *global == self.global => {
                let key = match place.path.first() {
                    Some(Access::Index(key)) => match key.kind {
                        ExprKind::Local(local) => Some(local),
                        _ => None,
                    },
                    _ => None,
                };
                self.keys.insert(key);
            }
            Root::Local(local) => _ = self.changed.insert(*local),
            _ => {}
        }
        walk::place(self, place);
    }
}
