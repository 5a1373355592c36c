//! Which messages a receive takes.

use crate::failure::{Failure, FailureKind};
use crate::message::Envelope;
use crate::panics::{self, Detail};
use crate::process::Process;
use crate::replay::Wanted;
use crate::shared_context::{Mailboxes, Place, World};
use crate::tag::Tag;
use plainsong_explore::Mailbox;
use std::any::TypeId;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;

/// The messages that a receive takes: those that one of its arms accepts.
pub(crate) struct Pattern {
    mailboxes: Boxes,
    first: Arm,
    others: Vec<Arm>,
    pub(crate) location: &'static Location<'static>,
    /// When it does not wait: it waits all the same if each of these groups has a message that is
    /// certainly there. See [`crate::machine`]'s `certain`.
    pub(crate) sure: Vec<Vec<Arm>>,
    /// In a replay: nothing but these messages.
    pub(crate) only: Option<Vec<Wanted>>,
}

enum Boxes {
    One([Mailbox; 1]),
    Many(Vec<Mailbox>),
}

/// Messages from one mailbox.
#[derive(Clone)]
pub(crate) struct Arm {
    pub(crate) mailbox: Mailbox,
    /// Of which type; any if none is given.
    pub(crate) of_type: Option<(TypeId, &'static str)>,
    pub(crate) from: Option<Process>,
    pub(crate) tag: Option<Tag>,
    pub(crate) filter: Option<Filter>,
    /// What to call it where people read it: "a notification of" a process behind the scenes.
    pub(crate) about: Option<(&'static str, Process)>,
    /// The type to name, where it is not the type that is received.
    pub(crate) shown: Option<&'static str>,
    /// Not mentioned when somebody waits for it.
    pub(crate) silent: bool,
    /// Are all messages there delivered in the one order of all operations, as in shared memory?
    pub(crate) is_in_memory: bool,
    /// Asks whoever would send it whether it is in flight.
    pub(crate) is_coming: Option<Question>,
}

/// Something that is asked of a server, at a place of the user's code.
pub(crate) type Question = Rc<dyn Fn(&'static Location<'static>) -> bool>;

pub(crate) type Filter = Rc<dyn Fn(&Envelope) -> bool>;

impl Arm {
    /// Everything that comes to a mailbox.
    pub(crate) fn anything(mailbox: Mailbox) -> Self {
        Arm {
            mailbox,
            of_type: None,
            from: None,
            tag: None,
            filter: None,
            about: None,
            shown: None,
            silent: false,
            is_in_memory: false,
            is_coming: None,
        }
    }

    /// Messages of one type.
    pub(crate) fn typed<T: 'static>(mailbox: Mailbox) -> Self {
        Arm {
            of_type: Some((TypeId::of::<T>(), std::any::type_name::<T>())),
            ..Arm::anything(mailbox)
        }
    }

    /// The same messages, of which a server knows whether they are in flight.
    pub(crate) fn asking(
        self,
        is_coming: impl Fn(&'static Location<'static>) -> bool + 'static,
    ) -> Self {
        Arm {
            is_coming: Some(Rc::new(is_coming)),
            ..self
        }
    }

    /// Does whoever would send it say that it is in flight?
    pub(crate) fn is_coming(&self, place: &'static Location<'static>) -> bool {
        self.is_coming
            .as_ref()
            .is_some_and(|is_coming| is_coming(place))
    }

    pub(crate) fn accepts(&self, message: &Envelope) -> bool {
        self.mailbox == message.to
            && self.of_type.is_none_or(|(id, _)| id == message.type_id)
            && self.from.is_none_or(|from| from == message.info.from)
            && (self.tag.is_none() || self.tag == message.info.tag)
            && self.filter.as_ref().is_none_or(|filter| filter(message))
    }

    /// "Vote from client 1 tagged 3".
    fn describe(&self, world: &World) -> String {
        if let Some((what, object)) = self.about {
            return format!("{what}{}", world.name(object.0));
        }
        if let Some(name) = self.shown {
            return crate::message::short_type_name(name);
        }
        if let Place::Result(process) = Mailboxes::place(self.mailbox) {
            return format!("the result of {}", world.name(process));
        }
        if let Some(what) = world.mailboxes.borrow().plumbing(self.mailbox) {
            return what.to_owned();
        }
        let mut text = match self.of_type {
            Some((_, name)) => crate::message::short_type_name(name),
            None => "anything".to_owned(),
        };
        if let Place::Channel(channel) = Mailboxes::place(self.mailbox) {
            let mailboxes = world.mailboxes.borrow();
            match mailboxes.channel_name(channel) {
                "" => {}
                name => {
                    let _ = write!(text, " on `{name}`");
                }
            }
        }
        if let Some(from) = self.from {
            let _ = write!(text, " from {}", world.name(from.0));
        }
        if let Some(tag) = &self.tag {
            let _ = write!(text, " tagged {tag}");
        }
        if self.filter.is_some() {
            text.push_str(" that its condition accepts");
        }
        text
    }
}

impl Pattern {
    pub(crate) fn one(arm: Arm, location: &'static Location<'static>) -> Self {
        Pattern {
            mailboxes: Boxes::One([arm.mailbox]),
            first: arm,
            others: Vec::new(),
            location,
            sure: Vec::new(),
            only: None,
        }
    }

    /// What any of the arms accepts; there is at least one.
    pub(crate) fn any_of(mut arms: Vec<Arm>, location: &'static Location<'static>) -> Self {
        let mut mailboxes: Vec<Mailbox> = arms.iter().map(|arm| arm.mailbox).collect();
        mailboxes.sort_unstable();
        mailboxes.dedup();
        let others = arms.split_off(1);
        let first = arms.pop().expect("a receive has at least one arm");
        Pattern {
            mailboxes: Boxes::Many(mailboxes),
            first,
            others,
            location,
            sure: Vec::new(),
            only: None,
        }
    }

    pub(crate) fn mailboxes(&self) -> &[Mailbox] {
        match &self.mailboxes {
            Boxes::One(one) => one,
            Boxes::Many(many) => many,
        }
    }

    /// Does the receive want this message? A condition that panics wants nothing; the panic is kept
    /// for the report.
    pub(crate) fn accepts(&self, message: &Envelope) -> bool {
        if self.only.is_none() && self.first.filter.is_none() && self.others.is_empty() {
            return self.first.accepts(message);
        }
        let _recording = panics::record(Detail::Place);
        catch_unwind(AssertUnwindSafe(|| self.wants(message))).unwrap_or_else(|payload| {
            if let Some(world) = World::current() {
                let caught = panics::caught(&*payload);
                let message = format!(
                    "the condition of the receive at {} panics: {}",
                    self.location, caught.message
                );
                let failure = Failure::plain(FailureKind::Panic, message, caught.location);
                world.complaint.replace(Some(failure));
            }
            false
        })
    }

    fn wants(&self, message: &Envelope) -> bool {
        let allowed = match &self.only {
            None => true,
            Some(wanted) => wanted.iter().any(|wanted| wanted.is(message)),
        };
        allowed && self.arms().any(|arm| arm.accepts(message))
    }

    /// Is it about the same messages, written at the same place? Conditions cannot be compared.
    pub(crate) fn is_like(&self, other: &Pattern) -> bool {
        let alike = |(a, b): (&Arm, &Arm)| {
            a.mailbox == b.mailbox
                && a.of_type.map(|of_type| of_type.0) == b.of_type.map(|of_type| of_type.0)
                && (a.from, &a.tag) == (b.from, &b.tag)
                && a.filter.is_some() == b.filter.is_some()
        };
        self.location == other.location
            && self.arms().count() == other.arms().count()
            && self.arms().zip(other.arms()).all(alike)
    }

    /// Would the receive have taken this message, had it not been told what to take?
    pub(crate) fn matches(&self, message: &Envelope) -> bool {
        self.arms().any(|arm| arm.accepts(message))
    }

    /// The object behind the scenes that the receive waits for.
    pub(crate) fn object(&self) -> Option<Process> {
        self.first.about.map(|(_, object)| object)
    }

    /// Does it want only what users do not see?
    pub(crate) fn is_plumbing(&self, world: &World) -> bool {
        let mailboxes = world.mailboxes.borrow();
        self.arms()
            .all(|arm| mailboxes.plumbing(arm.mailbox).is_some())
    }

    fn arms(&self) -> impl Iterator<Item = &Arm> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// "Vote from client 1, or Stop".
    pub(crate) fn describe(&self, world: &World) -> String {
        describe_arms(self.arms(), world)
    }
}

/// "Vote from client 1, or Stop".
pub(crate) fn describe_arms<'a>(arms: impl Iterator<Item = &'a Arm>, world: &World) -> String {
    let mut texts: Vec<String> = arms
        .filter(|arm| !arm.silent)
        .map(|arm| arm.describe(world))
        .collect();
    texts.dedup();
    match texts[..] {
        [] => "something to wake it".to_owned(),
        _ => texts.join(", or "),
    }
}
