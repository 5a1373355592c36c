//! Facts about the calls of recursive and external functions that occur: definition and promise, at their arguments.
//!
//! Each call without bound variables in it is unfolded once; that brings the calls of the body, which are
//! unfolded in the next round. Two calls whose arguments are the same collections are equal. What the
//! facts are and why they hold is said in [`crate::functions`].

use super::ground::Ground;
use crate::term::{Op, Term};
use crate::theory::Result;
use crate::types::has_functions;
use plainsong_ir::FnId;
use rustc_hash::FxHashSet;

/// The most calls that are unfolded.
const MOST_CALLS: usize = 120;
/// The most calls of one function that are compared with each other.
const MOST_COMPARED: usize = 8;

impl Ground<'_> {
    /// Asserts the facts about calls that are new. Was there one?
    pub(super) fn call_facts(&mut self) -> Result<bool> {
        let calls = self.new_calls();
        for &call in &calls {
            self.unfold(call)?;
        }
        for &call in &calls {
            self.compare(call)?;
        }
        Ok(!calls.is_empty())
    }

    fn new_calls(&mut self) -> Vec<Term> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        for &formula in &self.formulas {
            self.calls_in(formula, &mut seen, &mut found);
        }
        let room = MOST_CALLS.saturating_sub(self.calls.len());
        found.retain(|call| !self.calls.contains(call));
        found.truncate(room);
        self.calls.extend(&found);
        found
    }

    fn calls_in(&self, term: Term, seen: &mut FxHashSet<Term>, found: &mut Vec<Term>) {
        if !seen.insert(term) {
            return;
        }
        let terms = &self.theory.terms;
        if matches!(terms.op(term), Op::Call(_)) && terms.is_closed(term) {
            found.push(term);
        }
        for &arg in terms.args(term) {
            self.calls_in(arg, seen, found);
        }
    }

    fn unfold(&mut self, call: Term) -> Result<()> {
        let Op::Call(number) = self.theory.terms.op(call) else {
            return Ok(());
        };
        let function = FnId(number);
        let Some(definition) = self.theory.definition(function) else {
            return Ok(());
        };
        let arguments = self.theory.terms.args(call).to_vec();
        let theory = &mut *self.theory;
        let mut guards = vec![definition.at(theory, definition.domain, &arguments, call)];
        if let Some(induction) = &self.induction
            && induction.functions.contains(&function)
        {
            let measures = definition.measures.iter();
            let measures: Vec<Term> = measures
                .map(|one| definition.at(theory, *one, &arguments, call))
                .collect();
            guards.push(theory.terms.precedes(&measures, &induction.bound));
        }
        let body = definition.body;
        let body = body.map(|body| definition.at(theory, body, &arguments, call));
        let promise = definition.at(theory, definition.promise, &arguments, call);
        let terms = &mut theory.terms;
        let guard = terms.and(&guards);
        let promised = terms.implies(guard, promise);
        if let Some(body) = body {
            let defined = terms.eq(call, body);
            let defined = terms.implies(guard, defined);
            self.assert(defined)?;
        }
        self.assert(promised)
    }

    /// Calls with the same collections as arguments have the same result, if that is no collection: a
    /// solver sees only whether the functions that stand for the collections are the same everywhere,
    /// also where nothing is.
    fn compare(&mut self, call: Term) -> Result<()> {
        let Op::Call(number) = self.theory.terms.op(call) else {
            return Ok(());
        };
        let song = self.theory.song.clone();
        let decl = &song.functions[number as usize];
        let types: Vec<_> = decl.locals[..decl.arity]
            .iter()
            .map(|param| param.ty.clone())
            .collect();
        let collections = types.iter().any(|ty| has_functions(&song, ty));
        if !collections || has_functions(&song, &decl.result) {
            return Ok(());
        }
        let others: Vec<Term> = self
            .calls
            .iter()
            .copied()
            .filter(|other| self.theory.terms.op(*other) == Op::Call(number))
            .take_while(|other| *other != call)
            .take(MOST_COMPARED)
            .collect();
        for other in others {
            let (mine, its) = (
                self.theory.terms.args(call).to_vec(),
                self.theory.terms.args(other).to_vec(),
            );
            let mut ways = vec![self.theory.terms.eq(call, other)];
            for ((ty, a), b) in types.iter().zip(mine).zip(its) {
                ways.push(self.theory.differ(ty, a, b)?);
            }
            let fact = self.theory.terms.or(&ways);
            self.assert(fact)?;
        }
        Ok(())
    }
}
