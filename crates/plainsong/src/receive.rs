//! Receiving.

use crate::determinism_check::{Print, What};
use crate::fault::may_crash;
use crate::future::Receive;
use crate::message::{AnyMessage, Envelope, Info, Message, copy};
use crate::pattern::{Arm, Pattern, describe_arms};
use crate::process::Process;
use crate::shared_context::{Mailboxes, Place};
use crate::tag::Tag;
use crate::task::{Fed, Task, cannot_receive_now};
use plainsong_explore::{Op, Want};
use std::any::TypeId;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

/// Waits for a message of type `T` and takes it.
///
/// Messages of other types stay where they are: a receive selects by type. If several messages
/// could be taken, each is, in an execution of its own.
///
/// ```
/// use plainsong::{current, receive, send};
///
/// plainsong::explore(|| {
///     send(current(), 1_u32);
///     send(current(), "two");
///     assert_eq!(receive::<&str>(), "two");
///     assert_eq!(receive::<u32>(), 1);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn receive<T: Message>() -> T {
    let Some(task) = Task::live("receive") else {
        cannot_receive_now("receive")
    };
    let arm = || Arm::typed::<T>(Mailboxes::of_process(task.process));
    let message = take_typed::<T>(&task, Location::caller(), true, &arm);
    value(&message.expect("a receive that waits gets a message"))
}

/// Takes a message of type `T`, or none.
///
/// It may return `None` at any time, even when a message is there: the message may be late. So this
/// is also how to model a receive with a timeout.
///
/// ```
/// use plainsong::{current, send, try_receive};
///
/// let report = plainsong::explore(|| {
///     send(current(), 1);
///     assert!(matches!(try_receive::<i32>(), None | Some(1)));
/// });
/// assert_eq!(report.executions, 2);
/// ```
#[track_caller]
pub fn try_receive<T: Message>() -> Option<T> {
    let task = Task::live("try_receive")?;
    let arm = || Arm::typed::<T>(Mailboxes::of_process(task.process));
    take_typed::<T>(&task, Location::caller(), false, &arm).map(|message| value(&message))
}

/// Waits for a message of type `T`, but not for ever.
///
/// Time is not modelled: whatever the duration, there are executions in which it has passed. See
/// [`try_receive`].
///
/// ```
/// use plainsong::receive_timeout;
/// use std::time::Duration;
///
/// plainsong::explore(|| {
///     assert_eq!(receive_timeout::<u32>(Duration::from_secs(1)), None);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn receive_timeout<T: Message>(_timeout: Duration) -> Option<T> {
    try_receive()
}

/// Waits for a message of type `T` that the condition accepts, and takes it.
///
/// The condition sees the value and, in [`Info`], sender and tag. It is asked about messages in any
/// order and as often as necessary; it must depend on nothing but the message.
///
/// ```
/// use plainsong::{current, receive_where, send};
///
/// plainsong::explore(|| {
///     for n in 1..=3 {
///         send(current(), n);
///     }
///     assert_eq!(receive_where(|n: &i32, _| n % 2 == 0), 2);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn receive_where<T: Message>(condition: impl Fn(&T, &Info) -> bool + 'static) -> T {
    messages().filter(condition).receive()
}

/// Takes a message of type `T` that the condition accepts, or none: see [`try_receive`].
///
/// ```
/// use plainsong::try_receive_where;
///
/// plainsong::explore(|| {
///     assert_eq!(try_receive_where(|n: &i32, _| *n > 0), None);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn try_receive_where<T: Message>(condition: impl Fn(&T, &Info) -> bool + 'static) -> Option<T> {
    messages().filter(condition).try_receive()
}

/// Waits for a message of any type and takes it.
///
/// ```
/// use plainsong::{current, receive_any, send};
///
/// plainsong::explore(|| {
///     send(current(), 5_u8);
///     let message = receive_any();
///     assert_eq!(message.info().from(), current());
///     assert_eq!(message.downcast::<u8>().unwrap(), 5);
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn receive_any() -> AnyMessage {
    let Some(task) = Task::live("receive_any") else {
        cannot_receive_now("receive_any")
    };
    let arm = Arm::anything(Mailboxes::of_process(task.process));
    let message = take(&task, &[arm], Location::caller(), true);
    AnyMessage(message.expect("a receive that waits gets a message"))
}

/// Takes a message of any type, or none: see [`try_receive`].
///
/// ```
/// plainsong::explore(|| assert!(plainsong::try_receive_any().is_none())).assert_holds();
/// ```
#[track_caller]
pub fn try_receive_any() -> Option<AnyMessage> {
    let task = Task::live("try_receive_any")?;
    let arm = Arm::anything(Mailboxes::of_process(task.process));
    take(&task, &[arm], Location::caller(), false).map(AnyMessage)
}

/// The messages of type `T` to this process, to be narrowed down and received.
///
/// ```
/// use plainsong::{current, messages, spawn, Letter};
///
/// plainsong::explore(|| {
///     let main = current();
///     let clerk = spawn(move || {
///         Letter::new("first").tagged(1).send(main);
///         Letter::new("second").tagged(2).send(main);
///     });
///     let (text, info) = messages::<&str>().from(clerk.process()).tagged(2).receive_with_info();
///     assert_eq!(text, "second");
///     assert_eq!(info.from(), clerk.process());
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn messages<T: Message>() -> Messages<T> {
    let task = Task::current("messages");
    Messages::at(Arm::typed::<T>(Mailboxes::of_process(task.process)))
}

/// Some of the messages to a mailbox: see [`messages`] and
/// [`Receiver::messages`](crate::Receiver::messages).
#[must_use = "nothing is received before one of the receiving methods is called"]
pub struct Messages<T> {
    pub(crate) arm: Arm,
    of: PhantomData<T>,
}

impl<T: Message> Messages<T> {
    pub(crate) fn at(arm: Arm) -> Self {
        Messages {
            arm,
            of: PhantomData,
        }
    }

    /// Only those of one sender.
    pub fn from(mut self, sender: Process) -> Self {
        self.arm.from = Some(sender);
        self
    }

    /// Only those with this tag.
    pub fn tagged(mut self, tag: impl Into<Tag>) -> Self {
        self.arm.tag = Some(tag.into());
        self
    }

    /// Only those that the condition accepts, besides what was asked for before.
    pub fn filter(mut self, condition: impl Fn(&T, &Info) -> bool + 'static) -> Self {
        let before = self.arm.filter.take();
        self.arm.filter = Some(Rc::new(move |message: &Envelope| {
            before.as_ref().is_none_or(|before| before(message))
                && message
                    .get::<T>()
                    .is_some_and(|value| condition(value, &message.info))
        }));
        self
    }

    /// Waits for one and takes it.
    #[track_caller]
    pub fn receive(self) -> T {
        self.receive_with_info().0
    }

    /// Waits for one and takes it, with sender and tag.
    #[track_caller]
    pub fn receive_with_info(self) -> (T, Info) {
        let Some(task) = Task::live("receive") else {
            cannot_receive_now("receive")
        };
        let message = take(&task, &[self.arm], Location::caller(), true);
        let message = message.expect("a receive that waits gets a message");
        (value(&message), message.info.clone())
    }

    /// Waits for one and takes it, in async code.
    ///
    /// ```
    /// use plainsong::{current, future::block_on, messages, send};
    ///
    /// plainsong::explore(|| {
    ///     send(current(), 1);
    ///     send(current(), 2);
    ///     assert_eq!(block_on(messages::<i32>().filter(|n, _| *n > 1).receive_async()), 2);
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn receive_async(self) -> Receive<T> {
        Receive::of(self, Location::caller())
    }

    /// Takes one, or none: see [`try_receive`].
    #[track_caller]
    pub fn try_receive(self) -> Option<T> {
        self.try_receive_with_info().map(|(value, _)| value)
    }

    /// Takes one with sender and tag, or none: see [`try_receive`].
    #[track_caller]
    pub fn try_receive_with_info(self) -> Option<(T, Info)> {
        let task = Task::live("try_receive")?;
        take(&task, &[self.arm], Location::caller(), false)
            .map(|message| (value(&message), message.info.clone()))
    }

    /// Waits for one, but not for ever: see [`receive_timeout`].
    #[track_caller]
    pub fn receive_timeout(self, _timeout: Duration) -> Option<T> {
        self.try_receive()
    }
}

/// The value of a message that was selected by its type.
pub(crate) fn value<T: Message>(message: &Envelope) -> T {
    copy(message.get::<T>().expect("messages are selected by type"))
}

/// Receives by type alone; the pattern is made only when it is needed.
fn take_typed<T: 'static>(
    task: &Task,
    location: &'static Location<'static>,
    waits: bool,
    arm: &dyn Fn() -> Arm,
) -> Option<Rc<Envelope>> {
    if task.world.guide.is_some() || task.waits.has_unused() {
        return take(task, &[arm()], location, waits);
    }
    may_crash(task, location);
    let print = Print::new(what(waits), location, (task.process, TypeId::of::<T>()));
    let describe = || describe(task, &[arm()], waits);
    let pattern = || {
        task.record.pattern(location, TypeId::of::<T>(), || {
            Pattern::one(arm(), location)
        })
    };
    let want = if waits { Want::One } else { Want::Maybe };
    let answer = task.perform(print, &describe, || Op::Receive {
        pattern: pattern(),
        want,
    });
    one_message(task, location, answer)
}

/// Receives what one of the arms accepts.
#[track_caller]
pub(crate) fn take(
    task: &Task,
    arms: &[Arm],
    location: &'static Location<'static>,
    waits: bool,
) -> Option<Rc<Envelope>> {
    take_if_sure(task, arms, location, waits, Vec::new())
}

/// Receives what one of the arms accepts. Without waiting, unless each of the groups has a message
/// that is certainly there: sent before, as far as the process can know.
#[track_caller]
pub(crate) fn take_if_sure(
    task: &Task,
    arms: &[Arm],
    location: &'static Location<'static>,
    waits: bool,
    sure: Vec<Vec<Arm>>,
) -> Option<Rc<Envelope>> {
    if let Some(message) = task.waits.unused(arms) {
        return Some(message);
    }
    let want = if waits { Want::One } else { Want::Maybe };
    one_message(
        task,
        location,
        receive_wanted(task, arms, location, want, sure),
    )
}

/// Receives as many messages as are wanted, which one of the arms accepts.
#[track_caller]
pub(crate) fn receive_wanted(
    task: &Task,
    arms: &[Arm],
    location: &'static Location<'static>,
    usual: Want,
    sure: Vec<Vec<Arm>>,
) -> Fed {
    for arm in arms {
        if let Place::Process(owner) = Mailboxes::place(arm.mailbox) {
            assert!(
                owner == task.process,
                "{} receives messages to {}: `messages` belong to the process that called it",
                task.world.name(task.process),
                task.world.name(owner)
            );
        }
    }
    if arms.iter().all(|arm| arm.about.is_none() && !arm.silent) {
        may_crash(task, location);
    }
    let parts: Vec<_> = arms
        .iter()
        .map(|arm| (arm.mailbox, arm.of_type, arm.from, &arm.tag))
        .collect();
    let print = Print::new(what(usual.waits()), location, (parts, usual));
    let only = task
        .world
        .guide
        .as_ref()
        .and_then(|guide| guide.receive(task));
    let want = only.as_ref().map_or(usual, |receipt| receipt.want(usual));
    let describe = || describe(task, arms, usual.waits());
    let pattern = || {
        let mut pattern = match arms {
            [arm] => Pattern::one(arm.clone(), location),
            _ => Pattern::any_of(arms.to_vec(), location),
        };
        pattern.only = only.map(|receipt| receipt.wanted);
        pattern.sure = sure;
        Rc::new(pattern)
    };
    task.perform(print, &describe, || Op::Receive {
        pattern: pattern(),
        want,
    })
}

fn one_message(
    task: &Task,
    location: &'static Location<'static>,
    answer: Fed,
) -> Option<Rc<Envelope>> {
    match answer {
        Fed::Message(message) => Some(message),
        Fed::Nothing => None,
        _ => task.unfit("receive", location),
    }
}

fn what(waits: bool) -> What {
    if waits {
        What::Receive
    } else {
        What::TryReceive
    }
}

fn describe(task: &Task, arms: &[Arm], waits: bool) -> String {
    let wanted = describe_arms(arms.iter(), &task.world);
    let how = if waits { "receive" } else { "try to receive" };
    format!("{how} {wanted}")
}
