//! A place where tasks wait for each other.
//!
//! NOT COVERED. The last one to come is never ready at its first poll, as it is in tokio: a branch of
//! `select!` that is ready at once always wins against it, and a timeout may come.

use super::post::{answer, ask};
use crate::future::Awaited;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start};
use crate::task::Task;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

protocol! {
    /// Is there; answered by [`Go`].
    Arrive {} Plumbing "wait"
    /// All are there.
    Go { is_leader: bool } Plumbing "all are there"
}

/// Lets tasks go on when so many are there.
///
/// The order in which they come is explored, because the last one is the leader.
///
/// ```
/// use plainsong::tokio::{self, sync::Barrier};
/// use std::sync::Arc;
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let barrier = Arc::new(Barrier::new(2));
///         let other = Arc::clone(&barrier);
///         let task = tokio::spawn(async move { other.wait().await.is_leader() });
///         let leads = barrier.wait().await.is_leader();
///         assert_ne!(leads, task.await.unwrap());
///     });
/// })
/// .assert_holds();
/// ```
#[derive(Debug)]
pub struct Barrier {
    server: Process,
}

impl Barrier {
    /// A barrier for so many tasks.
    #[track_caller]
    pub fn new(tasks: usize) -> Self {
        Task::insist("Barrier::new");
        let serve = move |desk: &Desk| {
            loop {
                let arrive = [desk.of::<Arrive>()];
                let mut there: Vec<_> = (1..tasks).map(|_| desk.next(&arrive)).collect();
                there.push(desk.next(&arrive));
                let last = there.len() - 1;
                for (at, one) in there.iter().enumerate() {
                    let is_leader = at == last;
                    desk.reply(one, Go { is_leader });
                }
            }
        };
        Barrier {
            server: start("barrier", None, Location::caller(), serve),
        }
    }

    /// Waits until so many tasks wait. A task that has begun to wait counts, even if it gives up.
    #[track_caller]
    pub fn wait(&self) -> BarrierWait<'_> {
        BarrierWait {
            barrier: self,
            place: Location::caller(),
            awaited: None,
        }
    }
}

/// See [`Barrier::wait`].
#[must_use = "nothing happens before it is awaited"]
pub struct BarrierWait<'b> {
    barrier: &'b Barrier,
    place: Place,
    awaited: Option<Awaited>,
}

impl Future for BarrierWait<'_> {
    type Output = BarrierWaitResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (server, place) = (self.barrier.server, self.place);
        let awaited = self.awaited.get_or_insert_with(|| {
            let task = Task::current("wait");
            let number = task.next_ticket();
            ask(server, Arrive {}, number, place);
            let arm = answer::<Go>(&task, server, number, "the others at ");
            Awaited::message(arm, place)
        });
        awaited.poll_message(cx).map(|go| BarrierWaitResult {
            is_leader: content::<Go>(&go).is_leader,
        })
    }
}

/// Who was last.
#[derive(Clone, Debug)]
pub struct BarrierWaitResult {
    is_leader: bool,
}

impl BarrierWaitResult {
    /// Was this task the last to come?
    pub fn is_leader(&self) -> bool {
        self.is_leader
    }
}
