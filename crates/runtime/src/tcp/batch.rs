//! Messages of one link that arrived together: handed from the reader to the role at once, so that a
//! stream of small messages costs one queue operation for many of them.

use super::frame::SMALL;
use crate::net::Site;

/// Messages of one link, in order.
#[derive(Debug, Default)]
pub(super) struct Batch {
    link: u16,
    /// Sites and lengths.
    frames: Vec<(Site, usize)>,
    /// How many of them were taken.
    taken: usize,
    bytes: Vec<u8>,
    /// Where the next payload begins.
    start: usize,
}

impl Batch {
    /// No message yet of this link.
    pub(super) fn of(link: u16) -> Batch {
        Batch {
            link,
            ..Batch::default()
        }
    }

    /// Of which link they are.
    pub(super) fn link(&self) -> u16 {
        self.link
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is there one more, and no other?
    pub(super) fn is_last(&self) -> bool {
        self.len() == 1
    }

    /// How many messages are left.
    pub(super) fn len(&self) -> usize {
        self.frames.len() - self.taken
    }

    /// How many bytes of memory it takes: messages without content do as well. The same as long as nothing is added.
    pub(super) fn cost(&self) -> usize {
        let frames = self.frames.capacity() * size_of::<(Site, usize)>();
        size_of::<Batch>() + frames + self.bytes.capacity()
    }

    /// Adds a message.
    pub(super) fn add(&mut self, site: Site, payload: &[u8]) {
        self.frames.push((site, payload.len()));
        self.bytes.extend_from_slice(payload);
    }

    /// Adds a message; returns a vector to be used again. A large payload that is the first is not copied.
    pub(super) fn push(&mut self, site: Site, payload: Vec<u8>) -> Vec<u8> {
        if self.bytes.is_empty() && payload.len() > SMALL {
            self.frames.push((site, payload.len()));
            self.bytes = payload;
            return Vec::new();
        }
        self.add(site, &payload);
        payload
    }

    /// Takes the first message; there is one.
    pub(super) fn pop(&mut self) -> (Site, &[u8]) {
        let (site, length) = self.frames[self.taken];
        self.taken += 1;
        let start = self.start;
        self.start += length;
        (site, &self.bytes[start..self.start])
    }
}
