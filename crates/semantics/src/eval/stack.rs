//! Deep nesting without a deep stack.
//!
//! A recursive function may nest evaluations far deeper than the stack of the thread that asked
//! allows. Instead of rewriting the evaluator as a machine with its own stack, evaluation moves to
//! a thread with a fresh one whenever a stretch of nesting is used up. Shallow expressions, which
//! are nearly all, never notice.

use super::{Eval, Result};
use crate::failure::resource;
use crate::value::Value;
use plainsong_ir::Expr;
use std::thread;

/// Levels on the stack of whoever asked, of which we know nothing.
const FIRST_STRETCH: u32 = 100;
/// Levels on each further stack.
const STRETCH: u32 = 1_000;
/// The size of those stacks: generous, and only touched as far as it is used.
const STACK_BYTES: usize = 16 << 20;
const MOST_LEVELS: u32 = 200_000;

impl Eval<'_> {
    /// Evaluates one level deeper.
    pub(super) fn nested(&mut self, expr: &Expr, locals: &mut [Value]) -> Result {
        self.nesting += 1;
        let value = if self.nesting > MOST_LEVELS {
            Err(resource(
                expr.span,
                "this expression nests too deeply to compute",
            ))
        } else if self.nesting >= FIRST_STRETCH
            && (self.nesting - FIRST_STRETCH).is_multiple_of(STRETCH)
        {
            self.on_a_fresh_stack(expr, locals)
        } else {
            self.node(expr, locals)
        };
        self.nesting -= 1;
        value
    }

    fn on_a_fresh_stack(&mut self, expr: &Expr, locals: &mut [Value]) -> Result {
        let refused = resource(
            expr.span,
            "there is no memory to go on computing this expression",
        );
        thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            match builder.spawn_scoped(scope, || self.node(expr, locals)) {
                Ok(handle) => match handle.join() {
                    Ok(value) => value,
                    Err(panic) => std::panic::resume_unwind(panic),
                },
                Err(_) => Err(refused),
            }
        })
    }
}
