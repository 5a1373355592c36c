//! How monitors come to their messages: the first process starts them, senders send them copies.

use crate::delivery::Delivery;
use crate::determinism_check::{Print, What};
use crate::failure::{Failure, FailureKind};
use crate::message::{Envelope, Info, Kept, Value, short_type_name};
use crate::monitor::Sent;
use crate::monitor::observers::Observer;
use crate::process::Process;
use crate::send::count;
use crate::tag::Tag;
use crate::task::{Fed, Task};
use plainsong_explore::{Fate, Mailbox, Op};
use std::any::TypeId;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

/// A copy of a message, in flight to a monitor.
pub(crate) struct Copied {
    pub(crate) value: Box<dyn Value>,
    /// Where the original goes.
    pub(crate) to: Mailbox,
}

impl Value for Copied {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.show(f)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }
}

/// Starts the monitors: the first thing that the first process does.
pub(crate) fn start() {
    let task = Task::current("explore");
    for observer in task.world.monitors.iter() {
        start_one(&task, observer);
    }
}

fn start_one(task: &Task, observer: &Observer) {
    let location = observer.registered.location;
    let name = &*observer.registered.name;
    let child = task.next_child();
    let print = Print::new(What::Spawn, location, (child, name));
    let counted = task.count_name(name.into());
    // A monitor has no code of its own; the place among the children is what counts.
    task.record
        .spawned(child, task.next_operation(), Some(&counted), || {});
    let describe = || format!("start monitor `{name}`");
    let spawn = || Op::Spawn {
        child,
        daemon: true,
        family: None,
    };
    match task.perform(print, &describe, spawn) {
        Fed::Started(process) => {
            assert_eq!(process, observer.process, "monitors are started first");
            task.world
                .register(process, task.process, child, Some(&counted));
        }
        _ => task.unfit(&describe(), location),
    }
}

/// Sends copies of a message that is about to be sent to the monitors that select it.
pub(crate) fn send_copies<T: Value>(
    task: &Task,
    message: &T,
    tag: Option<&Tag>,
    to: Mailbox,
    location: &'static Location<'static>,
) {
    let info = Info {
        from: Process(task.process),
        tag: tag.cloned(),
    };
    let copy = message.duplicate();
    let sent = Sent {
        value: copy.as_deref().unwrap_or(message),
        info: &info,
        to,
    };
    for observer in task.world.monitors.iter() {
        if copy.is_none() {
            return cannot_show(task, message, location);
        }
        if observer.selects(&sent) {
            send_copy(task, observer, message, &sent, location);
        }
    }
}

/// Nothing is kept from a monitor in silence.
fn cannot_show(task: &Task, message: &impl Value, location: &'static Location<'static>) {
    let name = short_type_name(message.type_name());
    let message = format!(
        "a monitor is to see a `{name}`, which cannot be copied; if it is `Clone + Debug`, say \
         `plainsong::know::<{name}>()` first"
    );
    let location = Some(location.to_string());
    let failure = Failure::plain(FailureKind::Unsupported, message, location);
    task.world.complaint.replace(Some(failure));
    task.give_up()
}

fn send_copy<T: Value>(
    task: &Task,
    observer: &Observer,
    message: &T,
    sent: &Sent<'_>,
    location: &'static Location<'static>,
) {
    let mailbox = observer.mailbox();
    let type_id = TypeId::of::<T>();
    let print = Print::new(What::Copy, location, (mailbox, type_id));
    let occurrence = count(task, mailbox, type_id);
    let describe = || format!("show {sent:?} to monitor `{}`", observer.registered.name);
    let request = || {
        let value = message.duplicate().expect("what is shown can be copied");
        let envelope = Envelope {
            type_id,
            type_name: message.type_name(),
            info: sent.info.clone(),
            to: mailbox,
            location,
            occurrence,
            order: None,
            is_received: Cell::default(),
            text: None,
            value: Kept::new(Copied { value, to: sent.to }),
        };
        task.world.needs_causality.set(true);
        Op::Send {
            to: mailbox,
            model: Delivery::Causal.model(),
            message: Rc::new(envelope) as Rc<Envelope<dyn Value>>,
            fate: Fate::Sure,
        }
    };
    // That the value is the one from before is checked for the original.
    match task.perform_send(print, &describe, request) {
        Fed::Done | Fed::Sent(_) => {}
        _ => task.unfit(&describe(), location),
    }
}
