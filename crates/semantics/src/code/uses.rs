//! Uses of lemmas: steps of a proof, checked like assertions.
//!
//! A use computes its arguments and looks at what the lemma requires. Inside of the proof of a lemma, a use
//! that comes back to it has to be of something smaller: the measure is not negative here, and less there.
//! What the lemma promises is not looked at: that is a question of its own.

use super::assign::Memory;
use super::run::{Run, Runner};
use super::{FlatCode, OpKind};
use crate::eval::{Eval, Result};
use crate::trace::{Failure, FailureKind};
use crate::value::Value;
use crate::world::Nothing;
use plainsong_diagnostics::Span;
use plainsong_ir::{Choreography, Expr, LineKind, Song, Use, print, recursion};

impl FlatCode {
    /// Tells uses of lemmas that they stand in the proof of one.
    pub(crate) fn is_proof_of(&mut self, song: &Song, lemma: usize) {
        for op in &mut self.ops {
            if let OpKind::Use(used, within) = &mut op.kind
                && recursion::comes_back(song, lemma, used.lemma)
            {
                *within = Some(lemma);
            }
        }
    }
}

impl Runner<'_> {
    /// Fails where a lemma cannot be used.
    pub(super) fn uses<M: Memory>(
        &self,
        used: &Use,
        within: Option<usize>,
        span: Span,
        run: &mut Run<M>,
    ) -> Result<()> {
        let song = self.instance.song();
        let lemma = &song.lines[used.lemma];
        let mut slots = self.values(&used.arguments, run)?;
        slots.resize(lemma.code.locals.len(), Value::None);
        let failure = |message| Failure {
            kind: FailureKind::Assertion,
            message,
            span,
        };
        for condition in &lemma.requires {
            let mut eval = Eval::new(self.instance, &Nothing);
            if !eval.truth(condition, &mut slots.clone())? {
                let text = print::expr(song, &lemma.code.locals, condition);
                return Err(failure(format!(
                    "the lemma `{}` requires `{text}`, which is false here",
                    lemma.name
                )));
            }
        }
        let Some(within) = within.map(|within| &song.lines[within]) else {
            return Ok(());
        };
        let (Some(here), Some(there)) = (measure(within), measure(lemma)) else {
            return Ok(());
        };
        let here = self.number(here, &run.slots)?;
        let there = self.number(there, &slots)?;
        if here >= 0 && there < here {
            return Ok(());
        }
        Err(failure(format!(
            "what decreases is {here} in `{}` and {there} where `{}` is used",
            within.name, lemma.name
        )))
    }

    fn number(&self, measure: &Expr, slots: &[Value]) -> Result<i64> {
        let mut eval = Eval::new(self.instance, &Nothing);
        Ok(eval.expr(measure, &mut slots.to_vec())?.int())
    }
}

fn measure(lemma: &Choreography) -> Option<&Expr> {
    match &lemma.kind {
        LineKind::Lemma(decreases) => decreases.as_ref(),
        _ => None,
    }
}
