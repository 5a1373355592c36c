//! A place where tasks wait for each other.
//!
//! The server says at once whether somebody is the last to come, who then goes on without waiting: others can tell
//! (`select!`, `join!`, a timeout), and so can whoever aborts the task.

use super::post::{answer, ask, wait};
use crate::future::Awaited;
use crate::message::Envelope;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start};
use crate::task::Task;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

protocol! {
    /// Is there: answered by [`Now`], and by [`Go`] if it has to wait.
    Arrive {} Plumbing "wait"
    /// Is it the last?
    Now { is_last: bool } Plumbing "an answer"
    /// It waits: may it go? Answered by [`Now`].
    AskGone {} Plumbing "wait"
    /// All are there.
    Go {} Plumbing "all are there"
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
                gather(desk, tasks);
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

/// Waits until all are there and lets all go; the last knows already.
fn gather(desk: &Desk, tasks: usize) {
    let arms = [desk.of::<Arrive>(), desk.of::<AskGone>()];
    let mut there: Vec<Rc<Envelope>> = Vec::new();
    loop {
        let one = desk.next(&arms);
        if one.is::<AskGone>() {
            let is_it = |other: &Rc<Envelope>| {
                (other.info.from, &other.info.tag) == (one.info.from, &one.info.tag)
            };
            let is_last = !there.iter().any(is_it);
            desk.reply(&one, Now { is_last });
            continue;
        }
        let is_last = there.len() + 1 >= tasks;
        desk.reply(&one, Now { is_last });
        if is_last {
            for other in &there {
                desk.reply(other, Go {});
            }
            return;
        }
        there.push(one);
    }
}

/// See [`Barrier::wait`].
#[must_use = "nothing happens before it is awaited"]
pub struct BarrierWait<'b> {
    barrier: &'b Barrier,
    place: Place,
    /// The number of the request, and its answer.
    awaited: Option<(u32, Awaited)>,
}

impl Future for BarrierWait<'_> {
    type Output = BarrierWaitResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (server, place) = (self.barrier.server, self.place);
        let task = Task::current("wait");
        let has_waited = self.awaited.is_some();
        let mut is_absent = !has_waited && task.waits.is_observed(cx.waker());
        if !has_waited {
            let number = task.next_ticket();
            ask(server, Arrive {}, number, place);
            let now = wait(&task, answer::<Now>(&task, server, number, ""), place);
            if content::<Now>(&now).is_last {
                return Poll::Ready(BarrierWaitResult { is_leader: true });
            }
            let arm = answer::<Go>(&task, server, number, "the others at ");
            let arm = arm.asking(move |place| are_all_there(server, number, place));
            self.awaited = Some((number, Awaited::message(arm, place)));
        }
        let (number, awaited) = self.awaited.as_ref().expect("it has arrived");
        let result = |_| BarrierWaitResult { is_leader: false };
        if has_waited && awaited.is_open() && task.waits.is_observed_anew(cx.waker()) {
            if are_all_there(server, *number, place) {
                let arm = answer::<Go>(&task, server, *number, "");
                return Poll::Ready(result(wait(&task, arm, place)));
            }
            is_absent = true;
        }
        awaited.poll_unless_absent(cx, is_absent).map(result)
    }
}

/// Have all come since a task has?
fn are_all_there(server: Process, number: u32, place: Place) -> bool {
    let task = Task::current("wait");
    ask(server, AskGone {}, number, place);
    let now = wait(&task, answer::<Now>(&task, server, number, ""), place);
    content::<Now>(&now).is_last
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
