//! Files for what does not fit into memory. Who runs a search makes them: this crate opens no files.

use std::fmt::Debug;
use std::io::{self, Read, Write};

/// A place for files that are written once, read several times, and removed.
pub trait Scratch: Debug + Sync {
    /// Makes an empty file, and gives its number, which no other has.
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)>;

    /// Opens a file to read it from its beginning.
    fn open(&self, number: u64) -> io::Result<Box<dyn Read>>;

    /// Removes a file. If that fails, it stays.
    fn remove(&self, number: u64);
}
