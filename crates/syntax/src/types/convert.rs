//! Numeric conversions: between `int`, `nat` and integer-range sorts, at the top of a type only.
//!
//! - Towards `int` a value is *widened*; that never fails.
//! - From `int` towards `nat` or a range sort it is *narrowed*; a value outside is a failure.
//! - Between two of the narrower types it is widened first and narrowed then.

use plainsong_ir::{Expr, ExprKind, Ty};

/// What kind of number a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Int,
    Nat,
    /// An integer-range sort.
    Range,
}

/// `value` as an `int`. It must be a number.
pub(crate) fn widen(value: Expr) -> Expr {
    if value.ty == Ty::Int {
        return value;
    }
    let span = value.span;
    Expr {
        kind: ExprKind::Widen(Box::new(value)),
        ty: Ty::Int,
        span,
    }
}

/// `value`, a number, as a number of type `wanted`.
pub(crate) fn convert(value: Expr, wanted: &Ty) -> Expr {
    if value.ty == *wanted {
        return value;
    }
    let wide = widen(value);
    if *wanted == Ty::Int {
        return wide;
    }
    let span = wide.span;
    Expr {
        kind: ExprKind::Narrow(Box::new(wide)),
        ty: wanted.clone(),
        span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plainsong_diagnostics::Span;
    use plainsong_ir::SortId;

    fn number(ty: Ty) -> Expr {
        Expr {
            kind: ExprKind::Int(1),
            ty,
            span: Span::default(),
        }
    }

    fn shape(value: &Expr) -> String {
        match &value.kind {
            ExprKind::Widen(inner) => format!("widen {}", shape(inner)),
            ExprKind::Narrow(inner) => format!("narrow {}", shape(inner)),
            _ => "1".to_owned(),
        }
    }

    #[test]
    fn conversions_go_through_int() {
        let slot = Ty::Sort(SortId(0));
        let cases = [
            (Ty::Int, Ty::Int, "1"),
            (Ty::Nat, Ty::Nat, "1"),
            (Ty::Nat, Ty::Int, "widen 1"),
            (Ty::Int, Ty::Nat, "narrow 1"),
            (Ty::Int, slot.clone(), "narrow 1"),
            (Ty::Nat, slot.clone(), "narrow widen 1"),
            (slot.clone(), Ty::Nat, "narrow widen 1"),
            (slot.clone(), Ty::Sort(SortId(1)), "narrow widen 1"),
        ];
        for (from, to, expected) in cases {
            let converted = convert(number(from), &to);
            assert_eq!(shape(&converted), expected);
            assert_eq!(converted.ty, to);
        }
    }
}
