//! The bracket at the left of what repeats for ever.
//!
//! ```text
//!   /   |-- Ping -->|
//!   |   |<-- Pong --|
//!   \\   |-- Ping -->|
//!   repeats for ever
//! ```

use super::rows::Row;

/// Where the bracket stands: in the room that every line starts with.
const AT: usize = 2;

/// The line of the row at this position, with its part of the bracket if it has one.
pub(super) fn bracketed(rows: &[Row], at: usize, line: String) -> String {
    if !rows[at].repeats {
        return line;
    }
    let is_first = at == 0 || !rows[at - 1].repeats;
    let is_last = rows.get(at + 1).is_none_or(|next| !next.repeats);
    let stroke = match (is_first, is_last) {
        (true, true) => '[',
        (true, false) => '/',
        (false, false) => '|',
        (false, true) => '\\',
    };
    let mut cells: Vec<char> = line.chars().collect();
    if cells.get(AT) == Some(&' ') {
        cells[AT] = stroke;
    }
    let mut line: String = cells.into_iter().collect();
    if is_last {
        line.push_str("  repeats for ever\n");
    }
    line
}
