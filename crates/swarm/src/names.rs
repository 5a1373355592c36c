//! Names: of runs as people give them, of pieces as hashes, of streams and subjects below one prefix.

use sha2::{Digest as _, Sha256};

/// May a run, or a prefix, be called that? Letters, digits, `-` and `_`, at most 64 of them.
pub fn is_name(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_fine)
}

/// The first 128 bits of a hash of several texts, in hexadecimal digits; where one ends and the next begins counts.
pub fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let bytes = hash.finalize();
    bytes[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The name of a piece: of its parent's name, or of the question's for a first one, and of its text.
pub(crate) fn piece(parent: &str, body: &str) -> String {
    digest(&[parent, body])
}

/// Where the outcome of a piece is stored.
pub(crate) fn outcome_key(run: &str, question: &str, piece: &str) -> String {
    format!("{run}.{question}.{piece}")
}

/// Everything that a team has on a server begins with its prefix.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    prefix: String,
}

impl Names {
    pub(crate) fn new(prefix: &str) -> Self {
        Names {
            prefix: prefix.to_owned(),
        }
    }

    /// The bucket of what is asked.
    pub(crate) fn runs(&self) -> String {
        format!("{}-runs", self.prefix)
    }

    /// The bucket of outcomes.
    pub(crate) fn outcomes(&self) -> String {
        format!("{}-outcomes", self.prefix)
    }

    /// The stream of pieces that wait for a worker.
    pub(crate) fn stream(&self) -> String {
        format!("{}-work", self.prefix)
    }

    /// Of all pieces.
    pub(crate) fn all_work(&self) -> String {
        format!("{}.work.>", self.prefix)
    }

    /// Of the pieces that a build may work on.
    pub(crate) fn work_of(&self, build: &str) -> String {
        format!("{}.work.{build}.>", self.prefix)
    }

    /// Of the pieces of one run.
    pub(crate) fn work(&self, build: &str, run: &str) -> String {
        format!("{}.work.{build}.{run}", self.prefix)
    }

    /// On which workers say that they have nothing to do.
    pub(crate) fn hungry(&self, build: &str) -> String {
        format!("{}.hungry.{build}", self.prefix)
    }

    /// On which workers say that they are there.
    pub(crate) fn alive(&self, build: &str) -> String {
        format!("{}.alive.{build}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_piece_tells_its_parent_and_its_text() {
        assert_eq!(piece("a", "b"), piece("a", "b"));
        assert_ne!(piece("a", "b"), piece("ab", ""));
        assert_ne!(piece("a", "b"), piece("a", "c"));
        assert_ne!(piece("a", "b"), piece("c", "b"));
    }

    #[test]
    fn a_name_is_no_path_and_no_wildcard() {
        assert!(is_name("night-7_b"));
        for wrong in ["", "a.b", "a>", "*", "a b", "ä", &"x".repeat(65)] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }
}
