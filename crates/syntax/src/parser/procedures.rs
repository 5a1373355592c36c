//! Layers, procedures and the invariants they rely on.

use rowan::Checkpoint;

use super::Parser;
use super::items::is_name_like;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    /// Is this `left`, `right`, `both` or `atomic` before `action` or `procedure`?
    pub(super) fn at_mover(&self) -> bool {
        matches!(self.nth(1), ActionKw | ProcedureKw) && self.mover_kind().is_some()
    }

    /// Is this `repeat` before `action`?
    pub(super) fn at_repeat(&self) -> bool {
        self.nth(1) == ActionKw && self.at_word("repeat")
    }

    /// `repeat action A(…) { … }`
    pub(super) fn repeated_action(&mut self) {
        let start = self.open();
        self.bump_as(RepeatKw);
        self.action(start);
    }

    fn mover_kind(&self) -> Option<crate::kinds::SyntaxKind> {
        let kinds = [
            ("atomic", AtomicKw),
            ("left", LeftKw),
            ("right", RightKw),
            ("both", BothKw),
        ];
        let found = kinds.into_iter().find(|(word, _)| self.at_word(word));
        found.map(|(_, kind)| kind)
    }

    /// `left action A(…) { … }`, `left procedure p(…) { … }`
    pub(super) fn moving_item(&mut self) {
        let start = self.open();
        if let Some(kind) = self.mover_kind() {
            self.bump_as(kind);
        }
        match self.at(ProcedureKw) {
            true => self.moving_procedure(start),
            false => self.action(start),
        }
    }

    /// `invariant name(…) @ n { e }`
    pub(super) fn invariant_item(&mut self) {
        let start = self.open();
        self.bump();
        self.expect_name("the name of an invariant");
        self.permission_binders();
        self.optional_layers();
        self.branch();
        self.close(start, InvariantItem);
    }

    /// `procedure name(…) -> r: T @ n refines A preserves inv(…) { … }`
    pub(super) fn procedure(&mut self, start: Checkpoint) {
        self.procedure_head();
        while self.at(RequiresKw) || self.at(EnsuresKw) || self.at_word("preserves") {
            self.invariant_use();
        }
        self.block();
        self.close(start, ProcedureItem);
    }

    /// `left procedure name(…) @ n preserves inv(…) requires e ensures e decreases e { … }`: a contract about one
    /// stretch without yields, so it is about all variables.
    fn moving_procedure(&mut self, start: Checkpoint) {
        self.procedure_head();
        while self.at_word("preserves") {
            self.invariant_use();
        }
        self.contract_clauses();
        self.block();
        self.close(start, ProcedureItem);
    }

    fn procedure_head(&mut self) {
        self.bump();
        self.expect_name("the name of a procedure");
        self.permission_binders();
        self.optional_result();
        self.optional_layers();
        self.optional_refines();
        if self.at_word("synchronizes") {
            self.synchronizes();
        }
    }

    pub(super) fn optional_refines(&mut self) {
        if self.at(RefinesKw) {
            let clause = self.open();
            self.bump();
            self.expect_name("the name of an action");
            self.close(clause, RefinesClause);
        }
    }

    /// `synchronizes p, q`
    fn synchronizes(&mut self) {
        let clause = self.open();
        self.bump_as(SynchronizesKw);
        self.some_names("the name of a procedure");
        self.close(clause, SynchronizesClause);
    }

    /// `preserves a(…), b(…)`
    pub(super) fn invariant_use(&mut self) {
        let start = self.open();
        if self.at_word("preserves") {
            self.bump_as(PreservesKw);
        } else {
            self.bump();
        }
        self.invariant_calls();
        self.close(start, InvariantUse);
    }

    fn invariant_calls(&mut self) {
        loop {
            let start = self.open();
            self.expect_name("the name of an invariant");
            if self.at(LParen) {
                self.arguments();
            } else {
                self.expected_with_help("`(`", "an invariant is called: `inv()`");
            }
            self.close(start, InvariantCall);
            if self.in_error() || !self.eat(Comma) {
                break;
            }
        }
    }

    /// `(linear x: T, take y: T, give z: T, …)`
    pub(super) fn permission_binders(&mut self) {
        if !self.at(LParen) {
            self.expect(LParen);
            return;
        }
        let start = self.open();
        self.delimited("a name", is_name_like, |p| {
            let is_moved = p.at_word("take") || p.at_word("give");
            if p.at(LinearKw) || is_moved && p.nth(1) == Ident {
                p.permission("the name of a parameter");
            } else {
                p.name_and_type("the name of a parameter", Binder);
            }
        });
        self.close(start, BinderList);
    }

    /// `linear x: T`, `take x: T` or `give x: T`
    fn permission(&mut self, what: &str) {
        let binder = self.open();
        if self.at_word("take") {
            self.bump_as(TakeKw);
        } else if self.at_word("give") {
            self.bump_as(GiveKw);
        } else {
            self.bump();
        }
        self.expect_name(what);
        if self.expect(Colon) {
            self.ty();
        }
        self.close(binder, Binder);
    }

    /// `-> r: T`, `-> linear r: T`
    pub(super) fn optional_result(&mut self) {
        if !self.at(ThinArrow) {
            return;
        }
        let start = self.open();
        self.bump();
        if self.at(Ident) && self.nth(1) == Colon {
            self.name_and_type("the name of the result", Binder);
        } else if self.at(LinearKw) {
            self.permission("the name of the result");
        } else {
            self.expected_with_help(
                "a name and a type",
                "the result has a name, to which the body assigns: `-> won: bool`",
            );
        }
        self.close(start, ResultDecl);
    }

    /// `@ 1` or `@ 0..2`
    pub(super) fn optional_layers(&mut self) {
        if !self.at(AtSign) {
            return;
        }
        let start = self.open();
        self.bump();
        if !(self.eat(Int) || self.eat(Ident)) {
            let help = "layers are numbers, or have names: `@ 1`, `@ 0..2`, `@ machine`";
            self.expected_with_help("a layer", help);
        } else if self.eat(DotDot) && !(self.eat(Int) || self.eat(Ident)) {
            self.expected("the last layer");
        }
        self.close(start, LayerClause);
    }

    /// `layers machine, lock, counter;`
    pub(super) fn layers_item(&mut self) {
        let start = self.open();
        self.bump_as(LayersKw);
        self.some_names("the name of a layer");
        self.expect_semicolon();
        self.close(start, LayersItem);
    }

    /// `a, b`
    fn some_names(&mut self, what: &str) {
        loop {
            self.expect_name(what);
            if self.in_error() || !self.eat(Comma) {
                break;
            }
        }
    }

    /// `commute A(x) choosing v then B(y) with v = e;`
    pub(super) fn commute_item(&mut self) {
        let start = self.open();
        self.bump_as(CommuteKw);
        self.commute_side();
        match self.at_word("then") {
            true => self.bump_as(ThenKw),
            false => {
                let help = "write `commute A(x) then B(y) with v = e;`";
                self.expected_with_help("`then`", help);
            }
        }
        self.commute_side();
        match self.at_word("with") {
            true => self.bump_as(WithKw),
            false => self.expected_with_help("`with`", "say what is chosen: `with v = e`"),
        }
        self.witnesses();
        self.expect_semicolon();
        self.close(start, CommuteItem);
    }

    /// `v = e, w = f`
    pub(super) fn witnesses(&mut self) {
        loop {
            let witness = self.open();
            self.expect_name("the name of a choice");
            if self.expect(Eq) {
                self.condition();
            }
            self.close(witness, Witness);
            if self.in_error() || !self.eat(Comma) {
                break;
            }
        }
    }

    /// `A(x, y) choosing v, w`
    pub(super) fn commute_side(&mut self) {
        let side = self.open();
        self.expect_name("the name of an action");
        if self.expect(LParen) && !self.eat(RParen) {
            self.some_names("a name for an argument");
            self.expect(RParen);
        }
        if self.at_word("choosing") {
            self.bump_as(ChoosingKw);
            self.some_names("a name for what is chosen");
        }
        self.close(side, CommuteSide);
    }

    /// `call f(…)`, `call M(…) to p from q`
    pub(super) fn called(&mut self) {
        let start = self.open();
        self.bump();
        self.expect_name("the name of an action or procedure");
        if self.at(LParen) {
            self.arguments();
        } else if !self.at(ToKw) {
            self.expected_with_help("`(`", "a call has arguments, possibly none: `call f();`");
        }
        self.optional_address();
        self.close(start, Called);
    }

    /// ` to p`, ` to p from q`: of a message.
    pub(super) fn optional_address(&mut self) {
        if !self.eat(ToKw) {
            return;
        }
        self.expression();
        if self.at_word("from") {
            self.bump_as(FromKw);
            self.expression();
        }
    }

    pub(super) fn call_statement(&mut self, start: Checkpoint) {
        self.called();
        self.optional_cast();
        self.expect_semicolon();
        self.close(start, CallStmt);
    }

    /// `with left as a, node[i] as b`
    fn optional_cast(&mut self) {
        if !self.at_word("with") {
            return;
        }
        let start = self.open();
        self.bump_as(WithKw);
        loop {
            let player = self.open();
            self.expression();
            if self.eat(AsKw) {
                self.expect_name("the endpoint that it plays");
            } else {
                let help = "say who plays whom: `call line() with left as a;`";
                self.expected_with_help("`as`", help);
            }
            self.close(player, Player);
            if !self.eat(Comma) {
                break;
            }
        }
        self.close(start, Cast);
    }

    pub(super) fn par_statement(&mut self, start: Checkpoint) {
        self.bump();
        self.block();
        self.close(start, ParStmt);
    }

    /// `use lemma(…);`
    pub(super) fn use_statement(&mut self, start: Checkpoint) {
        self.bump_as(UseKw);
        self.expect_name("the name of a lemma");
        if self.at(LParen) {
            self.arguments();
        } else {
            self.expected_with_help("`(`", "a lemma has arguments, possibly none: `use l();`");
        }
        self.expect_semicolon();
        self.close(start, UseStmt);
    }

    pub(super) fn yield_statement(&mut self, start: Checkpoint) {
        self.bump();
        if !self.at(Semicolon) {
            self.invariant_calls();
        }
        self.expect_semicolon();
        self.close(start, YieldStmt);
    }
}
