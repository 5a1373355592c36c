//! The lobby: who comes to the port, and who is let in.
//!
//! One thread attends to all guests, in turns, without waiting for any: it reads what has come, and lets a guest in as soon
//! as its greeting is complete and fits. So guests who say nothing, or little, or nonsense cost a seat each and nothing
//! else. There are [`SEATS`]; when all are taken, a newcomer gets the seat of whoever has been sitting there longest
//! without a greeting. Roles greet at once, so a flood of idle connections does not keep them out.
//!
//! A greeting has to be complete in time, however often bytes of it come. A role is let in once; its second
//! connection is refused, unless the first one is gone before the run began.
//!
//! Who is refused learns only that. Why is noted for the people on this side ([`Refusals`]).

use super::Options;
use super::greeting::{self, Heard};
use super::refusals::{Refusal, Refusals};
use crate::cast::{Cast, Role};
use crate::error::{Error, Fault};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So many guests may be about to greet.
const SEATS: usize = 128;
/// So many are accepted before those who are there are attended to.
const AT_ONCE: usize = 32;
/// How often the lobby looks when somebody is expected, and when nobody is.
const OFTEN: Duration = Duration::from_millis(3);
const SELDOM: Duration = Duration::from_millis(100);

/// Where connections come in. Closes when dropped.
#[derive(Debug)]
pub(super) struct Lobby(Arc<Desk>);

impl Drop for Lobby {
    fn drop(&mut self) {
        self.0.book().is_open = false;
    }
}

#[derive(Debug)]
struct Desk {
    cast: Cast,
    me: Role,
    options: Options,
    book: Mutex<Book>,
    news: Condvar,
}

#[derive(Debug)]
struct Book {
    is_open: bool,
    /// For each role: its connection, until all are taken out.
    streams: Vec<Option<TcpStream>>,
    /// For each role: was it let in?
    let_in: Vec<bool>,
    refusals: Refusals,
}

/// Somebody who has connected and not greeted yet.
#[derive(Debug)]
struct Guest {
    stream: TcpStream,
    from: SocketAddr,
    until: Instant,
    heard: Heard,
}

impl Lobby {
    /// Listens in a thread.
    pub(super) fn open(
        listener: TcpListener,
        cast: &Cast,
        me: Role,
        options: &Options,
    ) -> Result<Lobby, Error> {
        let desk = Arc::new(Desk {
            cast: cast.clone(),
            me,
            options: options.clone(),
            book: Mutex::new(Book {
                is_open: true,
                streams: cast.roles().iter().map(|_| None).collect(),
                let_in: vec![false; cast.size()],
                refusals: Refusals::default(),
            }),
            news: Condvar::new(),
        });
        let behind = Arc::clone(&desk);
        let started = listener.set_nonblocking(true).and_then(|()| {
            thread::Builder::new()
                .name(format!("{} listens", cast.name(me)))
                .spawn(move || behind.listen(&listener))
        });
        match started {
            Ok(_) => Ok(Lobby(desk)),
            Err(error) => Err(Error::misuse(format!("cannot listen: {error}"))),
        }
    }

    /// A role that this one has connected to.
    pub(super) fn enter(&self, peer: Role, stream: TcpStream) {
        self.0.book().streams[peer] = Some(stream);
    }

    /// Waits until all who connect to this role have.
    pub(super) fn wait_for_all(&self, until: Instant) -> Result<(), Error> {
        self.0.wait_for_all(until)
    }

    /// The connections. From now on everybody is refused; if the run does not begin, nobody is heard any more.
    pub(super) fn close_book(&self, begins: bool) -> Vec<Option<TcpStream>> {
        let mut book = self.0.book();
        book.is_open = begins;
        std::mem::take(&mut book.streams)
    }
}

impl Desk {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Attends to guests until the lobby closes.
    fn listen(&self, listener: &TcpListener) {
        let mut guests = VecDeque::new();
        loop {
            let is_expected = match &*self.book() {
                Book { is_open: false, .. } => return,
                book => !self.missing(book).is_empty(),
            };
            let has_come = self.accept(listener, &mut guests);
            guests.retain_mut(|guest| self.attend(guest));
            if !has_come {
                thread::sleep(match is_expected || !guests.is_empty() {
                    true => OFTEN,
                    false => SELDOM,
                });
            }
        }
    }

    /// Accepts whoever waits outside. Says whether somebody did: then there may be more.
    fn accept(&self, listener: &TcpListener, guests: &mut VecDeque<Guest>) -> bool {
        let mut has_come = false;
        for _ in 0..AT_ONCE {
            match listener.accept() {
                Ok((stream, from)) => self.receive(stream, from, guests),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return has_come,
                Err(error) if is_the_guests(&error) => {}
                Err(_) => {
                    // No descriptors are left, most likely: those who sit there have some.
                    guests.drain(..guests.len() / 2);
                    return false;
                }
            }
            has_come = true;
        }
        true
    }

    /// Hears what has come already, and gives a seat to a guest who has not said everything.
    fn receive(&self, stream: TcpStream, from: SocketAddr, guests: &mut VecDeque<Guest>) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        let mut guest = Guest {
            stream,
            from,
            until: Instant::now() + self.options.greeting,
            heard: Heard::default(),
        };
        if !self.attend(&mut guest) {
            return;
        }
        if guests.len() >= SEATS
            && let Some(oldest) = guests.pop_front()
        {
            let why = "it did not greet before others needed its place".to_owned();
            self.note(oldest.from, &Refusal::Stranger(why));
        }
        guests.push_back(guest);
    }

    /// Reads what has come. Is there more to be expected of this guest?
    fn attend(&self, guest: &mut Guest) -> bool {
        match self.hear(guest) {
            Ok(is_over) => !is_over,
            Err(refusal) => {
                if let Refusal::Peer(_) = refusal {
                    greeting::refuse(&mut guest.stream);
                }
                hang_up(&mut guest.stream);
                self.note(guest.from, &refusal);
                false
            }
        }
    }

    /// True if the guest was let in.
    fn hear(&self, guest: &mut Guest) -> Result<bool, Refusal> {
        let stranger = |why: &str| Refusal::Stranger(why.to_owned());
        loop {
            match guest.stream.read(guest.heard.space()) {
                Ok(0) => return Err(stranger("it hung up before it had greeted")),
                Ok(count) => guest.heard.add(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return match Instant::now() < guest.until {
                        true => Ok(false),
                        false => Err(stranger("it did not greet in time")),
                    };
                }
                Err(error) => {
                    return Err(stranger(&format!(
                        "its greeting could not be read: {error}"
                    )));
                }
            }
            if !guest.heard.may_be_greeting() {
                return Err(stranger("it did not greet as a Plainsong role does"));
            }
            let Some(hello) = guest.heard.hello() else {
                continue;
            };
            let judged = hello.and_then(|hello| hello.judge(&self.cast, &self.options, self.me));
            let peer = judged.map_err(Refusal::Peer)?;
            return self.let_in(peer, &guest.stream).map(|()| true);
        }
    }

    fn let_in(&self, peer: Role, stream: &TcpStream) -> Result<(), Refusal> {
        let broken = |error: io::Error| Refusal::Peer(format!("its connection broke: {error}"));
        let mut book = self.book();
        if book.let_in[peer] && !book.is_gone(peer) {
            let name = self.cast.name(peer);
            return Err(Refusal::Peer(format!("{name} is already connected")));
        }
        let mut stream = stream.try_clone().map_err(broken)?;
        stream.set_nonblocking(false).map_err(broken)?;
        let greeting = self.options.greeting.max(Duration::from_millis(1));
        stream.set_write_timeout(Some(greeting)).map_err(broken)?;
        // Under the lock, so that of two at the same moment only one is welcome. A few bytes into a fresh
        // connection do not block.
        greeting::welcome(&mut stream, &self.cast, self.me).map_err(broken)?;
        book.let_in[peer] = true;
        book.streams[peer] = Some(stream);
        drop(book);
        self.news.notify_all();
        Ok(())
    }

    /// Notes a refusal for people.
    fn note(&self, from: SocketAddr, refusal: &Refusal) {
        let said = self.book().refusals.add(from, refusal);
        if let (Some(said), Some(listener)) = (said, self.options.on_refusal) {
            listener(&said);
        }
    }

    /// Those who connect to this role and have not.
    fn missing(&self, book: &Book) -> Vec<Role> {
        (self.me + 1..self.cast.size())
            .filter(|&role| !book.let_in[role] && self.cast.are_linked(self.me, role))
            .collect()
    }

    fn wait_for_all(&self, until: Instant) -> Result<(), Error> {
        let left = until.saturating_duration_since(Instant::now());
        let waiting = |book: &mut Book| !self.missing(book).is_empty();
        let waited = self.news.wait_timeout_while(self.book(), left, waiting);
        let (book, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let missing = self.missing(&book);
        if missing.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = missing.iter().map(|&role| self.cast.name(role)).collect();
        let mut why = format!("it did not connect within {:?}", self.options.patience);
        for refused in book.refusals.told() {
            why = format!("{why}; {refused}");
        }
        Err(Error::from(Fault::Unreachable {
            peer: names.join(", "),
            why,
        }))
    }
}

impl Book {
    /// Was the connection of a role that was let in cut before the run began?
    fn is_gone(&self, peer: Role) -> bool {
        let Some(Some(stream)) = self.streams.get(peer) else {
            return false;
        };
        if stream.set_nonblocking(true).is_err() {
            return true;
        }
        let is_gone = match stream.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        is_gone || stream.set_nonblocking(false).is_err()
    }
}

/// Hangs up. What has come and was not read would turn that into an error of the connection, which might overtake
/// the answer.
fn hang_up(stream: &mut TcpStream) {
    let mut rest = [0; 4096];
    let _ = stream.read(&mut rest);
    let _ = stream.shutdown(Shutdown::Write);
}

/// Is it about one guest, who is gone again?
fn is_the_guests(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
