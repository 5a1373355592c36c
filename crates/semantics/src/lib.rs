//! Operational semantics: what the three forms mean.
//!
//! The interpreter is the oracle of the whole project, so it is written for clarity: a
//! configuration, the steps enabled in it, and what each leads to. Engines may be cleverer than
//! this crate, never different from it.
//!
//! The way through it: [`instance`] fixes the sizes of a song, [`machine`] gives its states, steps
//! and ends, and on top of that stand [`search`] (every state), [`simulate`] (one execution by
//! chance), [`random`] (many, with everything checked), [`stepping`] (one, chosen step by step), [`mod@replay`] (a trace again), [`overtaking`] (what a stricter model forbids in it) and
//! [`mod@executions`] (how many there are). For engines that keep processes apart, [`local_process`] is one process
//! by itself and [`linearize`] the way back; for those that keep states of action systems in a form of their
//! own, there is [`action_state`], [`process_symmetry`] visits one state for all that differ in names, and for those that compare states by what is pending, [`idle`];
//! [`outcomes`] is what external functions return, [`atomic`] is one action by itself, [`threads`] a program with procedures. Underneath, `eval` says what expressions come to, `code` runs
//! statements from one stop to the next, and
//! `voices`, `actions` and `line` say what a step is in each form. Results are [`trace`]s and
//! [`verdict`]s; [`shrink`] makes a failing trace smaller, [`race`] finds what decided it and [`property_values`]
//! what the properties were worth on the way.

pub mod accelerated_loop;
pub mod action_state;
mod actions;
mod assumption;
pub mod atomic;
pub mod capsules;
pub mod changes;
pub mod claim;
pub mod claim_parts;
mod code;
pub mod constraints;
pub mod covering_order;
mod eval;
pub mod event_sentences;
pub mod executions;
mod explain;
mod failure;
mod failure_kind;
pub mod follow;
pub mod growth;
pub mod idle;
pub mod instance;
pub mod lasso;
mod line;
pub mod linearize;
pub mod local_process;
pub mod machine;
mod mark;
pub mod outcomes;
pub mod overtaking;
mod path_to_trace;
mod phrase;
pub mod process_symmetry;
pub mod property_values;
pub mod race;
pub mod random;
pub mod read;
pub mod rename;
pub mod replay;
pub mod sample;
mod schedule;
pub mod search;
pub mod shift_invariance;
pub mod show;
pub mod shrink;
pub mod simulate;
pub mod sizes;
mod start;
pub mod stepping;
mod tell;
pub mod temporal;
pub mod threads;
pub mod trace;
pub mod vacuity;
pub mod value;
pub mod verdict;
mod voices;
mod world;
