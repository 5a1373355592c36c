//! Sequentializations: which asyncs are eliminated, and in which order they run.

use super::Parser;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    /// `sequentialize A, B as C invariant e decreases e, … { … }`, `sequentialize A, B into C;`,
    /// `sequentialize A, B as C into M as N by I(x) choosing k with k = e … { … }`
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
        let inductive = into && self.eat(AsKw);
        if inductive {
            self.expect_name("the name of an action");
            self.induction();
        }
        self.loop_clauses();
        match into && !inductive {
            true => self.expect_semicolon(),
            false => self.block(),
        }
        self.close(start, SequentializeItem);
    }

    /// `by I(x) choosing k with k = e, …`
    fn induction(&mut self) {
        match self.at_word("by") {
            true => self.bump_as(ByKw),
            false => {
                let help = "write `into M as N by I(x) choosing k { … }`, where `I` is an action: what `M` \
                            and some of its asyncs do together, and which of them are left";
                self.expected_with_help("`by`", help);
                return;
            }
        }
        self.commute_side();
        if self.at_word("with") {
            self.bump_as(WithKw);
            self.witnesses();
        }
    }
}
