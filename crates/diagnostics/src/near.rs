//! "Did you mean …": names near the one that was written.

/// Longer names are not worth comparing: nobody mistypes one letter of that.
const LONGEST: usize = 256;

/// The names closest to `wanted`, nearest first, at most three, none that is too far to be a slip.
pub fn near_names<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let length = wanted.chars().count();
    if length > LONGEST {
        return Vec::new();
    }
    let limit = (length / 3).max(1);
    let mut scored: Vec<(usize, &str)> = known
        .into_iter()
        // Never nearer than the difference in length, which is quick to know.
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (distance(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, _)| distance <= limit)
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The single closest name, if any is close.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near_names(wanted, known).into_iter().next()
}

/// Edit distance with transpositions of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let width = b.len() + 1;
    let mut table = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substitution = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (table[(i - 1) * width + j] + 1)
                    .min(table[i * width + j - 1] + 1)
                    .min(table[(i - 1) * width + j - 1] + substitution);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[(i - 2) * width + j - 2] + 1);
                }
                best
            }
        }
    }
    table[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_strangers_are_not() {
        assert_eq!(
            nearest("coordinatro", ["coordinator", "db"]),
            Some("coordinator")
        );
        assert_eq!(nearest("vote", ["Vote", "Decide"]), Some("Vote"));
        assert_eq!(nearest("x", ["commit"]), None);
        assert_eq!(near_names("ab", ["ac", "bb", "zz"]), vec!["ac", "bb"]);
    }
}
