//! One piece of code while it is checked: what may stand in it, and which locals are bound.

use super::Report;
use super::typing::Known;
use crate::visit::Visit;
use crate::{Expr, FamilyId, Local, LocalId, Song};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// Where a piece of code stands; decides what it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// The value of a constant, a constraint, the bound of a sort, the body of a function.
    Closed,
    /// The first value of a state variable; only those before it are known.
    Start,
    /// The first value of a global; only those before it are known.
    GlobalStart,
    /// Statements of a process.
    Body,
    Handler,
    /// `init` of a song with processes.
    VoicesInit,
    /// An action, or `init` of a song with actions.
    Action,
    Procedure,
    /// An invariant that procedures rely on.
    Invariant,
    /// The schedule of a sequentialization, with its clauses.
    Schedule,
    /// A choreography, by its position.
    Line(usize),
    Property,
}

/// Checks one piece of code.
pub(super) struct Scope<'a, 'r> {
    pub(super) report: &'r mut Report,
    pub(super) song: &'a Song,
    pub(super) locals: &'a [Local],
    pub(super) home: Home,
    /// The process or endpoint whose variables are its own.
    pub(super) family: Option<FamilyId>,
    /// How many of its own variables, or of the globals, are known.
    pub(super) known_vars: usize,
    /// May `old` stand here?
    pub(super) old_allowed: bool,
    /// Is the next expression a branch, where `let` may stand?
    pub(super) branch: bool,
    /// How many loops are open.
    pub(super) loops: usize,
    visible: Vec<LocalId>,
    bound: BTreeSet<LocalId>,
}

impl<'a, 'r> Scope<'a, 'r> {
    /// Code whose first `parameters` locals are bound from outside.
    pub(super) fn new(
        report: &'r mut Report,
        song: &'a Song,
        locals: &'a [Local],
        home: Home,
        parameters: usize,
    ) -> Self {
        let mut scope = Scope {
            report,
            song,
            locals,
            home,
            family: None,
            known_vars: usize::MAX,
            old_allowed: false,
            branch: false,
            loops: 0,
            visible: Vec::new(),
            bound: BTreeSet::new(),
        };
        (0..parameters).for_each(|at| scope.bind(LocalId::from(at)));
        scope
    }

    /// What decreases is a number.
    pub(super) fn measure(&mut self, level: &Expr) {
        self.expr(level);
        if !self.known().number(&level.ty) {
            self.wrong(level.span, "what decreases is a number");
        }
    }

    pub(super) fn known(&self) -> Known<'a> {
        Known {
            song: self.song,
            locals: self.locals,
            family: self.family,
        }
    }

    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.report.add(span, message);
    }

    /// Adds a violation if there was an error.
    pub(super) fn expect(&mut self, span: Span, result: Result<(), String>) {
        if let Err(message) = result {
            self.wrong(span, message);
        }
    }

    /// Checks an expression and that it has a type.
    pub(super) fn typed(&mut self, expr: &Expr, wanted: &crate::Ty) {
        self.expr(expr);
        let result = self.known().want(expr, wanted);
        self.expect(expr.span, result);
    }

    /// Binds a name that cannot be assigned.
    pub(super) fn bind_fixed(&mut self, local: LocalId) {
        if self
            .locals
            .get(local.index())
            .is_some_and(|row| row.mutable)
        {
            self.wrong(Span::default(), "only `var` binds a variable");
        }
        self.bind(local);
    }

    /// Binds a name from here to the end of the scope.
    pub(super) fn bind(&mut self, local: LocalId) {
        if local.index() >= self.locals.len() {
            self.wrong(Span::default(), format!("there is no local {}", local.0));
        }
        if !self.bound.insert(local) {
            self.wrong(Span::default(), format!("local {} is bound twice", local.0));
        }
        self.visible.push(local);
    }

    /// Checks that a name can be used here.
    pub(super) fn use_local(&mut self, local: LocalId) {
        if !self.visible.contains(&local) {
            let name = self.locals.get(local.index()).map_or("?", |row| &row.name);
            self.wrong(
                Span::default(),
                format!("local {} ({name}) is not bound here", local.0),
            );
        }
    }

    /// Names bound inside end with it.
    pub(super) fn scoped(&mut self, check: impl FnOnce(&mut Self)) {
        let before = self.visible.len();
        check(self);
        self.visible.truncate(before);
    }
}
