//! Tuples, sets, bags, sequences, maps and comprehensions.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::Checkpoint;

use super::expressions::{COMPARE, infix_level, starts_element};
use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    pub(super) fn parenthesised(&mut self, start: Checkpoint) {
        let opening = self.bump_opening();
        let mut parts = 0;
        let mut comma = false;
        self.within(Surroundings::default(), |p| {
            while p.kind.starts_expression() {
                p.expression();
                parts += 1;
                if !p.eat(Comma) {
                    return;
                }
                comma = true;
            }
            if parts == 0 {
                p.expression();
            }
        });
        if parts == 1 && comma {
            let whole = Span::new(opening.start, self.current_span().end);
            self.report(tuple_too_small(whole));
        }
        if self.at(Eq) {
            self.expected_with_help("`)`", "to compare, write `==`");
        }
        self.expect_closing(RParen, opening);
        self.close(start, if parts > 1 { TupleExpr } else { ParenExpr });
    }

    /// `[…]`: elements, or `e for x in S where p`.
    pub(super) fn sequence(&mut self, start: Checkpoint) {
        let opening = self.bump_opening();
        let mut kind = SeqExpr;
        self.within(Surroundings::default(), |p| {
            if p.at(RBracket) {
                return;
            }
            p.expression();
            if p.at(ForKw) {
                p.comprehension_tail();
                kind = SeqComprehension;
            } else if !p.at(RBracket) {
                p.more_elements(RBracket);
            }
        });
        self.expect_closing(RBracket, opening);
        self.close(start, kind);
    }

    /// The elements after the first.
    fn more_elements(&mut self, close: SyntaxKind) {
        if self.eat(Comma) {
            self.elements("an element", close, starts_element, |p| {
                p.expression();
            });
        }
    }

    /// `for x in S where p, y in T` inside brackets.
    fn comprehension_tail(&mut self) {
        self.bump();
        self.comprehension_binding();
        while self.eat(Comma) {
            self.comprehension_binding();
        }
    }

    fn comprehension_binding(&mut self) {
        let start = self.open();
        self.expect_name("the name of an element");
        if self.expect(InKw) {
            self.domain();
            self.optional_where();
        }
        self.close(start, Binding);
    }

    pub(super) fn bag(&mut self, start: Checkpoint) {
        self.bump();
        if self.at(LBrace) {
            self.delimited("an element", starts_element, |p| _ = p.expression());
        } else {
            self.expected_with_help("`{`", "a bag is written `bag {1, 1, 2}`");
        }
        self.close(start, BagExpr);
    }

    /// `{…}`: a set, a comprehension or, where a branch stands, a block.
    pub(super) fn set(&mut self, start: Checkpoint, braces: Braces) {
        let opening = self.bump_opening();
        let kind = self.within(Surroundings::default(), |p| p.set_content(braces));
        self.expect_closing(RBrace, opening);
        self.close(start, kind);
    }

    fn set_content(&mut self, braces: Braces) -> SyntaxKind {
        if self.at(RBrace) {
            return SetExpr;
        }
        if braces == Braces::Branch && self.at(LetKw) {
            self.block_content();
            return BlockExpr;
        }
        if self.at(Ident) && self.nth(1) == InKw && self.filter_follows(braces) {
            let start = self.open();
            self.bump();
            self.bump();
            self.domain();
            self.optional_where();
            self.close(start, Binding);
            return FilterComprehension;
        }
        self.expression();
        match self.kind {
            ForKw => {
                self.comprehension_tail();
                SetComprehension
            }
            Comma => {
                self.more_elements(RBrace);
                SetExpr
            }
            RBrace if braces == Braces::Branch => BlockExpr,
            _ => SetExpr,
        }
    }

    /// Is `{ x in` the beginning of a comprehension, and not an expression that goes on with an
    /// operator or is one of several elements?
    ///
    /// Nested comprehensions look over the same tokens again; the budget keeps that linear.
    fn filter_follows(&mut self, braces: Braces) -> bool {
        let mut level = 0_usize;
        for token in self.tokens[self.at..]
            .iter()
            .skip_while(|token| token.kind != InKw)
            .skip(1)
        {
            if self.lookahead_budget == 0 {
                return false;
            }
            self.lookahead_budget -= 1;
            match token.kind {
                LParen | LBracket | LBrace => level += 1,
                RParen | RBracket | RBrace if level > 0 => level -= 1,
                _ if level > 0 => {}
                WhereKw => return true,
                RBrace => return braces == Braces::Set,
                kind if ends_domain(kind) => return false,
                _ => {}
            }
        }
        false
    }

    /// `map k: K => e`.
    pub(super) fn map(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a key");
        if self.expect(Colon) {
            self.ty();
            self.expect_fat_arrow();
            self.expression();
        }
        self.close(start, MapExpr);
    }
}

/// What braces around values may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Braces {
    /// A set or a comprehension.
    Set,
    /// Where a branch stands: a block, unless what is inside can only be a set.
    Branch,
}

/// Tokens that cannot stand in what `x in …` takes its values from.
fn ends_domain(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        RParen | RBracket | Comma | Semicolon | ForKw | ForallKw | ExistsKw
    ) || infix_level(kind).is_some_and(|level| level < COMPARE)
}

fn tuple_too_small(span: Span) -> Diagnostic {
    Diagnostic::error(
        &codes::TUPLE_TOO_SMALL,
        span,
        "a tuple has two components or more",
    )
    .help("leave out the comma to put an expression in parentheses")
}
