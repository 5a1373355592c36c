//! All values of collection types, as far as exploration tries them: ascending, like the interpreter lists them.

use super::{Bag, Map, Seq, Set, Undefined};

/// The most values of one type that are listed.
const MOST_VALUES: usize = 1_000_000;

/// The longest sequence and the largest bag that exploration tries where one is chosen freely.
const LONGEST: usize = 2;

/// Every set of some elements.
///
/// # Errors
///
/// When there are too many.
pub fn all_sets<T: Clone + Ord>(
    elements: impl IntoIterator<Item = T>,
) -> Result<Vec<Set<T>>, Undefined> {
    let mut sets = vec![Vec::new()];
    for element in elements {
        let with: Vec<Vec<T>> = sets.iter().map(|set| longer(set, &element)).collect();
        sets.extend(with);
        few(sets.len())?;
    }
    let mut sets: Vec<Set<T>> = sets.into_iter().map(Set::of).collect();
    sets.sort_unstable();
    Ok(sets)
}

/// Every map from some keys to some values.
///
/// # Errors
///
/// When there are too many.
pub fn all_maps<K: Clone + Ord, V: Clone>(
    keys: impl IntoIterator<Item = K>,
    values: impl IntoIterator<Item = V>,
) -> Result<Vec<Map<K, V>>, Undefined> {
    let mut keys: Vec<K> = keys.into_iter().collect();
    keys.sort_unstable();
    let values: Vec<V> = values.into_iter().collect();
    let mut rows = vec![Vec::new()];
    for _ in &keys {
        rows = one_more(&rows, &values)?;
    }
    let maps = rows.into_iter();
    Ok(maps
        .map(|row| Map::pairs(keys.iter().cloned().zip(row)))
        .collect())
}

/// Every sequence of some elements that exploration tries.
///
/// # Errors
///
/// When there are too many.
pub fn all_seqs<T: Clone + Ord>(
    elements: impl IntoIterator<Item = T>,
) -> Result<Vec<Seq<T>>, Undefined> {
    let mut rows = rows(elements)?;
    rows.sort_unstable();
    Ok(rows.into_iter().map(Seq::of).collect())
}

/// Every bag of some elements that exploration tries.
///
/// # Errors
///
/// When there are too many.
pub fn all_bags<T: Clone + Ord>(
    elements: impl IntoIterator<Item = T>,
) -> Result<Vec<Bag<T>>, Undefined> {
    let mut bags: Vec<Bag<T>> = rows(elements)?.into_iter().map(Bag::of).collect();
    bags.sort_unstable();
    bags.dedup();
    Ok(bags)
}

/// Every pair of one thing and another, the first changing slowest.
///
/// # Errors
///
/// When there are too many.
pub fn all_pairs<A: Clone, B: Clone>(
    firsts: impl IntoIterator<Item = A>,
    seconds: impl IntoIterator<Item = B>,
) -> Result<Vec<(A, B)>, Undefined> {
    let seconds: Vec<B> = seconds.into_iter().collect();
    let mut all = Vec::new();
    for first in firsts {
        few(all.len().saturating_add(seconds.len()))?;
        let pairs = seconds.iter().map(|second| (first.clone(), second.clone()));
        all.extend(pairs);
    }
    Ok(all)
}

/// Every row of the elements up to the longest.
fn rows<T: Clone>(elements: impl IntoIterator<Item = T>) -> Result<Vec<Vec<T>>, Undefined> {
    let elements: Vec<T> = elements.into_iter().collect();
    let mut longest = vec![Vec::new()];
    let mut all = longest.clone();
    for _ in 0..LONGEST {
        longest = one_more(&longest, &elements)?;
        all.extend(longest.iter().cloned());
    }
    Ok(all)
}

/// Each row with each of the values at its end.
fn one_more<T: Clone>(rows: &[Vec<T>], values: &[T]) -> Result<Vec<Vec<T>>, Undefined> {
    few(rows.len().saturating_mul(values.len()))?;
    let each =
        |row: &Vec<T>| -> Vec<Vec<T>> { values.iter().map(|value| longer(row, value)).collect() };
    Ok(rows.iter().flat_map(each).collect())
}

fn longer<T: Clone>(row: &[T], value: &T) -> Vec<T> {
    let mut longer = row.to_vec();
    longer.push(value.clone());
    longer
}

fn few(count: usize) -> Result<(), Undefined> {
    match count > MOST_VALUES {
        true => Err(Undefined::new("this type has too many values to list")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_ascending() {
        let sets = all_sets([1, 2]).expect("they are few");
        let shown: Vec<Vec<i64>> = sets
            .iter()
            .map(|set| set.iter().copied().collect())
            .collect();
        assert_eq!(shown, [vec![], vec![1], vec![1, 2], vec![2]]);
        let maps = all_maps([true, false], [0, 1, 2]).expect("they are few");
        assert_eq!(maps.len(), 9);
        assert!(maps.is_sorted());
        assert_eq!(all_seqs([1, 2]).map(|all| all.len()), Ok(7));
        let pairs = all_pairs([1, 2], ['a', 'b']);
        assert_eq!(pairs, Ok(vec![(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')]));
        assert_eq!(all_bags([1, 2]).map(|all| all.len()), Ok(6));
    }

    #[test]
    fn too_many_are_refused() {
        assert!(all_sets(0..60).is_err());
        assert!(all_maps(0..60, [false, true]).is_err());
    }
}
