//! Temporal claims: which conditions, of which values, under which fairness.

use super::Lowering;
use super::codes::declarations::TEMPORAL_CLAIM;
use super::finish::Filler;
use crate::ast::{self, AstNode, ClaimKind};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::VisitMut;
use plainsong_ir::{
    Binding, DeclaredFairness, Fairness, Temporal, TemporalOperator, TemporalPart, binds_by_state,
};

/// Replaces the holes in a temporal claim.
pub(super) fn fill_temporal(filler: &mut Filler<'_>, temporal: &mut Temporal) {
    for part in &mut temporal.parts {
        part.bindings.iter_mut().for_each(|one| filler.binding(one));
        let conditions = part.premise.iter_mut().chain([&mut part.goal]);
        conditions.for_each(|condition| filler.expr(condition));
        part.measure.iter_mut().for_each(|one| filler.expr(one));
    }
}

/// What is declared to be owed by the words `unfair`, `fair` and `strong`.
pub(super) fn declared((unfair, fair, strong): (bool, bool, bool)) -> Option<DeclaredFairness> {
    match (unfair, strong, fair) {
        (true, _, _) => Some(DeclaredFairness::Unfair),
        (_, true, _) => Some(DeclaredFairness::Strong),
        (_, _, true) => Some(DeclaredFairness::Weak),
        _ => None,
    }
}

impl Lowering<'_> {
    /// A claim about whole executions.
    pub(super) fn temporal(&mut self, claim: &ast::Claim) -> Temporal {
        let fairness = match (claim.is_unfair(), claim.is_weakly(), claim.is_fair()) {
            (true, _, _) => Some(Fairness::None),
            (_, true, _) => Some(Fairness::Weak),
            (_, _, true) => Some(Fairness::Strong),
            _ => None,
        };
        let mut parts = Vec::new();
        self.temporal_parts(claim, &[], &mut parts);
        Temporal { parts, fairness }
    }

    /// The parts of a claim inside of `outer` quantifiers.
    fn temporal_parts(
        &mut self,
        claim: &ast::Claim,
        outer: &[Binding],
        parts: &mut Vec<TemporalPart>,
    ) {
        if let Some(quantified) = claim.quantified() {
            let mark = self.unit.enter();
            let mut bindings = outer.to_vec();
            for written in quantified.bindings() {
                let binding = self.binding(&written);
                if binds_by_state(&binding) {
                    let message = "which values a name before a temporal claim has cannot depend on the state";
                    let help =
                        "let the name range over a type, and put the condition into the claim";
                    let diagnostic = Diagnostic::error(&TEMPORAL_CLAIM, written.span(), message);
                    self.report(diagnostic.help(help));
                }
                bindings.push(binding);
            }
            if let Some(claim) = quantified.claim() {
                self.temporal_parts(&claim, &bindings, parts);
            }
            self.unit.leave(mark);
            return;
        }
        let mut several = claim.parts().peekable();
        if several.peek().is_some() {
            several.for_each(|part| self.temporal_parts(&part, outer, parts));
            return;
        }
        let (operator, word) = match claim.kind() {
            Some(ClaimKind::InfinitelyOften) => {
                (TemporalOperator::InfinitelyOften, "infinitely often")
            }
            Some(ClaimKind::EventuallyAlways) => {
                (TemporalOperator::EventuallyAlways, "eventually always")
            }
            Some(ClaimKind::LeadsTo) => (TemporalOperator::LeadsTo, "leads to"),
            _ => (TemporalOperator::Eventually, "eventually"),
        };
        let mut conditions = claim.conditions();
        let is_response = operator == TemporalOperator::LeadsTo;
        let premise = is_response.then(|| conditions.next());
        let goal = conditions.next();
        let span = claim.span();
        let premise = premise.map(|premise| self.condition(premise, span, word));
        let goal = self.condition(goal, span, word);
        let written = claim.measure().into_iter().flat_map(|one| one.measures());
        let measure = written.map(|one| self.measure(&one, "measure")).collect();
        parts.push(TemporalPart {
            bindings: outer.to_vec(),
            operator,
            premise,
            goal,
            measure,
        });
    }
}
