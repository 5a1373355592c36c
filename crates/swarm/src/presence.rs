//! Who is there: what each worker says every second, and what follows for pieces that nobody works on.
//!
//! A server that was killed may forget that a piece was given out and was not acknowledged: the piece is neither worked on nor
//! given to anybody again. Whoever waits for it sees that a worker has nothing to do, and that nobody has worked on the piece for a
//! while ([`Sightings::is_orphan`]): then it is in no queue, and is sent again. Sent in error, it costs time and counts once.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A worker that says nothing for so long is gone.
const GONE: Duration = Duration::from_secs(3);
/// A piece that nobody was seen at for so long is an orphan if somebody has nothing to do: longer than the server takes to give it
/// to somebody else.
const ORPHAN: Duration = Duration::from_secs(8);

/// What a worker says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Presence {
    pub(crate) name: String,
    /// Threads.
    pub(crate) desks: u64,
    /// Those without a piece.
    pub(crate) idle: u64,
    /// Pieces that are worked on.
    pub(crate) pieces: BTreeSet<String>,
}

/// What a worker's threads do.
#[derive(Debug, Default)]
pub(crate) struct Desks {
    pieces: Mutex<BTreeSet<String>>,
    idle: AtomicU64,
}

impl Desks {
    pub(crate) fn begins(&self, piece: &str) {
        self.pieces().insert(piece.to_owned());
    }

    pub(crate) fn ends(&self, piece: &str) {
        self.pieces().remove(piece);
    }

    /// A thread has nothing to do from now on, or has.
    pub(crate) fn is_idle(&self, idle: bool) {
        match idle {
            true => self.idle.fetch_add(1, Ordering::Relaxed),
            false => self.idle.fetch_sub(1, Ordering::Relaxed),
        };
    }

    pub(crate) fn presence(&self, name: &str, desks: u64) -> Presence {
        Presence {
            name: name.to_owned(),
            desks,
            idle: self.idle.load(Ordering::Relaxed),
            pieces: self.pieces().clone(),
        }
    }

    fn pieces(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who was seen, at which pieces.
#[derive(Debug, Default)]
pub(crate) struct Sightings {
    workers: BTreeMap<String, (Instant, Presence)>,
    pieces: BTreeMap<String, Instant>,
}

impl Sightings {
    pub(crate) fn see(&mut self, payload: &[u8], now: Instant) {
        // What is no worker's word is nobody's.
        let Ok(presence) = serde_json::from_slice::<Presence>(payload) else {
            return;
        };
        for piece in &presence.pieces {
            self.see_piece(piece, now);
        }
        self.workers.insert(presence.name.clone(), (now, presence));
    }

    /// Somebody is at a piece, or it was sent.
    pub(crate) fn see_piece(&mut self, piece: &str, now: Instant) {
        self.pieces.insert(piece.to_owned(), now);
    }

    pub(crate) fn forget_piece(&mut self, piece: &str) {
        self.pieces.remove(piece);
    }

    /// How many threads there are.
    pub(crate) fn desks(&mut self, now: Instant) -> u64 {
        self.workers.retain(|_, (at, _)| now - *at < GONE);
        self.workers.values().map(|(_, one)| one.desks).sum()
    }

    /// Has nobody been at this open piece for a while, though somebody has nothing to do? A piece is first seen when this is asked.
    pub(crate) fn is_orphan(&mut self, piece: &str, now: Instant) -> bool {
        let since = *self.pieces.entry(piece.to_owned()).or_insert(now);
        let mut workers = self.workers.values();
        let is_somebody_idle = workers.any(|(at, one)| now - *at < GONE && one.idle > 0);
        is_somebody_idle && now - since >= ORPHAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orphan_is_seen_only_where_somebody_has_nothing_to_do() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let say = |idle: u64, pieces: &[&str]| {
            let presence = Presence {
                name: "w".to_owned(),
                desks: 2,
                idle,
                pieces: pieces.iter().map(|&one| one.to_owned()).collect(),
            };
            serde_json::to_vec(&presence).expect("it can be written")
        };
        let mut seen = Sightings::default();
        assert!(!seen.is_orphan("a", at(0)));
        seen.see(&say(0, &["b"]), at(9));
        assert_eq!(seen.desks(at(9)), 2);
        assert!(
            !seen.is_orphan("a", at(9)),
            "everybody is busy: it may be in the queue"
        );
        seen.see(&say(1, &["b"]), at(10));
        assert!(seen.is_orphan("a", at(10)));
        assert!(!seen.is_orphan("b", at(10)), "somebody is at it");
        seen.see_piece("a", at(10));
        assert!(!seen.is_orphan("a", at(11)), "it was sent again");
        assert_eq!(seen.desks(at(14)), 0, "the worker is gone");
        assert!(!seen.is_orphan("a", at(30)), "nobody is there to take it");
        seen.see(b"garbage", at(30));
        assert_eq!(seen.desks(at(30)), 0);
    }
}
