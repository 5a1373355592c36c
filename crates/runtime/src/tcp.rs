//! Roles on different machines: one TCP connection for each pair of roles that exchange messages.
//!
//! Setting up. Every role knows the addresses of all. A role listens at its own and connects to those of the roles
//! before it that it is linked with ([`Cast::linked`]); whoever connects says which protocol, cast, session and role it is ([`greeting`]), and only
//! what fits is let in ([`lobby`]). Whatever else comes to the port is refused, learns nothing, and neither holds
//! up nor ends the run; why it was refused is said on this side.
//!
//! Running. Messages are frames ([`frame`]): kind, link, site, and the payload in postcard's format. A
//! thread per connection reads them into a queue per link, so that writing never waits for the peer's
//! program, only for its machine ([`connection`]). What is sent is gathered until the role waits for
//! something, at most for a moment.
//!
//! Ending. A role that came to its end says so, and how much it received; then it waits for each peer to
//! confirm that its program received everything, or to end. A role that failed says why, and how much it had
//! received until then. Who sent more than was received ends with an error ([`crate::tally`]). A connection that ends without either, or is silent for too long, is a
//! lost peer. A role that needs a lost peer gets an error, returns it, and so tells the others: every role
//! that depends on the lost one ends with an error, and none waits for ever.
//!
//! Not covered. Nothing is encrypted and nobody is authenticated: hash and session guard against mistakes. Somebody
//! who knows the program and all that it was given, or has listened to a greeting, can pose as a role that has not
//! come yet. Use it in a network that you trust, or through a tunnel. A peer that was let in can fill neither
//! the memory ([`Options::backlog`]) nor, by being slow, the time of another one; but it can give signs of life for
//! as long as it likes ([`Options::deadline`], [`Options::farewell`]).

mod batch;
mod clock;
mod connection;
mod frame;
mod given;
mod greeting;
mod inbox;
mod keeper;
mod link;
mod lobby;
mod meeting;
mod refusals;
mod tally;

use crate::cast::{Cast, Role};
use crate::error::{Doing, Error, Fault};
use crate::net::{Net, Payload, Site};
use crate::oracle::Oracle;
use crate::protocol::Protocol;
use crate::threads::{no_such_role, not_linked, on_threads};
use connection::{Connection, Ending};
use keeper::Keeper;
pub use link::{TcpRx, TcpTx};
use lobby::Lobby;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where free choices come from.
    pub seed: u64,
    /// How long a receive waits at most. Without it, until the peer is gone.
    pub deadline: Option<Duration>,
    /// How long roles look for each other at the beginning.
    pub patience: Duration,
    /// How long whoever connects may take to say who it is.
    pub greeting: Duration,
    /// A peer without any sign of life for this long is lost. Signs of life are sent by the transport,
    /// also while a program computes.
    pub silence: Duration,
    /// How long a role that came to its end waits at most until its peers have received what it sent.
    /// Without it, as long as they give signs of life.
    pub farewell: Option<Duration>,
    /// The largest message, in bytes.
    pub largest: usize,
    /// So many bytes may wait from one peer until this role receives them; a peer that sends more is lost.
    pub backlog: usize,
    /// How many bytes a second a message has to come or go at least. It may take the time of a silence
    /// besides, so this matters for large ones only.
    pub slowest: u64,
    /// Only roles of one session talk: for several runs of one protocol side by side.
    pub session: u64,
    /// Told why somebody was refused: a stranger learns only that it was. Each reason is told once, and not more than a
    /// few of them.
    pub on_refusal: Option<fn(&str)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            deadline: None,
            patience: Duration::from_secs(10),
            greeting: Duration::from_secs(2),
            silence: Duration::from_secs(10),
            farewell: None,
            largest: 64 << 20,
            backlog: 1 << 30,
            slowest: 256 << 10,
            session: 0,
            on_refusal: None,
        }
    }
}

/// Runs all roles in this process, each on a thread of its own, over TCP on the loopback interface;
/// returns how they ended, in order.
pub fn run<R: Send>(
    cast: &Cast,
    options: &Options,
    program: impl Fn(Role, &mut TcpNet) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    let stations = cast.roles().iter().map(|_| Station::bind("127.0.0.1:0"));
    let stations: Vec<Station> = match stations.collect() {
        Ok(stations) => stations,
        Err(error) => return cast.roles().iter().map(|_| Err(error.clone())).collect(),
    };
    let addresses: Vec<String> = stations
        .iter()
        .map(|station| station.address().to_string())
        .collect();
    let roles = stations.into_iter().enumerate();
    let nets = roles
        .map(|(role, station)| Upcoming {
            role,
            station,
            cast: cast.clone(),
            addresses: addresses.clone(),
            options: options.clone(),
        })
        .collect();
    on_threads(cast, nets, Upcoming::meet, program)
}

/// Runs all roles of a generated program in this process, over TCP on the loopback interface; returns how
/// they ended, in order.
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
    Ok(run(&cast, options, |role, net| {
        protocol.play(role, net, parameters)
    }))
}

/// Finds all peers and returns this role's net, for [`perform`](crate::perform). The addresses are those of
/// the roles, in order; this role listens at its own.
///
/// # Errors
///
/// When it cannot listen, when a peer is not found in time, or when one refuses.
pub fn connect(
    cast: &Cast,
    role: Role,
    addresses: &[String],
    options: &Options,
) -> Result<TcpNet, Error> {
    let own = addresses
        .get(role)
        .ok_or_else(|| no_such_role(cast, role))?;
    Station::bind(own)?.connect(cast, role, addresses, options)
}

/// The addresses of all roles, in order, from a list `name=host:port,…`.
///
/// ```
/// use plainsong_runtime::{Cast, tcp};
///
/// let cast = Cast::new("swap", 0x5eed, ["a", "b"]);
/// let addresses = tcp::addresses(&cast, "b=host:7001,a=127.0.0.1:7000").unwrap();
/// assert_eq!(addresses, ["127.0.0.1:7000", "host:7001"]);
/// ```
///
/// # Errors
///
/// When a role is missing, named twice, or unknown.
pub fn addresses(cast: &Cast, list: &str) -> Result<Vec<String>, Error> {
    let mut addresses = vec![None; cast.size()];
    for entry in list.split(',').filter(|entry| !entry.is_empty()) {
        let (name, address) = entry
            .split_once('=')
            .ok_or_else(|| Error::misuse(format!("`{entry}` is not of the form name=host:port")))?;
        let role = cast.role(name.trim()).ok_or_else(|| {
            let roles = cast.roles().join(", ");
            Error::misuse(format!("there is no role `{name}`; the roles are {roles}"))
        })?;
        if addresses[role].replace(address.trim().to_owned()).is_some() {
            return Err(Error::misuse(format!("`{name}` has two addresses")));
        }
    }
    let of_role = |(role, address): (Role, Option<String>)| {
        let name = cast.name(role);
        address.ok_or_else(|| Error::misuse(format!("the address of `{name}` is missing")))
    };
    addresses.into_iter().enumerate().map(of_role).collect()
}

/// A place where a role listens, before it knows its peers.
#[derive(Debug)]
pub struct Station {
    listener: TcpListener,
    address: SocketAddr,
}

impl Station {
    /// Listens at an address; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// When that is not possible: the port is taken, the address is not of this machine.
    pub fn bind(address: &str) -> Result<Station, Error> {
        let cannot = |error| Error::misuse(format!("cannot listen at {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        Ok(Station { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Finds all peers: see [`connect`].
    ///
    /// # Errors
    ///
    /// When a peer is not found in time, or when one refuses.
    pub fn connect(
        self,
        cast: &Cast,
        role: Role,
        addresses: &[String],
        options: &Options,
    ) -> Result<TcpNet, Error> {
        if role >= cast.size() {
            return Err(no_such_role(cast, role));
        }
        if addresses.len() != cast.size() {
            return Err(Error::misuse(format!(
                "{} has {} roles, but there are {} addresses",
                cast.protocol(),
                cast.size(),
                addresses.len()
            )));
        }
        let (streams, lobby) = meeting::meet(self.listener, cast, role, addresses, options)?;
        TcpNet::new(cast, role, streams, lobby, options)
    }
}

/// A role that is about to look for its peers.
struct Upcoming {
    role: Role,
    station: Station,
    cast: Cast,
    addresses: Vec<String>,
    options: Options,
}

impl Upcoming {
    fn meet(self) -> Result<TcpNet, Error> {
        self.station
            .connect(&self.cast, self.role, &self.addresses, &self.options)
    }
}

/// What one role has of the others over TCP.
#[derive(Debug)]
pub struct TcpNet {
    me: Role,
    cast: Cast,
    /// One for each role that this one is linked with.
    peers: Arc<[Option<Arc<Connection>>]>,
    keeper: Keeper,
    /// Refuses whoever still comes.
    _lobby: Lobby,
    oracle: Oracle,
    deadline: Option<Duration>,
    farewell: Option<Duration>,
    is_over: bool,
}

impl TcpNet {
    fn new(
        cast: &Cast,
        me: Role,
        streams: Vec<Option<TcpStream>>,
        lobby: Lobby,
        options: &Options,
    ) -> Result<TcpNet, Error> {
        let start = |(peer, stream): (Role, Option<TcpStream>)| match stream {
            None => Ok(None),
            Some(stream) => Connection::start(cast.name(peer), stream, options)
                .map(Some)
                .map_err(|error| {
                    let name = cast.name(peer);
                    Error::misuse(format!("cannot use the connection to {name}: {error}"))
                }),
        };
        let peers: Result<Vec<_>, Error> = streams.into_iter().enumerate().map(start).collect();
        let peers: Arc<[_]> = peers?.into();
        let keeper = Keeper::start(Arc::clone(&peers), options.silence)
            .map_err(|error| Error::misuse(format!("there is no thread: {error}")))?;
        Ok(TcpNet {
            me,
            cast: cast.clone(),
            peers,
            keeper,
            _lobby: lobby,
            oracle: Oracle::new(options.seed, me),
            deadline: options.deadline,
            farewell: options.farewell,
            is_over: false,
        })
    }

    fn peers(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.peers.iter().flatten()
    }

    /// The connection to a role; none to oneself.
    fn peer(&self, role: Role) -> Result<Option<Arc<Connection>>, Error> {
        match self.peers.get(role) {
            Some(None) if role != self.me => {
                Err(Error::misuse(not_linked(&self.cast, self.me, role)))
            }
            Some(peer) => Ok(peer.clone()),
            None => Err(no_such_role(&self.cast, role)),
        }
    }

    fn give_up(&mut self, why: &str) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.peers().for_each(|peer| peer.abort(why));
            self.keeper.stop();
        }
    }
}

impl Net for TcpNet {
    type Tx<T: Payload> = TcpTx<T>;
    type Rx<T: Payload> = TcpRx<T>;

    fn tx<T: Payload>(&mut self, to: Role, kind: u16) -> Result<TcpTx<T>, Error> {
        Ok(TcpTx::new(self.peer(to)?, kind, self.keeper.thread()))
    }

    fn rx<T: Payload>(&mut self, from: Role, kind: u16) -> Result<TcpRx<T>, Error> {
        let queue = match self.peer(from)? {
            None => None,
            Some(peer) => {
                let queue = peer
                    .queue(kind)
                    .ok_or_else(|| crate::threads::twice(&self.cast, from, self.me, kind))?;
                Some((peer, queue))
            }
        };
        Ok(TcpRx::new(queue, Arc::clone(&self.peers), self.deadline))
    }

    fn choose(&mut self, _site: Site, count: usize) -> Result<usize, Error> {
        let chosen = self.oracle.choose(count);
        chosen.ok_or_else(|| Error::assumption("there is something to choose from"))
    }

    fn finish(mut self) -> Result<(), Error> {
        let until = self.farewell.map(|farewell| Instant::now() + farewell);
        self.is_over = true;
        self.peers().for_each(|peer| peer.say_goodbye());
        let lost: Vec<Error> = self
            .peers()
            .filter_map(|peer| peer.confirmation(until).err())
            .collect();
        self.keeper.stop();
        self.peers().for_each(|peer| peer.close());
        lost.into_iter().next().map_or(Ok(()), Err)
    }

    fn abandon(mut self, why: &Error) {
        self.give_up(&why.to_string());
    }

    fn name(&self) -> String {
        self.cast.name(self.me)
    }
}

impl Drop for TcpNet {
    fn drop(&mut self) {
        self.give_up("it was given up before it came to its end");
    }
}

/// The error for a peer that is gone.
fn gone(peer: &str, doing: Doing, ending: Option<Ending>) -> Error {
    let why = ending.map_or_else(
        || "its connection is closed".to_owned(),
        |end| end.to_string(),
    );
    Error::from(Fault::PeerGone {
        peer: peer.to_owned(),
        doing,
        why,
    })
}
