//! What expressions come to.
//!
//! Evaluation is pure: it reads the [`World`] and the locals and gives a value or a [`Failure`].
//! Names bound inside an expression live in the same table of locals as the code around it, so
//! evaluation writes to the slots of those names and of no others.
//!
//! Two budgets keep a mistake in a program from becoming one of ours: `work` bounds the time of one
//! evaluation, and nesting continues on a fresh stack (see [`stack`]) before it can overflow one.

mod binders;
mod calls;
mod collections;
mod methods;
mod operators;
mod patterns;
mod stack;

pub(crate) use calls::call_told;
pub(crate) use patterns::matches;

use crate::failure::{resource, undefined};
use crate::instance::Instance;
use crate::trace::Failure;
use crate::value::{Pid, Value};
use crate::world::World;
use plainsong_ir::{Collection, Expr, ExprKind, FamilyId, FnId, SortKind, Ty};

/// The most nodes that one evaluation may visit.
const MOST_WORK: u64 = 20_000_000;

/// The result of an evaluation.
pub(crate) type Result<T = Value> = std::result::Result<T, Failure>;

/// An evaluation in progress.
pub(crate) struct Eval<'a> {
    /// Sorts, constants and functions.
    pub(crate) instance: &'a Instance,
    /// Variables.
    pub(crate) world: &'a dyn World,
    work: u64,
    nesting: u32,
    calls: u32,
    /// The last of the innermost calls: which function, how deep, and what decreases.
    around: Option<(FnId, u32, Vec<i64>)>,
    /// Is what decreases being evaluated? Calls in it are not compared again: that would double the work at each level.
    measures: bool,
}

impl<'a> Eval<'a> {
    /// Ready to evaluate in `world`.
    pub(crate) fn new(instance: &'a Instance, world: &'a dyn World) -> Self {
        Eval {
            instance,
            world,
            work: 0,
            nesting: 0,
            calls: 0,
            around: None,
            measures: false,
        }
    }

    pub(crate) fn expr(&mut self, expr: &Expr, locals: &mut [Value]) -> Result {
        self.work += 1;
        if self.work > MOST_WORK {
            return Err(resource(expr.span, "this takes too long to compute"));
        }
        self.nested(expr, locals)
    }

    /// The truth of a condition.
    pub(crate) fn truth(&mut self, expr: &Expr, locals: &mut [Value]) -> Result<bool> {
        Ok(self.expr(expr, locals)?.truth())
    }

    /// The values of several expressions, from first to last.
    pub(crate) fn exprs(&mut self, exprs: &[Expr], locals: &mut [Value]) -> Result<Vec<Value>> {
        exprs.iter().map(|expr| self.expr(expr, locals)).collect()
    }

    fn node(&mut self, expr: &Expr, locals: &mut [Value]) -> Result {
        match &expr.kind {
            ExprKind::Bool(truth) => Ok(Value::Bool(*truth)),
            ExprKind::Int(int) => Ok(Value::Int(*int)),
            ExprKind::Local(local) => Ok(locals[local.index()].clone()),
            ExprKind::Own(var) => Ok(self.world.own(*var).clone()),
            ExprKind::Of(family, index, var) => {
                let member = self.member(*family, index, locals)?;
                Ok(self.world.of(member, *var).clone())
            }
            ExprKind::Global(global) => Ok(self.world.global(*global).clone()),
            ExprKind::Const(constant) => Ok(self.instance.constant(*constant).clone()),
            ExprKind::All(ty) => Ok(Value::set(self.listed(ty, expr)?)),
            ExprKind::Pid(family, index) => {
                let member = self.member(*family, index, locals)?;
                Ok(Value::Process(Pid::Member(member as u32)))
            }
            ExprKind::SelfPid => {
                let me = self
                    .world
                    .me()
                    .expect("`self` stands only in the code of a process");
                Ok(Value::Process(me))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr.span, locals),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span, locals),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => self.range(start, end, *inclusive, expr.span, locals),
            ExprKind::If(condition, yes, no) => {
                let branch = if self.truth(condition, locals)? {
                    yes
                } else {
                    no
                };
                self.expr(branch, locals)
            }
            ExprKind::Match(scrutinee, arms) => self.match_expr(scrutinee, arms, locals),
            ExprKind::Is(scrutinee, pattern) => {
                let value = self.expr(scrutinee, locals)?;
                Ok(Value::Bool(matches(self.instance, pattern, &value, locals)))
            }
            ExprKind::Let(local, value, body) => {
                locals[local.index()] = self.expr(value, locals)?;
                self.expr(body, locals)
            }
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => {
                Ok(Value::Tuple(self.exprs(parts, locals)?.into()))
            }
            ExprKind::Project(whole, part) | ExprKind::Field(whole, part) => {
                Ok(self.expr(whole, locals)?.parts()[*part].clone())
            }
            ExprKind::Update(base, changes) => self.update(base, changes, locals),
            ExprKind::Variant(_, variant, payload) => Ok(Value::Variant(
                *variant as u32,
                self.exprs(payload, locals)?.into(),
            )),
            ExprKind::None => Ok(Value::None),
            ExprKind::Some(inner) => Ok(Value::some(self.expr(inner, locals)?)),
            ExprKind::Literal(elements) => {
                let elements = self.exprs(elements, locals)?;
                Ok(collect(&expr.ty, elements))
            }
            ExprKind::Comprehension(binding, body) => {
                let elements = self.comprehension(binding, body, locals)?;
                Ok(collect(&expr.ty, elements))
            }
            ExprKind::MapOf(local, body) => self.map_of(*local, body, expr, locals),
            ExprKind::Index(whole, key) => {
                let whole = self.expr(whole, locals)?;
                let at = self.expr(key, locals)?;
                self.index(&whole, &at, &key.ty, expr.span)
            }
            ExprKind::Method(method, arguments) => {
                self.method(*method, arguments, expr.span, locals)
            }
            ExprKind::Call(function, arguments) => {
                self.call(*function, arguments, expr.span, locals)
            }
            ExprKind::Quantifier(quantifier, bindings, body) => {
                self.quantifier(*quantifier, bindings, body, expr.span, locals)
            }
            ExprKind::Old(inner) => self.old(inner, locals),
            ExprKind::PendingOf(action, arguments) => {
                let arguments = self.exprs(arguments, locals)?;
                let count = match self.instance.sought(*action, &arguments) {
                    Some(sought) => self.world.in_flight(&sought),
                    None => self.world.pending_with(*action, &arguments),
                };
                Ok(Value::Int(count as i64))
            }
            ExprKind::Crashed(process) => {
                let crashed = match self.expr(process, locals)? {
                    Value::Process(Pid::Member(row)) => self.world.has_crashed(row as usize),
                    _ => false,
                };
                Ok(Value::Bool(crashed))
            }
            ExprKind::Pending(what) => Ok(Value::Int(self.world.pending(*what) as i64)),
            ExprKind::Widen(inner) => self.expr(inner, locals),
            ExprKind::Narrow(inner) => {
                let value = self.expr(inner, locals)?;
                self.narrow(value, &expr.ty, expr)
            }
        }
    }

    /// The row of a named member in the instance's table.
    pub(crate) fn member(
        &mut self,
        family: FamilyId,
        index: &[Expr],
        locals: &mut [Value],
    ) -> Result<usize> {
        let values = self.exprs(index, locals)?;
        Ok(self.instance.member(family, &values))
    }

    /// Every value of a finite type.
    fn listed(&self, ty: &Ty, expr: &Expr) -> Result<Vec<Value>> {
        self.instance
            .values(ty)
            .map_err(|message| resource(expr.span, message))
    }

    fn old(&mut self, inner: &Expr, locals: &mut [Value]) -> Result {
        let now = self.world;
        self.world = now.before();
        let value = self.expr(inner, locals);
        self.world = now;
        value
    }

    /// An `int` that is narrowed.
    fn narrow(&self, value: Value, ty: &Ty, expr: &Expr) -> Result {
        let int = value.int();
        match ty {
            Ty::Nat if int < 0 => Err(undefined(expr.span, format!("{int} is not a nat"))),
            Ty::Sort(id) => {
                let sort = &self.instance.song().sorts[id.index()];
                let (first, last) = match sort.kind {
                    SortKind::Range(_) => self.instance.range(*id),
                    SortKind::Identities { .. } => panic!("integers do not narrow to identities"),
                };
                if (first..=last).contains(&int) {
                    return Ok(value);
                }
                let name = &sort.name;
                Err(undefined(
                    expr.span,
                    format!("{int} is outside {name} = {first}..={last}"),
                ))
            }
            _ => Ok(value),
        }
    }
}

/// The collection of the given type with these elements.
fn collect(ty: &Ty, elements: Vec<Value>) -> Value {
    match Collection::of(ty) {
        Some(Collection::Set) => Value::set(elements),
        Some(Collection::Bag) => Value::bag(elements),
        Some(Collection::Seq) => Value::Seq(elements.into()),
        None => panic!("a literal or comprehension is a set, bag or sequence, not {ty:?}"),
    }
}
