//! What the own code of a role returns when it cannot go on.
//!
//! It is made from any error by `?`, or from a text. The role ends with it, and its peers are told.

use crate::error::{Error, Fault};
use crate::value::Undefined;
use std::fmt;

/// Why own code gave no value.
///
/// ```
/// use plainsong_runtime::Failure;
///
/// fn price(text: &str) -> Result<i64, Failure> {
///     let price: i64 = text.trim().parse()?;
///     match price {
///         0 => Err(Failure::new("nothing is free")),
///         _ => Ok(price),
///     }
/// }
///
/// assert_eq!(price("7"), Ok(7));
/// assert_eq!(price("0").unwrap_err().to_string(), "nothing is free");
/// assert_eq!(price("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    why: String,
}

impl Failure {
    /// Says why.
    pub fn new(why: impl Into<String>) -> Failure {
        Failure { why: why.into() }
    }
}

/// The error with what caused it. (A failure is no `std::error::Error` itself: then this could not be.)
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        let mut why = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            why.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        Failure::new(why)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl From<Failure> for Undefined {
    fn from(failure: Failure) -> Undefined {
        Undefined::new(failure.why)
    }
}

impl From<Undefined> for Failure {
    fn from(undefined: Undefined) -> Failure {
        Failure::new(undefined.message)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::from(Fault::Undefined { why: failure.why })
    }
}
