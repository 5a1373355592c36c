//! Calls of pure functions.

use super::{Eval, Result};
use crate::failure::resource;
use crate::value::Value;
use crate::world::Nothing;
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, FnId};

/// How deep calls may nest.
const MOST_CALLS: u32 = 1_000;

impl Eval<'_> {
    pub(super) fn call(
        &mut self,
        function: FnId,
        arguments: &[Expr],
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let function = &self.instance.song().functions[function.index()];
        let mut own = self.exprs(arguments, locals)?;
        own.resize(function.locals.len(), Value::None);
        if self.calls == MOST_CALLS {
            let name = &function.name;
            return Err(resource(
                span,
                format!("{name} is called more than {MOST_CALLS} levels deep"),
            ));
        }
        self.calls += 1;
        let outside = std::mem::replace(&mut self.world, &Nothing);
        let value = self.expr(&function.body, &mut own);
        self.world = outside;
        self.calls -= 1;
        value
    }
}
