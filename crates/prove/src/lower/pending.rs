//! `pending(A)` and `pending(A(e))`: how many asyncs are pending, where the store says so.

use super::{Lowering, Unsupported};
use crate::term::{SortKind, Term};
use crate::theory::Result;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Expr, PendingOf};

impl Lowering<'_> {
    /// `pending(A(e))`: with these arguments.
    pub(super) fn pending_with(
        &mut self,
        action: ActionId,
        arguments: &[Expr],
        span: Span,
    ) -> Result {
        let mut count = self.counts(action, span)?;
        for argument in arguments {
            let argument = self.expr(argument)?;
            count = self.theory.terms.select(count, argument);
        }
        Ok(count)
    }

    /// `pending(A)`: with any arguments; `pending()`: of any action.
    pub(super) fn pending(&mut self, what: PendingOf, span: Span) -> Result {
        let actions: Vec<ActionId> = match what {
            PendingOf::Action(action) => vec![action],
            PendingOf::All => self.every_action(),
            PendingOf::Message(_) => return Err(unknown(span)),
        };
        let mut sum = self.theory.terms.int(0);
        for action in actions {
            let counts = self.counts(action, span)?;
            let all = self.in_all(counts);
            sum = self.theory.terms.add(sum, all);
        }
        Ok(sum)
    }

    /// The actions whose asyncs may be pending.
    fn every_action(&self) -> Vec<ActionId> {
        let song = &self.theory.song;
        let rows = song.actions().map_or(&[][..], |all| &all.actions);
        let rows = rows.iter().enumerate();
        let pending = rows.filter(|(_, action)| !action.role.repeat);
        pending.map(|(at, _)| ActionId::from(at)).collect()
    }

    fn counts(&self, action: ActionId, span: Span) -> Result {
        let known = self.env.store.pending.get(&action).copied();
        known.ok_or_else(|| unknown(span))
    }

    /// The sum over all arguments.
    fn in_all(&mut self, counts: Term) -> Term {
        let terms = &mut self.theory.terms;
        let SortKind::Array(from, _) = terms.kind(terms.sort(counts)) else {
            return counts;
        };
        let at = terms.fresh("argument", from);
        let inner = terms.select(counts, at);
        let inner = self.in_all(inner);
        let terms = &mut self.theory.terms;
        let inner = terms.lambda(at, inner);
        terms.total(inner)
    }
}

fn unknown(span: Span) -> Unsupported {
    Unsupported::new(
        span,
        "`pending` is not covered by proofs of sequential code",
    )
}
