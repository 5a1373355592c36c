//! Calls of pure functions.
//!
//! Of an external function only the contract is known. A run that calls it ends with a limit of the
//! interpreter, and the verdict is `unknown`; except that whoever looks for one run that goes wrong may take
//! values that the contract allows ([`External`]): an implementation that returns them is one of those that
//! are promised about.

use super::{Eval, Result};
use crate::failure::{resource, undefined};
use crate::sizes::External;
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
            Ok(()) => match &function.body {
                Some(body) => self.expr(body, &mut own),
                None => self.external(function, span, &mut own),
            },
            Err(failure) => Err(failure),
        };
        self.world = outside;
        self.calls -= 1;
        value
    }

    /// A value that the contract of an external function allows, if runs may take one.
    fn external(&mut self, function: &Function, span: Span, own: &mut [Value]) -> Result {
        let name = &function.name;
        let mut candidates = match self.instance.bounds().external {
            External::Refused => {
                let message =
                    format!("`{name}` is external: there is no body that a run could follow");
                return Err(resource(span, message));
            }
            External::Least | External::Greatest => self
                .instance
                .candidates(&function.result)
                .map_err(|why| resource(span, why))?,
        };
        if self.instance.bounds().external == External::Greatest {
            candidates.reverse();
        }
        for candidate in candidates {
            if let Some(result) = function.contract.result {
                own[result.index()] = candidate.clone();
            }
            let mut holds = true;
            for promise in &function.contract.ensures {
                holds = holds && self.truth(promise, own)?;
            }
            if holds {
                return Ok(candidate);
            }
        }
        let message = format!("no value within the bounds satisfies the contract of `{name}`");
        Err(resource(span, message))
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
