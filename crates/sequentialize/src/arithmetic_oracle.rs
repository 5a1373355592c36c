//! The arithmetic oracle: questions about numbers, as expressions.
//!
//! The search itself only compares. A [`Question`] is put to whoever was given to it; the driver gives the prover.

use crate::term::Op;
use crate::value::{Key, Value};
use plainsong_diagnostics::Span;
use plainsong_ir::{BinOp, Expr, ExprKind, LocalId, Ty, UnOp};

/// Does the goal follow, or its opposite?
#[derive(Clone, Debug)]
pub struct Question {
    /// So many integers are spoken of: locals from 0 on.
    pub values: usize,
    /// What is known of them.
    pub given: Vec<Expr>,
    /// What is asked.
    pub goal: Expr,
}

/// Somebody who decides questions about numbers, or does not.
pub trait Arbiter {
    /// True if the goal follows from what is given, false if its opposite does.
    fn decides(&self, question: &Question) -> Option<bool>;
}

/// Decides nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Arbiter for Nobody {
    fn decides(&self, _: &Question) -> Option<bool> {
        None
    }
}

/// The values of a question.
#[derive(Default)]
pub(crate) struct Asked {
    keys: Vec<Key>,
}

impl Asked {
    pub(crate) fn values(&self) -> usize {
        self.keys.len()
    }

    /// A claim as an expression.
    pub(crate) fn expr(&mut self, value: &Value) -> Expr {
        let (kind, ty) = match value {
            Value::Int(number) => (ExprKind::Int(*number), Ty::Int),
            Value::Bool(truth) => (ExprKind::Bool(*truth), Ty::Bool),
            Value::Unknown(unknown) => (ExprKind::Local(self.local(unknown.key)), Ty::Int),
            Value::Term(Op::Not, parts) => {
                let inner = self.expr(&parts[0]);
                (ExprKind::Unary(UnOp::Not, Box::new(inner)), Ty::Bool)
            }
            Value::Term(op, parts) => {
                let (op, ty) = operator(*op);
                let left = Box::new(self.expr(&parts[0]));
                let right = Box::new(self.expr(&parts[1]));
                (ExprKind::Binary(op, left, right), ty)
            }
            Value::Pid(_) | Value::Id(_) | Value::Data(..) => {
                unreachable!("claims are about numbers")
            }
        };
        Expr {
            kind,
            ty,
            span: Span::default(),
        }
    }

    fn local(&mut self, key: Key) -> LocalId {
        let known = self.keys.iter().position(|one| *one == key);
        let at = known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        LocalId(at as u32)
    }
}

fn operator(op: Op) -> (BinOp, Ty) {
    match op {
        Op::Add => (BinOp::Add, Ty::Int),
        Op::Sub => (BinOp::Sub, Ty::Int),
        Op::Mul => (BinOp::Mul, Ty::Int),
        Op::Lt => (BinOp::Lt, Ty::Bool),
        Op::Le => (BinOp::Le, Ty::Bool),
        Op::Eq => (BinOp::Eq, Ty::Bool),
        Op::And => (BinOp::And, Ty::Bool),
        Op::Or => (BinOp::Or, Ty::Bool),
        Op::Not => unreachable!("it has one part"),
    }
}
