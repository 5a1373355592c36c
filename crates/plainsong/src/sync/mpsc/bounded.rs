//! The server of a channel with a bound.
//!
//! It takes a message ([`Put`]) when there is room: fewer messages were taken than the bound and the
//! number of receives that have begun ([`Demand`]). So with the bound 0 a message is taken when
//! somebody receives. Demands are looked at only when there is no room otherwise, so that one sender
//! and one receiver have one execution.
//!
//! Why begun and not ended. Between the two the receiver only waits, so nobody can tell.
//!
//! A receive that does not wait ([`TryDemand`]) asks the server whether a message is there. To look for
//! what the server has passed on would not do: that may be in flight when the channel is full to
//! others.

use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::message::{Envelope, Parcel, Role, Value};
use crate::process::Process;
use crate::send::{Letter, post};
use crate::sync::server::{Desk, Place, content, protocol, start};
use plainsong_explore::Mailbox;
use std::fmt;
use std::marker::PhantomData;

/// A message to go through the channel.
pub(super) struct Put<T: 'static> {
    pub(super) message: Parcel<T>,
    /// Does its sender wait for room?
    pub(super) waits: bool,
}

impl<T: 'static> Value for Put<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.waits { "send" } else { "try_send" };
        write!(f, "{how}({})", self.message)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }

    fn role(&self) -> Role {
        Role::Deed
    }
}

protocol! {
    /// What became of a [`Put`].
    PutDone { pub(crate) outcome: Outcome } Plumbing "an answer"
    /// A receive has begun.
    Demand {} Plumbing "a receive has begun"
    /// A receive that does not wait, after so many others; answered by [`Offer`].
    TryDemand { pub(crate) ticket: u32, pub(crate) received: usize } Plumbing "try_recv"
    /// Follows a [`TryDemand`] if the bound is 0.
    Now { pub(crate) ticket: u32 } Plumbing "now"
    /// Is a message coming?
    Offer { pub(crate) is_coming: bool } Plumbing "an answer"
    /// The receiver was dropped.
    ReceiverGone {} Deed "the receiver was dropped"
}

/// What became of a [`Put`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Taken,
    Full,
    NoReceiver,
}

/// Starts the server of a channel with a bound.
pub(super) fn start_bounded<T: 'static>(
    name: String,
    data: Mailbox,
    bound: usize,
    made_at: Place,
) -> Process {
    let server = Server::<T> {
        data,
        bound,
        room: bound,
        taken: 0,
        of: PhantomData,
    };
    start("channel", Some(name), made_at, move |desk| {
        server.serve(desk);
    })
}

struct Server<T> {
    data: Mailbox,
    bound: usize,
    /// How many messages can be taken.
    room: usize,
    /// How many messages were taken.
    taken: usize,
    of: PhantomData<T>,
}

impl<T: 'static> Server<T> {
    fn serve(mut self, desk: &Desk) {
        let with_room = [
            desk.of::<Put<T>>(),
            desk.of::<TryDemand>(),
            desk.of::<ReceiverGone>(),
        ];
        let tries = desk.of_those(|put: &Put<T>, _| !put.waits);
        let without = [
            desk.of::<Demand>(),
            desk.of::<TryDemand>(),
            tries,
            desk.of::<ReceiverGone>(),
        ];
        loop {
            let request = match self.room {
                0 => desk.next(&without),
                _ => desk.next(&with_room),
            };
            if request.is::<ReceiverGone>() {
                break;
            } else if request.is::<Demand>() {
                self.room += 1;
            } else if request.is::<TryDemand>() {
                self.offer(desk, &request);
            } else if self.room > 0 {
                self.room -= 1;
                self.pass_on(desk, &request);
            } else {
                finish(desk, &request, Outcome::Full);
            }
        }
        loop {
            let request = desk.next(&[desk.of::<Put<T>>()]);
            finish(desk, &request, Outcome::NoReceiver);
        }
    }

    fn pass_on(&mut self, desk: &Desk, request: &Envelope) {
        let message = content::<Put<T>>(request).message.clone();
        let letter = Letter::plain(message).via(Delivery::Mailbox);
        post(letter, self.data, desk.made_at, None, What::Send);
        self.taken += 1;
        finish(desk, request, Outcome::Taken);
    }

    /// Somebody would receive now.
    fn offer(&mut self, desk: &Desk, request: &Envelope) {
        let &TryDemand { ticket, received } = content::<TryDemand>(request);
        let is_coming = match self.bound {
            0 => self.takes_from_one_who_waits(desk, ticket),
            _ => self.taken > received,
        };
        if is_coming && self.bound > 0 {
            self.room += 1;
        }
        desk.reply(request, Offer { is_coming });
    }

    /// With the bound 0: is there a sender that waits? Two that do not wait never meet.
    fn takes_from_one_who_waits(&mut self, desk: &Desk, asked: u32) -> bool {
        let now = desk.of_those(move |now: &Now, _| now.ticket == asked);
        let waits = desk.of_those(|put: &Put<T>, _| put.waits);
        let next = desk.next(&[waits, now]);
        let is_coming = !next.is::<Now>();
        if is_coming {
            self.pass_on(desk, &next);
        }
        is_coming
    }
}

fn finish(desk: &Desk, request: &Envelope, outcome: Outcome) {
    desk.reply(request, PutDone { outcome });
}
