//! Hover: what something is, its type, and where a message goes.

use super::keywords;
use crate::document::Document;
use crate::names::{Definition, DefinitionId, Kind};
use crate::traffic::{End, ends};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use plainsong_diagnostics::Span;
use plainsong_syntax::ast::{span_of, token_span};
use plainsong_syntax::{SyntaxKind, SyntaxToken};

/// More places than this are counted, not listed.
const MOST_PLACES: usize = 8;

/// What there is to say about an offset; `verdict` says more of a property.
pub fn hover(
    document: &Document,
    offset: u32,
    verdict: impl FnOnce(&str) -> Option<String>,
) -> Option<Hover> {
    if let Some((id, span)) = document.names().at(offset) {
        let row = document.names().definition(id);
        let mut text = of_definition(document, id, row);
        if matches!(row.kind, Kind::Property | Kind::Choreography | Kind::Lemma)
            && let Some(verdict) = verdict(&row.name)
        {
            text.push_str(&format!("\n\n{verdict}"));
        }
        return Some(shown(document, text, span));
    }
    let token = document.token(offset)?;
    let span = token_span(&token);
    if let Some(text) = of_word(document, &token, offset) {
        return Some(shown(document, text, span));
    }
    let types = &document.analysis().front.types;
    let nodes = token.parent()?;
    let mut around = nodes.ancestors().map(|node| span_of(&node));
    let (span, ty) = around.find_map(|span| Some((span, types.at(span)?)))?;
    let text = format!("```song\n{}\n```", types.show(ty));
    Some(shown(document, text, span))
}

fn shown(document: &Document, text: String, span: Span) -> Hover {
    Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        }),
        range: Some(document.range(span)),
    }
}

/// A definition: its head, its type, its comment, and what is particular to its kind.
pub fn of_definition(document: &Document, id: DefinitionId, row: &Definition) -> String {
    let types = &document.analysis().front.types;
    let ty = types.at(row.span).map(|ty| types.show(ty));
    let head = match row.kind {
        Kind::Local | Kind::Parameter => match &ty {
            Some(ty) => format!("{}: {ty}", row.name),
            None => row.name.clone(),
        },
        _ => head(document, row.whole),
    };
    let mut text = format!("```song\n{head}\n```\n{}", described(document, row));
    if let (Some(ty), Kind::State | Kind::Global | Kind::Constant) = (&ty, row.kind) {
        text.push_str(&format!(", `{ty}`"));
    }
    let comment = comment_above(document, row.whole.start);
    if !comment.is_empty() {
        text.push_str(&format!("\n\n{comment}"));
    }
    if row.kind == Kind::Message {
        text.push_str(&traffic(document, id));
    }
    text
}

fn described(document: &Document, row: &Definition) -> String {
    let word = row.kind.word();
    match row.owner {
        Some(owner) => {
            let owner = document.names().definition(owner);
            format!("{word} of `{}`", owner.name)
        }
        None => word.to_owned(),
    }
}

/// The text of an item up to its body.
pub fn head(document: &Document, whole: Span) -> String {
    const LONGEST: usize = 200;
    let text = whole.slice(document.text());
    let end = text.find('{').unwrap_or(text.len());
    let words: Vec<&str> = text[..end].split_whitespace().collect();
    let head = words.join(" ");
    let head = head.trim_end_matches([';', ',', ' ']);
    head.chars().take(LONGEST).collect()
}

/// The `//` lines right above.
fn comment_above(document: &Document, offset: u32) -> String {
    let text = document.text();
    let first = document.lines().line(offset);
    let mut lines = Vec::new();
    for line in (0..first).rev() {
        let start = document.lines().start(line).unwrap_or(0) as usize;
        let line = text[start..].lines().next().unwrap_or("").trim();
        let Some(comment) = line.strip_prefix("//") else {
            break;
        };
        lines.push(comment.trim().to_owned());
    }
    lines.reverse();
    // What tests expect of a song is no comment on its first item.
    lines.retain(|line| !line.starts_with("expect ") && !line.starts_with("^"));
    lines.join("\n")
}

/// Where a message is sent and received.
fn traffic(document: &Document, message: DefinitionId) -> String {
    let all = ends(document);
    let of = |sends: bool| -> Vec<&End> {
        let rows = all.iter();
        rows.filter(|end| end.message == message && end.sends == sends)
            .collect()
    };
    let (sent, received) = (of(true), of(false));
    format!(
        "\n\nsent {}; received {}",
        places(document, &sent),
        places(document, &received)
    )
}

fn places(document: &Document, ends: &[&End]) -> String {
    if ends.is_empty() {
        return "nowhere".to_owned();
    }
    let place = |end: &&End| {
        let line = document.lines().line(end.name.start) + 1;
        match end.home {
            Some(home) => {
                let name = &document.names().definition(home).name;
                format!("in `{name}` (line {line})")
            }
            None => format!("in line {line}"),
        }
    };
    let mut list: Vec<String> = ends.iter().take(MOST_PLACES).map(place).collect();
    if ends.len() > MOST_PLACES {
        list.push(format!("and {} more", ends.len() - MOST_PLACES));
    }
    list.join(", ")
}

/// A keyword or a built-in method.
fn of_word(document: &Document, token: &SyntaxToken, offset: u32) -> Option<String> {
    let word = token.text();
    if token.kind() == SyntaxKind::Ident {
        let parent = token.parent()?;
        let is_method = parent.kind() == SyntaxKind::MethodExpr;
        return keywords::method(word)
            .filter(|_| is_method)
            .map(str::to_owned);
    }
    let mut text = keywords::meaning(word)?.to_owned();
    if let Some(end) = super::navigation::end_by_keyword(document, offset) {
        let all = ends(document);
        let met: Vec<&End> = all.iter().filter(|other| end.meets(other)).collect();
        let verb = if end.sends { "received" } else { "sent" };
        let message = &document.names().definition(end.message).name;
        text.push_str(&format!(
            "\n\n`{message}` is {verb} {}",
            places(document, &met)
        ));
    }
    Some(text)
}
