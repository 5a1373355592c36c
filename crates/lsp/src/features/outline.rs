//! The shape of a text: symbols, what can be folded, what encloses a selection.

use crate::document::Document;
use crate::names::{Definition, DefinitionId, Kind};
use lsp_types::{
    DocumentSymbol, FoldingRange, FoldingRangeKind, Position, SelectionRange, SymbolKind,
};
use plainsong_diagnostics::Span;
use plainsong_syntax::ast::span_of;
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxNode};

/// Items with what is inside them.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let names = document.names();
    let items = names.all().filter(|(_, row)| row.owner.is_none());
    let items = items.filter(|(_, row)| !row.kind.is_local());
    let mut found: Vec<DocumentSymbol> = items.map(|(id, row)| symbol(document, id, row)).collect();
    found.sort_by_key(|one| (one.range.start, one.selection_range.start));
    found
}

fn symbol(document: &Document, id: DefinitionId, row: &Definition) -> DocumentSymbol {
    let names = document.names();
    let inside = names.all().filter(|(_, other)| other.owner == Some(id));
    let children: Vec<DocumentSymbol> = inside.map(|(id, row)| symbol(document, id, row)).collect();
    let types = &document.analysis().front.types;
    #[expect(deprecated, reason = "a field of the protocol that has to be given")]
    DocumentSymbol {
        name: row.name.clone(),
        detail: types.at(row.span).map(|ty| types.show(ty)),
        kind: symbol_kind(row.kind),
        tags: None,
        deprecated: None,
        range: document.range(row.whole.to(row.span)),
        selection_range: document.range(row.span),
        children: (!children.is_empty()).then_some(children),
    }
}

fn symbol_kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Sort => SymbolKind::TYPE_PARAMETER,
        Kind::Enum => SymbolKind::ENUM,
        Kind::Variant => SymbolKind::ENUM_MEMBER,
        Kind::Struct => SymbolKind::STRUCT,
        Kind::Field | Kind::State => SymbolKind::FIELD,
        Kind::Constant | Kind::SizeParameter => SymbolKind::CONSTANT,
        Kind::Function | Kind::Procedure | Kind::Action => SymbolKind::FUNCTION,
        Kind::Message => SymbolKind::EVENT,
        Kind::Process | Kind::Endpoint => SymbolKind::CLASS,
        Kind::Choreography => SymbolKind::MODULE,
        Kind::Property | Kind::Constraint | Kind::Invariant | Kind::Lemma => SymbolKind::BOOLEAN,
        Kind::Layer => SymbolKind::NAMESPACE,
        Kind::Global | Kind::Parameter | Kind::Local => SymbolKind::VARIABLE,
    }
}

/// What stands in braces over several lines, and comments.
pub fn folds(document: &Document) -> Vec<FoldingRange> {
    let mut found = Vec::new();
    let lines = document.lines();
    let mut fold = |span: Span, kind: Option<FoldingRangeKind>| {
        let (first, last) = (lines.line(span.start), lines.line(span.end.max(1) - 1));
        if first < last {
            found.push(FoldingRange {
                start_line: first,
                end_line: last,
                kind,
                ..FoldingRange::default()
            });
        }
    };
    let tree = document.tree();
    for node in tree.descendants() {
        let tokens = node.children_with_tokens();
        let braces: Vec<Span> = tokens
            .filter(|element| matches!(element.kind(), SyntaxKind::LBrace | SyntaxKind::RBrace))
            .map(|element| {
                let range = element.text_range();
                Span::new(range.start().into(), range.end().into())
            })
            .collect();
        if let (Some(first), Some(last)) = (braces.first(), braces.last()) {
            fold(first.to(*last), None);
        }
    }
    for span in comments(document) {
        fold(span, Some(FoldingRangeKind::Comment));
    }
    found.sort_by_key(|fold| (fold.start_line, fold.end_line));
    found.dedup_by_key(|fold| (fold.start_line, fold.end_line));
    found
}

/// Runs of lines that are comments, and comments of several lines.
fn comments(document: &Document) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    let text = document.text();
    let tree = document.tree();
    let tokens = tree.descendants_with_tokens();
    for token in tokens.filter_map(SyntaxElement::into_token) {
        if !matches!(
            token.kind(),
            SyntaxKind::LineComment | SyntaxKind::BlockComment
        ) {
            continue;
        }
        let range = token.text_range();
        let span = Span::new(range.start().into(), range.end().into());
        match runs.last_mut() {
            Some(run) if is_one_line_break(Span::new(run.end, span.start).slice(text)) => {
                run.end = span.end;
            }
            _ => runs.push(span),
        }
    }
    runs
}

fn is_one_line_break(between: &str) -> bool {
    between.trim().is_empty() && between.matches('\n').count() == 1
}

/// What encloses each position, from the inside out.
pub fn selections(document: &Document, positions: &[Position]) -> Vec<SelectionRange> {
    let mut found = Vec::new();
    for position in positions {
        let offset = document.offset(*position);
        let mut spans: Vec<Span> = Vec::new();
        if let Some(token) = document.token(offset) {
            spans.push(plainsong_syntax::ast::token_span(&token));
            let above = token.parent().into_iter();
            let above = above.flat_map(|node: SyntaxNode| node.ancestors().collect::<Vec<_>>());
            spans.extend(above.map(|node| span_of(&node)));
        }
        spans.dedup();
        let mut selection = None;
        for span in spans.into_iter().rev() {
            selection = Some(SelectionRange {
                range: document.range(span),
                parent: selection.map(Box::new),
            });
        }
        let nothing = SelectionRange {
            range: lsp_types::Range::new(*position, *position),
            parent: None,
        };
        found.push(selection.unwrap_or(nothing));
    }
    found
}
