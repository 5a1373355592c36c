//! Patterns of `match` and `is`.

use plainsong_diagnostics::{Diagnostic, Span};

use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// A pattern; reports when there is none.
    pub(super) fn pattern(&mut self) {
        if starts_pattern(self.kind) {
            self.deeper(Self::pattern_inside);
        } else if self.at(Reserved) {
            self.reserved_word();
        } else if is_word(self.kind) {
            self.deeper(Self::misnamed);
        } else {
            self.expected("a pattern");
        }
    }

    fn pattern_inside(&mut self) {
        let start = self.open();
        let kind = match self.kind {
            Underscore => self.taking(WildcardPattern),
            Int | TrueKw | FalseKw => self.taking(LiteralPattern),
            NoneKw => self.taking(NonePattern),
            Minus => {
                self.bump();
                self.expect(Int);
                LiteralPattern
            }
            SomeKw => self.some_pattern(),
            LParen => self.tuple_pattern(),
            _ => self.named_pattern(),
        };
        self.close(start, kind);
    }

    /// A keyword where a name was meant.
    fn misnamed(&mut self) {
        let start = self.open();
        self.expect_name("a name in a pattern");
        self.close(start, NamePattern);
    }

    fn taking(&mut self, kind: SyntaxKind) -> SyntaxKind {
        self.bump();
        kind
    }

    fn some_pattern(&mut self) -> SyntaxKind {
        self.bump();
        if self.at(LParen) {
            let opening = self.bump_opening();
            self.within(Surroundings::default(), Self::pattern);
            self.expect_closing(RParen, opening);
        } else {
            self.expected_with_help("`(`", "write `some(p)`, or `some(_)` for any value");
        }
        SomePattern
    }

    fn tuple_pattern(&mut self) -> SyntaxKind {
        let opening = self.current_span();
        let count = self.delimited("a pattern", may_start_pattern, Self::pattern);
        if count < 2 && !self.in_error() {
            let whole = Span::new(opening.start, self.last_end);
            self.report(Diagnostic::error(
                &codes::TUPLE_TOO_SMALL,
                whole,
                "a tuple pattern has two components or more",
            ));
        }
        TuplePattern
    }

    /// `x`, `Value(p)`, `Reply::Value(p)`, `Entry { … }`, `client[c]`.
    fn named_pattern(&mut self) -> SyntaxKind {
        let path = self.nth(1) == ColonColon
            && (!self.surroundings.body_follows || self.nth(2) == Ident && self.path_is_tight());
        self.bump();
        if path {
            self.bump();
            self.expect_name("a variant's name");
        }
        match self.kind {
            LParen => {
                self.delimited("a pattern", may_start_pattern, Self::pattern);
                VariantPattern
            }
            _ if path => VariantPattern,
            LBracket => {
                self.delimited("a pattern", may_start_pattern, Self::pattern);
                ProcessPattern
            }
            LBrace if !self.surroundings.block_follows => {
                self.delimited(
                    "a field",
                    |kind| kind == Ident || is_word(kind),
                    Self::field_pattern,
                );
                StructPattern
            }
            _ => NamePattern,
        }
    }

    /// `term` or `value: p`.
    fn field_pattern(&mut self) {
        let start = self.open();
        self.expect_name("the name of a field");
        if self.eat(Colon) {
            self.pattern();
        }
        self.close(start, FieldPattern);
    }
}

fn starts_pattern(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        Ident | Underscore | Int | Minus | TrueKw | FalseKw | NoneKw | SomeKw | LParen
    )
}

/// Inside brackets, where nothing else can begin with a word.
fn may_start_pattern(kind: SyntaxKind) -> bool {
    starts_pattern(kind) || is_word(kind)
}

/// A keyword that begins no pattern.
fn is_word(kind: SyntaxKind) -> bool {
    kind.is_keyword() && !starts_pattern(kind)
}
