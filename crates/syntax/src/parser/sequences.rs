//! Sequentializations: which asyncs are eliminated, and in which order they run.

use super::Parser;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    /// `sequentialize A, B as C invariant e decreases e, … { … }`, `sequentialize A, B into C;`
    pub(super) fn sequentialize_item(&mut self) {
        let start = self.open();
        self.bump_as(SequentializeKw);
        loop {
            let eliminated = self.open();
            self.expect_name("the name of an action");
            if self.eat(AsKw) {
                self.expect_name("the name of an action");
            }
            self.close(eliminated, Eliminated);
            if self.in_error() || !self.eat(Comma) {
                break;
            }
        }
        let into = self.at_word("into");
        if into {
            self.bump_as(IntoKw);
            self.expect_name("the name of an action");
        }
        self.loop_clauses();
        match into {
            true => self.expect_semicolon(),
            false => self.block(),
        }
        self.close(start, SequentializeItem);
    }
}
