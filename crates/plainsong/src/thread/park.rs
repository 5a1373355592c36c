//! Parking: a thread waits until another one lets it go on.
//!
//! A thread has a token. [`unpark`] makes it available, however often it is called; [`park`] waits
//! for it and takes it. Here an `unpark` is a message to a mailbox of the thread's own, in
//! [`Delivery::Mailbox`] order: one order of all such messages that extends causality.
//!
//! Which messages does a `park` have to disregard? Those sent before the previous `park` returned
//! with a token: it was taken with them. To know them, a `park` that took the token sends a [`Taken`]
//! to the same mailbox, and the next one reads up to there first. So whether two `unpark` fall together is
//! explored, and only if somebody parks again. A `park` with a timeout asks whether the token is there
//! *now*: it sends itself a [`Now`] and reads what comes first.
//!
//! NOT COVERED. Spurious wakeups, which `std` allows.

use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::message::Envelope;
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::sync::server::{Place, content, protocol};
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

protocol! {
    /// The token is available.
    Unpark {} Deed "unpark"
    /// The token was taken, for this time.
    Taken { pub(crate) times: u32 } Plumbing "taken"
    /// Is the token available now?
    Now { pub(crate) times: u32 } Plumbing "now"
}

/// Waits until the thread is [unparked](super::Thread::unpark), unless it was already: see
/// [`std::thread::park`].
///
/// ```
/// use plainsong::thread;
///
/// let report = plainsong::explore(|| {
///     let main = thread::current();
///     thread::spawn(move || main.unpark());
///     thread::park();
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 1);
/// ```
#[track_caller]
pub fn park() {
    let place = Location::caller();
    let Some(task) = Task::live("park") else {
        return Task::note_ghost();
    };
    let parking = Parking::of(&task, place);
    parking.forget_old_ones();
    parking.receive(&[parking.unpark()]);
    parking.note_taken();
}

/// Waits until the thread is unparked, but not for ever: see [`std::thread::park_timeout`].
///
/// ```
/// use plainsong::thread;
/// use std::time::Duration;
///
/// plainsong::explore(|| thread::park_timeout(Duration::from_secs(1))).assert_holds();
/// ```
#[track_caller]
pub fn park_timeout(_timeout: Duration) {
    let place = Location::caller();
    let Some(task) = Task::live("park_timeout") else {
        return;
    };
    let parking = Parking::of(&task, place);
    parking.forget_old_ones();
    let (times, _) = parking.task.parked.get();
    parking.send(Now { times });
    let now = parking.numbered::<Now>(move |now| now.times == times);
    if parking.receive(&[parking.unpark(), now]).is::<Now>() {
        parking.task.parked.set((times + 1, false));
    } else {
        parking.note_taken();
    }
}

/// Makes the token of a thread available.
pub(super) fn unpark(process: Process, place: Place) {
    if let Some(task) = Task::live("unpark") {
        let mailbox = mailbox(&task, process);
        let letter = Letter::plain(Unpark {}).via(Delivery::Mailbox);
        post(letter, mailbox, place, None, What::Send);
    }
}

fn mailbox(task: &Task, process: Process) -> Mailbox {
    let mut mailboxes = task.world.mailboxes.borrow_mut();
    mailboxes.of_channel(process.0, u32::MAX, "park")
}

/// One thread's mailbox for tokens.
struct Parking<'t> {
    task: &'t Rc<Task>,
    mailbox: Mailbox,
    place: Place,
}

impl<'t> Parking<'t> {
    fn of(task: &'t Rc<Task>, place: Place) -> Self {
        Parking {
            task,
            mailbox: mailbox(task, Process(task.process)),
            place,
        }
    }

    /// Reads what was sent before the token was taken last.
    fn forget_old_ones(&self) {
        let (times, took_a_token) = self.task.parked.get();
        if took_a_token {
            let taken = self.numbered::<Taken>(move |taken| taken.times == times);
            let arms = [self.unpark(), taken];
            while !self.receive(&arms).is::<Taken>() {}
        }
    }

    /// Notes that the token was taken.
    fn note_taken(&self) {
        let times = self.task.parked.get().0 + 1;
        self.task.parked.set((times, true));
        self.send(Taken { times });
    }

    fn send<M: crate::message::Value>(&self, message: M) {
        let letter = Letter::plain(message).via(Delivery::Mailbox);
        post(letter, self.mailbox, self.place, None, What::Send);
    }

    fn receive(&self, arms: &[Arm]) -> Rc<Envelope> {
        take(self.task, arms, self.place, true).expect("a receive that waits gets a message")
    }

    fn unpark(&self) -> Arm {
        let me = Process(self.task.process);
        Arm {
            about: Some(("an unpark of ", me)),
            ..Arm::typed::<Unpark>(self.mailbox)
        }
    }

    fn numbered<M: 'static>(&self, is_it: impl Fn(&M) -> bool + 'static) -> Arm {
        Arm {
            filter: Some(Rc::new(move |message| {
                message.is::<M>() && is_it(content(message))
            })),
            about: self.unpark().about,
            ..Arm::typed::<M>(self.mailbox)
        }
    }
}
