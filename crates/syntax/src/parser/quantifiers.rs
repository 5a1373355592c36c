//! Quantifiers and what their variables range over.

use rowan::Checkpoint;

use super::{Parser, Surroundings};
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// `forall`, `exists`, `count` and `sum`.
    pub(super) fn quantifier(&mut self, start: Checkpoint, keyword: SyntaxKind) {
        self.bump_as(keyword);
        self.bindings();
        if self.eat(ColonColon) {
            self.expression();
        } else {
            self.no_body();
        }
        self.close(start, QuantifierExpr);
    }

    /// The names that a quantifier binds, up to its `::`.
    pub(super) fn bindings(&mut self) {
        let surroundings = Surroundings {
            body_follows: true,
            ..self.surroundings
        };
        self.within(surroundings, |p| {
            p.binding();
            while p.eat(Comma) {
                p.binding();
            }
        });
    }

    /// There is no `::` where a quantifier should have one.
    pub(super) fn no_body(&mut self) {
        self.expected_with_help(
            "`::`",
            "a quantifier is written `forall x: T :: p` or `exists x in S :: p`, `::` with spaces",
        );
    }

    /// `x, y: T where p` or `x in S where p`.
    fn binding(&mut self) {
        let start = self.open();
        self.expect_name("the name of a variable");
        while self.eat(Comma) {
            self.expect_name("the name of a variable");
        }
        if self.eat(Colon) {
            self.ty();
        } else if self.eat(InKw) {
            self.domain();
        } else {
            self.expected_with_help(
                "`:` or `in`",
                "say what the variable ranges over: `x: T` or `x in S`",
            );
        }
        self.optional_where();
        self.close(start, Binding);
    }
}
