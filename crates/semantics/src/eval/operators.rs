//! Prefix and infix operators.

use super::collections::{bag_difference, intersection, set_difference, union};
use super::{Eval, Result};
use crate::failure::{resource, undefined};
use crate::instance::MOST_VALUES;
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{BinOp, Expr, UnOp};

impl Eval<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnOp,
        operand: &Expr,
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let value = self.expr(operand, locals)?;
        match op {
            UnOp::Not => Ok(Value::Bool(!value.truth())),
            UnOp::Neg => checked(value.int().checked_neg(), span),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinOp,
        left: &Expr,
        right: &Expr,
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let a = self.expr(left, locals)?;
        match (op, &a) {
            (BinOp::And, Value::Bool(false)) => return Ok(Value::Bool(false)),
            (BinOp::Or, Value::Bool(true)) | (BinOp::Implies, Value::Bool(false)) => {
                return Ok(Value::Bool(true));
            }
            _ => {}
        }
        let b = self.expr(right, locals)?;
        match op {
            BinOp::And | BinOp::Or | BinOp::Implies => Ok(b),
            BinOp::Iff | BinOp::Eq => Ok(Value::Bool(a == b)),
            BinOp::Ne => Ok(Value::Bool(a != b)),
            BinOp::Lt => Ok(Value::Bool(a < b)),
            BinOp::Le => Ok(Value::Bool(a <= b)),
            BinOp::Gt => Ok(Value::Bool(a > b)),
            BinOp::Ge => Ok(Value::Bool(a >= b)),
            BinOp::Add => plus(&a, &b, span),
            BinOp::Sub => minus(&a, &b, span),
            BinOp::Mul => checked(a.int().checked_mul(b.int()), span),
            BinOp::Div | BinOp::Rem => divide(op, a.int(), b.int(), span),
            BinOp::Union => Ok(union(&a, &b)),
            BinOp::Inter => Ok(intersection(&a, &b)),
            BinOp::In => Ok(Value::Bool(b.elements().contains(&a))),
        }
    }

    pub(super) fn range(
        &mut self,
        start: &Expr,
        end: &Expr,
        inclusive: bool,
        span: Span,
        locals: &mut [Value],
    ) -> Result {
        let first = self.expr(start, locals)?.int();
        let end = self.expr(end, locals)?.int();
        let length = i128::from(end) - i128::from(first) + i128::from(inclusive);
        if length > MOST_VALUES as i128 {
            return Err(resource(
                span,
                format!("this range has {length} members: too many"),
            ));
        }
        let members = (0..length.max(0) as i64).map(|offset| Value::Int(first + offset));
        Ok(Value::Set(members.collect()))
    }
}

/// The sum of two integers.
pub(super) fn add(a: i64, b: i64, span: Span) -> Result<i64> {
    a.checked_add(b).ok_or_else(|| too_big(span))
}

fn plus(a: &Value, b: &Value, span: Span) -> Result {
    match (a, b) {
        (Value::Seq(front), Value::Seq(back)) => Ok(Value::Seq(
            front.iter().chain(back.iter()).cloned().collect(),
        )),
        _ => add(a.int(), b.int(), span).map(Value::Int),
    }
}

fn minus(a: &Value, b: &Value, span: Span) -> Result {
    match (a, b) {
        (Value::Set(_), _) => Ok(set_difference(a, b)),
        (Value::Bag(_), _) => Ok(bag_difference(a, b)),
        _ => checked(a.int().checked_sub(b.int()), span),
    }
}

fn divide(op: BinOp, a: i64, b: i64, span: Span) -> Result {
    if b == 0 {
        let what = if op == BinOp::Div {
            "division"
        } else {
            "remainder of a division"
        };
        return Err(undefined(
            span,
            format!("{what} by zero: {a} {} 0", sign(op)),
        ));
    }
    checked(
        if op == BinOp::Div {
            a.checked_div(b)
        } else {
            a.checked_rem(b)
        },
        span,
    )
}

fn sign(op: BinOp) -> char {
    if op == BinOp::Div { '/' } else { '%' }
}

fn checked(result: Option<i64>, span: Span) -> Result {
    result.map(Value::Int).ok_or_else(|| too_big(span))
}

fn too_big(span: Span) -> crate::trace::Failure {
    resource(span, "an integer grows beyond 64 bits")
}
