//! What a monitor is told about a message.

use crate::message::{Envelope, Info, Value};
use crate::monitor::Copied;
use crate::process::Process;
use crate::shared_context::{Mailboxes, Place, World};
use crate::tag::Tag;
use plainsong_explore::Mailbox;
use std::any::Any;
use std::fmt::{self, Debug};

/// A message that was sent: its value, by whom, and to whom.
///
/// ```
/// use plainsong::{channel, current, send, Destination, Explorer, Monitor, Sent};
///
/// struct Log;
///
/// impl Monitor for Log {
///     fn selects(sent: &Sent) -> bool {
///         sent.tag().is_none()
///     }
///
///     fn on_message(&mut self, sent: &Sent) {
///         assert_eq!(sent.from().to_string(), "main");
///         match sent.to() {
///             Destination::Process(process) => assert_eq!(process, sent.from()),
///             Destination::Channel(name) => assert_eq!(name, "numbers"),
///         }
///         assert_eq!(sent.get::<u32>(), Some(&7));
///         assert_eq!(format!("{sent:?}"), "7");
///     }
/// }
///
/// let report = Explorer::new().monitor(|| Log).run(|| {
///     send(current(), 7_u32);
///     channel("numbers").0.send(7_u32);
/// });
/// report.assert_holds();
/// ```
pub struct Sent<'m> {
    pub(super) value: &'m dyn Value,
    pub(super) info: &'m Info,
    pub(super) to: Mailbox,
}

impl<'m> Sent<'m> {
    /// What a copy is a copy of.
    pub(super) fn of_copy(message: &'m Envelope) -> Self {
        let Copied { value, to } = message.get().expect("monitors get copies");
        Sent {
            value: &**value,
            info: &message.info,
            to: *to,
        }
    }

    /// Is its value a `T`?
    pub fn is<T: 'static>(&self) -> bool {
        self.get::<T>().is_some()
    }

    /// Its value, if that is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&'m T> {
        (self.value as &dyn Any).downcast_ref()
    }

    /// Who sent it.
    pub fn from(&self) -> Process {
        self.info.from
    }

    /// Where it was sent to.
    pub fn to(&self) -> Destination {
        match Mailboxes::place(self.to) {
            Place::Process(process) | Place::Result(process) => {
                Destination::Process(Process(process))
            }
            Place::Channel(channel) => Destination::Channel(channel_name(channel)),
        }
    }

    /// The tag it was given, if any.
    pub fn tag(&self) -> Option<&'m Tag> {
        self.info.tag.as_ref()
    }
}

fn channel_name(channel: u32) -> String {
    match World::current() {
        Some(world) => world.mailboxes.borrow().channel_name(channel).to_owned(),
        None => format!("channel {channel}"),
    }
}

impl Debug for Sent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.show(f)
    }
}

/// Where a message was sent to. Printed, it is a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To this process.
    Process(Process),
    /// To the channel of this name.
    Channel(String),
}

impl Destination {
    /// Is it the process or channel of this name?
    pub fn is(&self, name: &str) -> bool {
        self.to_string() == name
    }

    /// The process, if it was sent to one.
    pub fn process(&self) -> Option<Process> {
        match self {
            Destination::Process(process) => Some(*process),
            Destination::Channel(_) => None,
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::Process(process) => fmt::Display::fmt(process, f),
            Destination::Channel(name) => f.write_str(name),
        }
    }
}
