//! Completion: the names and words that fit the place.
//!
//! The place is read off the words before it, because the text is broken there. Types are those of the text with a
//! name put in, so that `entry.` offers the fields of `entry`.

use super::{hover, keywords};
use crate::document::{Analysis, Document};
use crate::names::{Definition, DefinitionId, Kind, Names};
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
};
use plainsong_ir::Ty;
use plainsong_syntax::ast::token_span;
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken};
use std::collections::BTreeMap;

/// Words that begin an item.
const ITEMS: &[&str] = &[
    "action",
    "choreography",
    "const",
    "constraint",
    "daemon process",
    "enum",
    "fault",
    "fn",
    "init",
    "invariant",
    "layers",
    "lemma",
    "message",
    "param",
    "procedure",
    "process",
    "property",
    "sequentialize",
    "size",
    "sort",
    "struct",
    "var",
];

/// Words that begin a statement.
const STATEMENTS: &[&str] = &[
    "assert", "assume", "async", "break", "call", "continue", "for", "if", "let", "loop", "match",
    "maybe", "on", "par", "receive", "send", "use", "var", "while", "yield",
];

/// Words that begin an expression.
const EXPRESSIONS: &[&str] = &[
    "count", "exists", "false", "forall", "if", "map", "match", "none", "pending", "self", "some",
    "sum", "true",
];

/// Types that are not declared.
const TYPES: &[&str] = &[
    "bag", "bool", "int", "map", "nat", "option", "process", "seq", "set",
];

/// What a property claims.
const CLAIMS: &[&str] = &[
    "always",
    "eventually",
    "eventually always",
    "eventually quiescent",
    "finally",
    "forall",
    "infinitely often",
];

/// The engines that `by` can name.
const ENGINES: &[&str] = &[
    "diverge",
    "explore",
    "prove",
    "refine",
    "sequentialize",
    "states",
];

/// Who may end the text that is being written.
const PATCHES: [&str; 8] = [
    "x", "x;", "x = 1;", "x }", "x; }", "x = 1; }", "x) }", "x); }",
];

/// What fits at an offset.
pub fn completions(document: &Document, offset: u32) -> Vec<CompletionItem> {
    let before = Before::new(document, offset);
    let mut found = Found {
        document,
        offset,
        items: BTreeMap::new(),
    };
    if before.in_comment {
        return Vec::new();
    }
    let words: Vec<&str> = before.words.iter().map(SyntaxToken::text).collect();
    match &words[..] {
        [.., "."] => found.members(&before),
        [.., owner, "::"] => found.variants_of(owner),
        [.., "send" | "receive" | "on"] => found.of_kinds(&[Kind::Message]),
        [.., "pending", "("] => found.of_kinds(&[Kind::Message, Kind::Action]),
        [.., "async"] => found.of_kinds(&[Kind::Action, Kind::Procedure]),
        [.., "call"] => found.of_kinds(&[Kind::Procedure, Kind::Action, Kind::Choreography]),
        [
            ..,
            "refines" | "into" | "preserves" | "synchronizes" | "sequentialize",
        ] => {
            found.of_kinds(&[
                Kind::Action,
                Kind::Procedure,
                Kind::Invariant,
                Kind::Message,
            ]);
        }
        [.., "use"] => found.of_kinds(&[Kind::Lemma]),
        [.., "to" | "from"] if !words.contains(&"leads") => {
            found.words(&["any", "self"], CompletionItemKind::KEYWORD);
            found.of_kinds(&[Kind::Process]);
            found.values();
        }
        [.., "any"] => found.of_kinds(&[Kind::Process]),
        [.., "via"] => found.words(
            &["unordered", "fifo", "causal", "mailbox"],
            CompletionItemKind::KEYWORD,
        ),
        [.., "fault"] => found.words(
            &["crash", "restart", "lose", "duplicate"],
            CompletionItemKind::KEYWORD,
        ),
        [.., "crash" | "restart"] => found.of_kinds(&[Kind::Process]),
        [.., "lose" | "duplicate"] => found.of_kinds(&[Kind::Message]),
        [.., "by"] => found.words(ENGINES, CompletionItemKind::KEYWORD),
        [.., "@"] => found.of_kinds(&[Kind::Layer]),
        [.., "size" | "at"] => found.of_kinds(&[Kind::Sort, Kind::SizeParameter]),
        ["property", .., ":"] if words.len() <= 8 => {
            found.words(CLAIMS, CompletionItemKind::KEYWORD);
            found.values();
        }
        [.., ":" | "->" | "<"] => {
            found.words(TYPES, CompletionItemKind::KEYWORD);
            found.of_kinds(&[Kind::Sort, Kind::Enum, Kind::Struct]);
        }
        [] => found.words(ITEMS, CompletionItemKind::KEYWORD),
        [.., ";" | "{" | "}"] if before.depth == 0 => {
            found.words(ITEMS, CompletionItemKind::KEYWORD);
        }
        [.., ";" | "{" | "}"] => {
            found.words(STATEMENTS, CompletionItemKind::KEYWORD);
            found.values();
        }
        // A new name.
        [
            ..,
            "let" | "var" | "sort" | "enum" | "struct" | "const" | "param" | "fn" | "message"
            | "process" | "action" | "procedure" | "choreography" | "endpoint" | "property"
            | "lemma" | "constraint" | "for" | "as",
        ] => {}
        _ => {
            found.words(EXPRESSIONS, CompletionItemKind::KEYWORD);
            found.values();
        }
    }
    found.items.into_values().collect()
}

/// What stands before the word that is being written, in its item.
struct Before {
    words: Vec<SyntaxToken>,
    /// How many braces are open.
    depth: usize,
    in_comment: bool,
    /// Where the word begins.
    start: u32,
}

impl Before {
    fn new(document: &Document, offset: u32) -> Before {
        let tree = document.tree();
        let tokens = tree.descendants_with_tokens();
        let mut words: Vec<SyntaxToken> = Vec::new();
        let mut depth = 0usize;
        let mut in_comment = false;
        let mut start = offset;
        let mut item = 0;
        for token in tokens.filter_map(SyntaxElement::into_token) {
            let span = token_span(&token);
            if span.start >= offset {
                break;
            }
            let is_word = token.kind() == SyntaxKind::Ident
                || token
                    .text()
                    .starts_with(|c: char| c.is_alphabetic() || c == '_');
            if span.end >= offset && is_word {
                start = span.start;
                break;
            }
            match token.kind() {
                SyntaxKind::LineComment => in_comment = span.end >= offset,
                SyntaxKind::BlockComment => in_comment = span.end > offset,
                kind if kind.is_trivia() => {}
                kind => {
                    in_comment = false;
                    match kind {
                        SyntaxKind::LBrace => depth += 1,
                        SyntaxKind::RBrace => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    words.push(token);
                    if depth == 0 && matches!(kind, SyntaxKind::RBrace | SyntaxKind::Semicolon) {
                        // The next word begins an item.
                        item = words.len().saturating_sub(1);
                    }
                }
            }
        }
        let from = match words.get(item) {
            Some(end)
                if matches!(end.kind(), SyntaxKind::RBrace | SyntaxKind::Semicolon)
                    && item + 1 < words.len() =>
            {
                item + 1
            }
            _ => item,
        };
        Before {
            words: words.split_off(from.min(words.len())),
            depth,
            in_comment,
            start,
        }
    }
}

struct Found<'d> {
    document: &'d Document,
    offset: u32,
    items: BTreeMap<String, CompletionItem>,
}

impl Found<'_> {
    fn words(&mut self, words: &[&str], kind: CompletionItemKind) {
        for word in words {
            let first = word.split(' ').next().unwrap_or(word);
            self.add(CompletionItem {
                label: (*word).to_owned(),
                kind: Some(kind),
                documentation: keywords::meaning(first).map(markdown),
                sort_text: Some(format!("2{word}")),
                ..CompletionItem::default()
            });
        }
    }

    fn add(&mut self, item: CompletionItem) {
        self.items.entry(item.label.clone()).or_insert(item);
    }

    fn of_kinds(&mut self, kinds: &[Kind]) {
        let names = self.document.names();
        let rows = names.all().filter(|(_, row)| kinds.contains(&row.kind));
        for (id, row) in rows.collect::<Vec<_>>() {
            self.definition(id, row);
        }
    }

    fn definition(&mut self, id: DefinitionId, row: &Definition) {
        let types = &self.document.analysis().front.types;
        let ty = types.at(row.span).map(|ty| types.show(ty));
        let detail = match &ty {
            Some(ty) => ty.clone(),
            None => hover::head(self.document, row.whole),
        };
        let snippet = snippet(self.document, row);
        self.add(CompletionItem {
            label: row.name.clone(),
            kind: Some(item_kind(row.kind)),
            detail: Some(detail),
            documentation: Some(markdown(&hover::of_definition(self.document, id, row))),
            insert_text_format: snippet.is_some().then_some(InsertTextFormat::SNIPPET),
            insert_text: snippet,
            sort_text: Some(format!(
                "{}{}",
                if row.kind.is_local() { 0 } else { 1 },
                row.name
            )),
            ..CompletionItem::default()
        });
    }

    /// Names that can stand in an expression here, innermost first.
    fn values(&mut self) {
        let names = self.document.names();
        let mut locals: Vec<&Definition> = names.locals_at(self.offset).collect();
        locals.reverse();
        for row in locals {
            if let Some(id) = names.defined_at(row.span) {
                self.definition(id, row);
            }
        }
        let home = self.home();
        let rows = names.all().filter(|(_, row)| match row.kind {
            Kind::State => row.owner.is_some() && row.owner == home,
            Kind::Endpoint => row.owner.is_some(),
            Kind::Constant
            | Kind::SizeParameter
            | Kind::Function
            | Kind::Process
            | Kind::Global
            | Kind::Variant
            | Kind::Sort => true,
            _ => false,
        });
        for (id, row) in rows.collect::<Vec<_>>() {
            self.definition(id, row);
        }
    }

    /// The process or endpoint around the place.
    fn home(&self) -> Option<DefinitionId> {
        let names = self.document.names();
        let within =
            |row: &Definition| row.whole.start <= self.offset && self.offset <= row.whole.end;
        let rows = names
            .all()
            .filter(|(_, row)| matches!(row.kind, Kind::Process | Kind::Endpoint) && within(row));
        rows.last().map(|(id, _)| id)
    }

    fn variants_of(&mut self, owner: &str) {
        let names = self.document.names();
        let rows = names.all().filter(|(_, row)| {
            let of = row.owner.map(|id| names.definition(id).name.as_str());
            row.kind == Kind::Variant && of == Some(owner)
        });
        for (id, row) in rows.collect::<Vec<_>>() {
            self.definition(id, row);
        }
    }

    /// Fields, methods and variables after a dot.
    fn members(&mut self, before: &Before) {
        let Some(dot) = before.words.last() else {
            return;
        };
        let base_end = u32::from(dot.text_range().start());
        let text = self.document.text();
        let (head, tail) = (
            &text[..before.start as usize],
            &text[self.offset as usize..],
        );
        let all = PATCHES.iter().map(|patch| format!("{head}{patch}{tail}"));
        let cut = PATCHES.iter().map(|patch| format!("{head}{patch}"));
        for patched in all.chain(cut) {
            let analysis = Analysis::new(&patched);
            let tree = analysis.front.parse.syntax();
            let Some(base) = base_before(&tree, base_end) else {
                continue;
            };
            let span = plainsong_syntax::ast::span_of(&base);
            let types = &analysis.front.types;
            let family = family_of(&analysis.names, &base);
            if let Some(family) = family {
                return self.state_of(&family);
            }
            if let Some(ty) = types.at(span) {
                let fields = types.fields(ty).map_or(Vec::new(), |(_, fields)| {
                    let fields = fields.iter();
                    fields
                        .map(|(name, ty)| (name.clone(), types.show(ty)))
                        .collect()
                });
                let methods = types.methods(ty);
                return self.of_type(ty, &types.show(ty), fields, methods);
            }
        }
    }

    fn state_of(&mut self, family: &str) {
        let names = self.document.names();
        let rows = names.all().filter(|(_, row)| {
            let of = row.owner.map(|id| names.definition(id).name.as_str());
            row.kind == Kind::State && of == Some(family)
        });
        for (id, row) in rows.collect::<Vec<_>>() {
            self.definition(id, row);
        }
    }

    fn of_type(&mut self, ty: &Ty, shown: &str, fields: Vec<(String, String)>, methods: &[&str]) {
        for (name, of) in fields {
            self.add(CompletionItem {
                label: name,
                kind: Some(CompletionItemKind::FIELD),
                detail: Some(of),
                ..CompletionItem::default()
            });
        }
        if matches!(ty, Ty::Sort(_)) {
            return;
        }
        for name in methods {
            let takes = !keywords::method(name).is_some_and(|text| text.contains("()`"));
            self.add(CompletionItem {
                label: (*name).to_owned(),
                kind: Some(CompletionItemKind::METHOD),
                detail: Some(shown.to_owned()),
                documentation: keywords::method(name).map(markdown),
                insert_text: Some(if takes {
                    format!("{name}($0)")
                } else {
                    format!("{name}()")
                }),
                insert_text_format: Some(InsertTextFormat::SNIPPET),
                ..CompletionItem::default()
            });
        }
    }
}

/// The expression that ends right before a dot.
fn base_before(tree: &SyntaxNode, end: u32) -> Option<SyntaxNode> {
    let mut nodes = tree.descendants();
    let field = nodes.find(|node| {
        let tokens = node.children_with_tokens();
        matches!(node.kind(), SyntaxKind::FieldExpr | SyntaxKind::MethodExpr)
            && tokens
                .filter(|element| element.kind() == SyntaxKind::Dot)
                .any(|dot| u32::from(dot.text_range().start()) == end)
    })?;
    field.first_child()
}

/// The process or endpoint that an expression names.
fn family_of(names: &Names, base: &SyntaxNode) -> Option<String> {
    let node = match base.kind() {
        SyntaxKind::IndexExpr => base.first_child()?,
        _ => base.clone(),
    };
    let token = node
        .children_with_tokens()
        .filter_map(SyntaxElement::into_token)
        .find(|token| token.kind() == SyntaxKind::Ident)?;
    let (id, _) = names.at(u32::from(token.text_range().start()))?;
    let row = names.definition(id);
    matches!(row.kind, Kind::Process | Kind::Endpoint).then(|| row.name.clone())
}

fn markdown(text: &str) -> Documentation {
    Documentation::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value: text.to_owned(),
    })
}

/// A message or function with places for what it carries.
fn snippet(document: &Document, row: &Definition) -> Option<String> {
    let takes = matches!(
        row.kind,
        Kind::Message | Kind::Function | Kind::Action | Kind::Procedure | Kind::Lemma
    );
    if !takes {
        return None;
    }
    let head = hover::head(document, row.whole);
    let (_, rest) = head.split_once('(')?;
    let (fields, _) = rest.split_once(')')?;
    let names = fields.split(',').filter_map(|field| {
        let name = field.split(':').next()?.split_whitespace().last()?;
        Some(name.to_owned())
    });
    let places: Vec<String> = names
        .enumerate()
        .map(|(at, name)| format!("${{{}:{name}}}", at + 1))
        .collect();
    (!places.is_empty()).then(|| format!("{}({})", row.name, places.join(", ")))
}

fn item_kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Sort => CompletionItemKind::TYPE_PARAMETER,
        Kind::Enum => CompletionItemKind::ENUM,
        Kind::Variant => CompletionItemKind::ENUM_MEMBER,
        Kind::Struct => CompletionItemKind::STRUCT,
        Kind::Field | Kind::State => CompletionItemKind::FIELD,
        Kind::Constant | Kind::SizeParameter => CompletionItemKind::CONSTANT,
        Kind::Message => CompletionItemKind::EVENT,
        Kind::Process | Kind::Endpoint => CompletionItemKind::CLASS,
        Kind::Choreography | Kind::Layer => CompletionItemKind::MODULE,
        Kind::Function
        | Kind::Action
        | Kind::Procedure
        | Kind::Lemma
        | Kind::Invariant
        | Kind::Property
        | Kind::Constraint => CompletionItemKind::FUNCTION,
        Kind::Global | Kind::Parameter | Kind::Local => CompletionItemKind::VARIABLE,
    }
}
