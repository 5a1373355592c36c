//! The real solver on real goals, and false ones on false pretences. The real one is fetched if this
//! machine has none.

mod asking;
mod batching;
mod caching;
mod corpus;
mod determinism;
mod dumping;
#[cfg(unix)]
mod faults;
mod installing;
#[cfg(target_os = "linux")]
mod killing;
#[cfg(target_os = "linux")]
mod second_opinion;
mod stage;
