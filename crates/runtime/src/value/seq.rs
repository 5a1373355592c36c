//! Sequences.

use super::{Bag, Int, Set, Undefined};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A finite sequence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq<T>(Arc<Vec<T>>);

impl<T: Clone> Seq<T> {
    /// Of these elements.
    pub fn of(elements: impl IntoIterator<Item = T>) -> Seq<T> {
        Seq(Arc::new(elements.into_iter().collect()))
    }

    /// Of what is made from the elements, where something is.
    ///
    /// # Errors
    ///
    /// As the making.
    pub fn made<S>(
        from: impl IntoIterator<Item = S>,
        mut make: impl FnMut(S) -> Result<Option<T>, Undefined>,
    ) -> Result<Seq<T>, Undefined> {
        let mut made = Vec::new();
        for element in from {
            made.extend(make(element)?);
        }
        Ok(Seq(Arc::new(made)))
    }

    /// The elements in order.
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
    pub fn contains(&self, element: &T) -> bool
    where
        T: PartialEq,
    {
        self.0.contains(element)
    }

    /// The element at a place, counted from 0.
    ///
    /// # Errors
    ///
    /// When there is no such place.
    pub fn at(&self, place: Int) -> Result<&T, Undefined> {
        let found = usize::try_from(place).ok().and_then(|at| self.0.get(at));
        found.ok_or_else(|| outside(place, self.len()))
    }

    /// The element at a place, to be changed.
    ///
    /// # Errors
    ///
    /// When there is no such place.
    pub fn at_mut(&mut self, place: Int) -> Result<&mut T, Undefined> {
        let length = self.len();
        let at = usize::try_from(place).ok().filter(|at| *at < self.0.len());
        let at = at.ok_or_else(|| outside(place, length))?;
        Ok(&mut Arc::make_mut(&mut self.0)[at])
    }

    /// With another element at a place.
    ///
    /// # Errors
    ///
    /// When there is no such place.
    pub fn updated(mut self, place: Int, element: T) -> Result<Seq<T>, Undefined> {
        *self.at_mut(place)? = element;
        Ok(self)
    }

    /// With one more at the end.
    #[must_use]
    pub fn pushed(mut self, element: T) -> Seq<T> {
        Arc::make_mut(&mut self.0).push(element);
        self
    }

    /// This one, then the other.
    #[must_use]
    pub fn joined(mut self, other: &Seq<T>) -> Seq<T> {
        Arc::make_mut(&mut self.0).extend(other.iter().cloned());
        self
    }

    /// The first element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn first(&self) -> Result<T, Undefined> {
        self.0.first().cloned().ok_or_else(|| empty("first"))
    }

    /// The last element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn last(&self) -> Result<T, Undefined> {
        self.0.last().cloned().ok_or_else(|| empty("last"))
    }

    /// Without its first.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn drop_first(mut self) -> Result<Seq<T>, Undefined> {
        match self.is_empty() {
            true => Err(empty("drop_first")),
            false => {
                Arc::make_mut(&mut self.0).remove(0);
                Ok(self)
            }
        }
    }

    /// Without its last.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn drop_last(mut self) -> Result<Seq<T>, Undefined> {
        match Arc::make_mut(&mut self.0).pop() {
            None => Err(empty("drop_last")),
            Some(_) => Ok(self),
        }
    }

    /// The least element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn least(&self) -> Result<T, Undefined>
    where
        T: Ord,
    {
        self.0.iter().min().cloned().ok_or_else(|| empty("min"))
    }

    /// The greatest element.
    ///
    /// # Errors
    ///
    /// When it is empty.
    pub fn greatest(&self) -> Result<T, Undefined>
    where
        T: Ord,
    {
        self.0.iter().max().cloned().ok_or_else(|| empty("max"))
    }

    /// Its elements, each once.
    pub fn to_set(&self) -> Set<T>
    where
        T: Ord,
    {
        Set::of(self.0.iter().cloned())
    }

    /// Its elements, in no order.
    pub fn to_bag(&self) -> Bag<T>
    where
        T: Ord,
    {
        Bag::of(self.0.iter().cloned())
    }
}

impl<T: Clone> IntoIterator for Seq<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

fn outside(place: Int, length: Int) -> Undefined {
    Undefined::new(format!(
        "there is no element {place} in a sequence of {length}"
    ))
}

fn empty(what: &str) -> Undefined {
    Undefined::new(format!("{what} of an empty sequence"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_elements() {
        let old = Seq::of([1, 2, 3]);
        let new = old.clone().updated(1, 5).expect("there is a place 1");
        assert_eq!((old, new), (Seq::of([1, 2, 3]), Seq::of([1, 5, 3])));
    }

    #[test]
    fn ends_of_an_empty_one_are_errors() {
        let empty: Seq<i64> = Seq::of([]);
        assert!(empty.first().is_err() && empty.greatest().is_err());
        assert!(empty.clone().drop_first().is_err() && empty.drop_last().is_err());
    }
}
