//! Sizes that a run is given: a sort has members, and neither more members nor more roles than a run can list.

use super::Int;
use crate::error::Error;
use std::ops::Range;

/// The most members of a sort, and the most roles of a run: as many as a song can have.
const MOST: usize = 1_000_000;

/// The members of a sort, by its name.
///
/// # Errors
///
/// When there are none, or too many.
///
/// ```
/// use plainsong_runtime::value::members;
///
/// assert_eq!(members("Server", 0..3).unwrap(), 0..3);
/// assert!(members("Server", 0..0).is_err());
/// assert!(members("Server", 0..1_000_000_000).is_err());
/// ```
pub fn members(sort: &str, range: Range<Int>) -> Result<Range<Int>, Error> {
    let length = i128::from(range.end) - i128::from(range.start);
    match usize::try_from(length) {
        Ok(1..=MOST) => Ok(range),
        Ok(many @ 1..) => Err(Error::misuse(format!(
            "`{sort}` has {many} members: too many, at most {MOST} are possible"
        ))),
        _ => Err(Error::misuse(format!(
            "`{sort}` has no members: a sort needs at least one"
        ))),
    }
}

/// Can there be so many roles?
///
/// # Errors
///
/// When they are too many.
pub fn roles(count: usize) -> Result<(), Error> {
    match count {
        0..=MOST => Ok(()),
        many => Err(Error::misuse(format!(
            "there are {many} roles: too many, at most {MOST} are possible; choose smaller sizes"
        ))),
    }
}
