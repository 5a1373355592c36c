//! Which endpoint makes a call of an external function.
//!
//! An external function is Rust code that runs where it is called: a deck of cards, a database, a user. To a proof it
//! is a function, and who evaluates it makes no difference; between machines it does.
//!
//! Rule. The endpoint whose state a call reads makes it, and sends the result to where it is needed. A call that reads
//! nobody's state is made by the one endpoint that evaluates the statement: the target of an assignment that reads
//! nobody else, the owner of a condition's other conjuncts, the only endpoint that acts under a condition. Every other
//! call is refused (`unplaced-call`): several endpoints would make it, each with an answer of its own, or one that the
//! text does not name.
//!
//! A function that calls an external one counts as external.

use super::Locate;
use crate::codes::UNPLACED_CALL;
use crate::core::Guard;
use crate::owner::{Owner, Reads, Who};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{Expr, ExprKind, FnId, Function, LocalId, Song};
use std::collections::BTreeSet;

/// The external functions of a song, and those that call them.
pub(crate) fn external_functions(song: &Song) -> BTreeSet<FnId> {
    let mut external = BTreeSet::new();
    loop {
        let is_external = |function: &Function| {
            let calls = |body: &Expr| !outermost_calls(body, &external).is_empty();
            function.is_external() || function.computed().any(calls)
        };
        let functions = song.functions.iter().enumerate();
        let found: BTreeSet<FnId> = functions
            .filter(|(_, function)| is_external(function))
            .map(|(at, _)| FnId::from(at))
            .collect();
        if found == external {
            return external;
        }
        external = found;
    }
}

/// The calls of these functions that are not inside an argument of another one.
fn outermost_calls(of: &Expr, external: &BTreeSet<FnId>) -> Vec<Expr> {
    struct Calls<'a>(&'a BTreeSet<FnId>, Vec<Expr>);
    impl Visit for Calls<'_> {
        fn expr(&mut self, of: &Expr) {
            match &of.kind {
                ExprKind::Call(id, _) if self.0.contains(id) => self.1.push(of.clone()),
                _ => walk::expr(self, of),
            }
        }
    }
    let mut calls = Calls(external, Vec::new());
    calls.expr(of);
    calls.1
}

impl Locate<'_> {
    /// Does an expression call an external function?
    pub(super) fn calls_out(&self, of: &Expr) -> bool {
        !outermost_calls(of, &self.external).is_empty()
    }

    /// Is this a call of an external function?
    pub(super) fn is_call_out(&self, of: &Expr) -> bool {
        matches!(&of.kind, ExprKind::Call(id, _) if self.external.contains(id))
    }

    /// Refuses the calls in an expression that everybody evaluates.
    pub(super) fn everybody_evaluates<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        for of in exprs {
            for call in outermost_calls(of, &self.external) {
                let why = "every endpoint that comes here would make this call, each with an answer of its own";
                self.unplaced(call.span, why.to_owned());
            }
        }
    }

    /// Refuses calls in the indices by which an expression names endpoints: everybody has to know these.
    pub(super) fn indices_are_known(&mut self, of: &Expr) {
        struct Indices(Vec<Expr>);
        impl Visit for Indices {
            fn expr(&mut self, of: &Expr) {
                if let ExprKind::Of(_, index, _) | ExprKind::Pid(_, index) = &of.kind {
                    self.0.extend(index.iter().cloned());
                }
                walk::expr(self, of);
            }
        }
        let mut indices = Indices(Vec::new());
        indices.expr(of);
        self.everybody_evaluates(&indices.0);
    }

    /// A value that one endpoint computes for another: a call in it that reads nobody's state is neither's.
    pub(super) fn calls_of_transfer(&mut self, value: &Expr) {
        for call in outermost_calls(value, &self.external) {
            if Reads::of([&call], &self.located).owners.is_empty() {
                self.nobodys(call.span);
            }
        }
    }

    /// The calls in a value of several endpoints that `to` evaluates; names of `bound` are known to `to` alone. Those
    /// that one other endpoint can make are left to [`fetch`](super::fetch), which sends their results.
    pub(super) fn calls_brought(&mut self, value: &Expr, bound: &BTreeSet<LocalId>) {
        for call in outermost_calls(value, &self.external) {
            let reads = Reads::of([&call], &self.located);
            match reads.owners.len() {
                _ if reads.gathers => self.unplaced(
                    call.span,
                    "this call reads the state of every member of a family".to_owned(),
                ),
                0 if free_locals(&call).is_disjoint(bound) => self.nobodys(call.span),
                0 | 1 => {}
                _ => {
                    let names = reads.owners.iter().map(|one| self.name_of(one));
                    let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>();
                    let names = names.join(" and ");
                    self.unplaced(call.span, format!("this call reads the state of {names}"));
                }
            }
        }
    }

    /// A call that another endpoint could make, but that the line may not come to.
    pub(super) fn is_not_always_made(&mut self, owner: &Owner, span: Span) {
        let name = self.name_of(owner);
        let why =
            format!("this call is `{name}`'s, who does not know whether the statement comes to it");
        self.unplaced(span, why);
    }

    /// A condition without any endpoint's state that calls external functions: the only one that acts decides it.
    pub(super) fn asked_by_the_only_one(&mut self, condition: &Expr, taking: &[Who]) -> Guard {
        if let [Who::One(owner)] = taking {
            return Guard::Known {
                own: vec![(owner.clone(), condition.clone())],
                each: Vec::new(),
                told: None,
            };
        }
        self.everybody_evaluates([condition]);
        Guard::Common(condition.clone())
    }

    fn nobodys(&mut self, span: Span) {
        let why =
            "this call reads the state of no endpoint, and several take part in the statement";
        self.unplaced(span, why.to_owned());
    }

    fn unplaced(&mut self, span: Span, message: String) {
        let help = "let one endpoint ask first, and use its answer here: `a.answer = f(…);`";
        self.problems
            .push(Diagnostic::error(&UNPLACED_CALL, span, message).help(help));
    }
}
