//! Expressions as leaves.

use super::{Compiler, MOST_CALLS, Result, Trouble};
use crate::code::{Arg, Binary, Leaves, Op};
use crate::shape::{Kind, Shape};
use plainsong_ir::{
    BinOp, Expr, ExprKind, FnId, Pattern, PendingOf, Quantifier, SortKind, Ty, UnOp,
};
use std::sync::Arc;

impl<'s> Compiler<'s, '_> {
    /// The leaves of an expression; what has no compiled form is left to the evaluator.
    pub(super) fn expr(&mut self, expr: &'s Expr) -> Result {
        let before = self.standing();
        match self.expr_directly(expr) {
            Err(Trouble::NoForm) => {
                self.go_back(before);
                self.asked(expr)
            }
            done => done,
        }
    }

    pub(super) fn expr_directly(&mut self, expr: &'s Expr) -> Result {
        self.spend()?;
        match &expr.kind {
            ExprKind::Bool(truth) => Ok(vec![Arg::Const(u64::from(*truth))]),
            ExprKind::Int(int) => Ok(vec![Arg::Const(*int as u64)]),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Global(global) => Ok(self.global(global.index())),
            ExprKind::Const(id) => {
                let value = self.coding.instance.constant(*id).clone();
                Ok(self.constant(&expr.ty, &value))
            }
            ExprKind::Unary(UnOp::Neg, operand) => {
                let leaf = self.scalar(operand)?;
                Ok(vec![self.compute(Binary::Sub, Arg::Const(0), leaf)?])
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr),
            ExprKind::Unary(UnOp::Not, _) | ExprKind::Is(..) => self.truth(expr),
            ExprKind::Quantifier(quantifier, bindings, body) => match quantifier {
                Quantifier::Forall | Quantifier::Exists => self.truth(expr),
                Quantifier::Count => self.counting(bindings, body),
                Quantifier::Sum => self.sum(bindings, body),
            },
            ExprKind::If(condition, yes, no) => self.conditional(condition, yes, no, expr),
            ExprKind::Match(scrutinee, arms) => self.matched(scrutinee, arms, expr),
            ExprKind::Let(local, value, body) => {
                self.locals[local.index()] = Some(self.expr(value)?);
                self.expr(body)
            }
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => self.exprs(parts),
            ExprKind::Project(whole, part) | ExprKind::Field(whole, part) => {
                let (parts, leaves) = self.parts(whole)?;
                let first = Shape::part(&parts, *part);
                Ok(leaves[first..first + parts[*part].width].to_vec())
            }
            ExprKind::Update(base, changes) => {
                let (parts, mut leaves) = self.parts(base)?;
                for (part, value) in changes {
                    let first = Shape::part(&parts, *part);
                    let value = self.expr(value)?;
                    leaves[first..first + value.len()].copy_from_slice(&value);
                }
                Ok(leaves)
            }
            ExprKind::Variant(_, variant, payload) => {
                let payload = self.exprs(payload)?;
                let shape = self.shape(&expr.ty);
                let Kind::Enum(variants) = &shape.kind else {
                    return Err(Trouble::NoForm);
                };
                let mut leaves = blank(&shape);
                leaves[0] = Arg::Const(*variant as u64);
                let first = Shape::payload(variants, *variant);
                leaves[first..first + payload.len()].copy_from_slice(&payload);
                Ok(leaves)
            }
            ExprKind::None => {
                let shape = self.shape(&expr.ty);
                match shape.kind {
                    Kind::Option(_) => Ok(blank(&shape)),
                    _ => Err(Trouble::NoForm),
                }
            }
            ExprKind::Some(inner) => {
                if !matches!(self.shape(&expr.ty).kind, Kind::Option(_)) {
                    return Err(Trouble::NoForm);
                }
                let mut leaves = vec![Arg::Const(1)];
                leaves.extend(self.expr(inner)?);
                Ok(leaves)
            }
            ExprKind::Literal(elements) => self.literal(elements, &expr.ty),
            ExprKind::Comprehension(binding, body) => self.comprehension(binding, body, &expr.ty),
            ExprKind::MapOf(local, body) => self.map_of(*local, body, &expr.ty),
            ExprKind::Index(whole, key) => self.index(whole, key),
            ExprKind::Method(method, arguments) => self.method(*method, arguments, expr),
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::PendingOf(..) => Err(Trouble::GivesUp),
            ExprKind::Pending(what) => {
                let action = match what {
                    PendingOf::All => None,
                    PendingOf::Action(action) => Some(*action),
                    PendingOf::Message(_) => return Err(Trouble::GivesUp),
                };
                let to = self.register();
                self.op(Op::Pending(to, action))?;
                Ok(vec![Arg::Reg(to)])
            }
            ExprKind::Widen(inner) => self.expr(inner),
            ExprKind::Narrow(inner) => self.narrow(inner, &expr.ty),
            ExprKind::All(_) | ExprKind::Range { .. } => Err(Trouble::NoForm),
            ExprKind::Own(_)
            | ExprKind::Of(..)
            | ExprKind::Pid(..)
            | ExprKind::SelfPid
            | ExprKind::Old(_)
            | ExprKind::Crashed(_) => Err(Trouble::GivesUp),
        }
    }

    /// The one leaf of an expression.
    pub(super) fn scalar(&mut self, expr: &'s Expr) -> Result<Arg> {
        match self.expr(expr)?[..] {
            [leaf] => Ok(leaf),
            _ => Err(Trouble::NoForm),
        }
    }

    /// The leaves of a global.
    pub(super) fn global(&self, global: usize) -> Leaves {
        let (shape, first) = self.coding.global(global);
        (first..first + shape.width)
            .map(|field| Arg::Field(field as u32))
            .collect()
    }

    pub(super) fn exprs(&mut self, exprs: &'s [Expr]) -> Result {
        let mut leaves = Vec::new();
        for expr in exprs {
            leaves.extend(self.expr(expr)?);
        }
        Ok(leaves)
    }

    /// The shapes of a tuple's parts, and its leaves.
    fn parts(&mut self, whole: &'s Expr) -> Result<(Vec<Arc<Shape>>, Leaves)> {
        let shape = self.shape(&whole.ty);
        match &shape.kind {
            Kind::Tuple(parts) => Ok((parts.clone(), self.expr(whole)?)),
            _ => Err(Trouble::NoForm),
        }
    }

    /// A condition as a leaf.
    fn truth(&mut self, condition: &'s Expr) -> Result {
        let (to, no) = (self.register(), self.label());
        self.op(Op::Move(to, Arg::Const(0)))?;
        self.branch(condition, false, no)?;
        self.op(Op::Move(to, Arg::Const(1)))?;
        self.bind(no);
        Ok(vec![Arg::Reg(to)])
    }

    fn binary(&mut self, op: BinOp, a: &'s Expr, b: &'s Expr, expr: &'s Expr) -> Result {
        let numbers = match op {
            BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => return self.truth(expr),
            BinOp::Eq | BinOp::Ne | BinOp::In => return self.truth(expr),
            BinOp::Union | BinOp::Inter => return self.sets(op, a, b),
            BinOp::Sub | BinOp::Add if !self.is_number(&a.ty) => return self.sets(op, a, b),
            BinOp::Lt => (Binary::Less, false, false),
            BinOp::Gt => (Binary::Less, true, false),
            BinOp::Le => (Binary::Less, true, true),
            BinOp::Ge => (Binary::Less, false, true),
            BinOp::Add => (Binary::Add, false, false),
            BinOp::Sub => (Binary::Sub, false, false),
            BinOp::Mul => (Binary::Mul, false, false),
            BinOp::Div => (Binary::Div, false, false),
            BinOp::Rem => (Binary::Rem, false, false),
        };
        let (binary, swapped, negated) = numbers;
        if !self.is_number(&a.ty) && !matches!(self.shape(&a.ty).kind, Kind::Id(_)) {
            return Err(Trouble::NoForm);
        }
        let (x, y) = (self.scalar(a)?, self.scalar(b)?);
        let (x, y) = if swapped { (y, x) } else { (x, y) };
        let result = self.compute(binary, x, y)?;
        if negated {
            return Ok(vec![self.compute(Binary::Eq, result, Arg::Const(0))?]);
        }
        Ok(vec![result])
    }

    fn is_number(&mut self, ty: &Ty) -> bool {
        matches!(self.shape(ty).kind, Kind::Int | Kind::Nat | Kind::Range(..))
    }

    fn conditional(
        &mut self,
        condition: &'s Expr,
        yes: &'s Expr,
        no: &'s Expr,
        expr: &'s Expr,
    ) -> Result {
        let shape = self.shape(&expr.ty);
        let to = self.fresh(shape.width);
        let (otherwise, end) = (self.label(), self.label());
        self.branch(condition, false, otherwise)?;
        let leaves = self.expr(yes)?;
        self.set(&to, &leaves)?;
        self.op(Op::Jump(end))?;
        self.bind(otherwise);
        let leaves = self.expr(no)?;
        self.set(&to, &leaves)?;
        self.bind(end);
        Ok(to.into_iter().map(Arg::Reg).collect())
    }

    fn matched(
        &mut self,
        scrutinee: &'s Expr,
        arms: &'s [(Pattern, Expr)],
        expr: &'s Expr,
    ) -> Result {
        let value = self.expr(scrutinee)?;
        let inside = self.shape(&scrutinee.ty);
        let shape = self.shape(&expr.ty);
        let to = self.fresh(shape.width);
        let end = self.label();
        for (pattern, arm) in arms {
            let next = self.label();
            self.pattern(pattern, &inside, &value, next)?;
            let leaves = self.expr(arm)?;
            self.set(&to, &leaves)?;
            self.op(Op::Jump(end))?;
            self.bind(next);
        }
        let bail = self.bail;
        self.op(Op::Jump(bail))?;
        self.bind(end);
        Ok(to.into_iter().map(Arg::Reg).collect())
    }

    /// A call, written out. Function bodies see nothing but their parameters.
    fn call(&mut self, function: FnId, arguments: &'s [Expr]) -> Result {
        if self.calls >= MOST_CALLS {
            return Err(Trouble::NoForm);
        }
        let song = self.song;
        let function = &song.functions[function.index()];
        let Some(body) = &function.body else {
            return Err(Trouble::NoForm);
        };
        if !function.contract.requires.is_empty() {
            return Err(Trouble::NoForm);
        }
        let mut locals = Vec::new();
        for argument in arguments {
            locals.push(Some(self.expr(argument)?));
        }
        locals.resize(function.locals.len(), None);
        let outside = std::mem::replace(&mut self.locals, locals);
        let rows = std::mem::replace(&mut self.rows, &function.locals);
        self.calls += 1;
        let value = self.expr(body);
        self.calls -= 1;
        self.rows = rows;
        self.locals = outside;
        value
    }

    fn narrow(&mut self, inner: &'s Expr, ty: &Ty) -> Result {
        let leaf = self.scalar(inner)?;
        let (first, last) = match ty {
            Ty::Nat => (0, i64::MAX),
            Ty::Sort(id) => match self.song.sorts[id.index()].kind {
                SortKind::Range(_) => self.coding.instance.range(*id),
                SortKind::Identities { .. } => return Err(Trouble::GivesUp),
            },
            _ => return Ok(vec![leaf]),
        };
        match leaf {
            Arg::Const(number) if (first..=last).contains(&(number as i64)) => {}
            Arg::Const(_) => {
                let bail = self.bail;
                self.op(Op::Jump(bail))?;
                return Ok(vec![Arg::Const(first as u64)]);
            }
            _ => self.op(Op::Within(leaf, first, last))?,
        }
        Ok(vec![leaf])
    }
}

/// Leaves that mean nothing.
pub(super) fn blank(shape: &Shape) -> Leaves {
    shape.blanks().into_iter().map(Arg::Const).collect()
}
