//! The picture as a numbered list: for forms without messages and for more lanes than fit.

use super::INDENT;
use super::margin::with_margin;
use super::rows::{Party, Row, RowKind};
use plainsong_semantics::trace::Trace;

/// One line per row: number, who, what, and what it led to.
pub(super) fn draw(trace: &Trace, rows: &[Row]) -> String {
    let who: Vec<String> = rows.iter().map(|row| parties(trace, row.kind)).collect();
    let width =
        |texts: &mut dyn Iterator<Item = usize>, most: usize| texts.max().unwrap_or(0).min(most);
    let who_width = width(&mut who.iter().map(|text| text.chars().count()), 40);
    let label_width = width(&mut rows.iter().map(|row| row.label.chars().count()), 48);
    let number_width = rows.len().to_string().len();
    let mut list = String::new();
    for (number, (row, who)) in rows.iter().zip(&who).enumerate() {
        let number = number + 1;
        let who = if who_width == 0 {
            String::new()
        } else {
            format!("{who:who_width$}  ")
        };
        let line = format!(
            "{:INDENT$}{number:>number_width$}  {who}{:label_width$}   {}",
            "",
            row.label,
            remarks(row),
        );
        list.push_str(&with_margin(
            rows,
            number - 1,
            format!("{}\n", line.trim_end()),
        ));
    }
    list
}

fn parties(trace: &Trace, kind: RowKind) -> String {
    let name = |party: Party| match party {
        Party::Init => "init",
        Party::Lane(lane) => trace.lanes.get(lane).map_or("", String::as_str),
    };
    match kind {
        RowKind::Message { from, to } => format!("{} -> {}", name(from), name(to)),
        RowKind::Sent { from, to } => format!("{} .. {}", name(from), name(to)),
        RowKind::Taken { from, to } => format!("{} .> {}", name(from), name(to)),
        RowKind::At(Party::Init) | RowKind::Nowhere => String::new(),
        RowKind::At(party) => name(party).to_owned(),
    }
}

fn remarks(row: &Row) -> String {
    let mut parts = row.notes.clone();
    parts.extend(row.changes.iter().cloned());
    let mut text = parts.join(", ");
    if let Some(how) = &row.here {
        if !text.is_empty() {
            text.push_str("   ");
        }
        text.push_str(&format!("<- here: {how}"));
    }
    text
}
