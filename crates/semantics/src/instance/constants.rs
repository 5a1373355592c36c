//! Constants of the text as candidates for values.
//!
//! A window of integers around 0 misses what a text is about when it says `n > 100` or `n == 57`. So every integer that
//! something is compared with, and its two neighbours, are candidates too wherever any `int` or `nat` may be chosen.
//! Where many values are chosen, so many more would leave too many ways to look at: the window alone is tried then.
//! Equality and order tell no other integers apart that are this far from 0, unless they are computed with.

use super::Instance;
use crate::value::Value;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    BinOp, Choice, Domain, Expr, ExprKind, Pattern, PatternKind, StartValue, Ty, UnOp,
};
use std::collections::BTreeSet;

/// With more constants than this outside of a window, their neighbours are left out.
const MOST_WITH_NEIGHBOURS: usize = 4;
/// The most constants outside of a window that are candidates: those nearest to 0.
const MOST: usize = 12;

/// With more combinations of chosen integers than this, the window alone is tried.
const MOST_WAYS: u64 = 100_000;

/// The integers that something is compared with in the song of an instance, ascending; none where it chooses too many
/// values to try them.
pub(super) fn compared(instance: &Instance) -> Vec<i64> {
    let mut found = Compared {
        instance,
        depth: 0,
        numbers: BTreeSet::new(),
    };
    walk::song(&mut found, instance.song());
    let numbers: Vec<i64> = found.numbers.into_iter().collect();
    match ways(instance, &numbers) <= MOST_WAYS {
        true => numbers,
        false => Vec::new(),
    }
}

/// How many combinations of integers a song chooses, if it comes to each of its choices once, and each process to those
/// of its first state.
fn ways(instance: &Instance, constants: &[i64]) -> u64 {
    let song = instance.song();
    let mut sites = Sites::default();
    walk::song(&mut sites, song);
    for line in &song.lines {
        let params = line.code.locals[..line.code.arity].iter();
        params.for_each(|param| sites.ty(&param.ty));
    }
    for member in instance.members() {
        for var in &song.families[member.family.index()].vars {
            if let StartValue::Choice(choice) = &var.start
                && let Domain::Type(ty) = &choice.domain
            {
                sites.ty(ty);
            }
        }
    }
    let bounds = instance.bounds();
    let (low, high) = bounds.int;
    let window = |first: i64, last: i64| last.saturating_sub(first).saturating_add(1).max(1) as u64;
    let each = |first: i64, last: i64, least: i64| {
        window(first, last) + beyond(constants, first, last, least).len() as u64
    };
    let ints = each(low, high, i64::MIN).saturating_pow(sites.ints);
    ints.saturating_mul(each(0, bounds.nat, 0).saturating_pow(sites.nats))
}

/// Counts the places where an integer is chosen.
#[derive(Default)]
struct Sites {
    ints: u32,
    nats: u32,
}

impl Sites {
    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Int => self.ints += 1,
            Ty::Nat => self.nats += 1,
            _ => {}
        }
    }
}

impl Visit for Sites {
    fn choice(&mut self, choice: &Choice) {
        if let Domain::Type(ty) = &choice.domain {
            self.ty(ty);
        }
        walk::choice(self, choice);
    }
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
