//! The built command, run on small files in folders of their own.

mod bad_input;
mod book;
mod browser;
mod continuous;
mod estimating;
mod examining;
mod exit_codes;
mod explaining;
mod exploring;
mod formatting;
mod interrupting;
mod json;
mod new_project;
mod pictures;
mod projecting;
mod replaying;
mod resuming;
mod running;
mod selecting;
mod sequentializing;
mod showing;
mod simulating;
mod sizing;
mod songs;
mod stage;
mod vacuity;
