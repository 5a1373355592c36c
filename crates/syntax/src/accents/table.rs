//! The rows of `table.txt`: what is written elsewhere, and how the same is said here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Where a phrase stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It means nothing anywhere.
    Anywhere,
    /// Where a statement or an item begins.
    Start,
    /// Where an item begins, outside of all braces.
    Item,
    /// Where a statement begins, inside of braces.
    Body,
    /// After a value.
    Operator,
    /// Where no value ends before it.
    Operand,
}

/// Where an error has to be, so that the phrase is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// At the phrase, or at the word after it.
    Near,
    /// It begins where the phrase begins.
    First,
    /// It begins at the last word of the phrase.
    Last,
    /// Anywhere from the phrase to the end of the line.
    Line,
}

/// A phrase of another language.
#[derive(Debug)]
pub(super) struct Row {
    /// How it is written there.
    pub(super) written: &'static str,
    pub(super) place: Place,
    /// Does it come with a block that is foreign, too?
    pub(super) has_block: bool,
    pub(super) blame: Blame,
    pub(super) message: String,
    pub(super) help: &'static str,
    /// What to put in its place, where that is all there is to do.
    pub(super) instead: Option<&'static str>,
}

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("table.txt")));

/// What stands for nothing in the third column.
const NOTHING: &str = ".";
/// What stands for "this is written that" in the fourth.
const WRITTEN: &str = "=";

fn rows(table: &'static str) -> Vec<Row> {
    let lines = || table.lines().filter(|line| !line.is_empty());
    let texts: BTreeMap<&str, &str> = lines()
        .filter_map(|line| line.strip_prefix('@')?.split_once("  "))
        .collect();
    lines()
        .filter(|line| !line.starts_with(['@', '#']))
        .filter_map(|line| row(line, &texts))
        .collect()
}

fn row(line: &'static str, texts: &BTreeMap<&str, &'static str>) -> Option<Row> {
    let mut columns = line
        .split("  ")
        .map(str::trim)
        .filter(|one| !one.is_empty());
    let mut next = || columns.next();
    let (place, written, instead, message, help) = (next()?, next()?, next()?, next()?, next()?);
    let mut place = place.split('+');
    let (place, flags): (_, Vec<&str>) = (place.next()?, place.collect());
    let instead = (instead != NOTHING).then_some(instead);
    let message = match (message, instead) {
        (WRITTEN, Some(instead)) => format!("`{written}` is written `{instead}`"),
        _ => message.to_owned(),
    };
    Some(Row {
        written,
        place: match place {
            "anywhere" => Place::Anywhere,
            "start" => Place::Start,
            "item" => Place::Item,
            "body" => Place::Body,
            "operator" => Place::Operator,
            "operand" => Place::Operand,
            _ => return None,
        },
        has_block: flags.contains(&"block"),
        blame: match flags.iter().find(|flag| **flag != "block") {
            None => Blame::Near,
            Some(&"first") => Blame::First,
            Some(&"last") => Blame::Last,
            Some(&"line") => Blame::Line,
            Some(_) => return None,
        },
        message,
        help: match help.strip_prefix('@') {
            Some(name) => texts.get(name).copied()?,
            None => help,
        },
        instead,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_row() {
        let table = include_str!("table.txt");
        let lines = table
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with(['@', '#']));
        assert_eq!(lines.count(), ROWS.len());
        for row in ROWS.iter() {
            assert!(!row.message.is_empty() && row.message != WRITTEN, "{row:?}");
            assert!(
                !row.message.ends_with('.') && !row.help.is_empty(),
                "{row:?}"
            );
        }
    }

    #[test]
    fn no_phrase_stands_twice_in_one_place() {
        for (at, row) in ROWS.iter().enumerate() {
            let again = ROWS[at + 1..]
                .iter()
                .find(|other| other.written == row.written && other.place == row.place);
            assert!(again.is_none(), "{again:?}");
        }
    }
}
