//! Evaluation of expressions.
//!
//! Every name bound inside an expression has its own row in the table of locals, so evaluation
//! writes bound values into the store and leaves them there; nobody reads them afterwards.

use super::binders::{comprehension, map_of, quantified};
use super::collections;
use super::instance::Instance;
use super::patterns::{first_match, matches};
use super::value::Value;
use plainsong_ir::{BinOp, Collection, Expr, ExprKind, FnId, LocalId, Ty, UnOp};

/// How deep functions may call each other before the call counts as undefined.
const CALL_DEPTH: usize = 200;

/// An operation that has no value: division by zero, an index out of range and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Undefined(pub(super) String);

/// What code can read: locals, and the state variables or globals it owns.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) locals: Vec<Option<Value>>,
    /// The state variables of the process, or all globals of an action system.
    pub(super) vars: Vec<Value>,
    /// `self`.
    pub(super) me: Value,
    depth: usize,
}

impl Store {
    /// A store whose first locals have the given values.
    pub(super) fn new(given: &[Value], locals: usize, vars: Vec<Value>, me: Value) -> Self {
        let mut slots: Vec<_> = given.iter().cloned().map(Some).collect();
        slots.resize(locals.max(given.len()), None);
        Store {
            locals: slots,
            vars,
            me,
            depth: 0,
        }
    }

    /// A store for closed expressions.
    pub(super) fn bare(locals: usize, depth: usize) -> Self {
        Store {
            locals: vec![None; locals],
            vars: Vec::new(),
            me: Value::Init,
            depth,
        }
    }

    pub(super) fn bind(&mut self, local: LocalId, value: Value) {
        if self.locals.len() <= local.index() {
            self.locals.resize(local.index() + 1, None);
        }
        self.locals[local.index()] = Some(value);
    }

    fn read(&self, local: LocalId) -> Value {
        self.locals[local.index()]
            .clone()
            .expect("a local is bound before it is read")
    }
}

/// The value of `expr`.
pub(super) fn eval(
    instance: &Instance<'_>,
    expr: &Expr,
    store: &mut Store,
) -> Result<Value, Undefined> {
    instance.compute()?;
    let of = |expr: &Expr, store: &mut Store| eval(instance, expr, store);
    Ok(match &expr.kind {
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::Int(n) => Value::Int(i128::from(*n)),
        ExprKind::Local(local) => store.read(*local),
        ExprKind::Own(var) => store.vars[var.index()].clone(),
        ExprKind::Global(global) => store.vars[global.index()].clone(),
        ExprKind::Const(id) => {
            check_depth(store.depth)?;
            instance.constant(*id, store.depth + 1)?
        }
        ExprKind::All(ty) => Value::Set(instance.values(ty)?.into_iter().collect()),
        ExprKind::Pid(family, index) => Value::Process(*family, all(instance, index, store)?),
        ExprKind::SelfPid => store.me.clone(),
        ExprKind::Unary(op, operand) => unary(*op, of(operand, store)?)?,
        ExprKind::Binary(op, left, right) => binary(instance, *op, left, right, store)?,
        ExprKind::Range {
            start,
            end,
            inclusive,
        } => {
            let (start, end) = (number(of(start, store)?), number(of(end, store)?));
            let end = if *inclusive { end + 1 } else { end };
            instance.listable(usize::try_from((end - start).max(0)).ok())?;
            Value::Set((start..end).map(Value::Int).collect())
        }
        ExprKind::If(condition, then, otherwise) => {
            let taken = if truth(of(condition, store)?) {
                then
            } else {
                otherwise
            };
            of(taken, store)?
        }
        ExprKind::Match(subject, arms) => {
            let subject = of(subject, store)?;
            let body = first_match(arms, &subject, store);
            of(body, store)?
        }
        ExprKind::Is(subject, pattern) => {
            let subject = of(subject, store)?;
            Value::Bool(matches(pattern, &subject, store))
        }
        ExprKind::Let(local, value, body) => {
            let value = of(value, store)?;
            store.bind(*local, value);
            of(body, store)?
        }
        ExprKind::Tuple(parts) => Value::Tuple(all(instance, parts, store)?),
        ExprKind::Struct(_, fields) => Value::Record(all(instance, fields, store)?),
        ExprKind::Project(whole, at) | ExprKind::Field(whole, at) => {
            parts(of(whole, store)?).swap_remove(*at)
        }
        ExprKind::Update(whole, changes) => {
            let mut fields = parts(of(whole, store)?);
            for (at, value) in changes {
                fields[*at] = of(value, store)?;
            }
            Value::Record(fields)
        }
        ExprKind::Variant(_, at, payload) => Value::Variant(*at, all(instance, payload, store)?),
        ExprKind::None => Value::Option(None),
        ExprKind::Some(inner) => Value::Option(Some(Box::new(of(inner, store)?))),
        ExprKind::Literal(elements) => collect(&expr.ty, all(instance, elements, store)?),
        ExprKind::Comprehension(binding, body) => {
            collect(&expr.ty, comprehension(instance, binding, body, store)?)
        }
        ExprKind::MapOf(local, body) => map_of(instance, &expr.ty, *local, body, store)?,
        ExprKind::Index(whole, at) => {
            let (whole, at) = (of(whole, store)?, of(at, store)?);
            collections::index(&whole, &at)?
        }
        ExprKind::Method(method, arguments) => {
            collections::method(*method, all(instance, arguments, store)?)?
        }
        ExprKind::Call(function, arguments) => {
            let arguments = all(instance, arguments, store)?;
            call(instance, *function, &arguments, store.depth)?
        }
        ExprKind::Quantifier(quantifier, bindings, body) => {
            quantified(instance, *quantifier, bindings, body, store)?
        }
        ExprKind::Widen(inner) => of(inner, store)?,
        ExprKind::Narrow(inner) => narrow(instance, &expr.ty, of(inner, store)?)?,
        ExprKind::Of(..)
        | ExprKind::Old(_)
        | ExprKind::Crashed(_)
        | ExprKind::Pending(_)
        | ExprKind::PendingOf(..) => {
            unreachable!("only properties and contracts look into other processes")
        }
    })
}

/// The values of several expressions, from left to right.
pub(super) fn all(
    instance: &Instance<'_>,
    exprs: &[Expr],
    store: &mut Store,
) -> Result<Vec<Value>, Undefined> {
    exprs
        .iter()
        .map(|expr| eval(instance, expr, store))
        .collect()
}

/// The value of a condition.
pub(super) fn holds(
    instance: &Instance<'_>,
    condition: &Expr,
    store: &mut Store,
) -> Result<bool, Undefined> {
    eval(instance, condition, store).map(truth)
}

/// The value of a condition that may be left out.
pub(super) fn allows(
    instance: &Instance<'_>,
    filter: Option<&Expr>,
    store: &mut Store,
) -> Result<bool, Undefined> {
    filter.map_or(Ok(true), |filter| holds(instance, filter, store))
}

/// The integer that `value` is.
pub(super) fn number(value: Value) -> i128 {
    match value {
        Value::Int(n) => n,
        other => unreachable!("{other:?} where a number is wanted"),
    }
}

/// The components of a tuple or struct.
pub(super) fn parts(value: Value) -> Vec<Value> {
    match value {
        Value::Tuple(parts) | Value::Record(parts) => parts,
        other => unreachable!("{other:?} has no components"),
    }
}

fn truth(value: Value) -> bool {
    match value {
        Value::Bool(b) => b,
        other => unreachable!("{other:?} where a truth value is wanted"),
    }
}

fn check_depth(depth: usize) -> Result<(), Undefined> {
    if depth < CALL_DEPTH {
        Ok(())
    } else {
        Err(Undefined(
            "functions call each other too deeply".to_string(),
        ))
    }
}

fn unary(op: UnOp, operand: Value) -> Result<Value, Undefined> {
    match op {
        UnOp::Not => Ok(Value::Bool(!truth(operand))),
        UnOp::Neg => number(operand)
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(overflow),
    }
}

fn binary(
    instance: &Instance<'_>,
    op: BinOp,
    left: &Expr,
    right: &Expr,
    store: &mut Store,
) -> Result<Value, Undefined> {
    let left = eval(instance, left, store)?;
    match (op, &left) {
        (BinOp::And | BinOp::Implies, Value::Bool(false)) => {
            return Ok(Value::Bool(op == BinOp::Implies));
        }
        (BinOp::Or, Value::Bool(true)) => return Ok(Value::Bool(true)),
        _ => {}
    }
    let right = eval(instance, right, store)?;
    Ok(match op {
        BinOp::And | BinOp::Or | BinOp::Implies => right,
        BinOp::Iff | BinOp::Eq => Value::Bool(left == right),
        BinOp::Ne => Value::Bool(left != right),
        BinOp::Lt => Value::Bool(left < right),
        BinOp::Le => Value::Bool(left <= right),
        BinOp::Gt => Value::Bool(left > right),
        BinOp::Ge => Value::Bool(left >= right),
        BinOp::In => Value::Bool(collections::contains(&right, &left)),
        BinOp::Union => {
            instance.listable(Some(collections::len(&left) + collections::len(&right)))?;
            collections::union(left, right)
        }
        BinOp::Inter => collections::intersection(left, right),
        BinOp::Add if matches!(left, Value::Seq(_)) => {
            instance.listable(Some(collections::len(&left) + collections::len(&right)))?;
            collections::join(left, right)
        }
        BinOp::Sub if !matches!(left, Value::Int(_)) => collections::difference(left, right),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => {
            Value::Int(arithmetic(op, number(left), number(right))?)
        }
    })
}

/// `left op right` for numbers.
pub(super) fn arithmetic(op: BinOp, left: i128, right: i128) -> Result<i128, Undefined> {
    if matches!(op, BinOp::Div | BinOp::Rem) && right == 0 {
        return Err(Undefined("division by zero".to_string()));
    }
    match op {
        BinOp::Add => left.checked_add(right),
        BinOp::Sub => left.checked_sub(right),
        BinOp::Mul => left.checked_mul(right),
        BinOp::Div => left.checked_div(right),
        BinOp::Rem => left.checked_rem(right),
        other => unreachable!("{other:?} is not arithmetic"),
    }
    .ok_or_else(overflow)
}

fn overflow() -> Undefined {
    Undefined("a number is too large for this enumerator".to_string())
}

fn narrow(instance: &Instance<'_>, ty: &Ty, value: Value) -> Result<Value, Undefined> {
    let n = number(value);
    if instance.admits(ty, n)? {
        Ok(Value::Int(n))
    } else {
        Err(Undefined(format!("{n} is outside of {ty:?}")))
    }
}

fn collect(ty: &Ty, elements: Vec<Value>) -> Value {
    match Collection::of(ty) {
        Some(Collection::Set) => Value::Set(elements.into_iter().collect()),
        Some(Collection::Bag) => collections::bag(elements),
        Some(Collection::Seq) => Value::Seq(elements),
        None => unreachable!("{ty:?} is not a collection"),
    }
}

fn call(
    instance: &Instance<'_>,
    function: FnId,
    arguments: &[Value],
    depth: usize,
) -> Result<Value, Undefined> {
    check_depth(depth)?;
    let function = &instance.song.functions[function.index()];
    let mut store = Store::new(arguments, function.locals.len(), Vec::new(), Value::Init);
    store.depth = depth + 1;
    for condition in &function.contract.requires {
        if eval(instance, condition, &mut store)? != Value::Bool(true) {
            return Err(Undefined("`requires` of a function is false".to_owned()));
        }
    }
    match &function.body {
        Some(body) => eval(instance, body, &mut store),
        None => Err(Undefined("an external function has no body".to_owned())),
    }
}
