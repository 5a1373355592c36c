//! Claims about states as conjuncts: what has to have a value, and what has to be true.

use crate::system::System;
use plainsong_diagnostics::Span;
use plainsong_ir::Claim;
use plainsong_prove::lower::{Env, Lowering, Store, Unsupported};
use plainsong_prove::term::{Op, Term};
use plainsong_prove::theory::{Result, Theory};

/// A part of a claim in a state.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// What has to hold.
    pub(crate) holds: Term,
    /// Its place in the text.
    pub(crate) span: Span,
    /// What it is not: `is false`, or why it has no value.
    pub(crate) otherwise: &'static str,
}

/// The parts of a claim, by its position among the properties, in a state. `defined`: also that it has a value.
pub(crate) fn parts(
    theory: &mut Theory,
    system: &System,
    at: usize,
    store: &Store,
    defined: bool,
) -> Result<Vec<Part>> {
    let property = &system.song.properties[at];
    let Claim::Always(claim) = &property.claim else {
        return Err(Unsupported::new(property.span, "it is not about states"));
    };
    let env = Env {
        store: store.clone(),
        ..Env::default()
    };
    let mut lowering = Lowering::new(theory, env);
    let truth = lowering.expr(claim)?;
    let needs = std::mem::take(&mut lowering.definedness);
    let mut parts: Vec<Part> = needs
        .iter()
        .filter(|_| defined)
        .map(|one| Part {
            holds: one.condition,
            span: one.span,
            otherwise: one.what,
        })
        .collect();
    for holds in theory.terms.conjuncts(truth) {
        parts.push(Part {
            holds,
            span: claim.span,
            otherwise: "is false",
        });
    }
    parts.retain(|part| theory.terms.op(part.holds) != Op::True);
    Ok(parts)
}
