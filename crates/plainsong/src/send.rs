//! Sending.

use crate::delivery::Delivery;
use crate::determinism_check::{Print, What};
use crate::fault::{Fault, happens, may_be_late, may_crash};
use crate::message::{Envelope, Info, Kept, Message, Role, Shown, Value};
use crate::monitor::send_copies;
use crate::process::Process;
use crate::record::discard;
use crate::shared_context::{Mailboxes, Place, World};
use crate::tag::Tag;
use crate::task::{Fed, Task};
use plainsong_explore::{Fate, Mailbox, Op};
use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::panic::Location;
use std::rc::Rc;

/// Sends a message to a process.
///
/// Sending never waits. The message is delivered in the order that
/// [`Explorer::delivery`](crate::Explorer::delivery) says; for another one, or to give it a tag,
/// use a [`Letter`].
///
/// ```
/// use plainsong::{receive, send, spawn};
///
/// plainsong::explore(|| {
///     let greeter = spawn(|| format!("hello, {}", receive::<String>()));
///     send(greeter.process(), "world".to_owned());
///     assert_eq!(greeter.join(), "hello, world");
/// })
/// .assert_holds();
/// ```
#[track_caller]
pub fn send<T: Message>(to: Process, message: T) {
    Letter::new(message).send(to);
}

/// A message with everything that can be said about it.
///
/// ```
/// use plainsong::{current, receive, Delivery, Letter};
///
/// let report = plainsong::explore(|| {
///     Letter::new(1).via(Delivery::Unordered).send(current());
///     Letter::new(2).via(Delivery::Unordered).tagged("second").send(current());
///     assert_eq!(receive::<i32>() + receive::<i32>(), 3);
/// });
/// assert_eq!(report.executions, 2);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a letter does nothing until it is sent"]
pub struct Letter<T> {
    message: T,
    tag: Option<Tag>,
    delivery: Option<Delivery>,
    faults: Faults,
    fate: Fate,
}

impl<T: Message> Letter<T> {
    /// A letter with this message.
    pub fn new(message: T) -> Self {
        Letter::plain(message)
    }

    /// Gives it a tag, which receives can select by.
    pub fn tagged(mut self, tag: impl Into<Tag>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Sends it to a process.
    #[track_caller]
    pub fn send(self, to: Process) {
        let to = Mailboxes::of_process(to.0);
        self.deliver(to, Location::caller(), None);
    }

    /// It may be lost on the way, which costs one of [`Explorer::losses`](crate::Explorer::losses).
    ///
    /// A loss is explored only where somebody misses the message.
    ///
    /// ```
    /// use plainsong::{receive_timeout, send, spawn, Explorer, Letter, Verdict};
    ///
    /// let hope = || {
    ///     let clerk = spawn(|| plainsong::receive::<&str>());
    ///     Letter::new("order").lossy().send(clerk.process());
    /// };
    /// assert_eq!(Explorer::new().losses(0).run(hope).verdict, Verdict::Holds);
    /// let report = Explorer::new().losses(1).run(hope);
    /// assert_eq!(report.verdict, Verdict::Refuted);
    /// assert!(report.failures[0].picture.contains("never received: \"order\" (a &str) from main to thread 1, lost"));
    /// ```
    pub fn lossy(mut self) -> Self {
        self.faults.lossy = true;
        self
    }

    /// It may arrive twice, which costs one of
    /// [`Explorer::duplicates`](crate::Explorer::duplicates).
    ///
    /// The second copy comes at any time after the first, also after younger messages.
    ///
    /// ```
    /// use plainsong::{receive, spawn, try_receive, Explorer, Letter};
    ///
    /// let report = Explorer::new().duplicates(1).run(|| {
    ///     let till = spawn(|| receive::<u32>() + try_receive::<u32>().unwrap_or(0));
    ///     Letter::new(5_u32).duplicated().send(till.process());
    ///     plainsong::cover_if(till.join() == 10, "paid twice");
    /// });
    /// assert_eq!((report.executions, report.coverage["paid twice"]), (2, 1));
    /// ```
    pub fn duplicated(mut self) -> Self {
        self.faults.twice = true;
        self
    }

    /// Sends it to a mailbox that has a usual order of its own, with the faults that it may have.
    #[track_caller]
    pub(crate) fn deliver(
        mut self,
        to: Mailbox,
        location: &'static Location<'static>,
        usual: Option<Delivery>,
    ) {
        let Some(task) = Task::live("send") else {
            return;
        };
        may_crash(&task, location);
        let Faults { lossy, twice } = std::mem::take(&mut self.faults);
        let delivery = self.delivery.or(usual).unwrap_or(task.world.delivery);
        if !may_be_late(delivery) {
            // What happens on the way is decided at once where all sends have one order.
            if lossy && happens(&task, Fault::Loss, location) {
                return;
            }
            if twice && happens(&task, Fault::Duplicate, location) {
                post_from(&task, self.clone(), to, location, usual, What::Send);
            }
        } else {
            if lossy {
                self.fate = Fate::Lossy(Fault::Loss.budget());
            }
            if twice {
                post_from(&task, self.clone(), to, location, usual, What::Send);
                self.fate = Fate::Copy(Fault::Duplicate.budget());
            }
        }
        post_from(&task, self, to, location, usual, What::Send);
    }

    pub(crate) fn with_faults(mut self, faults: Faults) -> Self {
        self.faults.lossy |= faults.lossy;
        self.faults.twice |= faults.twice;
        self
    }
}

/// What may happen to a message on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) lossy: bool,
    pub(crate) twice: bool,
}

impl<T> Letter<T> {
    pub(crate) fn plain(message: T) -> Self {
        Letter {
            message,
            tag: None,
            delivery: None,
            faults: Faults::default(),
            fate: Fate::Sure,
        }
    }

    pub(crate) fn with_tag(mut self, tag: Tag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// Has it delivered in this order, whatever is usual.
    pub fn via(mut self, delivery: Delivery) -> Self {
        self.delivery = Some(delivery);
        self
    }
}

/// Sends a letter to a mailbox that has a usual order of its own.
#[track_caller]
pub(crate) fn post<T: Value>(
    letter: Letter<T>,
    to: Mailbox,
    location: &'static Location<'static>,
    usual: Option<Delivery>,
    what: What,
) {
    if let Some(task) = Task::live("send") {
        post_from(&task, letter, to, location, usual, what);
    }
}

/// The same, by a process that is known to run.
fn post_from<T: Value>(
    task: &Task,
    letter: Letter<T>,
    to: Mailbox,
    location: &'static Location<'static>,
    usual: Option<Delivery>,
    what: What,
) {
    let is_copy = matches!(letter.fate, Fate::Copy(_));
    let is_message = what == What::Send && !is_copy && letter.message.role() == Role::Message;
    if is_message && !task.world.monitors.is_empty() {
        send_copies(task, &letter.message, letter.tag.as_ref(), to, location);
    }
    let delivery = letter.delivery.or(usual).unwrap_or(task.world.delivery);
    if !matches!(delivery, Delivery::Unordered | Delivery::Fifo) {
        task.world.needs_causality.set(true);
    }
    let print = Print::new(
        what,
        location,
        (
            to,
            delivery.model(),
            &letter.tag,
            TypeId::of::<T>(),
            letter.fate,
        ),
    );
    let occurrence = count(task, to, TypeId::of::<T>());
    let Letter {
        message, tag, fate, ..
    } = letter;
    let unsent = RefCell::new(Some((message, tag)));
    let describe = || match &*unsent.borrow() {
        Some((message, tag)) => describe_send(task, &Shown(message), tag.as_ref(), to),
        None => What::Send.to_string(),
    };
    let process = Process(task.process);
    let envelope = || {
        let (message, tag) = unsent.take().expect("a letter is sent once");
        let keeps_text = task.world.keeps_text;
        let text = keeps_text.then(|| format!("{:?}", Shown(&message)).into());
        let envelope = Envelope {
            type_id: TypeId::of::<T>(),
            type_name: message.type_name(),
            info: Info { from: process, tag },
            to,
            location,
            occurrence,
            order: delivery.order(),
            is_received: Cell::default(),
            text,
            value: Kept::new(message),
        };
        Rc::new(envelope) as Rc<Envelope<dyn Value>>
    };
    let request = || {
        let message = envelope();
        if is_message {
            task.world.traffic.sent(&message);
        }
        Op::Send {
            to,
            model: delivery.model(),
            message,
            fate,
        }
    };
    let likeness = match task.perform_send(print, &describe, request) {
        Fed::Done => Likeness::Same,
        Fed::Sent(before) => match &*unsent.borrow() {
            Some((message, _)) => likeness(message, &before),
            None => Likeness::Same,
        },
        _ => Likeness::Differs,
    };
    match likeness {
        Likeness::Same => {}
        Likeness::Looks if task.world.runs_as_a_whole.get() => {
            // What is received in this run was sent in this run.
            let index = task.last_operation() as u32;
            task.resent.borrow_mut().push((index, envelope()));
        }
        Likeness::Looks => {}
        Likeness::Differs => task.unfit(&describe(), location),
    }
    if let Some(duplicate) = unsent.into_inner() {
        // It was sent when the process ran before.
        discard(duplicate);
    }
}

/// How much a message is like the one that was sent before.
enum Likeness {
    /// Nobody can tell them apart.
    Same,
    /// It looks the same.
    Looks,
    Differs,
}

fn likeness<T: Value>(message: &T, before: &Envelope) -> Likeness {
    if before
        .get::<T>()
        .is_some_and(|before| message.is_same(before))
    {
        Likeness::Same
    } else if format!("{:?}", Shown(message)) == *before.as_sent() {
        Likeness::Looks
    } else {
        Likeness::Differs
    }
}

/// In a replay, messages are known by their number among those of their type to their mailbox.
pub(crate) fn count(task: &Task, to: Mailbox, of_type: TypeId) -> u32 {
    if task.world.guide.is_none() {
        return 0;
    }
    let mut sent = task.sent.borrow_mut();
    match sent
        .iter_mut()
        .find(|entry| entry.0 == to && entry.1 == of_type)
    {
        Some(entry) => {
            entry.2 += 1;
            entry.2
        }
        None => {
            sent.push((to, of_type, 1));
            1
        }
    }
}

fn describe_send(task: &Task, message: &dyn Debug, tag: Option<&Tag>, to: Mailbox) -> String {
    let destination = describe_mailbox(&task.world, to);
    match tag {
        Some(tag) => format!("send {message:?} tagged {tag} to {destination}"),
        None => format!("send {message:?} to {destination}"),
    }
}

/// The name of a process, or of a channel in backquotes.
pub(crate) fn describe_mailbox(world: &World, mailbox: Mailbox) -> String {
    match Mailboxes::place(mailbox) {
        Place::Process(process) => world.name(process),
        Place::Result(_) => "whoever joins".to_owned(),
        Place::Channel(channel) => format!("`{}`", world.mailboxes.borrow().channel_name(channel)),
    }
}
