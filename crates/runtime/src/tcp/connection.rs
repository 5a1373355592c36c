//! One connection: what goes out is gathered, what comes in is read into queues, one per link.
//!
//! Invariants. The frames of one sender go out in the order in which they were posted, because a frame
//! is appended under the lock of the outbox. Once the connection has an ending, nothing comes into its
//! queues any more, and those who wait at them wake up: the queues lose their sending ends. The ending is
//! set before, so whoever wakes up finds it.
//!
//! A peer that is slow within a message, in sending or in reading it, is as good as lost ([`clock`]); one that sends more
//! than there is room for is, too ([`Inbox`]).

use super::batch::Batch;
use super::clock::{self, Clocked, Pace, is_late};
use super::frame::{self, Frame, HEADER, Kind, Trouble};
use super::inbox::Inbox;
use super::link::Incoming;
use super::tally::{self, Received};
use super::{Options, gone};
use crate::error::{Doing, Error, shortened};
use crate::net::Site;
use crate::tally::{Sent, compare};
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So much is gathered at most before it is written.
const GATHERED: usize = 32 << 10;

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The peer came to its end, and has received so much.
    Goodbye(Received),
    /// The peer said why it failed, and what it had received.
    Failed(Received, String),
    /// The peer is lost.
    Lost(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Goodbye(_) => f.write_str("it came to its end"),
            Ending::Failed(_, why) => write!(f, "it failed: {why}"),
            Ending::Lost(why) => f.write_str(why),
        }
    }
}

/// Why a message was not posted.
#[derive(Debug)]
pub(super) enum Unsent {
    /// The peer is gone.
    Gone,
    /// It cannot be written down.
    Unwritable(String),
    /// It has so many bytes.
    TooLarge(usize),
}

#[derive(Debug)]
pub(super) struct Connection {
    peer: String,
    largest: usize,
    pace: Pace,
    outbox: Mutex<Outbox>,
    /// Is something gathered?
    has_gathered: AtomicBool,
    inbox: Inbox,
    standing: Mutex<Standing>,
    news: Condvar,
    /// Has it an ending? Read before each message.
    is_over: AtomicBool,
    /// When this role failed: what comes after that is read for a while, so that the peer learns why, and no longer.
    left: OnceLock<Instant>,
}

#[derive(Debug)]
struct Outbox {
    stream: TcpStream,
    gathered: Vec<u8>,
    /// By number of the link: small ones, one for each type.
    sent: Vec<Sent>,
}

#[derive(Debug, Default)]
struct Standing {
    ending: Option<Ending>,
    /// The peer has received everything.
    is_confirmed: bool,
    /// The peer has said goodbye and waits until everything is received here.
    awaits_confirmation: bool,
}

impl Connection {
    /// Takes a connection over; a thread reads it from now on.
    pub(super) fn start(
        peer: String,
        stream: TcpStream,
        options: &Options,
    ) -> io::Result<Arc<Connection>> {
        let silence = options.silence.max(Duration::from_millis(1));
        let pace = Pace {
            silence,
            slowest: options.slowest,
        };
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(silence))?;
        // Until the peer has met everybody else it cannot give signs of life.
        let reading = Clocked::new(stream.try_clone()?, pace, silence + options.patience);
        let connection = Arc::new(Connection {
            peer,
            largest: options.largest.min(u32::MAX as usize),
            pace,
            outbox: Mutex::new(Outbox {
                stream,
                gathered: Vec::new(),
                sent: Vec::new(),
            }),
            has_gathered: AtomicBool::new(false),
            inbox: Inbox::new(options.backlog, silence),
            standing: Mutex::default(),
            news: Condvar::new(),
            is_over: AtomicBool::new(false),
            left: OnceLock::new(),
        });
        let reader = Arc::clone(&connection);
        thread::Builder::new()
            .name(format!("from {}", connection.peer))
            .spawn(move || reader.read(reading))?;
        Ok(connection)
    }

    /// Who is at the other end.
    pub(super) fn peer(&self) -> &str {
        &self.peer
    }

    /// The largest message, in bytes.
    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    /// The error for a peer that is gone.
    pub(super) fn gone(&self, doing: Doing) -> Error {
        gone(&self.peer, doing, self.standing().ending.clone())
    }

    /// The messages of a link; `None` when they were asked for before.
    pub(super) fn queue(&self, link: u16) -> Option<Incoming> {
        self.inbox.claim(link)
    }

    /// Posts a message. True: it is the first that is gathered, and somebody has to see that it is written.
    pub(super) fn post<T: Serialize>(
        &self,
        link: u16,
        site: Site,
        value: &T,
    ) -> Result<bool, Unsent> {
        if self.is_over.load(Ordering::Acquire) {
            return Err(Unsent::Gone);
        }
        let mut outbox = lock(&self.outbox);
        let start = outbox.gathered.len();
        let length = match outbox.append(value) {
            Ok(length) if length <= self.largest => length,
            Ok(length) => {
                outbox.gathered.truncate(start);
                return Err(Unsent::TooLarge(length));
            }
            Err(error) => {
                outbox.gathered.truncate(start);
                return Err(Unsent::Unwritable(error.to_string()));
            }
        };
        let length = u32::try_from(length).expect("the limit fits into 32 bits");
        let header = frame::header(Kind::Data, link, site, length);
        outbox.gathered[start..start + HEADER].copy_from_slice(&header);
        outbox.count(usize::from(link), site);
        if outbox.gathered.len() >= GATHERED {
            self.write(&mut outbox).map_err(|()| Unsent::Gone)?;
            return Ok(false);
        }
        // It changes only under the lock of the outbox.
        let is_first = !self.has_gathered.load(Ordering::Relaxed);
        if is_first {
            self.has_gathered.store(true, Ordering::Release);
        }
        Ok(is_first)
    }

    /// Writes what was gathered.
    pub(super) fn flush(&self) {
        if self.has_gathered.load(Ordering::Acquire) {
            // An error is remembered as the ending of the connection.
            let _ = self.write(&mut lock(&self.outbox));
        }
    }

    /// Gives a sign of life. A peer that came to its end may still wait until everything is received here.
    pub(super) fn beat(&self) {
        self.say(Kind::Beat, &[]);
    }

    /// This role came to its end: its program receives nothing any more.
    pub(super) fn say_goodbye(&self) {
        let received = self.inbox.received();
        self.say(Kind::Goodbye, &tally::write(&received));
    }

    /// This role failed; nothing follows.
    pub(super) fn abort(&self, why: &str) {
        let mut payload = tally::write(&self.inbox.received());
        payload.extend(shortened(why).bytes());
        let _ = self.left.set(Instant::now());
        self.say(Kind::Abort, &payload);
        let _ = lock(&self.outbox).stream.shutdown(Shutdown::Write);
    }

    /// Confirms the peer's goodbye, if it was said and the program has received everything. Called after both: the
    /// lock makes the later one see what the earlier one did.
    pub(super) fn settle(&self) {
        let mut standing = self.standing();
        if standing.awaits_confirmation && self.inbox.is_received() {
            standing.awaits_confirmation = false;
            drop(standing);
            self.say(Kind::Confirmed, &[]);
        }
    }

    /// Waits until the peer has received everything, or has ended. An error if it has not, or if that is not known.
    pub(super) fn confirmation(&self, until: Option<Instant>) -> Result<(), Error> {
        let waiting = |standing: &mut Standing| !standing.is_confirmed && standing.ending.is_none();
        let standing = match until {
            None => {
                let waited = self.news.wait_while(self.standing(), waiting);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                let waited = self.news.wait_timeout_while(self.standing(), left, waiting);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        if standing.is_confirmed {
            return Ok(());
        }
        let ending = standing.ending.clone();
        drop(standing);
        match ending {
            Some(Ending::Goodbye(ref received) | Ending::Failed(ref received, _)) => {
                let of_link = |link| received.get(&link).copied().unwrap_or(0);
                let outbox = lock(&self.outbox);
                let links = outbox.sent.iter().zip(0..=u16::MAX);
                let links = links.map(|(sent, link)| (*sent, of_link(link)));
                let why = ending.as_ref().map(Ending::to_string).unwrap_or_default();
                compare(links, &self.peer, &why)
            }
            Some(Ending::Lost(_)) => Err(gone(&self.peer, Doing::Finishing, ending)),
            None => {
                let late = Ending::Lost("it has not received everything in time".to_owned());
                Err(gone(&self.peer, Doing::Finishing, Some(late)))
            }
        }
    }

    /// Both sides are done.
    pub(super) fn close(&self) {
        let _ = lock(&self.outbox).stream.shutdown(Shutdown::Both);
    }

    /// Sends a frame without link at once.
    fn say(&self, kind: Kind, payload: &[u8]) {
        let length = u32::try_from(payload.len()).expect("what ends a connection is short");
        let mut outbox = lock(&self.outbox);
        let gathered = &mut outbox.gathered;
        gathered.extend(frame::header(kind, 0, 0, length));
        gathered.extend(payload);
        let _ = self.write(&mut outbox);
    }

    fn write(&self, outbox: &mut Outbox) -> Result<(), ()> {
        let Outbox {
            stream, gathered, ..
        } = outbox;
        let written = clock::write_all(stream, gathered, self.pace);
        gathered.clear();
        self.has_gathered.store(false, Ordering::Release);
        written.map_err(|error| {
            let why = match is_late(&error) {
                true => "it reads nothing any more, or too slowly".to_owned(),
                false => format!("the connection broke: {error}"),
            };
            // What the reader still finds (a reason, a goodbye) says more: it has a moment.
            let _ = stream.shutdown(Shutdown::Write);
            self.wait_for_the_reader();
            self.end(Ending::Lost(why));
        })
    }

    /// Waits for a moment whether the reader finds out how the connection ended.
    fn wait_for_the_reader(&self) {
        let waiting = |standing: &mut Standing| standing.ending.is_none();
        let moment = Duration::from_millis(200);
        drop(
            self.news
                .wait_timeout_while(self.standing(), moment, waiting),
        );
    }

    /// Reads until the connection ends. What is there at once is handed over together.
    fn read(&self, stream: Clocked) {
        let mut stream = BufReader::with_capacity(64 << 10, stream);
        let mut recycled = Vec::new();
        let mut arrived = Batch::default();
        loop {
            let read = self.next_frame(&mut stream, std::mem::take(&mut recycled));
            let left = self.left.get();
            if left.is_some_and(|left| left.elapsed() > self.pace.silence) {
                return self.close();
            }
            if let Ok(Frame::Data {
                link,
                site,
                payload,
            }) = read
            {
                if self.is_over.load(Ordering::Acquire) {
                    let why = "it sent something after its goodbye".to_owned();
                    return self.end(Ending::Lost(why));
                }
                if arrived.link() != link {
                    arrived = Batch::of(link);
                }
                recycled = arrived.push(site, payload);
                let taken = self.take_whole(&mut stream, &mut arrived);
                if let Err(why) = taken.and_then(|()| self.deliver(&mut arrived, link)) {
                    return self.end(Ending::Lost(why));
                }
                continue;
            }
            let ending = match read {
                Ok(Frame::Data { .. } | Frame::Beat) => continue,
                Ok(Frame::Confirmed) => {
                    self.standing().is_confirmed = true;
                    self.news.notify_all();
                    continue;
                }
                Ok(Frame::Goodbye(received)) => {
                    self.end(Ending::Goodbye(received));
                    self.standing().awaits_confirmation = true;
                    self.settle();
                    continue;
                }
                Ok(Frame::Abort(received, why)) => Ending::Failed(received, why),
                Err(trouble) => Ending::Lost(explain(trouble, self.pace.silence)),
            };
            self.end(ending);
            return;
        }
    }

    /// Waits for a message to begin, and reads it: as a whole in time.
    fn next_frame(
        &self,
        stream: &mut BufReader<Clocked>,
        recycled: Vec<u8>,
    ) -> Result<Frame, Trouble> {
        loop {
            match stream.fill_buf() {
                Ok([]) => return Err(Trouble::Closed),
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Broken(error)),
            }
        }
        stream.get_mut().begin();
        let read = frame::read(stream, self.largest, recycled);
        stream.get_mut().finish();
        read
    }

    /// Takes the messages that lie in the buffer as a whole, from where they are.
    fn take_whole(
        &self,
        stream: &mut BufReader<Clocked>,
        arrived: &mut Batch,
    ) -> Result<(), String> {
        let mut taken = 0;
        while let Some(message) = frame::message(&stream.buffer()[taken..], self.largest) {
            // Then the next one is looked at on its own, which says what is wrong with it.
            if self.is_over.load(Ordering::Acquire) {
                break;
            }
            if arrived.link() != message.link {
                self.deliver(arrived, message.link)?;
            }
            arrived.add(message.site, message.payload);
            taken += HEADER + message.payload.len();
        }
        stream.consume(taken);
        Ok(())
    }

    /// Hands over what has arrived; what comes next is of this link.
    fn deliver(&self, arrived: &mut Batch, next: u16) -> Result<(), String> {
        let batch = std::mem::replace(arrived, Batch::of(next));
        match batch.is_empty() {
            true => Ok(()),
            false => self.inbox.deliver(batch),
        }
    }

    /// The connection has ended; only the first ending counts.
    fn end(&self, ending: Ending) {
        let mut standing = self.standing();
        if standing.ending.is_none() {
            standing.ending = Some(ending);
            self.is_over.store(true, Ordering::Release);
        }
        drop(standing);
        self.inbox.close();
        self.news.notify_all();
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        lock(&self.standing)
    }
}

impl Outbox {
    /// One more message was sent over a link.
    fn count(&mut self, link: usize, site: Site) {
        if self.sent.len() <= link {
            self.sent.resize(link + 1, Sent::default());
        }
        self.sent[link].add(site);
    }

    /// Appends a frame with an empty header; returns the length of its payload.
    fn append<T: Serialize>(&mut self, value: &T) -> Result<usize, postcard::Error> {
        let start = self.gathered.len() + HEADER;
        self.gathered.extend([0; HEADER]);
        postcard::serialize_with_flavor(value, Appending(&mut self.gathered))?;
        Ok(self.gathered.len() - start)
    }
}

/// Writes to the end of a vector.
struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// What a reader that cannot go on tells people.
fn explain(trouble: Trouble, silence: Duration) -> String {
    match trouble {
        Trouble::Closed => {
            "it closed the connection without a goodbye: it was killed, or the connection was cut"
                .to_owned()
        }
        Trouble::Broken(error) if is_late(&error) => match error.get_ref() {
            Some(slow) => slow.to_string(),
            None => format!("it gave no sign of life for {silence:?}"),
        },
        Trouble::Broken(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                "the connection was cut in the middle of a message".to_owned()
            }
            _ => format!("the connection broke: {error}"),
        },
        Trouble::Nonsense(what) => format!("it sent what is no message: {what}"),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
