//! What projected programs link: typed links between roles, and the transports that carry them.
//!
//! `plainsong project` turns a choreography into one program per endpoint. Such a program is generic
//! in its [`Net`]: it asks for links, sends and receives, and knows nothing of what carries its
//! messages.
//!
//! A program can also be written by hand:
//!
//! ```
//! use plainsong_runtime::{Cast, Error, Net, Rx, Tx, threads};
//!
//! /// Sends a number to the peer, and returns the number that the peer sends.
//! fn swap<N: Net>(net: &mut N, peer: usize, mine: i64) -> Result<i64, Error> {
//!     let mut to_peer = net.tx(peer, 0)?;
//!     let mut from_peer = net.rx(peer, 0)?;
//!     to_peer.send(1, mine)?;
//!     from_peer.recv(1)
//! }
//!
//! let cast = Cast::new("swap", 0x5eed, ["a", "b"]);
//! let ends = threads::run(&cast, &threads::Options::default(), |role, net| {
//!     swap(net, 1 - role, [10, 20][role])
//! });
//! assert_eq!(ends, [Ok(20), Ok(10)]);
//! ```
//!
//! The transport under exploration is a crate of its own, `plainsong-runtime-explore`: programs that
//! run in production do not link the explorer, whatever features other members of their workspace ask
//! for.

mod cast;
mod command;
mod error;
mod failure;
mod net;
mod oracle;
mod perform;
mod protocol;
pub mod sim;
mod tally;
pub mod tcp;
pub mod threads;
pub mod value;

pub use cast::{Cast, Link, Role, digest};
pub use command::command;
pub use error::{Doing, Error, Fault};
pub use failure::Failure;
pub use net::{Net, Payload, Rx, Site, Tx};
pub use oracle::Oracle;
pub use perform::perform;
pub use protocol::Protocol;
