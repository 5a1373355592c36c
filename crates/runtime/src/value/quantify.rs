//! Quantifiers, sums, ranges and free choices over elements; an error in one of them ends it.

use super::{Int, Undefined};
use crate::error::Error;
use std::ops::Range;

/// Does the test hold for all elements?
///
/// # Errors
///
/// As the test.
pub fn forall<T>(
    elements: impl IntoIterator<Item = T>,
    mut test: impl FnMut(T) -> Result<bool, Undefined>,
) -> Result<bool, Undefined> {
    for element in elements {
        if !test(element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Does the test hold for an element?
///
/// # Errors
///
/// As the test.
pub fn exists<T>(
    elements: impl IntoIterator<Item = T>,
    mut test: impl FnMut(T) -> Result<bool, Undefined>,
) -> Result<bool, Undefined> {
    for element in elements {
        if test(element)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// For how many elements the test holds, or a sum of such numbers.
///
/// # Errors
///
/// As the test.
pub fn count<T>(
    elements: impl IntoIterator<Item = T>,
    mut test: impl FnMut(T) -> Result<bool, Undefined>,
) -> Result<Int, Undefined> {
    sum(elements, |element| Ok(Int::from(test(element)?)))
}

/// The sum of a number for each element.
///
/// # Errors
///
/// As the number, and when the sum has more than 64 bits.
pub fn sum<T>(
    elements: impl IntoIterator<Item = T>,
    mut number: impl FnMut(T) -> Result<Int, Undefined>,
) -> Result<Int, Undefined> {
    let mut sum = 0;
    for element in elements {
        sum = super::Number::plus(sum, number(element)?)?;
    }
    Ok(sum)
}

/// The integers from the first up to, not including, the second.
pub fn range(first: Int, end: Int) -> Range<Int> {
    first..end.max(first)
}

/// The integers from the first to the second.
///
/// # Errors
///
/// When the second is the greatest number there is.
pub fn range_with(first: Int, last: Int) -> Result<Range<Int>, Undefined> {
    Ok(range(first, super::Number::plus(last, 1)?))
}

/// One of the elements for which the test holds, as `choose` says.
///
/// # Errors
///
/// When there is none, or as the test.
pub fn pick<T>(
    elements: impl IntoIterator<Item = T>,
    mut test: impl FnMut(&T) -> Result<bool, Undefined>,
    choose: impl FnOnce(usize) -> Result<usize, Error>,
) -> Result<T, Error> {
    let mut candidates = Vec::new();
    for element in elements {
        if test(&element)? {
            candidates.push(element);
        }
    }
    let nothing = || Error::assumption("there is something to choose from");
    if candidates.is_empty() {
        return Err(nothing());
    }
    let chosen = choose(candidates.len())?;
    candidates.into_iter().nth(chosen).ok_or_else(nothing)
}
