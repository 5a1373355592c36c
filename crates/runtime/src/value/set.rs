//! Sets: ascending, no repetitions.

use super::{Int, Undefined};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A finite set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Set<T>(Arc<Vec<T>>);

impl<T: Clone + Ord> Set<T> {
    /// Of these elements.
    pub fn of(elements: impl IntoIterator<Item = T>) -> Set<T> {
        let mut elements: Vec<T> = elements.into_iter().collect();
        elements.sort_unstable();
        elements.dedup();
        Set(Arc::new(elements))
    }

    /// Of what is made from the elements, where something is.
    ///
    /// # Errors
    ///
    /// As the making.
    pub fn made<S>(
        from: impl IntoIterator<Item = S>,
        mut make: impl FnMut(S) -> Result<Option<T>, Undefined>,
    ) -> Result<Set<T>, Undefined> {
        let mut made = Vec::new();
        for element in from {
            made.extend(make(element)?);
        }
        Ok(Set::of(made))
    }

    /// The elements, ascending.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// How many.
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

    /// With one more.
    #[must_use]
    pub fn with(mut self, element: T) -> Set<T> {
        if let Err(place) = self.0.binary_search(&element) {
            Arc::make_mut(&mut self.0).insert(place, element);
        }
        self
    }

    /// Without one of them, if it is there.
    #[must_use]
    pub fn without(mut self, element: &T) -> Set<T> {
        if let Ok(place) = self.0.binary_search(element) {
            Arc::make_mut(&mut self.0).remove(place);
        }
        self
    }

    /// Are all its elements in the other?
    pub fn subset(&self, other: &Set<T>) -> bool {
        self.0.iter().all(|element| other.contains(element))
    }

    /// What is in one of them.
    #[must_use]
    pub fn union(&self, other: &Set<T>) -> Set<T> {
        Set::of(self.0.iter().chain(other.0.iter()).cloned())
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Set<T>) -> Set<T> {
        let both = self.0.iter().filter(|element| other.contains(element));
        Set(Arc::new(both.cloned().collect()))
    }

    /// What is not in the other.
    #[must_use]
    pub fn difference(&self, other: &Set<T>) -> Set<T> {
        let rest = self.0.iter().filter(|element| !other.contains(element));
        Set(Arc::new(rest.cloned().collect()))
    }

    /// The least element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn least(&self) -> Result<T, Undefined> {
        let least = self.0.first().cloned();
        least.ok_or_else(|| Undefined::new("min of an empty set"))
    }

    /// The greatest element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn greatest(&self) -> Result<T, Undefined> {
        let greatest = self.0.last().cloned();
        greatest.ok_or_else(|| Undefined::new("max of an empty set"))
    }
}

impl<T: Clone> IntoIterator for Set<T> {
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
    fn elements_are_there_once() {
        let set = Set::of([3, 1, 3]).with(2).with(1);
        assert_eq!(set, Set::of([1, 2, 3]));
        assert_eq!(set.clone().without(&2).without(&7), Set::of([1, 3]));
        assert_eq!(set.difference(&Set::of([1])), Set::of([2, 3]));
        assert_eq!(set.intersection(&Set::of([1, 9])), Set::of([1]));
        assert!(Set::of([1]).subset(&set) && !set.subset(&Set::of([1])));
    }
}
