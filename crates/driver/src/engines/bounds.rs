//! The bound of an answer that several instances gave together.

use super::verdict_accumulator::total;
use plainsong_semantics::sizes::Sizes;
use std::collections::{BTreeMap, BTreeSet};

/// A bound as a verdict carries it.
pub(super) type Bound = BTreeMap<String, String>;

/// For each name the values that occurred: `3`, `2..=4` when they are consecutive. Other collections of
/// values come from a parameter that nobody chose, which takes every value it may: `any`.
pub(super) fn together(bounds: &[&Bound]) -> Bound {
    let mut values: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for bound in bounds {
        for (name, value) in *bound {
            let seen = values.entry(name).or_default();
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
    }
    values
        .into_iter()
        .map(|(name, values)| match name.as_str() {
            "constraint" => (name.clone(), united(&values)),
            _ => (name.clone(), joined(&values)),
        })
        .collect()
}

/// Every constraint that cut states off in some instance.
fn united(values: &[&String]) -> String {
    let names: BTreeSet<&str> = values.iter().flat_map(|value| value.split(',')).collect();
    names.into_iter().collect::<Vec<_>>().join(",")
}

/// The bound of an answer about some of the combinations of sizes. Where not all combinations of the
/// ranges are there, `total` says how many members there are at most.
pub(super) fn among(bounds: &[&Bound], sizes: &[Sizes]) -> Bound {
    let mut bound = together(bounds);
    let names: BTreeSet<&String> = sizes.iter().flat_map(|one| one.chosen.keys()).collect();
    let of = |name: &&String| -> BTreeSet<i64> {
        let sizes = sizes.iter().filter_map(|one| one.chosen.get(*name));
        sizes.copied().collect()
    };
    let all: usize = names.iter().map(|name| of(name).len()).product();
    if let Some(most) = sizes.iter().map(total).max()
        && all > sizes.len()
    {
        bound.insert("total".to_owned(), format!("..={most}"));
    }
    bound
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
    fn combinations_that_are_missing_are_not_claimed() {
        let of = |db: i64, node: i64| Sizes::new().with("Db", db).with("Node", node);
        let bounds = [bound("1"), bound("2")];
        let bounds: Vec<&Bound> = bounds.iter().collect();
        let some = among(&bounds, &[of(1, 1), of(1, 2), of(2, 1)]);
        assert_eq!(some["total"], "..=3");
        let all = among(&bounds, &[of(1, 1), of(1, 2), of(2, 1), of(2, 2)]);
        assert!(!all.contains_key("total"));
    }

    #[test]
    fn consecutive_numbers_become_a_range() {
        let all = together(&[&bound("2"), &bound("3"), &bound("4")]);
        assert_eq!(all["Db"], "2..=4");
        assert_eq!(all["int"], "-2..=2");
        assert_eq!(together(&[&bound("4"), &bound("2")])["Db"], "any");
        assert_eq!(together(&[&bound("Node#0"), &bound("Node#1")])["Db"], "any");
    }
}
