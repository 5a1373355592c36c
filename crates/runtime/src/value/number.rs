//! Numbers. In songs they have no bound; here they have 64 bits, and what does not fit is an error,
//! never a wrong number. The interpreter of songs does the same.

use super::Undefined;
use std::ops::Range;

/// A number of the language, or a member of a sort: identities are counted from 0.
pub type Int = i64;

/// Arithmetic that says when there is no result.
pub trait Number: Sized {
    /// `a + b`
    ///
    /// # Errors
    ///
    /// When the result has more than 64 bits.
    fn plus(self, other: Int) -> Result<Int, Undefined>;
    /// `a - b`
    ///
    /// # Errors
    ///
    /// When the result has more than 64 bits.
    fn minus(self, other: Int) -> Result<Int, Undefined>;
    /// `a * b`
    ///
    /// # Errors
    ///
    /// When the result has more than 64 bits.
    fn times(self, other: Int) -> Result<Int, Undefined>;
    /// `a / b`, towards zero
    ///
    /// # Errors
    ///
    /// When `b` is zero.
    fn over(self, other: Int) -> Result<Int, Undefined>;
    /// `a % b`, with the sign of `a`
    ///
    /// # Errors
    ///
    /// When `b` is zero.
    fn modulo(self, other: Int) -> Result<Int, Undefined>;
    /// `-a`
    ///
    /// # Errors
    ///
    /// When the result has more than 64 bits.
    fn negated(self) -> Result<Int, Undefined>;
    /// As a `nat`.
    ///
    /// # Errors
    ///
    /// When it is less than zero.
    fn nat(self) -> Result<Int, Undefined>;
    /// As a member of a range.
    ///
    /// # Errors
    ///
    /// When it is none.
    fn within(self, members: &Range<Int>) -> Result<Int, Undefined>;
}

impl Number for Int {
    fn plus(self, other: Int) -> Result<Int, Undefined> {
        self.checked_add(other).ok_or_else(too_big)
    }

    fn minus(self, other: Int) -> Result<Int, Undefined> {
        self.checked_sub(other).ok_or_else(too_big)
    }

    fn times(self, other: Int) -> Result<Int, Undefined> {
        self.checked_mul(other).ok_or_else(too_big)
    }

    fn over(self, other: Int) -> Result<Int, Undefined> {
        match other {
            0 => Err(Undefined::new(format!("division by zero: {self} / 0"))),
            _ => self.checked_div(other).ok_or_else(too_big),
        }
    }

    fn modulo(self, other: Int) -> Result<Int, Undefined> {
        match other {
            0 => Err(Undefined::new(format!(
                "remainder of a division by zero: {self} % 0"
            ))),
            _ => self.checked_rem(other).ok_or_else(too_big),
        }
    }

    fn negated(self) -> Result<Int, Undefined> {
        self.checked_neg().ok_or_else(too_big)
    }

    fn nat(self) -> Result<Int, Undefined> {
        match self >= 0 {
            true => Ok(self),
            false => Err(Undefined::new(format!("{self} is not a nat"))),
        }
    }

    fn within(self, members: &Range<Int>) -> Result<Int, Undefined> {
        match members.contains(&self) {
            true => Ok(self),
            false => Err(Undefined::new(format!(
                "{self} is not one of {}..{}",
                members.start, members.end
            ))),
        }
    }
}

fn too_big() -> Undefined {
    Undefined::new("an integer grows beyond 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert_eq!(2.plus(3), Ok(5));
        assert!(Int::MAX.plus(1).is_err());
        assert!(Int::MIN.minus(1).is_err());
        assert!(Int::MIN.negated().is_err());
        assert!(Int::MIN.over(-1).is_err());
        assert!(Int::MAX.times(2).is_err());
        assert!(1.over(0).is_err() && 1.modulo(0).is_err());
    }

    #[test]
    fn division_goes_towards_zero() {
        assert_eq!(((-7).over(2), (-7).modulo(2)), (Ok(-3), Ok(-1)));
    }

    #[test]
    fn narrower_types_are_checked() {
        assert!((-1).nat().is_err() && 0.nat().is_ok());
        assert!(3.within(&(0..3)).is_err() && 2.within(&(0..3)).is_ok());
    }
}
