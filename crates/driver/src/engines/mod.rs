//! The engines this build has, in the order in which they are asked.

pub(crate) mod assumptions;
mod bounds;
mod cross_check;
pub(crate) mod diverge;
mod execution_counts;
mod executions_in_pieces;
mod explicit_state;
mod explore;
mod external_answers;
mod external_outcomes;
mod induct;
mod kept_executions;
mod liveness;
mod packed_processes;
mod prove;
mod refine;
mod response;
mod running_estimate;
mod sequentialize;
mod symmetry_reduction;
mod verdict_accumulator;

pub use executions_in_pieces::ExecutionsWorker;

pub(crate) use assumptions::trusted;
pub(crate) use explicit_state::instances_of;

use crate::Engine;

/// Every engine: one line each.
pub static ALL: &[&dyn Engine] = &[
    &diverge::Diverge,
    &explicit_state::ExplicitState,
    &explore::Explore,
    &liveness::Liveness,
    &prove::Prove,
    &refine::Refine,
    &sequentialize::Sequentialize,
    &induct::Induct,
];
