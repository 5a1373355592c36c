//! Constants of the text as candidates for values.
//!
//! A window of integers around 0 misses what a text is about when it says `n > 100` or `n == 57`. So every integer that
//! something is compared with, and its two neighbours, are candidates too wherever any `int` or `nat` may be chosen.
//! Equality and order tell no other integers apart that are this far from 0, unless they are computed with.

use super::Instance;
use crate::value::Value;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{BinOp, Expr, ExprKind, Pattern, PatternKind, UnOp};
use std::collections::BTreeSet;

/// With more constants than this outside of a window, their neighbours are left out.
const MOST_WITH_NEIGHBOURS: usize = 4;
/// The most constants outside of a window that are candidates: those nearest to 0.
const MOST: usize = 12;

/// The integers that something is compared with in the song of an instance, ascending.
pub(super) fn compared(instance: &Instance) -> Vec<i64> {
    let mut found = Compared {
        instance,
        depth: 0,
        numbers: BTreeSet::new(),
    };
    walk::song(&mut found, instance.song());
    found.numbers.into_iter().collect()
}

/// The candidates that constants add to the window from `first` to `last`, ascending; none below `least`.
pub(super) fn beyond(constants: &[i64], first: i64, last: i64, least: i64) -> Vec<i64> {
    let is_outside = |number: &i64| *number >= least && !(first..=last).contains(number);
    let mut outside: Vec<i64> = constants.iter().copied().filter(is_outside).collect();
    outside.sort_by_key(|number| (number.unsigned_abs(), *number));
    outside.truncate(MOST);
    let around = match outside.len() <= MOST_WITH_NEIGHBOURS {
        true => 1,
        false => 0,
    };
    let near = outside
        .iter()
        .flat_map(|number| number.saturating_sub(around)..=number.saturating_add(around));
    let all: BTreeSet<i64> = near.filter(is_outside).collect();
    all.into_iter().collect()
}

/// Collects integers inside of comparisons and of patterns.
struct Compared<'a> {
    instance: &'a Instance,
    /// How many comparisons are around what is looked at.
    depth: u32,
    numbers: BTreeSet<i64>,
}

impl Compared<'_> {
    fn number(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(number) => Some(*number),
            ExprKind::Const(id) => match self.instance.constant(*id) {
                Value::Int(number) => Some(*number),
                _ => None,
            },
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => self.number(inner),
            ExprKind::Unary(UnOp::Neg, inner) => self.number(inner)?.checked_neg(),
            _ => None,
        }
    }
}

impl Visit for Compared<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let Some(number) = self.number(expr) {
            if self.depth > 0 {
                self.numbers.insert(number);
            }
            return;
        }
        let compares = match &expr.kind {
            ExprKind::Binary(op, ..) => matches!(
                op,
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::In
            ),
            _ => false,
        };
        self.depth += u32::from(compares);
        walk::expr(self, expr);
        self.depth -= u32::from(compares);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        if let PatternKind::Int(number) = &pattern.kind {
            self.numbers.insert(*number);
        }
        walk::pattern(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    use super::beyond;

    #[test]
    fn constants_outside_of_a_window_come_with_their_neighbours() {
        assert_eq!(beyond(&[-1, 0, 2], -2, 2, i64::MIN), []);
        assert_eq!(beyond(&[100], -2, 2, i64::MIN), [99, 100, 101]);
        assert_eq!(beyond(&[-7, 3], -2, 2, i64::MIN), [-8, -7, -6, 3, 4]);
        assert_eq!(beyond(&[-7, 4], 0, 3, 0), [4, 5]);
        assert_eq!(beyond(&[i64::MAX], 0, 3, 0), [i64::MAX - 1, i64::MAX]);
        assert_eq!(beyond(&[10, 20, 30, 40, 50], 0, 3, 0), [10, 20, 30, 40, 50]);
    }
}
