//! Wake-ups without a message.
//!
//! The server keeps who waits, in the order they came, and at most one notification for nobody. A
//! [`Notified`] tells the server that it exists when it is made, because [`Notify::notify_waiters`]
//! wakes also those that were not polled yet; the server looks at that only when everybody is woken.
//! Where somebody can tell whether a [`Notified`] is ready at its first poll (in `select!`, `join!`, a
//! timeout), the server says so at once.
//! A notification for nobody is kept for the next one that waits. One that was woken with all others before
//! it waited leaves it there, as in `tokio` from 1.51 on (until then it took it).
//! One that is dropped after it was notified, but before it knew, passes the notification on.

use super::post::{answer, ask, request, wait};
use crate::future::Awaited;
use crate::message::Envelope;
use crate::now::Now as Mark;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start, tell, tell_soon};
use crate::tag::Tag;
use crate::task::Task;
use std::collections::{BTreeSet, VecDeque};
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

protocol! {
    /// Somebody may wait soon.
    Made { number: u32 } Plumbing "notified"
    /// Waits; answered by [`Woken`].
    Wait {} Plumbing "notified"
    /// Waits, and wants to know whether it has to: answered by [`Now`], and by [`Woken`] if it has.
    WaitNow {} Plumbing "notified"
    /// It waits: is it woken already? Answered by [`Now`].
    AskNow {} Plumbing "notified"
    /// Is it woken already?
    Now { is_woken: bool } Plumbing "an answer"
    /// Does not wait any more.
    Leave { number: u32 } Plumbing "dropped"
    /// Wakes one.
    One {} Plumbing "notify_one"
    /// Wakes all. Answered by [`Woken`], so that it is over when it returns.
    All {} Plumbing "notify_waiters"
    /// Go on.
    Woken {} Plumbing "go on"
}

/// Wakes tasks that wait.
///
/// ```
/// use plainsong::tokio::{self, sync::Notify};
/// use std::sync::Arc;
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let notify = Arc::new(Notify::new());
///         let waker = Arc::clone(&notify);
///         tokio::spawn(async move { waker.notify_one() });
///         notify.notified().await;
///     });
/// })
/// .assert_holds();
/// ```
#[derive(Debug)]
pub struct Notify {
    server: Process,
}

impl Notify {
    /// Nobody waits.
    #[track_caller]
    pub fn new() -> Self {
        Task::insist("Notify::new");
        let serve = |desk: &Desk| {
            let mut server = Server {
                desk,
                has_one: false,
                waiting: VecDeque::new(),
                woken: BTreeSet::new(),
                woken_early: BTreeSet::new(),
            };
            loop {
                let request = desk.next(&[
                    desk.of::<Wait>(),
                    desk.of::<WaitNow>(),
                    desk.of::<AskNow>(),
                    desk.of::<Leave>(),
                    desk.of::<One>(),
                    desk.of::<All>(),
                ]);
                server.serve(&request);
            }
        };
        Notify {
            server: start("notify", None, Location::caller(), serve),
        }
    }

    /// Wakes the task that waits longest, or else the next one that will wait.
    #[track_caller]
    pub fn notify_one(&self) {
        tell(self.server, One {}, Location::caller());
    }

    /// Wakes everybody who has called [`Notify::notified`] by now.
    #[track_caller]
    pub fn notify_waiters(&self) {
        if Task::live("notify_waiters").is_some() {
            request::<_, Woken>(self.server, All {}, "", Location::caller());
        }
    }

    /// Waits to be woken.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        let place = Location::caller();
        let number = Task::live("notified").map_or(0, |task| {
            let number = task.next_ticket();
            tell(self.server, Made { number }, place);
            number
        });
        Notified {
            notify: self,
            number,
            place,
            awaited: None,
            is_over: false,
        }
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Notify::new()
    }
}

/// See [`Notify::notified`].
#[must_use = "nothing happens before it is awaited"]
pub struct Notified<'n> {
    notify: &'n Notify,
    number: u32,
    place: Place,
    awaited: Option<Awaited>,
    is_over: bool,
}

impl Notified<'_> {
    /// Waits from now on, before it is awaited: true if it is woken already.
    #[track_caller]
    pub fn enable(mut self: Pin<&mut Self>) -> bool {
        let waker = std::task::Waker::noop();
        self.as_mut()
            .poll(&mut Context::from_waker(waker))
            .is_ready()
    }

    /// Asks to be woken, and whether it is, where that can be told.
    fn begin(&self, task: &Task, cx: &Context<'_>) -> Option<bool> {
        let (server, number, place) = (self.notify.server, self.number, self.place);
        if !task.waits.is_observed(cx.waker()) {
            ask(server, Wait {}, number, place);
            return None;
        }
        ask(server, WaitNow {}, number, place);
        Some(hear(task, server, number, place))
    }

    /// Asks whether it is woken, where that can be told. If it is, that has been sent.
    fn look(&self, task: &Task, cx: &Context<'_>) -> Option<bool> {
        let (server, number, place) = (self.notify.server, self.number, self.place);
        if !task.waits.is_observed_anew(cx.waker()) {
            return None;
        }
        ask(server, AskNow {}, number, place);
        let is_woken = hear(task, server, number, place);
        if is_woken {
            wait(task, answer::<Woken>(task, server, number, ""), place);
        }
        Some(is_woken)
    }
}

/// What the server says of a request.
fn hear(task: &Task, server: Process, number: u32, place: Place) -> bool {
    let now = wait(task, answer::<Now>(task, server, number, ""), place);
    content::<Now>(&now).is_woken
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over {
            return Poll::Ready(());
        }
        let (server, number, place) = (self.notify.server, self.number, self.place);
        let task = Task::current("notified");
        let is_woken = match &self.awaited {
            None => self.begin(&task, cx),
            Some(awaited) if awaited.is_open() => self.look(&task, cx),
            Some(_) => None,
        };
        let awaited = self.awaited.get_or_insert_with(|| {
            let arm = answer::<Woken>(&task, server, number, "a notification of ");
            let arm = arm.asking(move |place| {
                ask(server, AskNow {}, number, place);
                hear(&Task::current("notified"), server, number, place)
            });
            Awaited::message(arm, place)
        });
        let polled = match is_woken {
            Some(true) => Poll::Ready(()),
            _ => awaited
                .poll_unless_absent(cx, is_woken.is_some())
                .map(|_| ()),
        };
        self.is_over = polled.is_ready();
        polled
    }
}

impl Drop for Notified<'_> {
    fn drop(&mut self) {
        if self.awaited.is_some() && !self.is_over {
            let number = self.number;
            tell_soon(self.notify.server, Leave { number }, self.place);
        }
    }
}

/// Who made a request, and its number.
type Key = (u32, u32);

struct Server<'d> {
    desk: &'d Desk,
    /// Is there a notification for whoever waits next?
    has_one: bool,
    waiting: VecDeque<Rc<Envelope>>,
    /// Woken by [`One`].
    woken: BTreeSet<Key>,
    /// Woken by [`All`] before they waited.
    woken_early: BTreeSet<Key>,
}

impl Server<'_> {
    fn serve(&mut self, request: &Rc<Envelope>) {
        if request.is::<Wait>() {
            self.wait(request);
        } else if request.is::<WaitNow>() {
            self.wait_now(request);
        } else if request.is::<AskNow>() {
            let is_it = |waiting: &Rc<Envelope>| key(waiting) == key(request);
            let is_woken = !self.waiting.iter().any(is_it);
            self.desk.reply(request, Now { is_woken });
        } else if request.is::<One>() {
            self.wake_one();
        } else if request.is::<All>() {
            self.wake_all(request);
        } else {
            self.leave(request);
        }
    }

    fn wait(&mut self, request: &Rc<Envelope>) {
        if self.woken_early.remove(&key(request)) {
            self.desk.reply(request, Woken {});
            return;
        }
        self.waiting.push_back(Rc::clone(request));
        if std::mem::take(&mut self.has_one) {
            self.wake_one();
        }
    }

    fn wait_now(&mut self, request: &Rc<Envelope>) {
        let is_early = self.woken_early.remove(&key(request));
        let is_woken = is_early || std::mem::take(&mut self.has_one);
        self.desk.reply(request, Now { is_woken });
        if !is_woken {
            self.waiting.push_back(Rc::clone(request));
        }
    }

    fn wake_one(&mut self) {
        match self.waiting.pop_front() {
            Some(first) => {
                self.desk.reply(&first, Woken {});
                self.woken.insert(key(&first));
            }
            None => self.has_one = true,
        }
    }

    fn wake_all(&mut self, request: &Envelope) {
        // Before anybody is woken: what a woken task makes afterwards is not for this notification.
        let made = self.hear_of_all_made();
        let waiting: BTreeSet<Key> = self.waiting.iter().map(|one| key(one)).collect();
        let is_waited_for = |key: &Key| waiting.contains(key) || self.woken.contains(key);
        let early = made.into_iter().filter(|key| !is_waited_for(key));
        let early: Vec<Key> = early.collect();
        self.woken_early.extend(early);
        for one in std::mem::take(&mut self.waiting) {
            self.desk.reply(&one, Woken {});
        }
        self.desk.reply(request, Woken {});
    }

    /// Who was made by now, and is not known yet. Whoever wakes one or learns whether it is woken does that
    /// before this moment too, or after it, so that the notification of all comes at one moment. Who waits
    /// without being told cannot know when it began to.
    fn hear_of_all_made(&mut self) -> Vec<Key> {
        let desk = self.desk;
        let arms = [
            desk.of::<Made>(),
            desk.of::<WaitNow>(),
            desk.of::<One>(),
            desk.mark(),
        ];
        let mut all = Vec::new();
        loop {
            let next = desk.next(&arms);
            if next.is::<Mark>() {
                return all;
            }
            match next.get::<Made>() {
                Some(made) => all.push((next.info.from.0, made.number)),
                None => self.serve(&next),
            }
        }
    }

    fn leave(&mut self, request: &Envelope) {
        let left = (request.info.from.0, content::<Leave>(request).number);
        self.waiting.retain(|waiting| key(waiting) != left);
        if self.woken.remove(&left) {
            self.wake_one();
        }
    }
}

fn key(request: &Envelope) -> Key {
    match request.info.tag {
        Some(Tag::Number(number)) => (request.info.from.0, number as u32),
        _ => unreachable!("requests are numbered"),
    }
}
