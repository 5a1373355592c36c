//! Bags: ascending, with repetitions.

use super::{Int, Set, Undefined};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A finite multiset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bag<T>(Arc<Vec<T>>);

impl<T: Clone + Ord> Bag<T> {
    /// Of these elements.
    pub fn of(elements: impl IntoIterator<Item = T>) -> Bag<T> {
        let mut elements: Vec<T> = elements.into_iter().collect();
        elements.sort_unstable();
        Bag(Arc::new(elements))
    }

    /// The elements, ascending.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// How many, each as often as it is there.
    pub fn len(&self) -> Int {
        self.0.len() as Int
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Is it one of them?
    pub fn contains(&self, element: &T) -> bool {
        self.0.binary_search(element).is_ok()
    }

    /// How often it is there.
    pub fn count(&self, element: &T) -> Int {
        self.0.iter().filter(|other| *other == element).count() as Int
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, element: T) -> Bag<T> {
        let (Ok(place) | Err(place)) = self.0.binary_search(&element);
        Arc::make_mut(&mut self.0).insert(place, element);
        self
    }

    /// With one less, if it is there.
    #[must_use]
    pub fn without(mut self, element: &T) -> Bag<T> {
        if let Ok(place) = self.0.binary_search(element) {
            Arc::make_mut(&mut self.0).remove(place);
        }
        self
    }

    /// Both together.
    #[must_use]
    pub fn union(&self, other: &Bag<T>) -> Bag<T> {
        Bag::of(self.0.iter().chain(other.0.iter()).cloned())
    }

    /// Without what is in the other, as often as it is there.
    #[must_use]
    pub fn difference(&self, other: &Bag<T>) -> Bag<T> {
        other.0.iter().fold(self.clone(), Bag::without)
    }

    /// Its elements, each once.
    pub fn to_set(&self) -> Set<T> {
        Set::of(self.0.iter().cloned())
    }

    /// The least element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn least(&self) -> Result<T, Undefined> {
        let least = self.0.first().cloned();
        least.ok_or_else(|| Undefined::new("min of an empty bag"))
    }

    /// The greatest element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn greatest(&self) -> Result<T, Undefined> {
        let greatest = self.0.last().cloned();
        greatest.ok_or_else(|| Undefined::new("max of an empty bag"))
    }
}

impl<T: Clone> IntoIterator for Bag<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted() {
        let bag = Bag::of([2, 1, 2]).with(1);
        assert_eq!((bag.len(), bag.count(&2), bag.count(&5)), (4, 2, 0));
        assert_eq!(bag.difference(&Bag::of([1, 2, 2, 2])), Bag::of([1]));
        assert_eq!(bag.to_set(), Set::of([1, 2]));
    }
}
