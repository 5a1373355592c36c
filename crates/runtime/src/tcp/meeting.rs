//! How roles find each other: each listens in its [lobby](super::lobby), and connects to those before it with which
//! it exchanges messages.

use super::greeting::{self, Hello, Rejection};
use super::lobby::Lobby;
use super::tally::{self, Received};
use super::{Options, frame};
use crate::cast::{Cast, Role};
use crate::error::{Error, Fault};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

/// Meets all roles that this one is linked with; returns a connection to each of them, and the lobby, which goes on refusing.
pub(super) fn meet(
    listener: TcpListener,
    cast: &Cast,
    me: Role,
    addresses: &[String],
    options: &Options,
) -> Result<(Vec<Option<TcpStream>>, Lobby), Error> {
    let until = Instant::now() + options.patience;
    let lobby = Lobby::open(listener, cast, me, options)?;
    let mut earlier = (0..me).filter(|&peer| cast.are_linked(me, peer));
    let met = earlier.try_for_each(|peer| {
        let hello = Hello::new(cast, options, me, peer);
        let stream = reach(&addresses[peer], &cast.name(peer), &hello, options, until)?;
        lobby.enter(peer, stream);
        Ok(())
    });
    let met = met.and_then(|()| lobby.wait_for_all(until));
    let streams = lobby.close_book(met.is_ok());
    match met {
        Ok(()) => Ok((streams, lobby)),
        Err(error) => {
            let streams = streams.into_iter().flatten();
            streams.for_each(|stream| part(stream, &error));
            Err(error)
        }
    }
}

/// Connects to a role, trying again until the instant passes.
fn reach(
    address: &str,
    peer: &str,
    hello: &Hello,
    options: &Options,
    until: Instant,
) -> Result<TcpStream, Error> {
    let mut pause = Duration::from_millis(5);
    loop {
        let error = match attempt(address, hello, options, until) {
            Ok(stream) => return Ok(stream),
            Err(Rejection::Refused(why)) => {
                let peer = format!("{peer} at {address}");
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
                why: format!("no answer within {:?}: {error}", options.patience),
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

/// Leaves a peer that was met although the run does not begin: nothing was received, and why.
fn part(mut stream: TcpStream, why: &Error) {
    let mut payload = tally::write(&Received::new());
    payload.extend(crate::error::shortened(&why.to_string()).bytes());
    let length = u32::try_from(payload.len()).unwrap_or(0);
    let mut bytes = frame::header(frame::Kind::Abort, 0, 0, length).to_vec();
    bytes.extend(payload);
    let _ = stream.write_all(&bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
}
