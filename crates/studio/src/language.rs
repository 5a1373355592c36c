//! The language server, one for each page that is open.
//!
//! The server speaks over a pair of channels. What the page says is passed on; what the server says is kept, numbered,
//! until the page has it: the page asks for what comes after the last number it knows, and waits for the answer.

use lsp_server::{Connection, Message};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Songs may nest deeply; the same stack as that of the command.
const STACK: usize = 256 * 1024 * 1024;
/// How long a question for news waits.
const PATIENCE: Duration = Duration::from_secs(20);
/// A page that has not asked for so long is closed.
const FORGOTTEN: Duration = Duration::from_secs(120);
/// More pages than anybody has open.
const MOST_SESSIONS: usize = 16;

/// All servers.
#[derive(Default)]
pub(crate) struct Sessions {
    all: Mutex<BTreeMap<u64, Arc<Session>>>,
}

/// One server.
pub(crate) struct Session {
    /// To it.
    connection: Connection,
    said: Mutex<Said>,
    news: Condvar,
}

/// What a server has said and the page does not have yet.
#[derive(Debug)]
struct Said {
    messages: VecDeque<Value>,
    /// How many there were before those.
    before: u64,
    /// When the page asked last.
    asked: Instant,
    ended: bool,
}

impl Sessions {
    /// Starts a server; its number.
    pub(crate) fn begin(&self) -> Result<u64, String> {
        let mut all = lock(&self.all);
        let forgotten = |session: &Session| lock(&session.said).asked.elapsed() > FORGOTTEN;
        all.retain(|_, session| !forgotten(session));
        if all.len() >= MOST_SESSIONS {
            return Err("too many pages are open".to_owned());
        }
        let number = all.last_key_value().map_or(1, |(last, _)| last + 1);
        let session = Session::begin().map_err(|error| error.to_string())?;
        all.insert(number, session);
        Ok(number)
    }

    /// A server by its number.
    pub(crate) fn find(&self, number: &str) -> Option<Arc<Session>> {
        let number = number.parse().ok()?;
        lock(&self.all).get(&number).cloned()
    }
}

impl Session {
    fn begin() -> std::io::Result<Arc<Session>> {
        let (server, connection) = Connection::memory();
        let serve = move || {
            // Whatever ends it, the page hears that it has ended.
            let _ = plainsong_lsp::serve(&server);
        };
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn(serve)?;
        let receiver = connection.receiver.clone();
        let session = Arc::new(Session {
            connection,
            said: Mutex::new(Said {
                messages: VecDeque::new(),
                before: 0,
                asked: Instant::now(),
                ended: false,
            }),
            news: Condvar::new(),
        });
        // The session is not kept alive by whoever listens for it.
        let weak = Arc::downgrade(&session);
        let listen = move || {
            while let Ok(message) = receiver.recv() {
                let Some(session) = weak.upgrade() else {
                    return;
                };
                let told = serde_json::to_value(&message).unwrap_or_default();
                lock(&session.said).messages.push_back(told);
                session.news.notify_all();
            }
            if let Some(session) = weak.upgrade() {
                lock(&session.said).ended = true;
                session.news.notify_all();
            }
        };
        std::thread::Builder::new().spawn(listen)?;
        Ok(session)
    }

    /// Passes a message on.
    pub(crate) fn tell(&self, text: &str) -> Result<(), String> {
        let message: Message = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let sent = self.connection.sender.send(message);
        sent.map_err(|_| "the language server has ended".to_owned())
    }

    /// What it said after so many messages; waits for something.
    pub(crate) fn news(&self, after: u64) -> Value {
        let mut said = lock(&self.said);
        said.asked = Instant::now();
        while said.before < after && said.messages.pop_front().is_some() {
            said.before += 1;
        }
        let until = Instant::now() + PATIENCE;
        while said.messages.is_empty() && !said.ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.news.wait_timeout(said, left);
            said = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        said.asked = Instant::now();
        let last = said.before + said.messages.len() as u64;
        json!({ "said": said.messages, "last": last, "ended": said.ended })
    }
}

/// Nothing is left half done in a lock of ours.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
