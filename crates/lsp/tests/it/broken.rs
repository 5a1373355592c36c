//! Songs that are broken or half typed: cut off anywhere, with tokens taken away, doubled or exchanged. Every request
//! has an answer, and nothing panics.

use crate::client::{Client, document, place};
use crate::corpus::songs;
use lsp_types::{Position, Range, Uri};
use plainsong_diagnostics::Span;
use plainsong_lsp::document::Document;
use plainsong_lsp::features::{
    actions, completion, highlight, hints, hover, lenses, mistakes, navigation, outline, rename,
};
use plainsong_lsp::position::Encoding;
use plainsong_lsp::verdicts::Verdicts;
use serde_json::json;
use std::str::FromStr as _;

/// A small generator: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text with one thing wrong.
fn broken(text: &str, random: &mut Random) -> String {
    let at = boundary(text, random.below(text.len() + 1));
    let tree = plainsong_syntax::parse(text).syntax();
    let tokens: Vec<_> = tree
        .descendants_with_tokens()
        .filter_map(plainsong_syntax::SyntaxElement::into_token)
        .filter(|token| !token.kind().is_trivia())
        .collect();
    let mut pick = || &tokens[random.below(tokens.len())];
    let (one, other) = (pick().text_range(), pick().text().to_owned());
    let span = usize::from(one.start())..usize::from(one.end());
    let mut text = text.to_owned();
    match random.below(6) {
        0 | 1 => text.truncate(at),
        2 => text.replace_range(span, ""),
        3 => text.replace_range(span, &other),
        4 => text.insert_str(span.start, &format!("{other} ")),
        _ => text.insert_str(
            at,
            ["é", "{", "(", "\"", "/*", "🎵", ";", "."][random.below(8)],
        ),
    }
    text
}

/// Everything that can be asked, at one place.
fn ask_everything(document: &Document, offset: u32) {
    let analysis = document.analysis();
    assert_eq!(analysis.bug, None, "{}", document.text());
    mistakes::mistakes(document);
    hover::hover(document, offset, |_| None);
    navigation::definition(document, offset);
    navigation::implementation(document, offset);
    navigation::references(document, offset, true);
    completion::completions(document, offset);
    rename::prepare(document, offset);
    let _ = rename::rename(document, offset, "fresh_name");
    outline::symbols(document);
    outline::folds(document);
    let position = document.lines().position(document.text(), offset);
    outline::selections(document, &[position]);
    highlight::tokens(document, None);
    hints::hints(document, Span::new(0, document.text().len() as u32));
    let whole = Range::new(Position::new(0, 0), Position::new(9999, 0));
    actions::actions(document, whole, None);
    lenses::lenses(document, &Verdicts::default());
}

#[test]
fn no_broken_song_breaks_a_feature() {
    let uri = Uri::from_str("file:///broken.song").expect("an address");
    let mut random = Random(33);
    for (path, text) in songs() {
        let text = broken(&text, &mut random);
        let offset = boundary(&text, random.below(text.len() + 1)) as u32;
        let document = Document::new(uri.clone(), 1, text, Encoding::Utf16);
        let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            ask_everything(&document, offset);
        }));
        assert!(
            asked.is_ok(),
            "{} at {offset}:\n{}",
            path.display(),
            document.text()
        );
    }
}

#[test]
fn texts_that_are_hardly_songs_are_survived() {
    let uri = Uri::from_str("file:///broken.song").expect("an address");
    for text in [
        "",
        "\n",
        ".",
        "x.",
        "send",
        "{",
        "}",
        "((((",
        "property p",
        "process p { receive",
        "\u{feff}",
        "a::",
        "fn f(",
        "let x =",
        "𝄞",
        "/* ",
        "// expect",
    ] {
        let document = Document::new(uri.clone(), 1, text.to_owned(), Encoding::Utf16);
        for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            ask_everything(&document, offset as u32);
        }
    }
}

/// 200 requests about texts that change under the server, as somebody types.
#[test]
fn two_hundred_requests_about_broken_songs_are_answered() {
    let mut client = Client::new(json!({ "check": "off" }));
    let mut random = Random(7);
    let all = songs();
    client.open("");
    while client.requests < 200 {
        let (_, text) = &all[random.below(all.len())];
        let text = broken(text, &mut random);
        client.replace(&text);
        let offset = boundary(&text, random.below(text.len() + 1));
        for method in [
            "hover",
            "definition",
            "implementation",
            "completion",
            "documentHighlight",
            "prepareRename",
        ] {
            let response = client.response(&format!("textDocument/{method}"), place(&text, offset));
            let result = response.response_result;
            assert!(result.is_ok(), "{method}: {result:?}");
        }
        for method in [
            "documentSymbol",
            "foldingRange",
            "semanticTokens/full",
            "codeLens",
        ] {
            client.ask(&format!("textDocument/{method}"), document());
        }
        let first = text.lines().next().unwrap_or("").len();
        // Half a word more, and less.
        client.change(json!([{ "range": { "start": { "line": 0, "character": first }, "end": { "line": 0, "character": first } }, "text": "\npro" }]));
        client.change(json!([{ "range": { "start": { "line": 1, "character": 1 }, "end": { "line": 1, "character": 3 } }, "text": "" }]));
        let diagnostics = client.diagnostics();
        assert!(
            diagnostics
                .iter()
                .all(|one| !one["message"].to_string().contains("bug of plainsong"))
        );
    }
    client.end();
}
