//! What an endpoint program sees of the world: links to its peers, free choices, and nothing else.
//!
//! A program is generic in its [`Net`], so that the same code runs on every transport. It asks for
//! its links first, then sends and receives. A link goes from one role to one other, carries one type,
//! never overtakes itself and never fills up. With named, blocking receives this makes the roles a
//! Kahn network: what arrives, and every final state, does not depend on the order in which roles run.

use crate::cast::Role;
use crate::error::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::Range;

/// What travels: plain data that can be copied, shown, compared and written down.
///
/// `Clone` and `Debug` are for the explorer, serde's traits for TCP; threads move values. Implemented
/// for every such type.
pub trait Payload:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Payload for T where
    T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// The number of a statement of the choreography. Both ends of a transfer name the same one, and a
/// difference is an error: on threads in debug builds, on the other transports always.
pub type Site = u32;

/// The sending end of a link.
pub trait Tx<T> {
    /// Sends a value; does not wait for the receiver.
    ///
    /// # Errors
    ///
    /// When the peer is gone.
    fn send(&mut self, site: Site, value: T) -> Result<(), Error>;
}

/// The receiving end of a link.
pub trait Rx<T> {
    /// Waits for the next value of the link.
    ///
    /// # Errors
    ///
    /// When the peer is gone and nothing is left of what it sent; when a deadline passes; when what
    /// arrives does not belong here.
    fn recv(&mut self, site: Site) -> Result<T, Error>;
}

/// What one role has of the world. There is one value per role.
pub trait Net {
    /// The sending end of a link.
    type Tx<T: Payload>: Tx<T>;
    /// The receiving end of a link.
    type Rx<T: Payload>: Rx<T>;

    /// The sending end of a link to a role. Links of one ordered pair of roles are told apart by their
    /// kind: one number for each type. Asked for at most once, before the first message. A link to
    /// oneself can be asked for (the code of a family asks for links to all members) but not used.
    ///
    /// # Errors
    ///
    /// When there is no such role, or when the link was asked for before or with another type.
    fn tx<T: Payload>(&mut self, to: Role, kind: u16) -> Result<Self::Tx<T>, Error>;

    /// The receiving end of a link from a role: see [`Net::tx`].
    ///
    /// # Errors
    ///
    /// As with [`Net::tx`].
    fn rx<T: Payload>(&mut self, from: Role, kind: u16) -> Result<Self::Rx<T>, Error>;

    /// A free choice: one of `0..count`. The k-th choice of a role depends on nothing but the role, k,
    /// `count` and the seed of the run, so that all transports choose alike.
    ///
    /// # Errors
    ///
    /// When `count` is 0.
    fn choose(&mut self, site: Site, count: usize) -> Result<usize, Error>;

    /// The program has come to its end: peers know that nothing else comes, and this role waits until each
    /// of them has received all that was sent to it. [`perform`](crate::perform) calls it, after the ends
    /// of links that the program had are dropped.
    ///
    /// # Errors
    ///
    /// When a peer ends without having received everything, or is lost before that is known.
    fn finish(self) -> Result<(), Error>
    where
        Self: Sized;

    /// The program failed: peers that still wait for it get an error that says why.
    /// [`perform`](crate::perform) calls it.
    fn abandon(self, why: &Error)
    where
        Self: Sized;

    /// The name of this role, for messages to people.
    fn name(&self) -> String;

    /// The sending ends of links to several roles, in order.
    ///
    /// # Errors
    ///
    /// As with [`Net::tx`].
    fn txs<T: Payload>(&mut self, to: Range<Role>, kind: u16) -> Result<Vec<Self::Tx<T>>, Error> {
        to.map(|to| self.tx(to, kind)).collect()
    }

    /// The receiving ends of links from several roles, in order.
    ///
    /// # Errors
    ///
    /// As with [`Net::tx`].
    fn rxs<T: Payload>(&mut self, from: Range<Role>, kind: u16) -> Result<Vec<Self::Rx<T>>, Error> {
        from.map(|from| self.rx(from, kind)).collect()
    }
}
