//! What can do at least as much as an earlier one: `covers` of a message, and of a process with handlers.

use super::Lowering;
use super::codes::places::MISPLACED_STATEMENT;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::VisitMut;
use plainsong_ir::{Covers, FamilyId};

impl Lowering<'_> {
    /// `message m(…) covers e;`; of several clauses all hold.
    pub(super) fn message_orders(&mut self, items: &[ast::MessageItem]) {
        for (at, item) in items.iter().enumerate() {
            if item.covers().next().is_none() {
                continue;
            }
            self.begin(Home::Function);
            let fields = self.messages[at].fields.clone();
            self.bind_parameters(&fields, item.binders().as_ref(), Binder::Parameter);
            self.messages[at].order = self.order_of(item.covers());
        }
    }

    /// `process p[…] { … covers e; … }`; of several clauses all hold.
    pub(super) fn process_order(&mut self, family: FamilyId, item: &ast::ProcessItem) -> Covers {
        let written = item.body();
        let Some((written, first)) = written.and_then(|body| {
            let first = body.covers().next()?;
            Some((body, first))
        }) else {
            return Covers::default();
        };
        if written.handlers().next().is_none() {
            let message = "only a process with handlers says which of its states cover others";
            self.report(
                Diagnostic::error(&MISPLACED_STATEMENT, first.span(), message).help(
                    "between two handlers its variables are all there is; a body also stands somewhere",
                ),
            );
        }
        self.begin(Home::Start(family));
        self.bind_indices(family, item.indices().as_ref());
        self.order_of(written.covers())
    }

    fn order_of(&mut self, clauses: impl Iterator<Item = ast::CoversClause>) -> Covers {
        self.unit.old = true;
        let mut clauses: Vec<_> = clauses
            .map(|clause| self.condition(clause.condition(), clause.span(), "covers"))
            .collect();
        self.unit.old = false;
        let locals = self.finish(|filler| clauses.iter_mut().for_each(|one| filler.expr(one)));
        Covers { locals, clauses }
    }
}
