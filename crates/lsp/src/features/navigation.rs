//! From a name to what it means, to where else it is used, and from a message to its other end.

use crate::document::Document;
use crate::traffic::{End, ends};
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location};
use plainsong_diagnostics::Span;
use plainsong_syntax::SyntaxKind;

/// Where the name at an offset is declared. On the word `send`, `receive`, `on` or `from`: where the message is taken,
/// or where it comes from.
pub fn definition(document: &Document, offset: u32) -> Vec<Location> {
    if let Some(end) = end_by_keyword(document, offset) {
        return other_ends(document, &end);
    }
    let Some((id, _)) = document.names().at(offset) else {
        return Vec::new();
    };
    vec![document.location(document.names().definition(id).span)]
}

/// Where the message at an offset is taken, or where it comes from.
pub fn implementation(document: &Document, offset: u32) -> Vec<Location> {
    let all = ends(document);
    let covers = |span: Span| span.start <= offset && offset <= span.end;
    let by_name = all.iter().find(|end| covers(end.name));
    let by_keyword = end_by_keyword(document, offset);
    match by_name.copied().or(by_keyword) {
        Some(end) => other_ends(document, &end),
        None => Vec::new(),
    }
}

fn other_ends(document: &Document, end: &End) -> Vec<Location> {
    let all = ends(document);
    let met = all.iter().filter(|other| end.meets(other));
    met.map(|other| document.location(other.whole)).collect()
}

/// The end of a message whose keyword stands at an offset.
pub fn end_by_keyword(document: &Document, offset: u32) -> Option<End> {
    use SyntaxKind::{FromKw, OnKw, ReceiveKw, SendKw, ToKw};
    let token = document.token(offset)?;
    if !matches!(token.kind(), SendKw | ReceiveKw | OnKw | FromKw | ToKw) {
        return None;
    }
    let at = u32::from(token.text_range().start());
    let all = ends(document).into_iter();
    // Of a `receive` with several arms, the keyword belongs to none of them.
    let around = all.filter(|end| end.whole.start <= at && at < end.whole.end);
    around.max_by_key(|end| end.whole.start)
}

/// Where the name at an offset is used.
pub fn references(document: &Document, offset: u32, declaration: bool) -> Vec<Location> {
    let spans = places(document, offset, declaration);
    spans
        .into_iter()
        .map(|span| document.location(span))
        .collect()
}

/// The same in the text that is seen.
pub fn highlights(document: &Document, offset: u32) -> Vec<DocumentHighlight> {
    let spans = places(document, offset, true).into_iter();
    let told = spans.map(|span| DocumentHighlight {
        range: document.range(span),
        kind: Some(DocumentHighlightKind::TEXT),
    });
    told.collect()
}

fn places(document: &Document, offset: u32, declaration: bool) -> Vec<Span> {
    let names = document.names();
    let Some((id, _)) = names.at(offset) else {
        return Vec::new();
    };
    let own = names.definition(id).span;
    let mut spans: Vec<Span> = names.uses_of(id).map(|one| one.span).collect();
    if declaration {
        spans.push(own);
    }
    spans.sort_unstable();
    spans.dedup();
    spans
}
