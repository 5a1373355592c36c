//! Objects behind the scenes: a mutex, a channel, an atomic number is a process that serves requests.
//!
//! Only processes whose answers have changed run again, so no value may be shared behind the
//! engine's back. The state of an object is a local variable of its server; what a client wants of it
//! is a message to the server ([`tell`]), and what it gets is a message back ([`answer`]).
//!
//! Order. All requests are delivered in [`Delivery::Mailbox`] order whatever the program's usual
//! order is: in one order of all requests to all objects that extends causality. So objects are
//! sequentially consistent together, and requests that need no answer (unlock, store) need no
//! acknowledgement either.
//!
//! Counting. A server receives *selectively*, only what its state can serve: a mutex that is held
//! does not look at lock requests. Orders that make no difference are then not explored.
//!
//! An answer carries the tag of its request, so a client that has several requests in flight can
//! tell the answers apart.

use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::ghosts;
use crate::message::{Envelope, Value};
use crate::now;
use crate::pattern::Arm;
use crate::process::{Builder, Process};
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::Mailboxes;
use crate::task::Task;
use std::panic::Location;
use std::rc::Rc;

/// Where in the user's code something was called.
pub(crate) type Place = &'static Location<'static>;

/// Starts the server of an object. Its name is the user's, or the kind and a number: `mutex 1`.
pub(crate) fn start(
    kind: &'static str,
    name: Option<String>,
    made_at: Place,
    serve: impl FnOnce(&Desk) + 'static,
) -> Process {
    let name = name.unwrap_or_else(|| number(kind));
    let code = move || {
        let desk = Desk {
            task: Task::current("serve"),
            made_at,
        };
        serve(&desk);
    };
    let builder = Builder::new().name(name).daemon();
    builder.spawn_at(code, made_at).process()
}

/// The kind and a number: `mutex 1` is the first that its process made.
pub(crate) fn number(kind: &'static str) -> String {
    match Task::live(kind) {
        Some(task) => format!("{kind} {}", task.count_name(kind.into()).1 + 1),
        None => kind.to_owned(),
    }
}

/// Sends a request to a server.
pub(crate) fn tell<R: Value>(server: Process, request: R, place: Place) {
    let letter = Letter::plain(request).via(Delivery::Mailbox);
    let to = Mailboxes::of_process(server.0);
    post(letter, to, place, None, What::Send);
}

/// A number that no other request of this process has.
pub(crate) fn ticket() -> u32 {
    Task::live("a request").map_or(0, |task| task.next_ticket())
}

/// Sends a request, also from a destructor that runs because of a panic: then as soon as the panic
/// was caught.
pub(crate) fn tell_soon<R: Value>(server: Process, request: R, place: Place) {
    match Task::of_destructor() {
        Some(task) => task.soon(move || tell(server, request, place)),
        None => crate::record::discard(request),
    }
}

/// Waits for an answer of type `A`. People read that the process waits for "`what` `mutex 1`".
pub(crate) fn answer<A: 'static>(
    server: Process,
    what: &'static str,
    place: Place,
) -> Rc<Envelope> {
    match Task::live(what) {
        Some(task) => answer_to::<A>(&task, server, what, place),
        None => ghosts::last::<A>(server, what, place),
    }
}

/// The same; a destructor whose process unwinds gets `first` if nobody has asked before.
pub(crate) fn answer_or<A: Value>(
    server: Process,
    what: &'static str,
    first: A,
    place: Place,
) -> Rc<Envelope> {
    match Task::live(what) {
        Some(task) => answer_to::<A>(&task, server, what, place),
        None => ghosts::last_or(server, first, place),
    }
}

fn answer_to<A: 'static>(
    task: &Task,
    server: Process,
    what: &'static str,
    place: Place,
) -> Rc<Envelope> {
    let mut arm = Arm::typed::<A>(Mailboxes::of_process(task.process));
    arm.from = Some(server);
    arm.about = Some((what, server));
    let answer = take(task, &[arm], place, true);
    let answer = answer.expect("a receive that waits gets a message");
    task.world.ghosts.keep::<A>(server, &answer);
    answer
}

/// Waits for an answer of one of two types.
pub(crate) fn answer_of<A: 'static, B: 'static>(
    server: Process,
    what: &'static str,
    place: Place,
) -> Rc<Envelope> {
    let Some(task) = Task::live(what) else {
        return ghosts::last::<A>(server, what, place);
    };
    let mailbox = Mailboxes::of_process(task.process);
    let arms = [Arm::typed::<A>(mailbox), Arm::typed::<B>(mailbox)].map(|arm| Arm {
        from: Some(server),
        about: Some((what, server)),
        ..arm
    });
    take(&task, &arms, place, true).expect("a receive that waits gets a message")
}

/// The content of an answer.
pub(crate) fn content<A: 'static>(message: &Envelope) -> &A {
    message.get().expect("messages are selected by type")
}

/// A server's own view of its work.
pub(crate) struct Desk {
    pub(crate) task: Rc<Task>,
    pub(crate) made_at: Place,
}

impl Desk {
    /// Requests of one type.
    pub(crate) fn of<R: 'static>(&self) -> Arm {
        Arm::typed::<R>(Mailboxes::of_process(self.task.process))
    }

    /// Requests of one type that the condition accepts.
    pub(crate) fn of_those<R: 'static>(
        &self,
        is_it: impl Fn(&R, Process) -> bool + 'static,
    ) -> Arm {
        let is_it = move |message: &Envelope| {
            let request = message.get::<R>();
            request.is_some_and(|request| is_it(request, message.info.from))
        };
        Arm {
            filter: Some(Rc::new(is_it)),
            ..self.of::<R>()
        }
    }

    /// Waits for the next request that one of the arms accepts.
    pub(crate) fn next(&self, arms: &[Arm]) -> Rc<Envelope> {
        take(&self.task, arms, self.made_at, true).expect("a receive that waits gets a message")
    }

    /// Takes a request that the arm accepts if there is one now.
    pub(crate) fn look(&self, arm: Arm) -> Option<Rc<Envelope>> {
        now::look(&self.task, arm, self.made_at)
    }

    /// Marks this moment: what the arm accepts comes after all requests that were made before.
    pub(crate) fn mark(&self) -> Arm {
        let own = Mailboxes::of_process(self.task.process);
        now::mark(&self.task, own, self.made_at)
    }

    /// Answers a request.
    pub(crate) fn reply<A: Value>(&self, request: &Envelope, answer: A) {
        let mut letter = Letter::plain(answer).via(Delivery::Unordered);
        if let Some(tag) = &request.info.tag {
            letter = letter.with_tag(tag.clone());
        }
        let to = Mailboxes::of_process(request.info.from.0);
        post(letter, to, self.made_at, None, What::Send);
    }
}

/// Messages of the protocols: how people see them, if at all.
macro_rules! protocol {
    ($($(#[$doc:meta])* $name:ident $(<$t:ident>)? { $($fields:tt)* } $role:ident $shown:literal)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name $(<$t: 'static>)? { $($fields)* }

        impl $(<$t: 'static>)? $crate::message::Value for $name $(<$t>)? {
            fn show(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($shown)
            }

            fn duplicate(&self) -> Option<Box<dyn $crate::message::Value>> {
                None
            }

            fn role(&self) -> $crate::message::Role {
                $crate::message::Role::$role
            }
        }
    )*};
}
pub(crate) use protocol;
