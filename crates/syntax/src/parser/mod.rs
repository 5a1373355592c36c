//! Recursive descent from tokens to a lossless tree.
//!
//! The parser never gives up: it reports a mistake, skips to a place where it can go on, and keeps
//! what it skipped in an `Error` node, so the tree always reproduces the text. Nodes are opened by
//! remembering a place ([`Parser::open`]) and given their kind when they are complete
//! ([`Parser::close`]); that makes left recursion and late decisions ("this was a comprehension
//! after all") equally easy.
//!
//! Two bounds keep every later recursive walk over the tree safe: `MAX_DEPTH` on how deeply things
//! are nested while parsing, and `MAX_HEIGHT` on the height of one expression, which also counts
//! chains such as `a + a + a …` whose trees lean to the left.

mod assignments;
mod bodies;
mod branches;
mod collections;
mod communication;
mod expressions;
mod items;
mod operands;
mod patterns;
mod procedures;
mod properties;
mod quantifiers;
mod recovery;
mod sequences;
mod statements;
mod temporal;
mod types;

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::{Checkpoint, GreenNode, GreenNodeBuilder, Language};

use crate::consequences::without_consequences;
use crate::errors::Errors;
use crate::kinds::SongLanguage;
use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::{Token, lex};

/// How deeply blocks, expressions, types and patterns may be nested.
pub const MAX_DEPTH: u32 = 200;
/// How high the tree of one expression may grow, long operator chains included.
pub const MAX_HEIGHT: u32 = 500;

/// Parses `text` into a tree and the mistakes found in it.
pub(crate) fn parse_text(text: &str) -> (GreenNode, Vec<Diagnostic>) {
    let (tokens, lexer_errors) = lex(text);
    let mut parser = Parser::new(text, tokens);
    parser.song();
    let (green, parser_errors) = parser.finish();
    let errors = Errors::merge(lexer_errors, parser_errors);
    (green, without_consequences(text, errors))
}

/// What the surroundings of an expression forbid.
#[derive(Clone, Copy, Default)]
struct Surroundings {
    /// A `{` after the expression begins a block, so `Name {` is not a struct literal.
    block_follows: bool,
    /// A `::` after the expression begins a quantifier's body, so a path needs `A::B` without spaces.
    body_follows: bool,
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The current token; never trivia.
    at: usize,
    /// Its kind, [`Eof`] at the end.
    kind: SyntaxKind,
    /// Tokens before this one are in the tree.
    flushed: usize,
    /// Where the last token that is not trivia ended.
    last_end: u32,
    builder: GreenNodeBuilder<'static>,
    errors: Errors,
    /// Is there an unknown character earlier on this line? What does not fit is its consequence.
    garbled: bool,
    /// Keywords that were declared as names, which was reported: where they can be nothing else, they are read as such.
    misused: Vec<SyntaxKind>,
    /// The token at which the last error was reported; there will be no second one.
    error_at: Option<usize>,
    depth: u32,
    height: u32,
    too_deep_reported: bool,
    surroundings: Surroundings,
    /// A brace closed by a `}` of smaller indentation: the likely culprit when one is missing.
    suspect_brace: Option<Span>,
    /// How many more tokens may be looked at by unbounded lookahead.
    lookahead_budget: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: Vec<Token>) -> Self {
        let lookahead_budget = 64 * tokens.len();
        let mut parser = Parser {
            text,
            tokens,
            at: 0,
            kind: Eof,
            flushed: 0,
            last_end: 0,
            builder: GreenNodeBuilder::new(),
            errors: Errors::default(),
            garbled: false,
            misused: Vec::new(),
            error_at: None,
            depth: 0,
            height: 0,
            too_deep_reported: false,
            surroundings: Surroundings::default(),
            suspect_brace: None,
            lookahead_budget,
        };
        parser.settle();
        parser
    }

    fn finish(self) -> (GreenNode, Errors) {
        (self.builder.finish(), self.errors)
    }

    // ----- looking -----

    fn at(&self, kind: SyntaxKind) -> bool {
        self.kind == kind
    }

    /// Is the current token the contextual keyword `word`?
    fn at_word(&self, word: &str) -> bool {
        self.kind == Ident && self.current_text() == word
    }

    /// The kind of the `n`th token from here that is not trivia; `nth(0)` is the current one.
    fn nth(&self, n: usize) -> SyntaxKind {
        self.nth_index(n)
            .map_or(Eof, |index| self.tokens[index].kind)
    }

    fn nth_index(&self, n: usize) -> Option<usize> {
        (self.at..self.tokens.len())
            .filter(|&index| !self.tokens[index].kind.is_trivia())
            .nth(n)
    }

    /// Is the token after the current one the contextual keyword `word`?
    fn word_after(&self, word: &str) -> bool {
        let next = self.nth_index(1).map(|index| self.tokens[index]);
        next.is_some_and(|next| next.kind == Ident && next.span().slice(self.text) == word)
    }

    fn current_text(&self) -> &'t str {
        self.current_span().slice(self.text)
    }

    fn current_span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span(),
            None => Span::new(self.text.len() as u32, self.text.len() as u32),
        }
    }

    /// Does a line begin with the current token?
    fn first_on_line(&self) -> bool {
        let between = Span::new(self.last_end, self.current_span().start);
        self.last_end == 0 || between.slice(self.text).contains('\n')
    }

    /// The last byte before the current token and the trivia before it.
    fn last_byte(&self) -> u8 {
        self.text.as_bytes()[..self.last_end as usize]
            .last()
            .copied()
            .unwrap_or(b';')
    }

    /// Are the current token and the next written without anything between them?
    fn joined(&self, first: SyntaxKind, second: SyntaxKind) -> bool {
        let next = self.tokens.get(self.at + 1);
        self.at(first) && next.is_some_and(|token| token.kind == second)
    }

    // ----- taking -----

    /// Takes the current token into the tree.
    fn bump(&mut self) {
        self.bump_as(self.kind);
    }

    /// Takes the current token as one of another kind.
    fn bump_as(&mut self, kind: SyntaxKind) {
        self.flush_trivia();
        if let Some(&token) = self.tokens.get(self.at) {
            self.token(kind, token.span());
            self.last_end = token.end;
            self.garbled &= token.kind != Semicolon;
            self.at += 1;
            self.flushed = self.at;
            self.settle();
        }
    }

    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes an opening bracket and says where it is.
    fn bump_opening(&mut self) -> Span {
        let span = self.current_span();
        self.bump();
        span
    }

    /// Takes the `>` of a type even where it is the beginning of `>=`.
    fn eat_closing_angle(&mut self) -> bool {
        if self.at(GtEq) {
            self.flush_trivia();
            let start = self.tokens[self.at].start;
            self.token(Gt, Span::new(start, start + 1));
            self.tokens[self.at].kind = Eq;
            self.tokens[self.at].start = start + 1;
            self.last_end = start + 1;
            self.kind = Eq;
            return true;
        }
        self.eat(Gt)
    }

    fn token(&mut self, kind: SyntaxKind, span: Span) {
        self.builder
            .token(SongLanguage::kind_to_raw(kind), span.slice(self.text));
    }

    fn flush_trivia(&mut self) {
        while self.flushed < self.at {
            let token = self.tokens[self.flushed];
            self.token(token.kind, token.span());
            self.flushed += 1;
        }
    }

    /// Moves on to the next token that is not trivia.
    fn settle(&mut self) {
        while let Some(token) = self
            .tokens
            .get(self.at)
            .filter(|token| token.kind.is_trivia())
        {
            match token.kind {
                Unknown => self.garbled = true,
                Whitespace if token.span().slice(self.text).contains('\n') => self.garbled = false,
                _ => {}
            }
            self.at += 1;
        }
        self.kind = self.tokens.get(self.at).map_or(Eof, |token| token.kind);
    }

    // ----- nodes -----

    /// The place before the current token, where a node may begin.
    fn open(&mut self) -> Checkpoint {
        self.flush_trivia();
        self.builder.checkpoint()
    }

    /// Makes everything since `start` a node.
    fn close(&mut self, start: Checkpoint, kind: SyntaxKind) {
        self.builder
            .start_node_at(start, SongLanguage::kind_to_raw(kind));
        self.builder.finish_node();
    }

    // ----- context -----

    /// Runs `parse` one level deeper, or reports that this is too deep and skips.
    fn deeper(&mut self, parse: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.too_deep(format!(
                "nested too deeply: the limit is {MAX_DEPTH} levels"
            ));
            return;
        }
        self.depth += 1;
        parse(self);
        self.depth -= 1;
    }

    fn within<T>(&mut self, surroundings: Surroundings, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.surroundings, surroundings);
        let result = parse(self);
        self.surroundings = outer;
        result
    }

    // ----- lists -----

    /// `open element, element, … close`, with an optional comma at the end; the current token is
    /// the opening bracket. Returns how many elements there were.
    fn delimited(
        &mut self,
        what: &str,
        starts: fn(SyntaxKind) -> bool,
        element: fn(&mut Self),
    ) -> usize {
        let close = self.kind.closing().unwrap_or(Eof);
        let opening = self.bump_opening();
        let count = self.within(Surroundings::default(), |p| {
            p.elements(what, close, starts, element)
        });
        self.expect_closing(close, opening);
        count
    }

    fn elements(
        &mut self,
        what: &str,
        close: SyntaxKind,
        starts: fn(SyntaxKind) -> bool,
        element: fn(&mut Self),
    ) -> usize {
        let mut count = 0;
        while !self.at(close) && !self.at_list_end() {
            if !starts(self.kind) {
                self.expected(&format!("{what} or {}", quoted(close)));
                self.skip_in_list(close);
                if !self.eat(Comma) {
                    break;
                }
                continue;
            }
            let before = self.at;
            element(self);
            if self.at == before {
                break;
            }
            count += 1;
            if self.at(close) || self.at_list_end() || self.eat(Comma) {
                continue;
            }
            self.expected(&format!("`,` or {}", quoted(close)));
            if !starts(self.kind) || self.first_on_line() && self.kind.starts_keyword_statement() {
                self.skip_in_list(close);
                self.eat(Comma);
            }
        }
        count
    }
}

/// A token of fixed spelling as it appears in a message.
fn quoted(kind: SyntaxKind) -> String {
    format!("`{}`", kind.spelling().unwrap_or("?"))
}
