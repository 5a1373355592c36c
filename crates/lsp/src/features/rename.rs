//! Another name for something.
//!
//! Why safe: a text without mistakes is compiled again with the new name, and the renaming is refused if that has
//! mistakes: the name is taken, or something goes by name (endpoints that play those of the same name).

use super::actions::edit;
use crate::document::Document;
use crate::names::edited;
use lsp_types::{PrepareRenameResponse, WorkspaceEdit};
use plainsong_diagnostics::Diagnostic;
use plainsong_syntax::SyntaxKind;
use std::collections::BTreeMap;

/// The name that would be changed.
pub fn prepare(document: &Document, offset: u32) -> Option<PrepareRenameResponse> {
    let (id, span) = document.names().at(offset)?;
    Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: document.range(span),
        placeholder: document.names().definition(id).name.clone(),
    })
}

/// The edits, or why not.
pub fn rename(document: &Document, offset: u32, new: &str) -> Result<WorkspaceEdit, String> {
    let names = document.names();
    let (id, _) = names
        .at(offset)
        .ok_or_else(|| "there is no name here that can be changed".to_owned())?;
    let mut letters = new.chars();
    let begins = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let goes_on = letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !begins || !goes_on {
        return Err(format!("`{new}` is no name: letters, digits and `_`"));
    }
    if SyntaxKind::of_word(new) != SyntaxKind::Ident {
        return Err(format!("`{new}` is a word of the language"));
    }
    let edits = names.renamed(&BTreeMap::from([(id, new.to_owned())]));
    let compiled = &document.analysis().front.compiled;
    if compiled.song.is_some() {
        let after = plainsong_syntax::compile(&edited(document.text(), &edits));
        if let Some(first) = after.diagnostics.iter().find(|one| one.is_error()) {
            return Err(refusal(new, first));
        }
    }
    Ok(edit(document, &edits))
}

fn refusal(new: &str, first: &Diagnostic) -> String {
    format!(
        "with the name `{new}` this would be a mistake: {}",
        first.message
    )
}
