//! A work queue over many machines: the pieces of one question on NATS JetStream, each counted exactly once.
//!
//! This crate knows neither songs nor Rust programs. A *piece* is a text; whoever carries it out returns a *result* and the
//! *children* that it left, both texts again. A run is over when every piece that is reachable from its first one has a result.
//!
//! Statement. What a run adds up has the result of each reachable piece once, whatever is killed, restarted, delivered twice or
//! lost from the queue.
//!
//! Why sound.
//! 1. *The store decides.* The first outcome of a piece (result and children, one value) that is created under the piece's key
//!    stays; every later one of the same piece is dropped by the server ([`store`]).
//! 2. *Children belong to the outcome.* They become pieces only as children of the stored outcome, and their names are hashes of
//!    their parent's name and their own text ([`names`]): an outcome is never taken for that of another text.
//! 3. *The queue is only a means.* A message is acknowledged after the outcome is stored and its children are in the queue. A
//!    message that comes twice finds the outcome; one that is lost is sent again by whoever waits for it ([`run`], [`presence`]).
//! 4. *Whoever adds up* follows the children from the first piece on and enters each name once ([`account`]).
//!
//! Source. At-least-once delivery with idempotent effects: [Helland12] in `docs/PAPERS.md`. Work stealing by giving away the
//! shallowest subtree is the business of whoever carries out a piece; when it is time, [`pause`] says.
//!
//! | module | idea |
//! |---|---|
//! | `names` | names of runs, pieces, streams and subjects |
//! | `build` | which build of a program runs |
//! | `record` | what is stored and sent, sealed against garbage |
//! | `account` | which pieces are open; each outcome counts once |
//! | `server` | where the server is, and with which credentials one may use it |
//! | `store` | streams and buckets |
//! | `pause` | when to stop working on a piece |
//! | `presence` | who is there, and which pieces nobody works on |
//! | `work` | the loop of a worker |
//! | `run` | a run from whoever asks |
//! | `listing` | runs as a list, and their end |
//! | `metrics` | what a worker did, for Prometheus |

#![cfg(feature = "nats")]

mod account;
mod build;
#[cfg(test)]
mod faults;
mod listing;
mod metrics;
mod names;
mod pause;
mod presence;
mod record;
mod run;
mod server;
mod store;
mod work;

pub use account::Account;
pub use build::this_build;
pub use listing::Listed;
pub use metrics::Metrics;
pub use names::{digest, is_name};
pub use pause::{Pause, Wish};
pub use record::{Asked, Outcome, RunRecord, State};
pub use run::{Collector, Progress, Run};
pub use server::{Server, Trouble};
pub use store::Connection;
pub use work::{Desk, Done, Work};
