//! Code actions: the fixes that come with diagnostics, one by one or all at once.

use super::mistakes::told;
use crate::document::Document;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, WorkspaceEdit};
use plainsong_diagnostics::Span;
use plainsong_driver::projection::corrected;

/// Those that concern a range; all when nothing is asked for in particular.
pub fn actions(
    document: &Document,
    range: Range,
    only: Option<&[CodeActionKind]>,
) -> Vec<CodeActionOrCommand> {
    let wanted = |kind: &CodeActionKind| {
        only.is_none_or(|only| {
            only.iter()
                .any(|one| kind.as_str().starts_with(one.as_str()))
        })
    };
    let asked = document.lines().span(document.text(), range);
    let touches = |span: Span| span.start <= asked.end && asked.start <= span.end;
    let mut found = Vec::new();
    let mistakes = &document.analysis().front.compiled.diagnostics;
    for one in mistakes.iter().filter(|one| touches(one.primary.span)) {
        let Some(fix) = &one.fix else { continue };
        let kind = CodeActionKind::QUICKFIX;
        if wanted(&kind) {
            found.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: fix.title.clone(),
                kind: Some(kind),
                diagnostics: Some(vec![told(document, one)]),
                edit: Some(edit(document, &fix.edits)),
                is_preferred: Some(true),
                ..CodeAction::default()
            }));
        }
    }
    let all = CodeActionKind::SOURCE_FIX_ALL;
    if wanted(&all) && mistakes.iter().any(|one| one.fix.is_some()) {
        let (text, fixes) = corrected(document.text());
        if fixes > 0 {
            let whole = Span::new(0, document.text().len() as u32);
            found.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: format!("correct {fixes} mistakes"),
                kind: Some(all),
                edit: Some(edit(document, &[(whole, text)])),
                ..CodeAction::default()
            }));
        }
    }
    found
}

/// Edits of a document, for the client.
pub fn edit(document: &Document, edits: &[(Span, String)]) -> WorkspaceEdit {
    let edits = edits.iter().map(|(span, text)| TextEdit {
        range: document.range(*span),
        new_text: text.clone(),
    });
    let changes = [(document.uri.clone(), edits.collect())];
    WorkspaceEdit {
        changes: Some(changes.into_iter().collect()),
        ..WorkspaceEdit::default()
    }
}
