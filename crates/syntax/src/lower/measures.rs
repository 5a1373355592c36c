//! What decreases when messages are sent: `decreases` of a message, and of a process with handlers.

use super::Lowering;
use super::codes::places::MISPLACED_STATEMENT;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::VisitMut;
use plainsong_ir::{FamilyId, Measures};

impl Lowering<'_> {
    /// `message m(…) decreases e, e;`; several clauses follow each other.
    pub(super) fn message_measures(&mut self, items: &[ast::MessageItem]) {
        for (at, item) in items.iter().enumerate() {
            if item.decreases().next().is_none() {
                continue;
            }
            self.begin(Home::Function);
            let fields = self.messages[at].fields.clone();
            self.bind_parameters(&fields, item.binders().as_ref(), Binder::Parameter);
            self.messages[at].measures = self.levels(item.decreases());
        }
    }

    /// `process p[…] { … decreases e, e; … }`; several clauses follow each other.
    pub(super) fn process_measures(
        &mut self,
        family: FamilyId,
        item: &ast::ProcessItem,
    ) -> Measures {
        let written = item.body();
        let Some((written, first)) = written.and_then(|body| {
            let first = body.decreases().next()?;
            Some((body, first))
        }) else {
            return Measures::default();
        };
        if written.handlers().next().is_none() {
            let message = "only a process with handlers has a number that decreases when it sends";
            self.report(
                Diagnostic::error(&MISPLACED_STATEMENT, first.span(), message)
                    .help("loops have measures of their own: `while c decreases e { … }`"),
            );
        }
        self.begin(Home::Start(family));
        self.bind_indices(family, item.indices().as_ref());
        self.levels(written.decreases())
    }

    fn levels(&mut self, clauses: impl Iterator<Item = ast::DecreasesClause>) -> Measures {
        let mut levels: Vec<_> = clauses.flat_map(|clause| self.measures(&clause)).collect();
        let locals = self.finish(|filler| levels.iter_mut().for_each(|level| filler.expr(level)));
        Measures { locals, levels }
    }
}
