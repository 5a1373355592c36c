//! How long each row of the paper takes, beside the paper's figure and that of a re-creation of its pipeline; how the
//! time grows with nodes and with pending tasks; and SPIN's search for non-progress cycles on the same programs.
//!
//! The paper's figures are those of [Alive12], figure 5, in seconds on a machine of 2012; the re-creation (its two
//! translations by a generator of our own, Boogie 2.4.1 with stratified inlining, Z3 4.8.5) took the CPU seconds given
//! here on a machine like the one these tables were made for. Goal: a hundred times faster than either.

mod growth;
#[cfg(feature = "spin")]
mod models;
#[cfg(feature = "spin")]
mod spin;

use crate::measure::{best_of, milliseconds};
use plainsong_diverge::{Fairness, Finding, Method, Question, diverge};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::Unwatched;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A row: its name in the paper, the song, the sort with a size, `K` and `N`, seconds in the paper, CPU seconds of
/// the re-creation.
struct Row(
    &'static str,
    &'static str,
    Option<(&'static str, i64)>,
    (u32, u32),
    Option<f64>,
    Option<f64>,
);

const ROWS: &[Row] = &[
    Row("PingPong", "ping-pong", None, (1, 5), Some(5.32), Some(0.6)),
    Row(
        "PingPong-mod2",
        "ping-pong-counts-to-2",
        None,
        (2, 5),
        Some(19.01),
        Some(8.6),
    ),
    Row(
        "PingPong-mod2-1md",
        "ping-pong-counts-to-2",
        None,
        (1, 5),
        Some(4.94),
        Some(1.7),
    ),
    Row(
        "PingPong-mod3",
        "ping-pong-counts-to-3",
        None,
        (3, 5),
        Some(86.61),
        Some(272.6),
    ),
    Row(
        "PingPong-mod3-1md",
        "ping-pong-counts-to-3",
        None,
        (2, 5),
        Some(23.53),
        Some(50.7),
    ),
    Row(
        "PingPong-mod3-2md",
        "ping-pong-counts-to-3",
        None,
        (1, 5),
        Some(4.66),
        Some(2.2),
    ),
    Row(
        "PingPongPung",
        "ping-pong-pung",
        None,
        (2, 5),
        Some(111.92),
        Some(0.9),
    ),
    Row(
        "PingPongPung-1md",
        "ping-pong-pung",
        None,
        (1, 5),
        Some(19.87),
        Some(2.4),
    ),
    Row(
        "SpanningTree-bug",
        "spanning-tree-adopts-by-message",
        Some(("Node", 3)),
        (1, 5),
        Some(165.19),
        Some(11.3),
    ),
    Row(
        "SpanningTree-correct",
        "spanning-tree",
        Some(("Node", 3)),
        (2, 3),
        Some(28.80),
        Some(4.1),
    ),
    Row(
        "Bfs-bug",
        "breadth-first-search-says-it-twice",
        Some(("Node", 3)),
        (1, 5),
        Some(286.95),
        None,
    ),
    Row(
        "Bfs-correct",
        "breadth-first-search",
        Some(("Node", 3)),
        (2, 3),
        Some(32.15),
        None,
    ),
    Row(
        "BellmanFord-bug",
        "bellman-ford-says-it-twice",
        Some(("Node", 3)),
        (1, 5),
        Some(303.98),
        Some(415.0),
    ),
    Row(
        "BellmanFord-correct",
        "bellman-ford",
        Some(("Node", 2)),
        (2, 3),
        Some(33.74),
        Some(3.6),
    ),
    Row(
        "Paxos-individual",
        "paxos-individual",
        Some(("Proposer", 1)),
        (2, 2),
        Some(67.72),
        Some(0.8),
    ),
    Row(
        "Paxos-competition",
        "paxos-competition",
        Some(("Proposer", 2)),
        (2, 2),
        None,
        None,
    ),
];

/// Runs per figure.
const TIMES: u32 = 3;

/// Prints the tables.
pub fn table() {
    println!(
        "\ndiverge: the paper's rows, one instance, engine alone, CPU time; alive: its own search, within its K and N"
    );
    println!(
        "{:<22} {:>10} {:>9} {:>10} {:>8} {:>10} {:>8}  alive at (K, N)",
        "row", "here", "says", "paper", "faster", "re-created", "faster"
    );
    for Row(name, song, size, (delay, recursion), paper, again) in ROWS {
        let machine = machine(song, *size);
        let (took, found) = best_of(TIMES, || ask(&machine, Method::All));
        let alive = Method::Alive {
            delay: *delay,
            recursion: *recursion,
        };
        let (by_alive, there) = best_of(1, || ask(&machine, alive));
        println!(
            "{name:<22} {:>10} {:>9} {:>10} {:>8} {:>10} {:>8}  ({delay}, {recursion}) {} in {}",
            milliseconds(took),
            said(&found),
            seconds(*paper),
            faster(*paper, took),
            seconds(*again),
            faster(*again, took),
            said(&there),
            milliseconds(by_alive),
        );
    }
    growth::table();
    #[cfg(feature = "spin")]
    spin::table();
}

/// The machine of a song in its folder.
fn machine(song: &str, size: Option<(&str, i64)>) -> Machine {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../songs/diverge");
    let text = std::fs::read_to_string(folder.join(format!("{song}.song"))).expect("it is there");
    compiled(&text, size)
}

/// The machine of a text.
fn compiled(text: &str, size: Option<(&str, i64)>) -> Machine {
    let song = plainsong_syntax::compile(text).song.expect("it compiles");
    let sizes = size.map_or_else(Sizes::new, |(name, size)| Sizes::new().with(name, size));
    let instances = Instance::all(Arc::new(song), &sizes, &Bounds::default());
    Machine::new(&instances.expect("it has instances")[0], Subject::System)
}

fn ask(machine: &Machine, method: Method) -> Finding {
    let question = Question {
        property: 0,
        fairness: Fairness::Any,
        states: 50_000,
        method,
    };
    diverge(machine, &question, &mut Unwatched).finding
}

fn said(finding: &Finding) -> &'static str {
    match finding {
        Finding::Diverges(_) => "diverges",
        Finding::Rests(_) => "rests",
        Finding::Unknown(_) => "nothing",
    }
}

fn seconds(time: Option<f64>) -> String {
    time.map_or("none".to_owned(), |time| format!("{time:.2} s"))
}

fn faster(theirs: Option<f64>, ours: Duration) -> String {
    theirs.map_or("-".to_owned(), |theirs| {
        format!("{:.0}x", theirs / ours.as_secs_f64())
    })
}
