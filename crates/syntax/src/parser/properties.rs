//! Properties and sizes.

use rowan::Checkpoint;

use super::Parser;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    pub(super) fn property(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a property");
        if self.at_word("by") {
            self.engines();
        }
        if self.at_word("at") {
            let list = self.open();
            self.bump_as(AtKw);
            self.sizings();
            self.close(list, SizingList);
        }
        if self.expect(Colon) {
            self.claim();
        }
        self.expect_semicolon();
        self.close(start, PropertyItem);
    }

    /// `invariant name: e;`
    pub(super) fn stated_invariant(&mut self) {
        let start = self.open();
        self.bump();
        self.expect_name("the name of an invariant");
        self.expect(Colon);
        let claim = self.open();
        self.expression();
        self.close(claim, Claim);
        self.expect_semicolon();
        self.close(start, PropertyItem);
    }

    /// `constraint name: e;`
    pub(super) fn constraint(&mut self) {
        let start = self.open();
        self.bump_as(ConstraintKw);
        self.expect_name("the name of a constraint");
        if self.expect(Colon) {
            self.expression();
        }
        self.expect_semicolon();
        self.close(start, ConstraintItem);
    }

    /// `by explore, sequentialize`; here a reserved word is a name like any other.
    fn engines(&mut self) {
        let start = self.open();
        self.bump_as(ByKw);
        loop {
            if self.at(Reserved) {
                self.bump_as(Ident);
            } else {
                self.expect_name("the name of an engine");
            }
            if !self.eat(Comma) {
                break;
            }
        }
        self.close(start, EngineList);
    }

    fn claim(&mut self) {
        let start = self.open();
        match self.kind {
            FinallyKw | AlwaysKw => {
                self.bump();
                self.expression();
            }
            EventuallyKw if self.word_after("quiescent") => {
                self.bump();
                self.bump_as(QuiescentKw);
                if self.at_word("fair") {
                    self.bump_as(FairKw);
                }
            }
            _ => {
                if !self.temporal_claim() {
                    return;
                }
                self.fairness();
            }
        }
        self.close(start, Claim);
    }

    pub(super) fn size(&mut self, start: Checkpoint) {
        self.bump();
        self.sizings();
        self.expect_semicolon();
        self.close(start, SizeItem);
    }

    fn sizings(&mut self) {
        self.sizing();
        while self.eat(Comma) {
            self.sizing();
        }
    }

    /// `Db = 3` or `Db = 2..=4`
    fn sizing(&mut self) {
        let start = self.open();
        self.expect_name("the name of a sort or parameter");
        if self.expect(Eq) && self.expect_integer() {
            if self.at(DotDot) {
                self.expected_with_help("`..=`", "sizes are given with both ends: `2..=4`");
            } else if self.eat(DotDotEq) {
                self.expect_integer();
            }
        }
        self.close(start, Sizing);
    }

    fn expect_integer(&mut self) -> bool {
        self.eat(Int) || {
            self.expected("an integer");
            false
        }
    }
}
