//! Expressions with branches, and the blocks that stand for values.

use plainsong_diagnostics::Diagnostic;
use rowan::Checkpoint;

use super::collections::Braces;
use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    pub(super) fn if_expression(&mut self, start: Checkpoint) {
        let keyword = self.current_span();
        self.bump();
        self.condition();
        self.branch();
        if self.eat(ElseKw) {
            if self.at(IfKw) {
                let inner = self.open();
                self.deeper(|p| p.if_expression(inner));
            } else {
                self.branch();
            }
        } else if !self.in_error() {
            self.report(
                Diagnostic::error(
                    &codes::MISSING_ELSE,
                    keyword,
                    "an `if` that is used as a value needs an `else`",
                )
                .help("add `else { … }` with the value for the other case"),
            );
        }
        self.close(start, IfExpr);
    }

    pub(super) fn match_expression(&mut self, start: Checkpoint) {
        self.bump();
        self.condition();
        self.braced_arms(Self::match_arm);
        self.close(start, MatchExpr);
    }

    fn match_arm(&mut self) {
        let start = self.open();
        self.pattern();
        self.expect_fat_arrow();
        let value = self.open();
        let block = self.at(LBrace);
        if block {
            self.deeper(|p| p.set(value, Braces::Branch));
        } else {
            self.expression();
        }
        if !self.eat(Comma) && !self.at(RBrace) && !block {
            self.expected("`,` or `}`");
        }
        self.close(start, MatchArm);
    }

    /// `{ let …; e }` where a branch or the body of a function stands.
    pub(super) fn branch(&mut self) {
        if !self.at_opening_brace() {
            return;
        }
        self.deeper(|p| {
            let start = p.open();
            let opening = p.bump_opening();
            p.within(Surroundings::default(), Self::block_content);
            p.expect_closing(RBrace, opening);
            p.close(start, BlockExpr);
        });
    }

    pub(super) fn block_content(&mut self) {
        while self.at(LetKw) {
            self.let_statement(|p| _ = p.expression());
            if self.in_error() {
                self.recover_statement();
            }
        }
        if self.at(RBrace) {
            self.expected_with_help(
                "an expression",
                "a block that stands for a value ends with an expression, without `;`",
            );
            return;
        }
        self.expression();
        match self.kind {
            Comma | ForKw | WhereKw => self.expected_with_help(
                "`}`",
                "this `{` begins a block; a set needs its own braces: `{ {1, 2} }`",
            ),
            Semicolon => self.expected_with_help(
                "`}`",
                "the block's value is its last expression, written without `;`",
            ),
            RBrace => return,
            _ if self.kind.is_assignment() => self.expected_with_help(
                "`}`",
                "an expression cannot assign; name values with `let x = …;`",
            ),
            _ => return,
        }
        self.skip_while(|p| !(p.at(RBrace) || p.first_on_line() && p.kind.starts_only_items()));
    }
}
