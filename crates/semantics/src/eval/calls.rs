//! Calls of pure functions.

use super::{Eval, Result};
use crate::failure::{resource, undefined};
use crate::value::Value;
use crate::world::Nothing;
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, FnId, Function, print};

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
        let value = match self.wanted(function, span, &mut own) {
            Ok(()) => self.expr(&function.body, &mut own),
            Err(failure) => Err(failure),
        };
        self.world = outside;
        self.calls -= 1;
        value
    }

    /// Fails where something that the function requires is false.
    fn wanted(&mut self, function: &Function, span: Span, own: &mut [Value]) -> Result<()> {
        for condition in &function.contract.requires {
            if !self.truth(condition, own)? {
                let (song, locals) = (self.instance.song(), &function.locals);
                let text = print::expr(song, locals, condition);
                let name = &function.name;
                let message = format!("`{name}` requires `{text}`, which is false here");
                return Err(undefined(span, message));
            }
        }
        Ok(())
    }
}
