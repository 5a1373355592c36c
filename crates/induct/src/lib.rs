//! Proofs by inductive invariants: what holds in every state, for every size.
//!
//! Statement. Let `J` be the conjunction of some `invariant`s and `always` properties of an action system, each as
//! "it has a value, and that is true". If the rules below are shown, every one of them holds in every state after `init`,
//! whatever the sizes, parameters and choices, provided that nothing fails (`assertions`); and if the gates are shown as
//! well, nothing does.
//!
//! | rule | asks |
//! |---|---|
//! | `induct/start` | the first values of the variables can be computed |
//! | `induct/init` | *initiation*: `J` holds after `init`, conjunct by conjunct |
//! | `induct/step` | *consecution*: if `J` holds, and an action can run and does not fail, each conjunct holds after it |
//! | `induct/gate` | if `J` holds, an action that can run does not fail; nor does `init` |
//! | `induct/final` | if `J` holds, and what is true of every final state, then so does what is claimed of final states |
//!
//! Why sound. Induction on the number of steps, of all conjuncts at once: all are relied on before a step, none after it. Every step of
//! an action system is a run of one action, pending or always on offer, with some arguments and choices ([`steps`]), which
//! are arbitrary here. What is pending is a bag: a function from arguments to numbers ([`state`]). Variables that a step
//! does not write are the same terms after it. A conjunct that is not proved is left out and all others are shown
//! again without it ([`fixpoint`], Houdini). Only `unsat` counts.
//!
//! Processes are translated to actions ([`plainsong_ir::handlers_to_actions`]): messages are a bag, which
//! allows at least the steps of every delivery model; where a body is, is a variable; faults are actions. So proofs carry over, and
//! nothing else does.
//!
//! Temporal claims of the form `P leads to Q` are shown by helpful tasks and a measure ([`response`]).
//!
//! Sorts have at least one member, here as in every instance.
//!
//! NOT COVERED, and said so ([`Refused`]): constraints, programs in layers, recursive and
//! external functions, loops of bodies over sequences, and what [`plainsong_prove::gated_actions`] leaves out of actions. Missing
//! invariants are looked for by [`find`].

mod claims;
pub mod counterexample;
pub mod find;
pub mod fixpoint;
mod picture;
pub mod response;
pub mod soundness;
pub mod state;
pub mod steps;
pub mod system;

pub use counterexample::Counterexample;
pub use fixpoint::{Ask, Found, Report, prove};
pub use response::{Response, respond};
pub use soundness::Condition;
pub use system::{Refused, System};
