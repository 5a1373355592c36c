//! Source expressions as terms.
//!
//! [`Lowering`] follows the interpreter case by case (`semantics::eval`): where the interpreter gives
//! a value, the term stands for that value; where the interpreter fails, the term means nothing, and
//! a *definedness condition* says so. The conditions are collected beside the term, each under the
//! guards it stands under: `i < s.len() && s[i] == 0` needs nothing, because `&&` does not look at its
//! right side when the left decides.
//!
//! Quantifiers must be defined for every combination, also where the interpreter would stop at the
//! first that decides: that asks for more, never for less ([`Definedness::everywhere`]).
//!
//! A call of a function asks for its `requires`; its value is the body, written out, or for a recursive
//! function a term of its own ([`crate::functions`]).
//!
//! Integers are unbounded here, as the language says; the interpreter gives up beyond 64 bits.
//!
//! NOT COVERED, and said so ([`Unsupported`]): process identities, `pending` where the
//! [`Store`] does not say what is pending, own variables of
//! processes, recursive functions without `decreases`, sequence comprehensions with a `where` or over a set.

mod binders;
mod collections;
mod methods;
mod operators;
mod patterns;
mod pending;

use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Expr, ExprKind, FamilyId, FnId, GlobalId, LocalId, Ty, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Something that proofs do not cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// Where it stands.
    pub span: Span,
    /// One sentence without a full stop.
    pub message: String,
}

impl Unsupported {
    /// What is not covered.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Unsupported {
            span,
            message: message.into(),
        }
    }
}

/// Variables of endpoints (as functions of their indices) and globals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Store {
    /// By family and variable; a function from index to index, one after the other.
    pub vars: BTreeMap<(FamilyId, VarId), Term>,
    /// Globals of an action system.
    pub globals: BTreeMap<GlobalId, Term>,
    /// How many asyncs of an action are pending: a function from argument to argument, one after the other. Of actions that are
    /// not here nothing is known.
    pub pending: BTreeMap<ActionId, Term>,
}

/// What names stand for.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// Parameters and locals.
    pub locals: BTreeMap<LocalId, Term>,
    /// Variables now.
    pub store: Store,
    /// Variables that `old` speaks about.
    pub old: Option<Rc<Store>>,
    /// The variables of the process being initialised, by number.
    pub own: BTreeMap<VarId, Term>,
}

/// A condition under which an expression has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Definedness {
    /// What must hold.
    pub condition: Term,
    /// The operation.
    pub span: Span,
    /// What could go wrong: `division by zero`.
    pub what: &'static str,
    /// Is it asked for each value of a quantified name, where the interpreter may stop before?
    pub everywhere: bool,
    /// Is it asked of what decreases, which no run checks?
    pub terminates: bool,
}

/// What stands between the outside and the place being read.
#[derive(Clone, Copy, Debug)]
enum Guard {
    /// Only if.
    If(Term),
    /// For each value of a symbol.
    Each(Term),
}

/// A translation in progress.
pub struct Lowering<'a> {
    pub(crate) theory: &'a mut Theory,
    /// What names stand for; reading binds names.
    pub env: Env,
    guards: Vec<Guard>,
    /// What holds here, whatever is read: of conditions, only what goes beyond it is noted.
    pub known: Vec<Term>,
    /// Conditions found so far, in the order of evaluation.
    pub definedness: Vec<Definedness>,
}

impl<'a> Lowering<'a> {
    /// Ready to translate where names stand for what `env` says.
    pub fn new(theory: &'a mut Theory, env: Env) -> Self {
        Lowering {
            theory,
            env,
            guards: Vec::new(),
            known: Vec::new(),
            definedness: Vec::new(),
        }
    }

    /// The term of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Result {
        match &expr.kind {
            ExprKind::Bool(truth) => Ok(self.theory.terms.bool(*truth)),
            ExprKind::Int(int) => Ok(self.theory.terms.int(*int)),
            ExprKind::Local(local) => self.local(*local, expr),
            ExprKind::Of(family, index, var) => self.variable_of(*family, index, *var, expr.span),
            ExprKind::Global(global) => {
                let known = self.env.store.globals.get(global).copied();
                known.ok_or_else(|| Unsupported::new(expr.span, "a global has no value here"))
            }
            ExprKind::Own(var) => {
                let known = self.env.own.get(var).copied();
                known.ok_or_else(|| {
                    Unsupported::new(
                        expr.span,
                        "variables of processes are not covered by proofs",
                    )
                })
            }
            ExprKind::Const(constant) => self.theory.constant(*constant),
            ExprKind::All(ty) => self.all(ty, expr.span),
            ExprKind::Pid(..) | ExprKind::SelfPid => Err(Unsupported::new(
                expr.span,
                "identities of processes are not covered by proofs yet",
            )),
            ExprKind::Crashed(_) => Err(Unsupported::new(
                expr.span,
                "`crashed` is not covered by proofs",
            )),
            ExprKind::Pending(what) => self.pending(*what, expr.span),
            ExprKind::PendingOf(action, arguments) => {
                self.pending_with(*action, arguments, expr.span)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => self.range(start, end, *inclusive),
            ExprKind::If(condition, yes, no) => self.if_expr(condition, yes, no),
            ExprKind::Match(scrutinee, arms) => self.match_expr(scrutinee, arms),
            ExprKind::Is(scrutinee, pattern) => {
                let value = self.expr(scrutinee)?;
                self.matches(pattern, value, &scrutinee.ty)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.expr(value)?;
                self.env.locals.insert(*local, value);
                self.expr(body)
            }
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => {
                self.make(&expr.ty, 0, parts, expr.span)
            }
            ExprKind::Project(whole, part) | ExprKind::Field(whole, part) => {
                let whole = self.expr(whole)?;
                Ok(self.theory.terms.get(whole, 0, *part as u32))
            }
            ExprKind::Update(base, changes) => self.update(base, changes),
            ExprKind::Variant(_, variant, payload) => {
                self.make(&expr.ty, *variant as u32, payload, expr.span)
            }
            ExprKind::None => self.make(&expr.ty, 0, &[], expr.span),
            ExprKind::Some(inner) => self.make(&expr.ty, 1, std::slice::from_ref(inner), expr.span),
            ExprKind::Literal(elements) => self.literal(&expr.ty, elements, expr.span),
            ExprKind::Comprehension(binding, body) => {
                self.comprehension(&expr.ty, binding, body, expr.span)
            }
            ExprKind::MapOf(local, body) => self.map_of(*local, body, &expr.ty, expr.span),
            ExprKind::Index(whole, key) => self.index(whole, key, expr.span),
            ExprKind::Method(method, arguments) => self.method(*method, arguments, expr),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, expr.span),
            ExprKind::Quantifier(quantifier, bindings, body) => {
                self.quantifier(*quantifier, bindings, body)
            }
            ExprKind::Old(inner) => self.old(inner),
            ExprKind::Widen(inner) => self.expr(inner),
            ExprKind::Narrow(inner) => {
                let value = self.expr(inner)?;
                let valid = self.theory.valid(&expr.ty, value)?;
                self.needs(valid, expr.span, narrowing(&expr.ty));
                Ok(value)
            }
        }
    }

    /// The terms of several expressions.
    pub fn exprs(&mut self, exprs: &[Expr]) -> Result<Vec<Term>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Notes a condition under which what is being read is defined.
    pub(crate) fn needs(&mut self, condition: Term, span: Span, what: &'static str) {
        self.requirement(condition, span, what, false);
    }

    fn requirement(&mut self, condition: Term, span: Span, what: &'static str, terminates: bool) {
        let condition = self.theory.beyond_background(condition);
        let mut condition = self.beyond_guards(condition);
        for guard in self.guards.iter().rev() {
            condition = match *guard {
                Guard::If(guard) => self.theory.terms.implies(guard, condition),
                Guard::Each(symbol) => self.theory.terms.forall(symbol, condition),
            };
        }
        let everywhere = (self.guards.iter()).any(|guard| matches!(guard, Guard::Each(_)));
        let is_trivial = self.theory.terms.op(condition) == crate::term::Op::True;
        if !is_trivial {
            self.definedness.push(Definedness {
                condition,
                span,
                what,
                everywhere,
                terminates,
            });
        }
    }

    /// What a condition says beyond what stands between the outside and this place: a name that is bound outside of other
    /// quantifiers is as good a value there as directly below its own.
    fn beyond_guards(&mut self, condition: Term) -> Term {
        let guards = self.guards.iter().filter_map(|guard| match guard {
            Guard::If(guard) => Some(*guard),
            Guard::Each(_) => None,
        });
        let known = guards.flat_map(|guard| self.theory.terms.conjuncts(guard));
        let known: Vec<Term> = known.collect();
        let mut rest = self.theory.terms.conjuncts(condition);
        rest.retain(|part| !known.contains(part) && !self.known.contains(part));
        self.theory.terms.and(&rest)
    }

    /// Reads something that is evaluated only if `condition`.
    fn under<T>(
        &mut self,
        condition: Term,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.guards.push(Guard::If(condition));
        let result = read(self);
        self.guards.pop();
        result
    }

    /// Reads something that is evaluated for each value of a symbol.
    fn for_each<T>(
        &mut self,
        symbol: Term,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.guards.push(Guard::Each(symbol));
        let result = read(self);
        self.guards.pop();
        result
    }

    fn local(&mut self, local: LocalId, expr: &Expr) -> Result {
        let known = self.env.locals.get(&local).copied();
        known.ok_or_else(|| Unsupported::new(expr.span, "this name has no value here"))
    }

    fn variable_of(&mut self, family: FamilyId, index: &[Expr], var: VarId, span: Span) -> Result {
        let index = self.exprs(index)?;
        let Some(mut value) = self.env.store.vars.get(&(family, var)).copied() else {
            return Err(Unsupported::new(span, "this variable has no value here"));
        };
        for at in index {
            value = self.theory.terms.select(value, at);
        }
        Ok(value)
    }

    fn if_expr(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Result {
        let c = self.expr(condition)?;
        let a = self.under(c, |lowering| lowering.expr(yes))?;
        let not = self.theory.terms.not(c);
        let b = self.under(not, |lowering| lowering.expr(no))?;
        Ok(self.theory.terms.ite(c, a, b))
    }

    fn make(&mut self, ty: &Ty, constructor: u32, parts: &[Expr], span: Span) -> Result {
        let parts = self.exprs(parts)?;
        let sort = self.theory.sort_of_type(ty, span)?;
        Ok(self.theory.terms.make(sort, constructor, &parts))
    }

    fn update(&mut self, base: &Expr, changes: &[(usize, Expr)]) -> Result {
        let whole = self.expr(base)?;
        let mut values = BTreeMap::new();
        for (part, value) in changes {
            values.insert(*part, self.expr(value)?);
        }
        self.with_parts(whole, &values)
    }

    /// A struct or tuple with some parts replaced.
    pub(crate) fn with_parts(&mut self, whole: Term, values: &BTreeMap<usize, Term>) -> Result {
        let terms = &mut self.theory.terms;
        let sort = terms.sort(whole);
        let crate::term::SortKind::Data(data) = terms.kind(sort) else {
            panic!("only structs and tuples have parts")
        };
        let count = terms.data(data).constructors[0].fields.len();
        let mut parts = Vec::new();
        for at in 0..count {
            parts.push(match values.get(&at) {
                Some(&value) => value,
                None => terms.get(whole, 0, at as u32),
            });
        }
        Ok(terms.make(sort, 0, &parts))
    }

    fn old(&mut self, inner: &Expr) -> Result {
        let Some(old) = self.env.old.clone() else {
            return Err(Unsupported::new(
                inner.span,
                "there is no earlier state here",
            ));
        };
        let now = std::mem::replace(&mut self.env.store, (*old).clone());
        let value = self.expr(inner);
        self.env.store = now;
        value
    }

    /// A call of a function that does not call itself is its body; any other is a term of its own.
    fn call(&mut self, function: FnId, arguments: &[Expr], span: Span) -> Result {
        let arguments = self.exprs(arguments)?;
        let is_external = self.theory.song.functions[function.index()].is_external();
        let by_contract = is_external || !self.theory.circle(function).is_empty();
        if by_contract {
            self.theory.note_call(function, span)?;
        }
        let locals = arguments.iter().enumerate();
        let env = Env {
            locals: locals
                .map(|(at, term)| (LocalId::from(at), *term))
                .collect(),
            ..Env::default()
        };
        let outside = std::mem::replace(&mut self.env, env);
        let value = self.called(function, &arguments, by_contract, span);
        self.env = outside;
        value
    }

    /// The value of a call; the parameters are bound.
    fn called(
        &mut self,
        function: FnId,
        arguments: &[Term],
        by_contract: bool,
        span: Span,
    ) -> Result {
        let song = self.theory.song.clone();
        let decl = &song.functions[function.index()];
        for condition in &decl.contract.requires {
            let holds = self.expr(condition)?;
            self.needs(holds, span, "a call where `requires` is false");
        }
        if let (false, Some(body)) = (by_contract, &decl.body) {
            return self.expr(body);
        }
        if let Some(induction) = self.theory.functions.induction.clone()
            && induction.functions.contains(&function)
        {
            let measures = self.exprs(&decl.contract.decreases)?;
            let holds = self.theory.terms.precedes(&measures, &induction.bound);
            let what = "a recursive call where the measure does not decrease";
            self.requirement(holds, span, what, true);
        }
        let sort = self.theory.sort_of_type(&decl.result, span)?;
        Ok(self.theory.terms.call(function.0, arguments, sort))
    }

    /// The set of all values of a type.
    fn all(&mut self, ty: &Ty, span: Span) -> Result {
        let sort = self.theory.sort_of_type(ty, span)?;
        let at = self.theory.terms.fresh("x", sort);
        let valid = self.theory.valid(ty, at)?;
        Ok(self.theory.terms.lambda(at, valid))
    }

    pub(crate) fn zero(&mut self) -> Term {
        self.theory.terms.int(0)
    }

    pub(crate) fn fresh_of(&mut self, ty: &Ty, name: &str, span: Span) -> Result {
        let sort = self.theory.sort_of_type(ty, span)?;
        Ok(self.theory.terms.fresh(name, sort))
    }

    /// A function of a fresh argument of type `ty`.
    pub(crate) fn function(
        &mut self,
        sort: Sort,
        body: impl FnOnce(&mut Self, Term) -> Result,
    ) -> Result {
        let at = self.theory.terms.fresh("x", sort);
        let body = body(self, at)?;
        Ok(self.theory.terms.lambda(at, body))
    }
}

fn narrowing(ty: &Ty) -> &'static str {
    match ty {
        Ty::Nat => "a negative number is no nat",
        _ => "a number outside of its sort",
    }
}
