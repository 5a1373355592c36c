//! Random texts: the parser answers all of them, loses nothing and reports what does not fit.

#![expect(
    clippy::print_stdout,
    reason = "the number of cases is what the tests have to show"
)]

use plainsong_syntax::{KEYWORDS, MAX_ERRORS, SyntaxKind, format, parse};
use rowan::NodeOrToken;

use crate::chance::Chance;
use crate::{corpus, grammar};

const CASES: u64 = 20_000;

/// Tokens and comments, without white space.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let syntax = parse(text).syntax();
    let tokens = syntax
        .descendants_with_tokens()
        .filter_map(NodeOrToken::into_token);
    tokens
        .filter(|token| token.kind() != SyntaxKind::Whitespace)
        .map(|token| token.text().trim_end().to_owned())
        .collect()
}

/// Parses a text and checks what holds for every text. Says whether it has no errors.
pub(crate) fn check_lossless(text: &str) -> bool {
    let parse = parse(text);
    assert_eq!(parse.syntax().text().to_string(), text, "the text is lost");
    let errors = parse.errors();
    assert!(errors.len() <= MAX_ERRORS + 1);
    assert!(
        errors.is_sorted_by_key(|error| error.primary.span.start),
        "{text:?}"
    );
    for error in errors {
        let span = error.primary.span;
        assert!(
            span.start <= span.end && span.end as usize <= text.len(),
            "{text:?}"
        );
        assert!(
            text.get(span.start as usize..span.end as usize).is_some(),
            "{text:?}"
        );
        assert!(!error.message.is_empty());
    }
    let broken = parse
        .syntax()
        .descendants_with_tokens()
        .any(|element| matches!(element.kind(), SyntaxKind::Error | SyntaxKind::Unknown));
    assert!(
        !broken || !errors.is_empty(),
        "an error that is not reported: {text:?}"
    );
    errors.is_empty()
}

/// Checks that formatting keeps every token and comment and is stable. Returns how many there are.
fn check_formatting(text: &str) -> usize {
    let formatted = format(text).expect("no syntax errors");
    let pieces_before = pieces(text);
    assert_eq!(
        pieces(&formatted),
        pieces_before,
        "tokens changed:\n{text}\n--\n{formatted}"
    );
    let again = format(&formatted).expect("still no errors");
    assert_eq!(again, formatted, "not stable:\n{text}");
    pieces_before.len()
}

/// Every keyword, every operator and some names, numbers and comments.
fn vocabulary() -> Vec<&'static str> {
    let mut words: Vec<&str> = KEYWORDS.iter().map(|&(word, _)| word).collect();
    words.extend([
        "x",
        "y",
        "Vote",
        "from",
        "by",
        "at",
        "fair",
        "quiescent",
        "pending",
        "count",
        "sum",
        "ordered",
        "call",
        "_",
        "0",
        "17",
        "9999999999999999999",
        "1_0",
        "2x",
        "//c\n",
        "/*c*/",
        "/*",
        "\n",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        ":",
        "::",
        ".",
        "..",
        "..=",
        "->",
        "=>",
        "=",
        "+=",
        "-=",
        "*=",
        "|=",
        "&=",
        "/=",
        "%=",
        "<==>",
        "==>",
        "||",
        "&&",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "|",
        "&",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "@",
        "\"",
        "é",
    ]);
    words
}

#[test]
fn random_bytes() {
    let mut chance = Chance::new(1);
    let mut valid = 0;
    for _ in 0..CASES {
        let length = chance.below(120);
        let bytes: Vec<u8> = (0..length).map(|_| chance.next() as u8).collect();
        valid += usize::from(check_lossless(&String::from_utf8_lossy(&bytes)));
    }
    println!("random bytes: {CASES} texts, {valid} of them valid");
}

#[test]
fn random_characters_of_programs() {
    let alphabet: Vec<char> = "abx_ 019\n\t(){}[]<>=!&|+-*/%.,;:@\"'é∀\u{0}"
        .chars()
        .collect();
    let mut chance = Chance::new(2);
    let mut valid = 0;
    for _ in 0..CASES {
        let length = chance.below(120);
        let text: String = (0..length).map(|_| *chance.pick(&alphabet)).collect();
        valid += usize::from(check_lossless(&text));
    }
    println!("random characters: {CASES} texts, {valid} of them valid");
}

#[test]
fn random_tokens() {
    let words = vocabulary();
    let mut chance = Chance::new(3);
    let mut valid = 0;
    for _ in 0..2 * CASES {
        let length = chance.below(50);
        let text: String = (0..length)
            .flat_map(|_| [*chance.pick(&words), *chance.pick(&[" ", " ", "", "\n"])])
            .collect();
        if check_lossless(&text) {
            check_formatting(&text);
            valid += 1;
        }
    }
    println!("random tokens: {} texts, {valid} of them valid", 2 * CASES);
}

#[test]
fn random_programs_parse_and_format() {
    let mut tokens = 0;
    for seed in 0..CASES / 2 {
        let text = grammar::program(seed);
        assert!(check_lossless(&text), "{text}\n{:?}", parse(&text).errors());
        tokens += check_formatting(&text);
    }
    println!(
        "random programs: {}, {tokens} tokens and comments",
        CASES / 2
    );
}

#[test]
fn random_programs_with_a_token_changed() {
    let words = vocabulary();
    let mut valid = 0;
    for seed in 0..CASES {
        let mut chance = Chance::new(seed + 77);
        let mut parts = pieces(&grammar::program(seed));
        for _ in 0..=chance.below(3) {
            change(&mut parts, &words, &mut chance);
        }
        let text: String = parts
            .iter()
            .flat_map(|part| {
                [
                    part.as_str(),
                    if part.starts_with("//") { "\n" } else { " " },
                ]
            })
            .collect();
        if check_lossless(&text) {
            check_formatting(&text);
            valid += 1;
        }
    }
    println!("random programs with changes: {CASES}, {valid} of them still valid");
}

fn change(parts: &mut Vec<String>, words: &[&str], chance: &mut Chance) {
    let at = chance
        .below(parts.len() + 1)
        .min(parts.len().saturating_sub(1));
    match chance.below(4) {
        _ if parts.is_empty() => {}
        0 => _ = parts.remove(at),
        1 => parts.insert(at, (*chance.pick(words)).to_owned()),
        2 => parts[at] = (*chance.pick(words)).to_owned(),
        _ => {
            let other = chance.below(parts.len());
            parts.swap(at, other);
        }
    }
}

#[test]
fn real_programs_cut_anywhere() {
    let programs = [corpus::songs("songs"), corpus::songs("examples")].concat();
    let mut chance = Chance::new(5);
    let mut count = 0;
    for (_, text) in programs {
        for _ in 0..20 {
            let cuts = [chance.below(text.len() + 1), chance.below(text.len() + 1)];
            let [from, to] = [cuts[0].min(cuts[1]), cuts[0].max(cuts[1])];
            let remaining = [&text.as_bytes()[..from], &text.as_bytes()[to..]].concat();
            check_lossless(&String::from_utf8_lossy(&remaining));
            count += 1;
        }
    }
    println!("programs with a piece cut out: {count}");
}
