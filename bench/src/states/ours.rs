//! Two-phase commit as a song.

use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Answer, Completeness, Limits, Query, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_states::search as search_states;
use std::sync::Arc;

const SONG: &str =
    include_str!("../../../songs/explore/transaction-manager-and-resource-managers.song");

/// Searches, with this many resource managers, and counts the states.
pub fn search(n: u32) -> u64 {
    let song = plainsong_syntax::compile(SONG).song.expect("it is right");
    let sizes = Sizes {
        chosen: [("Rm".to_owned(), i64::from(n))].into(),
        ..Sizes::default()
    };
    let instances = Instance::all(Arc::new(song), &sizes, &Bounds::default());
    let instance = &instances.expect("it has an instance")[0];
    let query = &Query::all(instance.song())[0];
    let limits = Limits {
        states: u64::MAX,
        ..Limits::default()
    };
    let found = search_states(instance, query, &limits, &mut Unwatched);
    assert_eq!(found.by_interpreter, None);
    assert_eq!(found.report.completeness, Completeness::Complete);
    let holds = |answer: &Answer| *answer == Answer::NotRefuted;
    assert!(found.report.findings.iter().all(|one| holds(&one.answer)));
    found.report.states
}
