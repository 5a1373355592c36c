//! A mirror of `tokio`: write `use plainsong::tokio;` and explore async code as it is.
//!
//! A task is a process, an `.await` that waits is a receive. Whatever order messages, wake-ups and
//! timeouts can come in is explored; what nobody can tell apart is explored once.
//!
//! ```
//! use plainsong::tokio;
//! use tokio::sync::{mpsc, oneshot};
//!
//! #[derive(Clone, Debug)]
//! struct Ask(u32, oneshot::Sender<u32>);
//!
//! async fn service(mut requests: mpsc::Receiver<Ask>) {
//!     while let Some(Ask(n, reply)) = requests.recv().await {
//!         reply.send(n * n).ok();
//!     }
//! }
//!
//! let report = plainsong::explore(|| {
//!     tokio::block_on(async {
//!         let (requests, inbox) = mpsc::channel(8);
//!         let service = tokio::spawn(service(inbox));
//!         let clients = [2, 3].map(|n| {
//!             let requests = requests.clone();
//!             tokio::spawn(async move {
//!                 let (reply, answer) = oneshot::channel();
//!                 requests.send(Ask(n, reply)).await.unwrap();
//!                 answer.await.unwrap()
//!             })
//!         });
//!         drop(requests);
//!         for (client, expected) in clients.into_iter().zip([4, 9]) {
//!             assert_eq!(client.await.unwrap(), expected);
//!         }
//!         service.await.unwrap();
//!     });
//! });
//! report.assert_holds();
//! assert_eq!(report.executions, 2);
//! ```
//!
//! # What is different
//!
//! - What is sent, returned by a task or kept in a lock may be of any type. Where it is `Clone` and `Debug`, it is
//!   explored faster and shown in pictures: see [`know`](crate::know). Handles such as
//!   [`oneshot::Sender`](sync::oneshot::Sender) are `Clone` here, but only for that.
//! - Where the type of a channel is not known yet when something is sent, and turns out not to be `Clone + Debug`,
//!   the compiler complains: write `channel::<T>()`.
//! - Nothing has to be `Send`.
//! - A panic in a task is a failure of the execution unless whoever awaits the task handles it.
//! - A task that waits for ever is reported as a deadlock, unless it is a daemon
//!   ([`task::Builder::daemon`]); tokio would drop it with the runtime.
//! - [Time](time) is not modelled.
//!
//! # Where more is explored than can happen
//!
//! In these cases an execution may be reported that tokio does not have; none is left out.
//!
//! - `select! { biased; … }` of messages that travel through a network, which may be late: each branch whose message can
//!   come wins in some execution.
//! - An aborted task may end at each `.await`, also at one that would not have had to wait. (In tokio that happens when a
//!   task has used up its budget.) A `send` that ends like that may have had room in the queue for a moment.
//!
//! And in one case a possible order is left out: a future that is polled by hand, with the waker of its own
//! task (`poll_fn`), and found not to be ready, counts as if it had been polled later. Polled by `select!`,
//! `join!`, a timeout, or whatever has a waker of its own, it does not.

mod cancellation;
pub mod join_set;
mod joining;
mod racing;
pub mod runtime;
pub mod sync;
pub mod task;
pub mod time;

#[doc(inline)]
pub use crate::future::block_on;
#[doc(inline)]
pub use crate::{__join as join, __pin as pin, __select as select, __try_join as try_join};
pub use cancellation::{CancellationToken, DropGuard};
pub use task::spawn;

#[doc(hidden)]
pub mod macros {
    //! What the macros expand to.
    pub use super::joining::Joining;
    pub use super::racing::{Branch, Branching, race};
    pub use crate::future::{Loud, Probe, Waiting};
}
