//! Values of songs in generated programs.

/// A number of the language; arithmetic is checked.
pub type Int = i64;

/// An expression without a value: a division by zero, an overflow, an index outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// What was asked for.
    pub message: String,
}
