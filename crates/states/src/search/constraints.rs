//! State constraints on packed states: see [`plainsong_semantics::constraints`].
//!
//! A constraint is compiled like a claim. Where all of them are seen to be true, the state is searched further; everywhere
//! else the interpreter says whether it is cut, and by which.

use super::{Compiled, Search};
use plainsong_ir::{Claim, Property};

/// A condition on the states that are searched further.
pub(super) struct Constraint<'s> {
    property: &'s Property,
    pub(super) program: Compiled<'s>,
}

impl<'s> Constraint<'s> {
    /// Not compiled yet.
    pub(super) fn new(property: &'s Property) -> Self {
        Constraint {
            property,
            program: Compiled::Open,
        }
    }
}

impl Search<'_> {
    /// Finds out whether the state at hand, which is after `init`, is cut off.
    pub(super) fn cut_off(&mut self) {
        self.is_cut = false;
        if !self.machine.is_constrained() {
            return;
        }
        let mut constraints = std::mem::take(&mut self.constraints);
        let mut all = constraints.iter_mut();
        let seen_true = all.all(|constraint| {
            let Claim::Always(condition) = &constraint.property.claim else {
                return false;
            };
            if matches!(constraint.program, Compiled::Open) {
                constraint.program = self.claim(constraint.property, condition);
            }
            match &constraint.program {
                Compiled::Program(program) => self.is_true(program) == Some(true),
                Compiled::Open | Compiled::Interpreted => false,
            }
        });
        self.constraints = constraints;
        let is_bounded = self.machine.instance().bounds().pending.is_some();
        if seen_true && !is_bounded {
            return;
        }
        let config = self.coding.state(&self.base).config();
        if let Some(constraint) = self.machine.cut(&config) {
            self.is_cut = true;
            self.cut_by.insert(constraint);
        }
    }
}
