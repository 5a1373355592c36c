//! Total maps: every key of a finite type has a value.

use super::Undefined;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A total map, ascending by key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Map<K, V>(Arc<Vec<(K, V)>>);

impl<K: Clone + Ord, V: Clone> Map<K, V> {
    /// Takes each key to what is made from it.
    ///
    /// # Errors
    ///
    /// As the making.
    pub fn of(
        keys: impl IntoIterator<Item = K>,
        mut make: impl FnMut(K) -> Result<V, Undefined>,
    ) -> Result<Map<K, V>, Undefined> {
        let mut pairs = Vec::new();
        for key in keys {
            let value = make(key.clone())?;
            pairs.push((key, value));
        }
        Ok(Map::pairs(pairs))
    }

    /// Of these keys and values.
    pub fn pairs(pairs: impl IntoIterator<Item = (K, V)>) -> Map<K, V> {
        let mut pairs: Vec<(K, V)> = pairs.into_iter().collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        Map(Arc::new(pairs))
    }

    /// The same for these keys and no others. Keys without a value get those of the others, in turn, each
    /// changed by `fit`: a parameter that was written down for one size serves for every size.
    ///
    /// # Errors
    ///
    /// When there is no value to be taken, and as `fit`.
    pub fn fitted(
        &self,
        keys: impl IntoIterator<Item = K>,
        mut fit: impl FnMut(&V) -> Result<V, Undefined>,
    ) -> Result<Map<K, V>, Undefined> {
        let mut others = self.0.iter().cycle();
        Map::of(keys, |key| match (self.at(&key), others.next()) {
            (Ok(value), _) | (Err(_), Some((_, value))) => fit(value),
            (Err(undefined), None) => Err(undefined),
        })
    }

    /// Keys and values, ascending by key.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// The value of a key.
    ///
    /// # Errors
    ///
    /// When it is no key of the map.
    pub fn at(&self, key: &K) -> Result<&V, Undefined> {
        let place = self.0.binary_search_by(|(other, _)| other.cmp(key));
        place.map(|place| &self.0[place].1).map_err(|_| no_key())
    }

    /// The value of a key, to be changed.
    ///
    /// # Errors
    ///
    /// When it is no key of the map.
    pub fn at_mut(&mut self, key: &K) -> Result<&mut V, Undefined> {
        let place = self.0.binary_search_by(|(other, _)| other.cmp(key));
        let place = place.map_err(|_| no_key())?;
        Ok(&mut Arc::make_mut(&mut self.0)[place].1)
    }

    /// With another value for a key.
    ///
    /// # Errors
    ///
    /// When it is no key of the map.
    pub fn updated(mut self, key: &K, value: V) -> Result<Map<K, V>, Undefined> {
        *self.at_mut(key)? = value;
        Ok(self)
    }
}

fn no_key() -> Undefined {
    Undefined::new("this is no key of the map")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_values() {
        let old = Map::of([2, 1], |key| Ok(key * 10)).expect("nothing fails");
        let new = old.clone().updated(&1, 7).expect("1 is a key");
        assert_eq!(
            (old.at(&1), new.at(&1), new.at(&2)),
            (Ok(&10), Ok(&7), Ok(&20))
        );
        assert!(old.at(&3).is_err());
    }

    #[test]
    fn a_map_is_fitted_to_more_and_to_fewer_keys() {
        let map = Map::pairs([(0, 10), (1, 20)]);
        let fitted = |keys| map.fitted(keys, |value| Ok(*value));
        let shown = |map: Map<i32, i32>| map.iter().map(|pair| pair.1).collect::<Vec<_>>();
        assert_eq!(fitted(0..5).map(shown), Ok(vec![10, 20, 10, 20, 10]));
        assert_eq!(fitted(0..1), Ok(Map::pairs([(0, 10)])));
        assert_eq!(fitted(0..2).as_ref(), Ok(&map));
        let empty: Map<i32, i32> = Map::pairs([]);
        assert!(empty.fitted(0..1, |value| Ok(*value)).is_err());
    }
}
