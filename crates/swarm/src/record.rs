//! What is stored and sent: JSON, and a last line with a hash of it and of where it belongs.
//!
//! A value that somebody else put under a key, a message that somebody sent to a subject, or an outcome that was copied to
//! another key does not have the right hash, and counts as nothing.

use crate::names::{digest, piece};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of the formats; part of every hash.
const SCHEMA: &str = "plainsong swarm 1";

/// What a run asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Which build of the program: a place of a search tree means the same only to the same program.
    pub build: String,
    /// In one line, for people.
    pub title: String,
    /// For whoever carries out pieces: what all of them need to know.
    pub body: String,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Workers work on it.
    Open,
    /// Whoever asked stopped; what was found stays, and the run goes on when it is asked again.
    Paused,
    /// Every piece has a result, or the others are not needed any more.
    Finished,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// As people call it.
    pub name: String,
    /// Which one of this name: a deleted run and a new one share nothing.
    pub id: String,
    /// What it asks.
    pub asked: Asked,
    /// How far it is.
    pub state: State,
    /// When it was begun, in seconds since 1970.
    pub begun: u64,
}

/// A piece as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Of which run.
    pub(crate) run: String,
    /// The name of the run.
    pub(crate) name: String,
    /// Which of its questions.
    pub(crate) question: String,
    /// The piece that left it; the question for a first one.
    pub(crate) parent: String,
    pub(crate) body: String,
}

impl Piece {
    /// Its name.
    pub(crate) fn id(&self) -> String {
        piece(&self.parent, &self.body)
    }
}

/// What came of a piece: one value, so that its result is never there without its children.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What was found, or why the piece cannot be carried out.
    pub result: Result<String, String>,
    /// What is left of the piece.
    pub children: Vec<String>,
    /// Who did it.
    pub worker: String,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// With its hash.
pub(crate) fn sealed<T: Serialize>(place: &str, value: &T) -> Vec<u8> {
    let json = serde_json::to_string(value).expect("records have names as keys");
    let seal = digest(&[SCHEMA, place, &json]);
    format!("{json}\n{seal}").into_bytes()
}

/// What has the right hash for its place.
pub(crate) fn unsealed<T: DeserializeOwned>(place: &str, bytes: &[u8]) -> Option<T> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (json, seal) = text.rsplit_once('\n')?;
    let is_ours = seal == digest(&[SCHEMA, place, json]);
    is_ours.then(|| serde_json::from_str(json).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_or_moved_counts_as_nothing() {
        let outcome = Outcome {
            result: Ok("7\nlines".to_owned()),
            children: vec!["a".to_owned()],
            worker: "w".to_owned(),
            milliseconds: 3,
        };
        let bytes = sealed("run.piece", &outcome);
        assert_eq!(unsealed("run.piece", &bytes), Some(outcome));
        assert_eq!(unsealed::<Outcome>("run.other", &bytes), None);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(unsealed::<Outcome>("run.piece", &changed), None, "{at}");
        }
        assert_eq!(unsealed::<Outcome>("run.piece", b"garbage"), None);
    }
}
