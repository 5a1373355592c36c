//! The interpreter against what the language reference says, and against numbers known from
//! elsewhere. Songs are built as data here: the front end has its own tests.

mod ask;
mod build;
mod threads;

mod actions;
mod addresses;
mod bodies;
mod delivery;
mod evaluate;
mod families;
mod handlers;
mod instances;
mod lines;
mod random;
mod reading;
mod suite;
mod two_phase;
