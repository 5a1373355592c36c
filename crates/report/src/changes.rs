//! What changed, without what did not: of a map only the entries that are different.
//!
//! A trace has values as text. A text that is not that of two maps with the same keys is told as it is.

use plainsong_semantics::trace::Change;

/// `at[1] = Inside`, or `turn = 1`.
pub(crate) fn told(change: &Change) -> Vec<String> {
    entries_that_differ(&change.variable, &change.before, &change.after)
        .into_iter()
        .map(|(name, _, after)| format!("{name} = {after}"))
        .collect()
}

/// Names, and the values before and after.
pub(crate) fn entries_that_differ<'t>(
    variable: &str,
    before: &'t str,
    after: &'t str,
) -> Vec<(String, &'t str, &'t str)> {
    let whole = || vec![(variable.to_owned(), before, after)];
    let (Some(old), Some(new)) = (entries(before), entries(after)) else {
        return whole();
    };
    let same_keys = old.len() == new.len() && old.iter().zip(&new).all(|(a, b)| a.0 == b.0);
    let pairs = old.iter().zip(&new).filter(|(a, b)| a.1 != b.1);
    let differing: Vec<_> = pairs
        .map(|((key, old), (_, new))| (format!("{variable}[{key}]"), *old, *new))
        .collect();
    match same_keys && !differing.is_empty() {
        true => differing,
        false => whole(),
    }
}

/// The keys and values of a map; none for anything else.
fn entries(value: &str) -> Option<Vec<(&str, &str)>> {
    let inside = value.strip_prefix("map {")?.strip_suffix('}')?;
    split(inside, ", ")
        .into_iter()
        .map(|entry| match split(entry, " => ")[..] {
            [key, value] => Some((key, value)),
            _ => None,
        })
        .collect()
}

/// The parts between separators that stand in no brackets.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut depth, mut first) = (Vec::new(), 0i32, 0);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if depth == 0 && rest.starts_with(separator) {
            parts.push(&text[first..at]);
            at += separator.len();
            first = at;
            continue;
        }
        let next = rest.chars().next().expect("there is a rest");
        match next {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        at += next.len_utf8();
    }
    parts.push(&text[first..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(before: &str, after: &str) -> Vec<String> {
        told(&Change {
            variable: "at".to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        })
    }

    #[test]
    fn of_a_map_what_is_different() {
        assert_eq!(
            between(
                "map {0 => Away, 1 => In(2, 3)}",
                "map {0 => Away, 1 => In(2, 4)}"
            ),
            ["at[1] = In(2, 4)"]
        );
        let nested = "map {0 => map {a => 1, b => 2}, 1 => {}}";
        assert_eq!(
            between(nested, "map {0 => map {a => 1, b => 2}, 1 => {5, 6}}"),
            ["at[1] = {5, 6}"]
        );
    }

    #[test]
    fn anything_else_as_it_is() {
        assert_eq!(between("1", "2"), ["at = 2"]);
        assert_eq!(
            between("map {0 => 1}", "map {1 => 1}"),
            ["at = map {1 => 1}"]
        );
        assert_eq!(between("", "map {0 => 1}"), ["at = map {0 => 1}"]);
    }
}
