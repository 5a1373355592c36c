//! Numbers for what programs mark: statements that ran, and premises of assertions that were true.

use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Actions, Expr, Stmt, StmtKind};
use plainsong_semantics::vacuity::{Probe, probes};
use rustc_hash::FxHashMap;

/// Those of an action system.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// By place in the text.
    statements: FxHashMap<Span, u32>,
    /// The condition of each `assume`, by its place.
    passed: FxHashMap<Span, u32>,
    /// The premises of each assertion, by its place.
    premises: FxHashMap<Span, Vec<(u32, Probe)>>,
    /// What each number stands for.
    all: Vec<Marked>,
}

/// What a mark says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Marked {
    /// This statement ran.
    Ran(Span),
    /// This premise was true.
    Met(Span),
    /// The condition of an `assume` was true.
    Passed(Span),
}

impl Numbers {
    /// For the actions of a system.
    pub(crate) fn new(actions: &Actions) -> Self {
        let mut numbers = Numbers::default();
        for action in &actions.actions {
            numbers.block(&action.code.body);
        }
        numbers
    }

    /// The number of a statement.
    pub(crate) fn statement(&self, span: Span) -> Option<u32> {
        self.statements.get(&span).copied()
    }

    /// The number of the condition of an `assume`.
    pub(crate) fn passed(&self, condition: Span) -> Option<u32> {
        self.passed.get(&condition).copied()
    }

    /// The premises of an assertion.
    pub(crate) fn premises(&self, span: Span) -> &[(u32, Probe)] {
        self.premises.get(&span).map_or(&[], Vec::as_slice)
    }

    /// What each number stands for.
    pub(crate) fn all(&self) -> &[Marked] {
        &self.all
    }

    fn next(&mut self, marked: Marked) -> u32 {
        self.all.push(marked);
        (self.all.len() - 1) as u32
    }
}

impl Visit for Numbers {
    fn stmt(&mut self, stmt: &Stmt) {
        if !self.statements.contains_key(&stmt.span) {
            let number = self.next(Marked::Ran(stmt.span));
            self.statements.insert(stmt.span, number);
        }
        if let StmtKind::Assert(condition) = &stmt.kind {
            let probes = probes(condition).into_iter();
            let numbered = probes.map(|probe| (self.next(Marked::Met(probe.span)), probe));
            let numbered = numbered.collect();
            self.premises.insert(stmt.span, numbered);
        }
        if let StmtKind::Assume(condition) = &stmt.kind
            && !self.passed.contains_key(&condition.span)
        {
            let number = self.next(Marked::Passed(condition.span));
            self.passed.insert(condition.span, number);
        }
        walk::stmt(self, stmt);
    }

    fn expr(&mut self, _: &Expr) {}
}
