//! Assignments: a variable, or a part of one.

use super::{SymbolicState, VcWalk};
use crate::lower::{Lowering, Unsupported};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;
use plainsong_ir::{Place, Root, Ty};
use std::collections::BTreeMap;

/// One step into a value, with the index read.
pub(crate) enum Into {
    /// A field or component.
    Part(usize),
    /// An entry.
    Index(Term),
}

impl VcWalk<'_> {
    /// Writes `value` to a place.
    pub(super) fn write(
        &mut self,
        state: &mut SymbolicState,
        place: &Place,
        value: Term,
    ) -> Result<()> {
        let song = self.theory.song.clone();
        match &place.root {
            Root::Local(local) => {
                let Some(&before) = state.env.locals.get(local) else {
                    return Err(Unsupported::new(
                        place.span,
                        "this variable has no value here",
                    ));
                };
                let after = self.written_to(state, place, None, before, value)?;
                state.env.locals.insert(*local, after);
            }
            Root::Of(family, index, var) => {
                let index = self.reading(state, place.span, |lowering| lowering.exprs(index))?;
                let key = (*family, *var);
                let Some(&whole) = state.env.store.vars.get(&key) else {
                    return Err(Unsupported::new(
                        place.span,
                        "this variable has no value here",
                    ));
                };
                let ty = &song.families[family.index()].vars[var.index()].ty;
                let mut layers = vec![whole];
                for &at in &index {
                    let inner = *layers.last().expect("the whole is a layer");
                    layers.push(self.theory.terms.select(inner, at));
                }
                let before = layers.pop().expect("the whole is a layer");
                let mut after = self.written_to(state, place, Some(ty), before, value)?;
                for (layer, &at) in layers.into_iter().zip(&index).rev() {
                    after = self.theory.terms.store(layer, at, after);
                }
                state.env.store.vars.insert(key, after);
            }
            Root::Global(global) => {
                let Some(&before) = state.env.store.globals.get(global) else {
                    return Err(Unsupported::new(
                        place.span,
                        "this variable has no value here",
                    ));
                };
                let ty = song
                    .actions()
                    .map(|actions| &actions.globals[global.index()].ty);
                let after = self.written_to(state, place, ty, before, value)?;
                state.env.store.globals.insert(*global, after);
            }
            Root::Own(_) => {
                return Err(Unsupported::new(
                    place.span,
                    "variables of processes are not covered by proofs",
                ));
            }
        }
        Ok(())
    }

    fn written_to(
        &mut self,
        state: &mut SymbolicState,
        place: &Place,
        ty: Option<&Ty>,
        before: Term,
        value: Term,
    ) -> Result {
        match ty {
            _ if place.path.is_empty() => Ok(value),
            Some(ty) => self.written(state, place, (ty, before), value),
            None => Err(Unsupported::new(
                place.span,
                "assignments to parts of local variables are not covered by proofs yet",
            )),
        }
    }
}

/// A value with the part at the end of the path replaced.
pub(crate) fn put(
    lowering: &mut Lowering<'_>,
    ty: &Ty,
    before: Term,
    path: &[Into],
    value: Term,
    place: &Place,
) -> Result {
    let Some((first, rest)) = path.split_first() else {
        return Ok(value);
    };
    match first {
        Into::Part(part) => {
            let song = lowering.theory.song.clone();
            let all = crate::types::variants(&song, ty);
            let field = &all[0].1[*part];
            let inner = lowering.theory.terms.get(before, 0, *part as u32);
            let inner = put(lowering, field, inner, rest, value, place)?;
            lowering.with_parts(before, &BTreeMap::from([(*part, inner)]))
        }
        Into::Index(at) => {
            let element = match ty {
                Ty::Map(_, value) => value,
                Ty::Seq(element) => element,
                _ => {
                    return Err(Unsupported::new(
                        place.span,
                        "only maps and sequences have places",
                    ));
                }
            };
            let inner = lowering.read(ty, before, *at, place.span)?;
            let inner = put(lowering, element, inner, rest, value, place)?;
            lowering.put(ty, before, *at, inner, place.span)
        }
    }
}
