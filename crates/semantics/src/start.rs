//! Starting values of variables, in every form.

use crate::code::run::candidates;
use crate::eval::{Eval, Result};
use crate::failure::resource;
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::StartValue;

/// The most states at the start.
const MOST_STARTS: usize = 100_000;

/// The values a variable can start with, ascending.
pub(crate) fn start_values(
    eval: &mut Eval<'_>,
    start: &StartValue,
    span: Span,
    slots: &mut [Value],
) -> Result<Vec<Value>> {
    match start {
        StartValue::Value(value) => Ok(vec![eval.expr(value, slots)?]),
        StartValue::Choice(choice) => candidates(eval, choice, span, slots),
    }
}

/// Every way to take one of each, the first changing slowest.
pub(crate) fn combinations<T: Clone>(possibilities: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
    let mut all: Vec<Vec<T>> = vec![Vec::new()];
    for possible in possibilities {
        if all.len().saturating_mul(possible.len()) > MOST_STARTS {
            let message = format!(
                "there are more than {MOST_STARTS} ways to start: too many; `--bound int=0..=1,length=1` leaves fewer"
            );
            return Err(resource(Span::default(), message));
        }
        let one = |row: &Vec<T>, next: &T| {
            let mut row = row.clone();
            row.push(next.clone());
            row
        };
        all = all
            .iter()
            .flat_map(|row| possible.iter().map(move |next| one(row, next)))
            .collect();
    }
    Ok(all)
}
