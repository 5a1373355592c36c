//! Functions that are not written out where they are called: recursive and external (uninterpreted) ones.
//!
//! A call of such a function is a term of its own ([`Op::Call`](crate::term::Op::Call)), about which two
//! facts are known ([`Definition`]), at the arguments that occur:
//!
//! - *definition*: for arguments that are values of their types and satisfy `requires`, the call is the
//!   body; not known of an external function;
//! - *promise*: it is a value of its type, and `ensures` holds of it.
//!
//! Why sound. Let `D` be the arguments that are values and satisfy `requires`. The proof of the contract
//! ([`crate::vc`]) shows for every `x` in `D` that computing the body calls functions of the same circle
//! only at `y` in their `D` with `m(y)` before `m(x)` ([`Terms::precedes`](crate::term::Terms::precedes)). That order is well-founded, so by recursion on
//! it there is a function that satisfies the definition on all of `D`, and is arbitrary elsewhere. In that
//! proof itself the facts about the circle are used for smaller arguments only ([`Induction`]): that is the
//! induction hypothesis, for the definition as well as for the promise. A verdict that uses a function
//! therefore depends on the proof of its contract. Functions that only a contract mentions count to the
//! circle too, so no proof rests on itself.
//!
//! Of an external function the promise is trusted: what is proved holds for every function that keeps it. The
//! verdict lists it. That there is such a function has to be shown: for all arguments in `D` the contract allows a result
//! ([`Rule::Satisfiable`](crate::obligation::Rule::Satisfiable)); then a function that returns one for each of them keeps it.
//! Its contract may not call it, not even through others, so that it means what it says.
//!
//! NOT COVERED, and said so: recursive functions without `decreases`; a `requires` or `decreases` that calls a
//! function of its own circle.

use crate::lower::{Env, Lowering, Unsupported};
use crate::term::Term;
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, FnId, LocalId, recursion};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known about a function, over symbols for its parameters and its result.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The symbols of the parameters.
    pub params: Vec<Term>,
    /// The symbol of the result.
    pub result: Term,
    /// Are the parameters values that satisfy `requires`?
    pub domain: Term,
    /// The body; none of an external function.
    pub body: Option<Term>,
    /// Is the result a value that satisfies `ensures`?
    pub promise: Term,
    /// What decreases.
    pub measures: Vec<Term>,
    /// Of an external function: results that its contract may allow.
    pub witnesses: Vec<Term>,
}

/// A proof by induction in progress: facts about these functions hold below a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Induction {
    /// The functions of the circle.
    pub functions: BTreeSet<FnId>,
    /// Their measures have to come before this.
    pub bound: Vec<Term>,
}

/// What a theory knows about recursive functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions {
    /// May calls be terms of their own? Only where somebody asks for the proofs of the contracts.
    pub(crate) allowed: bool,
    /// Those that were called so far, each with what is known about it once that is translated.
    called: BTreeMap<FnId, Option<Rc<Definition>>>,
    circles: BTreeMap<FnId, Rc<BTreeSet<FnId>>>,
    /// The proof that is in flight.
    pub(crate) induction: Option<Induction>,
}

impl Theory {
    /// The functions that a function calls itself through; none if it is not recursive.
    pub(crate) fn circle(&mut self, function: FnId) -> Rc<BTreeSet<FnId>> {
        if let Some(known) = self.functions.circles.get(&function) {
            return known.clone();
        }
        let circle = Rc::new(recursion::circle(&self.song, function));
        self.functions.circles.insert(function, circle.clone());
        circle
    }

    /// May calls of recursive and external functions be terms of their own from here on? Whoever says yes asks
    /// for the proofs of what was called ([`crate::vc::support`]).
    pub fn allow_calls(&mut self, allowed: bool) {
        self.functions.allowed = allowed;
    }

    /// The functions whose calls are terms of their own, so far.
    pub(crate) fn called(&self) -> Vec<FnId> {
        self.functions.called.keys().copied().collect()
    }

    /// What is known about a function that was called.
    pub(crate) fn definition(&self, function: FnId) -> Option<Rc<Definition>> {
        self.functions.called.get(&function).cloned().flatten()
    }

    /// Notes a call of a recursive function, and finds out what is known about it.
    pub(crate) fn note_call(&mut self, function: FnId, span: Span) -> Result<()> {
        if !self.functions.allowed {
            let decl = &self.song.functions[function.index()];
            let what = match decl.is_external() {
                true => "external",
                false => "recursive",
            };
            let message = format!(
                "the {what} function `{}` is not covered by these proofs",
                decl.name
            );
            return Err(Unsupported::new(span, message));
        }
        if self.functions.called.contains_key(&function) {
            return Ok(());
        }
        self.functions.called.insert(function, None);
        let outside = self.functions.induction.take();
        let definition = self.translated(function, span);
        self.functions.induction = outside;
        self.functions
            .called
            .insert(function, Some(Rc::new(definition?)));
        Ok(())
    }

    fn translated(&mut self, function: FnId, span: Span) -> Result<Definition> {
        let song = self.song.clone();
        let decl = &song.functions[function.index()];
        let contract = &decl.contract;
        let circle = self.circle(function);
        if decl.is_external() && !circle.is_empty() {
            let message = format!(
                "the contract of the external function `{}` calls it",
                decl.name
            );
            return Err(Unsupported::new(span, message));
        }
        if !decl.is_external() && contract.decreases.is_empty() {
            let message = format!("the recursive function `{}` has no `decreases`", decl.name);
            return Err(Unsupported::new(span, message));
        }
        let conditions = contract.requires.iter().chain(&contract.decreases);
        if !recursion::called_in(conditions).is_disjoint(&circle) {
            let message = format!(
                "`requires` or `decreases` of `{}` calls a function that calls `{0}`",
                decl.name
            );
            return Err(Unsupported::new(span, message));
        }
        let mut env = Env::default();
        let (mut params, mut domain) = (Vec::new(), Vec::new());
        for (at, param) in decl.locals[..decl.arity].iter().enumerate() {
            let (value, valid) = self.arbitrary(&param.name, &param.ty, param.span)?;
            env.locals.insert(LocalId::from(at), value);
            params.push(value);
            domain.push(valid);
        }
        for condition in &contract.requires {
            let condition = self.read_in(&env, condition)?;
            domain.push(condition);
        }
        let body = match &decl.body {
            Some(body) => Some(self.read_in(&env, body)?),
            None => None,
        };
        let measures = contract.decreases.iter();
        let measures = measures
            .map(|one| self.read_in(&env, one))
            .collect::<Result<_>>()?;
        let (result, valid) = self.arbitrary("result", &decl.result, decl.span)?;
        if let Some(local) = contract.result {
            env.locals.insert(local, result);
        }
        let witnesses = match decl.is_external() {
            true => self.witnesses(decl, &env, &params, result),
            false => Vec::new(),
        };
        let mut promise = vec![valid];
        for ensured in &contract.ensures {
            promise.push(match decl.is_external() {
                true => self.read_where_defined(&env, ensured)?,
                false => self.read_in(&env, ensured)?,
            });
        }
        Ok(Definition {
            params,
            result,
            domain: self.terms.and(&domain),
            body,
            promise: self.terms.and(&promise),
            measures,
            witnesses,
        })
    }

    /// A condition that is not taken to hold where it has no value: nobody asks for its definedness.
    fn read_where_defined(&mut self, env: &Env, expr: &Expr) -> Result {
        let mut lowering = Lowering::new(self, env.clone());
        let holds = lowering.expr(expr)?;
        let definedness = std::mem::take(&mut lowering.definedness).into_iter();
        let defined: Vec<Term> = definedness.map(|one| one.condition).collect();
        let defined = self.terms.and(&defined);
        Ok(self.terms.implies(defined, holds))
    }

    /// The term of an expression whose definedness somebody else asks for.
    fn read_in(&mut self, env: &Env, expr: &Expr) -> Result {
        Lowering::new(self, env.clone()).expr(expr)
    }
}

impl Definition {
    /// Part of a definition for these arguments and this result.
    pub(crate) fn at(
        &self,
        theory: &mut Theory,
        part: Term,
        arguments: &[Term],
        result: Term,
    ) -> Term {
        let params = self.params.iter().chain([&self.result]);
        let by: FxHashMap<Term, Term> = params
            .copied()
            .zip(arguments.iter().copied().chain([result]))
            .collect();
        theory.terms.replace(part, &by)
    }
}
