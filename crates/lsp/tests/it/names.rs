//! Renaming everything by the index of names leaves every song of the corpus what it was.

use crate::corpus::songs;
use plainsong_lsp::names::{DefinitionId, Kind, Names, edited};
use std::collections::BTreeMap;

/// What a song means, names and places left out.
fn without_names(song: &plainsong_ir::Song) -> String {
    let shown = format!("{song:?}");
    let mut result = String::new();
    let mut rest = shown.as_str();
    while let Some(at) = rest.find(['"', 'S']) {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(text) = rest.strip_prefix('"') {
            rest = text.split_once('"').map_or("", |(_, after)| after);
        } else if let Some(span) = rest.strip_prefix("Span {") {
            rest = span.split_once('}').map_or("", |(_, after)| after);
        } else {
            result.push('S');
            rest = &rest[1..];
        }
    }
    result + rest
}

#[test]
fn every_song_means_the_same_with_other_names() {
    let mut renamed = 0;
    let mut wrong = Vec::new();
    for (path, text) in songs() {
        let analysed = plainsong_syntax::analyse(&text);
        let Some(song) = &analysed.compiled.song else {
            continue;
        };
        let names = Names::new(&analysed.parse.syntax(), &analysed.types);
        let fresh = |at: usize, name: &str| match name.chars().next() {
            Some(first) if first.is_uppercase() => format!("Fresh{at}"),
            _ => format!("fresh_{at}"),
        };
        // Endpoints play those of the same name, and their variables go by name, too: those keep a common one.
        let by_name = |id: DefinitionId| {
            let row = names.definition(id);
            let owner = row.owner.map(|owner| names.definition(owner).kind);
            let common = row.kind == Kind::Endpoint || owner == Some(Kind::Endpoint);
            let mut rows = names
                .all()
                .filter(|(_, other)| common && other.kind == row.kind && other.name == row.name);
            fresh(rows.next().map_or(id.0, |(first, _)| first.0), &row.name)
        };
        let rows = names.all();
        let all: BTreeMap<_, _> = rows.map(|(id, _)| (id, by_name(id))).collect();
        let new = edited(&text, &names.renamed(&all));
        let compiled = plainsong_syntax::compile(&new);
        match &compiled.song {
            None => {
                let first = compiled.diagnostics.iter().find(|one| one.is_error());
                let first = first.expect("no song, so there is an error");
                let start = first.primary.span.start as usize;
                let line = new[..start].matches('\n').count();
                let line = new.lines().nth(line).unwrap_or("");
                let name = path.file_name().unwrap_or_default().display();
                wrong.push(format!("{name}: {}: {line}", first.message));
            }
            Some(other) if without_names(other) != without_names(song) => {
                wrong.push(format!("{}: means something else", path.display()));
            }
            Some(_) => renamed += 1,
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        renamed + wrong.len(),
        wrong.join("\n")
    );
    assert!(renamed > 700, "only {renamed} songs were renamed");
}
