//! Numbers for values that have no shape of their own.
//!
//! A value gets a number when it is first seen and keeps it, so two of them are equal when their
//! numbers are. Zero is the number of no value: it stands where there is none, as in an empty option.

use plainsong_semantics::value::Value;
use rustc_hash::FxHashMap;

/// Values with numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    values: Vec<Value>,
    numbers: FxHashMap<Value, u64>,
}

impl Interner {
    /// The number of a value.
    pub(crate) fn number(&mut self, value: &Value) -> u64 {
        if let Some(known) = self.numbers.get(value) {
            return *known;
        }
        self.values.push(value.clone());
        let number = self.values.len() as u64;
        self.numbers.insert(value.clone(), number);
        number
    }

    /// The value with a number; none for zero.
    pub(crate) fn value(&self, number: u64) -> Option<Value> {
        let at = number.checked_sub(1)?;
        match self.values.get(at as usize) {
            Some(value) => Some(value.clone()),
            None => panic!("{number} is not the number of a value"),
        }
    }
}
