//! Numbers for values that have no shape of their own.
//!
//! A value gets a number when it is first seen and keeps it, so two of them are equal when their
//! numbers are.

use plainsong_semantics::value::Value;
use rustc_hash::FxHashMap;

/// Values with numbers.
#[derive(Debug, Default)]
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
        let number = self.values.len() as u64;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }

    /// The value with a number.
    pub(crate) fn value(&self, number: u64) -> Value {
        match self.values.get(number as usize) {
            Some(value) => value.clone(),
            None => panic!("{number} is not the number of a value"),
        }
    }
}
