//! Which build of a program runs: a hash of its executable. A place of a search tree means the same only to the same program.

use crate::server::Trouble;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;

/// The build of the program that runs, as 16 hexadecimal digits.
pub fn this_build() -> Result<String, Trouble> {
    let read = || {
        let mut file = File::open(std::env::current_exe()?)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hash.finalize()),
                many => hash.update(&buffer[..many]),
            }
        }
    };
    let hash = read().map_err(|error: std::io::Error| {
        Trouble::new(format!("cannot read the file of this program: {error}"))
    })?;
    Ok(hash[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}
