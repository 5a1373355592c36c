//! What is asked about single states: claims, and premises that have to be true somewhere.
//!
//! Both are compiled like actions. Where a program bails, or there is none, a claim counts as not seen to be
//! true, so that the interpreter looks at it again, and a premise is looked at by the interpreter.

use super::{Compiled, Search};
use crate::code::Program;
use crate::compile;
use crate::run::Ran;
use plainsong_ir::{Claim, Expr, Property, Song};
use plainsong_semantics::search::{Check, Findings, Query};
use plainsong_semantics::vacuity::Premise;

/// A property about states.
pub(super) struct CompiledClaim<'s> {
    pub(super) check: Check,
    property: &'s Property,
    pub(super) is_always: bool,
    pub(super) program: Compiled<'s>,
}

/// A premise that was not true yet.
pub(super) struct OpenPremise<'s> {
    pub(super) premise: &'s Premise,
    pub(super) program: Compiled<'s>,
}

impl<'s> Search<'s> {
    /// Leaves out the premises, of `finally` or of `always`, that are true in the state at hand.
    pub(super) fn look_at_premises(&mut self, at_the_end: bool) {
        let mut premises = std::mem::take(&mut self.premises);
        premises.retain_mut(|one| one.premise.at_the_end != at_the_end || !self.is_met(one));
        self.premises = premises;
    }

    fn is_met(&mut self, one: &mut OpenPremise<'s>) -> bool {
        let premise = one.premise;
        if matches!(one.program, Compiled::Open) {
            let property = &self.song.properties[premise.property];
            one.program = self.claim(property, &premise.probe);
        }
        let told = match &one.program {
            Compiled::Program(program) => self.is_true(program),
            Compiled::Open | Compiled::Interpreted => None,
        };
        told.unwrap_or_else(|| {
            let config = self.coding.state(&self.base).config();
            premise.is_met(self.machine.instance(), &config)
        })
    }

    /// What tells whether something is true of a state.
    pub(super) fn claim(&mut self, property: &'s Property, claim: &'s Expr) -> Compiled<'s> {
        match compile::claim(self.song, property, claim, &mut self.coding) {
            Ok(program) => {
                self.runs.make_room(&program);
                Compiled::Program(Box::new(program))
            }
            Err(_) => Compiled::Interpreted,
        }
    }

    /// Is it true of the state at hand? None when the program bails.
    pub(super) fn is_true(&mut self, program: &Program<'s>) -> Option<bool> {
        let states = self.runs.emitted.len();
        let ran = self.runs.run(program, &self.base, None, &mut self.coding);
        let is_true = self.runs.emitted.len() > states;
        self.runs.emitted.truncate(states);
        (ran == Ran::Well).then_some(is_true)
    }

    /// Are the open claims of one kind all true, as far as programs can tell?
    pub(super) fn all_true(&mut self, findings: &Findings<'_>, is_always: bool) -> bool {
        let mut claims = std::mem::take(&mut self.claims);
        let all = claims.iter_mut().all(|claim| {
            if claim.is_always != is_always || !findings.is_open(claim.check) {
                return true;
            }
            if matches!(claim.program, Compiled::Open) {
                claim.program = self.claim(claim.property, claimed(claim.property));
            }
            match &claim.program {
                Compiled::Program(program) => self.is_true(program) == Some(true),
                Compiled::Open | Compiled::Interpreted => false,
            }
        });
        self.claims = claims;
        all
    }
}

impl<'s> OpenPremise<'s> {
    /// Not looked at yet.
    pub(super) fn new(premise: &'s Premise) -> Self {
        OpenPremise {
            premise,
            program: Compiled::Open,
        }
    }
}

/// The claims about states that are asked.
pub(super) fn claims<'s>(song: &'s Song, query: &Query) -> Vec<CompiledClaim<'s>> {
    let property = |check: &Check| {
        let Check::Property(at) = check else {
            return None;
        };
        let property = &song.properties[*at];
        let is_always = match &property.claim {
            Claim::Always(_) => true,
            Claim::Finally(_) => false,
            Claim::Step(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => return None,
        };
        Some(CompiledClaim {
            check: *check,
            property,
            is_always,
            program: Compiled::Open,
        })
    };
    query.checks.iter().filter_map(property).collect()
}

fn claimed(property: &Property) -> &Expr {
    match &property.claim {
        Claim::Always(claim) | Claim::Finally(claim) => claim,
        Claim::Step(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => {
            panic!("it is no claim about a state")
        }
    }
}
