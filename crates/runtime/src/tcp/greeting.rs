//! The greeting: what is said before the first frame, and who is let in.
//!
//! Whoever connects says 50 bytes: `magic | version | hash | cast | given | session | own role | your role`. The
//! answer is 25 bytes, `magic | version | verdict | hash | role | 0`. To somebody who is refused everything after the verdict
//! is zero, whatever the reason: hash, roles and parameters are for those who know them. Somebody who does not even
//! begin like a role gets no answer. Both sizes are fixed; a stranger cannot make anybody read more.

use super::Options;
use super::given::told;
use crate::cast::{Cast, Role};
use crate::error::shortened;
use crate::threads::not_linked;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const MAGIC: [u8; 8] = *b"plnsong\n";
const VERSION: u16 = 2;
const HELLO: usize = 50;
const ANSWER: usize = 25;

/// What is said to somebody who was refused and does not learn why.
const REFUSED: &str = "it does not say why, but its own output does. Are the program, its sizes and parameters, seed and \
     session the same on both sides, and is each role played once?";

/// What a role that connects says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) hash: u64,
    pub(super) cast: u64,
    pub(super) given: u64,
    pub(super) session: u64,
    pub(super) from: Role,
    pub(super) to: Role,
}

impl Hello {
    pub(super) fn new(cast: &Cast, options: &Options, from: Role, to: Role) -> Hello {
        Hello {
            hash: cast.hash(),
            cast: digest(cast),
            given: given(cast, options),
            session: options.session,
            from,
            to,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.hash.to_le_bytes());
        bytes.extend(self.cast.to_le_bytes());
        bytes.extend(self.given.to_le_bytes());
        bytes.extend(self.session.to_le_bytes());
        bytes.extend(number(self.from).to_le_bytes());
        bytes.extend(number(self.to).to_le_bytes());
        bytes
    }

    /// What the bytes say; if they are no greeting, what is wrong.
    fn parse(bytes: &[u8; HELLO]) -> Result<Hello, String> {
        if bytes[..8] != MAGIC {
            return Err("it did not greet as a Plainsong role does".to_owned());
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(format!(
                "it speaks version {version} of the transport, and this role version {VERSION}"
            ));
        }
        Ok(Hello {
            hash: u64_at(bytes, 10),
            cast: u64_at(bytes, 18),
            given: u64_at(bytes, 26),
            session: u64_at(bytes, 34),
            from: u32_at(bytes, 42) as Role,
            to: u32_at(bytes, 46) as Role,
        })
    }

    /// Who it is, if it is let in here.
    pub(super) fn judge(self, cast: &Cast, options: &Options, me: Role) -> Result<Role, String> {
        match self.objection(cast, options, me) {
            Some(objection) => Err(objection),
            None => Ok(self.from),
        }
    }

    /// Why such a role is not let in here, except that its place may be taken.
    fn objection(&self, cast: &Cast, options: &Options, me: Role) -> Option<String> {
        if self.hash != cast.hash() {
            return Some(format!(
                "another protocol: its hash is {:016x}, that of {} here is {:016x}",
                self.hash,
                cast.protocol(),
                cast.hash()
            ));
        }
        if self.cast != digest(cast) {
            let said = format!(
                "other sizes: here the roles are {}",
                cast.roles().join(", ")
            );
            return Some(shortened(&said));
        }
        if self.given != given(cast, options) {
            let what = told(cast.what_was_given(), options.seed);
            return Some(shortened(&format!("other parameters than here: {what}")));
        }
        if self.session != options.session {
            return Some(format!(
                "another session: its is {}, this is {}",
                self.session, options.session
            ));
        }
        if self.to != me {
            return Some(format!(
                "it looks for {}, and this is {}",
                cast.name(self.to),
                cast.name(me)
            ));
        }
        if self.from >= cast.size() || self.from <= me {
            return Some(format!(
                "{} does not connect to {}; roles connect to those before them",
                cast.name(self.from),
                cast.name(me)
            ));
        }
        if !cast.are_linked(self.from, me) {
            return Some(not_linked(cast, self.from, me));
        }
        None
    }
}

/// What has come of a greeting.
#[derive(Debug)]
pub(super) struct Heard {
    bytes: [u8; HELLO],
    filled: usize,
}

impl Default for Heard {
    fn default() -> Heard {
        Heard {
            bytes: [0; HELLO],
            filled: 0,
        }
    }
}

impl Heard {
    /// Where the rest of it goes.
    pub(super) fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[self.filled..]
    }

    /// So many bytes have come.
    pub(super) fn add(&mut self, count: usize) {
        self.filled += count;
    }

    /// Does it begin like one?
    pub(super) fn may_be_greeting(&self) -> bool {
        let known = self.filled.min(MAGIC.len());
        self.bytes[..known] == MAGIC[..known]
    }

    /// What it says, when it is complete.
    pub(super) fn hello(&self) -> Option<Result<Hello, String>> {
        (self.filled == HELLO).then(|| Hello::parse(&self.bytes))
    }
}

/// Lets the role in.
pub(super) fn welcome(stream: &mut TcpStream, cast: &Cast, me: Role) -> io::Result<()> {
    stream.write_all(&answer(Some((cast.hash(), me))))
}

/// Tells the other side that it is not let in. It does not matter whether it listens.
pub(super) fn refuse(stream: &mut TcpStream) {
    let _ = stream.write_all(&answer(None));
}

/// Why a greeting did not lead to a connection.
#[derive(Debug)]
pub(super) enum Rejection {
    /// The other side said no.
    Refused(String),
    /// The other side is no role of this run.
    Stranger(String),
    /// The connection broke: it may be tried again.
    Broken(io::Error),
}

/// Greets the role on the other side of a new connection.
pub(super) fn greet(
    stream: &mut TcpStream,
    hello: &Hello,
    until: Instant,
) -> Result<(), Rejection> {
    let exchanged = stream.write_all(&hello.bytes()).and_then(|()| {
        let mut bytes = [0; ANSWER];
        read_until(stream, &mut bytes, until).map(|()| bytes)
    });
    let bytes = exchanged.map_err(Rejection::Broken)?;
    if bytes[..8] != MAGIC {
        let said = "what answers there is no Plainsong role".to_owned();
        return Err(Rejection::Stranger(said));
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if version != VERSION {
        let said = format!(
            "it speaks version {version} of the transport, and this role version {VERSION}"
        );
        return Err(Rejection::Refused(said));
    }
    if bytes[10] != 1 {
        return Err(Rejection::Refused(REFUSED.to_owned()));
    }
    let (hash, role) = (u64_at(&bytes, 11), u32_at(&bytes, 19) as Role);
    if (hash, role) != (hello.hash, hello.to) {
        let said = "what answers there is a role of another protocol, or another role".to_owned();
        return Err(Rejection::Stranger(said));
    }
    Ok(())
}

/// The answer to a greeting: with hash and role for those who are let in, without anything for others.
fn answer(welcome: Option<(u64, Role)>) -> [u8; ANSWER] {
    let mut bytes = [0; ANSWER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    if let Some((hash, role)) = welcome {
        bytes[10] = 1;
        bytes[11..19].copy_from_slice(&hash.to_le_bytes());
        bytes[19..23].copy_from_slice(&number(role).to_le_bytes());
    }
    bytes
}

/// Fills the buffer before the instant passes, however slowly the bytes come.
fn read_until(stream: &mut TcpStream, buffer: &mut [u8], until: Instant) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A digest of the list of roles: runs of different sizes do not talk either.
fn digest(cast: &Cast) -> u64 {
    crate::cast::digest(cast.roles().iter().map(String::as_str))
}

/// A digest of what a run is given; choices that are drawn from different seeds do not belong together either.
fn given(cast: &Cast, options: &Options) -> u64 {
    crate::cast::digest([cast.what_was_given(), &options.seed.to_string()])
}

/// The number of a role on the wire; one that does not fit is nobody's.
fn number(role: Role) -> u32 {
    u32::try_from(role).unwrap_or(u32::MAX)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast() -> Cast {
        Cast::new("commit", 0x1234, ["a", "b", "c"])
    }

    #[test]
    fn a_greeting_comes_back() {
        let hello = Hello::new(&cast(), &Options::default(), 2, 1);
        let bytes: [u8; HELLO] = hello.bytes().try_into().unwrap();
        assert_eq!(Hello::parse(&bytes), Ok(hello));
    }

    #[test]
    fn a_refusal_says_nothing_else() {
        let refused = answer(None);
        assert_eq!(refused[..11], *b"plnsong\n\x02\0\0");
        assert!(refused[11..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn only_what_fits_is_let_in() {
        let options = Options::default();
        let here = cast();
        let judge = |hello: &Hello| hello.objection(&here, &options, 1).unwrap_or_default();
        let good = Hello::new(&here, &options, 2, 1);
        assert_eq!(judge(&good), "");
        let larger = Cast::new("commit", 0x1234, ["a", "b", "c", "d"]);
        let bad = [
            (
                Hello {
                    hash: 5,
                    ..good.clone()
                },
                "another protocol",
            ),
            (Hello::new(&larger, &options, 2, 1), "other sizes"),
            (
                Hello::new(&here.clone().given("x = 1"), &options, 2, 1),
                "other parameters",
            ),
            (
                Hello {
                    session: 9,
                    ..good.clone()
                },
                "another session",
            ),
            (
                Hello {
                    to: 0,
                    ..good.clone()
                },
                "it looks for a, and this is b",
            ),
            (
                Hello {
                    from: 0,
                    ..good.clone()
                },
                "a does not connect to b",
            ),
            (
                Hello {
                    from: 1,
                    ..good.clone()
                },
                "b does not connect to b",
            ),
            (
                Hello {
                    from: 99,
                    ..good.clone()
                },
                "role number 99 does not connect",
            ),
        ];
        for (hello, said) in bad {
            assert!(judge(&hello).contains(said), "{said}: {}", judge(&hello));
        }
    }
}
