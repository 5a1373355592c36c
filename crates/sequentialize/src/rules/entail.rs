//! Entailment: what follows from what was decided before.
//!
//! Statement. A comparison of numbers that is not decided is remembered in both branches. Later ones are decided where
//! they follow: at once if it is the same comparison or its opposite; otherwise an [`Arbiter`] is asked, who knows
//! arithmetic. It is asked only if something that is remembered speaks of the same values, so protocols without such
//! decisions ask nobody. What a parameter's `where` says is remembered from the start.
//!
//! Why sound. What is remembered is about values, and a value does not change: a variable that is assigned has another
//! one. The two branches cover all cases, and a branch is left out only where no execution takes it. Nothing is
//! remembered about values that a whole family has one of for each member; what is learnt in a round is forgotten
//! with the round, as everything about its values is.
//!
//! Source. Path conditions with an oracle for arithmetic; `docs/CONDITIONS.md`, extensions.

use super::Engine;
use crate::arithmetic_oracle::{Asked, Question};
use crate::eval::Test;
use crate::state::SymbolicState;
use crate::term::{Claim, is_about, not};
use crate::value::{Comp, Role, Value};
use std::collections::BTreeSet;

/// The most that is remembered: a loop without end decides without end.
const MOST_FACTS: usize = 24;

impl Engine<'_> {
    /// Is a claim decided by what is known?
    pub(super) fn entailed(
        &mut self,
        state: &SymbolicState,
        claim: Option<&Claim>,
    ) -> Option<bool> {
        let claim = claim?;
        let opposite = not(&claim.holds);
        if state.facts.contains(&claim.holds) {
            return Some(true);
        }
        if state.facts.contains(&opposite) {
            return Some(false);
        }
        let known = about(state, claim);
        if known.is_empty() {
            return None;
        }
        let mut asked = Asked::default();
        let given: Vec<_> = known
            .into_iter()
            .chain(&claim.given)
            .map(|fact| asked.expr(fact))
            .collect();
        let goal = asked.expr(&claim.holds);
        let question = Question {
            values: asked.values(),
            given,
            goal,
        };
        self.arbiter.decides(&question)
    }

    /// What is said about parameters.
    pub(super) fn constraints(&mut self, state: &mut SymbolicState) {
        let Some(&anybody) = state.places.keys().find(|comp| comp.role == Role::Single) else {
            return;
        };
        let song = self.score.song;
        for constant in song.consts.iter().filter(|row| row.value.is_none()) {
            if let Some(constraint) = &constant.constraint {
                self.suppose(state, anybody, constraint);
            }
        }
    }

    fn suppose(&mut self, state: &mut SymbolicState, comp: Comp, condition: &plainsong_ir::Expr) {
        let risks = self.risks.clone();
        let test = self.eval(state, comp, |eval| eval.test(condition));
        self.risks = risks;
        if let Ok(Test::Open(claim)) = test {
            learn(state, claim.as_ref(), true);
        }
    }
}

/// From here on a claim holds, or its opposite.
pub(super) fn learn(state: &mut SymbolicState, claim: Option<&Claim>, truth: bool) {
    let Some(claim) = claim else { return };
    let holds = match truth {
        true => claim.holds.clone(),
        false => not(&claim.holds),
    };
    for fact in std::iter::once(&holds).chain(&claim.given) {
        if state.facts.len() < MOST_FACTS && !state.facts.contains(fact) {
            state.facts.push(fact.clone());
        }
    }
}

/// What is known of the values in a claim, and of those that these have to do with.
fn about<'s>(state: &'s SymbolicState, claim: &Claim) -> Vec<&'s Value> {
    let mut keys = BTreeSet::new();
    claim.holds.unknowns(&mut keys);
    let (mut found, mut left): (Vec<&Value>, Vec<&Value>) =
        (Vec::new(), state.facts.iter().collect());
    loop {
        let before = left.len();
        left.retain(|fact| {
            let is_it = is_about(fact, &keys);
            if is_it {
                found.push(fact);
                fact.unknowns(&mut keys);
            }
            !is_it
        });
        if left.len() == before {
            return found;
        }
    }
}
