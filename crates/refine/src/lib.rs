//! Layered refinement [Kragl20]: a fine-grained program implements an atomic one, layer by layer, by Lipton reduction and
//! forward simulation with stuttering.
//!
//! The way through it: [`read_write_sets`] says what an action touches, [`movers`] which conditions make it
//! move past others, [`brute`] tries them on small states through the interpreter, [`layer_program`] is the program
//! of a layer, [`action_refines`] compares actions of two layers, [`atomicity`] says where its threads may be interrupted, [`procedures`] follows them from
//! yield to yield, and [`refine`](mod@refine) puts it together.
//!
//! *Proved* means that every condition of the rule was shown by the solver; *refuted* that the
//! interpreter ran into a state where one is false. Whatever is not covered is unknown, with the reason.

pub mod action_refines;
pub mod answer;
mod async_text;
pub mod atomicity;
pub mod brute;
pub mod compare;
mod counterexample_state;
mod culprit;
pub mod cut;
pub mod handlers;
mod inferred_movers;
mod initial_safety;
pub mod layer_program;
pub mod linear_permissions;
pub mod movers;
mod negative_cache;
pub mod printed;
pub mod procedures;
pub mod read_write_sets;
pub mod refine;
mod retrace;
pub mod sequential;
mod trusted;
