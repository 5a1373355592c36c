//! How roles find each other: each listens, and connects to those before it.
//!
//! The lobby listens in a thread of its own for as long as the role runs. Whoever comes is greeted in yet
//! another thread, for a bounded time and with a bounded number of others, so that somebody who is slow, or
//! says nothing, or talks nonsense, keeps nobody else waiting. A role is let in once; its second connection is
//! refused.

use super::given::{compared, told};
use super::greeting::{self, Hello, Rejection};
use super::{Options, frame};
use crate::cast::{Cast, Role};
use crate::error::{Error, Fault};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So many strangers may be about to greet.
const MOST_GUESTS: usize = 32;
/// So many refusals are kept for the error message.
const MOST_REFUSALS: usize = 5;

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
    /// How many greet at this moment.
    guests: usize,
    /// For each role: its connection, until it is taken out.
    streams: Vec<Option<TcpStream>>,
    /// For each role: was it let in?
    let_in: Vec<bool>,
    /// Who was refused, and why.
    refused: Vec<String>,
}

/// Meets all other roles; returns a connection to each of them, and the lobby, which goes on refusing.
pub(super) fn meet(
    listener: TcpListener,
    cast: &Cast,
    me: Role,
    addresses: &[String],
    options: &Options,
) -> Result<(Vec<Option<TcpStream>>, Lobby), Error> {
    let until = Instant::now() + options.patience;
    let lobby = open(listener, cast, me, options)?;
    let met = (0..me).try_for_each(|peer| {
        let hello = Hello::new(cast, options, me, peer);
        let own = told(cast.what_was_given(), options.seed);
        let stream = reach(
            &addresses[peer],
            &cast.name(peer),
            (&hello, &own),
            options,
            until,
        )?;
        lobby.0.book().streams[peer] = Some(stream);
        Ok(())
    });
    let met = met.and_then(|()| lobby.0.wait_for_all(until));
    let mut book = lobby.0.book();
    book.is_open = met.is_ok();
    let streams = std::mem::take(&mut book.streams);
    drop(book);
    match met {
        Ok(()) => Ok((streams, lobby)),
        Err(error) => {
            streams
                .into_iter()
                .flatten()
                .for_each(|stream| part(stream, &error));
            Err(error)
        }
    }
}

/// Listens in a thread.
fn open(listener: TcpListener, cast: &Cast, me: Role, options: &Options) -> Result<Lobby, Error> {
    let desk = Arc::new(Desk {
        cast: cast.clone(),
        me,
        options: options.clone(),
        book: Mutex::new(Book {
            is_open: true,
            guests: 0,
            streams: cast.roles().iter().map(|_| None).collect(),
            let_in: vec![false; cast.size()],
            refused: Vec::new(),
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

impl Desk {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets guests in until the lobby closes. When nobody is expected any more, it looks less often.
    fn listen(self: &Arc<Desk>, listener: &TcpListener) {
        loop {
            let pause = match &*self.book() {
                Book { is_open: false, .. } => return,
                book if self.missing(book).is_empty() => Duration::from_millis(100),
                _ => Duration::from_millis(3),
            };
            match listener.accept() {
                Ok((stream, from)) => self.receive(stream, from),
                Err(_) => thread::sleep(pause),
            }
        }
    }

    /// Hears in a thread what a guest has to say.
    fn receive(self: &Arc<Desk>, stream: TcpStream, from: SocketAddr) {
        let mut book = self.book();
        if book.guests >= MOST_GUESTS {
            return;
        }
        book.guests += 1;
        drop(book);
        let desk = Arc::clone(self);
        let heard = thread::Builder::new().spawn(move || {
            let heard = desk.hear(stream);
            let mut book = desk.book();
            book.guests -= 1;
            if let Err(why) = heard
                && book.refused.len() < MOST_REFUSALS
            {
                book.refused.push(format!("{from} was refused: {why}"));
            }
            drop(book);
            desk.news.notify_all();
        });
        if heard.is_err() {
            self.book().guests -= 1;
        }
    }

    /// Lets a guest in, or says why not.
    fn hear(&self, mut stream: TcpStream) -> Result<(), String> {
        let broken = |error: io::Error| format!("its connection broke: {error}");
        let until = Instant::now() + self.options.greeting;
        stream.set_nonblocking(false).map_err(broken)?;
        stream
            .set_write_timeout(Some(self.options.greeting.max(Duration::from_millis(1))))
            .map_err(broken)?;
        let (cast, me) = (&self.cast, self.me);
        let peer = greeting::receive(&mut stream, cast, &self.options, me, until)?;
        let mut book = self.book();
        if book.let_in[peer] || !book.is_open {
            let why = match book.is_open {
                true => format!("{} is already connected", cast.name(peer)),
                false => "this role has given up".to_owned(),
            };
            drop(book);
            greeting::refuse(&mut stream, cast, me, &why);
            return Err(why);
        }
        // Under the lock, so that of two at the same moment only one is welcome. 25 bytes into a fresh
        // connection do not block.
        greeting::welcome(&mut stream, cast, me).map_err(broken)?;
        book.let_in[peer] = true;
        book.streams[peer] = Some(stream);
        Ok(())
    }

    /// Those who connect to this role and have not.
    fn missing(&self, book: &Book) -> Vec<Role> {
        (self.me + 1..self.cast.size())
            .filter(|&role| !book.let_in[role])
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
        for refused in &book.refused {
            why = format!("{why}; {refused}");
        }
        Err(Error::from(Fault::Unreachable {
            peer: names.join(", "),
            why,
        }))
    }
}

/// Connects to a role, trying again until the instant passes; `own` is what was given here.
fn reach(
    address: &str,
    peer: &str,
    (hello, own): (&Hello, &str),
    options: &Options,
    until: Instant,
) -> Result<TcpStream, Error> {
    let mut pause = Duration::from_millis(5);
    loop {
        let error = match attempt(address, hello, options, until) {
            Ok(stream) => return Ok(stream),
            Err(Rejection::Refused(why)) => {
                let peer = format!("{peer} at {address}");
                let why = compared(why, own);
                return Err(Error::from(Fault::Refused { peer, why }));
            }
            Err(Rejection::Stranger(why)) => {
                let peer = format!("{peer} at {address}");
                return Err(Error::from(Fault::Unreachable { peer, why }));
            }
            Err(Rejection::Broken(error)) => error,
        };
        if Instant::now() + pause >= until {
            return Err(Error::from(Fault::Unreachable {
                peer: format!("{peer} at {address}"),
                why: format!("nobody answered within {:?}: {error}", options.patience),
            }));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

/// Connects and greets, once, at every address that the name stands for.
fn attempt(
    address: &str,
    hello: &Hello,
    options: &Options,
    until: Instant,
) -> Result<TcpStream, Rejection> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in address.to_socket_addrs().map_err(Rejection::Broken)? {
        let left = until.saturating_duration_since(Instant::now());
        let left = left.max(Duration::from_millis(1));
        match TcpStream::connect_timeout(&address, left) {
            Ok(mut stream) => {
                // The other side may still be busy with others: it has until the end.
                stream
                    .set_write_timeout(Some(options.greeting.max(Duration::from_millis(1))))
                    .map_err(Rejection::Broken)?;
                return greeting::greet(&mut stream, hello, until).map(|()| stream);
            }
            Err(error) => last = error,
        }
    }
    Err(Rejection::Broken(last))
}

/// Leaves a peer that was met although the run does not begin.
fn part(mut stream: TcpStream, why: &Error) {
    let reason = crate::error::shortened(&why.to_string());
    let length = u32::try_from(reason.len()).unwrap_or(0);
    let mut bytes = frame::header(frame::Kind::Abort, 0, 0, length).to_vec();
    bytes.extend(reason.bytes());
    let _ = stream.write_all(&bytes);
}
