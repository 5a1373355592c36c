//! Assignments: where a value goes.

use crate::eval::{Eval, Result};
use crate::value::Value;
use crate::world::World;
use plainsong_diagnostics::Span;
use plainsong_ir::{Access, GlobalId, Place, Root, Ty, VarId};

/// Variables that running code reads and writes.
pub(crate) trait Memory: World + Clone + PartialEq {
    /// The variable that a target stands for.
    fn variable(&mut self, target: Target) -> &mut Value;
}

/// A variable, with indices evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A slot of the code's locals.
    Local(usize),
    /// A state variable of the process whose code this is.
    Own(VarId),
    /// A variable of an endpoint.
    Of(usize, VarId),
    /// A global variable.
    Global(GlobalId),
}

/// One step into a value, with the index evaluated.
enum Into<'a> {
    Part(usize),
    Index(Value, &'a Ty, Span),
}

/// The variable a place belongs to.
pub(crate) fn target(eval: &mut Eval<'_>, place: &Place, locals: &mut [Value]) -> Result<Target> {
    Ok(match &place.root {
        Root::Local(local) => Target::Local(local.index()),
        Root::Own(var) => Target::Own(*var),
        Root::Global(global) => Target::Global(*global),
        Root::Of(family, index, var) => Target::Of(eval.member(*family, index, locals)?, *var),
    })
}

/// The whole variable after `value` was written to its part that `place` means.
pub(crate) fn written(
    eval: &mut Eval<'_>,
    place: &Place,
    before: &Value,
    value: Value,
    locals: &mut [Value],
) -> Result {
    let mut path = Vec::new();
    for access in &place.path {
        path.push(match access {
            Access::Field(part) | Access::Project(part) => Into::Part(*part),
            Access::Index(index) => Into::Index(eval.expr(index, locals)?, &index.ty, place.span),
        });
    }
    put(eval, before, &path, value)
}

fn put(eval: &Eval<'_>, before: &Value, path: &[Into<'_>], value: Value) -> Result {
    let Some((first, rest)) = path.split_first() else {
        return Ok(value);
    };
    match first {
        Into::Part(part) => {
            let parts = before.parts();
            let inner = put(eval, &parts[*part], rest, value)?;
            let mut parts = parts.to_vec();
            parts[*part] = inner;
            Ok(Value::Tuple(parts.into()))
        }
        Into::Index(at, ty, span) => {
            let inner = eval.index(before, at, ty, *span)?;
            let inner = put(eval, &inner, rest, value)?;
            eval.put(before, at, ty, inner, *span)
        }
    }
}
