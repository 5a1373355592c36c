//! Every execution of voices once: songs on the optimal exploration engine.
//!
//! A song's processes become the threads of a [`plainsong_explore::Program`]: thread 0 chooses the
//! starting values, performs `init` and spawns the processes, so that what `init` does is causally
//! before everything. The local steps are those of `semantics` ([`plainsong_semantics::local_process`]), each
//! computed once: a process becomes an automaton that is built by need (`roles`). A thread keeps a
//! stack of saved states, one number per event, so that going back costs nothing and going on is a
//! look into a table.
//!
//! *One step, several events.* A step of the interpreter is a communication and the local statements
//! behind it. A receive comes first and the free choices behind it next; a send comes *after* the choice
//! among the ways on, because a step that fails sends nothing. Choices and sends of one thread in
//! another order give the same executions, one to one.
//!
//! *What is counted* is what [`mod@plainsong_semantics::executions`] counts, and tests compare the two: a
//! process that fails or is cut off stands still, and the others go on.
//!
//! *What is visited*. Where processes are in states, and messages unread, as in another execution before, what
//! follows is counted and not visited again (`plainsong_explore`'s `known`), unless `always` or faults ask
//! for the way that led there.
//!
//! *What is checked*: assertions, deadlock and `finally`, which depend only on what each process did, so
//! that one order of each execution is enough; and `always`, in all states of all orders of each
//! execution ([`mod@always`]). Properties that count messages in flight, and `eventually quiescent`, which
//! is about executions without end, are for the search through states.
//!
//! NOT COVERED, and said so by [`GaveUp`] instead of a count:
//! - handlers that an `assume` cuts off, whatever is chosen, when the message is not `unordered`: such a
//!   handler leaves its message where it is, and messages behind it have to wait. Here a receive
//!   either takes a message or does not want it (an `unordered` message that is left is one that is not
//!   wanted, and where other choices do take it, it can be taken);
//! - handlers that send a `mailbox` message behind another message: a handler is one step, so nobody's
//!   send comes between, but the engine orders sends one by one;
//! - losses and copies of messages under some models: see `faults`;
//! - executions that do not end within a number of events.
//!
//! | module | idea |
//! |---|---|
//! | `process_automata` | each process as an automaton that is built by need |
//! | `faults` | faults: crashes, restarts, losses, copies |
//! | `waiting` | what a process that waits does with each message |
//! | `message_interner` | messages, each kept once |
//! | `thread_states` | the threads and their saved states |
//! | `program` | what the engine asks |
//! | `view` | what a property sees of the processes |
//! | `always` | the states on the way of an execution |
//! | `estimate` | how many executions there probably are, and why |
//! | `linear_extensions` | how many interleavings the executions stand for |
//! | `ending` | how an execution ended, and what each process did in it |
//! | `visit` | what one worker sees: counts and refutations |
//! | `explore` | the visits brought together |

mod always;
mod ending;
mod estimate;
mod explore;
mod faults;
mod linear_extensions;
mod message_interner;
mod process_automata;
mod program;
mod thread_states;
mod view;
mod visit;
mod waiting;

pub use estimate::{Cause, Estimated, estimate};
pub use explore::{
    Explored, Finding, GaveUp, Keeper, Manner, Onlooker, explore, explore_keeping, explore_showing,
    is_about_executions,
};
pub use linear_extensions::{Orders, sum_of_powers};
pub use plainsong_explore::{Estimate, Part};
