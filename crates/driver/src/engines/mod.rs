//! The engines this build has, in the order in which they are asked.

mod accumulator_invariants;
mod affine_invariants;
mod alive_smt;
mod as_actions;
pub(crate) mod assumptions;
mod bmc_trace;
mod bmc_trace_wide;
mod bounds;
mod counterexample_to_induction;
pub(crate) mod covering_orders;
mod cross_check;
pub(crate) mod diverge;
mod execution_counts;
mod explicit_state;
mod explore;
mod external_outcomes;
mod filter_by_runs;
mod houdini;
mod pids_as_data;
mod position_invariants;
mod proof_cache;
mod prove;
mod range_invariants;
mod ranking;
mod refine;
mod running_estimate;
mod sequentialize;
mod symmetry_reduction;
mod unsatisfied;
mod verdict_accumulator;

pub(crate) use assumptions::trusted;
pub(crate) use ranking::{Decreases, ranking, shown_again};

use crate::Engine;

/// Every engine: one line each.
pub static ALL: &[&dyn Engine] = &[
    &diverge::Diverge,
    &explicit_state::ExplicitState,
    &explore::Explore,
    &prove::Prove,
    &refine::Refine,
    &sequentialize::Sequentialize,
];
