//! What a run was given, as people read it.

/// The parameters and the seed.
pub(super) fn told(given: &str, seed: u64) -> String {
    let separator = if given.is_empty() { "" } else { ", " };
    format!("{given}{separator}seed {seed}")
}
