//! Symbolic evaluation: what an expression comes to, as far as that is known.
//!
//! Three-valued: a value, a value of which little is known, or a *question* ([`Fact`]) whose answer would
//! decide more. Whatever is not covered here comes to a new unknown, which is always right: it may be
//! anything. Nothing relies on an order of identities, so loops and comprehensions over them may be
//! taken to run in any order.
//!
//! Partial operations (division, `unwrap`, narrowing, …) that are not seen to be defined are collected:
//! where they fail, the execution ends there and is no deadlock, but `assertions` is not proved.

use crate::process_code::Var;
use crate::term::{Claim, Op, not, shifted, term};
use crate::value::{Comp, Differs, Key, Unknown, Value, equal, possible};
use crate::voices_to_parts::Score;
use plainsong_diagnostics::Span;
use plainsong_ir::failing::is_never_negative;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, LocalId, Pattern, PatternKind, Stmt, Ty, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// "Is this unknown equal to that value?"
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

/// What a condition comes to.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Known(bool),
    /// Ask this first, then again.
    Ask(Fact),
    /// Nothing that could be asked would decide it; what it claims, if that can be remembered.
    Open(Option<Claim>),
}

/// What matching comes to.
pub(crate) enum Matching {
    Yes(Vec<(LocalId, Value)>),
    No,
    Ask(Fact),
    /// It may match, with these names.
    Open(Vec<(LocalId, Value)>),
}

/// Evaluates expressions of one component.
pub(crate) struct Eval<'e, 'a> {
    pub(crate) score: &'e Score<'a>,
    pub(crate) comp: Comp,
    pub(crate) env: &'e BTreeMap<(Comp, Var), Value>,
    pub(crate) differs: &'e Differs,
    /// Parameters that are known.
    pub(crate) params: &'e BTreeMap<u32, Value>,
    pub(crate) numbers: &'e mut u32,
    /// Unknowns from here on were made in this evaluation.
    pub(crate) mark: u32,
    pub(crate) bound: BTreeMap<LocalId, Value>,
    /// Places where something may fail.
    pub(crate) risks: BTreeSet<Span>,
}

type Evaluated = Result<Value, Fact>;

impl Eval<'_, '_> {
    pub(crate) fn expr(&mut self, expr: &Expr) -> Evaluated {
        Ok(match &expr.kind {
            ExprKind::Bool(truth) => Value::Bool(*truth),
            ExprKind::Int(number) => Value::Int(*number),
            ExprKind::Local(local) => match self.bound.get(local) {
                Some(value) => value.clone(),
                None => self.variable(Var::Local(*local), &expr.ty),
            },
            ExprKind::Own(var) => self.variable(Var::Own(*var), &expr.ty),
            ExprKind::SelfPid => Value::Pid(self.comp),
            ExprKind::Pid(family, index) => match &index[..] {
                [] => Value::Pid(single(*family)),
                [index] => match self.expr(index)? {
                    Value::Id(comp) if comp.family == *family => Value::Pid(comp),
                    _ => self.fresh(&expr.ty),
                },
                _ => self.fresh(&expr.ty),
            },
            ExprKind::Const(id) => {
                let constant = &self.score.song.consts[id.index()];
                match &constant.value {
                    Some(value) => self.expr(value)?,
                    None if self.params.contains_key(&id.0) => self.params[&id.0].clone(),
                    None => Value::Unknown(Unknown {
                        key: Key {
                            number: id.0,
                            owner: None,
                        },
                        domain: None,
                    }),
                }
            }
            ExprKind::Unary(UnOp::Neg, inner) => match self.expr(inner)? {
                Value::Int(number) => number
                    .checked_neg()
                    .map_or_else(|| self.fresh(&expr.ty), Value::Int),
                _ => self.fresh(&expr.ty),
            },
            ExprKind::Unary(UnOp::Not, _)
            | ExprKind::Is(..)
            | ExprKind::Binary(BinOp::Eq | BinOp::Ne | BinOp::Iff, ..) => self.condition(expr)?,
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right)?,
            ExprKind::If(condition, yes, no) => match self.test(condition)? {
                Test::Known(true) => self.expr(yes)?,
                Test::Known(false) => self.expr(no)?,
                Test::Ask(fact) => return Err(fact),
                Test::Open(_) => {
                    let yes = self.expr(yes)?;
                    let no = self.expr(no)?;
                    self.join(vec![yes, no], &expr.ty)
                }
            },
            ExprKind::Match(value, arms) => {
                let value = self.expr(value)?;
                let mut joined = Vec::new();
                for (pattern, arm) in arms {
                    let (names, sure) = match self.pattern(&value, pattern) {
                        Matching::No => continue,
                        Matching::Ask(fact) => return Err(fact),
                        Matching::Yes(names) => (names, true),
                        Matching::Open(names) => (names, false),
                    };
                    self.bound.extend(names);
                    joined.push(self.expr(arm)?);
                    if sure {
                        break;
                    }
                }
                self.join(joined, &expr.ty)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.expr(value)?;
                self.bound.insert(*local, value);
                self.expr(body)?
            }
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => {
                Value::data(0, self.exprs(parts)?)
            }
            ExprKind::Variant(_, tag, parts) => Value::data(*tag as u32, self.exprs(parts)?),
            ExprKind::None => Value::data(Value::NONE, Vec::new()),
            ExprKind::Some(inner) => Value::data(Value::SOME, vec![self.expr(inner)?]),
            ExprKind::Project(whole, at) | ExprKind::Field(whole, at) => match self.expr(whole)? {
                Value::Data(_, parts) => parts[*at].clone(),
                _ => self.fresh(&expr.ty),
            },
            ExprKind::Update(whole, parts) => match self.expr(whole)? {
                Value::Data(tag, fields) => {
                    let mut fields = fields.to_vec();
                    for (at, part) in parts {
                        fields[*at] = self.expr(part)?;
                    }
                    Value::data(tag, fields)
                }
                _ => {
                    for (_, part) in parts {
                        self.expr(part)?;
                    }
                    self.fresh(&expr.ty)
                }
            },
            ExprKind::Method(method, arguments) => self.method(expr, *method, arguments)?,
            ExprKind::Widen(inner) => self.expr(inner)?,
            ExprKind::Narrow(inner) => {
                let value = self.expr(inner)?;
                let fits =
                    matches!((&expr.ty, &value), (Ty::Nat, Value::Int(number)) if *number >= 0);
                let fits = fits || expr.ty == Ty::Nat && is_never_negative(inner);
                if !fits {
                    self.risks.insert(expr.span);
                }
                value
            }
            _ => {
                self.closed_off(expr);
                self.fresh(&expr.ty)
            }
        })
    }

    /// What a condition comes to.
    pub(crate) fn test(&mut self, expr: &Expr) -> Result<Test, Fact> {
        Ok(match &expr.kind {
            ExprKind::Unary(UnOp::Not, inner) => match self.test(inner)? {
                Test::Known(truth) => Test::Known(!truth),
                Test::Open(claim) => Test::Open(claim.map(|claim| Claim {
                    holds: not(&claim.holds),
                    ..claim
                })),
                other => other,
            },
            ExprKind::Binary(op @ (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge), left, right)
                if is_number(left) && is_number(right) =>
            {
                self.compare(*op, left, right)?
            }
            ExprKind::Binary(BinOp::And, left, right) => self.both(left, true, right)?,
            ExprKind::Binary(BinOp::Or, left, right) => self.both(left, false, right)?,
            ExprKind::Binary(BinOp::Implies, left, right) => match self.test(left)? {
                Test::Known(false) => Test::Known(true),
                Test::Known(true) => self.test(right)?,
                Test::Ask(fact) => Test::Ask(fact),
                Test::Open(claim) => match self.test(right)? {
                    Test::Known(true) => Test::Known(true),
                    other => Test::Open(claimed(Op::Or, claim.map(opposite), other)),
                },
            },
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne | BinOp::Iff), left, right) => {
                let a = self.expr(left)?;
                let b = self.expr(right)?;
                let wanted = *op != BinOp::Ne;
                match self.ask_equal(&a, &b) {
                    Test::Known(truth) => Test::Known(truth == wanted),
                    Test::Open(_) if is_number(left) && is_number(right) => {
                        let claim = self.claim(Op::Eq, vec![a, b], &[left, right]);
                        Test::Open(if wanted { claim } else { claim.map(opposite) })
                    }
                    other => other,
                }
            }
            ExprKind::Is(value, pattern) => {
                let value = self.expr(value)?;
                match self.pattern(&value, pattern) {
                    Matching::Yes(_) => Test::Known(true),
                    Matching::No => Test::Known(false),
                    Matching::Ask(fact) => Test::Ask(fact),
                    Matching::Open(_) => Test::Open(None),
                }
            }
            _ => {
                let value = self.expr(expr)?;
                self.ask_equal(&value, &Value::Bool(true))
            }
        })
    }

    pub(crate) fn pattern(&mut self, value: &Value, pattern: &Pattern) -> Matching {
        let mut names = Vec::new();
        let mut open = false;
        match self.match_into(value, pattern, &mut names, &mut open) {
            Err(fact) => Matching::Ask(fact),
            Ok(false) => Matching::No,
            Ok(true) if open => Matching::Open(names),
            Ok(true) => Matching::Yes(names),
        }
    }

    /// A new unknown.
    pub(crate) fn fresh(&mut self, ty: &Ty) -> Value {
        fresh(self.score, self.comp, self.numbers, ty)
    }

    /// One of these.
    pub(crate) fn join(&mut self, values: Vec<Value>, ty: &Ty) -> Value {
        match join(&values) {
            Joined::Same(value) => value,
            Joined::OneOf(domain) => {
                let mut value = self.fresh(ty);
                if let Value::Unknown(unknown) = &mut value {
                    unknown.domain = Some(domain.into());
                }
                value
            }
            Joined::Anything => self.fresh(ty),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Result<Vec<Value>, Fact> {
        exprs.iter().map(|one| self.expr(one)).collect()
    }

    fn variable(&mut self, var: Var, ty: &Ty) -> Value {
        let known = self.env.get(&(self.comp, var)).cloned();
        known.unwrap_or_else(|| self.fresh(ty))
    }

    /// A comparison as a value: decided first, because what follows often depends on it.
    fn condition(&mut self, expr: &Expr) -> Evaluated {
        match self.test(expr)? {
            Test::Known(truth) => Ok(Value::Bool(truth)),
            Test::Ask(fact) => Err(fact),
            Test::Open(_) => Ok(self.fresh(&Ty::Bool)),
        }
    }

    /// An order of numbers: decided, or something to remember.
    fn compare(&mut self, op: BinOp, left: &Expr, right: &Expr) -> Result<Test, Fact> {
        let a = self.expr(left)?;
        let b = self.expr(right)?;
        let (op, parts) = match op {
            BinOp::Lt => (Op::Lt, vec![a, b]),
            BinOp::Le => (Op::Le, vec![a, b]),
            BinOp::Gt => (Op::Lt, vec![b, a]),
            _ => (Op::Le, vec![b, a]),
        };
        Ok(match term(op, parts.clone()) {
            Some(Value::Bool(truth)) => Test::Known(truth),
            _ => Test::Open(self.claim(op, parts, &[left, right])),
        })
    }

    /// A condition that can be remembered.
    fn claim(&mut self, op: Op, parts: Vec<Value>, from: &[&Expr]) -> Option<Claim> {
        let mut given = Vec::new();
        from.iter().for_each(|expr| self.naturals(expr, &mut given));
        let holds = term(op, parts)?;
        let all = std::iter::once(&holds).chain(&given);
        let can = all.clone().all(|value| self.can_remember(value));
        can.then_some(Claim { holds, given })
    }

    /// What is known of natural numbers in an expression. Only variables count: what is computed need not be a natural
    /// number where it is not evaluated.
    fn naturals(&mut self, expr: &Expr, given: &mut Vec<Value>) {
        if expr.ty == Ty::Nat
            && let ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::Const(_) = &expr.kind
            && let Ok(value) = self.expr(expr)
        {
            given.extend(self.at_least_zero(&value));
        }
        match &expr.kind {
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => self.naturals(inner, given),
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, left, right) => {
                self.naturals(left, given);
                self.naturals(right, given);
            }
            _ => {}
        }
    }

    fn at_least_zero(&self, value: &Value) -> Option<Value> {
        let claim = term(Op::Le, vec![Value::Int(0), value.clone()])?;
        matches!(claim, Value::Term(..)).then_some(claim)
    }

    /// Is it about values that are there, one of each?
    fn can_remember(&self, value: &Value) -> bool {
        if !crate::term::is_of_numbers(value) {
            return false;
        }
        let mut inside = BTreeSet::new();
        value.unknowns(&mut inside);
        let mut inside = inside.iter();
        inside.all(|key| key.number < self.mark && !key.owner.is_some_and(Comp::is_rest))
    }

    fn binary(&mut self, expr: &Expr, op: BinOp, left: &Expr, right: &Expr) -> Evaluated {
        if matches!(op, BinOp::And | BinOp::Or | BinOp::Implies) {
            return self.condition_value(expr);
        }
        let a = self.expr(left)?;
        let b = self.expr(right)?;
        let (Value::Int(x), Value::Int(y)) = (&a, &b) else {
            if matches!(op, BinOp::Div | BinOp::Rem) && !matches!(b, Value::Int(y) if y != 0) {
                self.risks.insert(expr.span);
            }
            let op = match op {
                BinOp::Add => Some(Op::Add),
                BinOp::Sub => Some(Op::Sub),
                // Products of unknowns say little.
                BinOp::Mul if matches!(a, Value::Int(_)) || matches!(b, Value::Int(_)) => {
                    Some(Op::Mul)
                }
                _ => None,
            };
            let known = match op {
                Some(op) if is_number(left) && is_number(right) => term(op, vec![a, b]),
                _ => None,
            };
            return Ok(known.unwrap_or_else(|| self.fresh(&expr.ty)));
        };
        let number = match op {
            BinOp::Lt => return Ok(Value::Bool(x < y)),
            BinOp::Le => return Ok(Value::Bool(x <= y)),
            BinOp::Gt => return Ok(Value::Bool(x > y)),
            BinOp::Ge => return Ok(Value::Bool(x >= y)),
            BinOp::Add => x.checked_add(*y),
            BinOp::Sub => x.checked_sub(*y),
            BinOp::Mul => x.checked_mul(*y),
            BinOp::Div => x.checked_div(*y),
            BinOp::Rem => x.checked_rem(*y),
            _ => None,
        };
        Ok(number.map_or_else(
            || {
                self.risks.insert(expr.span);
                self.fresh(&expr.ty)
            },
            Value::Int,
        ))
    }

    /// The value of a connective: a truth value if it is known, else one of two. It does not ask, for
    /// what is only stored need not be decided.
    fn condition_value(&mut self, expr: &Expr) -> Evaluated {
        match self.test(expr)? {
            Test::Known(truth) => Ok(Value::Bool(truth)),
            Test::Ask(_) | Test::Open(_) => Ok(self.fresh(&Ty::Bool)),
        }
    }

    fn both(&mut self, left: &Expr, neutral: bool, right: &Expr) -> Result<Test, Fact> {
        Ok(match self.test(left)? {
            Test::Known(truth) if truth == neutral => self.test(right)?,
            Test::Known(truth) => Test::Known(truth),
            Test::Ask(fact) => Test::Ask(fact),
            Test::Open(claim) => match self.test(right)? {
                Test::Known(truth) if truth != neutral => Test::Known(truth),
                other => {
                    let op = if neutral { Op::And } else { Op::Or };
                    Test::Open(claimed(op, claim, other))
                }
            },
        })
    }

    fn ask_equal(&mut self, a: &Value, b: &Value) -> Test {
        if let Some(truth) = equal(a, b, self.differs) {
            return Test::Known(truth);
        }
        // `x + 1 == 3` asks whether `x` is 2.
        if let (number @ Value::Term(..), Value::Int(sum))
        | (Value::Int(sum), number @ Value::Term(..)) = (a, b)
            && let Some((unknown, more)) = shifted(number)
            && let Some(rest) = sum.checked_sub(more)
        {
            let unknown = Value::Unknown(unknown.clone());
            return self.ask_equal(&unknown, &Value::Int(rest));
        }
        match (a, b) {
            (Value::Unknown(x), y) | (y, Value::Unknown(x)) if self.can_ask(x, y) => {
                Test::Ask(Fact {
                    key: x.key,
                    value: y.clone(),
                })
            }
            (Value::Data(_, xs), Value::Data(_, ys)) => {
                for (x, y) in xs.iter().zip(ys.iter()) {
                    if let Test::Ask(fact) = self.ask_equal(x, y) {
                        return Test::Ask(fact);
                    }
                }
                Test::Open(None)
            }
            _ => Test::Open(None),
        }
    }

    /// Would the answer be remembered, and mean the same for all? An unknown of a whole family has a
    /// value for each member, so only the family itself may want to know (and then waits: see
    /// `rules/decide.rs`).
    fn can_ask(&self, unknown: &Unknown, value: &Value) -> bool {
        let mut inside = BTreeSet::new();
        value.unknowns(&mut inside);
        let is_old = |key: &Key| key.number < self.mark;
        let is_one = |key: &Key| self.comp.is_rest() || !key.owner.is_some_and(Comp::is_rest);
        let all = std::iter::once(&unknown.key).chain(&inside);
        all.clone().all(is_old) && all.clone().all(is_one) && !inside.contains(&unknown.key)
    }

    fn match_into(
        &mut self,
        value: &Value,
        pattern: &Pattern,
        names: &mut Vec<(LocalId, Value)>,
        open: &mut bool,
    ) -> Result<bool, Fact> {
        let wanted = match &pattern.kind {
            PatternKind::Wild => return Ok(true),
            PatternKind::Bind(local) => {
                names.push((*local, value.clone()));
                return Ok(true);
            }
            PatternKind::Bool(truth) => return self.literal(value, Value::Bool(*truth), open),
            PatternKind::Int(number) => return self.literal(value, Value::Int(*number), open),
            PatternKind::Pid(family, parts) => {
                return self.process(value, *family, parts, names, open);
            }
            PatternKind::None => (Value::NONE, &[][..]),
            PatternKind::Some(inner) => (Value::SOME, std::slice::from_ref(&**inner)),
            PatternKind::Tuple(parts) | PatternKind::Struct(_, parts) => (0, &parts[..]),
            PatternKind::Variant(_, tag, parts) => (*tag as u32, &parts[..]),
        };
        match value {
            Value::Data(tag, _) if *tag != wanted.0 => Ok(false),
            Value::Data(_, fields) => {
                for (field, part) in fields.iter().zip(wanted.1) {
                    if !self.match_into(field, part, names, open)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Value::Unknown(unknown) => {
                self.candidates(unknown, wanted.0)?;
                *open = true;
                for part in wanted.1 {
                    self.bind_anything(part, names);
                }
                Ok(true)
            }
            _ => {
                *open = true;
                Ok(true)
            }
        }
    }

    /// An unknown with a list of candidates is asked for the first of them; nothing can be said of one
    /// without.
    fn candidates(&mut self, unknown: &Unknown, _tag: u32) -> Result<(), Fact> {
        let Some(open) = possible(unknown, self.differs) else {
            return Ok(());
        };
        match open.first() {
            Some(first) if self.can_ask(unknown, first) => Err(Fact {
                key: unknown.key,
                value: first.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn literal(&mut self, value: &Value, wanted: Value, open: &mut bool) -> Result<bool, Fact> {
        match self.ask_equal(value, &wanted) {
            Test::Known(truth) => Ok(truth),
            Test::Ask(fact) => Err(fact),
            Test::Open(_) => {
                *open = true;
                Ok(true)
            }
        }
    }

    fn process(
        &mut self,
        value: &Value,
        family: plainsong_ir::FamilyId,
        parts: &[Pattern],
        names: &mut Vec<(LocalId, Value)>,
        open: &mut bool,
    ) -> Result<bool, Fact> {
        match value {
            Value::Pid(comp) if comp.family != family => Ok(false),
            Value::Pid(comp) => {
                for part in parts {
                    if !self.match_into(&Value::Id(*comp), part, names, open)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                *open = true;
                parts
                    .iter()
                    .for_each(|part| self.bind_anything(part, names));
                Ok(true)
            }
        }
    }

    fn bind_anything(&mut self, pattern: &Pattern, names: &mut Vec<(LocalId, Value)>) {
        let mut bound = Vec::new();
        crate::process_code::binds(pattern, &mut bound);
        for var in bound {
            if let Var::Local(local) = var {
                let number = next(self.numbers);
                let value = unknown(number, self.comp, None);
                names.push((local, value));
            }
        }
    }

    fn method(&mut self, expr: &Expr, method: Builtin, arguments: &[Expr]) -> Evaluated {
        let values = self.exprs(arguments)?;
        let option = match &values[0] {
            Value::Data(tag, parts) if matches!(arguments[0].ty, Ty::Option(_)) => {
                Some((*tag == Value::SOME).then(|| parts[0].clone()))
            }
            _ => None,
        };
        Ok(match (method, option) {
            (Builtin::IsSome, Some(inner)) => Value::Bool(inner.is_some()),
            (Builtin::IsNone, Some(inner)) => Value::Bool(inner.is_none()),
            (Builtin::Unwrap, Some(Some(inner))) => inner,
            (Builtin::UnwrapOr, Some(Some(inner))) => inner,
            (Builtin::UnwrapOr, Some(None)) => values[1].clone(),
            _ => {
                if is_partial(method, &arguments[0].ty) {
                    self.risks.insert(expr.span);
                }
                self.fresh(&expr.ty)
            }
        })
    }

    /// What is not looked into: only whether something in it may fail.
    fn closed_off(&mut self, expr: &Expr) {
        let mut risks = Risks::default();
        risks.expr(expr);
        self.risks.extend(risks.0);
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Int | Ty::Nat)
}

fn opposite(claim: Claim) -> Claim {
    Claim {
        holds: not(&claim.holds),
        ..claim
    }
}

/// Two conditions together, if both can be remembered.
fn claimed(op: Op, left: Option<Claim>, right: Test) -> Option<Claim> {
    let (mut left, right) = match (left?, right) {
        (left, Test::Open(Some(right))) => (left, right),
        _ => return None,
    };
    left.given.extend(right.given);
    let holds = term(op, vec![left.holds, right.holds])?;
    Some(Claim { holds, ..left })
}

/// Places in a statement that is not looked into where something may fail.
pub(crate) fn risks_of(stmt: &Stmt) -> BTreeSet<Span> {
    let mut risks = Risks::default();
    risks.stmt(stmt);
    risks.0
}

/// Places in an expression that is not looked into where something may fail.
pub(crate) fn risks_in(expr: &Expr) -> BTreeSet<Span> {
    let mut risks = Risks::default();
    risks.expr(expr);
    risks.0
}

#[derive(Default)]
struct Risks(BTreeSet<Span>);

impl Visit for Risks {
    fn expr(&mut self, expr: &Expr) {
        let risky = match &expr.kind {
            ExprKind::Binary(BinOp::Div | BinOp::Rem, _, right) => {
                !matches!(right.bare().kind, ExprKind::Int(n) if n != 0)
            }
            ExprKind::Narrow(inner) => !(expr.ty == Ty::Nat && is_never_negative(inner)),
            ExprKind::Index(whole, _) => matches!(whole.ty, Ty::Seq(_)),
            ExprKind::Method(method, arguments) => is_partial(*method, &arguments[0].ty),
            ExprKind::Call(..) => true,
            _ => false,
        };
        if risky {
            self.0.insert(expr.span);
        }
        walk::expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        use plainsong_ir::StmtKind;
        let risky = match &stmt.kind {
            StmtKind::Assert(_) | StmtKind::While(..) => true,
            StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) => !place.path.is_empty(),
            StmtKind::For { clauses, .. } => !clauses.invariants.is_empty(),
            _ => false,
        };
        if risky {
            self.0.insert(stmt.span);
        }
        walk::stmt(self, stmt);
    }
}

fn is_partial(method: Builtin, ty: &Ty) -> bool {
    match method {
        Builtin::Min
        | Builtin::Max
        | Builtin::First
        | Builtin::Last
        | Builtin::DropFirst
        | Builtin::DropLast
        | Builtin::Unwrap => true,
        Builtin::Update => matches!(ty, Ty::Seq(_)),
        _ => false,
    }
}

/// What several values have in common.
pub(crate) enum Joined {
    Same(Value),
    OneOf(Vec<Value>),
    Anything,
}

pub(crate) fn join(values: &[Value]) -> Joined {
    let Some(first) = values.first() else {
        return Joined::Anything;
    };
    if values.iter().all(|value| value == first) {
        return Joined::Same(first.clone());
    }
    let mut domain: Vec<Value> = Vec::new();
    for value in values {
        let candidates: Vec<Value> = match value {
            Value::Unknown(unknown) => match &unknown.domain {
                Some(domain) => domain.to_vec(),
                None => return Joined::Anything,
            },
            Value::Pid(_) | Value::Id(_) => return Joined::Anything,
            _ => vec![value.clone()],
        };
        for one in candidates {
            if !domain.contains(&one) {
                domain.push(one);
            }
        }
    }
    Joined::OneOf(domain)
}

/// The next number of an unknown.
pub(crate) fn next(numbers: &mut u32) -> u32 {
    *numbers += 1;
    *numbers
}

pub(crate) fn unknown(number: u32, owner: Comp, domain: Option<Vec<Value>>) -> Value {
    Value::Unknown(Unknown {
        key: Key {
            number,
            owner: Some(owner),
        },
        domain: domain.map(Into::into),
    })
}

/// A new unknown of a type; with its candidates if they are few.
pub(crate) fn fresh(score: &Score<'_>, owner: Comp, numbers: &mut u32, ty: &Ty) -> Value {
    let domain = domain(score, owner, numbers, ty);
    unknown(next(numbers), owner, domain)
}

/// The candidates of a type, where parts of variants may be unknown themselves.
fn domain(score: &Score<'_>, owner: Comp, numbers: &mut u32, ty: &Ty) -> Option<Vec<Value>> {
    match ty {
        Ty::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Ty::Option(inner) => Some(vec![
            Value::data(Value::NONE, Vec::new()),
            Value::data(Value::SOME, vec![part(score, owner, numbers, inner)]),
        ]),
        Ty::Enum(id) => {
            let variants = &score.song.enums[id.index()].variants;
            let mut candidates = Vec::new();
            for (tag, variant) in variants.iter().enumerate() {
                let fields = &variant.fields;
                let parts = fields.iter().map(|ty| part(score, owner, numbers, ty));
                candidates.push(Value::data(tag as u32, parts.collect()));
            }
            Some(candidates)
        }
        _ => None,
    }
}

/// A part of a candidate: of a nested type only what is not nested further.
fn part(score: &Score<'_>, owner: Comp, numbers: &mut u32, ty: &Ty) -> Value {
    let domain = (*ty == Ty::Bool).then(|| vec![Value::Bool(false), Value::Bool(true)]);
    let _ = score;
    unknown(next(numbers), owner, domain)
}

fn single(family: plainsong_ir::FamilyId) -> Comp {
    Comp {
        family,
        role: crate::value::Role::Single,
    }
}
