//! A PlantUML sequence diagram.

use crate::picture::{Party, Row, RowKind, rows};
use plainsong_semantics::trace::Trace;

/// An execution as a PlantUML diagram.
pub fn plantuml(trace: &Trace) -> String {
    let rows = rows(trace);
    let mut text = "@startuml\nhide footbox\n".to_owned();
    let mut parties = rows.iter().flat_map(|row| row.kind.parties());
    if parties.any(|party| party == Party::Init) {
        text.push_str("participant init\n");
    }
    for (lane, name) in trace.lanes.iter().enumerate() {
        text.push_str(&format!("participant \"{name}\" as p{lane}\n"));
    }
    if trace.lanes.is_empty() {
        text.push_str("participant actions as p0\n");
    }
    for row in &rows {
        text.push_str(&line(row));
        // One note for each party, the sender's first.
        for said in row.remarks().chunk_by(|one, other| one.0 == other.0) {
            let lines: Vec<String> = said.iter().map(|(_, text)| escaped(text)).collect();
            text.push_str(&remark(said[0].0, &lines.join("\\n")));
        }
    }
    text.push_str("@enduml\n");
    text
}

fn line(row: &Row) -> String {
    let label = escaped(&row.label);
    match row.kind {
        RowKind::Message { from, to } => arrow(from, "->", to, &label),
        RowKind::Sent { from, to } => arrow(from, "->o", to, &label),
        RowKind::Taken { from, to } => arrow(from, "-->", to, &label),
        RowKind::At(_) | RowKind::Nowhere => remark(row.kind.parties().last(), &label),
    }
}

fn arrow(from: Party, arrow: &str, to: Party, label: &str) -> String {
    format!("{} {arrow} {} : {label}\n", name(from), name(to))
}

fn remark(at: Option<Party>, text: &str) -> String {
    let at = at.map_or("p0".to_owned(), name);
    format!("note over {at} : {text}\n")
}

fn name(party: Party) -> String {
    match party {
        Party::Init => "init".to_owned(),
        Party::Lane(lane) => format!("p{lane}"),
    }
}

/// A backslash begins an escape of PlantUML's.
fn escaped(text: &str) -> String {
    text.replace('\\', "~\\")
}
