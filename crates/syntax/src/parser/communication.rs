//! Statements that send and receive, and what a receive or a handler accepts.

use plainsong_diagnostics::{Diagnostic, Span, nearest};
use rowan::Checkpoint;

use super::Parser;
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    pub(super) fn send_statement(&mut self, start: Checkpoint) {
        self.bump();
        if self.at(ToKw) && !matches!(self.nth(1), ToKw | LParen) {
            self.expected("the name of a message");
        } else {
            self.expect_name("the name of a message");
        }
        if self.at(LParen) {
            self.arguments();
        }
        if self.eat(ToKw) {
            self.expression();
        } else {
            self.expected_with_help("`to`", "say who receives it: `send M to p;`");
        }
        self.expect_semicolon();
        self.close(start, SendStmt);
    }

    pub(super) fn async_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of an action");
        if self.at(LParen) {
            self.arguments();
        } else {
            self.expected_with_help("`(`", "an async has arguments, possibly none: `async A();`");
        }
        self.expect_semicolon();
        self.close(start, AsyncStmt);
    }

    pub(super) fn receive_statement(&mut self, start: Checkpoint) {
        self.bump();
        if self.at(LBrace) {
            let mut timeout = None;
            self.braced_arms(|p| p.receive_arm(&mut timeout));
            self.close(start, ReceiveChoice);
        } else {
            self.accept();
            self.expect_semicolon();
            self.close(start, ReceiveStmt);
        }
    }

    fn receive_arm(&mut self, timeout: &mut Option<Span>) {
        let start = self.open();
        if let Some(earlier) = *timeout {
            let message = "`timeout` comes last, once";
            self.report(
                Diagnostic::error(&codes::WRONG_ORDER, self.current_span(), message)
                    .also(earlier, "the `timeout` is here"),
            );
        }
        if self.at(TimeoutKw) {
            *timeout = Some(self.bump_opening());
            self.arm_body();
            self.close(start, TimeoutArm);
        } else {
            self.accept();
            self.arm_body();
            self.close(start, ReceiveArm);
        }
    }

    /// `Vote(yes) from any db where yes`
    pub(super) fn accept(&mut self) {
        let start = self.open();
        let nameless = self.at_word("from") && matches!(self.nth(1), Ident | AnyKw | SelfKw);
        if nameless {
            self.expected("the name of a message");
        } else {
            self.expect_name("the name of a message");
        }
        if self.at(LParen) {
            self.slots();
        }
        if self.at_word("from") {
            self.source();
        } else if self.at_misspelt_from() {
            self.misspelt_from();
            self.source();
        }
        self.optional_where();
        self.close(start, Accept);
    }

    /// A word like `from` before a sender, where no other word can stand.
    fn at_misspelt_from(&self) -> bool {
        self.at(Ident)
            && matches!(self.nth(1), Ident | AnyKw | SelfKw)
            && nearest(self.current_text(), ["from"]).is_some()
    }

    fn misspelt_from(&mut self) {
        let message = format!("expected `from`, found {}", self.found());
        let here = self.current_span();
        self.report(
            Diagnostic::error(&codes::UNEXPECTED_TOKEN, here, message)
                .help("did you mean `from`?")
                .fix("write `from`", vec![(here, "from".to_owned())]),
        );
    }

    /// `(x, _)` or `[x, _]`: fresh names.
    fn slots(&mut self) {
        let start = self.open();
        let starts = |kind| {
            matches!(kind, Ident | Underscore | Int | Reserved) || SyntaxKind::is_keyword(kind)
        };
        self.delimited("a name, `_`", starts, Self::slot);
        self.close(start, SlotList);
    }

    fn slot(&mut self) {
        if matches!(self.kind, Int | TrueKw | FalseKw | NoneKw | SomeKw) {
            self.expected_with_help(
                "a name or `_`",
                "bind what the message carries and test it with `where`: `M(x) where x == 1`",
            );
            return;
        }
        let start = self.open();
        if !self.eat(Underscore) {
            self.expect_name("a name or `_`");
        }
        self.close(start, Slot);
    }

    /// `from any [family [[x, …]]] [as x]` or `from expression`
    fn source(&mut self) {
        let start = self.open();
        self.bump_as(FromKw);
        if self.eat(AnyKw) {
            if self.family() && self.at(LBracket) {
                self.slots();
            }
            if self.eat(AsKw) {
                self.expect_name("a name for the sender");
            }
        } else {
            self.expression();
        }
        self.close(start, Source);
    }

    /// The family after `from any`, if one is named. What can follow `any` otherwise is `as`, `where` or
    /// the end; another keyword there was meant as a name.
    fn family(&mut self) -> bool {
        if matches!(self.kind, AsKw | WhereKw) || !self.kind.is_keyword() {
            return self.eat(Ident);
        }
        !self.first_on_line() && self.expect_name("the name of a process")
    }
}
