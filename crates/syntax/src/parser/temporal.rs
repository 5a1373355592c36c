//! Temporal claims: `eventually p`, `infinitely often p`, `eventually always p`, `p leads to q`.
//!
//! `leads to` binds looser than every operator of expressions. A `forall` in front is about the claim, and
//! brackets around a claim are told from those of an expression by what stands in them.

use super::Parser;
use crate::kinds::SyntaxKind::*;

/// What can be claimed.
const CLAIMS: &str = "`finally`, `always`, `eventually`, `infinitely often` or `p leads to q`";
const HELP: &str = "say when it should hold: `always e`, `finally e`, `eventually e`, `infinitely often e`, \
                    `eventually always e`, `p leads to q` or `eventually quiescent`";

impl Parser<'_> {
    /// A claim about whole executions; was there one?
    pub(super) fn temporal_claim(&mut self) -> bool {
        match self.kind {
            EventuallyKw => self.eventually(),
            ForallKw => self.quantified_claim(),
            LParen if self.brackets_a_claim() => self.bracketed_claims(),
            Semicolon | Eof => {
                self.expected_with_help(CLAIMS, HELP);
                return false;
            }
            _ if self.at_word("infinitely") => {
                self.bump_as(InfinitelyKw);
                match self.at_word("often") {
                    true => self.bump_as(OftenKw),
                    false => self.expected_with_help("`often`", HELP),
                }
                self.expression();
            }
            _ => {
                self.expression();
                if !self.at_word("leads") {
                    self.expected_with_help("`leads to`", HELP);
                    return false;
                }
                self.bump_as(LeadsKw);
                self.expect(ToKw);
                self.expression();
            }
        }
        self.measure_clause();
        true
    }

    /// `by measure (e, …)`, if it is there.
    fn measure_clause(&mut self) {
        if !(self.at_word("by") && self.word_after("measure")) {
            return;
        }
        let start = self.open();
        self.bump_as(ByKw);
        self.bump_as(MeasureKw);
        self.expect(LParen);
        self.levels();
        self.expect(RParen);
        self.close(start, MeasureClause);
    }

    /// `unfair`, `weakly fair` or `fair` after a claim.
    pub(super) fn fairness(&mut self) {
        if self.at_word("unfair") {
            self.bump_as(UnfairKw);
            return;
        }
        let is_weakly = self.at_word("weakly");
        if is_weakly {
            self.bump_as(WeaklyKw);
        }
        if self.at_word("fair") {
            self.bump_as(FairKw);
        } else if is_weakly {
            self.expected("`fair`");
        }
    }

    /// Does a temporal claim go on after the name at hand? Then `count` is a name, too: `count leads to …`.
    pub(super) fn claim_goes_on(&self) -> bool {
        let binds = matches!(self.nth(2), Colon | Comma | InKw);
        let words = ["leads", "fair", "unfair", "weakly"];
        !binds && words.into_iter().any(|word| self.word_after(word))
    }

    /// Is this `unfair`, `fair` or `strong fair` before a process, an action or a fault?
    pub(super) fn at_declared_fairness(&self) -> bool {
        let is_owed = |at: usize| {
            let kind = self.nth(at);
            matches!(kind, ProcessKw | DaemonKw | ActionKw)
                || (kind == Ident && self.nth(at + 1) == ActionKw)
        };
        let fair = self.at_word("fair") || self.at_word("unfair");
        let of_fault = self.word_after("fault") && self.nth(2) == Ident;
        (fair && (is_owed(1) || of_fault))
            || (self.at_word("strong") && self.word_after("fair") && is_owed(2))
    }

    /// `unfair process p { … }`, `strong fair repeat action A(…) { … }`
    pub(super) fn fair_item(&mut self) {
        let start = self.open();
        if self.at_word("unfair") {
            self.bump_as(UnfairKw);
        } else {
            if self.at_word("strong") {
                self.bump_as(StrongKw);
            }
            self.bump_as(FairKw);
        }
        match self.kind {
            ProcessKw | DaemonKw => self.process(start),
            _ if self.at_word("repeat") => {
                self.bump_as(RepeatKw);
                self.action(start);
            }
            ActionKw => self.action(start),
            _ if self.at_word("fault") => self.fault_from(start),
            _ => self.expected("`process`, `action` or `fault`"),
        }
    }

    fn eventually(&mut self) {
        self.bump();
        self.eat(AlwaysKw);
        self.expression();
    }

    fn quantified_claim(&mut self) {
        let start = self.open();
        self.bump();
        self.bindings();
        if self.eat(ColonColon) {
            let claim = self.open();
            self.temporal_claim();
            self.close(claim, Claim);
        } else {
            self.no_body();
        }
        self.close(start, QuantifiedClaim);
    }

    /// `(claim) && (claim)`
    fn bracketed_claims(&mut self) {
        loop {
            self.expect(LParen);
            let claim = self.open();
            self.temporal_claim();
            self.close(claim, Claim);
            self.expect(RParen);
            if !self.eat(AndOp) {
                break;
            }
        }
    }

    /// Does the bracket at hand contain a claim?
    fn brackets_a_claim(&self) -> bool {
        let tokens = self.tokens[self.at..].iter();
        let mut tokens = tokens.filter(|token| !token.kind.is_trivia()).peekable();
        let mut depth = 0;
        while let Some(token) = tokens.next() {
            let next = tokens.peek().map(|next| next.span().slice(self.text));
            match (token.kind, token.span().slice(self.text), next) {
                (LParen, ..) => depth += 1,
                (RParen, ..) => depth -= 1,
                (EventuallyKw, ..)
                | (Ident, "leads", Some("to"))
                | (Ident, "infinitely", Some("often")) => return true,
                (Semicolon, ..) => return false,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }
}
