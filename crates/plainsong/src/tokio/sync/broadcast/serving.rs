//! The server of a broadcast channel: gives values their places and sends copies.

use crate::message::{Envelope, Parcel, Value};
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, protocol, start};
use crate::tokio::sync::post::{put, request_or};
use crate::tokio::sync::watchman::AllGone;
use plainsong_explore::Mailbox;
use std::fmt;
use std::rc::Rc;

protocol! {
    /// A value for all; answered by [`Sent`].
    Put<T> { pub(super) value: Parcel<T> } Plumbing "send"
    /// It has that place, and there are so many receivers; if there are none, it has none.
    Sent { pub(super) receivers: u32, pub(super) place: u32 } Plumbing "an answer"
    /// One more receiver; answered by [`Seat`].
    Subscribe { inbox: Mailbox } Plumbing "subscribe"
    /// Its number, the place of the first value that it gets, and whether there will be one.
    Seat { pub(super) number: u32, pub(super) tail: u32, pub(super) is_last: bool } Plumbing "an answer"
    /// A receiver has all values before this place.
    Reached { pub(super) number: u32, pub(super) place: u32 } Plumbing "received"
    /// A receiver was dropped.
    Leave { pub(super) number: u32 } Plumbing "dropped"
    /// How are things? Answered by [`State`].
    Ask {} Plumbing "how many?"
    /// The next place, how many receivers there are, and how many values some of them still have to get.
    State { pub(super) tail: u32, pub(super) receivers: u32, pub(super) queued: u32 } Plumbing "an answer"
    /// The value at this place can be had.
    Open { pub(super) place: u32 } Plumbing "it is there"
    /// There are so many values, and no more.
    End { pub(super) places: u32 } Plumbing "all senders are dropped"
}

/// A receiver's copy of the value at some place.
pub(super) struct Item<T: 'static> {
    pub(super) value: Parcel<T>,
    pub(super) place: u32,
}

impl<T: 'static> Value for Item<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.show(f)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        self.value.duplicate()
    }
}

/// Asks for a seat whose copies come to this mailbox.
pub(super) fn subscribe(server: Process, inbox: Mailbox, place: Place) -> Rc<Envelope> {
    let last = Seat {
        number: 0,
        tail: 0,
        is_last: true,
    };
    request_or(server, Subscribe { inbox }, "", last, place)
}

pub(super) fn start_server<T: 'static>(name: String, capacity: u32, made_at: Place) -> Process {
    let serve = move |desk: &Desk| {
        let mut server = Server {
            desk,
            capacity,
            tail: 0,
            is_last: false,
            receivers: Vec::new(),
            subscribed: 0,
        };
        loop {
            let arms = [
                desk.of::<Put<T>>(),
                desk.of::<Subscribe>(),
                desk.of::<Ask>(),
                desk.of::<AllGone>(),
            ];
            let request = desk.next(&arms);
            server.serve::<T>(&request);
        }
    };
    start("broadcast", Some(name), made_at, serve)
}

struct Server<'d> {
    desk: &'d Desk,
    capacity: u32,
    /// The place of the next value.
    tail: u32,
    /// Are all senders gone?
    is_last: bool,
    /// Those that are there, in the order in which they came.
    receivers: Vec<Seated>,
    subscribed: u32,
}

struct Seated {
    number: u32,
    inbox: Mailbox,
    /// It has all values before this place.
    reached: u32,
}

impl Server<'_> {
    fn serve<T: 'static>(&mut self, request: &Envelope) {
        if let Some(put) = request.get::<Put<T>>() {
            self.put(request, &put.value);
        } else if let Some(Subscribe { inbox }) = request.get() {
            self.subscribe(request, *inbox);
        } else if request.is::<Ask>() {
            self.answer(request);
        } else {
            self.is_last = true;
            for receiver in &self.receivers {
                let places = self.tail;
                put(receiver.inbox, End { places }, self.desk.made_at);
            }
        }
    }

    fn put<T: 'static>(&mut self, request: &Envelope, value: &Parcel<T>) {
        let (place, made_at) = (self.tail, self.desk.made_at);
        for receiver in &self.receivers {
            let value = value.clone();
            put(receiver.inbox, Item { value, place }, request.location);
        }
        self.dismiss();
        for receiver in &self.receivers {
            put(receiver.inbox, Open { place }, made_at);
        }
        let receivers = self.receivers.len() as u32;
        self.tail += u32::from(receivers > 0);
        self.desk.reply(request, Sent { receivers, place });
    }

    fn subscribe(&mut self, request: &Envelope, inbox: Mailbox) {
        let (number, tail, is_last) = (self.subscribed, self.tail, self.is_last);
        self.subscribed += 1;
        self.receivers.push(Seated {
            number,
            inbox,
            reached: tail,
        });
        let seat = Seat {
            number,
            tail,
            is_last,
        };
        self.desk.reply(request, seat);
    }

    fn answer(&mut self, request: &Envelope) {
        self.dismiss();
        self.catch_up();
        let oldest = self.tail.saturating_sub(self.capacity);
        let slowest = self.receivers.iter().map(|receiver| receiver.reached).min();
        let first = slowest.unwrap_or(self.tail).max(oldest);
        let state = State {
            tail: self.tail,
            receivers: self.receivers.len() as u32,
            queued: self.tail - first,
        };
        self.desk.reply(request, state);
    }

    /// Forgets receivers that were dropped.
    fn dismiss(&mut self) {
        let desk = self.desk;
        self.receivers.retain(|receiver| {
            let number = receiver.number;
            let leaves = desk.of_those::<Leave>(move |leave, _| leave.number == number);
            desk.look(leaves).is_none()
        });
    }

    /// Learns how far each receiver has come.
    fn catch_up(&mut self) {
        for receiver in &mut self.receivers {
            let number = receiver.number;
            let arm = self
                .desk
                .of_those::<Reached>(move |reached, _| reached.number == number);
            while let Some(reached) = self.desk.look(arm.clone()) {
                receiver.reached = content::<Reached>(&reached).place;
            }
        }
    }
}
