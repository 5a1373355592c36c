//! Linear arithmetic: numbers that are not known but compared, sums of unknowns, and what follows from inequalities between them.
//!
//! The search may leave out a branch because it follows from decisions before. Here such a branch is impossible if the
//! inequalities that hold contradict it: unknowns are eliminated one after the other (Fourier and Motzkin), and what is
//! left is a number. That is right for rational numbers, and so for integers; where it is too weak, or too long, the branch
//! counts as possible.

use crate::symbol::{Symbol, Unknown};

/// A sum of unknowns with factors, and a number. Each unknown occurs once, with a factor that is not zero.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sum {
    parts: Vec<(i128, Unknown)>,
    more: i128,
}

/// Larger systems are not looked at.
const MOST: usize = 200;
/// Larger factors are not kept.
const LARGEST: i128 = 1 << 40;

impl Sum {
    /// A number as a sum.
    pub(crate) fn of(symbol: &Symbol) -> Option<Sum> {
        match symbol {
            Symbol::Int(more) => Some(Sum::number(i128::from(*more))),
            Symbol::Unknown(unknown) => Some(Sum {
                parts: vec![(1, unknown.clone())],
                more: 0,
            }),
            Symbol::Sum(sum) => Some(sum.clone()),
            _ => None,
        }
    }

    pub(crate) fn number(more: i128) -> Sum {
        Sum {
            parts: Vec::new(),
            more,
        }
    }

    /// `self + factor * other`, unless that is too large.
    pub(crate) fn plus(&self, factor: i128, other: &Sum) -> Option<Sum> {
        let mut sum = self.clone();
        sum.more = sum.more.checked_add(factor.checked_mul(other.more)?)?;
        for (weight, unknown) in &other.parts {
            let weight = factor.checked_mul(*weight)?;
            match sum.parts.iter_mut().find(|(_, one)| one == unknown) {
                Some((known, _)) => *known = known.checked_add(weight)?,
                None => sum.parts.push((weight, unknown.clone())),
            }
        }
        sum.parts.retain(|(weight, _)| *weight != 0);
        sum.parts
            .sort_by_key(|(_, unknown)| (unknown.number, unknown.owner));
        let fits = |number: &i128| number.abs() <= LARGEST;
        let is_small = fits(&sum.more) && sum.parts.iter().all(|(weight, _)| fits(weight));
        is_small.then_some(sum)
    }

    /// As a value: a number or an unknown if it is one.
    pub(crate) fn symbol(self) -> Symbol {
        match (&self.parts[..], i64::try_from(self.more)) {
            ([], Ok(number)) => Symbol::Int(number),
            ([(1, unknown)], Ok(0)) => Symbol::Unknown(unknown.clone()),
            _ => Symbol::Sum(self),
        }
    }

    /// With other values for its unknowns. Those for which that is no number, or too large a one, stay: they are the same
    /// values, of which less is known.
    pub(crate) fn map(&self, change: &mut dyn FnMut(&Symbol) -> Symbol) -> Symbol {
        let mut sum = Sum::number(self.more);
        for (weight, unknown) in &self.parts {
            let old = Symbol::Unknown(unknown.clone());
            let new = Sum::of(&change(&old));
            let next = new.and_then(|new| sum.plus(*weight, &new));
            let next = next.or_else(|| sum.plus(*weight, &Sum::of(&old)?));
            let Some(next) = next else {
                return Symbol::Sum(self.clone());
            };
            sum = next;
        }
        sum.symbol()
    }

    /// The unknown that makes it zero, and its value, if there is one unknown and it is a whole number.
    pub(crate) fn solved(&self) -> Option<(Unknown, Symbol)> {
        match &self.parts[..] {
            [(weight @ (1 | -1), unknown)] => {
                let value = i64::try_from(-weight * self.more).ok()?;
                Some((unknown.clone(), Symbol::Int(value)))
            }
            _ => None,
        }
    }

    /// Its value, if it is a number.
    pub(crate) fn value(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.more)
    }
}

/// Does it follow that a sum is not positive, when these are not?
pub(crate) fn follows(known: &[Sum], goal: &Sum) -> bool {
    let Some(opposite) = Sum::number(1).plus(-1, goal) else {
        return false;
    };
    let mut all = known.to_vec();
    all.push(opposite);
    is_impossible(all)
}

/// Can these sums not all be at most zero?
fn is_impossible(mut all: Vec<Sum>) -> bool {
    loop {
        if all
            .iter()
            .any(|sum| sum.value().is_some_and(|value| value > 0))
        {
            return true;
        }
        all.retain(|sum| sum.value().is_none());
        let Some((_, unknown)) = all.first().and_then(|sum| sum.parts.first()).cloned() else {
            return false;
        };
        let Some(next) = without(&all, &unknown) else {
            return false;
        };
        if next.len() > MOST {
            return false;
        }
        all = next;
    }
}

/// What follows about the other unknowns.
fn without(all: &[Sum], unknown: &Unknown) -> Option<Vec<Sum>> {
    let weight = |sum: &Sum| {
        let mut parts = sum.parts.iter();
        parts.find(|(_, one)| one == unknown).map_or(0, |(n, _)| *n)
    };
    let mut next: Vec<Sum> = all.iter().filter(|sum| weight(sum) == 0).cloned().collect();
    for above in all.iter().filter(|sum| weight(sum) > 0) {
        for below in all.iter().filter(|sum| weight(sum) < 0) {
            let (up, down) = (weight(above), -weight(below));
            let scaled = Sum::number(0).plus(down, above)?;
            let sum = scaled.plus(up, below)?;
            if !next.contains(&sum) {
                next.push(sum);
            }
        }
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::{Sum, follows};
    use crate::symbol::{Symbol, Unknown};

    fn sum(parts: &[(i128, u32)], more: i128) -> Sum {
        let mut sum = Sum::number(more);
        for (weight, number) in parts {
            let unknown = Symbol::Unknown(Unknown {
                number: *number,
                owner: None,
                among: None,
            });
            let one = Sum::of(&unknown).expect("an unknown is a sum");
            sum = sum.plus(*weight, &one).expect("it is small");
        }
        sum
    }

    #[test]
    fn what_follows_follows_and_nothing_else() {
        // 6 <= x, y <= x: then 5 <= x, but neither 7 <= x nor x <= y.
        let known = [sum(&[(-1, 1)], 6), sum(&[(1, 2), (-1, 1)], 0)];
        assert!(follows(&known, &sum(&[(-1, 1)], 5)));
        assert!(!follows(&known, &sum(&[(-1, 1)], 7)));
        assert!(!follows(&known, &sum(&[(1, 1), (-1, 2)], 0)));
        // With 2x <= y + x it does.
        let known = [known.to_vec(), vec![sum(&[(1, 1), (-1, 2)], 0)]].concat();
        assert!(follows(&known, &sum(&[(1, 1), (-1, 2)], 0)));
        assert!(follows(&known, &sum(&[(-1, 2)], 6)));
    }
}
