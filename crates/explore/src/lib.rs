//! Every execution once: optimal partial-order reduction for message passing.
//!
//! An *execution graph* has the events of an execution, the order of each thread's events and, for
//! each receive, the send it reads. Interleavings that give the same graph cannot be told apart by
//! the program, so the engine enumerates graphs: every consistent graph exactly once, none started
//! in vain, in memory polynomial in the size of one graph ([Must24] in `docs/PAPERS.md`).
//!
//! The engine knows nothing of closures or of songs. A [`Program`] says what a thread does next,
//! given the answers to what it did so far; the engine decides the answers.
//!
//! | module | idea |
//! |---|---|
//! | `program` | what the engine wants from a program |
//! | `graph` | events, reads-from, clocks, in place with cheap undo |
//! | `order` | happens-before extended by what mailboxes force |
//! | `candidates` | which sends a receive may read: the delivery models |
//! | `revisit` | when a new send may turn an earlier receive round |
//! | `engine` | the depth-first search over graphs |
//! | `parallel` | several workers, any outcome can be handed over |
//! | `sample` | random executions, and how many there probably are |

mod candidates;
mod engine;
mod graph;
mod order;
mod parallel;
mod program;
mod revisit;
mod sample;

pub use engine::{Engine, Leaf, Policy, Tally, Visitor};
pub use graph::{Event, EventId, Graph, Kind, Read, Tid};
pub use parallel::explore_in_parallel;
pub use program::{Answer, Earlier, History, Mailbox, Model, Op, Program};
pub use sample::{Estimate, sample};
