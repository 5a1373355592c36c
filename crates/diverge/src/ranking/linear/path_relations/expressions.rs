//! What an expression may come to on a path.

use super::{CALLS, Path, Walk};
use crate::ranking::linear::values::{Linear, Value};
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, Pattern, PatternKind, Quantifier, Ty, UnOp};

/// Paths, and what is found on each.
type Paths<T> = Option<Vec<(Path, T)>>;

impl Walk<'_> {
    /// What an expression may be, on each path that goes on from here.
    pub(super) fn eval(&mut self, expr: &Expr, path: Path) -> Paths<Value> {
        let number = |value: i64| Value::Number(Linear::number(value));
        let only = |path: Path, value: Value| Some(vec![(path, value)]);
        match &expr.kind {
            ExprKind::Int(value) => only(path, number(*value)),
            ExprKind::Bool(value) => only(path, Value::Truth(Linear::number((*value).into()))),
            ExprKind::Local(local) => match path.local(*local).cloned() {
                Some(value) if value != Value::Unknown => only(path, value),
                _ => self.read(expr, path),
            },
            ExprKind::Own(var) => match path.own[var.index()].clone() {
                Value::Unknown => self.read(expr, path),
                value => only(path, value),
            },
            ExprKind::Const(at) => {
                let known = self.song.consts[at.index()].value.clone();
                match known {
                    Some(value) => self.apart(&value, path),
                    None => self.read(expr, path),
                }
            }
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => {
                let is_natural = expr.ty == Ty::Nat;
                let all = self.eval(inner, path)?.into_iter();
                let checked = all.filter_map(|(path, value)| match &value {
                    Value::Number(number) if is_natural => {
                        let path = path.with([number.clone()])?;
                        Some((path, value))
                    }
                    _ => Some((path, value)),
                });
                Some(checked.collect())
            }
            ExprKind::Unary(UnOp::Neg, inner) => self.map(inner, path, |value| match value {
                Value::Number(number) => Value::Number(number.times(-1)),
                _ => Value::Unknown,
            }),
            ExprKind::Binary(op, left, right) if expr.ty != Ty::Bool => {
                self.arithmetic(expr, *op, left, right, path)
            }
            ExprKind::If(condition, yes, no) => {
                let mut all = Vec::new();
                for (path, truth) in self.decide(condition, path)? {
                    all.extend(self.eval(if truth { yes } else { no }, path)?);
                }
                Some(all)
            }
            ExprKind::Match(scrutinee, arms) => {
                let mut all = Vec::new();
                for (path, value) in self.eval(scrutinee, path)? {
                    for (pattern, arm) in arms {
                        if let Some(path) = self.matched(pattern, &value, path.clone()) {
                            self.fork()?;
                            all.extend(self.eval(arm, path)?);
                        }
                    }
                }
                Some(all)
            }
            ExprKind::Let(local, value, body) => {
                let mut all = Vec::new();
                for (mut path, value) in self.eval(value, path)? {
                    path.bind(*local, value);
                    all.extend(self.eval(body, path)?);
                }
                Some(all)
            }
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => self.parts(parts, path),
            ExprKind::Project(whole, at) | ExprKind::Field(whole, at) => {
                let mut all = Vec::new();
                for (path, value) in self.eval(whole, path)? {
                    match value {
                        Value::Parts(parts) if parts[*at] != Value::Unknown => {
                            all.push((path, parts[*at].clone()));
                        }
                        _ => all.extend(self.read(expr, path)?),
                    }
                }
                Some(all)
            }
            ExprKind::Update(whole, changes) => {
                let mut all = self.eval(whole, path)?;
                for (at, change) in changes {
                    let mut next = Vec::new();
                    for (path, whole) in all {
                        for (path, value) in self.eval(change, path)? {
                            let mut whole = whole.clone();
                            if let Value::Parts(parts) = &mut whole {
                                parts[*at] = value;
                            }
                            next.push((path, whole));
                        }
                    }
                    all = next;
                }
                Some(all)
            }
            ExprKind::Variant(which, at, _) => {
                let count = self.song.enums[which.index()].variants.len();
                let all = (0..count).map(|one| Linear::number((one == *at).into()));
                only(path, Value::Variant(all.collect()))
            }
            ExprKind::None => only(path, Value::Option(Linear::default(), number(0).into())),
            ExprKind::Some(inner) => self.map(inner, path, |value| {
                Value::Option(Linear::number(1), value.into())
            }),
            ExprKind::Literal(parts) if parts.is_empty() => {
                only(path, Value::Size(Linear::default()))
            }
            ExprKind::Literal(parts) if parts.len() == 1 || matches!(expr.ty, Ty::Seq(_)) => {
                only(path, Value::Size(Linear::number(parts.len() as i64)))
            }
            ExprKind::Method(builtin, parts) => self.method(expr, *builtin, parts, path),
            ExprKind::Call(function, arguments) => {
                let function = &self.song.functions[function.index()];
                match &function.body {
                    Some(body) if path.locals.len() < CALLS => {
                        let body = body.clone();
                        self.called(&body, arguments, path)
                    }
                    _ => self.read(expr, path),
                }
            }
            _ if expr.ty == Ty::Bool => {
                let decided = self.decide(expr, path)?.into_iter();
                let truth = |truth: bool| Value::Truth(Linear::number(truth.into()));
                Some(decided.map(|(path, one)| (path, truth(one))).collect())
            }
            _ => self.read(expr, path),
        }
    }

    /// Something of which nothing but its type is known; the same as when it was read before.
    fn read(&mut self, expr: &Expr, mut path: Path) -> Paths<Value> {
        if let Some((_, rigid)) = self.rigid.iter().find(|(one, _)| one == expr) {
            return Some(vec![(path, Value::Number(rigid.clone()))]);
        }
        let value = self.known(expr, &mut path);
        let paths = match &value {
            Value::Number(number) => self.in_range(vec![path], &expr.ty, number)?,
            _ => vec![path],
        };
        Some(
            paths
                .into_iter()
                .map(|path| (path, value.clone()))
                .collect(),
        )
    }

    fn known(&mut self, expr: &Expr, path: &mut Path) -> Value {
        let known = path.reads.iter().find(|(one, _)| one == expr);
        if let Some((_, value)) = known {
            return value.clone();
        }
        let value = self.any(&expr.ty, path);
        // Names of a function mean something else at its next call.
        if path.locals.len() == 1 {
            path.reads.push((expr.clone(), value.clone()));
        }
        value
    }

    /// The value of an expression with names of its own.
    fn apart(&mut self, expr: &Expr, mut path: Path) -> Paths<Value> {
        path.locals.push(Default::default());
        let mut all = self.eval(expr, path)?;
        for (path, _) in &mut all {
            path.locals.pop();
        }
        Some(all)
    }

    fn called(&mut self, body: &Expr, arguments: &[Expr], path: Path) -> Paths<Value> {
        let mut all = Vec::new();
        for (mut path, values) in self.parts(arguments, path)? {
            let Value::Parts(values) = values else {
                return None;
            };
            let names = values.into_iter().enumerate();
            let names = names.map(|(at, value)| (at.into(), value));
            path.locals.push(names.collect());
            for (mut path, value) in self.eval(body, path)? {
                path.locals.pop();
                all.push((path, value));
            }
        }
        Some(all)
    }

    fn map(&mut self, expr: &Expr, path: Path, change: impl Fn(Value) -> Value) -> Paths<Value> {
        let all = self.eval(expr, path)?.into_iter();
        Some(all.map(|(path, value)| (path, change(value))).collect())
    }

    fn parts(&mut self, parts: &[Expr], path: Path) -> Paths<Value> {
        let mut all = vec![(path, Vec::new())];
        for part in parts {
            let mut next = Vec::new();
            for (path, values) in all {
                for (path, value) in self.eval(part, path)? {
                    next.push((path, [&values[..], &[value]].concat()));
                }
            }
            all = next;
        }
        let parts = |(path, values)| (path, Value::Parts(values));
        Some(all.into_iter().map(parts).collect())
    }

    /// Two values, on each path.
    fn both(&mut self, left: &Expr, right: &Expr, path: Path) -> Paths<(Value, Value)> {
        let mut all = Vec::new();
        for (path, left) in self.eval(left, path)? {
            for (path, right) in self.eval(right, path)? {
                all.push((path, (left.clone(), right)));
            }
        }
        Some(all)
    }

    fn arithmetic(
        &mut self,
        expr: &Expr,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        path: Path,
    ) -> Paths<Value> {
        let mut all = Vec::new();
        for (mut path, values) in self.both(left, right, path)? {
            let value = match (op, &values) {
                (BinOp::Add, (Value::Number(a), Value::Number(b))) => Value::Number(a.plus(b)),
                (BinOp::Sub, (Value::Number(a), Value::Number(b))) => Value::Number(a.minus(b)),
                (BinOp::Mul, (Value::Number(a), Value::Number(b))) => {
                    match (a.fixed(), b.fixed()) {
                        (Some(factor), _) => Value::Number(b.times(factor)),
                        (_, Some(factor)) => Value::Number(a.times(factor)),
                        _ => self.known(expr, &mut path),
                    }
                }
                (BinOp::Div | BinOp::Rem, (Value::Number(a), Value::Number(b))) => {
                    match b.fixed().filter(|by| *by > 0) {
                        Some(by) => {
                            all.extend(self.divided(expr, op, (a, by), path)?);
                            continue;
                        }
                        None => self.known(expr, &mut path),
                    }
                }
                (BinOp::Add, (Value::Size(a), Value::Size(b))) => Value::Size(a.plus(b)),
                (BinOp::Union | BinOp::Inter | BinOp::Sub, (Value::Size(a), Value::Size(b))) => {
                    let value = self.known(expr, &mut path);
                    if let Value::Size(size) = &value {
                        let bounds = match (op, &expr.ty) {
                            (BinOp::Union, Ty::Bag(_)) => {
                                all.push((path, Value::Size(a.plus(b))));
                                continue;
                            }
                            (BinOp::Union, _) => {
                                vec![size.minus(a), size.minus(b), a.plus(b).minus(size)]
                            }
                            (BinOp::Inter, _) => vec![a.minus(size), b.minus(size)],
                            _ => vec![a.minus(size)],
                        };
                        for bound in bounds {
                            path.know(bound);
                        }
                    }
                    value
                }
                _ => self.known(expr, &mut path),
            };
            all.push((path, value));
        }
        Some(all)
    }

    /// A number divided by a positive one, towards zero: its quotient or what is left.
    fn divided(
        &mut self,
        expr: &Expr,
        op: BinOp,
        (number, by): (&Linear, i64),
        path: Path,
    ) -> Paths<Value> {
        self.fork()?;
        let mut all = Vec::new();
        let quotient = self.fresh.variable();
        let left = number.minus(&quotient.times(by));
        let most = Linear::number(by - 1).minus(&left);
        let value = match op {
            BinOp::Div => quotient.clone(),
            _ => left.clone(),
        };
        let known = [number.clone(), left, most, quotient];
        all.extend(
            path.clone()
                .with(known)
                .map(|path| (path, Value::Number(value))),
        );
        let negative = number.times(-1).minus(&Linear::number(1));
        if let Some(mut path) = path.with([negative]) {
            let value = self.any(&expr.ty, &mut path);
            all.push((path, value));
        }
        Some(all)
    }

    fn method(
        &mut self,
        expr: &Expr,
        builtin: Builtin,
        parts: &[Expr],
        path: Path,
    ) -> Paths<Value> {
        if expr.ty == Ty::Bool {
            let decided = self.decide(expr, path)?.into_iter();
            let truth = |truth: bool| Value::Truth(Linear::number(truth.into()));
            return Some(decided.map(|(path, one)| (path, truth(one))).collect());
        }
        if self.rigid.iter().any(|(one, _)| one == expr) {
            return self.read(expr, path);
        }
        let one = Linear::number(1);
        let mut all = Vec::new();
        for (mut path, value) in self.eval(&parts[0], path)? {
            let result = match (builtin, &value) {
                (Builtin::Len, Value::Size(size)) => Value::Number(size.clone()),
                (Builtin::Push, Value::Size(size)) => Value::Size(size.plus(&one)),
                (Builtin::DropFirst | Builtin::DropLast, Value::Size(size)) => {
                    let Some(shorter) = path.with([size.minus(&one)]) else {
                        continue;
                    };
                    path = shorter;
                    Value::Size(size.minus(&one))
                }
                (Builtin::With, Value::Size(size)) => match parts[0].ty {
                    Ty::Bag(_) => Value::Size(size.plus(&one)),
                    _ => Value::Size(size.plus(&one).minus(&self.member(parts, size, &mut path))),
                },
                (Builtin::Without, Value::Size(size)) => {
                    Value::Size(size.minus(&self.member(parts, size, &mut path)))
                }
                (Builtin::Update, Value::Size(size)) => Value::Size(size.clone()),
                (Builtin::Unwrap, Value::Option(filled, inner)) => {
                    let Some(there) = path.with([filled.minus(&one)]) else {
                        continue;
                    };
                    path = there;
                    match &**inner {
                        Value::Unknown => self.known(expr, &mut path),
                        inner => inner.clone(),
                    }
                }
                (Builtin::UnwrapOr, Value::Option(filled, inner)) => {
                    self.fork()?;
                    let empty = Linear::default().minus(filled);
                    if let Some(path) = path.clone().with([empty]) {
                        all.extend(self.eval(&parts[1], path)?);
                    }
                    let Some(there) = path.with([filled.minus(&one)]) else {
                        continue;
                    };
                    path = there;
                    match &**inner {
                        Value::Unknown => self.known(expr, &mut path),
                        inner => inner.clone(),
                    }
                }
                _ => self.known(expr, &mut path),
            };
            all.push((path, result));
        }
        Some(all)
    }

    /// 1 if the second part is an element of the first, 0 otherwise.
    fn member(&mut self, parts: &[Expr], size: &Linear, path: &mut Path) -> Linear {
        let kind = ExprKind::Binary(BinOp::In, parts[1].clone().into(), parts[0].clone().into());
        let truth = match self.known(&crate::terms::expr(kind, Ty::Bool), path) {
            Value::Truth(truth) => truth,
            _ => self.fresh.variable(),
        };
        path.know(size.minus(&truth));
        truth
    }

    /// Whether a condition is true, on each path.
    pub(super) fn decide(&mut self, condition: &Expr, path: Path) -> Paths<bool> {
        match &condition.kind {
            ExprKind::Bool(truth) => Some(vec![(path, *truth)]),
            ExprKind::Unary(UnOp::Not, inner) => {
                let all = self.decide(inner, path)?.into_iter();
                Some(all.map(|(path, truth)| (path, !truth)).collect())
            }
            ExprKind::Binary(BinOp::And, left, right) => self.decide_both(left, right, true, path),
            ExprKind::Binary(BinOp::Or, left, right) => self.decide_both(left, right, false, path),
            ExprKind::Binary(BinOp::Implies, left, right) => {
                let mut all = Vec::new();
                for (path, truth) in self.decide(left, path)? {
                    match truth {
                        true => all.extend(self.decide(right, path)?),
                        false => all.push((path, true)),
                    }
                }
                Some(all)
            }
            ExprKind::Binary(
                op @ (BinOp::Eq
                | BinOp::Ne
                | BinOp::Lt
                | BinOp::Le
                | BinOp::Gt
                | BinOp::Ge
                | BinOp::Iff),
                left,
                right,
            ) => self.compared(condition, *op, left, right, path),
            ExprKind::Binary(BinOp::In, element, set) => match &set.kind {
                ExprKind::Range {
                    start,
                    end,
                    inclusive,
                } => {
                    let lower =
                        crate::terms::both(BinOp::Le, (**start).clone(), (**element).clone());
                    let op = if *inclusive { BinOp::Le } else { BinOp::Lt };
                    let upper = crate::terms::both(op, (**element).clone(), (**end).clone());
                    self.decide_both(&lower, &upper, true, path)
                }
                _ => self.truth(condition, path),
            },
            ExprKind::Method(
                builtin @ (Builtin::IsSome | Builtin::IsNone | Builtin::IsEmpty),
                parts,
            ) => {
                let one = Linear::number(1);
                let mut all = Vec::new();
                for (path, value) in self.eval(&parts[0], path)? {
                    match value {
                        Value::Option(filled, _) => {
                            let is_some = *builtin == Builtin::IsSome;
                            self.fork()?;
                            let there = path.clone().with([filled.minus(&one)]);
                            all.extend(there.map(|path| (path, is_some)));
                            let nothing = path.with([filled.times(-1)]);
                            all.extend(nothing.map(|path| (path, !is_some)));
                        }
                        Value::Size(size) => {
                            self.fork()?;
                            let there = path.clone().with([size.minus(&one)]);
                            all.extend(there.map(|path| (path, false)));
                            let nothing = path.with([size.times(-1)]);
                            all.extend(nothing.map(|path| (path, true)));
                        }
                        _ => all.extend(self.truth(condition, path)?),
                    }
                }
                Some(all)
            }
            ExprKind::Method(Builtin::Contains, parts) => {
                let kind =
                    ExprKind::Binary(BinOp::In, parts[1].clone().into(), parts[0].clone().into());
                self.truth(&crate::terms::expr(kind, Ty::Bool), path)
            }
            ExprKind::Is(value, pattern) => {
                let mut all = Vec::new();
                for (path, value) in self.eval(value, path)? {
                    self.fork()?;
                    let yes = self.matched(pattern, &value, path.clone());
                    all.extend(yes.map(|path| (path, true)));
                    let no = self.unmatched(pattern, &value, path);
                    all.extend(no.map(|path| (path, false)));
                }
                Some(all)
            }
            ExprKind::Quantifier(Quantifier::Forall | Quantifier::Exists, ..) => {
                self.truth(condition, path)
            }
            ExprKind::Local(_)
            | ExprKind::Own(_)
            | ExprKind::Const(_)
            | ExprKind::Field(..)
            | ExprKind::Project(..)
            | ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Let(..)
            | ExprKind::Call(..) => {
                let mut all = Vec::new();
                for (path, value) in self.eval(condition, path)? {
                    all.extend(self.split(&value, path)?);
                }
                Some(all)
            }
            _ => self.truth(condition, path),
        }
    }

    /// A condition of which nothing is known but that it is the same as when it was last read.
    fn truth(&mut self, condition: &Expr, mut path: Path) -> Paths<bool> {
        let value = self.known(condition, &mut path);
        self.split(&value, path)
    }

    fn split(&mut self, value: &Value, path: Path) -> Paths<bool> {
        self.fork()?;
        let Value::Truth(truth) = value else {
            return Some(vec![(path.clone(), true), (path, false)]);
        };
        let yes = path.clone().with([truth.minus(&Linear::number(1))]);
        let no = path.with([truth.times(-1)]);
        let yes = yes.map(|path| (path, true));
        Some(
            yes.into_iter()
                .chain(no.map(|path| (path, false)))
                .collect(),
        )
    }

    /// `a && b`, where going on needs `true`, or `a || b`.
    fn decide_both(&mut self, left: &Expr, right: &Expr, on: bool, path: Path) -> Paths<bool> {
        let mut all = Vec::new();
        for (path, truth) in self.decide(left, path)? {
            match truth == on {
                true => all.extend(self.decide(right, path)?),
                false => all.push((path, truth)),
            }
        }
        Some(all)
    }

    fn compared(
        &mut self,
        condition: &Expr,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        path: Path,
    ) -> Paths<bool> {
        let one = Linear::number(1);
        let mut all = Vec::new();
        for (path, values) in self.both(left, right, path)? {
            let (a, b) = match &values {
                (Value::Number(a), Value::Number(b)) | (Value::Truth(a), Value::Truth(b)) => {
                    (a.clone(), b.clone())
                }
                (Value::Option(a, _), Value::Option(b, _))
                    if a.fixed() == Some(0) || b.fixed() == Some(0) =>
                {
                    (a.clone(), b.clone())
                }
                (Value::Size(a), Value::Size(b))
                    if a.fixed() == Some(0) || b.fixed() == Some(0) =>
                {
                    (a.clone(), b.clone())
                }
                (Value::Variant(some), Value::Variant(other)) => {
                    let which = |all: &[Linear]| all.iter().position(|one| one.fixed() == Some(1));
                    match (which(some), which(other)) {
                        (Some(at), _) => (other[at].clone(), one.clone()),
                        (_, Some(at)) => (some[at].clone(), one.clone()),
                        _ => {
                            all.extend(self.truth(condition, path)?);
                            continue;
                        }
                    }
                }
                _ => {
                    all.extend(self.truth(condition, path)?);
                    continue;
                }
            };
            self.fork()?;
            let less = path.clone().with([b.minus(&a).minus(&one)]);
            let same = path.clone().with([a.minus(&b), b.minus(&a)]);
            let more = path.with([a.minus(&b).minus(&one)]);
            let truth = |order: std::cmp::Ordering| match op {
                BinOp::Eq | BinOp::Iff => order.is_eq(),
                BinOp::Ne => order.is_ne(),
                BinOp::Lt => order.is_lt(),
                BinOp::Le => order.is_le(),
                BinOp::Gt => order.is_gt(),
                _ => order.is_ge(),
            };
            let ways = [
                (less, std::cmp::Ordering::Less),
                (same, std::cmp::Ordering::Equal),
                (more, std::cmp::Ordering::Greater),
            ];
            let ways = ways.into_iter();
            all.extend(ways.filter_map(|(path, order)| Some((path?, truth(order)))));
        }
        Some(all)
    }

    /// The path on which a value matches; none if it does not.
    pub(super) fn matched(
        &mut self,
        pattern: &Pattern,
        value: &Value,
        mut path: Path,
    ) -> Option<Path> {
        let one = Linear::number(1);
        match (&pattern.kind, value) {
            (PatternKind::Bind(local), _) => {
                path.bind(*local, value.clone());
                Some(path)
            }
            (PatternKind::Bool(truth), Value::Truth(known)) => path.with([match truth {
                true => known.minus(&one),
                false => known.times(-1),
            }]),
            (PatternKind::Int(number), Value::Number(known)) => {
                let difference = known.minus(&Linear::number(*number));
                path.with([difference.clone(), difference.times(-1)])
            }
            (PatternKind::None, Value::Option(filled, _)) => path.with([filled.times(-1)]),
            (PatternKind::Some(inner), Value::Option(filled, value)) => {
                let path = path.with([filled.minus(&one)])?;
                self.matched(inner, value, path)
            }
            (PatternKind::Variant(_, at, parts), Value::Variant(all)) => {
                let mut path = path.with([all[*at].minus(&one)])?;
                for part in parts {
                    path = self.matched(part, &Value::Unknown, path)?;
                }
                Some(path)
            }
            (
                PatternKind::Tuple(patterns) | PatternKind::Struct(_, patterns),
                Value::Parts(parts),
            ) => {
                for (pattern, part) in patterns.iter().zip(parts) {
                    path = self.matched(pattern, part, path)?;
                }
                Some(path)
            }
            (PatternKind::Some(inner), _) => self.matched(inner, &Value::Unknown, path),
            (
                PatternKind::Variant(_, _, parts)
                | PatternKind::Tuple(parts)
                | PatternKind::Struct(_, parts)
                | PatternKind::Pid(_, parts),
                _,
            ) => {
                for part in parts {
                    path = self.matched(part, &Value::Unknown, path)?;
                }
                Some(path)
            }
            _ => Some(path),
        }
    }

    /// A path on which a value does not match, as far as that is linear.
    fn unmatched(&mut self, pattern: &Pattern, value: &Value, path: Path) -> Option<Path> {
        let one = Linear::number(1);
        match (&pattern.kind, value) {
            (PatternKind::Wild | PatternKind::Bind(_), _) => None,
            (PatternKind::None, Value::Option(filled, _)) => path.with([filled.minus(&one)]),
            (PatternKind::Some(inner), Value::Option(filled, _))
                if matches!(inner.kind, PatternKind::Wild | PatternKind::Bind(_)) =>
            {
                path.with([filled.times(-1)])
            }
            (PatternKind::Variant(_, at, parts), Value::Variant(all))
                if parts
                    .iter()
                    .all(|part| matches!(part.kind, PatternKind::Wild | PatternKind::Bind(_))) =>
            {
                path.with([all[*at].times(-1)])
            }
            _ => Some(path),
        }
    }
}
