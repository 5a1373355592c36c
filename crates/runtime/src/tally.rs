//! Who received what was sent: the books of links, which are compared when a role ends.
//!
//! Statement. A role ends well only if its peers have received every message that it sent, or still receive
//! them. Whether it does is no matter of luck: [`Net::finish`](crate::Net::finish) waits for each peer
//! that was sent something until that peer has received all of it, or has come to its own end with less.
//!
//! Why nobody waits for ever. A role that ends says so first: peers that wait for a message of it get an
//! error then. So a role that is waited for at the end waits, if at all, for a role whose program still
//! runs; and a program that runs ends, or goes on for ever by itself.
//!
//! Why it is needed. Roles whose guards are proved to agree receive all that is sent. Those of a program that is run
//! without proof may not, and a message that nobody takes is all that is seen of their disagreement.

use crate::error::{Error, Fault};
use crate::net::Site;

/// What one end of a role knows of what it sent over a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// How many messages.
    pub(crate) count: u64,
    /// Which statement sent the last one.
    pub(crate) last: Site,
}

impl Sent {
    #[inline]
    pub(crate) fn add(&mut self, site: Site) {
        self.count += 1;
        self.last = site;
    }
}

/// Compares what was sent over the links to a peer that has ended with what the peer received of each; the
/// error names the peer and how it ended.
pub(crate) fn compare(
    links: impl IntoIterator<Item = (Sent, u64)>,
    peer: &str,
    why: &str,
) -> Result<(), Error> {
    let left = links
        .into_iter()
        .map(|(sent, received)| (sent.count.saturating_sub(received), sent.last))
        .filter(|(count, _)| *count > 0);
    // Links keep the order: of one with messages left, the last one is left.
    let left = left.reduce(|(count, last), (more, _)| (count + more, last));
    match left {
        None => Ok(()),
        Some((count, last)) => Err(Error::from(Fault::Unreceived {
            peer: peer.to_owned(),
            count,
            last,
            why: why.to_owned(),
        })),
    }
}
