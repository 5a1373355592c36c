//! The door of a queue: gives messages their places.
//!
//! Selective. That a message was taken ([`Taken`]) matters only to somebody who waits for room, so it is
//! received only then. One request at a time waits for room; later ones are not looked at before it is
//! served, so they are served in the order they came. A request that was given up ([`GiveUp`]) before it
//! got a place is forgotten; one that has got a place leaves it empty, and the receiver is told
//! ([`Skipped`]).
//!
//! Whether there is room *now* is asked of all messages that were taken before a moment that is
//! [marked](crate::now): so "full" is ordered with all else, as a place is.
//!
//! Room for later has no place: that is given when the message is sent ([`Redeem`]), which can be in
//! another order. A `send` that is known to have waited takes room and then a place, for the same reason:
//! between the two others may send. Where nobody can tell that it waited it gets its place at once, as
//! if it had begun later.

use super::put;
use crate::message::Envelope;
use crate::now::Now;
use crate::pattern::Arm;
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start};
use crate::tag::Tag;
use plainsong_explore::Mailbox;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

protocol! {
    /// Wants a place, or room for later, and waits for it; answered by [`Admission`].
    Enter { pub(super) reserves: bool } Plumbing "send"
    /// Wants a place now, or room for later; answered by [`Admission`].
    TryEnter { pub(super) reserves: bool } Plumbing "try_send"
    /// Wants a place for the room that it has; answered by [`Admission`].
    Redeem {} Plumbing "send"
    /// Does not want the room that it has.
    Return {} Plumbing "give up"
    /// Does not want the place of its request with that number any more.
    GiveUp { pub(super) number: u32 } Plumbing "give up"
    /// Is its request with that number answered? Answered by [`IsAnswered`].
    AskAnswered { pub(super) number: u32 } Plumbing "send"
    /// Is it?
    IsAnswered { pub(super) yes: bool } Plumbing "an answer"
    /// The answer.
    Admission { pub(super) outcome: Outcome } Plumbing "an answer"
    /// A message was taken: there is room for another.
    Taken {} Plumbing "room"
    /// No more places; answered by [`Length`].
    Close {} Plumbing "close"
    /// No more places, and nobody wants to know how many there were.
    Abandon {} Plumbing "close"
    /// How many places were given? Answered by [`Length`].
    AskLength {} Plumbing "len"
    /// How many places were given, and whether more will be for room that was reserved.
    Length { pub(super) places: u32, pub(super) is_final: bool } Plumbing "so many"
    /// All room that was reserved when it was closed was used or given back, and there are so many places.
    Final { pub(super) places: u32 } Plumbing "so many"
    /// How much room is there? Answered by [`Room`].
    AskRoom {} Plumbing "capacity"
    /// So much.
    Room { pub(super) free: usize } Plumbing "an answer"
    /// Is it closed? Answered by [`IsClosed`].
    AskClosed {} Plumbing "is_closed"
    /// Tell me when it is closed: answered by [`IsClosed`].
    AwaitClosed {} Plumbing "closed"
    /// Is it closed?
    IsClosed { pub(super) yes: bool } Plumbing "an answer"
    /// There will be no message at this place.
    Skipped { pub(super) place: u32 } Plumbing "nothing"
}

/// What becomes of a request for a place.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    At(u32),
    /// There is room, for later.
    Reserved,
    Full,
    Closed,
}

/// Starts the door of a queue.
pub(super) fn start_door(
    name: String,
    room: Option<usize>,
    inbox: Mailbox,
    made_at: Place,
) -> Process {
    let serve = move |desk: &Desk| {
        let mut door = Door {
            desk,
            free: room,
            most: room.unwrap_or(usize::MAX),
            places: 0,
            reserved: 0,
            is_closed: false,
            waiting: None,
            given: BTreeMap::new(),
            given_up: BTreeSet::new(),
            inbox,
        };
        loop {
            let request = desk.next(&door.arms());
            door.serve(request);
        }
    };
    start("channel", Some(name), made_at, serve)
}

/// Who asked, and the tag of the request.
type Key = (u32, Option<Tag>);

struct Door<'d> {
    desk: &'d Desk,
    /// How much room there is, as far as it is known; none if there is no end of it.
    free: Option<usize>,
    /// How much there is when there is no message.
    most: usize,
    places: u32,
    /// How much of it is taken for later.
    reserved: u32,
    is_closed: bool,
    /// The request that waits for room.
    waiting: Option<Rc<Envelope>>,
    /// Places by request, or none for room.
    given: BTreeMap<Key, Option<u32>>,
    given_up: BTreeSet<Key>,
    inbox: Mailbox,
}

impl Door<'_> {
    /// What it listens to now.
    fn arms(&self) -> Vec<Arm> {
        let desk = self.desk;
        let mut arms = vec![
            desk.of::<TryEnter>(),
            desk.of::<Redeem>(),
            desk.of::<Return>(),
            desk.of::<AskLength>(),
            desk.of::<AskRoom>(),
            desk.of::<GiveUp>(),
            desk.of::<Close>(),
            desk.of::<Abandon>(),
            desk.of::<AskClosed>(),
            desk.of::<AskAnswered>(),
        ];
        arms.push(match self.waiting {
            None => desk.of::<Enter>(),
            Some(_) => desk.of::<Taken>(),
        });
        if self.is_closed {
            arms.push(desk.of::<AwaitClosed>());
        }
        arms
    }

    fn serve(&mut self, request: Rc<Envelope>) {
        if request.is::<Enter>() {
            self.enter(request);
        } else if request.is::<TryEnter>() {
            self.try_enter(&request);
        } else if request.is::<Redeem>() {
            self.reserved -= 1;
            self.give_place(&request);
            self.tell_final();
        } else if request.is::<Return>() {
            self.take_back();
        } else if request.is::<AskLength>() {
            self.tell_length(&request);
        } else if request.is::<AskRoom>() {
            let free = self.room();
            self.desk.reply(&request, Room { free });
        } else if let Some(asked) = request.get::<AskAnswered>() {
            let yes = self.is_answered(&(request.info.from.0, Some(Tag::from(asked.number))));
            self.desk.reply(&request, IsAnswered { yes });
        } else if request.is::<GiveUp>() {
            self.give_up(&request);
        } else if request.is::<Taken>() {
            self.make_room();
        } else if request.is::<AskClosed>() || request.is::<AwaitClosed>() {
            let yes = self.is_closed;
            self.desk.reply(&request, IsClosed { yes });
        } else {
            self.close(&request);
        }
    }

    fn enter(&mut self, request: Rc<Envelope>) {
        if self.given_up.remove(&key(&request)) {
            return;
        }
        match self.free {
            Some(0) if !self.is_closed => self.waiting = Some(request),
            _ => self.admit(&request),
        }
    }

    /// While somebody waits for room there is none: messages that are taken are heard of then, so those
    /// that were not were taken later.
    fn try_enter(&mut self, request: &Envelope) {
        if !self.is_closed {
            self.look_for_room(1);
        }
        match self.free {
            Some(0) if !self.is_closed => self.answer(request, Outcome::Full),
            _ => self.admit(request),
        }
    }

    /// Hears of messages that were taken, until there is so much room or no more is there now. Whoever closes
    /// it or gives room back does that before this moment too, or after it.
    fn look_for_room(&mut self, enough: usize) {
        let lacks = |door: &Self| door.free.is_some_and(|free| free < enough);
        if !lacks(self) || self.waiting.is_some() {
            return;
        }
        let desk = self.desk;
        let arms = [
            desk.of::<Taken>(),
            desk.of::<Return>(),
            desk.of::<GiveUp>(),
            desk.of::<Close>(),
            desk.of::<Abandon>(),
            desk.mark(),
        ];
        while lacks(self) {
            let next = desk.next(&arms);
            if next.is::<Now>() {
                return;
            }
            self.serve(next);
        }
    }

    /// Does a request that waited have an answer now? Reads what those before it and it itself wait for, up to
    /// this moment.
    fn is_answered(&mut self, key: &Key) -> bool {
        let is_it = |door: &Self| door.is_closed || door.given.contains_key(key);
        if is_it(self) {
            return true;
        }
        let desk = self.desk;
        let now = desk.mark();
        while !is_it(self) {
            let next = desk.next(&[
                match self.waiting {
                    None => desk.of::<Enter>(),
                    Some(_) => desk.of::<Taken>(),
                },
                desk.of::<Return>(),
                desk.of::<GiveUp>(),
                desk.of::<Close>(),
                desk.of::<Abandon>(),
                now.clone(),
            ]);
            if next.is::<Now>() {
                return false;
            }
            self.serve(next);
        }
        true
    }

    /// How much room there is.
    fn room(&mut self) -> usize {
        self.look_for_room(self.most);
        self.free.unwrap_or(usize::MAX)
    }

    /// Gives a place, or room, unless it is closed.
    fn admit(&mut self, request: &Envelope) {
        if self.is_closed {
            return self.answer(request, Outcome::Closed);
        }
        self.free = self.free.map(|free| free - 1);
        if reserves(request) {
            self.reserved += 1;
            self.given.insert(key(request), None);
            self.answer(request, Outcome::Reserved);
        } else {
            self.give_place(request);
        }
    }

    fn give_place(&mut self, request: &Envelope) {
        self.given.insert(key(request), Some(self.places));
        self.places += 1;
        self.answer(request, Outcome::At(self.places - 1));
    }

    /// Room that was reserved is free again.
    fn take_back(&mut self) {
        self.reserved -= 1;
        self.make_room();
        self.tell_final();
    }

    fn answer(&self, request: &Envelope, outcome: Outcome) {
        self.desk.reply(request, Admission { outcome });
    }

    fn give_up(&mut self, request: &Envelope) {
        let number = content::<GiveUp>(request).number;
        let key = (request.info.from.0, Some(Tag::from(number)));
        if let Some(place) = self.given.remove(&key) {
            match place {
                Some(place) => {
                    put(self.inbox, Skipped { place }, self.desk.made_at);
                    self.make_room();
                }
                None => self.take_back(),
            }
        } else if self
            .waiting
            .as_deref()
            .is_some_and(|waiting| self::key(waiting) == key)
        {
            self.waiting = None;
        } else {
            self.given_up.insert(key);
        }
    }

    fn make_room(&mut self) {
        self.free = self.free.map(|free| free + 1);
        if let Some(waiting) = self.waiting.take() {
            self.admit(&waiting);
        }
    }

    fn close(&mut self, request: &Envelope) {
        self.is_closed = true;
        if let Some(waiting) = self.waiting.take() {
            self.admit(&waiting);
        }
        if request.is::<Close>() {
            self.tell_length(request);
        }
    }

    fn tell_length(&self, request: &Envelope) {
        let (places, is_final) = (self.places, self.is_closed && self.reserved == 0);
        self.desk.reply(request, Length { places, is_final });
    }

    /// Tells the receiver how many places there are, when that was not known when it was closed.
    fn tell_final(&self) {
        if self.is_closed && self.reserved == 0 {
            let places = self.places;
            put(self.inbox, Final { places }, self.desk.made_at);
        }
    }
}

fn reserves(request: &Envelope) -> bool {
    match request.get::<Enter>() {
        Some(enter) => enter.reserves,
        None => content::<TryEnter>(request).reserves,
    }
}

fn key(request: &Envelope) -> Key {
    (request.info.from.0, request.info.tag.clone())
}
