//! Decisions: `if`, `match`, `maybe`, the head of `while`, assertions.
//!
//! Statement. A decided condition is followed. An undecided one leads to two states: in one the unknown it
//! asks about is replaced by the value everywhere, in the other the value is excluded. A comparison of numbers is decided
//! by those that were decided before (`entail.rs`), or remembered in both branches. Where nothing can
//! be asked, both branches are taken with nothing learnt. **A whole family never splits**, because its
//! members may differ: it waits for its members to be unfolded.
//!
//! An assertion that is not seen to hold is remembered, and nothing is learnt from it: an execution in which
//! it fails ends there. A path on which it certainly fails is not followed.
//!
//! Why sound. The two states cover all cases. Following more than can happen proves more than is asked.

use super::entail::learn;
use super::{Engine, Step};
use crate::derivation_log::{At, Event};
use crate::eval::{Fact, Matching, Test, risks_in};
use crate::process_code::BlockId;
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::term::Claim;
use crate::value::{Comp, possible};
use plainsong_diagnostics::Span;
use plainsong_ir::{Expr, Pattern};

/// So often the exit of a loop may be open on one path.
const UNDECIDED: usize = 12;

impl Engine<'_> {
    /// Two states: the fact holds, and it does not. A family waits.
    pub(super) fn ask(&mut self, state: &SymbolicState, comp: Comp, fact: Fact) -> Step {
        if comp.is_rest() {
            return Step::Waits;
        }
        let mut yes = state.clone();
        yes.bind(fact.key, &fact.value);
        let mut no = state.clone();
        no.differs.entry(fact.key).or_default().push(fact.value);
        // Only one candidate left: that is what it is.
        let mut left = None;
        for value in no.env.values() {
            if let crate::value::Value::Unknown(unknown) = value
                && unknown.key == fact.key
                && let Some(open) = possible(unknown, &no.differs)
            {
                left = Some(open);
            }
        }
        match left.as_deref() {
            Some([only]) => {
                let only = only.clone();
                no.bind(fact.key, &only);
                Step::Split(vec![yes, no])
            }
            Some([]) => Step::Split(vec![yes]),
            _ => Step::Split(vec![yes, no]),
        }
    }

    pub(super) fn branch(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        condition: &Expr,
        yes: BlockId,
        no: BlockId,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let test = self.eval(state, comp, |eval| eval.test(condition));
        Ok(match test {
            Ok(Test::Known(truth)) => {
                state.story.push(Event::Took(at, usize::from(!truth)));
                self.enter(state, comp, if truth { yes } else { no });
                Step::Taken
            }
            Ok(Test::Ask(fact)) | Err(fact) => self.ask(state, comp, fact),
            Ok(Test::Open(claim)) => match self.entailed(state, claim.as_ref()) {
                Some(truth) => {
                    state.story.push(Event::Took(at, usize::from(!truth)));
                    self.enter(state, comp, if truth { yes } else { no });
                    Step::Taken
                }
                None => self.either(state, at, &[yes, no], claim.as_ref()),
            },
        })
    }

    pub(super) fn maybe(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        yes: BlockId,
        no: BlockId,
    ) -> Result<Step, Stuck> {
        Ok(self.either(state, at, &[yes, no], None))
    }

    pub(super) fn match_(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        value: &Expr,
        arms: &[(&Pattern, BlockId)],
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let value = match self.eval(state, comp, |eval| eval.expr(value)) {
            Ok(value) => value,
            Err(fact) => return Ok(self.ask(state, comp, fact)),
        };
        let mut states = Vec::new();
        for (arm, (pattern, block)) in arms.iter().enumerate() {
            let matching = self.eval(state, comp, |eval| Ok(eval.pattern(&value, pattern)));
            let (names, sure) = match matching {
                Ok(Matching::No) => continue,
                Ok(Matching::Ask(fact)) | Err(fact) => return Ok(self.ask(state, comp, fact)),
                Ok(Matching::Yes(names)) => (names, true),
                Ok(Matching::Open(names)) => (names, false),
            };
            let mut next = state.clone();
            for (local, value) in names {
                next.env
                    .insert((comp, crate::process_code::Var::Local(local)), value);
            }
            next.story.push(Event::Took(at, arm));
            self.enter(&mut next, comp, *block);
            states.push(next);
            if sure {
                break;
            }
        }
        if states.len() > 1 && comp.is_rest() {
            return Ok(Step::Waits);
        }
        Ok(Step::Split(states))
    }

    pub(super) fn unless(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        condition: &Expr,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let go_on = |engine: &Self, state: &mut SymbolicState, truth: bool| {
            state.story.push(Event::Took(at, usize::from(!truth)));
            if truth {
                engine.advance_place(state, comp);
            } else {
                let part = &engine.score.parts[&comp.family];
                super::place_mut(state, comp).leave_loop(part);
            }
        };
        let mut test = self.eval(state, comp, |eval| eval.test(condition));
        if let Ok(Test::Open(claim)) = &test
            && let Some(truth) = self.entailed(state, claim.as_ref())
        {
            test = Ok(Test::Known(truth));
        }
        if !matches!(test, Ok(Test::Known(_))) && !comp.is_rest() {
            let times = state.undecided.entry(at).or_default();
            *times += 1;
            if *times > UNDECIDED {
                return Err(self.never_decided(comp, condition));
            }
        }
        Ok(match test {
            Ok(Test::Known(truth)) => {
                go_on(self, state, truth);
                Step::Taken
            }
            Ok(Test::Ask(fact)) | Err(fact) => self.ask(state, comp, fact),
            Ok(Test::Open(_)) if comp.is_rest() => Step::Waits,
            Ok(Test::Open(claim)) => {
                let mut yes = state.clone();
                learn(&mut yes, claim.as_ref(), true);
                go_on(self, &mut yes, true);
                let mut no = state.clone();
                learn(&mut no, claim.as_ref(), false);
                go_on(self, &mut no, false);
                Step::Split(vec![yes, no])
            }
        })
    }

    /// How often a loop is gone through depends on what earlier rounds left.
    fn never_decided(&self, comp: Comp, condition: &Expr) -> Stuck {
        let sentence = format!(
            "how often {} goes through this loop depends on what its rounds compute",
            self.call(comp)
        );
        Stuck::new(Obstacle::StatefulLoop, condition.span, sentence)
            .help("go over a range with constant ends, `for i in 0..N`, or decide in each round by what is received in it")
    }

    pub(super) fn assert(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        condition: &Expr,
        span: Span,
    ) -> Result<Step, Stuck> {
        let test = self.eval(state, at.comp, |eval| eval.test(condition));
        match test {
            Ok(Test::Known(true)) => {}
            Ok(Test::Known(false)) if !at.comp.is_rest() => {
                self.risks.insert(span);
                self.pruned = true;
                return Ok(Step::Split(Vec::new()));
            }
            _ => {
                self.risks.insert(span);
                self.risks.extend(risks_in(condition));
            }
        }
        state.story.push(Event::Did(at));
        self.advance_place(state, at.comp);
        Ok(Step::Taken)
    }

    /// Any of these blocks; the first if the claim holds, the second if it does not.
    fn either(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        blocks: &[BlockId],
        claim: Option<&Claim>,
    ) -> Step {
        if at.comp.is_rest() {
            return Step::Waits;
        }
        let mut states = Vec::new();
        for (arm, block) in blocks.iter().enumerate() {
            let mut next = state.clone();
            learn(&mut next, claim, arm == 0);
            next.story.push(Event::Took(at, arm));
            self.enter(&mut next, at.comp, *block);
            states.push(next);
        }
        Step::Split(states)
    }
}
