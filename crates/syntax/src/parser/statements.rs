//! Statements and the blocks they stand in.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::Checkpoint;

use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// `{ statement* }`; reports when there is no brace.
    pub(super) fn block(&mut self) {
        if self.at_opening_brace() {
            self.deeper(|p| {
                let start = p.open();
                p.braced(Self::statement);
                p.close(start, Block);
            });
        }
    }

    /// Is there a `{`, possibly after stray tokens on the same line? Reports when there is none.
    pub(super) fn at_opening_brace(&mut self) -> bool {
        if !self.at(LBrace) {
            let begins_statement =
                self.kind.starts_expression() || self.kind.starts_keyword_statement();
            match begins_statement {
                true => self.expected_with_help(
                    "`{`",
                    "blocks stand in braces, of one statement too: `{ … }`",
                ),
                false => self.expected("`{`"),
            }
            self.skip_to_brace();
        }
        self.at(LBrace)
    }

    /// `{ part* }`, with recovery after each part; the current token is the `{`.
    pub(super) fn braced(&mut self, mut part: impl FnMut(&mut Self)) {
        let opening = self.bump_opening();
        self.within(Surroundings::default(), |p| {
            while !p.at(RBrace) && !p.at(Eof) {
                if p.kind.starts_only_items() {
                    if p.item_is_outside(opening) {
                        break;
                    }
                    p.misplaced_item();
                } else {
                    p.part_of_block(&mut part);
                }
            }
        });
        self.expect_closing(RBrace, opening);
    }

    fn part_of_block(&mut self, part: &mut impl FnMut(&mut Self)) {
        let before = self.at;
        if self.at(Semicolon) {
            self.stray_semicolon();
        } else {
            part(self);
        }
        if self.in_error() || self.at == before {
            self.recover_statement();
        }
        if self.at == before {
            self.skip_token();
        }
    }

    /// An item's keyword inside a block: does the text look as if the block's `}` is missing?
    fn item_is_outside(&self, opening: Span) -> bool {
        let here = self.current_span().start;
        !self.first_on_line() || self.indentation(here) <= self.indentation(opening.start)
    }

    fn misplaced_item(&mut self) {
        let message = format!("`{}` cannot stand inside a block", self.current_text());
        self.error(
            Diagnostic::error(&codes::MISPLACED_ITEM, self.current_span(), message)
                .help("move it to the top level of the file, or close the block before it"),
        );
        let start = self.open();
        self.deeper(Self::item);
        self.close(start, Error);
        if self.in_error() {
            self.recover_statement();
        }
    }

    pub(super) fn stray_semicolon(&mut self) {
        let span = self.current_span();
        self.report(
            Diagnostic::error(&codes::STRAY_SEMICOLON, span, "this `;` ends nothing")
                .help("there is no `;` after `}`")
                .fix("remove it", vec![(span, String::new())]),
        );
        self.skip_token();
    }

    pub(super) fn skip_token(&mut self) {
        let start = self.open();
        self.bump();
        self.close(start, Error);
    }

    pub(super) fn statement(&mut self) {
        let start = self.open();
        match self.kind {
            LetKw => self.let_statement(Self::initial_value),
            VarKw => self.var_declaration(),
            IfKw => self.deeper(|p| p.if_statement(start)),
            MatchKw => self.match_statement(start),
            WhileKw => self.while_statement(start),
            ForKw => self.for_statement(start),
            LoopKw => self.loop_statement(start),
            BreakKw => self.keyword_only(start, BreakStmt),
            ContinueKw => self.keyword_only(start, ContinueStmt),
            MaybeKw => self.maybe_statement(start),
            Ident if self.at_word("fair") && self.nth(1) == MaybeKw => {
                self.bump_as(FairKw);
                self.maybe_statement(start);
            }
            AssertKw => self.keyword_expression(start, AssertStmt),
            AssumeKw => self.keyword_expression(start, AssumeStmt),
            SendKw => self.send_statement(start),
            ReceiveKw => self.receive_statement(start),
            AsyncKw => self.async_statement(start),
            CallKw => self.call_statement(start),
            ParKw => self.par_statement(start),
            YieldKw => self.yield_statement(start),
            Ident if self.at_word("use") && self.nth(1) == Ident => self.use_statement(start),
            kind if kind.starts_expression() => self.assignment(start),
            _ => self.no_statement(),
        }
    }

    fn no_statement(&mut self) {
        match self.kind {
            Reserved => self.reserved_word(),
            OnKw => self.expected_with_help(
                "a statement",
                "handlers stand directly in a process, after its `var`s",
            ),
            EndpointKw | RequiresKw | EnsuresKw => self.expected_with_help(
                "a statement",
                "endpoints and contracts stand at the beginning of a choreography",
            ),
            ElseKw => self.expected_with_help("a statement", "there is no `if` before this `else`"),
            _ => self.expected("a statement"),
        }
    }

    fn keyword_only(&mut self, start: Checkpoint, kind: SyntaxKind) {
        self.bump();
        self.expect_semicolon();
        self.close(start, kind);
    }

    fn keyword_expression(&mut self, start: Checkpoint, kind: SyntaxKind) {
        self.bump();
        self.expression();
        if self.at(Eq) {
            self.expected_with_help("`;` or an operator", "to compare, write `==`");
        }
        self.expect_semicolon();
        self.close(start, kind);
    }

    fn if_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.condition();
        self.block();
        if self.eat(ElseKw) {
            if self.at(IfKw) {
                let inner = self.open();
                self.deeper(|p| p.if_statement(inner));
            } else {
                self.block();
            }
        }
        self.close(start, IfStmt);
    }

    fn match_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.condition();
        self.braced_arms(Self::match_statement_arm);
        self.close(start, MatchStmt);
    }

    /// `{ arm* }` of a match or a receive.
    pub(super) fn braced_arms(&mut self, arm: impl FnMut(&mut Self)) {
        if self.at_opening_brace() {
            self.deeper(|p| p.braced(arm));
        }
    }

    fn match_statement_arm(&mut self) {
        let start = self.open();
        self.pattern();
        self.arm_body();
        self.close(start, MatchStmtArm);
    }

    /// `=> block [,]`
    pub(super) fn arm_body(&mut self) {
        self.expect_fat_arrow();
        if !self.at(LBrace) {
            self.expected_with_help("`{`", "what an arm does stands in braces: `=> { … }`");
        } else {
            self.block();
        }
        self.eat(Comma);
    }

    fn while_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.condition();
        self.loop_clauses();
        self.block();
        self.close(start, WhileStmt);
    }

    fn for_statement(&mut self, start: Checkpoint) {
        self.bump();
        if self.at(InKw) {
            self.expected("the name of an element");
        } else {
            self.expect_name("the name of an element");
        }
        self.expect(InKw);
        let surroundings = Surroundings {
            block_follows: true,
            ..self.surroundings
        };
        self.within(surroundings, |p| {
            p.domain();
            p.optional_where();
        });
        self.loop_clauses();
        self.block();
        self.close(start, ForStmt);
    }

    fn loop_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.loop_clauses();
        self.block();
        self.close(start, LoopStmt);
    }

    /// `invariant e` and `decreases e, …`, any number.
    pub(super) fn loop_clauses(&mut self) {
        while matches!(self.kind, InvariantKw | DecreasesKw) {
            let start = self.open();
            let kind = if self.at(InvariantKw) {
                InvariantClause
            } else {
                DecreasesClause
            };
            self.bump();
            match kind {
                DecreasesClause => self.measures(),
                _ => self.condition(),
            }
            self.close(start, kind);
        }
    }

    fn maybe_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.block();
        if self.eat(ElseKw) {
            self.block();
        }
        self.close(start, MaybeStmt);
    }
}
