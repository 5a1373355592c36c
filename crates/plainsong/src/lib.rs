//! Write a protocol in ordinary Rust, wrap it in a test, and have *every* execution checked: every
//! order in which messages can arrive, every timeout, every choice. Executions that the processes
//! cannot tell apart are explored once. When one fails, you see it as a picture.
//!
//! # The first five minutes
//!
//! A lock service: a server and two clients that wait for the lock, but not for ever. With
//! `plainsong` in your `dev-dependencies`, put this into a test.
//!
//! ```
//! use plainsong::{current, explore, receive, receive_timeout, send, spawn_named, Builder, Process};
//! use std::{collections::VecDeque, time::Duration};
//!
//! #[derive(Clone, Debug)]
//! enum Request {
//!     Lock(Process),
//!     Unlock(Process),
//! }
//!
//! #[derive(Clone, Debug)]
//! struct Granted;
//!
//! fn server() {
//!     let mut queue = VecDeque::new(); // the first one has the lock
//!     loop {
//!         match receive::<Request>() {
//!             Request::Lock(client) => {
//!                 queue.push_back(client);
//!                 if queue.len() == 1 {
//!                     send(client, Granted);
//!                 }
//!             }
//!             Request::Unlock(client) => {
//!                 assert_eq!(queue.pop_front(), Some(client), "unlocked by somebody else");
//!                 if let Some(&next) = queue.front() {
//!                     send(next, Granted);
//!                 }
//!             }
//!         }
//!     }
//! }
//!
//! fn client(server: Process) {
//!     send(server, Request::Lock(current()));
//!     receive_timeout::<Granted>(Duration::from_secs(1));
//!     // … use what the lock protects …
//!     send(server, Request::Unlock(current()));
//! }
//!
//! let report = explore(|| {
//!     let server = Builder::new().name("server").daemon().spawn(server).process();
//!     for name in ["ann", "bob"] {
//!         spawn_named(name, move || client(server));
//!     }
//! });
//! // report.assert_holds(); would panic with the text below.
//! # assert_eq!(report.failures[0].picture, "    \
//! # server             ann   bob
//! #        |<- Lock(ann) ---|     |
//! #        |<---- Lock(bob) ------|
//! #        |                |     * no Granted
//! #        |<--- Unlock(bob) -----|
//! #        X                |     |   <- here".replace("\n# ", "\n"));
//! # assert!(report.failures[0].race.as_ref().unwrap().contains("had it received Unlock(ann) from ann first, the execution that follows is fine"));
//! ```
//!
//! It fails, and this is how:
//!
//! ```text
//! server: assertion `left == right` failed: unlocked by somebody else
//!   left: Some(ann)
//!  right: Some(bob)
//!   at src/lib.rs:26:17
//!
//!     server             ann   bob
//!        |<- Lock(ann) ---|     |
//!        |<---- Lock(bob) ------|
//!        |                |     * no Granted
//!        |<--- Unlock(bob) -----|
//!        X                |     |   <- here
//!   race: server received Unlock(bob) from bob at src/lib.rs:18:15;
//!         had it received Unlock(ann) from ann first, the execution that follows is fine
//!   shrunk from 16 events to 12
//! ```
//!
//! Each lane is a process, each arrow a message that was received, time runs downwards. Bob gave up
//! waiting (`no Granted`) and unlocked what Ann had locked. A client that gives up has to say so, and
//! the server has to know that the lock may just have been granted to it:
//!
//! ```
//! # use plainsong::{current, explore, receive, receive_timeout, send, spawn_named, Builder, Process};
//! # use std::{collections::VecDeque, time::Duration};
//! #
//! # #[derive(Clone, Debug)]
//! # struct Granted;
//! #
//! #[derive(Clone, Debug)]
//! enum Request {
//!     Lock(Process),
//!     Unlock(Process),
//!     Cancel(Process),
//! }
//!
//! fn client(server: Process) {
//!     send(server, Request::Lock(current()));
//!     match receive_timeout::<Granted>(Duration::from_secs(1)) {
//!         Some(Granted) => send(server, Request::Unlock(current())),
//!         None => send(server, Request::Cancel(current())),
//!     }
//! }
//!
//! fn server() {
//!     let mut queue = VecDeque::new(); // the first one has the lock
//!     loop {
//!         let before = queue.front().copied();
//!         match receive::<Request>() {
//!             Request::Lock(client) => queue.push_back(client),
//!             Request::Unlock(client) => {
//!                 assert_eq!(queue.pop_front(), Some(client), "unlocked by somebody else");
//!             }
//!             Request::Cancel(client) => queue.retain(|&waiting| waiting != client),
//!         }
//!         if let Some(&next) = queue.front()
//!             && before != Some(next)
//!         {
//!             send(next, Granted);
//!         }
//!     }
//! }
//!
//! let report = explore(|| {
//!     let server = Builder::new().name("server").daemon().spawn(server).process();
//!     for name in ["ann", "bob"] {
//!         spawn_named(name, move || client(server));
//!     }
//! });
//! report.assert_holds();
//! assert_eq!(report.executions, 20);
//! ```
//!
//! # What there is
//!
//! | to | use |
//! |---|---|
//! | start processes | [`spawn`], [`spawn_named`], [`spawn_daemon`], [`spawn_family`], [`Builder`], [`JoinHandle::join`] |
//! | send | [`send`], [`Letter`] (tags, other orders of delivery) |
//! | receive | [`receive`], [`try_receive`], [`receive_timeout`], [`receive_where`], [`messages`], [`receive_any`] |
//! | use channels | [`shared_channel`], [`bounded_channel`], [`channel`], [`channel_via`], [`select`] |
//! | have messages delivered in another order | [`Delivery`], [`Order`] for one's own, [`check_order`] |
//! | explore code that uses threads and locks as it is | [`thread`], [`sync`], [`sync::mpsc`], [`sync::atomic`] |
//! | write async code | [`future::block_on`], [`future::async_receive`], [`Receiver::receive_async`], and [`tokio`] as one knows it |
//! | receive a set at once | [`inbox`], [`Messages::inbox`] |
//! | have faults | [`Letter::lossy`], [`Letter::duplicated`], [`fault::crashing`], [`fault::Durable`], [`fault::Partition`] |
//! | choose | [`choose`], [`choose_bool`], [`choose_any`], [`assume`]; [`choose_named`] and [`Explorer::fix`] |
//! | check | `assert!` and everything else that panics, [`cover`] |
//! | check what concerns several processes | [`macro@monitor`], [`Monitor`], [`Explorer::monitor`] |
//! | explore | [`explore`], [`Explorer`] |
//! | understand | [`Report`], [`Failure`], [`Trace`], [`Explorer::dot_file`] |
//! | have other programs read it | [`Report::to_json`], [`Report::prometheus`], [`Observer`] |
//!
//! By default messages of one sender to one receiver arrive in order, as with TCP. [`Delivery`] has
//! the other orders; trying them all costs a line:
//!
//! ```
//! use plainsong::{current, receive, send, spawn, Delivery, Explorer, Verdict};
//!
//! let relay = || {
//!     let main = current();
//!     let friend = spawn(move || send(main, receive::<&str>())).process();
//!     spawn(move || {
//!         send(main, "news");
//!         send(friend, "comment on the news");
//!     });
//!     assert_eq!(receive::<&str>(), "news");
//! };
//! let verdict = |delivery| Explorer::new().delivery(delivery).run(relay).verdict;
//! assert_eq!(verdict(Delivery::Fifo), Verdict::Refuted);
//! assert_eq!(verdict(Delivery::Causal), Verdict::Holds);
//! ```
//!
//! A process that waits for ever is a failure too, unless it is a daemon.
//!
//! # What concerns several processes
//!
//! "At most one leader" belongs to no process. A [monitor](macro@monitor) is told about the messages
//! that it selects, in every order in which they may have been sent, and panics when something is
//! wrong; [`Explorer::monitor`] has it watch every execution. The program does not notice.
//!
//! # When there are too many executions
//!
//! [`Explorer::estimate`] says how many there are before you explore them. [`Explorer::jobs`] uses
//! more processors. [`Explorer::limit_time`] and its like stop in time, and with
//! [`Explorer::checkpoint_file`] the next run goes on where this one stopped:
//!
//! ```
//! use plainsong::{choose, Explorer, Verdict};
//! use std::time::Duration;
//!
//! # let file = std::env::temp_dir().join("plainsong-front-page");
//! # let _ = std::fs::remove_file(&file);
//! let nightly = Explorer::new().limit_time(Duration::from_secs(3600)).checkpoint_file(file);
//! let report = nightly.run(|| assert!(choose(0..1000) < 1000));
//! report.assert_no_failure();
//! if report.verdict == Verdict::Unknown {
//!     println!("to be continued: {report}");
//! }
//! ```
//!
//! [`Explorer::sample`] draws executions at random, and [`Explorer::pct`] draws them so that bugs show
//! that need only a few things to happen in the right order, among however many others; the verdict is
//! then [`Verdict::Unknown`] at best.
//! Often a model can be made smaller: fewer clients, receives that select what they need, no message
//! that nobody needs.
//!
//! # When it failed in the nightly build
//!
//! [`Explorer::trace_file`] saves the trace of a failure, a text that names processes and messages as
//! you do, and [`Explorer::replay`] runs it again.
//!
//! # What the code may do
//!
//! Processes run again and again, so between operations they have to be deterministic: no clock, no
//! random numbers, no order of a `HashMap`. This is checked, and a difference is reported with its
//! source line. They must not share variables either; if they do, that is usually noticed, and then
//! each execution is run as a whole, in one order, and the verdict is [`Verdict::Unknown`] at best
//! ([`Restart`]). It is noticed where executions 1, 2, 4, 8, … are run again, in the same order of
//! processes and in another one, and something differs. What a process does between two operations is one
//! step: two sections of a real lock without an operation between them are never interleaved with another
//! process, and nothing notices that.
//!
//! Atomics of [`sync::atomic`] are explored with the orderings that the code asks for, under RC11, and a
//! [`cell::UnsafeCell`] is checked for data races ([`MemoryModel`]).
//!
//! What is left from the real `std` and `tokio` is not explored: a `std::sync::Mutex`, a
//! `std::sync::mpsc` channel or a real atomic is seen in one order only, and a process that blocks on
//! one blocks the whole exploration, and so does one that loops without an operation; after a while it is
//! [printed](Explorer::patience) which one. Such a process cannot be stopped: if there is a
//! [time limit](Explorer::limit_time), what was found so far is printed within a second of it, and the whole
//! program ends with exit code 101. Use those of [`sync`], [`thread`] and [`tokio`].
//!
//! [`try_receive`] and [`receive_timeout`] may get nothing although a message was sent: it may still be
//! in flight. With the mirrors of `std` and `tokio` it is as in `std` and `tokio`: `try_recv` gets what
//! was certainly sent before.
//!
//! All processes run on one thread of the operating system, on small stacks
//! ([`Explorer::stack_size`]); a thread-local variable is common to all of them. Failures are found by
//! unwinding, so tests have to be compiled with `panic = "unwind"`, which they are unless you say
//! otherwise. When an execution is given up in the middle, its processes are unwound: destructors run,
//! [`std::thread::panicking`] is true for them, and what they do is no part of any execution. They may send,
//! lock, ask channels and join threads; a lock has then some value that it has had, and a thread that returns something is
//! an error.
//!
//! # How it works
//!
//! Two interleavings in which every receive gets the same message cannot be told apart, so
//! the engine (`plainsong-explore`) enumerates who receives from whom, each possibility exactly once.
//! Processes are coroutines; after an execution, only those for which something has changed run
//! again.

#![warn(missing_docs)]

// From the inside out. Operations (`send`, `receive`, `process`, `channel`, `select`, `choice`) ask
// their `task` for an answer; the `machine` runs tasks on `coroutine`s and is a program for the engine;
// `future` makes one receive of all that the futures of a task wait for, and `tokio` is built on it;
// `attempt`, `slices` and `watch` search, `checkpoint` is about what is left; `story`, `picture`,
// `race`, `trace` and `replay` are about failures.

mod attempt;
mod borrowed;
pub mod cell;
mod channel;
mod checkpoint;
mod checkpoint_slices;
mod choice;
mod coroutine;
mod counters;
mod delivery;
mod determinism_check;
mod dot;
mod execution_text;
mod explorer;
mod failure;
pub mod fault;
mod fix;
pub mod future;
mod ghosts;
mod handled_panics;
mod inbox;
#[cfg(feature = "json")]
mod json;
mod leaf_visitor;
mod machine;
mod memory;
mod message;
mod monitor;
mod now;
mod observer;
mod order;
mod order_axioms;
mod panics;
mod pattern;
mod picture;
mod process;
mod race;
mod receive;
mod record;
mod replay;
mod report;
mod select;
mod send;
mod shared;
mod shared_context;
pub mod sync;
mod tag;
mod task;
pub mod thread;
pub mod tokio;
mod trace;
mod traffic;
mod watchdog;

pub use channel::{Receiver, Sender, channel, channel_via};
pub use choice::{Choices, assume, choose, choose_any, choose_bool, choose_named, cover, cover_if};
pub use counters::Counters;
pub use delivery::Delivery;
pub use explorer::{Explorer, Restart, explore};
pub use failure::{Failure, FailureKind};
pub use fix::Fixed;
pub use inbox::inbox;
pub use memory::MemoryModel;
pub use message::{AnyMessage, Info, Message, know};
pub use monitor::{Destination, ExecutionEnd, Monitor, Sent, monitor};
pub use observer::{Execution, Observer, Outcome};
pub use order::{Earlier, Order};
pub use order_axioms::{BrokenLaw, Law, check_order};
pub use process::{
    Builder, JoinHandle, Process, Waiting, current, spawn, spawn_daemon, spawn_family, spawn_named,
};
pub use receive::{
    Messages, messages, receive, receive_any, receive_timeout, receive_where, try_receive,
    try_receive_any, try_receive_where,
};
pub use report::{End, Estimate, Limit, Report, Verdict};
pub use select::{Select, Source, select};
pub use send::{Letter, send};
pub use shared::{
    BoundedSender, SharedReceiver, bounded_channel, shared_channel, shared_channel_via,
};
pub use tag::Tag;
pub use trace::{Trace, TraceError};
