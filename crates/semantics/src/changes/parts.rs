//! A value that is written as text, taken apart by one level.
//!
//! What is not understood is a word, which has no parts: so nothing is lost, and nothing is made up.

/// The parts of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parts<'t> {
    /// `3`, `true`, `Id#1`, `db[0]`, or anything not understood.
    Word,
    /// `map {0 => 1}`: keys and values.
    Map(Vec<(&'t str, &'t str)>),
    /// `Entry { term: 1 }`, or `(1, 2)` with numbers as names.
    Record(Vec<(&'t str, &'t str)>),
    /// `some(1)`, `Colour::Mixed(1, 2)`.
    Variant(&'t str, Vec<&'t str>),
    /// `[1, 2]`.
    Seq(Vec<&'t str>),
    /// `{1, 2}`.
    Set(Vec<&'t str>),
    /// `bag {1, 1}`.
    Bag(Vec<&'t str>),
}

/// The names of the parts of tuples.
const PLACES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];

/// The parts of a value that is written like this.
pub(super) fn parts(value: &str) -> Parts<'_> {
    read(value).unwrap_or(Parts::Word)
}

fn read(value: &str) -> Option<Parts<'_>> {
    if let Some(inside) = between(value, "map {", "}") {
        return pairs(inside, " => ").map(Parts::Map);
    }
    if let Some(inside) = between(value, "bag {", "}") {
        return Some(Parts::Bag(items(inside)));
    }
    if let Some(inside) = between(value, "{", "}") {
        return Some(Parts::Set(items(inside)));
    }
    if let Some(inside) = between(value, "[", "]") {
        return Some(Parts::Seq(items(inside)));
    }
    if let Some(inside) = between(value, "(", ")") {
        let items = items(inside);
        let is_named = items.len() <= PLACES.len();
        return is_named.then(|| Parts::Record(PLACES.into_iter().zip(items).collect()));
    }
    let belongs = |character: char| character.is_alphanumeric() || "_:".contains(character);
    let end = value.find(|character| !belongs(character))?;
    let (name, rest) = value.split_at(end);
    if let Some(inside) = between(rest, " { ", " }") {
        return pairs(inside, ": ").map(Parts::Record);
    }
    let inside = between(rest, "(", ")").filter(|_| !name.is_empty())?;
    Some(Parts::Variant(name, items(inside)))
}

/// What stands between two brackets that belong together.
fn between<'t>(value: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let inside = value.strip_prefix(open)?.strip_suffix(close)?;
    let mut depth = 0i32;
    for character in inside.chars() {
        depth += step(character);
        if depth < 0 {
            return None;
        }
    }
    (depth == 0).then_some(inside)
}

/// By how much a character goes deeper into brackets.
fn step(character: char) -> i32 {
    match character {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    }
}

fn items(inside: &str) -> Vec<&str> {
    match inside {
        "" => Vec::new(),
        _ => split(inside, ", "),
    }
}

fn pairs<'t>(inside: &'t str, between: &str) -> Option<Vec<(&'t str, &'t str)>> {
    let pair = |item: &'t str| match split(item, between)[..] {
        [name, value] => Some((name, value)),
        _ => None,
    };
    items(inside).into_iter().map(pair).collect()
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
        depth += step(next);
        at += next.len_utf8();
    }
    parts.push(&text[first..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_understood() {
        assert_eq!(
            parts("map {(1, 2) => {}, 2 => [1, 2]}"),
            Parts::Map(vec![("(1, 2)", "{}"), ("2", "[1, 2]")])
        );
        assert_eq!(
            parts("Point { x: 1, of: db[0] }"),
            Parts::Record(vec![("x", "1"), ("of", "db[0]")])
        );
        assert_eq!(
            parts("(1, {2, 3})"),
            Parts::Record(vec![("0", "1"), ("1", "{2, 3}")])
        );
        assert_eq!(
            parts("Colour::Mixed(1, some(2))"),
            Parts::Variant("Colour::Mixed", vec!["1", "some(2)"])
        );
        assert_eq!(parts("bag {1, 1}"), Parts::Bag(vec!["1", "1"]));
        assert_eq!(parts("{}"), Parts::Set(vec![]));
        assert_eq!(parts("[[1], []]"), Parts::Seq(vec!["[1]", "[]"]));
    }

    #[test]
    fn anything_else_is_a_word() {
        for word in [
            "3", "-3", "true", "none", "db[0]", "Id#1", "", "some(1", "[1](2]", "{1} {2}",
        ] {
            assert_eq!(parts(word), Parts::Word, "{word}");
        }
    }
}
