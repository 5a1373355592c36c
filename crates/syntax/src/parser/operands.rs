//! What an expression is made of: literals, names, collections, quantifiers, branches.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::Checkpoint;

use super::collections::Braces;
use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// An operand without its postfix forms; the current token starts an expression.
    pub(super) fn primary(&mut self, start: Checkpoint) {
        match self.kind {
            Int | TrueKw | FalseKw => self.leaf(start, Literal),
            NoneKw => self.leaf(start, NoneExpr),
            SelfKw => self.leaf(start, SelfExpr),
            Ident => self.named(start),
            BoolKw => {
                let inner = self.open();
                self.leaf(inner, PrimitiveType);
                self.close(start, TypeExpr);
            }
            SomeKw => self.wrapped(start, SomeExpr, "some(v)"),
            OldKw => self.wrapped(start, OldExpr, "old(e)"),
            LParen => self.parenthesised(start),
            LBracket => self.sequence(start),
            LBrace => self.set(start, Braces::Set),
            BagKw => self.bag(start),
            MapKw => self.map(start),
            IfKw => self.deeper(|p| p.if_expression(start)),
            MatchKw => self.match_expression(start),
            quantifier => self.quantifier(start, quantifier),
        }
    }

    fn leaf(&mut self, start: Checkpoint, kind: SyntaxKind) {
        self.bump();
        self.close(start, kind);
    }

    /// `x`, `f(…)`, `Enum::Variant`, `Enum::Variant(…)`, `Point { … }`, `pending(…)`, `sum x …`.
    fn named(&mut self, start: Checkpoint) {
        match self.nth(1) {
            LParen if self.at_word("pending") => self.pending(start),
            Ident if self.at_word("count") && !self.claim_goes_on() => {
                self.quantifier(start, CountKw);
            }
            Ident if self.at_word("sum") && !self.claim_goes_on() => {
                self.quantifier(start, SumKw);
            }
            LParen => {
                self.bump();
                self.arguments();
                self.close(start, CallExpr);
            }
            ColonColon if !self.surroundings.body_follows || self.path_is_tight() => {
                self.bump();
                self.bump();
                self.expect_name("a variant's name");
                if self.at(LParen) {
                    self.arguments();
                }
                self.close(start, PathExpr);
            }
            LBrace if self.struct_literal_follows() => self.struct_literal(start),
            _ => self.leaf(start, NameExpr),
        }
    }

    /// Are the next three tokens written without anything between them?
    pub(super) fn path_is_tight(&self) -> bool {
        let tokens = self.tokens.get(self.at..self.at + 3);
        tokens.is_some_and(|tokens| tokens[2].kind == Ident && tokens[1].kind == ColonColon)
    }

    /// Does `Name {` begin a struct literal? Where a block may follow, only what cannot be a block.
    fn struct_literal_follows(&self) -> bool {
        !self.surroundings.block_follows
            || self.nth(2) == Ident && self.nth(3) == Colon && self.nth(4) != Eq
            || self.nth(2) == DotDot
    }

    fn struct_literal(&mut self, start: Checkpoint) {
        let name = self.current_span();
        let restricted = self.surroundings.block_follows;
        self.bump();
        self.delimited(
            "a field",
            |kind| kind == Ident || kind == DotDot,
            Self::field_init,
        );
        if restricted {
            let whole = Span::new(name.start, self.last_end);
            self.report(
                Diagnostic::error(
                    &codes::STRUCT_IN_CONDITION,
                    whole,
                    "a struct literal here needs parentheses",
                )
                .help("a `{` after a condition begins its block")
                .fix(
                    "add parentheses",
                    vec![
                        (Span::new(whole.start, whole.start), "(".into()),
                        (Span::new(whole.end, whole.end), ")".into()),
                    ],
                ),
            );
        }
        self.close(start, StructExpr);
    }

    /// `x: e` or `..base`.
    fn field_init(&mut self) {
        let start = self.open();
        if self.eat(DotDot) {
            self.expression();
            self.close(start, StructBase);
            if self.at(Comma) {
                let message = "`..` with the other fields comes last, without a comma";
                let diagnostic =
                    Diagnostic::error(&codes::WRONG_ORDER, self.current_span(), message);
                self.report(diagnostic);
            }
            return;
        }
        self.bump();
        if self.eat(Colon) {
            self.expression();
        } else {
            self.expected_with_help("`:`", "every field is given as `name: value`");
        }
        self.close(start, FieldInit);
    }

    fn pending(&mut self, start: Checkpoint) {
        self.bump_as(PendingKw);
        let opening = self.bump_opening();
        if !self.at(RParen) {
            self.expect_name("the name of a message or action");
            if self.at(LParen) {
                self.arguments();
            }
            self.within(Surroundings::default(), Self::optional_address);
        }
        self.expect_closing(RParen, opening);
        self.close(start, PendingExpr);
    }

    /// `some(e)` and `old(e)`.
    fn wrapped(&mut self, start: Checkpoint, kind: SyntaxKind, form: &str) {
        self.bump();
        if self.at(LParen) {
            let opening = self.bump_opening();
            self.within(Surroundings::default(), Self::expression);
            self.expect_closing(RParen, opening);
        } else {
            self.expected_with_help("`(`", &format!("write `{form}`"));
        }
        self.close(start, kind);
    }

    /// `=>`, with a word about the arrows that people confuse it with.
    pub(super) fn expect_fat_arrow(&mut self) {
        if matches!(self.kind, ThinArrow | ImpliesOp | Eq) {
            let span = self.current_span();
            let message = format!("expected `=>`, found {}", self.found());
            self.report(
                Diagnostic::error(&codes::WRONG_OPERATOR, span, message)
                    .fix("write `=>`", vec![(span, "=>".into())])
                    .help("write `=>`"),
            );
            self.bump_as(FatArrow);
        } else {
            self.expect(FatArrow);
        }
    }
}
