//! Other names for definitions, as edits.

use super::{DefinitionId, Names};
use plainsong_diagnostics::Span;
use std::collections::BTreeMap;

impl Names {
    /// The edits that give definitions these names, ascending. Where a variable stands for a field of its name,
    /// `x` becomes `field: variable`.
    pub fn renamed(&self, renames: &BTreeMap<DefinitionId, String>) -> Vec<(Span, String)> {
        // What is written at each place: the field that is named there, and anything else.
        let mut places: BTreeMap<Span, Place> = BTreeMap::new();
        for (id, row) in self.all() {
            places.entry(row.span).or_default().other = Some(id);
        }
        for one in &self.uses {
            let place = places.entry(one.span).or_default();
            let is_field = self.definition(one.of).kind == super::Kind::Field;
            match one.shorthand && is_field {
                true => place.field = Some(one.of),
                false => place.other = Some(one.of),
            }
        }
        let name_of = |id: DefinitionId| match renames.get(&id) {
            Some(name) => name.clone(),
            None => self.definition(id).name.clone(),
        };
        let mut edits = Vec::new();
        for (span, place) in places {
            let both = [place.field, place.other];
            if !both.iter().flatten().any(|id| renames.contains_key(id)) {
                continue;
            }
            let text = match (place.field.map(name_of), place.other.map(name_of)) {
                (Some(field), Some(other)) if field != other => format!("{field}: {other}"),
                (Some(name), _) | (None, Some(name)) => name,
                (None, None) => continue,
            };
            edits.push((span, text));
        }
        edits
    }
}

#[derive(Default)]
struct Place {
    field: Option<DefinitionId>,
    other: Option<DefinitionId>,
}

/// The text with the edits carried out.
pub fn edited(text: &str, edits: &[(Span, String)]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        let (start, end) = (span.start as usize, span.end as usize);
        if start < at {
            continue;
        }
        result.push_str(&text[at..start]);
        result.push_str(new);
        at = end;
    }
    result.push_str(&text[at..]);
    result
}
