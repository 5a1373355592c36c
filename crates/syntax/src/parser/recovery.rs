//! Reporting mistakes, and skipping to where parsing can go on.
//!
//! One mistake gives one diagnostic: after an error at a token there is no further error until that
//! token has been taken or skipped.

use plainsong_diagnostics::{Code, Diagnostic, Span};

use super::{Parser, quoted};
use crate::codes;
use crate::foreign::{foreign_keyword, foreign_operator};
use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::Token;

impl Parser<'_> {
    // ----- reporting -----

    /// Reports a mistake at the current token, unless one was reported here already.
    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.error_at = Some(self.at);
    }

    /// Reports a mistake in what was already taken; parsing goes on undisturbed.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.error_at != Some(self.at) && !self.garbled {
            self.errors.push(diagnostic);
        }
    }

    pub(super) fn error_here(&mut self, code: &'static Code, message: impl Into<String>) {
        self.error(Diagnostic::error(code, self.current_span(), message));
    }

    /// Was a mistake reported at the current token?
    pub(super) fn in_error(&self) -> bool {
        self.error_at == Some(self.at)
    }

    pub(super) fn expected(&mut self, what: &str) {
        let diagnostic = self.expectation(what);
        self.error(diagnostic);
    }

    pub(super) fn expected_with_help(&mut self, what: &str, help: &str) {
        let diagnostic = self.expectation(what).help(help);
        self.error(diagnostic);
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        let mut diagnostic =
            Diagnostic::error(&codes::UNEXPECTED_TOKEN, self.current_span(), message)
                .label(format!("expected {what}"));
        diagnostic.help = self.likely_slip();
        diagnostic
    }

    /// The current token as it appears in a message.
    pub(super) fn found(&self) -> String {
        match self.kind {
            Eof => "the end of the file".into(),
            Reserved => format!("reserved word `{}`", self.current_text()),
            kind if kind.is_keyword() => format!("keyword `{}`", self.current_text()),
            _ => {
                let shown: String = self.current_text().chars().take(40).collect();
                format!("`{shown}`")
            }
        }
    }

    /// What the current token was probably meant to be.
    fn likely_slip(&self) -> Option<String> {
        match self.kind {
            Ident => {
                let (word, before) = (self.current_text(), self.last_word());
                [word, before]
                    .into_iter()
                    .find_map(operator_slip)
                    .or_else(|| {
                        foreign_keyword(word).map(|keyword| format!("did you mean `{keyword}`?"))
                    })
            }
            Colon if self.nth(1) == Eq => Some("assignment is written `=`".into()),
            Reserved => Some(format!(
                "`{}` is reserved for a later version",
                self.current_text()
            )),
            _ => None,
        }
    }

    /// The word that ends directly before the trivia before the current token.
    fn last_word(&self) -> &str {
        let before = &self.text[..self.last_end as usize];
        before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("")
    }

    /// Reports that things are nested too deeply and skips what is inside.
    pub(super) fn too_deep(&mut self, message: String) {
        if !self.too_deep_reported {
            self.too_deep_reported = true;
            let diagnostic = Diagnostic::error(&codes::TOO_DEEP, self.current_span(), message)
                .help("split it up with `let`, a function or a loop");
            self.report(diagnostic);
        }
        self.skip_balanced();
        self.error_at = Some(self.at);
    }

    // ----- expecting -----

    pub(super) fn expect(&mut self, kind: SyntaxKind) -> bool {
        self.eat(kind) || {
            self.expected(&quoted(kind));
            false
        }
    }

    /// The end of a statement or item.
    pub(super) fn expect_semicolon(&mut self) {
        if self.eat(Semicolon) || self.in_error() {
            return;
        }
        if self.at(Eof) || self.at(RBrace) || self.first_on_line() {
            let after = Span::new(self.last_end, self.last_end);
            self.error(
                Diagnostic::error(&codes::MISSING_SEMICOLON, after, "expected `;`")
                    .label("add `;` here")
                    .fix("add `;`", vec![(after, ";".into())]),
            );
        } else {
            self.expected("`;` or an operator");
        }
    }

    /// The bracket that closes the one at `opening`.
    pub(super) fn expect_closing(&mut self, close: SyntaxKind, opening: Span) {
        if self.at(close) {
            self.note_indentation(close, opening);
            self.bump();
            return;
        }
        let message = format!("expected {}, found {}", quoted(close), self.found());
        let opened = opening.slice(self.text);
        let mut diagnostic =
            Diagnostic::error(&codes::UNCLOSED_DELIMITER, self.current_span(), message)
                .label(format!("expected {}", quoted(close)))
                .also(opening, format!("this `{opened}` is not closed"));
        if let Some(suspect) = self.suspect_brace.take_if(|_| close == RBrace) {
            diagnostic = diagnostic.also(suspect, "this `{` may be the one: see its indentation");
        }
        self.error(diagnostic);
    }

    /// Remembers a brace whose `}` stands further left than the line that opened it.
    fn note_indentation(&mut self, close: SyntaxKind, opening: Span) {
        if close == RBrace
            && self.suspect_brace.is_none()
            && self.first_on_line()
            && self.indentation(self.current_span().start) < self.indentation(opening.start)
        {
            self.suspect_brace = Some(opening);
        }
    }

    /// How far the line that contains `offset` is indented.
    pub(super) fn indentation(&self, offset: u32) -> usize {
        let before = &self.text[..offset as usize];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..]
            .bytes()
            .take_while(|&byte| byte == b' ' || byte == b'\t')
            .count()
    }

    /// A name that is being declared or used; `what` says of what.
    pub(super) fn expect_name(&mut self, what: &str) -> bool {
        if self.eat(Ident) {
            return true;
        }
        if self.at(Int) && self.current_text().contains(char::is_alphabetic) {
            // The lexer has said that a name cannot begin with a digit.
            self.bump_as(Ident);
            return true;
        }
        let begins_something = self.kind.starts_item() || self.kind.starts_keyword_statement();
        if self.at(Reserved) {
            self.reserved_word();
            self.bump_as(Ident);
            return true;
        }
        if self.kind.is_keyword() && !(begins_something && self.first_on_line()) {
            let word = self.current_text();
            let message = format!("`{word}` is a keyword and cannot be {what}");
            let diagnostic =
                Diagnostic::error(&codes::KEYWORD_AS_NAME, self.current_span(), message)
                    .help(format!("choose another name, such as `{word}_`"));
            self.error(diagnostic);
            self.misused.push(self.kind);
            self.bump_as(Ident);
            return true;
        }
        self.expected(what);
        false
    }

    pub(super) fn reserved_word(&mut self) {
        let word = self.current_text();
        let message = format!("`{word}` is reserved for a later version of the language");
        let diagnostic = Diagnostic::error(&codes::RESERVED_WORD, self.current_span(), message)
            .help("choose another name");
        self.error(diagnostic);
    }

    // ----- skipping -----

    /// Is this where a list surely ends, closed or not?
    pub(super) fn at_list_end(&self) -> bool {
        let is_type = self.at(ProcessKw) && self.nth(1) != Ident;
        matches!(self.kind, Eof | Semicolon | RParen | RBracket | RBrace)
            || self.kind.starts_only_items() && self.first_on_line() && !is_type
    }

    /// Skips what does not belong into a list, up to the next comma or the end of the list.
    pub(super) fn skip_in_list(&mut self, close: SyntaxKind) {
        self.skip_while(|p| {
            !(p.at(Comma)
                || p.at(close)
                || p.at_list_end()
                || p.first_on_line() && p.kind.starts_keyword_statement())
        });
    }

    /// Skips to the end of the statement: past its `;`, or to where the next one seems to begin.
    pub(super) fn recover_statement(&mut self) {
        let mut block_skipped = false;
        self.skip_while(|p| {
            let next = p.first_on_line()
                && (p.kind.starts_keyword_statement()
                    || p.kind.starts_expression()
                    || p.kind.starts_item()
                    || p.at(OnKw));
            let stop = p.at(Semicolon) || p.at(RBrace) || next || block_skipped && !p.at(ElseKw);
            block_skipped = p.at(LBrace);
            !stop
        });
        self.eat(Semicolon);
    }

    /// Skips to the next item.
    pub(super) fn recover_item(&mut self) {
        self.skip_while(|p| {
            let fresh = p.first_on_line() || matches!(p.last_byte(), b';' | b'}');
            !(p.kind.starts_item() && fresh)
        });
    }

    /// Skips stray tokens on this line up to a `{`, if there is one.
    pub(super) fn skip_to_brace(&mut self) {
        const REACH: usize = 128;
        let stops = |token: &Token| {
            matches!(token.kind, LBrace | Semicolon | RBrace)
                || token.kind == Whitespace && token.span().slice(self.text).contains('\n')
        };
        let reached = self.tokens[self.at..]
            .iter()
            .take(REACH)
            .find(|token| stops(token));
        if !self.first_on_line() && reached.is_some_and(|token| token.kind == LBrace) {
            self.skip_while(|p| !matches!(p.kind, LBrace | Semicolon | RBrace));
        }
    }

    /// Skips to where the bracket around the current token is closed, or the statement ends.
    fn skip_balanced(&mut self) {
        self.skip_while(|p| !matches!(p.kind, RParen | RBracket | RBrace | Semicolon | Comma));
    }

    /// Skips tokens, bracketed groups as a whole, while `more` says so; keeps them as an error node.
    pub(super) fn skip_while(&mut self, mut more: impl FnMut(&Self) -> bool) {
        if self.at(Eof) || !more(self) {
            return;
        }
        let start = self.open();
        loop {
            self.skip_group();
            if self.at(Eof) || !more(self) {
                break;
            }
        }
        self.close(start, Error);
    }

    /// Skips one token, or everything up to the bracket that closes it.
    ///
    /// A word that only begins items, at the margin, ends a group that is not closed.
    fn skip_group(&mut self) {
        let mut level = 0_usize;
        loop {
            match self.kind {
                LParen | LBracket | LBrace => level += 1,
                RParen | RBracket | RBrace => level = level.saturating_sub(1),
                _ => {}
            }
            self.bump();
            let item = self.kind.starts_only_items()
                && self.first_on_line()
                && self.indentation(self.current_span().start) == 0;
            if level == 0 || self.at(Eof) || item {
                return;
            }
        }
    }
}

/// A help line for a word that is an operator elsewhere.
fn operator_slip(word: &str) -> Option<String> {
    foreign_operator(word).map(|operator| format!("write `{operator}` instead of `{word}`"))
}
