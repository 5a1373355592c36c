//! How big an instance is: sizes of sorts, values of parameters, windows of integers.

use crate::instance::{InstanceError, error};
use plainsong_ir::Sizing;
use std::collections::BTreeMap;

/// The most combinations of sizes that are tried one after the other.
const MOST_COMBINATIONS: i128 = 10_000;

/// Sizes of sorts and values of parameters, by name; what is not named has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// From a name to the size or value; for a parameter of type `bool`, 0 and 1.
    pub chosen: BTreeMap<String, i64>,
}

impl Sizes {
    /// Nothing chosen: every sort has its default size, every parameter takes every value.
    pub fn new() -> Self {
        Sizes::default()
    }

    /// With one more choice; a later choice for the same name wins.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: i64) -> Self {
        self.chosen.insert(name.into(), value);
        self
    }

    /// What was chosen for `name`.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.chosen.get(name).copied()
    }

    /// Every combination that a list of sizings allows, smallest first.
    ///
    /// `size Db = 2..=3, N = 1;` gives two. When a name is repeated the last one counts.
    pub fn combinations(sizings: &[Sizing]) -> Result<Vec<Sizes>, InstanceError> {
        let by_name: BTreeMap<&str, &Sizing> =
            sizings.iter().map(|sizing| (&*sizing.name, sizing)).collect();
        let mut all = vec![Sizes::new()];
        for Sizing { name, low, high, span } in by_name.into_values() {
            let count = i128::from(*high) - i128::from(*low) + 1;
            if count < 1 {
                let message = format!("there is no size between {low} and {high} for `{name}`");
                return Err(error(message).at(*span));
            }
            if count.saturating_mul(all.len() as i128) > MOST_COMBINATIONS {
                return Err(error("there are too many sizes to try").at(*span));
            }
            all = all
                .into_iter()
                .flat_map(|sizes| (*low..=*high).map(move |value| sizes.clone().with(name, value)))
                .collect();
        }
        Ok(all)
    }
}

/// Which of infinitely many integers are tried where a value is chosen freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// First and last `int`.
    pub int: (i64, i64),
    /// Last `nat`; the first is 0.
    pub nat: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { int: (-2, 2), nat: 3 }
    }
}
