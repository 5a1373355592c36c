//! Windows: of infinitely many integers, sequences and bags those that an instance tries where any may be chosen.
//!
//! An instance has finitely many starts only because it looks through windows. What is shown of it says nothing about
//! what lies outside, so whoever writes a certificate of an instance names the windows that matter, and whoever checks it
//! looks through the same ones and says so.

use plainsong_ir::Ty;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::Bounds;
use serde::{Deserialize, Serialize};

/// The windows that matter to an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// First and last `int`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub int: Option<(i64, i64)>,
    /// Last `nat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nat: Option<i64>,
    /// The longest sequence and the largest bag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// Are constants of the text tried too, where any `int` or `nat` may be chosen?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constants: bool,
}

impl Windows {
    /// Those through which an instance looks.
    pub fn of(instance: &Instance) -> Windows {
        let (bound, all) = (instance.bound(), instance.bounds());
        let matters = |name: &str| bound.contains_key(name);
        Windows {
            int: matters("int").then_some(all.int),
            nat: matters("nat").then_some(all.nat),
            length: matters("length").then_some(all.length),
            constants: (matters("int") && !instance.constants_beyond(&Ty::Int).is_empty())
                || (matters("nat") && !instance.constants_beyond(&Ty::Nat).is_empty()),
        }
    }

    /// For an instance that looks through them.
    pub fn bounds(&self) -> Bounds {
        let usual = Bounds::default();
        Bounds {
            int: self.int.unwrap_or(usual.int),
            nat: self.nat.unwrap_or(usual.nat),
            length: self.length.unwrap_or(usual.length),
            constants: self.constants,
            external: usual.external,
        }
    }

    /// Is there a window through which nothing is seen?
    pub(crate) fn is_closed(&self) -> bool {
        self.int.is_some_and(|(first, last)| last < first) || self.nat.is_some_and(|last| last < 0)
    }

    /// Does none matter?
    pub fn is_empty(&self) -> bool {
        *self == Windows::default()
    }
}
