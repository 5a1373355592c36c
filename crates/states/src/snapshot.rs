//! What a search has, as bytes: numbers one after the other, and a sum over all of them at the end.
//!
//! Who reads gets the same numbers in the same order, or an error: bytes that are missing, or changed by accident, are noticed at
//! the latest by the sum.

use std::io::{self, ErrorKind, Read, Write};

/// Bytes are written and read in pieces of this size.
const PIECE: usize = 1 << 16;
/// What the sum is made with: an odd number without pattern.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Writes numbers.
pub(crate) struct Pen<'w> {
    out: &'w mut dyn Write,
    piece: Vec<u8>,
    sum: u64,
}

/// Reads them again.
pub(crate) struct Reader<'r> {
    from: &'r mut dyn Read,
    piece: Vec<u8>,
    at: usize,
    sum: u64,
}

fn mix(sum: u64, number: u64) -> u64 {
    let mixed = (sum ^ number).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 29)
}

impl<'w> Pen<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Pen {
            out,
            piece: Vec::with_capacity(PIECE),
            sum: 0,
        }
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.piece.len() + bytes.len() > PIECE {
            self.out.write_all(&self.piece)?;
            self.piece.clear();
        }
        self.piece.extend_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn word(&mut self, number: u64) -> io::Result<()> {
        self.sum = mix(self.sum, number);
        self.bytes(&number.to_le_bytes())
    }

    /// How many there are, and each of them.
    pub(crate) fn words(
        &mut self,
        count: usize,
        numbers: impl IntoIterator<Item = u64>,
    ) -> io::Result<()> {
        self.word(count as u64)?;
        numbers.into_iter().try_for_each(|number| self.word(number))
    }

    /// The same with small ones.
    pub(crate) fn halves(&mut self, numbers: &[u32]) -> io::Result<()> {
        self.word(numbers.len() as u64)?;
        for number in numbers {
            self.sum = mix(self.sum, u64::from(*number));
            self.bytes(&number.to_le_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.words(text.len(), text.bytes().map(u64::from))
    }

    /// The sum, at the end.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let sum = self.sum;
        self.bytes(&sum.to_le_bytes())?;
        self.out.write_all(&self.piece)?;
        self.out.flush()
    }
}

/// The bytes are not what was written.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "it is damaged")
}

impl<'r> Reader<'r> {
    pub(crate) fn new(from: &'r mut dyn Read) -> Self {
        Reader {
            from,
            piece: Vec::new(),
            at: 0,
            sum: 0,
        }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        while self.piece.len() - self.at < N {
            self.piece.drain(..self.at);
            self.at = 0;
            let known = self.piece.len();
            self.piece.resize(known + PIECE, 0);
            let more = self.from.read(&mut self.piece[known..])?;
            self.piece.truncate(known + more);
            if more == 0 {
                return Err(damaged());
            }
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.piece[self.at..self.at + N]);
        self.at += N;
        Ok(bytes)
    }

    /// One number.
    pub(crate) fn word(&mut self) -> io::Result<u64> {
        let number = u64::from_le_bytes(self.bytes()?);
        self.sum = mix(self.sum, number);
        Ok(number)
    }

    /// Each of several.
    pub(crate) fn words(&mut self, mut each: impl FnMut(u64)) -> io::Result<()> {
        for _ in 0..self.word()? {
            each(self.word()?);
        }
        Ok(())
    }

    /// All of several. Room is made as they come: how many there are may be wrong.
    pub(crate) fn all_words(&mut self) -> io::Result<Vec<u64>> {
        let mut all = Vec::new();
        self.words(|word| all.push(word))?;
        Ok(all)
    }

    /// Small ones.
    pub(crate) fn halves(&mut self) -> io::Result<Vec<u32>> {
        let mut all = Vec::new();
        for _ in 0..self.word()? {
            let number = u32::from_le_bytes(self.bytes()?);
            self.sum = mix(self.sum, u64::from(number));
            all.push(number);
        }
        Ok(all)
    }

    pub(crate) fn text(&mut self) -> io::Result<String> {
        let bytes = self.all_words()?.into_iter().map(|word| word as u8);
        String::from_utf8(bytes.collect()).map_err(|_| damaged())
    }

    /// Is that all, and is it what was written?
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let sum = self.sum;
        match u64::from_le_bytes(self.bytes()?) == sum {
            true => Ok(()),
            false => Err(damaged()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut pen = Pen::new(&mut bytes);
        pen.text("one").expect("room");
        pen.halves(&(0..50_000).collect::<Vec<_>>()).expect("room");
        pen.words(3, [1, u64::MAX, 7]).expect("room");
        pen.finish().expect("room");
        bytes
    }

    fn read(mut bytes: &[u8]) -> io::Result<(String, Vec<u32>, Vec<u64>)> {
        let mut reader = Reader::new(&mut bytes);
        let all = (reader.text()?, reader.halves()?, reader.all_words()?);
        reader.finish().map(|()| all)
    }

    #[test]
    fn numbers_come_back_or_not_at_all() {
        let bytes = written();
        let (text, halves, words) = read(&bytes).expect("it is whole");
        assert_eq!((&text[..], halves.len()), ("one", 50_000));
        assert_eq!(words, [1, u64::MAX, 7]);
        for at in (0..bytes.len()).step_by(1_777) {
            assert!(read(&bytes[..at]).is_err());
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            assert!(read(&flipped).is_err(), "{at}");
        }
    }
}
