//! Inlay hints: the types that nobody wrote.

use crate::document::Document;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel};
use plainsong_diagnostics::Span;
use plainsong_syntax::ast::span_of;
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxNode};

/// Longer types are cut: the whole is in the hover.
const LONGEST: usize = 40;

/// Those within a span.
pub fn hints(document: &Document, within: Span) -> Vec<InlayHint> {
    let types = &document.analysis().front.types;
    let tree = document.tree();
    let mut found = Vec::new();
    for node in tree.descendants().filter(is_untyped_binder) {
        let span = span_of(&node);
        if span.end < within.start || within.end < span.start {
            continue;
        }
        let tokens = node.children_with_tokens();
        let mut tokens = tokens.filter_map(SyntaxElement::into_token);
        let Some(name) = tokens.find(|token| token.kind() == SyntaxKind::Ident) else {
            continue;
        };
        let span = plainsong_syntax::ast::token_span(&name);
        // A variant in the place of a pattern binds nothing.
        if document.names().defined_at(span).is_none() {
            continue;
        }
        let Some(ty) = types.at(span) else { continue };
        let mut shown = types.show(ty);
        if shown.contains('_')
            && shown
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|part| part == "_")
        {
            continue;
        }
        if shown.chars().count() > LONGEST {
            shown = shown.chars().take(LONGEST).collect::<String>() + "…";
        }
        found.push(InlayHint {
            position: document.range(span).end,
            label: InlayHintLabel::String(format!(": {shown}")),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: None,
            padding_right: None,
            data: None,
        });
    }
    found
}

/// Does the node bind a name without saying its type?
fn is_untyped_binder(node: &SyntaxNode) -> bool {
    use SyntaxKind::{Binding, ForStmt, LetStmt, NamePattern, Slot, VarDecl};
    let typed = |node: &SyntaxNode| {
        node.children_with_tokens()
            .any(|element| element.kind() == SyntaxKind::Colon)
    };
    match node.kind() {
        ForStmt | Slot | NamePattern => true,
        LetStmt | VarDecl | Binding => !typed(node),
        _ => false,
    }
}
