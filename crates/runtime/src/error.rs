//! What can go wrong between roles, in sentences that say who, where and why.
//!
//! Failures are reported, not masked: a program that gets an error returns it, [`perform`](crate::perform)
//! tells the peers, and so every role that depends on the lost one ends with an error of its own.

use crate::net::Site;
use crate::value::Undefined;
use std::fmt;
use std::time::Duration;

/// Why a role could not go on. As small as a pointer, so that the good case costs nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Fault>);

/// The kinds of failures.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A peer is gone although something was still to be exchanged with it.
    PeerGone {
        /// Who.
        peer: String,
        /// What was to be done with it, if that is known.
        doing: Doing,
        /// What is known about its end.
        why: String,
    },
    /// Nothing came within the deadline of receives.
    Deadline {
        /// From whom.
        peer: String,
        /// At which statement.
        site: Site,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The two ends of a link are at different statements: one of the programs is wrong.
    WrongSite {
        /// The sender.
        peer: String,
        /// Where the receiver is.
        expected: Site,
        /// Where the sender was.
        found: Site,
    },
    /// What came cannot be read, or what is to be sent cannot be written.
    Garbled {
        /// The other end.
        peer: String,
        /// At which statement.
        site: Site,
        /// What is wrong with it.
        why: String,
    },
    /// A message is larger than the limit.
    TooLarge {
        /// To whom it was to be sent.
        peer: String,
        /// At which statement.
        site: Site,
        /// Its size in bytes.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// A peer does not want to talk with this role: another protocol, another size, a role that is taken.
    Refused {
        /// Who refused.
        peer: String,
        /// Why.
        why: String,
    },
    /// The roles did not find each other in time.
    Unreachable {
        /// Who is missing.
        peer: String,
        /// What was tried, and what came instead.
        why: String,
    },
    /// A peer came to its end without receiving all that this role sent to it.
    Unreceived {
        /// Who.
        peer: String,
        /// How many messages are left.
        count: u64,
        /// Which statement sent the last of them.
        last: Site,
        /// What is known about the peer's end.
        why: String,
    },
    /// The code of a role panicked.
    Panicked {
        /// Which role.
        role: String,
        /// With which message.
        why: String,
    },
    /// In the simulator: the role was made to crash.
    Crashed,
    /// In the simulator: everybody waits, and nothing is in flight.
    Deadlock {
        /// The peer that this role waits for.
        peer: String,
        /// At which statement.
        site: Site,
    },
    /// The code of a role did something that has no meaning, or a local claim of it does not hold.
    Undefined {
        /// What.
        why: String,
    },
    /// What the code of a role takes for granted is not so.
    Assumption {
        /// What.
        what: String,
    },
    /// The transport is used in a way that cannot work.
    Misuse {
        /// What is wrong, and what to do.
        why: String,
    },
}

/// What a role was about to do with a peer that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// To ask for a link.
    Linking,
    /// To send, at this statement.
    Sending(Site),
    /// To receive, at this statement.
    Receiving(Site),
    /// To end.
    Finishing,
}

impl Error {
    /// What a role takes for granted is not so: an `assume` that does not hold, a choice from nothing.
    pub fn assumption(what: &str) -> Error {
        Error::from(Fault::Assumption {
            what: what.to_owned(),
        })
    }

    /// The transport is used in a way that cannot work.
    pub fn misuse(why: impl Into<String>) -> Error {
        Error::from(Fault::Misuse { why: why.into() })
    }

    /// What happened.
    pub fn fault(&self) -> &Fault {
        &self.0
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error(Box::new(fault))
    }
}

impl From<Undefined> for Error {
    fn from(undefined: Undefined) -> Error {
        Error::from(Fault::Undefined {
            why: undefined.message,
        })
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Fault::PeerGone { peer, doing, why } => {
                write!(f, "{peer} is gone {doing}: {why}")
            }
            Fault::Deadline { peer, site, waited } => {
                write!(
                    f,
                    "nothing came from {peer} for statement {site} within {waited:?}"
                )
            }
            Fault::WrongSite {
                peer,
                expected,
                found,
            } => write!(
                f,
                "statement {expected} waits for {peer}, but what came was sent by statement {found}: \
                 the two programs do not belong together"
            ),
            Fault::Garbled { peer, site, why } => {
                write!(
                    f,
                    "the message between this role and {peer} at statement {site} cannot be read or written: {why}"
                )
            }
            Fault::TooLarge {
                peer,
                site,
                size,
                limit,
            } => write!(
                f,
                "the message to {peer} at statement {site} has {size} bytes, and at most {limit} are allowed"
            ),
            Fault::Refused { peer, why } => write!(f, "{peer} refused the connection: {why}"),
            Fault::Unreachable { peer, why } => write!(f, "{peer} was not reached: {why}"),
            Fault::Unreceived {
                peer,
                count: 1,
                last,
                why,
            } => write!(
                f,
                "{peer} never received what statement {last} sent to it: {why}"
            ),
            Fault::Unreceived {
                peer,
                count,
                last,
                why,
            } => write!(
                f,
                "{peer} never received {count} messages that were sent to it, the last one by statement {last}: {why}"
            ),
            Fault::Panicked { role, why } => write!(f, "the code of {role} panicked: {why}"),
            Fault::Crashed => f.write_str("it crashed, as the simulation wanted"),
            Fault::Deadlock { peer, site } => write!(
                f,
                "everybody waits and nothing is in flight; this role waits for {peer} at statement {site}"
            ),
            Fault::Undefined { why } => f.write_str(why),
            Fault::Assumption { what } => {
                write!(f, "this was taken for granted and is not so: {what}")
            }
            Fault::Misuse { why } => f.write_str(why),
        }
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doing::Linking => f.write_str("before the link was there"),
            Doing::Sending(site) => write!(f, "before it got what statement {site} sends"),
            Doing::Receiving(site) => write!(f, "before it sent what statement {site} receives"),
            Doing::Finishing => f.write_str("before it confirmed that it got everything"),
        }
    }
}

/// A reason that travels from role to role, kept to a length that a person reads.
pub(crate) fn shortened(reason: &str) -> String {
    const LONGEST: usize = 600;
    if reason.len() <= LONGEST {
        return reason.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|&at| reason.is_char_boundary(at));
    format!("{} …", &reason[..end.unwrap_or(0)])
}
