//! Rows of the paper's table by its own pipeline: translated, and solved.
//!
//! `PLAINSONG_ROWS=all` runs the rows that take a solver longer than a few seconds.

use plainsong_driver::engine::{LivenessOptions, Method};
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::translation::{Bounds, Which, emitted};
use plainsong_driver::watch::{Interrupt, Observer, Stage};
use plainsong_driver::{Source, engines, song};
use plainsong_ir::Sizing;
use plainsong_semantics::search::Progress;
use plainsong_semantics::verdict::Outcome;
use std::path::Path;
use std::time::Duration;

/// A song, the sort with a size, rounds, the length of chains, whether a cycle is found, and whether that is quick.
type Row = (
    &'static str,
    Option<(&'static str, i64)>,
    u32,
    u32,
    bool,
    bool,
);

const ROWS: [Row; 16] = [
    ("ping-pong", None, 1, 5, true, true),
    ("ping-pong-counts-to-2", None, 2, 5, true, true),
    ("ping-pong-counts-to-2", None, 1, 5, false, true),
    ("ping-pong-counts-to-3", None, 3, 5, true, false),
    ("ping-pong-counts-to-3", None, 2, 5, false, false),
    ("ping-pong-counts-to-3", None, 1, 5, false, true),
    ("ping-pong-pung", None, 2, 5, true, true),
    ("ping-pong-pung", None, 1, 5, false, true),
    (
        "spanning-tree-adopts-by-message",
        Some(("Node", 3)),
        1,
        4,
        true,
        false,
    ),
    ("spanning-tree", Some(("Node", 3)), 2, 3, false, false),
    ("fork-bomb", None, 1, 3, true, true),
    ("heartbeat", None, 1, 5, true, true),
    ("paxos-individual", Some(("Proposer", 1)), 2, 2, true, true),
    ("paxos-competition", Some(("Proposer", 2)), 2, 2, true, true),
    (
        "breadth-first-search-says-it-twice",
        Some(("Node", 3)),
        1,
        5,
        true,
        false,
    ),
    (
        "bellman-ford-says-it-twice",
        Some(("Node", 3)),
        1,
        5,
        true,
        false,
    ),
];

struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

fn load(name: &str) -> (Source, std::sync::Arc<plainsong_ir::Song>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../songs/diverge");
    let source = Source::load(&folder.join(format!("{name}.song"))).expect("the song is there");
    let loaded = song::compile(source).map_err(|(_, crash)| crash);
    let loaded = loaded.unwrap_or_else(|_| panic!("{name} compiles"));
    (loaded.source, loaded.song.expect("it has no errors"))
}

/// What the engine says, and why.
fn asked(row: &Row) -> (Outcome, String) {
    let (name, size, delay, recursion, ..) = *row;
    let (source, song) = load(name);
    let request = Request {
        engine: Some("diverge"),
        liveness: LivenessOptions {
            method: Method::Alive { delay, recursion },
            solve: true,
            ..LivenessOptions::default()
        },
        sizes: (size.into_iter())
            .map(|(name, size)| Sizing {
                name: name.to_owned(),
                low: size,
                high: size,
                span: Default::default(),
            })
            .collect(),
        ..Request::default()
    };
    let plan = plan(&song, &request, engines::ALL);
    let plan = plan.unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
    let mut supervision = Supervision {
        interrupt: &Interrupt::default(),
        observer: &mut Nobody,
        timeout: None,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let results = run(&plan, &source, &song, &mut supervision);
    let answer = results.answers.into_iter().next().expect("one answer");
    (answer.verdict.outcome, answer.verdict.reason)
}

#[test]
fn rows_are_solved_at_their_bounds_and_not_below() {
    let all = std::env::var_os("PLAINSONG_ROWS").is_some();
    for row in ROWS.iter().filter(|row| all || row.5) {
        let (outcome, why) = asked(row);
        match row.4 {
            true => assert_eq!(outcome, Outcome::Refuted, "{row:?}: {why}"),
            false => {
                assert_eq!(outcome, Outcome::Unknown, "{row:?}: {why}");
                assert!(why.ends_with("says the solver"), "{row:?}: {why}");
            }
        }
    }
}

#[test]
fn what_is_not_translated_is_refused_with_a_reason() {
    let bounds = Bounds {
        delay: 2,
        recursion: 2,
        fair: false,
    };
    let (_, song) = load("bodies-play-ball");
    for which in [Which::Period, Which::Rounds] {
        let refused = emitted(&song, which, bounds).expect_err("it has bodies");
        assert!(refused.message.contains("body"), "{}", refused.message);
    }
    let (_, song) = load("ping-pong");
    let text = emitted(&song, Which::Rounds, bounds).expect("it is translated");
    assert!(text.contains("choreography rounds"), "{text}");
}
