//! Giving values: `let`, `var` and assignments.

use plainsong_diagnostics::{Diagnostic, Span, nearest};
use rowan::Checkpoint;

use super::Parser;
use crate::codes;
use crate::foreign::foreign_keyword;
use crate::kinds::KEYWORDS;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    /// `let x [: T] = …;`, where `value` says what may stand on the right.
    pub(super) fn let_statement(&mut self, value: fn(&mut Self)) {
        let start = self.open();
        self.bump();
        self.let_mut();
        if self.at_destructuring() {
            self.pattern();
        } else {
            self.expect_name("the name of a value");
        }
        let help = "a `let` gives its name a value: `let x = …;`";
        self.type_and_value(help, false, value);
        self.close(start, LetStmt);
    }

    /// `let (a, b)` or `let Entry { term, .. }`: not a name alone.
    fn at_destructuring(&self) -> bool {
        matches!(self.kind, LParen | SomeKw)
            || self.at(Ident) && matches!(self.nth(1), LBrace | LParen | ColonColon)
    }

    /// `let mut x`: reported, and read as `let x`.
    fn let_mut(&mut self) {
        if self.at_word("mut") && self.nth(1) == Ident {
            let message = "there is no `let mut`";
            let diagnostic =
                Diagnostic::error(&codes::UNEXPECTED_TOKEN, self.current_span(), message)
                    .help("a `let` never changes; what changes is a variable: `var x = …;`");
            self.report(diagnostic);
            let start = self.open();
            self.bump();
            self.close(start, Error);
        }
    }

    /// `var x [: T] = …;`
    pub(super) fn var_declaration(&mut self) {
        let start = self.open();
        if self.at_word("durable") {
            self.bump_as(DurableKw);
        }
        let is_linear = self.eat(LinearKw);
        self.bump();
        self.expect_name("the name of a variable");
        self.type_and_value(
            "a variable needs an initial value: `var x: T = …;`",
            is_linear,
            |p| {
                p.initial_value();
                p.optional_layers();
            },
        );
        self.close(start, VarDecl);
    }

    /// `in x: T [where e];`
    pub(super) fn input(&mut self) {
        let start = self.open();
        self.bump();
        self.expect_name("the name of an input");
        if self.expect(Colon) {
            self.ty();
        }
        if self.at(Eq) {
            let help =
                "a process is given its inputs when it starts; `var x: T = …;` begins with a value";
            self.expected_with_help("`where` or `;`", help);
        } else {
            self.optional_where();
        }
        self.expect_semicolon();
        self.close(start, VarDecl);
    }

    /// `[: T] = …;`; of a variable that holds permissions `[: T [as Part]] = …;`
    fn type_and_value(&mut self, help: &str, is_linear: bool, value: fn(&mut Self)) {
        if self.joined(Colon, Eq) {
            self.colon_equals();
        } else {
            if self.eat(Colon) {
                self.ty();
                if is_linear && self.eat(AsKw) {
                    self.expect_name("the part of its permissions that a variable holds");
                }
            }
            if self.eat(Eq) {
                value(self);
            } else {
                self.expected_with_help("`=`", help);
            }
        }
        self.expect_semicolon();
    }

    pub(super) fn initial_value(&mut self) {
        if self.at(ChooseKw) || (self.at_word("fair") && self.nth(1) == ChooseKw) {
            self.choose();
        } else if self.at(CallKw) {
            self.called();
        } else {
            self.expression();
        }
    }

    /// `x := e`: reported, and read as `x = e`.
    fn colon_equals(&mut self) {
        let colon = self.current_span();
        self.report(
            Diagnostic::error(
                &codes::WRONG_OPERATOR,
                Span::new(colon.start, colon.end + 1),
                "assignment is written `=`, not `:=`",
            )
            .fix("write `=`", vec![(colon, String::new())])
            .help("write `=`"),
        );
        self.skip_token();
        self.bump();
        self.initial_value();
    }

    /// `target = value;`, `target += value;`, …
    pub(super) fn assignment(&mut self, start: Checkpoint) {
        let first = self.current_span();
        let assignable = self.target();
        let target = Span::new(first.start, self.last_end);
        if self.kind.is_assignment() {
            if !assignable {
                self.invalid_target(target);
            }
            self.bump();
            self.initial_value();
        } else if self.joined(Colon, Eq) {
            self.colon_equals();
        } else if self.at(SlashEq) || self.at(PercentEq) {
            self.missing_operator(target);
        } else if !self.in_error() {
            self.expression_alone(target);
            self.close(start, Error);
            return;
        }
        self.expect_semicolon();
        self.close(start, AssignStmt);
    }

    /// Takes the expression on the left; says whether it can be assigned to.
    fn target(&mut self) -> bool {
        let place_begins = self.at(Ident);
        let from = self.at;
        self.expression();
        place_begins && self.is_place(from)
    }

    /// Are the tokens since `from` of the form `x`, `x.f`, `x.0`, `x[…]`, in any combination?
    fn is_place(&self, from: usize) -> bool {
        let mut level = 0_usize;
        let mut after_dot = false;
        let mut tokens = self.tokens[from..self.at]
            .iter()
            .filter(|t| !t.kind.is_trivia())
            .skip(1);
        tokens.all(|token| {
            let name = after_dot;
            after_dot = token.kind == Dot;
            match token.kind {
                LBracket => level += 1,
                RBracket => level = level.saturating_sub(1),
                _ if level > 0 => {}
                Dot => {}
                Ident | Int => return name,
                _ => return false,
            }
            true
        })
    }

    fn invalid_target(&mut self, target: Span) {
        self.report(
            Diagnostic::error(&codes::INVALID_TARGET, target, "this cannot be assigned to").help(
                "a target is a variable, a field `x.f`, a component `x.0` or an entry `m[k]`",
            ),
        );
    }

    /// `x /= e` and `x %= e`.
    fn missing_operator(&mut self, target: Span) {
        let written = self.current_text();
        let operator = written.trim_end_matches('=');
        let variable = target.slice(self.text);
        let diagnostic = Diagnostic::error(
            &codes::WRONG_OPERATOR,
            self.current_span(),
            format!("there is no operator `{written}`"),
        )
        .help(format!("write `{variable} = {variable} {operator} …;`"));
        self.report(diagnostic);
        self.bump();
        self.expression();
    }

    /// Reports what looks like a statement but assigns nothing.
    fn expression_alone(&mut self, span: Span) {
        let text = span.slice(self.text);
        let ended = self.at(Semicolon) || self.at(RBrace) || self.first_on_line();
        let keyword = likely_statement(text);
        let diagnostic = if ended && keyword.is_none() {
            Diagnostic::error(
                &codes::EXPRESSION_STATEMENT,
                span,
                "an expression alone is not a statement",
            )
            .help(expression_help(text))
        } else {
            let found = self.found();
            let message = format!("expected `=` or another assignment, found {found}");
            let here = self.current_span();
            let mut diagnostic = Diagnostic::error(&codes::UNEXPECTED_TOKEN, here, message);
            diagnostic.help = match LOCKING.contains(&text) {
                true => Some(NO_LOCKS.to_owned()),
                false => keyword.map(|keyword| format!("did you mean `{keyword}`?")),
            };
            diagnostic
        };
        self.error(diagnostic);
        self.eat(Semicolon);
    }
}

/// Words of languages in which threads share what they wait for.
const LOCKING: [&str; 7] = [
    "lock",
    "unlock",
    "wait",
    "notify",
    "join",
    "synchronized",
    "acquire",
];

const NO_LOCKS: &str =
    "nothing is shared, so nothing is locked: who needs a value waits for the message with it";

/// The statement that was probably meant by a word that begins none.
fn likely_statement(word: &str) -> Option<&'static str> {
    let keywords = KEYWORDS
        .iter()
        .filter(|(_, kind)| kind.starts_keyword_statement());
    foreign_keyword(word).or_else(|| nearest(word, keywords.map(|&(spelling, _)| spelling)))
}

/// What to do with an expression that is used as a statement.
fn expression_help(text: &str) -> String {
    let callee = text.split('(').next().unwrap_or(text);
    match callee.split_once('.') {
        Some((variable, method)) if text.ends_with(')') => {
            let arguments = &text[callee.len()..];
            let change = match method {
                "push" | "append" | "add" | "insert" => format!(
                    "`{variable} = {variable}.with{arguments};` for a set or bag, \
                     `{variable} = {variable}.push{arguments};` for a sequence"
                ),
                _ => format!("`{variable} = {text};`"),
            };
            format!("methods return new values and change nothing: write {change}")
        }
        _ if text.ends_with(')') => {
            "to keep its value, assign it: `x = …;`; to leave work behind write `async Name(…);`, to send a message \
             `send Name(…) to …;`, to do what a choreography says `call name(…);`"
                .into()
        }
        _ => "to change a variable, assign to it: `x = …;`".into(),
    }
}
