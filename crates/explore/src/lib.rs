//! Stateless model checking with optimal dynamic partial-order reduction (DPOR) for message passing [Must24]: every execution
//! once, one for each Mazurkiewicz trace.
//!
//! An *execution graph* has the events of an execution, the order of each thread's events and, for
//! each receive, the send it reads. Interleavings that give the same graph cannot be told apart by
//! the program, so the engine enumerates graphs: every consistent graph exactly once, none started
//! in vain, in memory polynomial in the size of one graph ([Must24] in `docs/PAPERS.md`). So neither sleep sets nor
//! wakeup trees are needed: what persistent or source sets choose in advance is decided here by backward revisits.
//!
//! The engine knows nothing of closures or of songs. A [`Program`] says what a thread does next,
//! given the answers to what it did so far; the engine decides the answers.
//!
//! | module | idea |
//! |---|---|
//! | `program` | what the engine wants from a program |
//! | `event` | what happened, and what was read |
//! | `graph` | events, reads-from, in place with cheap undo |
//! | `clocks` | happens-before |
//! | `mailbox_index` | the messages of a mailbox, by sender |
//! | `backward_revisit` | deleting what a revisit takes back, and putting it back later |
//! | `live_threads` | the threads that have not terminated |
//! | `faults` | budgets, and messages that are lost |
//! | `mailbox_order` | happens-before extended by what mailboxes force |
//! | `candidates` | which sends a receive may read: the delivery models |
//! | `receive_sets` | the same for sets of messages, and messages that may be lost |
//! | `revisit` | when a new send may turn an earlier receive round |
//! | `revisit_sets` | the same for sets of messages, and messages that may be lost |
//! | `memory` | shared memory: loads, stores, updates and fences under RC11 |
//! | `synchronization` | happens-before where loads may be relaxed |
//! | `coherence` | which stores a load may read, and places in modification order |
//! | `sc_order` | the order of `SeqCst` accesses |
//! | `memory_revisit` | when a new store may turn an earlier load round |
//! | `data_race` | accesses that nothing orders |
//! | `thread_symmetry` | threads that are alike |
//! | `subtree_cache` | subtrees that are like one explored before |
//! | `engine` | the depth-first search over graphs |
//! | `engine::pct` | random executions by priorities |
//! | `counters` | counting executions |
//! | `parallel` | several workers, any outcome can be handed over |
//! | `search_slice` | what a search that was stopped has left |
//! | `sample` | random executions, and how many there probably are |

#![warn(missing_docs)]

mod backward_revisit;
mod candidates;
mod clocks;
mod coherence;
mod counters;
mod data_race;
mod engine;
mod event;
mod faults;
mod graph;
mod live_threads;
mod mailbox_index;
mod mailbox_order;
mod mailbox_past;
mod memory;
mod memory_revisit;
mod parallel;
mod program;
mod receive_sets;
mod revisit;
mod revisit_sets;
mod sample;
mod sc_order;
mod search_slice;
mod subtree_cache;
mod synchronization;
mod thread_symmetry;

pub use counters::Tally;
pub use engine::{Again, Counts, Engine, Leaf, Pct, Policy, Visitor};
pub use event::{Event, EventId, Kind, Read, Tid};
pub use graph::Graph;
pub use memory::{Access, Location, MemoryEvent, MemoryOrder, Update};
pub use parallel::{Slice, Workers, explore_in_parallel, explore_parts, explore_parts_with};
pub use program::{
    Answer, Budget, Earlier, Fate, History, Mailbox, Mailboxes, Model, Op, Program, Want,
};
pub use sample::{Estimate, Fork, next_random, sample};
pub use search_slice::{NoPart, Part};
