//! How big an instance is: sizes of sorts, values of parameters, windows of integers.

use crate::outcomes::Outcomes;
use plainsong_ir::Sizing;
use std::collections::BTreeMap;

/// Sizes of sorts and values of parameters, by name; what is not named has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// From a name to the size or value; for a parameter of type `bool`, 0 and 1.
    pub chosen: BTreeMap<String, i64>,
    /// From the name of a parameter to its value as [`read`](crate::read) reads it: for those that are no numbers.
    pub written: BTreeMap<String, String>,
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

    /// With the value of one more parameter, as text.
    #[must_use]
    pub fn with_written(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.written.insert(name.into(), text.into());
        self
    }

    /// Was a value chosen for `name`, as a number or as text?
    pub fn has(&self, name: &str) -> bool {
        self.chosen.contains_key(name) || self.written.contains_key(name)
    }

    /// What was chosen for `name`.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.chosen.get(name).copied()
    }

    /// Every combination that a list of sizings allows, smallest first.
    ///
    /// `size Db = 2..=3, N = 1;` gives two. When a name is repeated the last one counts. All of them
    /// are listed, so whoever lets users write ranges limits them first.
    pub fn combinations(sizings: &[Sizing]) -> Vec<Sizes> {
        let by_name: BTreeMap<&str, &Sizing> = sizings
            .iter()
            .map(|sizing| (&*sizing.name, sizing))
            .collect();
        by_name.into_values().fold(
            vec![Sizes::new()],
            |all,
             Sizing {
                 name, low, high, ..
             }| {
                all.into_iter()
                    .flat_map(|sizes| {
                        (*low..=*high).map(move |value| sizes.clone().with(name, value))
                    })
                    .collect()
            },
        )
    }
}

/// Which of infinitely many integers, sequences and bags are tried where a value is chosen freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// First and last `int`.
    pub int: (i64, i64),
    /// Last `nat`; the first is 0.
    pub nat: i64,
    /// The longest sequence and the largest bag.
    pub length: usize,
    /// Are constants that the text compares something with, and their neighbours, tried too? Not where somebody said
    /// which integers are.
    pub constants: bool,
    /// What a call of an external function returns.
    pub external: External,
    /// States with more messages or asyncs in flight are not searched further ([`constraints`](crate::constraints)).
    pub pending: Option<u64>,
}

/// What a call of an external function returns in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum External {
    /// Nothing: the run is not followed any further, and the verdict is unknown.
    #[default]
    Refused,
    /// The first value within the bounds that its contract allows. Runs show what one implementation does,
    /// which is enough to refute and not enough for more.
    Least,
    /// The last such value.
    Greatest,
    /// One of the values that its contract allows, drawn by this seed, the function and its arguments: the same
    /// call has the same value everywhere in a run. Numbers are looked for beyond the bounds where none within
    /// them is allowed.
    Drawn(u64),
    /// What is decided for this call; one about which nothing is decided is asked for, and the run stops there.
    Listed(Outcomes),
}

impl External {
    /// What verdicts and saved executions call it.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            External::Refused | External::Listed(_) => None,
            External::Least => Some("least"),
            External::Greatest => Some("greatest"),
            External::Drawn(_) => Some("drawn"),
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            int: (-2, 2),
            nat: 3,
            length: 2,
            constants: true,
            external: External::Refused,
            pending: None,
        }
    }
}
