//! Types while a file is checked: what is declared, what is still unknown, how numbers convert.

pub(crate) mod convert;
pub(crate) mod declared;
pub(crate) mod holes;
mod in_text;
pub(crate) mod show;

pub(crate) use convert::{Number, convert, widen};
pub(crate) use declared::{DeclaredTypes, Members, Sort};
pub(crate) use holes::{Holes, UNKNOWN, is_hole, is_unknown};
pub use in_text::TypesInText;
pub(crate) use show::a;
