//! A search that goes on from what was kept of it, wherever that was, ends as one that was not disturbed: report, counts and traces.
//! From bytes that were damaged it does not go on.

use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Limits, Progress, Query, Watch, Writing};
use plainsong_states::{Manner, Searched, search_in};
use std::io::Read;

/// From how many places a search goes on.
const PLACES: usize = 2;

/// Keeps everything, and may have something from before.
#[derive(Default)]
struct Album {
    kept: Vec<Vec<u8>>,
    earlier: Option<Vec<u8>>,
    is_lost: bool,
}

impl Watch for Album {
    fn keep_going(&mut self, _: &Progress) -> bool {
        true
    }

    fn wants_snapshot(&mut self) -> bool {
        true
    }

    fn keep_snapshot(&mut self, _: &Instance, _: &str, write: Writing<'_>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("there is room");
        self.kept.push(bytes);
    }

    fn earlier_snapshot(&mut self, _: &Instance, _: &str) -> Option<Box<dyn Read>> {
        let bytes = std::io::Cursor::new(self.earlier.take()?);
        Some(Box::new(bytes))
    }

    fn lost_snapshot(&mut self, _: &str) {
        self.is_lost = true;
    }
}

/// Goes on from several places; how many there were.
pub(super) fn goes_on(
    name: &str,
    (instance, query, limits): (&Instance, &Query, &Limits),
    manner: Manner<'_>,
    found: &Searched,
) -> usize {
    let mut album = Album::default();
    let again = search_in(manner, instance, query, limits, &mut album);
    assert_eq!(again, *found, "{name}");
    let kept = album.kept;
    let pace = kept.len().div_ceil(PLACES).max(1);
    for bytes in kept.iter().skip(pace / 2).step_by(pace) {
        let mut later = Album {
            earlier: Some(bytes.clone()),
            ..Album::default()
        };
        let rest = search_in(manner, instance, query, limits, &mut later);
        assert_eq!(rest, *found, "{name}");
        assert!(!later.is_lost, "{name}");
    }
    if let Some(mut bytes) = kept.last().cloned() {
        let at = (name.len() * 7_919 + bytes.len() / 2) % bytes.len();
        bytes[at] ^= 4;
        let mut later = Album {
            earlier: Some(bytes),
            ..Album::default()
        };
        let rest = search_in(manner, instance, query, limits, &mut later);
        assert_eq!(rest, *found, "{name}");
        assert!(later.is_lost, "{name}: a byte was changed");
    }
    kept.len()
}
