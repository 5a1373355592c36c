//! The mistakes that names, types and lowering report, each with its explanation.
//!
//! Codes are grouped by what they are about; [`all`] lists every one.

pub(crate) mod declarations;
pub(crate) mod layers;
pub(crate) mod matching;
pub(crate) mod names;
pub(crate) mod parts;
pub(crate) mod places;
pub(crate) mod suspicions;
pub(crate) mod types;

use plainsong_diagnostics::Code;

/// Every code declared in this folder.
pub(crate) fn all() -> impl Iterator<Item = &'static Code> {
    [
        names::ALL,
        types::ALL,
        matching::ALL,
        places::ALL,
        declarations::ALL,
        layers::ALL,
        parts::ALL,
        suspicions::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}
