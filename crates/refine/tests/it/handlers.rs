//! Processes with handlers as actions, state by state.
//!
//! Every song of processes with handlers is searched as it is and as the action system that schedules are about:
//! both fail alike, end alike and have the same answers.

use plainsong_ir::{Body, Song};
use plainsong_refine::handlers::Handlers;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MOST_STATES: u64 = 3_000;

#[test]
fn processes_with_handlers_are_action_systems() {
    let mut compared = 0;
    for path in songs() {
        let text = std::fs::read_to_string(&path).expect("the song is there");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        let Some(voices) = song.voices() else {
            continue;
        };
        let mut processes = voices.processes.iter();
        if !processes.all(|one| matches!(one.body, Body::Handlers(_))) {
            continue;
        }
        let Ok(handlers) = Handlers::of(&song) else {
            continue;
        };
        if !handlers.ordered {
            let ends = handlers.stays.is_none();
            compared += compare(&path, song, handlers.song, ends);
        }
    }
    assert!(compared >= 15, "only {compared} songs were compared");
}

/// How many of the two could be compared: one or none.
fn compare(path: &Path, voices: Song, actions: Song, ends: bool) -> usize {
    let checks: Vec<Check> = std::iter::once(Check::Assertions)
        .chain((0..voices.properties.len()).map(Check::Property))
        .collect();
    let reports = [voices, actions].map(|song| searched(song, &checks));
    let [Some(one), Some(two)] = reports else {
        return 0;
    };
    let path = path.display();
    // Messages of different senders are one and the same async when nobody asks.
    assert!(two.states <= one.states, "states of {path}");
    assert!(two.depth <= one.depth, "depth of {path}");
    assert_eq!(one.failures, two.failures, "failures of {path}");
    if ends {
        assert!(two.final_states <= one.final_states, "ends of {path}");
        assert_eq!(
            one.final_states == 0,
            two.final_states == 0,
            "ends of {path}"
        );
    }
    for (a, b) in one.findings.iter().zip(&two.findings) {
        if ends || !a.is_about_the_end {
            let refuted = |answer: &Answer| matches!(answer, Answer::Refuted(_));
            assert_eq!(
                refuted(&a.answer),
                refuted(&b.answer),
                "{} of {path}",
                a.name
            );
        }
    }
    1
}

fn searched(song: Song, checks: &[Check]) -> Option<SearchReport> {
    let mut sizes = Sizes::new();
    for sort in &song.sorts {
        sizes = sizes.with(sort.name.clone(), 2);
    }
    let song = Arc::new(song);
    let instances = Instance::all(song, &sizes, &Bounds::default()).ok()?;
    let query = Query {
        subject: Subject::System,
        checks: checks.to_vec(),
    };
    let limits = Limits {
        states: MOST_STATES,
        ..Limits::default()
    };
    let report = search(instances.first()?, &query, &limits, &mut Unwatched);
    (report.completeness == Completeness::Complete).then_some(report)
}

fn songs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join("songs"), root.join("examples")];
    let mut all = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "song") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}
