//! The bound of an answer that several instances gave together.

use std::collections::BTreeMap;

/// A bound as a verdict carries it.
pub(super) type Bound = BTreeMap<String, String>;

/// For each name the values that occurred: `3`, `2..=4` when they are consecutive. Other collections of
/// values come from a parameter that nobody chose, which takes every value it may: `any`.
pub(super) fn together(bounds: &[Bound]) -> Bound {
    let mut values: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for bound in bounds {
        for (name, value) in bound {
            let seen = values.entry(name).or_default();
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
    }
    values
        .into_iter()
        .map(|(name, values)| (name.clone(), joined(&values)))
        .collect()
}

fn joined(values: &[&String]) -> String {
    if let [one] = values {
        return (*one).clone();
    }
    let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    if let Some(mut numbers) = numbers {
        numbers.sort_unstable();
        if numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
            return format!("{}..={}", numbers[0], numbers[numbers.len() - 1]);
        }
    }
    "any".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(value: &str) -> Bound {
        Bound::from([
            ("Db".to_owned(), value.to_owned()),
            ("int".to_owned(), "-2..=2".to_owned()),
        ])
    }

    #[test]
    fn consecutive_numbers_become_a_range() {
        let all = together(&[bound("2"), bound("3"), bound("4")]);
        assert_eq!(all["Db"], "2..=4");
        assert_eq!(all["int"], "-2..=2");
        assert_eq!(together(&[bound("4"), bound("2")])["Db"], "any");
        assert_eq!(together(&[bound("Node#0"), bound("Node#1")])["Db"], "any");
    }
}
