//! Items: what a file consists of.

use plainsong_diagnostics::{Diagnostic, nearest};
use rowan::Checkpoint;

use super::Parser;
use super::types::starts_type;
use crate::codes;
use crate::kinds::KEYWORDS;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// A whole file.
    pub(super) fn song(&mut self) {
        let start = self.builder.checkpoint();
        while !self.at(Eof) {
            let before = self.at;
            match self.kind {
                kind if kind.starts_item() => self.item(),
                Ident if self.at_word("fault") => self.fault(),
                Ident if self.at_mover() => self.moving_item(),
                Ident if self.at_repeat() => self.repeated_action(),
                Ident if self.at_declared_fairness() => self.fair_item(),
                Ident if self.at_word("constraint") && self.nth(1) == Ident => self.constraint(),
                Ident if self.at_word("commute") && self.nth(1) == Ident => self.commute_item(),
                Ident if self.at_word("layers") && self.nth(1) == Ident => self.layers_item(),
                InvariantKw if self.nth(1) == Ident && self.nth(2) == Colon => {
                    self.stated_invariant();
                }
                InvariantKw => self.invariant_item(),
                Reserved if self.current_text() == "sequentialize" => self.sequentialize_item(),
                Reserved if self.current_text() == "extern" && self.nth(1) == FnKw => {
                    self.external_function();
                }
                LinearKw if self.nth(1) == VarKw => self.var_declaration(),
                Semicolon => self.stray_semicolon(),
                _ => self.no_item(),
            }
            if self.in_error() || self.at == before {
                self.recover_item();
            }
            if self.at == before {
                self.skip_token();
            }
        }
        self.flush_trivia();
        self.close(start, SongFile);
    }

    fn no_item(&mut self) {
        match self.kind {
            Reserved => self.reserved_word(),
            RBrace => {
                self.error_here(&codes::STRAY_BRACE, "this `}` closes nothing");
                self.skip_token();
            }
            kind if kind.starts_keyword_statement() => self.expected_with_help(
                "an item",
                "statements stand inside a process, an action, `init` or a choreography",
            ),
            EndpointKw | RequiresKw | EnsuresKw => {
                self.expected_with_help("an item", "this belongs into a choreography");
            }
            OnKw => self.expected_with_help("an item", "handlers belong into a process"),
            Ident => self.unknown_item(),
            _ => self.expected("an item, such as `process`, `message` or `property`"),
        }
    }

    fn unknown_item(&mut self) {
        let what = "an item, such as `process`, `message` or `property`";
        let keywords = KEYWORDS.iter().filter(|(_, kind)| kind.starts_item());
        match nearest(self.current_text(), keywords.map(|&(spelling, _)| spelling)) {
            Some(keyword) => self.expected_with_help(what, &format!("did you mean `{keyword}`?")),
            None => self.expected(what),
        }
    }

    /// One item; the current token starts one.
    pub(super) fn item(&mut self) {
        let start = self.open();
        match self.kind {
            SortKw => self.sort(start),
            EnumKw => self.enumeration(start),
            StructKw => self.structure(start),
            ConstKw => self.constant(start),
            ParamKw => self.parameter(start),
            FnKw => self.function(start),
            MessageKw => self.message(start),
            DaemonKw | ProcessKw => self.process(start),
            VarKw => self.var_declaration(),
            ActionKw => self.action(start),
            ProcedureKw => self.procedure(start),
            InitKw => self.init(start),
            ChoreographyKw => self.choreography(start),
            LemmaKw => self.lemma(start),
            PropertyKw => self.property(start),
            _ => self.size(start),
        }
    }

    fn sort(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a sort");
        if self.at_word("ordered") {
            self.bump_as(OrderedKw);
        } else if self.eat(Eq) {
            self.sort_range();
        }
        self.expect_semicolon();
        self.close(start, SortItem);
    }

    fn enumeration(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of an enum");
        if self.at_word("splits") {
            self.bump_as(SplitsKw);
            self.ty();
        }
        if self.at_opening_brace() {
            self.delimited("a variant", is_name_like, |p| {
                let start = p.open();
                p.expect_name("the name of a variant");
                if p.at(LParen) {
                    p.delimited("a type", starts_type, Self::ty);
                }
                p.close(start, Variant);
            });
        }
        self.close(start, EnumItem);
    }

    fn structure(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a struct");
        if self.at_opening_brace() {
            self.delimited("a field", is_name_like, |p| {
                p.name_and_type("the name of a field", FieldDecl);
            });
        }
        self.close(start, StructItem);
    }

    /// `name: type`
    pub(super) fn name_and_type(&mut self, what: &str, kind: SyntaxKind) {
        let start = self.open();
        if self.kind.is_keyword() && starts_type(self.kind) && self.nth(1) != Colon {
            self.expected_with_help("a name", "every name here is given with its type: `x: T`");
            self.ty();
            self.close(start, kind);
            return;
        }
        self.expect_name(what);
        if self.eat(Colon) {
            self.ty();
        } else {
            self.expected_with_help(
                "`:` and a type",
                "every name here is given with its type: `x: T`",
            );
        }
        self.close(start, kind);
    }

    fn constant(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a constant");
        if self.eat(Colon) {
            self.ty();
        }
        if self.expect(Eq) {
            self.expression();
        }
        self.expect_semicolon();
        self.close(start, ConstItem);
    }

    fn parameter(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a parameter");
        if self.expect(Colon) {
            self.ty();
            self.optional_where();
        }
        self.expect_semicolon();
        self.close(start, ParamItem);
    }

    fn function(&mut self, start: Checkpoint) {
        self.function_head();
        self.branch();
        self.close(start, FnItem);
    }

    /// `extern fn f at role(x: T) -> T requires e ensures e;`
    fn external_function(&mut self) {
        let start = self.open();
        self.bump_as(ExternKw);
        self.function_head();
        if self.at(LBrace) {
            let span = self.current_span();
            let message = "an external function has no body";
            self.report(
                Diagnostic::error(&codes::UNEXPECTED_TOKEN, span, message)
                    .help("leave out `extern`, or end the contract with `;`"),
            );
            self.branch();
        } else {
            self.expect_semicolon();
        }
        self.close(start, FnItem);
    }

    fn function_head(&mut self) {
        self.bump();
        self.expect_name("the name of a function");
        if self.at_word("at") {
            self.bump_as(AtKw);
            self.expect_name("the endpoint that runs it");
        }
        self.binders(LParen);
        if self.at(FatArrow) || self.at(Colon) {
            let span = self.current_span();
            let message = format!("expected `->`, found {}", self.found());
            self.report(
                Diagnostic::error(&codes::WRONG_OPERATOR, span, message)
                    .help("the result's type follows `->`")
                    .fix("write `->`", vec![(span, "->".into())]),
            );
            self.bump_as(ThinArrow);
            self.ty();
        } else if self.eat(ThinArrow) {
            self.ty();
        } else {
            self.expected_with_help(
                "`->`",
                "a function says its type: `fn f(x: int) -> int { … }`",
            );
        }
        self.contract_clauses();
    }

    fn lemma(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a lemma");
        self.binders(LParen);
        self.contract_clauses();
        self.block();
        self.close(start, LemmaItem);
    }

    /// `requires e`, `ensures e` and `decreases e, …`, any number.
    pub(super) fn contract_clauses(&mut self) {
        while matches!(self.kind, RequiresKw | EnsuresKw | DecreasesKw) {
            let start = self.open();
            let kind = match self.kind {
                DecreasesKw => DecreasesClause,
                _ => Contract,
            };
            self.bump();
            match kind {
                DecreasesClause => self.measures(),
                _ => self.condition(),
            }
            self.close(start, kind);
        }
    }

    /// `e, …`
    pub(super) fn measures(&mut self) {
        self.condition();
        while self.eat(Comma) {
            self.condition();
        }
    }

    /// `e, …` of a message or a process: what follows is no block.
    pub(super) fn levels(&mut self) {
        self.expression();
        while self.eat(Comma) {
            self.expression();
        }
    }

    fn message(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a message");
        if self.at(LParen) {
            self.binders(LParen);
        }
        if self.eat(ViaKw) {
            self.expect_name("a delivery model");
        }
        if self.eat(LtEq) && !self.eat(Int) {
            self.expected("an integer");
        }
        while self.at(DecreasesKw) {
            let clause = self.open();
            self.bump();
            self.levels();
            self.close(clause, DecreasesClause);
        }
        while self.at_word("covers") {
            let clause = self.open();
            self.bump_as(CoversKw);
            self.expression();
            self.close(clause, CoversClause);
        }
        self.expect_semicolon();
        self.close(start, MessageItem);
    }

    /// `fault crash node <= 1;`
    fn fault(&mut self) {
        let start = self.open();
        self.fault_from(start);
    }

    /// The same after `fair` or `unfair`.
    pub(super) fn fault_from(&mut self, start: Checkpoint) {
        self.bump_as(FaultKw);
        self.expect_name("`crash`, `restart`, `lose` or `duplicate`");
        self.expect_name("the name of a process or message");
        if self.eat(LtEq) && !self.eat(Int) {
            self.expected("an integer");
        }
        self.expect_semicolon();
        self.close(start, FaultItem);
    }

    /// `(x: T, …)` or `[x: T, …]`
    pub(super) fn binders(&mut self, open: SyntaxKind) {
        if !self.at(open) {
            self.expect(open);
            return;
        }
        let start = self.open();
        let opening = self.current_span();
        let count = self.delimited("a name", is_name_like, |p| {
            p.name_and_type("the name of a parameter", Binder);
        });
        if open == LBracket && count == 0 && !self.in_error() {
            self.report(
                Diagnostic::error(&codes::UNEXPECTED_TOKEN, opening, "expected an index")
                    .help("a family has one index or more: `process db[d: Db]`"),
            );
        }
        self.close(start, BinderList);
    }

    pub(super) fn action(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of an action");
        self.permission_binders();
        self.optional_result();
        self.optional_layers();
        self.optional_refines();
        while self.at(RequiresKw) {
            self.invariant_use();
        }
        self.block();
        self.close(start, ActionItem);
    }

    fn init(&mut self, start: Checkpoint) {
        self.bump();
        self.block();
        self.close(start, InitItem);
    }
}

/// A name, or a word that someone wanted to be one.
pub(super) fn is_name_like(kind: SyntaxKind) -> bool {
    kind == Ident || kind == Reserved || kind.is_keyword()
}
