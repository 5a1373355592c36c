//! Sorted runs: numbers in ascending order, each once, in a file, as differences of seven bits a byte.
//!
//! How many there are and a sum over all of them is kept in memory. A file that is shorter, or that was changed, is noticed by who
//! reads it to the end.

use crate::Scratch;
use crate::snapshot::damaged;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read, Write};
use std::vec::IntoIter;

/// Bytes are written and read in pieces of this size.
const PIECE: usize = 1 << 16;
/// The most bytes of one difference.
const WIDEST: usize = 10;
/// What the sum is made with: an odd number without pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A file with a sorted run.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Run {
    pub(super) file: u64,
    pub(super) count: u64,
    sum: u64,
}

/// Writes one.
pub(super) struct RunWriter {
    run: Run,
    out: Box<dyn Write>,
    piece: Vec<u8>,
    last: u64,
}

/// Reads one.
pub(in super::super) struct RunReader {
    run: Run,
    from: Box<dyn Read>,
    piece: Vec<u8>,
    at: usize,
    seen: u64,
    sum: u64,
    last: u64,
}

impl RunWriter {
    pub(super) fn new(scratch: &dyn Scratch) -> io::Result<RunWriter> {
        let (file, out) = scratch.create()?;
        let run = Run {
            file,
            count: 0,
            sum: 0,
        };
        Ok(RunWriter {
            run,
            out,
            piece: Vec::with_capacity(PIECE + WIDEST),
            last: 0,
        })
    }

    /// Adds a number, which is larger than those before.
    pub(super) fn push(&mut self, number: u64) -> io::Result<()> {
        let mut difference = number - self.last;
        while difference >= 1 << 7 {
            self.piece.push(difference as u8 | 1 << 7);
            difference >>= 7;
        }
        self.piece.push(difference as u8);
        self.last = number;
        self.run.count += 1;
        self.run.sum = mix(self.run.sum, number);
        if self.piece.len() >= PIECE {
            self.out.write_all(&self.piece)?;
            self.piece.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<Run> {
        self.out.write_all(&self.piece)?;
        self.out.flush()?;
        Ok(self.run)
    }
}

impl RunReader {
    pub(super) fn new(scratch: &dyn Scratch, run: Run) -> io::Result<RunReader> {
        Ok(RunReader {
            run,
            from: scratch.open(run.file)?,
            piece: Vec::new(),
            at: 0,
            seen: 0,
            sum: 0,
            last: 0,
        })
    }

    /// The next number; none at the end.
    pub(in super::super) fn next(&mut self) -> io::Result<Option<u64>> {
        if self.seen == self.run.count {
            return match self.sum == self.run.sum {
                true => Ok(None),
                false => Err(damaged()),
            };
        }
        let (mut difference, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            if shift >= u64::BITS {
                return Err(damaged());
            }
            difference |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte >> 7 == 0 {
                break;
            }
        }
        self.last = self.last.wrapping_add(difference);
        self.seen += 1;
        self.sum = mix(self.sum, self.last);
        Ok(Some(self.last))
    }

    #[inline]
    fn byte(&mut self) -> io::Result<u8> {
        if self.at == self.piece.len() {
            self.piece.resize(PIECE, 0);
            let count = self.from.read(&mut self.piece)?;
            self.piece.truncate(count);
            self.at = 0;
            if count == 0 {
                return Err(damaged());
            }
        }
        self.at += 1;
        Ok(self.piece[self.at - 1])
    }
}

fn mix(sum: u64, number: u64) -> u64 {
    (sum ^ number).wrapping_mul(FACTOR).rotate_left(29)
}

/// Where sorted numbers come from.
enum Source {
    File(RunReader),
    Memory(IntoIter<u64>),
}

impl Source {
    fn next(&mut self) -> io::Result<Option<u64>> {
        match self {
            Source::File(reader) => reader.next(),
            Source::Memory(numbers) => Ok(numbers.next()),
        }
    }
}

/// Several sorted runs as one, each number once.
pub(super) struct Merge {
    sources: Vec<Source>,
    /// The next number of each source that has one.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Merge {
    /// Of these files, and of these numbers, which are sorted.
    pub(super) fn new(scratch: &dyn Scratch, runs: &[Run], sorted: Vec<u64>) -> io::Result<Merge> {
        let mut sources = vec![Source::Memory(sorted.into_iter())];
        for run in runs {
            sources.push(Source::File(RunReader::new(scratch, *run)?));
        }
        let mut heads = BinaryHeap::new();
        for (at, source) in sources.iter_mut().enumerate() {
            if let Some(number) = source.next()? {
                heads.push(Reverse((number, at)));
            }
        }
        Ok(Merge { sources, heads })
    }

    /// The next number; none at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<u64>> {
        let Some(Reverse((number, _))) = self.heads.peek().copied() else {
            return Ok(None);
        };
        while let Some(mut head) = self.heads.peek_mut() {
            let Reverse((least, at)) = *head;
            if least != number {
                break;
            }
            match self.sources[at].next()? {
                Some(next) => *head = Reverse((next, at)),
                None => {
                    std::collections::binary_heap::PeekMut::pop(head);
                }
            }
        }
        Ok(Some(number))
    }
}
