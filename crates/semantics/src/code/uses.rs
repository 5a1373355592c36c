//! Uses of lemmas, and what loops decrease: steps of a proof, checked like assertions.
//!
//! A use computes its arguments and looks at what the lemma requires. Inside of the proof of a lemma, a use
//! that comes back to it has to be of something smaller: the measure is not negative here, and less there.
//! What the lemma promises is not looked at: that is a question of its own. A round of a loop with a measure has to
//! end with a smaller one in the same sense; the last one too.

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
        let (here, there) = (measures(within), measures(lemma));
        if here.is_empty() || there.is_empty() {
            return Ok(());
        }
        let here = self.numbers(here, &run.slots)?;
        let there = self.numbers(there, &slots)?;
        if precedes(&there, &here) {
            return Ok(());
        }
        Err(failure(format!(
            "what decreases is {} in `{}` and {} where `{}` is used",
            listed(&here),
            within.name,
            listed(&there),
            lemma.name
        )))
    }

    /// Fails where the round that is over did not make the measure smaller.
    pub(super) fn decreases<M: Memory>(
        &self,
        slot: usize,
        measures: &[Expr],
        span: Span,
        run: &mut Run<M>,
    ) -> Result<()> {
        let Value::Seq(before) = &run.slots[slot] else {
            return Ok(());
        };
        let numbers = |values: &[Value]| values.iter().map(Value::int).collect::<Vec<i64>>();
        let before = numbers(before);
        let now = numbers(&self.values(measures, run)?);
        if precedes(&now, &before) {
            return Ok(());
        }
        let why = match now == before {
            true => "it stays the same",
            false => "it does not decrease, or was negative",
        };
        Err(Failure {
            kind: FailureKind::Contract,
            message: format!(
                "decreases: {} where a round begins, and {} behind it: {why}",
                listed(&before),
                listed(&now)
            ),
            span,
        })
    }

    fn numbers(&self, measures: &[Expr], slots: &[Value]) -> Result<Vec<i64>> {
        let mut eval = Eval::new(self.instance, &Nothing);
        let numbers = measures.iter();
        numbers
            .map(|one| Ok(eval.expr(one, &mut slots.to_vec())?.int()))
            .collect()
    }
}

/// Is the first number that differs smaller, and was it not negative?
pub(crate) fn precedes(there: &[i64], here: &[i64]) -> bool {
    let pairs = there.iter().zip(here);
    let first = pairs.into_iter().find(|(there, here)| there != here);
    first.is_some_and(|(there, here)| *here >= 0 && there < here)
}

pub(crate) fn listed(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(", ")
}

fn measures(lemma: &Choreography) -> &[Expr] {
    match &lemma.kind {
        LineKind::Lemma(decreases) => decreases,
        _ => &[],
    }
}
