//! The driver with engines made for the occasion, and with files of every kind.

mod engines_that_break;
mod files;
mod guessed_claims;
mod performing;
mod ranks;
mod sources;
mod termination_certificates;
mod translated;
