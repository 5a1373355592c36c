//! From text to tokens.
//!
//! The tokens cover the text completely: white space, comments and unknown characters are tokens
//! too. The lexer never fails; what it cannot make sense of becomes a token and a diagnostic.

use plainsong_diagnostics::{Diagnostic, Span};

use crate::codes;
use crate::errors::Errors;
use crate::foreign::foreign_character;
use crate::kinds::PUNCTUATION;
use crate::kinds::SyntaxKind::{self, *};

/// A piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// Splits `text` into tokens that cover it without gaps.
pub(crate) fn lex(text: &str) -> (Vec<Token>, Errors) {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::with_capacity(text.len() / 3),
        last: Eof,
        errors: Errors::default(),
    };
    while lexer.at < text.len() {
        lexer.next_token();
    }
    (lexer.tokens, lexer.errors)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    /// The kind of the last token that is not trivia.
    last: SyntaxKind,
    errors: Errors,
}

impl Lexer<'_> {
    fn next_token(&mut self) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return;
        };
        let start = self.at;
        let kind = if is_space(first) {
            self.eat_while(is_space);
            Whitespace
        } else if rest.starts_with("//") {
            self.eat_while(|c| c != '\n');
            LineComment
        } else if rest.starts_with("/*") {
            self.block_comment()
        } else if is_word_start(first) {
            self.eat_while(is_word_part);
            SyntaxKind::of_word(&self.text[start..self.at])
        } else if first.is_ascii_digit() {
            self.number()
        } else {
            self.punctuation()
        };
        if !kind.is_trivia() {
            self.last = kind;
        }
        self.tokens.push(Token {
            kind,
            start: start as u32,
            end: self.at as u32,
        });
    }

    fn punctuation(&mut self) -> SyntaxKind {
        let rest = &self.text[self.at..];
        match punctuation_at(rest) {
            Some((length, kind)) => {
                self.at += length;
                kind
            }
            None => self.unknown(),
        }
    }

    /// A run of characters that begin no token, reported once.
    fn unknown(&mut self) -> SyntaxKind {
        let start = self.at;
        self.at += self.quotation();
        for c in self.text[self.at..].chars() {
            if self.at > start && begins_token(c) {
                break;
            }
            self.at += c.len_utf8();
        }
        if self.errors.is_full() {
            return Unknown;
        }
        let found = &self.text[start..self.at];
        let shown: String = found.chars().take(16).map(visible).collect();
        let message = if found.chars().nth(1).is_some() {
            format!("unknown characters `{shown}`")
        } else {
            format!("unknown character `{shown}`")
        };
        let mut diagnostic =
            Diagnostic::error(&codes::UNKNOWN_CHARACTER, self.since(start), message);
        diagnostic.help = found.chars().next().and_then(foreign_character);
        self.errors.push(diagnostic);
        Unknown
    }

    /// The length of what looks like a string on one line.
    fn quotation(&self) -> usize {
        let rest = &self.text[self.at..];
        let Some(inside) = rest.strip_prefix('"') else {
            return 0;
        };
        match inside.find(['"', '\n']) {
            Some(end) if inside[end..].starts_with('"') => end + 2,
            _ => 0,
        }
    }

    fn block_comment(&mut self) -> SyntaxKind {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        loop {
            match (bytes.get(self.at), bytes.get(self.at + 1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return BlockComment;
                    }
                }
                (Some(_), _) => self.at += 1,
                (None, _) => break,
            }
        }
        self.errors.push(
            Diagnostic::error(
                &codes::UNTERMINATED_COMMENT,
                Span::new(start as u32, start as u32 + 2),
                "this comment is never closed",
            )
            .help("close it with `*/`; comments nest, so each `/*` needs its own `*/`"),
        );
        BlockComment
    }

    fn number(&mut self) -> SyntaxKind {
        let start = self.at;
        self.eat_while(is_word_part);
        if self.last != Dot && self.at_fraction() {
            self.at += 1;
            self.eat_while(is_word_part);
        }
        let written = &self.text[start..self.at];
        let digits: String = written.chars().filter(|&c| c != '_').collect();
        let span = self.since(start);
        if let Some(problem) = malformed_number(written, &digits) {
            let message = format!("`{written}` is not an integer");
            self.errors
                .push(Diagnostic::error(&codes::MALFORMED_NUMBER, span, message).help(problem));
        } else if digits.parse::<i64>().is_err() {
            self.errors.push(
                Diagnostic::error(&codes::NUMBER_TOO_LARGE, span, "this integer is too large")
                    .help(format!("integers in a program go up to {}", i64::MAX)),
            );
        }
        Int
    }

    /// Is there a `.` followed by a digit?
    fn at_fraction(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit)
    }

    fn eat_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    fn since(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }
}

/// A character as it can be shown in a message.
fn visible(c: char) -> char {
    if c.is_control() {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}

fn malformed_number(written: &str, digits: &str) -> Option<&'static str> {
    if written.contains('.') {
        Some("there are no fractions, only integers")
    } else if !digits.bytes().all(|b| b.is_ascii_digit()) {
        Some(
            "integers are decimal digits with `_` between them, and a name cannot begin with a digit",
        )
    } else if written.ends_with('_') {
        Some("`_` stands between digits, not at the end")
    } else {
        None
    }
}

/// The longest punctuation `rest` begins with, and its length.
fn punctuation_at(rest: &str) -> Option<(usize, SyntaxKind)> {
    let alone = match rest.as_bytes().first()? {
        b'(' => Some(LParen),
        b')' => Some(RParen),
        b'[' => Some(LBracket),
        b']' => Some(RBracket),
        b'{' => Some(LBrace),
        b'}' => Some(RBrace),
        b',' => Some(Comma),
        b';' => Some(Semicolon),
        _ => None,
    };
    if let Some(kind) = alone {
        return Some((1, kind));
    }
    PUNCTUATION
        .iter()
        .find(|(spelling, _)| rest.starts_with(spelling))
        .map(|&(spelling, kind)| (spelling.len(), kind))
}

fn begins_token(c: char) -> bool {
    is_space(c)
        || is_word_start(c)
        || c.is_ascii_digit()
        || PUNCTUATION
            .iter()
            .any(|(spelling, _)| spelling.starts_with(c))
}

fn is_space(c: char) -> bool {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    matches!(c, ' ' | '\t' | '\n' | '\r' | BYTE_ORDER_MARK)
        || (!c.is_ascii() && c.is_whitespace() && !c.is_control())
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_word_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
