//! What changed, without what did not, at any depth: `log[3].term = 2`, `votes += {Id#1}`.
//!
//! A trace has values as text, so they are taken apart as text (`parts`). Two values of the same kind are compared
//! part by part; what differs in kind is told as it is. Every picture, list and page that tells of changes asks here.

mod parts;

use crate::trace::Change;
use parts::{Parts, parts};
use std::cmp::Ordering;

/// A place in a variable, and how its value differs from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartChange {
    /// `at[1].term`.
    pub place: String,
    pub how: How,
}

/// How two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// One value, and the other one.
    Values(String, String),
    /// An entry of a map that was not there.
    Added(String),
    /// An entry of a map that is no longer there.
    Removed(String),
    /// A collection has these elements, as a value of its kind, beside those of before.
    Gained(String),
    /// A collection has these elements no longer.
    Lost(String, From),
}

/// Where elements are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A set or a bag has no order.
    Anywhere,
    /// The first of a sequence.
    Front,
    /// The last of a sequence.
    Back,
}

/// `at[1] = Inside`, or `turn = 1`.
pub fn told(change: &Change) -> Vec<String> {
    let all = differences(&change.variable, &change.before, &change.after);
    all.iter().map(PartChange::now).collect()
}

/// Where two values of a variable differ.
pub fn differences(variable: &str, before: &str, after: &str) -> Vec<PartChange> {
    let mut found = Vec::new();
    compare(variable.to_owned(), before, after, &mut found);
    found
}

impl PartChange {
    /// Is it the variable as a whole that has another value?
    pub fn is_whole(&self, variable: &str) -> bool {
        self.place == variable && matches!(self.how, How::Values(..))
    }

    /// What is the case now: `turn = 1`.
    pub fn now(&self) -> String {
        let place = &self.place;
        match &self.how {
            How::Values(_, after) | How::Added(after) => format!("{place} = {after}"),
            How::Removed(_) => format!("{place} removed"),
            How::Gained(elements) => format!("{place} += {elements}"),
            How::Lost(elements, From::Front) => format!("{place} -= {elements} (first)"),
            How::Lost(elements, From::Back) => format!("{place} -= {elements} (last)"),
            How::Lost(elements, From::Anywhere) => format!("{place} -= {elements}"),
        }
    }

    /// What is the case, and what was: `turn = 1   (was 0)`.
    pub fn now_and_before(&self) -> String {
        let now = self.now();
        match &self.how {
            How::Values(before, _) | How::Removed(before) => format!("{now}   (was {before})"),
            How::Added(_) => format!("{now}   (was not there)"),
            How::Gained(_) | How::Lost(..) => now,
        }
    }

    /// The one on the left and the other on the right: `turn = 1   right: 0`. The left one counts as before.
    pub fn side_by_side(&self) -> String {
        let place = &self.place;
        match &self.how {
            How::Values(left, right) => format!("{place} = {left}   right: {right}"),
            How::Removed(left) => format!("{place} = {left}   right: -"),
            How::Added(right) => format!("{place} = -   right: {right}"),
            How::Lost(elements, _) => format!("{place}: only left {elements}"),
            How::Gained(elements) => format!("{place}: only right {elements}"),
        }
    }
}

fn compare(place: String, before: &str, after: &str, found: &mut Vec<PartChange>) {
    if before == after {
        return;
    }
    let whole = |place: String| PartChange {
        place,
        how: How::Values(before.to_owned(), after.to_owned()),
    };
    match (parts(before), parts(after)) {
        (Parts::Map(old), Parts::Map(new)) if share(&old, &new, |entry| entry.0) => {
            entries(&place, &old, &new, found);
        }
        (Parts::Record(old), Parts::Record(new)) if is_worth_it(&old, &new) => {
            for (old, new) in old.iter().zip(&new) {
                compare(format!("{place}.{}", old.0), old.1, new.1, found);
            }
        }
        (Parts::Variant(old, before), Parts::Variant(new, after))
            if old == new && is_about_parts(&before, &after) =>
        {
            for (at, (one, other)) in before.iter().zip(&after).enumerate() {
                let place = match old {
                    "some" => format!("{place}.unwrap()"),
                    name => format!("{place}.{name}.{at}"),
                };
                compare(place, one, other, found);
            }
        }
        (Parts::Seq(old), Parts::Seq(new)) => {
            if !sequence(&place, &old, &new, found) {
                found.push(whole(place));
            }
        }
        (Parts::Set(old), Parts::Set(new)) if share(&old, &new, |element| element) => {
            elements(place, ("{", "}"), &old, &new, found);
        }
        (Parts::Bag(old), Parts::Bag(new)) if share(&old, &new, |element| element) => {
            elements(place, ("bag {", "}"), &old, &new, found);
        }
        _ => found.push(whole(place)),
    }
}

/// Have two collections something in common? Otherwise one replaces the other.
fn share<'t, T>(old: &[T], new: &[T], key: impl Fn(&T) -> &'t str) -> bool {
    let keys: Vec<&str> = new.iter().map(&key).collect();
    old.iter().any(|one| keys.contains(&key(one)))
}

/// Two structs or tuples: is something the same, or has what differs parts of its own?
fn is_worth_it(old: &[(&str, &str)], new: &[(&str, &str)]) -> bool {
    let is_alike = old.len() == new.len() && old.iter().zip(new).all(|(a, b)| a.0 == b.0);
    let plain = |(a, b): (&(&str, &str), &(&str, &str))| a.1 != b.1 && !has_parts(b.1);
    is_alike && (old.len() == 1 || !old.iter().zip(new).all(plain))
}

/// Two variants: do they differ inside of parts that have parts of their own? A short one is told whole.
fn is_about_parts(before: &[&str], after: &[&str]) -> bool {
    let differing = before.iter().zip(after).filter(|(a, b)| a != b);
    before.len() == after.len() && differing.clone().all(|(a, b)| has_parts(a) && has_parts(b))
}

fn has_parts(value: &str) -> bool {
    match parts(value) {
        Parts::Word => false,
        Parts::Variant(_, inside) => inside.iter().any(|part| has_parts(part)),
        _ => true,
    }
}

/// Entries of maps: gone, new, or with another value.
fn entries(place: &str, old: &[(&str, &str)], new: &[(&str, &str)], found: &mut Vec<PartChange>) {
    for (key, value) in old {
        let place = format!("{place}[{key}]");
        match new.iter().find(|entry| entry.0 == *key) {
            Some((_, after)) => compare(place, value, after, found),
            None => found.push(PartChange {
                place,
                how: How::Removed((*value).to_owned()),
            }),
        }
    }
    for (key, value) in new {
        if !old.iter().any(|entry| entry.0 == *key) {
            found.push(PartChange {
                place: format!("{place}[{key}]"),
                how: How::Added((*value).to_owned()),
            });
        }
    }
}

/// Elements of sets or bags: gone, new.
fn elements(
    place: String,
    (open, close): (&str, &str),
    old: &[&str],
    new: &[&str],
    found: &mut Vec<PartChange>,
) {
    let value = |all: &[&str]| format!("{open}{}{close}", all.join(", "));
    let (lost, gained) = (without(old, new), without(new, old));
    if !lost.is_empty() {
        found.push(PartChange {
            place: place.clone(),
            how: How::Lost(value(&lost), From::Anywhere),
        });
    }
    if !gained.is_empty() {
        found.push(PartChange {
            place,
            how: How::Gained(value(&gained)),
        });
    }
}

/// What of `all` is left when each of `others` is taken away once.
fn without<'t>(all: &[&'t str], others: &[&str]) -> Vec<&'t str> {
    let mut others = others.to_vec();
    let mut left = Vec::new();
    for one in all {
        match others.iter().position(|other| other == one) {
            Some(at) => drop(others.swap_remove(at)),
            None => left.push(*one),
        }
    }
    left
}

/// Sequences: one that grew, one that lost elements at an end, or one in which some elements stayed or are others inside.
/// Says whether it is one of these.
fn sequence(place: &str, old: &[&str], new: &[&str], found: &mut Vec<PartChange>) -> bool {
    let value = |all: &[&str]| format!("[{}]", all.join(", "));
    let how = if old.is_empty() || new.is_empty() {
        return false;
    } else if let Some(more) = new.strip_prefix(old) {
        How::Gained(value(more))
    } else if let Some(last) = old.strip_prefix(new) {
        How::Lost(value(last), From::Back)
    } else if let Some(first) = old.strip_suffix(new) {
        How::Lost(value(first), From::Front)
    } else {
        let mut pairs = old.iter().zip(new);
        if !pairs.clone().any(|(a, b)| a == b) && !pairs.any(|(a, b)| has_parts(a) && has_parts(b))
        {
            return false;
        }
        for (at, (before, after)) in old.iter().zip(new).enumerate() {
            compare(format!("{place}[{at}]"), before, after, found);
        }
        match old.len().cmp(&new.len()) {
            Ordering::Less => How::Gained(value(&new[old.len()..])),
            Ordering::Equal => return true,
            Ordering::Greater => How::Lost(value(&old[new.len()..]), From::Back),
        }
    };
    found.push(PartChange {
        place: place.to_owned(),
        how,
    });
    true
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

    fn with_before(before: &str, after: &str) -> Vec<String> {
        let all = differences("at", before, after);
        all.iter().map(PartChange::now_and_before).collect()
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
            between(nested, "map {0 => map {a => 1, b => 3}, 1 => {5, 6}}"),
            ["at[0][b] = 3", "at[1] = {5, 6}"]
        );
        assert_eq!(
            with_before("map {0 => 1, 1 => 2}", "map {1 => 2, 2 => 5}"),
            ["at[0] removed   (was 1)", "at[2] = 5   (was not there)"]
        );
    }

    #[test]
    fn of_structs_and_tuples_the_fields_that_are_different_at_any_depth() {
        let before = "[Entry { term: 1, of: (0, Id#1) }, Entry { term: 1, of: (0, Id#2) }]";
        let after = "[Entry { term: 1, of: (0, Id#1) }, Entry { term: 2, of: (0, Id#1) }]";
        assert_eq!(
            with_before(before, after),
            ["at[1].term = 2   (was 1)", "at[1].of.1 = Id#1   (was Id#2)"]
        );
        // All of it is different, and short.
        assert_eq!(
            between("Tag { n: 0, w: 0 }", "Tag { n: 1, w: 1 }"),
            ["at = Tag { n: 1, w: 1 }"]
        );
        assert_eq!(
            between("Box { all: {1} }", "Box { all: {1, 2} }"),
            ["at.all += {2}"]
        );
    }

    #[test]
    fn of_options_and_variants_what_is_inside_if_that_is_long() {
        assert_eq!(between("none", "some(2)"), ["at = some(2)"]);
        assert_eq!(
            with_before("some(1)", "some(2)"),
            ["at = some(2)   (was some(1))"]
        );
        assert_eq!(
            between("some(Tag { n: 0, w: 1 })", "some(Tag { n: 2, w: 1 })"),
            ["at.unwrap().n = 2"]
        );
        assert_eq!(
            between(
                "Busy(1, map {0 => 1, 1 => 1})",
                "Busy(1, map {0 => 1, 1 => 2})"
            ),
            ["at.Busy.1[1] = 2"]
        );
        assert_eq!(between("Busy({1})", "Idle({1})"), ["at = Idle({1})"]);
    }

    #[test]
    fn of_collections_what_they_gained_and_lost() {
        assert_eq!(
            between("{1, 2, 3}", "{2, 3, 4}"),
            ["at -= {1}", "at += {4}"]
        );
        assert_eq!(between("bag {1, 1}", "bag {1}"), ["at -= bag {1}"]);
        assert_eq!(between("{1}", "{2}"), ["at = {2}"]);
        assert_eq!(between("{}", "{2}"), ["at = {2}"]);
        assert_eq!(between("[1, 2]", "[1, 2, 3]"), ["at += [3]"]);
        assert_eq!(between("[1, 2, 3]", "[1]"), ["at -= [2, 3] (last)"]);
        assert_eq!(between("[1, 2, 3]", "[2, 3]"), ["at -= [1] (first)"]);
        assert_eq!(between("[1, 2, 3]", "[1, 5, 3]"), ["at[1] = 5"]);
        assert_eq!(between("[1, 2, 3]", "[4, 3]"), ["at = [4, 3]"]);
        assert_eq!(
            between("[1, 2, 3]", "[1, 5, 3, 4]"),
            ["at[1] = 5", "at += [4]"]
        );
        assert_eq!(
            between("[(1, 2), (1, 3)]", "[(1, 4)]"),
            ["at[0].1 = 4", "at -= [(1, 3)] (last)"]
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
        assert_eq!(between("db[0]", "db[1]"), ["at = db[1]"]);
    }

    #[test]
    fn two_executions_side_by_side() {
        let both = |left, right| -> Vec<String> {
            let all = differences("at", left, right);
            all.iter().map(PartChange::side_by_side).collect()
        };
        assert_eq!(
            both("Tag { n: 0, w: 1 }", "Tag { n: 3, w: 1 }"),
            ["at.n = 0   right: 3"]
        );
        assert_eq!(
            both("{1, 2}", "{2, 3}"),
            ["at: only left {1}", "at: only right {3}"]
        );
    }
}
