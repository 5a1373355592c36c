//! How many messages of each link a role has received, as it tells a peer when it ends.
//!
//! On the wire: `links: u16`, then for each `link: u16 | received: u64`, numbers with the lowest byte first.

use std::collections::BTreeMap;

/// By link.
pub(super) type Received = BTreeMap<u16, u64>;

/// The longest tally, in bytes.
pub(super) const LONGEST: usize = 2 + ENTRY * u16::MAX as usize;

const ENTRY: usize = 10;

/// Writes a tally down. Links from which nothing was received are left out.
pub(super) fn write(received: &Received) -> Vec<u8> {
    let links = received.iter().filter(|(_, count)| **count > 0);
    let links: Vec<_> = links.take(usize::from(u16::MAX)).collect();
    let count = u16::try_from(links.len()).unwrap_or(u16::MAX);
    let mut bytes = count.to_le_bytes().to_vec();
    for (link, received) in links {
        bytes.extend(link.to_le_bytes());
        bytes.extend(received.to_le_bytes());
    }
    bytes
}

/// Reads a tally; returns what follows it as well.
pub(super) fn read(bytes: &[u8]) -> Option<(Received, &[u8])> {
    let (count, mut rest) = bytes.split_first_chunk::<2>()?;
    let mut received = Received::new();
    for _ in 0..u16::from_le_bytes(*count) {
        let (link, after) = rest.split_first_chunk::<2>()?;
        let (count, after) = after.split_first_chunk::<8>()?;
        received.insert(u16::from_le_bytes(*link), u64::from_le_bytes(*count));
        rest = after;
    }
    Some((received, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_comes_back_and_a_part_of_one_is_none() {
        let received = Received::from([(0, 3), (2, 0), (7, u64::MAX)]);
        let mut bytes = write(&received);
        let kept = Received::from([(0, 3), (7, u64::MAX)]);
        bytes.extend(b"why");
        assert_eq!(read(&bytes), Some((kept, &b"why"[..])));
        for length in 0..bytes.len() - 3 {
            assert_eq!(read(&bytes[..length]), None, "{length} bytes");
        }
    }
}
