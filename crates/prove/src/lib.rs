//! Deductive verification: one sequential prover for choreographies, synthesized lines and actions.
//!
//! The way through it: [`lower`] turns source expressions into [`term`]s, with the conditions under
//! which they are defined; [`vc`] follows the statements of a line and collects [`obligation`]s;
//! [`discharge`] shows each of them to a solver. Only `unsat` proves anything; everything else is
//! open. As a library: put a line into a song (`song.lines`), make a [`theory::Theory`] of the song, ask
//! [`vc::conditions`] for its obligations and [`discharge::discharge`] to show them. A question is proved
//! when the obligations of its rules are shown *and* all those that no run checks
//! ([`obligation::Rule::is_unchecked`]). What is refuted is refuted by runs of the interpreter, never by a solver's model.

pub mod bounded;
pub mod cut;
pub mod discharge;
pub mod functions;
pub mod gated_actions;
pub mod lemma_library;
pub mod lower;
pub mod obligation;
mod rounds;
pub mod symbolic_execution;
pub mod term;
pub mod theory;
pub mod types;
pub mod vc;
