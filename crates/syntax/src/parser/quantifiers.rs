//! Quantifiers and what their variables range over.

use rowan::Checkpoint;

use super::{Parser, Surroundings};
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// `forall`, `exists`, `count` and `sum`.
    pub(super) fn quantifier(&mut self, start: Checkpoint, keyword: SyntaxKind) {
        self.bump_as(keyword);
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
        if self.eat(ColonColon) {
            self.expression();
        } else {
            self.expected_with_help(
                "`::`",
                "a quantifier is written `forall x: T :: p` or `exists x in S :: p`, `::` with spaces",
            );
        }
        self.close(start, QuantifierExpr);
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
