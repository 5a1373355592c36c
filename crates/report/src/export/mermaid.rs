//! A Mermaid sequence diagram, which GitHub, GitLab and many wikis draw.
//!
//! A message is one arrow, as in the terminal picture; one that is received further down (or never) has
//! an open end, and its arrival is an arrow of its own with the same number. What changes is a note over the one
//! whose it is.

use crate::picture::{Party, Row, RowKind, rows};
use plainsong_semantics::trace::Trace;

/// An execution as a Mermaid diagram.
pub fn mermaid(trace: &Trace) -> String {
    let rows = rows(trace);
    let mut text = "sequenceDiagram\n".to_owned();
    if rows.iter().flat_map(|row| row.kind.parties()).any(is_init) {
        text.push_str("    participant init\n");
    }
    for (lane, name) in trace.lanes.iter().enumerate() {
        text.push_str(&format!("    participant p{lane} as {}\n", escaped(name)));
    }
    if trace.lanes.is_empty() {
        text.push_str("    participant p0 as actions\n");
    }
    for row in &rows {
        text.push_str(&line(row));
        for (at, said) in row.remarks() {
            text.push_str(&remark(at, &said));
        }
    }
    text
}

fn is_init(party: Party) -> bool {
    party == Party::Init
}

fn line(row: &Row) -> String {
    let label = escaped(&row.label);
    match row.kind {
        RowKind::Message { from, to } => arrow(from, "->>", to, &label),
        RowKind::Sent { from, to } => arrow(from, "-)", to, &label),
        RowKind::Taken { from, to } => arrow(from, "-->>", to, &label),
        RowKind::At(_) | RowKind::Nowhere => remark(row.kind.parties().last(), &row.label),
    }
}

fn arrow(from: Party, arrow: &str, to: Party, label: &str) -> String {
    format!("    {}{arrow}{}: {label}\n", name(from), name(to))
}

fn remark(at: Option<Party>, text: &str) -> String {
    let at = at.map_or("p0".to_owned(), name);
    format!("    Note over {at}: {}\n", escaped(text))
}

fn name(party: Party) -> String {
    match party {
        Party::Init => "init".to_owned(),
        Party::Lane(lane) => format!("p{lane}"),
    }
}

/// Characters that end a statement are written by their number.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '#' => safe.push_str("#35;"),
            ';' => safe.push_str("#59;"),
            other => safe.push(other),
        }
    }
    safe
}
