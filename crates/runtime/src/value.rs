//! Values of songs in generated programs: checked numbers, and collections with the meaning of the
//! language.
//!
//! A collection is a sorted or plain vector behind an [`Arc`](std::sync::Arc): copying one is cheap, so a value that
//! is sent and kept is shared, and changing one copies it only while somebody else has it, too.

mod all;
mod bag;
mod map;
mod number;
mod quantify;
mod read;
mod seq;
mod set;
mod sizes;

pub use all::{all_bags, all_maps, all_pairs, all_seqs, all_sets};
pub use bag::Bag;
pub use map::Map;
pub use number::{Int, Number};
pub use quantify::{count, exists, forall, pick, range, range_with, sum};
pub use read::{Read, read};
pub use seq::Seq;
pub use set::Set;
pub use sizes::{members, roles};

/// An expression without a value: a division by zero, an overflow, an index outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// What was asked for.
    pub message: String,
}

impl Undefined {
    /// Says what was asked for.
    pub fn new(message: impl Into<String>) -> Undefined {
        Undefined {
            message: message.into(),
        }
    }
}

/// The value inside an option.
///
/// # Errors
///
/// When there is none.
pub fn unwrap<T>(option: Option<T>) -> Result<T, Undefined> {
    option.ok_or_else(|| Undefined::new("unwrap of none"))
}

/// A claim of the program about itself.
///
/// # Errors
///
/// When it does not hold.
pub fn claim(holds: bool, what: &str) -> Result<(), Undefined> {
    match holds {
        true => Ok(()),
        false => Err(Undefined::new(format!("this claim does not hold: {what}"))),
    }
}

/// Shows what may be missing: `none`, `some(3)`.
pub fn show_option<T>(option: &Option<T>, each: impl Fn(&T) -> String) -> String {
    match option {
        None => "none".to_owned(),
        Some(value) => format!("some({})", each(value)),
    }
}

/// Shows elements between brackets, separated by commas.
pub fn show<'a, T: 'a>(
    (open, close): (&str, &str),
    elements: impl IntoIterator<Item = &'a T>,
    each: impl Fn(&T) -> String,
) -> String {
    let shown: Vec<String> = elements.into_iter().map(each).collect();
    format!("{open}{}{close}", shown.join(", "))
}
