//! Prefix and infix operators.

use super::Lowering;
use crate::term::Term;
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{BinOp, Expr, Ty, UnOp};

impl Lowering<'_> {
    pub(super) fn unary(&mut self, op: UnOp, operand: &Expr) -> Result {
        let value = self.expr(operand)?;
        Ok(match op {
            UnOp::Not => self.theory.terms.not(value),
            UnOp::Neg => {
                let zero = self.zero();
                self.theory.terms.sub(zero, value)
            }
        })
    }

    pub(super) fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr, span: Span) -> Result {
        let a = self.expr(left)?;
        match op {
            BinOp::And => {
                let b = self.under(a, |lowering| lowering.expr(right))?;
                return Ok(self.theory.terms.and(&[a, b]));
            }
            BinOp::Or => {
                let not = self.theory.terms.not(a);
                let b = self.under(not, |lowering| lowering.expr(right))?;
                return Ok(self.theory.terms.or(&[a, b]));
            }
            BinOp::Implies => {
                let b = self.under(a, |lowering| lowering.expr(right))?;
                return Ok(self.theory.terms.implies(a, b));
            }
            _ => {}
        }
        let b = self.expr(right)?;
        let theory = &mut *self.theory;
        Ok(match op {
            BinOp::And | BinOp::Or | BinOp::Implies => panic!("handled above"),
            BinOp::Iff => theory.terms.eq(a, b),
            BinOp::Eq => theory.equal(&left.ty, a, b),
            BinOp::Ne => {
                let same = theory.equal(&left.ty, a, b);
                theory.terms.not(same)
            }
            BinOp::Lt => theory.terms.lt(a, b),
            BinOp::Le => theory.terms.le(a, b),
            BinOp::Gt => theory.terms.lt(b, a),
            BinOp::Ge => theory.terms.le(b, a),
            BinOp::Add => match &left.ty {
                Ty::Seq(element) => return self.concatenation(element, a, b, span),
                _ => theory.terms.add(a, b),
            },
            BinOp::Sub => match &left.ty {
                Ty::Set(_) => {
                    return self.pointwise(a, b, |terms, x, y| {
                        let out = terms.not(y);
                        terms.and(&[x, out])
                    });
                }
                Ty::Bag(_) => {
                    return self.pointwise(a, b, |terms, x, y| {
                        let zero = terms.int(0);
                        let rest = terms.sub(x, y);
                        let enough = terms.le(y, x);
                        terms.ite(enough, rest, zero)
                    });
                }
                _ => theory.terms.sub(a, b),
            },
            BinOp::Mul => theory.terms.mul(a, b),
            BinOp::Div | BinOp::Rem => return self.division(op, a, b, span),
            BinOp::Union => match &left.ty {
                Ty::Bag(_) => return self.pointwise(a, b, crate::term::Terms::add),
                _ => return self.pointwise(a, b, |terms, x, y| terms.or(&[x, y])),
            },
            BinOp::Inter => return self.pointwise(a, b, |terms, x, y| terms.and(&[x, y])),
            BinOp::In => return self.member(&right.ty, b, &left.ty, a),
        })
    }

    /// Towards zero: `a / b` is the quotient of the absolute value of `a`, with its sign.
    fn division(&mut self, op: BinOp, a: Term, b: Term, span: Span) -> Result {
        let zero = self.zero();
        let by_zero = self.theory.terms.eq(b, zero);
        let condition = self.theory.terms.not(by_zero);
        self.needs(condition, span, "division by zero");
        let terms = &mut self.theory.terms;
        let minus = terms.sub(zero, a);
        let (up, down) = match op {
            BinOp::Div => (terms.div(a, b), terms.div(minus, b)),
            _ => (terms.modulo(a, b), terms.modulo(minus, b)),
        };
        let down = terms.sub(zero, down);
        let positive = terms.le(zero, a);
        Ok(terms.ite(positive, up, down))
    }

    /// The function whose value at each place comes from those of two others.
    pub(super) fn pointwise(
        &mut self,
        a: Term,
        b: Term,
        combine: impl FnOnce(&mut crate::term::Terms, Term, Term) -> Term,
    ) -> Result {
        let terms = &mut self.theory.terms;
        let at = terms.fresh_place("x", a);
        let (x, y) = (terms.select(a, at), terms.select(b, at));
        let value = combine(terms, x, y);
        Ok(terms.lambda(at, value))
    }
}
