//! SvgCanvas lanes and arrows.
//!
//! ```text
//!       coordinator        db[0]           db[1]
//!            |-- Prepare ---->|               |
//!            |-- Prepare -------------------->|
//!            |<-- Vote(true) -|               |
//! ```
//!
//! The label stands next to the sender. Dots instead of dashes: in flight, see the line with the
//! same number, or never received when there is none.

use super::WIDTH;
use super::columns::Columns;
use super::margin::with_margin;
use super::rows::{Party, Row, RowKind};

/// The whole picture.
pub(super) fn draw(columns: &Columns, rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut picture = heading(columns);
    for (at, row) in rows.iter().enumerate() {
        let mut line = Line::new(columns);
        line.row(row);
        picture.push_str(&with_margin(rows, at, line.finish(row)));
    }
    picture
}

fn heading(columns: &Columns) -> String {
    let mut line = String::new();
    for (name, &at) in columns.names.iter().zip(&columns.at) {
        let start = at.saturating_sub(name.chars().count() / 2);
        let missing = start.saturating_sub(line.chars().count());
        line.extend(std::iter::repeat_n(' ', missing));
        line.push_str(name);
    }
    line.push('\n');
    line
}

struct Line<'a> {
    columns: &'a Columns,
    cells: Vec<char>,
}

impl<'a> Line<'a> {
    fn new(columns: &'a Columns) -> Self {
        let width = columns.at.last().map_or(0, |&at| at + 1);
        let mut line = Line {
            columns,
            cells: vec![' '; width],
        };
        for &at in &columns.at {
            line.cells[at] = '|';
        }
        line
    }

    fn row(&mut self, row: &Row) {
        let label = clip(&row.label, self.columns.longest_label);
        match row.kind {
            RowKind::Message { from, to } => self.arrow(from, to, &label, Stroke::WHOLE),
            RowKind::Sent { from, to } => self.arrow(from, to, &label, Stroke::LEAVING),
            RowKind::Taken { from, to } => self.arrow(from, to, &label, Stroke::ARRIVING),
            RowKind::At(party) => self.beside(party, &format!("* {label}")),
            RowKind::Nowhere => self.write(0, &label),
        }
    }

    fn arrow(&mut self, from: Party, to: Party, label: &str, stroke: Stroke) {
        let (Some(from), Some(to)) = (self.columns.place(from), self.columns.place(to)) else {
            return;
        };
        let (from, to) = (self.columns.at[from], self.columns.at[to]);
        if from == to {
            self.write(
                from,
                &format!("{} {label} {}", stroke.own_start(), stroke.own_end()),
            );
            return;
        }
        let (left, right) = (from.min(to), from.max(to));
        self.cells[left + 1..right].fill(stroke.middle);
        let towards_right = from < to;
        let near = if towards_right { left + 1 } else { right - 2 };
        self.cells[near..near + 2].fill(stroke.near);
        let text = format!(" {label} ");
        let start = if towards_right {
            left + 3
        } else {
            (right - 2).saturating_sub(text.chars().count())
        };
        self.write(start, &text);
        let head = if towards_right { right - 1 } else { left + 1 };
        self.cells[head] = match (stroke.head, towards_right) {
            (false, _) => stroke.middle,
            (true, true) => '>',
            (true, false) => '<',
        };
    }

    fn beside(&mut self, party: Party, text: &str) {
        let at = self
            .columns
            .place(party)
            .map_or(0, |place| self.columns.at[place]);
        self.write(at, text);
    }

    fn write(&mut self, start: usize, text: &str) {
        for (offset, character) in text.chars().enumerate() {
            let at = start + offset;
            if at >= self.cells.len() {
                self.cells.resize(at + 1, ' ');
            }
            self.cells[at] = character;
        }
    }

    /// With what stands at the right; on a line of its own when there is no room.
    fn finish(self, row: &Row) -> String {
        let mut remarks = row.notes.clone();
        remarks.extend(row.here.as_ref().map(|how| format!("<- here: {how}")));
        let mut line: String = self.cells.into_iter().collect();
        let remark = remarks.join(", ");
        if !remark.is_empty() {
            if line.chars().count() + 3 + remark.chars().count() > WIDTH + 20 {
                line.push_str("\n        ");
            } else {
                line.push_str("   ");
            }
            line.push_str(&remark);
        }
        let mut line = line.trim_end().to_owned();
        line.push('\n');
        line
    }
}

/// How an arrow is drawn.
#[derive(Clone, Copy)]
struct Stroke {
    near: char,
    middle: char,
    head: bool,
}

impl Stroke {
    const WHOLE: Stroke = Stroke {
        near: '-',
        middle: '-',
        head: true,
    };
    const LEAVING: Stroke = Stroke {
        near: '-',
        middle: '.',
        head: false,
    };
    const ARRIVING: Stroke = Stroke {
        near: '.',
        middle: '.',
        head: true,
    };

    /// A message to oneself, from its start …
    fn own_start(self) -> &'static str {
        if self.near == '-' { "|--" } else { "|.." }
    }

    fn own_end(self) -> &'static str {
        if self.head { "-> self" } else { ".. self" }
    }
}

fn clip(label: &str, longest: usize) -> String {
    if label.chars().count() <= longest {
        return label.to_owned();
    }
    let mut short: String = label.chars().take(longest.saturating_sub(1)).collect();
    short.push('…');
    short
}
