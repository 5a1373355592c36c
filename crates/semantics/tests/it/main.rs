//! The interpreter against what the language reference says, and against numbers known from
//! elsewhere. Songs are built as data here: the front end has its own tests.

#![allow(
    missing_docs,
    reason = "tests are documented by their names"
)]

mod build;
mod threads;

mod evaluate;
mod families;
mod instances;
mod random;
mod suite;
mod two_phase;
