//! A small execution, written down: who sent what, and who received it.

use crate::message::{AnyMessage, Envelope, Info, Kept, Message};
use crate::process::Process;
use crate::shared_context::Mailboxes;
use crate::tag::Tag;
use std::any::TypeId;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::panic::Location;
use std::rc::Rc;

/// An event: process and position among its events.
pub(super) type Place = (usize, usize);

/// What an event does.
#[derive(Clone)]
pub(super) enum Deed {
    Send {
        to: usize,
        tag: Option<u32>,
        message: AnyMessage,
    },
    Receive {
        /// Only messages with this tag, if there is one.
        tag: Option<u32>,
        waits: bool,
        reads: Option<Place>,
    },
}

/// An execution: for each process, what it did. Each has a mailbox, and only it receives from there.
#[derive(Clone)]
pub(super) struct Sketch(Vec<Vec<Deed>>);

impl Sketch {
    pub(super) fn new(processes: usize) -> Self {
        Sketch(vec![Vec::new(); processes])
    }

    pub(super) fn processes(&self) -> usize {
        self.0.len()
    }

    /// Adds a send.
    pub(super) fn send<T: Message>(
        &mut self,
        process: usize,
        to: usize,
        tag: Option<u32>,
        value: T,
    ) -> Place {
        let envelope = Envelope {
            type_id: TypeId::of::<T>(),
            type_name: std::any::type_name::<T>(),
            info: Info {
                from: Process(process as u32),
                tag: tag.map(Tag::from),
            },
            to: Mailboxes::of_process(to as u32),
            location: Location::caller(),
            occurrence: 0,
            order: None,
            is_received: Cell::default(),
            text: None,
            value: Kept::new(value),
        };
        let message = AnyMessage(Rc::new(envelope) as Rc<Envelope>);
        self.push(process, Deed::Send { to, tag, message })
    }

    /// Adds a receive that reads nothing yet.
    pub(super) fn receive(&mut self, process: usize, tag: Option<u32>, waits: bool) -> Place {
        let reads = None;
        self.push(process, Deed::Receive { tag, waits, reads })
    }

    fn push(&mut self, process: usize, deed: Deed) -> Place {
        self.0[process].push(deed);
        (process, self.0[process].len() - 1)
    }

    pub(super) fn deed(&self, place: Place) -> &Deed {
        &self.0[place.0][place.1]
    }

    pub(super) fn set_read(&mut self, receive: Place, send: Option<Place>) {
        match &mut self.0[receive.0][receive.1] {
            Deed::Receive { reads, .. } => *reads = send,
            Deed::Send { .. } => unreachable!("only receives read"),
        }
    }

    /// The send that a receive reads.
    pub(super) fn read(&self, place: Place) -> Option<Place> {
        match self.deed(place) {
            Deed::Receive { reads, .. } => *reads,
            Deed::Send { .. } => None,
        }
    }

    /// The message of a send.
    pub(super) fn message(&self, send: Place) -> &AnyMessage {
        match self.deed(send) {
            Deed::Send { message, .. } => message,
            Deed::Receive { .. } => unreachable!("only sends have a message"),
        }
    }

    /// The events that are wanted, process by process.
    pub(super) fn places(&self, wanted: impl Fn(&Deed) -> bool) -> Vec<Place> {
        let of = |(process, deeds): (usize, &Vec<Deed>)| {
            (0..deeds.len()).map(move |index| (process, index))
        };
        let all = self.0.iter().enumerate().flat_map(of);
        all.filter(|&place| wanted(self.deed(place))).collect()
    }

    /// Does the receive accept the message, wherever it stands?
    pub(super) fn wants(&self, receive: Place, send: Place) -> bool {
        match (self.deed(receive), self.deed(send)) {
            (Deed::Receive { tag: wanted, .. }, Deed::Send { to, tag, .. }) => {
                *to == receive.0 && (wanted.is_none() || wanted == tag)
            }
            _ => false,
        }
    }

    /// What a receive accepts and no earlier receive has taken.
    pub(super) fn open(&self, receive: Place) -> Vec<Place> {
        let taken: Vec<Place> = (0..receive.1)
            .filter_map(|index| self.read((receive.0, index)))
            .collect();
        let mut sends = self.places(|deed| matches!(deed, Deed::Send { .. }));
        sends.retain(|&send| self.wants(receive, send) && !taken.contains(&send));
        sends
    }

    /// Everything that an event depends on; itself only if there is a cycle.
    pub(super) fn past(&self, event: Place) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        let mut left = vec![event];
        while let Some(place) = left.pop() {
            let before = place.1.checked_sub(1).map(|index| (place.0, index));
            let causes = before.into_iter().chain(self.read(place));
            left.extend(causes.filter(|&cause| found.insert(cause)));
        }
        found
    }

    /// What is left without an event and everything that depends on it. An event that is gone
    /// already takes nothing with it.
    pub(super) fn without(&self, event: Place) -> Sketch {
        let mut left = self.clone();
        for (process, deeds) in left.0.iter_mut().enumerate() {
            let kept = (0..deeds.len())
                .find(|&index| {
                    (process, index) == event || self.past((process, index)).contains(&event)
                })
                .unwrap_or(deeds.len());
            deeds.truncate(kept);
        }
        left
    }

    /// "p1 sends 3 to p0".
    pub(super) fn describe(&self, place: Place) -> String {
        let mut text = format!("p{} ", place.0);
        match self.deed(place) {
            Deed::Send { to, tag, message } => {
                let _ = write!(text, "sends {message:?} to p{to}");
                text.push_str(&tagged(*tag));
            }
            Deed::Receive { tag, waits, reads } => {
                text.push_str(if *waits {
                    "receives"
                } else {
                    "tries to receive"
                });
                text.push_str(&tagged(*tag));
                if let Some(send) = *reads {
                    let message = self.message(send);
                    let _ = write!(text, " {message:?} from p{} (event {})", send.0, send.1 + 1);
                }
            }
        }
        text
    }
}

fn tagged(tag: Option<u32>) -> String {
    tag.map_or(String::new(), |tag| format!(" tagged {tag}"))
}

impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (process, deeds) in self.0.iter().enumerate() {
            for index in 0..deeds.len() {
                let text = self.describe((process, index));
                writeln!(f, "  event {} of {text}", index + 1)?;
            }
        }
        Ok(())
    }
}
