//! Frames: how messages lie in the stream of bytes.
//!
//! A frame is `length: u32 | kind: u8 | link: u16 | site: u32 | payload`, numbers with the lowest byte
//! first; the length is that of the payload. A frame that is longer than allowed, or of a kind that does
//! not exist, ends the connection: nothing after it could be trusted.

use super::clock::Paced;
use super::tally::{self, Received};
use std::io::{self, Read};

/// How many bytes come before the payload.
pub(super) const HEADER: usize = 11;

/// A payload of which not more than this many bytes are announced.
pub(super) const SMALL: usize = 4096;

/// The longest reason of a failure that is read.
const LONGEST_REASON: usize = 4096;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A message.
    Data = 1,
    /// A sign of life.
    Beat = 2,
    /// The sender came to its end; nothing else follows but signs of life and a confirmation. The payload
    /// says what it has received.
    Goodbye = 3,
    /// The goodbye was read, and everything before it was received by the program.
    Confirmed = 4,
    /// The sender failed; the payload says what it has received, and why it failed.
    Abort = 5,
}

/// A frame that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Data {
        link: u16,
        site: u32,
        payload: Vec<u8>,
    },
    Beat,
    Goodbye(Received),
    Confirmed,
    Abort(Received, String),
}

/// Why no frame was read.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The stream ended between two frames.
    Closed,
    /// The stream ended or broke.
    Broken(io::Error),
    /// What came is no frame.
    Nonsense(String),
}

/// The header of a frame.
pub(super) fn header(kind: Kind, link: u16, site: u32, length: u32) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4] = kind as u8;
    bytes[5..7].copy_from_slice(&link.to_le_bytes());
    bytes[7..].copy_from_slice(&site.to_le_bytes());
    bytes
}

/// Reads the next frame; messages have at most this many bytes. The payload is put where an earlier one
/// was, to save memory from being taken and given back for each.
pub(super) fn read(
    stream: &mut impl Paced,
    largest: usize,
    payload: Vec<u8>,
) -> Result<Frame, Trouble> {
    let bytes = read_header(stream)?;
    let [l0, l1, l2, l3, kind, k0, k1, s0, s1, s2, s3] = bytes;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let limit = match kind {
        _ if kind == Kind::Data as u8 => largest,
        _ if kind == Kind::Goodbye as u8 => tally::LONGEST,
        _ if kind == Kind::Abort as u8 => tally::LONGEST + LONGEST_REASON,
        2 | 4 => 0,
        _ => return Err(Trouble::Nonsense(format!("a frame of unknown kind {kind}"))),
    };
    if length > limit {
        let said = format!("a frame of {length} bytes, where {limit} are allowed");
        return Err(Trouble::Nonsense(said));
    }
    stream.expect(length);
    let payload = read_payload(stream, length, payload)?;
    Ok(match kind {
        2 => Frame::Beat,
        3 | 5 => return read_end(kind, &payload),
        4 => Frame::Confirmed,
        _ => Frame::Data {
            link: u16::from_le_bytes([k0, k1]),
            site: u32::from_le_bytes([s0, s1, s2, s3]),
            payload,
        },
    })
}

/// Reads how a peer ended.
fn read_end(kind: u8, payload: &[u8]) -> Result<Frame, Trouble> {
    match (kind, tally::read(payload)) {
        (3, Some((received, []))) => Ok(Frame::Goodbye(received)),
        (5, Some((received, why))) => {
            let why = String::from_utf8_lossy(why).into_owned();
            Ok(Frame::Abort(received, why))
        }
        _ => Err(Trouble::Nonsense("an end without its tally".to_owned())),
    }
}

/// Reads a header; the end of the stream before its first byte is a proper end.
fn read_header(stream: &mut impl Read) -> Result<[u8; HEADER], Trouble> {
    let mut bytes = [0; HEADER];
    let first = loop {
        match stream.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other.map_err(Trouble::Broken)?,
        }
    };
    if first == 0 {
        return Err(Trouble::Closed);
    }
    stream
        .read_exact(&mut bytes[first..])
        .map_err(Trouble::Broken)?;
    Ok(bytes)
}

/// Reads a payload. Memory is taken as bytes come, not as they are announced.
fn read_payload(
    stream: &mut impl Read,
    length: usize,
    mut payload: Vec<u8>,
) -> Result<Vec<u8>, Trouble> {
    payload.clear();
    if length <= SMALL {
        payload.resize(length, 0);
        stream.read_exact(&mut payload).map_err(Trouble::Broken)?;
        return Ok(payload);
    }
    let read = stream.take(length as u64).read_to_end(&mut payload);
    match read.map_err(Trouble::Broken)? == length {
        true => Ok(payload),
        false => Err(Trouble::Broken(io::ErrorKind::UnexpectedEof.into())),
    }
}

/// A message that lies somewhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub(super) link: u16,
    pub(super) site: u32,
    pub(super) payload: &'a [u8],
}

/// The whole message at the beginning of these bytes, if there is one and it is no longer than allowed.
pub(super) fn message(bytes: &[u8], largest: usize) -> Option<Message<'_>> {
    let (&[l0, l1, l2, l3, kind, k0, k1, s0, s1, s2, s3], rest) =
        bytes.split_first_chunk::<HEADER>()?;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if kind != Kind::Data as u8 || length > largest {
        return None;
    }
    Some(Message {
        link: u16::from_le_bytes([k0, k1]),
        site: u32::from_le_bytes([s0, s1, s2, s3]),
        payload: rest.get(..length)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back() {
        let mut bytes = header(Kind::Data, 3, 70_000, 2).to_vec();
        bytes.extend([8, 9]);
        bytes.extend(header(Kind::Goodbye, 0, 0, 2));
        bytes.extend([0, 0]);
        let mut stream = &bytes[..];
        let data = Frame::Data {
            link: 3,
            site: 70_000,
            payload: vec![8, 9],
        };
        assert_eq!(read(&mut stream, 2, Vec::new()).unwrap(), data);
        let goodbye = Frame::Goodbye(Received::new());
        assert_eq!(read(&mut stream, 2, Vec::new()).unwrap(), goodbye);
        assert!(matches!(
            read(&mut stream, 2, Vec::new()),
            Err(Trouble::Closed)
        ));
    }

    #[test]
    fn nonsense_is_refused_before_its_payload_is_read() {
        let too_long = header(Kind::Data, 0, 0, u32::MAX);
        let unknown = header(Kind::Data, 0, 0, 0).map(|byte| byte | 0x40);
        let beat_with_payload = header(Kind::Beat, 0, 0, 1);
        let no_tally = header(Kind::Goodbye, 0, 0, 0);
        for bytes in [too_long, unknown, beat_with_payload, no_tally] {
            let read = read(&mut &bytes[..], 1 << 20, Vec::new());
            assert!(matches!(read, Err(Trouble::Nonsense(_))), "{read:?}");
        }
    }

    #[test]
    fn what_is_taken_where_it_lies_is_what_would_be_read() {
        let mut bytes = header(Kind::Data, 300, 70_000, 2).to_vec();
        bytes.extend([8, 9, 1]);
        let found = message(&bytes, 2).expect("a whole message");
        let wanted = Message {
            link: 300,
            site: 70_000,
            payload: &[8, 9],
        };
        assert_eq!(found, wanted);
        assert_eq!(message(&bytes, 1), None, "it is longer than allowed");
        let other = header(Kind::Beat, 0, 0, 0);
        assert_eq!(message(&other, 2), None);
    }

    #[test]
    fn half_a_frame_is_no_frame() {
        let mut bytes = header(Kind::Data, 0, 0, 4).to_vec();
        bytes.extend([1, 2]);
        for length in 1..bytes.len() {
            let read = read(&mut &bytes[..length], 10, Vec::new());
            assert!(matches!(read, Err(Trouble::Broken(_))), "{read:?}");
            assert_eq!(message(&bytes[..length], 10), None);
        }
    }
}
