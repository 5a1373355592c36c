//! Calls of pure functions.
//!
//! Of an external function only the contract is known. A run that calls it ends with a limit of the
//! interpreter, and the verdict is `unknown`; except that whoever looks for one run that goes wrong may take
//! values that the contract allows ([`External`]): an implementation that returns them is one of those that
//! are promised about. So may whoever wants to see one run (`plainsong run`). Whoever looks at every run decides call by
//! call ([`crate::outcomes`]).
//!
//! Calls that nest too deep end with a limit, too, unless it is seen why they do: the innermost ones are looked at, and if
//! what the function `decreases` is not less than in the call around them, that is what is wrong.

use super::{Eval, Result};
use crate::code::{listed, precedes};
use crate::failure::{resource, undefined};
use crate::instance::Instance;
use crate::show::show;
use crate::sizes::External;
use crate::trace::Failure;
use crate::value::Value;
use crate::world::Nothing;
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, FnId, Function, Ty, print};

/// How deep calls may nest.
const MOST_CALLS: u32 = 1_000;

/// How many of the innermost calls are looked at.
const LOOKED_AT: u32 = 8;

/// How far from zero a number is looked for that a contract allows.
const FAR: i64 = 10_000;

impl Eval<'_> {
    pub(super) fn call(
        &mut self,
        function: FnId,
        arguments: &[Expr],
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let id = function;
        let function = &self.instance.song().functions[function.index()];
        let mut own = self.exprs(arguments, locals)?;
        own.resize(function.locals.len(), Value::None);
        if self.calls + LOOKED_AT >= MOST_CALLS && !self.measures {
            self.is_less_than_around(id, function, span, &own)?;
        }
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
                None => self.external(id, span, &mut own),
            },
            Err(failure) => Err(failure),
        };
        self.world = outside;
        self.calls -= 1;
        value
    }

    /// Fails where the call around this one is of the same function and what decreases is not less here.
    fn is_less_than_around(
        &mut self,
        id: FnId,
        function: &Function,
        span: Span,
        own: &[Value],
    ) -> Result<()> {
        let mut here = Vec::new();
        for measure in &function.contract.decreases {
            let outside = std::mem::replace(&mut self.world, &Nothing);
            self.measures = true;
            let value = self.expr(measure, &mut own.to_vec());
            self.measures = false;
            self.world = outside;
            here.push(value?.int());
        }
        let around = self.around.replace((id, self.calls, here.clone()));
        match around {
            Some((other, calls, around))
                if other == id
                    && calls + 1 == self.calls
                    && !here.is_empty()
                    && !precedes(&here, &around) =>
            {
                let name = &function.name;
                let message = format!(
                    "what decreases is {} in `{name}` and {} where it calls itself",
                    listed(&around),
                    listed(&here)
                );
                Err(undefined(span, message))
            }
            _ => Ok(()),
        }
    }

    /// A value that the contract of an external function allows, if runs may take one.
    fn external(&mut self, id: FnId, span: Span, own: &mut [Value]) -> Result {
        let function = &self.instance.song().functions[id.index()];
        let name = &function.name;
        let of_type = |instance: &Instance| {
            let values = instance.candidates(&function.result);
            values.map_err(|why| resource(span, why))
        };
        let found = match &self.instance.bounds().external {
            External::Refused => {
                let message =
                    format!("`{name}` is external: there is no body that a run could follow");
                return Err(resource(span, message));
            }
            External::Least => self.first_allowed(function, of_type(self.instance)?, own)?,
            External::Greatest => {
                let mut candidates = of_type(self.instance)?;
                candidates.reverse();
                self.first_allowed(function, candidates, own)?
            }
            External::Drawn(seed) => {
                let mut candidates = of_type(self.instance)?;
                turn(&mut candidates, *seed, (name, &own[..function.arity]));
                match self.first_allowed(function, candidates, own)? {
                    None => self.first_allowed(function, far_numbers(&function.result), own)?,
                    found => found,
                }
            }
            External::Listed(outcomes) => {
                let outcome = outcomes.of(id, &own[..function.arity]);
                return outcome.ok_or_else(|| {
                    let message =
                        format!("what the external function `{name}` returns is not decided");
                    resource(span, message)
                });
            }
        };
        let arguments = &own[..function.arity];
        found.ok_or_else(|| nothing_allowed(self.instance, function, arguments, span))
    }

    /// The results within the bounds that the contract of an external function allows, ascending; of numbers, if there
    /// are none, the nearest to zero.
    pub(crate) fn allowed(
        &mut self,
        function: &Function,
        arguments: &[Value],
    ) -> Result<Vec<Value>> {
        let allowed = self.all_allowed(function, arguments)?;
        match allowed.is_empty() {
            true => Err(nothing_allowed(
                self.instance,
                function,
                arguments,
                function.span,
            )),
            false => Ok(allowed),
        }
    }

    /// May a function be called with these arguments, and is no result found that its contract allows?
    pub(crate) fn is_left_alone(&mut self, function: &Function, arguments: &[Value]) -> bool {
        let mut own = arguments.to_vec();
        own.resize(function.locals.len(), Value::None);
        let may_be_called = self.wanted(function, function.span, &mut own).is_ok();
        let allowed = self.all_allowed(function, arguments);
        may_be_called && allowed.is_ok_and(|allowed| allowed.is_empty())
    }

    /// The results that are found and allowed; none if none is.
    fn all_allowed(&mut self, function: &Function, arguments: &[Value]) -> Result<Vec<Value>> {
        let span = function.span;
        let mut own = arguments.to_vec();
        own.resize(function.locals.len(), Value::None);
        let candidates = self.instance.candidates(&function.result);
        let mut allowed = Vec::new();
        for candidate in candidates.map_err(|why| resource(span, why))? {
            if self.is_allowed(function, &candidate, &mut own)? {
                allowed.push(candidate);
            }
        }
        if allowed.is_empty() {
            allowed.extend(self.first_allowed(
                function,
                far_numbers(&function.result),
                &mut own,
            )?);
        }
        Ok(allowed)
    }

    /// Is a result as the contract promises?
    fn is_allowed(
        &mut self,
        function: &Function,
        candidate: &Value,
        own: &mut [Value],
    ) -> Result<bool> {
        if let Some(result) = function.contract.result {
            own[result.index()] = candidate.clone();
        }
        for promise in &function.contract.ensures {
            if !self.truth(promise, own)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first of some values that is as the contract promises.
    fn first_allowed(
        &mut self,
        function: &Function,
        candidates: Vec<Value>,
        own: &mut [Value],
    ) -> Result<Option<Value>> {
        for candidate in candidates {
            if self.is_allowed(function, &candidate, own)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
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

fn nothing_allowed(
    instance: &Instance,
    function: &Function,
    arguments: &[Value],
    span: Span,
) -> Failure {
    let name = &function.name;
    let call = call_told(instance, function, arguments);
    let message =
        format!("no value within the bounds satisfies the contract of `{name}` for `{call}`");
    resource(span, message)
}

/// A call as it stands in the text: `price(1, 2)`.
pub(crate) fn call_told(instance: &Instance, function: &Function, arguments: &[Value]) -> String {
    let parameters = function.locals[..function.arity].iter();
    let arguments = arguments.iter().zip(parameters);
    let arguments: Vec<String> = arguments
        .map(|(value, local)| show(instance, value, &local.ty))
        .collect();
    format!("{}({})", function.name, arguments.join(", "))
}

/// Puts another value first, which one a digest of the call says.
fn turn(candidates: &mut [Value], seed: u64, call: (&str, &[Value])) {
    // FNV-1a: the same on every machine, so that roles on different ones agree.
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for byte in format!("{seed} {call:?}").bytes() {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    if !candidates.is_empty() {
        let by = digest % candidates.len() as u64;
        candidates.rotate_left(by as usize);
    }
}

/// Numbers beyond the bounds of free choices, nearest to zero first; nothing of other types.
fn far_numbers(ty: &Ty) -> Vec<Value> {
    match ty {
        Ty::Int => (0..=FAR)
            .flat_map(|n| [Value::Int(n), Value::Int(-n)])
            .collect(),
        Ty::Nat => (0..=FAR).map(Value::Int).collect(),
        _ => Vec::new(),
    }
}
