//! Projected programs under exploration: the same code that runs on threads and on TCP, with every
//! execution checked.
//!
//! ```
//! use plainsong_runtime::{Cast, Net, Rx, Tx};
//! use plainsong_runtime_explore::start;
//!
//! let report = plainsong::explore(|| {
//!     let cast = Cast::new("vote", 0x5eed, ["server", "voter"]);
//!     let ends = start(&cast, |role, net| match role {
//!         0 => net.rx::<bool>(1, 0)?.recv(1),
//!         _ => {
//!             let vote = net.choose(2, 2)? == 1;
//!             net.tx(0, 0)?.send(1, vote)?;
//!             Ok(vote)
//!         }
//!     });
//!     let ends = ends.join();
//!     assert_eq!(ends[0], ends[1]);
//! });
//! report.assert_holds();
//! assert_eq!(report.executions, 2); // one for each vote
//! ```
//!
//! Statement. A program in which every link has one sender and one receiver, and in which every receive
//! names its link, has exactly one execution for each vector of free choices. A second one, a deadlock
//! or a different end is an error of the program: of its generator, if it was generated.
//!
//! Why. Links are first in first out and have one sender, so what a receive gets is fixed by how often
//! its link was received from before: no two messages race for it. What remains are the choices.
//!
//! Why a crate of its own and no feature of `plainsong-runtime`: features are united over a workspace,
//! so one member that explores would have all others link the explorer. Generated programs name this
//! crate in their `dev-dependencies` only.
//!
//! All messages from one role to another go through one channel of the explorer, told apart by the kind
//! of their link as a tag. A role that fails does not tell its peers here: they wait for ever, which
//! the explorer reports as a deadlock unless somebody looks at the error first. What a role sent and its peer
//! had not received when it ended is an error of the sender, as on the other transports: roles return their
//! counts with their ends, and who joins them compares.

#![warn(missing_docs)]

use plainsong::{JoinHandle, Letter, Receiver, Sender, spawn_named};
use plainsong_runtime::{Cast, Error, Fault, Net, Payload, Protocol, Role, Rx, Site, Tx};
use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::rc::Rc;

/// Starts every role as a process of its own. To be called inside an exploration.
pub fn start<R: Clone + Debug + 'static>(
    cast: &Cast,
    program: impl Fn(Role, &mut ExploreNet) -> Result<R, Error> + 'static,
) -> Ends<R> {
    let program = Rc::new(program);
    let play = |(role, mut net): (Role, ExploreNet)| {
        let program = Rc::clone(&program);
        spawn_named(cast.name(role), move || {
            let end = program(role, &mut net);
            (end, net.books.borrow().clone())
        })
    };
    Ends {
        cast: cast.clone(),
        roles: nets(cast).into_iter().enumerate().map(play).collect(),
    }
}

/// Starts every role of a generated program. To be called inside an exploration.
///
/// # Errors
///
/// When the parameters do not make sense.
pub fn start_protocol<P: Protocol>(
    protocol: P,
    parameters: &P::Parameters,
) -> Result<Ends<P::State>, Error> {
    let cast = protocol.cast(parameters)?;
    let parameters = parameters.clone();
    Ok(start(&cast, move |role, net| {
        protocol.play(role, net, &parameters)
    }))
}

/// Roles that were started.
#[derive(Debug)]
#[must_use = "roles that nobody joins may fail unnoticed"]
pub struct Ends<R> {
    cast: Cast,
    roles: Vec<JoinHandle<Played<R>>>,
}

/// How a role ended, and what it had sent and received.
type Played<R> = (Result<R, Error>, Books);

/// What a role has sent and received, by peer and kind of link.
#[derive(Clone, Debug, Default)]
struct Books {
    /// How often, and the last statement.
    sent: BTreeMap<(Role, u16), (u64, Site)>,
    received: BTreeMap<(Role, u16), u64>,
}

impl<R: Clone + Debug + 'static> Ends<R> {
    /// Waits for all roles; returns how they ended, in order.
    ///
    /// # Panics
    ///
    /// When a role failed, or did not receive what another one sent: that is a failure of the execution.
    pub fn join(self) -> Vec<R> {
        let end = |(_, (end, _)): &(Role, Played<R>)| {
            if let Err(error) = end {
                panic!("{error}");
            }
        };
        let ends = self.compared(end);
        let good = |end: Result<R, Error>| end.unwrap_or_else(|error| panic!("{error}"));
        ends.into_iter().map(good).collect()
    }

    /// Waits for all roles; returns how they ended, in order, also if they failed.
    pub fn join_all(self) -> Vec<Result<R, Error>> {
        self.compared(|_| ())
    }

    /// Waits for all roles, looks at each as it ends, and compares what was sent with what was received.
    fn compared(self, look: impl Fn(&(Role, Played<R>))) -> Vec<Result<R, Error>> {
        let handles = self.roles.into_iter().enumerate();
        let played = handles
            .map(|(role, handle)| (role, handle.join()))
            .inspect(look);
        let (ends, books): (Vec<_>, Vec<_>) = played.map(|(_, played)| played).unzip();
        let how = ends.iter().map(|end| match end {
            Ok(_) => "it came to its end".to_owned(),
            Err(error) => format!("it failed: {error}"),
        });
        let how: Vec<String> = how.collect();
        let compare = |(me, end): (Role, Result<R, Error>)| {
            end.and_then(|end| compare(&self.cast, &books, &how, me).map(|()| end))
        };
        ends.into_iter().enumerate().map(compare).collect()
    }
}

/// Did everybody receive what this role sent?
fn compare(cast: &Cast, books: &[Books], how: &[String], me: Role) -> Result<(), Error> {
    for (&(to, kind), &(sent, last)) in &books[me].sent {
        let received = books[to].received.get(&(me, kind)).copied().unwrap_or(0);
        if sent > received {
            return Err(Error::from(Fault::Unreceived {
                peer: cast.name(to),
                count: sent - received,
                last,
                why: how[to].clone(),
            }));
        }
    }
    Ok(())
}

/// One net per role, in order. To be called inside an exploration.
pub fn nets(cast: &Cast) -> Vec<ExploreNet> {
    let size = cast.size();
    let mut nets: Vec<ExploreNet> = (0..size)
        .map(|me| ExploreNet {
            cast: cast.clone(),
            me,
            outward: Vec::with_capacity(size),
            inward: Vec::with_capacity(size),
            asked: BTreeSet::new(),
            books: Rc::default(),
        })
        .collect();
    for from in 0..size {
        for to in 0..size {
            let name = format!("{} to {}", cast.name(from), cast.name(to));
            let (sender, receiver) = plainsong::channel(name);
            nets[from].outward.push(sender);
            nets[to].inward.push(Rc::new(receiver));
        }
    }
    nets
}

/// What one role has of the others under exploration.
#[derive(Debug)]
pub struct ExploreNet {
    cast: Cast,
    me: Role,
    outward: Vec<Sender<Parcel>>,
    inward: Vec<Rc<Receiver<Parcel>>>,
    /// Links that were asked for: peer, kind, whether it is the receiving end.
    asked: BTreeSet<(Role, u16, bool)>,
    /// Shared with the ends of its links, and with nobody else.
    books: Rc<RefCell<Books>>,
}

/// A value in flight. It looks like the value in pictures.
#[derive(Clone)]
struct Parcel {
    site: Site,
    value: Rc<dyn Content>,
}

/// A value of any type that can be shown.
trait Content: Any + Debug {}

impl<T: Any + Debug> Content for T {}

impl Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}", self.value, self.site)
    }
}

/// The sending end of an explored link.
#[derive(Debug)]
pub struct ExploreTx<T> {
    link: Sender<Parcel>,
    to: Role,
    kind: u16,
    books: Rc<RefCell<Books>>,
    of: PhantomData<fn(T)>,
}

/// The receiving end of an explored link.
#[derive(Debug)]
pub struct ExploreRx<T> {
    link: Rc<Receiver<Parcel>>,
    kind: u16,
    peer: Role,
    from: String,
    books: Rc<RefCell<Books>>,
    of: PhantomData<fn() -> T>,
}

impl<T: Payload> Tx<T> for ExploreTx<T> {
    #[track_caller]
    fn send(&mut self, site: Site, value: T) -> Result<(), Error> {
        let parcel = Parcel {
            site,
            value: Rc::new(value),
        };
        let letter = Letter::new(parcel).tagged(u64::from(self.kind));
        self.link.send_letter(letter);
        let mut books = self.books.borrow_mut();
        let (count, last) = books.sent.entry((self.to, self.kind)).or_default();
        *count += 1;
        *last = site;
        Ok(())
    }
}

impl<T: Payload> Rx<T> for ExploreRx<T> {
    #[track_caller]
    fn recv(&mut self, site: Site) -> Result<T, Error> {
        let messages = self.link.messages().tagged(u64::from(self.kind));
        let parcel = messages.receive();
        let link = (self.peer, self.kind);
        *self.books.borrow_mut().received.entry(link).or_default() += 1;
        if parcel.site != site {
            return Err(Error::from(Fault::WrongSite {
                peer: self.from.clone(),
                expected: site,
                found: parcel.site,
            }));
        }
        let value: &dyn Any = &*parcel.value;
        let value = value.downcast_ref::<T>().cloned();
        value.ok_or_else(|| {
            Error::misuse(format!(
                "link {} from {} is used with two types; each type needs a link of its own",
                self.kind, self.from
            ))
        })
    }
}

impl ExploreNet {
    /// Is there such a peer, and is the end of its link free?
    fn ask(&mut self, peer: Role, kind: u16, receives: bool) -> Result<(), Error> {
        if peer >= self.cast.size() {
            return Err(Error::misuse(format!("there is no role number {peer}")));
        }
        match self.asked.insert((peer, kind, receives)) {
            true => Ok(()),
            false => Err(Error::misuse(format!(
                "an end of link {kind} between {} and {} was asked for twice",
                self.cast.name(self.me),
                self.cast.name(peer)
            ))),
        }
    }
}

impl Net for ExploreNet {
    type Tx<T: Payload> = ExploreTx<T>;
    type Rx<T: Payload> = ExploreRx<T>;

    fn tx<T: Payload>(&mut self, to: Role, kind: u16) -> Result<ExploreTx<T>, Error> {
        self.ask(to, kind, false)?;
        Ok(ExploreTx {
            link: self.outward[to].clone(),
            to,
            kind,
            books: Rc::clone(&self.books),
            of: PhantomData,
        })
    }

    fn rx<T: Payload>(&mut self, from: Role, kind: u16) -> Result<ExploreRx<T>, Error> {
        self.ask(from, kind, true)?;
        Ok(ExploreRx {
            link: Rc::clone(&self.inward[from]),
            kind,
            peer: from,
            from: self.cast.name(from),
            books: Rc::clone(&self.books),
            of: PhantomData,
        })
    }

    #[track_caller]
    fn choose(&mut self, _site: Site, count: usize) -> Result<usize, Error> {
        match count {
            0 => Err(Error::assumption("there is something to choose from")),
            _ => Ok(plainsong::choose(0..count)),
        }
    }

    fn finish(self) -> Result<(), Error> {
        Ok(())
    }

    fn abandon(self, _why: &Error) {}

    fn name(&self) -> String {
        self.cast.name(self.me)
    }
}
