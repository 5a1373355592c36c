//! The server of a reader-writer lock.
//!
//! Readers get a copy of the value. Who has stopped reading matters only to a writer, so
//! [`ReadUnlock`]s are left alone until a [`Write`] comes; then they are received one after the other,
//! in the order of the reads, which is one order. While a writer waits for that, nobody else gets the
//! lock: new readers come after it. (They come before it in another execution.) So a process that
//! reads twice at a time may wait for ever, as `std` says.
//!
//! A [`TryWrite`] asks whether all readers have stopped *now*: its sender sends a [`Now`] behind it,
//! and whichever the server reads first was first.
//!
//! Over-counted. Reads between the same two writes are explored in every order, though nobody can tell.

use super::server::{Desk, Place, content, protocol, start};
use crate::ghosts::{keep_first, leave_first};
use crate::message::{Envelope, Parcel};
use crate::pattern::Arm;
use crate::process::Process;
use std::rc::Rc;

protocol! {
    /// Wants to read; answered by [`Shared`].
    Read { pub(crate) ticket: u32 } Deed "read"
    /// Wants to read now; answered by [`Shared`] or [`Occupied`].
    TryRead { pub(crate) ticket: u32 } Deed "try_read"
    /// Has stopped reading.
    ReadUnlock { pub(crate) ticket: u32 } Plumbing "unlock"
    /// Wants to write; answered by [`Exclusive`].
    Write {} Deed "write"
    /// Wants to write now; answered by [`Exclusive`] or [`Occupied`].
    TryWrite { pub(crate) ticket: u32 } Deed "try_write"
    /// Follows a [`TryWrite`].
    Now { pub(crate) ticket: u32 } Plumbing "now"
    /// Has stopped writing.
    WriteUnlock<T> { pub(crate) value: Parcel<T>, pub(crate) poisons: bool } Deed "unlock"
    /// Leave to read.
    Shared<T> { pub(crate) value: Parcel<T>, pub(crate) is_poisoned: bool } Plumbing "value"
    /// Leave to write.
    Exclusive<T> { pub(crate) value: Parcel<T>, pub(crate) is_poisoned: bool } Plumbing "value"
    /// Not now.
    Occupied {} Deed "would block"
}

/// Starts the server of a reader-writer lock.
pub(crate) fn start_rwlock<T: 'static>(
    name: Option<String>,
    value: Parcel<T>,
    made_at: Place,
) -> Process {
    let firsts = [value.clone(), value.clone()];
    let serve = move |desk: &Desk| Server::new(value).serve(desk);
    let server = start("rwlock", name, made_at, serve);
    let is_poisoned = false;
    leave_first(server, &firsts[0]);
    let [shared, value] = firsts;
    keep_first(server, Exclusive { value, is_poisoned }, made_at);
    let value = shared;
    keep_first(server, Shared { value, is_poisoned }, made_at);
    server
}

struct Server<T: 'static> {
    value: Parcel<T>,
    is_poisoned: bool,
    /// Who has read since the last write, with the tickets.
    readers: Vec<(Process, u32)>,
}

impl<T: 'static> Server<T> {
    fn new(value: Parcel<T>) -> Self {
        Server {
            value,
            is_poisoned: false,
            readers: Vec::new(),
        }
    }

    fn serve(&mut self, desk: &Desk) {
        let open = [
            desk.of::<Read>(),
            desk.of::<TryRead>(),
            desk.of::<Write>(),
            desk.of::<TryWrite>(),
        ];
        loop {
            let request = desk.next(&open);
            if let Some(ticket) = reader(&request) {
                self.readers.push((request.info.from, ticket));
                let (value, is_poisoned) = (self.value.clone(), self.is_poisoned);
                desk.reply(&request, Shared { value, is_poisoned });
            } else if request.is::<Write>() {
                self.wait_for_readers(desk);
                self.lend(desk, &request);
            } else if self.has_no_readers_now(desk, &request) {
                self.lend(desk, &request);
            } else {
                desk.reply(&request, Occupied {});
            }
        }
    }

    fn wait_for_readers(&mut self, desk: &Desk) {
        for reader in std::mem::take(&mut self.readers) {
            next_but_tries(desk, stopped(desk, reader));
        }
    }

    fn has_no_readers_now(&mut self, desk: &Desk, request: &Envelope) -> bool {
        let asked = (request.info.from, content::<TryWrite>(request).ticket);
        while let Some(&reader) = self.readers.first() {
            let now = desk.of_those(move |now: &Now, from| (from, now.ticket) == asked);
            if desk.next(&[stopped(desk, reader), now]).is::<Now>() {
                return false;
            }
            self.readers.remove(0);
        }
        true
    }

    /// Hands the value to a writer and waits until it is back.
    fn lend(&mut self, desk: &Desk, request: &Envelope) {
        let (value, is_poisoned) = (self.value.clone(), self.is_poisoned);
        desk.reply(request, Exclusive { value, is_poisoned });
        let unlock = next_but_tries(desk, desk.of::<WriteUnlock<T>>());
        let unlock = content::<WriteUnlock<T>>(&unlock);
        self.value = unlock.value.clone();
        self.is_poisoned |= unlock.poisons;
    }
}

/// The ticket of a request to read.
fn reader(request: &Envelope) -> Option<u32> {
    let read = request.get::<Read>().map(|read| read.ticket);
    read.or_else(|| request.get::<TryRead>().map(|read| read.ticket))
}

fn stopped(desk: &Desk, reader: (Process, u32)) -> Arm {
    desk.of_those(move |unlock: &ReadUnlock, from| (from, unlock.ticket) == reader)
}

/// The next request that is wanted; those who only try are sent away meanwhile.
fn next_but_tries(desk: &Desk, wanted: Arm) -> Rc<Envelope> {
    let arms = [wanted, desk.of::<TryRead>(), desk.of::<TryWrite>()];
    loop {
        let request = desk.next(&arms);
        if !request.is::<TryRead>() && !request.is::<TryWrite>() {
            return request;
        }
        desk.reply(&request, Occupied {});
    }
}
