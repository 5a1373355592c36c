//! What the futures of a task wait for.
//!
//! A future that waits for a message registers an *interest* with the task that polls it, and is
//! pending. When everything is pending, the [executor](super::executor) receives one message for all
//! interests together and hands it to the first future that wants it. A future that is dropped takes
//! its interest with it: cancelling needs nothing else.
//!
//! An interest counts as long as somebody polls it: in the last pass over the task's futures, or with
//! a waker of its own, as combinators have that poll only what was woken. A future that is kept but
//! not polled receives nothing. What a combinator polled is forgotten when the combinator has come to its end:
//! a future that lost a `select!` can be moved to another task, and what comes then is for that task.
//!
//! Whether a future is *ready at its first poll* is known to nobody while its task only waits for it. It
//! is in a branch of `select!`, `join!` or a timeout: so these say that they look ([`Waits::observe`]),
//! and a future that would ask a server and wait for the answer asks first whether it is ready. One that was
//! polled before asks again when somebody looks for the first time ([`Waits::observe_anew`]): what it waits for
//! may have come in the meantime, and its server has the answer in flight. Whoever polls with a waker that
//! wakes nobody (`now_or_never`) looks each time.
//!
//! A message that was handed to a future which was dropped before it was polled again is not lost: it
//! goes to the next receive that wants it.

use crate::failure::{Failure, FailureKind};
use crate::message::Envelope;
use crate::now::{in_vain, look_among};
use crate::pattern::Arm;
use crate::receive::take_if_sure;
use crate::shared_context::{Mailboxes, Place};
use crate::task::Task;
use plainsong_explore::Tid;
use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// What a task's futures wait for, and what was received for nobody.
#[derive(Default)]
pub(crate) struct Waits {
    interests: RefCell<Vec<Rc<Interest>>>,
    /// Which pass over the futures this is.
    pass: Cell<u64>,
    root: RefCell<Option<Waker>>,
    /// For each enclosing [`Waits::watch`]: what was registered inside.
    watches: RefCell<Vec<Vec<Rc<Interest>>>>,
    unused: RefCell<Vec<Rc<Envelope>>>,
    /// How many combinators that look at readiness are polling now.
    observers: Cell<u32>,
    /// How many of them poll for the first time.
    new_observers: Cell<u32>,
}

/// A message or a signal that one future waits for.
pub(crate) struct Interest {
    pub(crate) want: Want,
    /// Where the future was made.
    pub(crate) location: &'static Location<'static>,
    waker: RefCell<Option<Waker>>,
    /// Which process polled it last: a future can be moved to another task.
    polled_by: Cell<Option<Tid>>,
    /// In which passes it was polled first and last.
    first_pass: Cell<Option<u64>>,
    pass: Cell<u64>,
    /// Was it not there when it was polled last, as a server said?
    is_absent: Cell<bool>,
    got: RefCell<Got>,
}

pub(crate) enum Want {
    /// A message.
    Message(Arm),
    /// Nothing in particular: time passes.
    Time {
        /// It is given up for these: it cannot come if one of them is certainly there.
        for_these: RefCell<Vec<Rc<Interest>>>,
    },
}

enum Got {
    Nothing,
    Message(Rc<Envelope>),
    Time,
}

impl Interest {
    fn new(want: Want, location: &'static Location<'static>) -> Rc<Self> {
        Rc::new(Interest {
            want,
            location,
            waker: RefCell::default(),
            polled_by: Cell::new(None),
            first_pass: Cell::new(None),
            pass: Cell::new(0),
            is_absent: Cell::new(false),
            got: RefCell::new(Got::Nothing),
        })
    }

    /// The messages it wants.
    pub(crate) fn arm(&self) -> Option<&Arm> {
        match &self.want {
            Want::Message(arm) => Some(arm),
            Want::Time { .. } => None,
        }
    }

    /// Gives it the message, if it wants it.
    pub(crate) fn offer(&self, message: &Rc<Envelope>) -> bool {
        let wants = self.arm().is_some_and(|arm| arm.accepts(message));
        if wants {
            self.give(Got::Message(Rc::clone(message)));
        }
        wants
    }

    /// Time has passed.
    pub(crate) fn fire(&self) {
        self.give(Got::Time);
    }

    /// Has something come for it that it has not taken yet?
    pub(crate) fn has_come(&self) -> bool {
        !self.is_open()
    }

    /// Was it polled in an earlier pass?
    pub(crate) fn is_old(&self) -> bool {
        self.first_pass
            .get()
            .is_some_and(|first| first < self.pass.get())
    }

    /// Was it not there when it was polled last, as a server said?
    pub(crate) fn is_absent(&self) -> bool {
        self.is_absent.get()
    }

    fn give(&self, got: Got) {
        self.got.replace(got);
        let waker = self.waker.borrow().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn is_open(&self) -> bool {
        matches!(*self.got.borrow(), Got::Nothing)
    }
}

impl Waits {
    /// An executor begins; false if there is one already.
    pub(crate) fn begin(&self, root: &Waker) -> bool {
        let mut known = self.root.borrow_mut();
        let is_first = known.is_none();
        if is_first {
            *known = Some(root.clone());
        }
        is_first
    }

    /// The executor is done.
    pub(crate) fn end(&self) {
        self.root.take();
    }

    /// Another pass over the futures begins.
    pub(crate) fn next_pass(&self) {
        self.pass.set(self.pass.get() + 1);
        self.observers.set(0);
        self.new_observers.set(0);
    }

    /// The interests of a process that count, in the order in which they were registered.
    pub(crate) fn open(&self, process: Tid) -> Vec<Rc<Interest>> {
        let mut interests = self.interests.borrow_mut();
        interests.retain(|interest| interest.polled_by.get() == Some(process));
        drop(interests);
        let root = self.root.borrow();
        let counts = |interest: &&Rc<Interest>| {
            let has_own_waker = || match (&*interest.waker.borrow(), &*root) {
                (Some(waker), Some(root)) => !waker.will_wake(root),
                _ => false,
            };
            interest.is_open() && (interest.pass.get() == self.pass.get() || has_own_waker())
        };
        self.interests
            .borrow()
            .iter()
            .filter(counts)
            .cloned()
            .collect()
    }

    /// Polls something; returns also what it waits for.
    pub(crate) fn watch<R>(&self, poll: impl FnOnce() -> R) -> (R, Vec<Rc<Interest>>) {
        self.watches.borrow_mut().push(Vec::new());
        let result = self.observe(poll);
        let seen = self.watches.borrow_mut().pop().unwrap_or_default();
        (result, seen)
    }

    /// Nobody polls these any more, until somebody does again: perhaps a task to which they were moved.
    pub(crate) fn forget(&self, these: &[Rc<Interest>]) {
        let is_one = |known: &Rc<Interest>| these.iter().any(|one| Rc::ptr_eq(known, one));
        self.interests.borrow_mut().retain(|known| !is_one(known));
    }

    /// Does somebody wait for it still?
    pub(crate) fn is_open(&self, interest: &Rc<Interest>) -> bool {
        let interests = self.interests.borrow();
        interest.is_open() && interests.iter().any(|known| Rc::ptr_eq(known, interest))
    }

    /// Polls something for somebody who goes on whether it is ready or not.
    pub(crate) fn observe<R>(&self, poll: impl FnOnce() -> R) -> R {
        let outside = self.observers.get();
        self.observers.set(outside + 1);
        let result = poll();
        self.observers.set(outside);
        result
    }

    /// Polls something for the first time, or not, for somebody who goes on whether it is ready or not.
    pub(crate) fn observe_anew<R>(&self, is_first: bool, poll: impl FnOnce() -> R) -> R {
        let outside = self.new_observers.get();
        self.new_observers.set(outside + u32::from(is_first));
        let result = poll();
        self.new_observers.set(outside);
        result
    }

    /// Can anybody tell whether a future that was polled before is ready at this poll? Whoever has polled it
    /// before, and nothing else since, is told when it is.
    pub(crate) fn is_observed_anew(&self, waker: &Waker) -> bool {
        self.new_observers.get() > 0 || is_deaf(waker)
    }

    /// Can anybody tell whether a future is ready at this poll? Not if its task does nothing but wait
    /// for it. Whoever polls with a waker of its own may tell.
    pub(crate) fn is_observed(&self, waker: &Waker) -> bool {
        let root = self.root.borrow();
        let is_root = root.as_ref().is_some_and(|root| root.will_wake(waker));
        self.observers.get() > 0 || !is_root
    }

    /// A message that was received for a future that is no more.
    pub(crate) fn unused(&self, wanted: &[Arm]) -> Option<Rc<Envelope>> {
        let mut unused = self.unused.borrow_mut();
        let at = unused
            .iter()
            .position(|message| wanted.iter().any(|arm| arm.accepts(message)))?;
        Some(unused.remove(at))
    }

    /// Is there any message of that kind?
    pub(crate) fn has_unused(&self) -> bool {
        !self.unused.borrow().is_empty()
    }

    fn register(&self, interest: &Rc<Interest>, waker: &Waker, process: Tid) {
        interest.waker.replace(Some(waker.clone()));
        if interest.polled_by.replace(Some(process)) != Some(process) {
            interest.first_pass.set(None);
        }
        interest.pass.set(self.pass.get());
        if interest.first_pass.get().is_none() {
            interest.first_pass.set(Some(self.pass.get()));
        }
        let mut interests = self.interests.borrow_mut();
        if !interests.iter().any(|known| Rc::ptr_eq(known, interest)) {
            interests.push(Rc::clone(interest));
        }
        for watch in &mut *self.watches.borrow_mut() {
            watch.push(Rc::clone(interest));
        }
    }

    fn remove(&self, interest: &Rc<Interest>) {
        self.interests
            .borrow_mut()
            .retain(|known| !Rc::ptr_eq(known, interest));
        if let Got::Message(message) = interest.got.replace(Got::Nothing) {
            self.unused.borrow_mut().push(message);
        }
    }
}

/// Does it wake nobody? Whoever polls with such a waker wants to know what is there now.
fn is_deaf(waker: &Waker) -> bool {
    waker.data().is_null()
}

/// A future's end of an interest. Dropping it is losing interest.
pub(crate) struct Awaited(Rc<Interest>);

impl Awaited {
    /// Waits for a message.
    pub(crate) fn message(arm: Arm, location: &'static Location<'static>) -> Self {
        Awaited(Interest::new(Want::Message(arm), location))
    }

    /// Waits for time to pass.
    pub(crate) fn time(location: &'static Location<'static>) -> Self {
        let for_these = RefCell::default();
        Awaited(Interest::new(Want::Time { for_these }, location))
    }

    /// Waits for time to pass, for the sake of other interests.
    pub(crate) fn is_for(&self, these: Vec<Rc<Interest>>) {
        if let Want::Time { for_these } = &self.0.want {
            for_these.replace(these);
        }
    }

    /// Has nothing come yet?
    pub(crate) fn is_open(&self) -> bool {
        self.insist_on_asker(&Task::current("await"));
        self.0.is_open()
    }

    /// The answer of a server goes to the process that asked: a future that has asked cannot be handed on, and an
    /// execution in which it is is not explored.
    fn insist_on_asker(&self, task: &Task) {
        let Some(arm) = self.0.arm().filter(|arm| arm.about.is_some()) else {
            return;
        };
        if let Place::Process(owner) = Mailboxes::place(arm.mailbox)
            && owner != task.process
        {
            let (here, there) = (task.world.name(task.process), task.world.name(owner));
            let message = format!(
                "{here} awaits a future that {there} has polled before: what waits for a lock, room, a \
                 notification or a change is not explored after it was handed to another task; await it \
                 where it was polled first"
            );
            let location = Some(self.0.location.to_string());
            let complaint = Failure::plain(FailureKind::Unsupported, message, location);
            task.world.complaint.replace(Some(complaint));
            task.give_up();
        }
    }

    /// The message, if it has come; known not to be there now if it is absent.
    #[track_caller]
    pub(crate) fn poll_unless_absent(
        &self,
        cx: &Context<'_>,
        is_absent: bool,
    ) -> Poll<Rc<Envelope>> {
        self.0.is_absent.set(is_absent);
        let polled = self.poll_message_now(cx);
        if polled.is_ready() {
            self.0.is_absent.set(false);
        }
        polled
    }

    /// The message, if it has come.
    #[track_caller]
    pub(crate) fn poll_message(&self, cx: &Context<'_>) -> Poll<Rc<Envelope>> {
        self.poll_unless_absent(cx, false)
    }

    #[track_caller]
    fn poll_message_now(&self, cx: &Context<'_>) -> Poll<Rc<Envelope>> {
        match self.poll(cx) {
            Poll::Ready(Some(message)) => Poll::Ready(message),
            _ => Poll::Pending,
        }
    }

    /// Has time passed?
    #[track_caller]
    pub(crate) fn poll_time(&self, cx: &Context<'_>) -> Poll<()> {
        self.poll(cx).map(|_| ())
    }

    #[track_caller]
    fn poll(&self, cx: &Context<'_>) -> Poll<Option<Rc<Envelope>>> {
        let task = Task::current("await");
        self.insist_on_asker(&task);
        let got = match self.0.got.replace(Got::Nothing) {
            Got::Message(message) => Some(Some(message)),
            Got::Time => Some(None),
            Got::Nothing => None,
        };
        if let Some(got) = got {
            // Its future may be kept, but waits no more.
            task.waits.forget(std::slice::from_ref(&self.0));
            return Poll::Ready(got);
        }
        if is_deaf(cx.waker()) {
            task.waits.forget(std::slice::from_ref(&self.0));
            return self.look(&task);
        }
        task.waits.register(&self.0, cx.waker(), task.process);
        Poll::Pending
    }
}

impl Awaited {
    /// What it waits for, if it is there now.
    fn look(&self, task: &Task) -> Poll<Option<Rc<Envelope>>> {
        let Some(arm) = self.0.arm().filter(|_| !self.0.is_absent()) else {
            return Poll::Pending;
        };
        let (arms, location) = ([arm.clone()], self.0.location);
        let message = match arm.is_in_memory {
            true => look_among(task, &arms, arm.mailbox, location),
            false => take_if_sure(task, &arms, location, false, vec![arms.to_vec()]),
        };
        if message.is_none() && arm.is_coming(location) {
            in_vain(task, location);
        }
        message.map_or(Poll::Pending, |message| Poll::Ready(Some(message)))
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(task) = Task::of_destructor() {
            task.waits.remove(&self.0);
        }
    }
}
