//! What stands at the left of the lines: the bracket of what repeats for ever, and a mark where a line is
//! independent of the one above.
//!
//! ```text
//!       |-- Ask -->|          |
//!  ~    |-- Ask ------------->|
//!   /   |<-- Ping --|         |
//!   \   |-- Pong -->|         |
//!   repeats for ever
//! ```

use super::rows::Row;

/// Where the bracket stands, and the mark before it: in the room that every line starts with.
const BRACKET: usize = 2;
const MARK: usize = 1;

/// What the mark means.
pub(super) const INDEPENDENT: &str =
    "independent of the line above: neither is a cause of the other";

/// The same for under a picture that has one; nothing otherwise.
pub(super) fn legend(rows: &[Row]) -> String {
    match rows.iter().any(|row| row.independent) {
        true => format!(" ~  {INDEPENDENT}\n"),
        false => String::new(),
    }
}

/// The line of the row at this position, with what stands at its left.
pub(super) fn with_margin(rows: &[Row], at: usize, line: String) -> String {
    let row = &rows[at];
    if !row.repeats && !row.independent {
        return line;
    }
    let mut cells: Vec<char> = line.chars().collect();
    let mut put = |place: usize, stroke: char| {
        if cells.get(place) == Some(&' ') {
            cells[place] = stroke;
        }
    };
    if row.independent {
        put(MARK, '~');
    }
    if !row.repeats {
        return cells.into_iter().collect();
    }
    let is_first = at == 0 || !rows[at - 1].repeats;
    let is_last = rows.get(at + 1).is_none_or(|next| !next.repeats);
    put(
        BRACKET,
        match (is_first, is_last) {
            (true, true) => '[',
            (true, false) => '/',
            (false, false) => '|',
            (false, true) => '\\',
        },
    );
    let mut line: String = cells.into_iter().collect();
    if is_last {
        line.push_str("  repeats for ever\n");
    }
    line
}
