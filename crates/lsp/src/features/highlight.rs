//! Semantic tokens: each word in the colour of what it means.

use crate::document::Document;
use crate::names::Kind;
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType};
use plainsong_diagnostics::Span;
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxToken};
use std::collections::HashMap;

/// The types, by number.
pub const TYPES: [SemanticTokenType; 16] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::STRUCT,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::METHOD,
    SemanticTokenType::EVENT,
    SemanticTokenType::CLASS,
    SemanticTokenType::NAMESPACE,
];

/// The modifiers, by bit.
pub const MODIFIERS: [SemanticTokenModifier; 2] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
];

/// All of a document, or those that touch a span.
pub fn tokens(document: &Document, within: Option<Span>) -> Vec<SemanticToken> {
    let names = document.names();
    let mut meanings: HashMap<Span, (Kind, bool)> = HashMap::new();
    for one in &names.uses {
        meanings.insert(one.span, (names.definition(one.of).kind, false));
    }
    for (_, row) in names.all() {
        meanings.insert(row.span, (row.kind, true));
    }
    let mut found = Vec::new();
    let mut last = lsp_types::Position::new(0, 0);
    let tree = document.tree();
    let all = tree.descendants_with_tokens();
    for token in all.filter_map(SyntaxElement::into_token) {
        let span = plainsong_syntax::ast::token_span(&token);
        if within.is_some_and(|within| span.end < within.start || within.end < span.start) {
            continue;
        }
        let Some((ty, modifiers)) = kind_of(&token, meanings.get(&span).copied()) else {
            continue;
        };
        // A token of the protocol is on one line.
        let mut at = span.start;
        for line in token.text().split_inclusive('\n') {
            let long = line.trim_end().len() as u32;
            let range = document.range(Span::new(at, at + long));
            at += line.len() as u32;
            if long == 0 {
                continue;
            }
            let start = range.start;
            let delta_line = start.line - last.line;
            found.push(SemanticToken {
                delta_line,
                delta_start: match delta_line {
                    0 => start.character - last.character,
                    _ => start.character,
                },
                length: range.end.character - start.character,
                token_type: ty,
                token_modifiers_bitset: modifiers,
            });
            last = start;
        }
    }
    found
}

fn number(ty: &SemanticTokenType) -> u32 {
    let at = TYPES.iter().position(|known| known == ty);
    at.expect("every type that is used is in the table") as u32
}

fn kind_of(token: &SyntaxToken, meaning: Option<(Kind, bool)>) -> Option<(u32, u32)> {
    use SyntaxKind::{BlockComment, Ident, Int, LineComment, Reserved, Unknown, Whitespace};
    let plain = |ty: SemanticTokenType| Some((number(&ty), 0));
    match token.kind() {
        Whitespace | Unknown => None,
        LineComment | BlockComment => plain(SemanticTokenType::COMMENT),
        Int => plain(SemanticTokenType::NUMBER),
        Ident => {
            let (kind, declares) = match meaning {
                Some(meaning) => meaning,
                None if is_method(token) => return plain(SemanticTokenType::METHOD),
                None => return None,
            };
            let (ty, readonly) = ty_of(kind);
            Some((number(&ty), u32::from(declares) | u32::from(readonly) << 1))
        }
        Reserved => plain(SemanticTokenType::KEYWORD),
        kind if is_type_word(kind) => plain(SemanticTokenType::TYPE),
        _ if token.text().starts_with(|c: char| c.is_alphabetic()) => {
            plain(SemanticTokenType::KEYWORD)
        }
        kind if is_operator(kind) => plain(SemanticTokenType::OPERATOR),
        _ => None,
    }
}

fn is_method(token: &SyntaxToken) -> bool {
    let parent = token.parent();
    parent.is_some_and(|parent| parent.kind() == SyntaxKind::MethodExpr)
}

fn is_type_word(kind: SyntaxKind) -> bool {
    use SyntaxKind::{BagKw, BoolKw, IntKw, MapKw, NatKw, OptionKw, SeqKw, SetKw};
    matches!(
        kind,
        BoolKw | IntKw | NatKw | OptionKw | SetKw | BagKw | SeqKw | MapKw
    )
}

fn is_operator(kind: SyntaxKind) -> bool {
    (SyntaxKind::ThinArrow..=SyntaxKind::AtSign).contains(&kind)
        || matches!(kind, SyntaxKind::DotDot | SyntaxKind::DotDotEq)
}

fn ty_of(kind: Kind) -> (SemanticTokenType, bool) {
    match kind {
        Kind::Sort => (SemanticTokenType::TYPE, false),
        Kind::Enum => (SemanticTokenType::ENUM, false),
        Kind::Variant => (SemanticTokenType::ENUM_MEMBER, false),
        Kind::Struct => (SemanticTokenType::STRUCT, false),
        Kind::Field => (SemanticTokenType::PROPERTY, false),
        Kind::Constant | Kind::SizeParameter => (SemanticTokenType::VARIABLE, true),
        Kind::Message => (SemanticTokenType::EVENT, false),
        Kind::Process | Kind::Endpoint => (SemanticTokenType::CLASS, false),
        Kind::Function | Kind::Action | Kind::Procedure | Kind::Invariant | Kind::Lemma => {
            (SemanticTokenType::FUNCTION, false)
        }
        Kind::Choreography | Kind::Layer => (SemanticTokenType::NAMESPACE, false),
        Kind::Property | Kind::Constraint => (SemanticTokenType::PROPERTY, true),
        Kind::Parameter => (SemanticTokenType::PARAMETER, false),
        Kind::State | Kind::Global | Kind::Local => (SemanticTokenType::VARIABLE, false),
    }
}
