//! Files, options and engines brought together.
//!
//! The path of a request: [`source`] reads a file, [`song`] compiles it, [`select`] and [`sizes`]
//! decide what is asked and how big, [`plan`] turns that into tasks for engines, and [`run`] gives
//! them to the engines one by one, each contained so that a broken one costs only its own answer.
//!
//! An engine is a file under `engines/` that implements [`Engine`] by asking the crate that does the work, and one line
//! in [`engines::ALL`]. Proof search is in `plainsong-infer`.
//!
//! Only this crate and the command line read files, clocks or the environment.

pub mod certificate;
pub mod contain;
pub mod counterexample;
mod coverage;
mod disk;
pub mod effort;
mod endless;
pub mod engine;
pub mod engines;
pub mod estimate;
pub mod exit;
mod failing_share;
pub mod format;
mod from_the_text;
pub mod larger_sizes;
pub mod layers;
mod left_behind;
pub mod line;
pub mod memory;
mod never_passed;
mod next_step;
mod only_instance;
pub mod performance;
pub mod pieces;
pub mod plan;
mod portfolio;
pub mod problem;
pub mod projection;
mod provided;
pub mod random_check;
pub mod rank_certificate;
pub mod replay;
pub mod resume;
pub mod run;
mod runtime_sources;
pub mod save;
pub mod select;
pub mod sensitivity;
mod shrink;
pub mod simulation;
pub mod sizes;
pub mod song;
pub mod source;
pub mod termination_certificate;
pub mod translation;
pub mod watch;
mod window_ends;
mod window_flow;
mod window_termination;
mod without_faults;
pub mod worker;

pub use engine::Engine;
pub use exit::Exit;
/// What prevents a line.
pub use plainsong_sequentialize::codes::ALL as LINE_CODES;
pub use problem::Problem;
pub use song::LoadedSong;
pub use source::Source;
