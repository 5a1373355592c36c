//! The paper's table, row by row, by its own search: found at its bounds, and not found where it finds nothing.
//!
//! The searches for distances say what they have to say twice, as the paper's loops may. Competing proposers are those
//! where the paper's tool timed out.

use crate::programs::sized;
use plainsong_diverge::{Fairness, Finding, Method, Question, diverge};
use plainsong_semantics::search::Unwatched;

/// A song, the number of its nodes, the rounds, the length of chains, and whether a cycle is found.
type Row = (&'static str, Option<i64>, u32, u32, bool);

const ROWS: [Row; 23] = [
    ("ping-pong", None, 1, 5, true),
    ("ping-pong-counts-to-2", None, 2, 5, true),
    ("ping-pong-counts-to-2", None, 1, 5, false),
    ("ping-pong-counts-to-3", None, 3, 5, true),
    ("ping-pong-counts-to-3", None, 2, 5, false),
    ("ping-pong-counts-to-3", None, 1, 5, false),
    ("ping-pong-pung", None, 2, 5, true),
    ("ping-pong-pung", None, 1, 5, false),
    ("spanning-tree-adopts-by-message", Some(3), 1, 5, true),
    ("spanning-tree", Some(3), 2, 3, false),
    ("breadth-first-search-says-it-twice", Some(3), 1, 5, true),
    ("breadth-first-search", Some(2), 2, 3, false),
    ("bellman-ford-says-it-twice", Some(3), 1, 5, true),
    ("bellman-ford", Some(2), 2, 3, false),
    ("paxos-individual", Some(1), 2, 2, true),
    ("paxos-competition", Some(2), 2, 2, true),
    // Said once, parents settle first, which takes a longer chain.
    (
        "breadth-first-search-forgets-to-count",
        Some(3),
        1,
        5,
        false,
    ),
    ("breadth-first-search-forgets-to-count", Some(3), 1, 7, true),
    (
        "bellman-ford-passes-on-what-is-no-better",
        Some(3),
        1,
        7,
        true,
    ),
    ("paxos-individual", Some(1), 1, 2, true),
    ("spanning-tree-adopts-by-message", Some(3), 1, 2, false),
    ("fork-bomb", None, 1, 3, true),
    ("heartbeat", None, 1, 5, true),
];

#[test]
fn rows_are_found_at_their_bounds_and_not_below() {
    for (name, nodes, delay, recursion, found) in ROWS {
        let path = format!(
            "{}/../../songs/diverge/{name}.song",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(&path).expect("the song is there");
        let machine = sized(&text, nodes);
        let question = Question {
            property: 0,
            fairness: Fairness::Any,
            states: 1_000_000,
            method: Method::Alive { delay, recursion },
        };
        let report = diverge(&machine, &question, &mut Unwatched);
        let is_found = matches!(report.finding, Finding::Diverges(_));
        let finding = report.finding;
        assert_eq!(
            is_found, found,
            "{name}, K = {delay}, N = {recursion}: {finding:?}"
        );
        if let Finding::Unknown(why) = &finding {
            assert!(why.starts_with("no cycle with"), "{name}: {why}");
        }
    }
}
