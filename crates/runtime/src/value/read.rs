//! Values from text, as they are shown: for the command line of generated programs.
//!
//! `3`, `true`, `none`, `some(3)`, `(1, true)`, `[1, 2]`, `{1, 2}`, `bag {1, 1}`, `map {0 => 5, 1 => 7}`, and members of sorts
//! with or without their sort, `Server#2` or `2`. Types of the song are not read.

use super::{Bag, Int, Map, Seq, Set};

/// A value that is shown as text and can be read again.
pub trait Read: Sized {
    /// Reads one value at the beginning; returns what follows it as well.
    fn read(text: &str) -> Option<(Self, &str)>;
}

/// The value that the text is, all of it.
///
/// ```
/// use plainsong_runtime::value::{Map, Seq, read};
///
/// assert_eq!(read("[1, 2]"), Some(Seq::of([1, 2])));
/// assert_eq!(read("map {0 => true, 1 => false}"), Some(Map::pairs([(0, true), (1, false)])));
/// assert_eq!(read::<bool>("maybe"), None);
/// ```
pub fn read<T: Read>(text: &str) -> Option<T> {
    let (value, rest) = T::read(text)?;
    rest.trim_start().is_empty().then_some(value)
}

/// Passes over a word or a sign.
fn skip<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    text.trim_start().strip_prefix(what)
}

/// Elements between two signs, separated by commas.
fn between<'a, T>(
    text: &'a str,
    (open, close): (&str, &str),
    one: impl Fn(&'a str) -> Option<(T, &'a str)>,
) -> Option<(Vec<T>, &'a str)> {
    let mut rest = skip(text, open)?;
    let mut elements = Vec::new();
    loop {
        if let Some(rest) = skip(rest, close) {
            return Some((elements, rest));
        }
        if !elements.is_empty() {
            rest = skip(rest, ",")?;
        }
        let (element, after) = one(rest)?;
        elements.push(element);
        rest = after;
    }
}

impl Read for Int {
    fn read(text: &str) -> Option<(Int, &str)> {
        let text = text.trim_start();
        // A member of a sort is shown as `Server#2`.
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let text = match text.split_once('#') {
            Some((sort, number)) if is_name(sort) => number,
            _ => text,
        };
        let is_number = |(at, c): (usize, char)| c.is_ascii_digit() || (at == 0 && c == '-');
        let end = text.char_indices().find(|&one| !is_number(one));
        let (number, rest) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        Some((number.parse().ok()?, rest))
    }
}

impl Read for bool {
    fn read(text: &str) -> Option<(bool, &str)> {
        let yes = skip(text, "true").map(|rest| (true, rest));
        yes.or_else(|| skip(text, "false").map(|rest| (false, rest)))
    }
}

impl<T: Read> Read for Option<T> {
    fn read(text: &str) -> Option<(Option<T>, &str)> {
        if let Some(rest) = skip(text, "none") {
            return Some((None, rest));
        }
        let (value, rest) = T::read(skip(skip(text, "some")?, "(")?)?;
        Some((Some(value), skip(rest, ")")?))
    }
}

impl<A: Read, B: Read> Read for (A, B) {
    fn read(text: &str) -> Option<((A, B), &str)> {
        let (a, rest) = A::read(skip(text, "(")?)?;
        let (b, rest) = B::read(skip(rest, ",")?)?;
        Some(((a, b), skip(rest, ")")?))
    }
}

impl<T: Read + Clone> Read for Seq<T> {
    fn read(text: &str) -> Option<(Seq<T>, &str)> {
        let (elements, rest) = between(text, ("[", "]"), T::read)?;
        Some((Seq::of(elements), rest))
    }
}

impl<T: Read + Clone + Ord> Read for Set<T> {
    fn read(text: &str) -> Option<(Set<T>, &str)> {
        let (elements, rest) = between(text, ("{", "}"), T::read)?;
        Some((Set::of(elements), rest))
    }
}

impl<T: Read + Clone + Ord> Read for Bag<T> {
    fn read(text: &str) -> Option<(Bag<T>, &str)> {
        let (elements, rest) = between(skip(text, "bag")?, ("{", "}"), T::read)?;
        Some((Bag::of(elements), rest))
    }
}

impl<K: Read + Clone + Ord, V: Read + Clone> Read for Map<K, V> {
    fn read(text: &str) -> Option<(Map<K, V>, &str)> {
        let pair = |text| {
            let (key, rest) = K::read(text)?;
            let (value, rest) = V::read(skip(rest, "=>")?)?;
            Some(((key, value), rest))
        };
        let (pairs, rest) = between(skip(text, "map")?, ("{", "}"), pair)?;
        let map = Map::pairs(pairs);
        // One value for each key.
        let mut neighbours = map.iter().zip(map.iter().skip(1));
        neighbours
            .all(|(one, next)| one.0 < next.0)
            .then_some((map, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_shown() {
        assert_eq!(read(" -3 "), Some(-3));
        assert_eq!(read::<Seq<bool>>("[]"), Some(Seq::of([])));
        let of_sort = Map::pairs([(0, 7), (1, 8)]);
        assert_eq!(read("map {Server#0 => 7, Server#1 => 8}"), Some(of_sort));
        assert_eq!(read("{3, 1,1}"), Some(Set::of([1, 3])));
        assert_eq!(read("bag {1, 1}"), Some(Bag::of([1, 1])));
        assert_eq!(
            read("[some((1, true)), none]"),
            Some(Seq::of([Some((1, true)), None]))
        );
        let nested = Map::pairs([(0, Seq::of([1])), (1, Seq::of([]))]);
        assert_eq!(read("map {0 => [1], 1 => []}"), Some(nested));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for wrong in [
            "", "[", "[1", "[1 2]", "[,]", "[1,]]", "{1}", "[1] 2", "[-]",
        ] {
            assert_eq!(read::<Seq<Int>>(wrong), None, "{wrong}");
        }
        for wrong in [
            "map {0 => 1, 0 => 2}",
            "map {0 1}",
            "map {0 => 1",
            "{0 => 1}",
        ] {
            assert_eq!(read::<Map<Int, Int>>(wrong), None, "{wrong}");
        }
        assert_eq!(read::<Int>("9223372036854775808"), None);
    }
}
