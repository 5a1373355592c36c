//! Roles as threads of one process.
//!
//! A link is a channel of the standard library: unbounded, first in first out, and values are moved,
//! not copied. The site of a message travels in debug builds only, so that a release build sends
//! exactly what a hand-written program would.
//!
//! A receiver that finds nothing lets others run a few times before it goes to sleep. To be put to sleep and
//! woken costs several times what a look costs, and a protocol mostly waits for an answer that is already being
//! computed; if it is not, the looks cost at most about as much as the sleep would have.
//!
//! Who asks for a link first makes both ends and leaves the other at the [`Exchange`]. A role that
//! ends takes what waits there for it away, so that nobody waits for a role that never came to ask.
//!
//! Each end of a link counts for itself and writes its number down when it is dropped, so that messages
//! cost no more for it: see [`tally`].

use crate::cast::{Cast, Role};
use crate::error::{Doing, Error, Fault};
use crate::net::{Net, Payload, Rx, Site, Tx};
use crate::oracle::Oracle;
use crate::perform::perform;
use crate::protocol::Protocol;
use crate::tally::{self, Sent};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often a receiver looks again, letting others run in between, before it goes to sleep.
const LOOKS: u32 = 8;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where free choices come from.
    pub seed: u64,
    /// How long a receive waits at most. Without it, until the peer is gone.
    pub deadline: Option<Duration>,
}

/// Runs every role on a thread of its own; returns how they ended, in order.
pub fn run<R: Send>(
    cast: &Cast,
    options: &Options,
    program: impl Fn(Role, &mut ThreadNet) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    on_threads(cast, nets(cast, options), Ok, program)
}

/// Runs a generated program with a thread for each role; returns how they ended, in order.
///
/// # Errors
///
/// When the parameters do not make sense.
pub fn run_protocol<P: Protocol>(
    protocol: &P,
    parameters: &P::Parameters,
    options: &Options,
) -> Result<Vec<Result<P::State, Error>>, Error> {
    let cast = protocol.cast(parameters)?;
    can_be_threads(&cast)?;
    Ok(run(&cast, options, |role, net| {
        protocol.play(role, net, parameters)
    }))
}

/// One net per role, in order, for those who start threads themselves. Give each to
/// [`perform`](crate::perform), on its thread.
pub fn nets(cast: &Cast, options: &Options) -> Vec<ThreadNet> {
    let exchange = Arc::new(Exchange {
        cast: cast.clone(),
        ends: Mutex::default(),
        records: Mutex::new(Records {
            fates: vec![None; cast.size()],
            tallies: BTreeMap::new(),
        }),
        news: Condvar::new(),
    });
    let net = |me| ThreadNet {
        me,
        exchange: Arc::clone(&exchange),
        oracle: Oracle::new(options.seed, me),
        deadline: options.deadline,
    };
    (0..cast.size()).map(net).collect()
}

/// The most roles that can be threads of one process. Systems have limits of their own, and a program that comes to one
/// while a thread starts is ended without a word.
pub(crate) const MOST_ROLES: usize = 10_000;

/// Is every role of a cast a thread of this process? Not if there are too many.
pub(crate) fn can_be_threads(cast: &Cast) -> Result<(), Error> {
    match cast.size() {
        few if few <= MOST_ROLES => Ok(()),
        many => Err(Error::misuse(format!(
            "{many} roles are too many for the threads of one process: at most {MOST_ROLES} can be run together; \
             choose smaller sizes, or run each role in a process of its own with `--role`"
        ))),
    }
}

/// Performs each role on a thread that is named after it; its net is made there. Nobody starts if there are too many.
pub(crate) fn on_threads<M: Send, N: Net, R: Send>(
    cast: &Cast,
    makings: Vec<M>,
    make: impl Fn(M) -> Result<N, Error> + Sync,
    program: impl Fn(Role, &mut N) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    if let Err(error) = can_be_threads(cast) {
        return makings.iter().map(|_| Err(error.clone())).collect();
    }
    let (make, program) = (&make, &program);
    thread::scope(|scope| {
        let start = |(role, making)| {
            thread::Builder::new()
                .name(cast.name(role))
                .spawn_scoped(scope, move || {
                    perform(make(making)?, |net| program(role, net))
                })
        };
        let started: Vec<_> = makings.into_iter().enumerate().map(start).collect();
        let end = |(role, handle): (Role, std::io::Result<thread::ScopedJoinHandle<'_, _>>)| {
            let handle = handle.map_err(|error| {
                Error::misuse(format!(
                    "there is no thread for {}: {error}",
                    cast.name(role)
                ))
            })?;
            handle.join().unwrap_or_else(|payload| {
                Err(Error::from(Fault::Panicked {
                    role: cast.name(role),
                    why: crate::perform::words(&*payload),
                }))
            })
        };
        started.into_iter().enumerate().map(end).collect()
    })
}

/// What one role has of the others when they are threads.
#[derive(Debug)]
pub struct ThreadNet {
    me: Role,
    exchange: Arc<Exchange>,
    oracle: Oracle,
    deadline: Option<Duration>,
}

/// Where the two ends of a link find each other.
#[derive(Debug)]
struct Exchange {
    cast: Cast,
    /// Ends that wait to be asked for.
    ends: Mutex<Ends>,
    records: Mutex<Records>,
    news: Condvar,
}

/// Sender, receiver and kind of a link.
type Key = (Role, Role, u16);

type Ends = BTreeMap<Key, Waiting>;

#[derive(Debug)]
struct Records {
    /// How each role has ended, once it has.
    fates: Vec<Option<String>>,
    /// What was sent over a link, and how much of it received, when its ends were dropped.
    tallies: BTreeMap<Key, (Sent, u64)>,
}

/// The end of a link that nobody has asked for yet.
#[derive(Debug)]
enum Waiting {
    Tx(Box<dyn Any + Send>),
    Rx(Box<dyn Any + Send>),
    /// Both were asked for.
    Nothing,
}

/// A value in flight.
#[derive(Debug)]
struct Packet<T> {
    #[cfg(debug_assertions)]
    site: Site,
    value: T,
}

/// The sending end of a link between threads.
#[derive(Debug)]
pub struct ThreadTx<T> {
    link: mpsc::Sender<Packet<T>>,
    sent: Sent,
    key: Key,
    exchange: Arc<Exchange>,
}

/// The receiving end of a link between threads.
#[derive(Debug)]
pub struct ThreadRx<T> {
    link: mpsc::Receiver<Packet<T>>,
    received: u64,
    key: Key,
    exchange: Arc<Exchange>,
    deadline: Option<Duration>,
}

impl<T: Payload> Tx<T> for ThreadTx<T> {
    #[inline]
    fn send(&mut self, site: Site, value: T) -> Result<(), Error> {
        let packet = Packet {
            #[cfg(debug_assertions)]
            site,
            value,
        };
        match self.link.send(packet) {
            Ok(()) => {
                self.sent.add(site);
                Ok(())
            }
            Err(_) => Err(self.exchange.gone(self.key.1, Doing::Sending(site))),
        }
    }
}

impl<T: Payload> Rx<T> for ThreadRx<T> {
    #[inline]
    fn recv(&mut self, site: Site) -> Result<T, Error> {
        let packet = self.link.try_recv().or_else(|_| self.wait());
        match packet {
            Ok(packet) => {
                self.received += 1;
                #[cfg(debug_assertions)]
                self.exchange.check(self.key.0, site, packet.site)?;
                Ok(packet.value)
            }
            Err(error) => Err(self.missing(site, error)),
        }
    }
}

impl<T> ThreadRx<T> {
    /// Waits for a message where there is none yet.
    fn wait(&self) -> Result<Packet<T>, RecvTimeoutError> {
        for _ in 0..LOOKS {
            thread::yield_now();
            if let Ok(packet) = self.link.try_recv() {
                return Ok(packet);
            }
        }
        match self.deadline {
            None => self.link.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => self.link.recv_timeout(deadline),
        }
    }

    /// Why nothing came.
    #[cold]
    fn missing(&self, site: Site, error: RecvTimeoutError) -> Error {
        match (error, self.deadline) {
            (RecvTimeoutError::Timeout, Some(waited)) => Error::from(Fault::Deadline {
                peer: self.exchange.cast.name(self.key.0),
                site,
                waited,
            }),
            _ => self.exchange.gone(self.key.0, Doing::Receiving(site)),
        }
    }
}

impl<T> Drop for ThreadTx<T> {
    fn drop(&mut self) {
        if self.sent.count > 0 {
            self.exchange.note(self.key, |tally| tally.0 = self.sent);
        }
    }
}

impl<T> Drop for ThreadRx<T> {
    fn drop(&mut self) {
        if self.received > 0 {
            self.exchange
                .note(self.key, |tally| tally.1 = self.received);
        }
    }
}

impl Net for ThreadNet {
    type Tx<T: Payload> = ThreadTx<T>;
    type Rx<T: Payload> = ThreadRx<T>;

    fn tx<T: Payload>(&mut self, to: Role, kind: u16) -> Result<ThreadTx<T>, Error> {
        let mut ends = self.exchange.ends_of((self.me, to))?;
        let link = match ends.insert((self.me, to, kind), Waiting::Nothing) {
            Some(Waiting::Tx(waiting)) => *waiting
                .downcast::<mpsc::Sender<Packet<T>>>()
                .map_err(|_| self.exchange.two_types(self.me, to, kind))?,
            Some(_) => return Err(self.exchange.twice(self.me, to, kind)),
            None => {
                let (tx, rx) = mpsc::channel::<Packet<T>>();
                if !self.exchange.has_ended(to) {
                    ends.insert((self.me, to, kind), Waiting::Rx(Box::new(rx)));
                }
                tx
            }
        };
        drop(ends);
        Ok(ThreadTx {
            link,
            sent: Sent::default(),
            key: (self.me, to, kind),
            exchange: Arc::clone(&self.exchange),
        })
    }

    fn rx<T: Payload>(&mut self, from: Role, kind: u16) -> Result<ThreadRx<T>, Error> {
        let mut ends = self.exchange.ends_of((from, self.me))?;
        let link = match ends.insert((from, self.me, kind), Waiting::Nothing) {
            Some(Waiting::Rx(waiting)) => *waiting
                .downcast::<mpsc::Receiver<Packet<T>>>()
                .map_err(|_| self.exchange.two_types(from, self.me, kind))?,
            Some(_) => return Err(self.exchange.twice(from, self.me, kind)),
            None => {
                let (tx, rx) = mpsc::channel::<Packet<T>>();
                if !self.exchange.has_ended(from) {
                    ends.insert((from, self.me, kind), Waiting::Tx(Box::new(tx)));
                }
                rx
            }
        };
        drop(ends);
        Ok(ThreadRx {
            link,
            received: 0,
            key: (from, self.me, kind),
            exchange: Arc::clone(&self.exchange),
            deadline: self.deadline,
        })
    }

    fn choose(&mut self, _site: Site, count: usize) -> Result<usize, Error> {
        let chosen = self.oracle.choose(count);
        chosen.ok_or_else(|| Error::assumption("there is something to choose from"))
    }

    fn finish(self) -> Result<(), Error> {
        self.exchange.end(self.me, "it came to its end".to_owned());
        self.exchange.settle(self.me)
    }

    fn abandon(self, why: &Error) {
        let why = crate::error::shortened(&format!("it failed: {why}"));
        self.exchange.end(self.me, why);
    }

    fn name(&self) -> String {
        self.exchange.cast.name(self.me)
    }
}

impl Drop for ThreadNet {
    fn drop(&mut self) {
        let why = "it was given up before it came to its end";
        self.exchange.end(self.me, why.to_owned());
    }
}

impl Exchange {
    /// The waiting ends, if both roles exist.
    fn ends_of(&self, (from, to): (Role, Role)) -> Result<MutexGuard<'_, Ends>, Error> {
        if let Some(&nobody) = [from, to].iter().find(|&&role| role >= self.cast.size()) {
            return Err(no_such_role(&self.cast, nobody));
        }
        if !self.cast.are_linked(from, to) {
            return Err(Error::misuse(not_linked(&self.cast, from, to)));
        }
        Ok(self.ends.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A role has ended; only the first time counts.
    fn end(&self, role: Role, how: String) {
        // In the order of `tx` and `rx`: first the ends, then the fates.
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        self.records().fates[role].get_or_insert(how);
        for (&(from, to, _), waiting) in &mut *ends {
            let is_for_it = match waiting {
                Waiting::Tx(_) => from == role,
                Waiting::Rx(_) => to == role,
                Waiting::Nothing => false,
            };
            if is_for_it {
                *waiting = Waiting::Nothing;
            }
        }
        drop(ends);
        self.news.notify_all();
    }

    fn has_ended(&self, role: Role) -> bool {
        self.records().fates[role].is_some()
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An end of a link is dropped: what it has counted.
    fn note(&self, key: Key, count: impl FnOnce(&mut (Sent, u64))) {
        count(self.records().tallies.entry(key).or_default());
        self.news.notify_all();
    }

    /// A role that ended learns whether its peers receive all that it sent.
    fn settle(&self, me: Role) -> Result<(), Error> {
        let waiting = |records: &mut Records| {
            let mut left = records.left(me);
            left.any(|(to, ..)| records.fates[to].is_none())
        };
        let waited = self.news.wait_while(self.records(), waiting);
        let records = waited.unwrap_or_else(PoisonError::into_inner);
        let Some((to, ..)) = records.left(me).next() else {
            return Ok(());
        };
        let links = records.left(me).filter(|(other, ..)| *other == to);
        let links = links.map(|(_, sent, received)| (sent, received));
        let why = records.fates[to].clone().unwrap_or_default();
        tally::compare(links, &self.cast.name(to), &why)
    }

    /// The error for a peer that is gone. Its links go a moment before it says why: that is waited for,
    /// but not for long, in case nobody performs it.
    #[cold]
    fn gone(&self, peer: Role, doing: Doing) -> Error {
        let waiting = |records: &mut Records| records.fates[peer].is_none();
        let waited =
            self.news
                .wait_timeout_while(self.records(), Duration::from_millis(500), waiting);
        let (records, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let why = records.fates[peer].clone();
        Error::from(Fault::PeerGone {
            peer: self.cast.name(peer),
            doing,
            why: why.unwrap_or_else(|| "it dropped its end of the link".to_owned()),
        })
    }

    /// Do both ends of a link name the same statement?
    #[cfg(debug_assertions)]
    fn check(&self, from: Role, expected: Site, found: Site) -> Result<(), Error> {
        if expected == found {
            return Ok(());
        }
        Err(Error::from(Fault::WrongSite {
            peer: self.cast.name(from),
            expected,
            found,
        }))
    }

    fn two_types(&self, from: Role, to: Role, kind: u16) -> Error {
        two_types(&self.cast, from, to, kind)
    }

    fn twice(&self, from: Role, to: Role, kind: u16) -> Error {
        twice(&self.cast, from, to, kind)
    }
}

impl Records {
    /// The links over which a role sent more than was received, as far as is known: to whom, and how much.
    fn left(&self, me: Role) -> impl Iterator<Item = (Role, Sent, u64)> {
        let links = self.tallies.range((me, 0, 0)..=(me, Role::MAX, u16::MAX));
        let links = links.map(|(&(_, to, _), &(sent, received))| (to, sent, received));
        links.filter(|(_, sent, received)| sent.count > *received)
    }
}

pub(crate) fn no_such_role(cast: &Cast, role: Role) -> Error {
    Error::misuse(format!(
        "there is no role number {role}: {} has {} roles, counted from 0",
        cast.protocol(),
        cast.size()
    ))
}

/// Why there is no link between two roles.
pub(crate) fn not_linked(cast: &Cast, one: Role, other: Role) -> String {
    format!(
        "{} and {} exchange no messages: the links of {} do not join them",
        cast.name(one),
        cast.name(other),
        cast.protocol()
    )
}

pub(crate) fn two_types(cast: &Cast, from: Role, to: Role, kind: u16) -> Error {
    Error::misuse(format!(
        "link {kind} from {} to {} is used with two types; each type needs a link of its own",
        cast.name(from),
        cast.name(to)
    ))
}

pub(crate) fn twice(cast: &Cast, from: Role, to: Role, kind: u16) -> Error {
    Error::misuse(format!(
        "an end of link {kind} from {} to {} was asked for twice",
        cast.name(from),
        cast.name(to)
    ))
}
