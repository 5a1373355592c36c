//! The TextMate grammar of the extension agrees with the lexer: words, numbers, comments and names are what they are.
//!
//! Words that are keywords only in some places may be either: a grammar of this kind does not know the place.

use crate::corpus::songs;
use fancy_regex::Regex;
use plainsong_syntax::{KEYWORDS, SyntaxKind, SyntaxToken};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// One song of so many is looked at; the grammar does not change from one to the next.
const ONE_OF: usize = 16;

struct Rule {
    begin: Regex,
    end: Option<Regex>,
    name: String,
    first_capture: Option<String>,
    inside: Vec<Rule>,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// The rules of a list of patterns, with those that it includes; comments nest so deep.
fn rules(patterns: &Value, repository: &Value, depth: usize) -> Vec<Rule> {
    let mut found = Vec::new();
    for pattern in patterns.as_array().expect("a list of patterns") {
        if let Some(name) = text(&pattern["include"]).strip_prefix('#') {
            if depth > 0 {
                found.extend(rules(&repository[name]["patterns"], repository, depth - 1));
            }
            continue;
        }
        let regex = |key: &str| {
            let written = pattern[key].as_str()?;
            Some(Regex::new(written).unwrap_or_else(|error| panic!("{written}: {error}")))
        };
        let end = regex("end");
        found.push(Rule {
            begin: regex("match")
                .or_else(|| regex("begin"))
                .expect("a rule matches something"),
            inside: match &end {
                Some(_) => rules(&pattern["patterns"], repository, depth),
                None => Vec::new(),
            },
            end,
            name: text(&pattern["name"]).to_owned(),
            first_capture: pattern["captures"]["1"]["name"].as_str().map(str::to_owned),
        });
    }
    found
}

/// The scope of each byte of a text.
fn scopes<'r>(text: &str, top: &'r [Rule]) -> Vec<&'r str> {
    let mut scopes = vec![""; text.len()];
    let mut open: Vec<&'r Rule> = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end_matches(['\n', '\r']);
        let mut at = 0;
        let mut known: HashMap<*const Regex, Option<(usize, usize)>> = HashMap::new();
        loop {
            let rules = open.last().map_or(top, |rule| &rule.inside);
            let end = open.last().and_then(|rule| rule.end.as_ref());
            let mut find = |regex: &'r Regex| {
                // What was found further on is still the next one.
                let found = known
                    .entry(std::ptr::from_ref(regex))
                    .or_insert(Some((0, 0)));
                if found.is_some_and(|(start, _)| start < at || at == 0) {
                    let next = regex.find_from_pos(plain, at).expect("the search ends");
                    *found = next.map(|next| (next.start(), next.end()));
                }
                *found
            };
            // The earliest counts, of several the first, and the end before all.
            let closing = end.and_then(&mut find).map(|found| (found, None));
            let mut next = closing;
            for rule in rules {
                let Some(found) = find(&rule.begin) else {
                    continue;
                };
                if next.is_none_or(|((start, _), _)| found.0 < start) {
                    next = Some((found, Some(rule)));
                }
            }
            let around = open.last().map_or("", |rule| &rule.name);
            let Some(((start, end), rule)) = next else {
                scopes[line_start + at..line_start + plain.len()].fill(around);
                break;
            };
            scopes[line_start + at..line_start + start].fill(around);
            let name = match rule {
                Some(rule) => rule.first_capture.as_deref().unwrap_or(&rule.name),
                None => around,
            };
            scopes[line_start + start..line_start + end].fill(name);
            match rule {
                None => drop(open.pop()),
                Some(rule) if rule.end.is_some() => open.push(rule),
                Some(_) => {}
            }
            if end == at && start == end {
                break;
            }
            at = end;
        }
        line_start += line.len();
    }
    scopes
}

fn is_right(token: &SyntaxToken, scope: &str, contextual: &[String]) -> bool {
    let is_word_of_the_language = ["keyword.", "storage.", "constant.language"]
        .iter()
        .any(|begin| scope.starts_with(begin));
    match token.kind() {
        SyntaxKind::Whitespace | SyntaxKind::Underscore => true,
        SyntaxKind::LineComment | SyntaxKind::BlockComment => scope.starts_with("comment."),
        SyntaxKind::Int => scope == "constant.numeric.song",
        _ if contextual.iter().any(|word| word == token.text()) => true,
        SyntaxKind::Ident => !is_word_of_the_language && !scope.is_empty(),
        kind if kind.is_keyword() => is_word_of_the_language,
        _ => !scope.starts_with("comment.") && !scope.starts_with("variable."),
    }
}

#[test]
fn the_grammar_agrees_with_the_lexer() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../editors/vscode/syntaxes/song.tmLanguage.json"
    );
    let grammar = std::fs::read_to_string(path).expect("the grammar");
    for (word, _) in KEYWORDS {
        let written = [
            format!("|{word}|"),
            format!(":{word}|"),
            format!("|{word})"),
            format!("({word})"),
        ];
        assert!(
            written.iter().any(|one| grammar.contains(one)),
            "`{word}` is not in the grammar"
        );
    }
    let grammar: Value = serde_json::from_str(&grammar).expect("JSON");
    let rules = rules(&grammar["patterns"], &grammar["repository"], 4);
    let mut wrong = Vec::new();
    let mut seen = 0;
    // In a rejected song the parser may take a keyword for a name; the grammar does not know that.
    let is_rejected = |path: &Path| path.iter().any(|part| part == "rejected");
    let accepted = songs().into_iter().filter(|(path, _)| !is_rejected(path));
    for (path, text) in accepted.step_by(ONE_OF) {
        let parse = plainsong_syntax::parse(&text);
        let scopes = scopes(&text, &rules);
        let tokens: Vec<SyntaxToken> = parse
            .syntax()
            .descendants_with_tokens()
            .filter_map(plainsong_syntax::SyntaxElement::into_token)
            .collect();
        // Words that this text uses as keywords, though they are no keywords everywhere.
        let contextual: Vec<String> = tokens
            .iter()
            .filter(|token| SyntaxKind::of_word(token.text()) == SyntaxKind::Ident)
            .filter(|token| token.kind() != SyntaxKind::Ident || is_delivery(token.text()))
            .map(|token| token.text().to_owned())
            .collect();
        for token in tokens {
            let start = usize::from(token.text_range().start());
            seen += 1;
            if !is_right(&token, scopes[start], &contextual) {
                let name = path.file_name().unwrap_or_default().display();
                wrong.push(format!("{name}: `{}` is `{}`", token.text(), scopes[start]));
            }
        }
    }
    assert!(seen > 10_000, "only {seen} tokens");
    assert!(
        wrong.is_empty(),
        "{} of {seen}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
}

/// Words that the parser takes for names, and that mean something after `via` and `fault`.
fn is_delivery(word: &str) -> bool {
    matches!(word, "unordered" | "fifo" | "causal" | "mailbox")
}
