//! Liveness of finite instances, decided exactly: does every fair execution satisfy a temporal claim?
//!
//! Statement. When all states of an instance are explored, [`Explored::ask`] says of a temporal claim and a level of
//! fairness that it holds, or gives a lasso (stem and cycle) or an end that violates it.
//!
//! Why exact. Each claim is reduced to the emptiness of a region of the state graph ([`region`]): a violation is an
//! execution that stays in the region for ever, from one of its starts. The states that a fair execution visits
//! infinitely often, with the steps that it takes infinitely often, form a strongly connected subgraph; it is fair if
//! and only if that subgraph satisfies every fairness condition, of which weak ones are generalised Büchi conditions
//! and strong ones Streett pairs, on edges that carry the tasks they serve ([`fair_components`]). An execution that
//! ends repeats its last state: such a state has an edge to itself that serves nobody.
//!
//! A violation that lies in states whose steps are all known is real even if others were not looked at; that it holds
//! is said only where no such state can be reached inside the region.
//!
//! Nothing is believed: each lasso is checked against the meaning by code of its own
//! ([`plainsong_semantics::temporal::lasso_check`]) and replayed by the interpreter.
//!
//! NOT COVERED: partial-order reduction (it would have to respect fairness and cycles), symmetry, states that never
//! repeat. Proofs for every size are elsewhere (`plainsong-induct`).

mod fair_components;
mod lasso;
mod region;
mod state_graph;

pub use state_graph::Explored;

use lasso::refutation;
use plainsong_ir::{Fairness, Property};
use plainsong_semantics::claim::Verity;
use plainsong_semantics::temporal::lasso_check::Shape;
use plainsong_semantics::temporal::{Instantiated, instantiated};
use plainsong_semantics::trace::Trace;
use region::{Truths, region};

/// What is found about a claim.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Every fair execution satisfies it.
    Holds,
    /// This execution does not.
    Violated {
        /// The execution.
        trace: Box<Trace>,
        /// Does an `assume` or a choice without a candidate cut off a step in a state that it visits for ever? With other
        /// values somebody may be enabled there.
        cuts_steps: bool,
    },
    /// It cannot be said, and this is why.
    Open(String),
}

/// What is found about a claim, and what a reader should know.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is found.
    pub finding: Finding,
    /// There was nothing to check, and why.
    pub vacuous: Option<String>,
}

impl Explored<'_> {
    /// Does every execution that is fair at this level satisfy the property's temporal claim? Only what was explored
    /// so far is known.
    pub fn ask(&self, property: &Property, level: Fairness) -> Answer {
        let open = |why: &str| Answer {
            finding: Finding::Open(why.to_owned()),
            vacuous: None,
        };
        let Some(any) = self.state(0) else {
            return Answer {
                vacuous: Some("there is no execution".to_owned()),
                ..open("an `assume` or a failure ends every execution at its start")
            };
        };
        let all = match instantiated(self.machine(), property, any) {
            Ok(all) => all,
            Err(why) => return open(&why),
        };
        let (mut left_open, mut vacuous) = (None, None);
        for one in &all {
            match self.ask_one(one, level) {
                Ok(Asked::Holds { premise_seen }) => {
                    if !premise_seen && one.part.premise.is_some() {
                        vacuous.get_or_insert_with(|| {
                            format!(
                                "the premise is true in no state{}",
                                one.values(self.machine())
                            )
                        });
                    }
                }
                Ok(Asked::Open(why)) => drop(left_open.get_or_insert(why)),
                Err(finding) => {
                    return Answer {
                        finding,
                        vacuous: None,
                    };
                }
            }
        }
        let finding = left_open.map_or(Finding::Holds, Finding::Open);
        Answer { finding, vacuous }
    }

    fn ask_one(&self, one: &Instantiated<'_>, level: Fairness) -> Result<Asked, Finding> {
        let truths = match Truths::of(self, one) {
            Ok(truths) => truths,
            Err((_, Verity::Unknown(failure))) => return Ok(Asked::Open(failure.message)),
            Err((at, _)) => {
                let trace = refutation(self, one, level, self.way_to(at), Shape::NoValue);
                return Err(Finding::Violated {
                    trace: Box::new(trace),
                    cuts_steps: false,
                });
            }
        };
        let region = region(self, one, &truths);
        let found = fair_components::fair_components(self, &region, level);
        if let Some((way, shape)) = lasso::nearest(self, &region, &found, level) {
            let events = match shape {
                Shape::Cycle(events) => events,
                Shape::End | Shape::Pause | Shape::NoValue => 0,
            };
            let states: Vec<usize> = way.states().collect();
            let for_ever = &states[states.len() - 1 - events..];
            let cuts_steps = for_ever.iter().any(|at| self.cuts_a_step(*at));
            let trace = Box::new(refutation(self, one, level, way, shape));
            return Err(Finding::Violated { trace, cuts_steps });
        }
        match region.first_open(self) {
            Some(why) => Ok(Asked::Open(why.to_owned())),
            None => Ok(Asked::Holds {
                premise_seen: truths.premise.iter().any(|truth| *truth),
            }),
        }
    }
}

/// What is found about one part of a claim.
enum Asked {
    Holds { premise_seen: bool },
    Open(String),
}
