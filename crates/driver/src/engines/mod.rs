//! The engines this build has, in the order in which they are asked.

mod as_actions;
mod bounds;
mod candidates;
mod counting;
pub(crate) mod diverge;
mod dossier;
mod doubt;
mod expectation;
mod explore;
mod identities;
mod induction;
mod leads;
mod naive;
mod on_the_line;
pub(crate) mod orders;
mod outcomes;
mod prove;
mod ranking;
mod refine;
mod remembered;
mod rounds;
mod rows;
mod sequentialize;
mod steady;
mod translated;
mod tried;
mod trusted;
mod unsatisfied;
mod up_to_names;
mod wide_leads;

pub(crate) use ranking::{Decreases, ranking, shown_again};
pub(crate) use trusted::trusted;

use crate::Engine;

/// Every engine: one line each.
pub static ALL: &[&dyn Engine] = &[
    &diverge::Diverge,
    &naive::Naive,
    &explore::Explore,
    &prove::Prove,
    &refine::Refine,
    &sequentialize::Sequentialize,
];
