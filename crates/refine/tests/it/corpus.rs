//! All movers and procedures of the corpus, state by state: what is proved of them, no small run refutes.
//!
//! For every song and example whose claims are expected to be proved, each declared mover is tried in small states with
//! sorts of one to three members, also past actions that it obviously commutes with; and each layer is run with every
//! schedule, switching threads anywhere, and compared with the next and with the topmost one. Neither side knows of the
//! proof. Schedules of asyncs are compared in `case_studies`.
//!
//! Layers with too many states for a test, or with choices from all numbers, are named below, with the size up to which
//! they are compared, and with what they are compared besides: sizes that differ from sort to sort, no more than some
//! calls that wait for each other where threads are started without end, a few numbers where any may be chosen.
//! `PLAINSONG_SLOW=1` looks at the larger ones. A song that is not named is compared completely.

use crate::case_studies::songs;
use crate::movers::every_need;
use crate::sequences::compiled;
use plainsong_ir::{ActionId, Actions, Song};
use plainsong_refine::brute::Brute;
use plainsong_refine::compare::{Compared, Extent, Most, compare_at, compare_with};
use plainsong_refine::layer_program::height;
use plainsong_refine::movers::{Side, sides, strengthened};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest size of sorts.
const LARGEST: i64 = 3;
/// The most states in which a condition of a mover is tried.
const SCENES: usize = 500;
/// The most states of a layer.
const STATES: usize = 60_000;
/// What an external function returns is not enumerated: this song's layers are not compared at all.
const EXTERNAL: &str = "an-external-function-in-a-procedure";
/// The largest size that is compared completely, where that is not [`LARGEST`]; there is none where threads are started
/// without end, a choice is one from all numbers, or an external function is called. Of what is larger, the first states are looked at, and what [`BESIDES`]
/// says.
const SMALLER: [(&str, i64); 9] = [
    (EXTERNAL, 0),
    ("bounded-counter", 0),
    ("choices-from-all-numbers", 0),
    ("increments-and-decrements-as-often-as-somebody-likes", 0),
    ("names-that-are-put-back", 0),
    ("paxos", 2),
    ("sequence-lock", 1),
    ("spin-lock-of-workers-that-draw-a-name", 0),
    ("two-counters-only-grow", 0),
];

/// What a layer is compared with besides: sizes, and how many calls may wait for each other.
struct Besides {
    song: &'static str,
    sizes: &'static [(&'static str, i64)],
    calls: Option<usize>,
    slow: bool,
}

const fn besides(
    song: &'static str,
    sizes: &'static [(&'static str, i64)],
    calls: Option<usize>,
    slow: bool,
) -> Besides {
    Besides {
        song,
        sizes,
        calls,
        slow,
    }
}

/// Three nodes and three rounds at once have more states than memory.
const BESIDES: [Besides; 12] = [
    besides("bounded-counter", &[("Tid", 3)], Some(5), false),
    besides("choices-from-all-numbers", &[("Tid", 3)], None, false),
    besides(
        "increments-and-decrements-as-often-as-somebody-likes",
        &[],
        Some(6),
        false,
    ),
    besides("names-that-are-put-back", &[("Tid", 3)], Some(6), false),
    besides("names-that-are-put-back", &[("Tid", 3)], Some(8), true),
    besides(
        "spin-lock-of-workers-that-draw-a-name",
        &[("Tid", 3)],
        Some(7),
        false,
    ),
    besides("sequence-lock", &[("Tid", 3)], Some(5), false),
    besides("two-counters-only-grow", &[], Some(7), false),
    besides(
        "paxos",
        &[("Node", 2), ("Round", 3), ("Value", 1)],
        None,
        false,
    ),
    besides(
        "paxos",
        &[("Node", 2), ("Round", 3), ("Value", 3)],
        None,
        true,
    ),
    besides(
        "paxos",
        &[("Node", 3), ("Round", 2), ("Value", 2)],
        None,
        true,
    ),
    besides(
        "paxos",
        &[("Node", 3), ("Round", 1), ("Value", 3)],
        None,
        false,
    ),
];

#[test]
fn no_small_state_refutes_a_mover_of_the_corpus() {
    let mut tried = 0;
    for (name, song) in proved() {
        match wrong_mover(&song) {
            Ok(movers) => tried += movers,
            Err(why) => panic!("{name} is proved, but {why}"),
        }
    }
    assert!(tried >= 60, "only {tried} movers");
}

#[test]
fn no_small_run_of_a_layer_of_the_corpus_does_more_than_the_layers_above() {
    let mut compared = BTreeSet::new();
    for (name, song) in proved() {
        if !actions(&song).is_layered() {
            continue;
        }
        match complete(&song) {
            Ok(size) => assert_eq!(size, largest(&name), "{name} is compared up to this size"),
            Err(why) => panic!("{name} is proved, but {why}"),
        }
        compared.insert(name);
    }
    assert!(compared.len() >= 20, "only {compared:?}");
    let mut known = SMALLER.iter();
    assert!(known.all(|(name, _)| compared.contains(*name)));
}

#[test]
fn layers_that_are_endless_or_large_are_compared_within_bounds() {
    let slow = std::env::var_os("PLAINSONG_SLOW").is_some();
    let proved = proved();
    for one in BESIDES.iter().filter(|one| slow || !one.slow) {
        let song = proved.iter().find(|(name, _)| name == one.song);
        let (name, song) = song.expect("it is expected to be proved");
        for layers in pairs(song) {
            let extent = within_bounds(song, layers, one);
            let is_enough = match one.calls {
                Some(_) => matches!(extent, Extent::Whole | Extent::Shallow),
                None => extent == Extent::Whole,
            };
            assert!(
                is_enough,
                "{name} at {:?}, {layers:?}: {extent:?}",
                one.sizes
            );
        }
    }
    let mut known = SMALLER.iter().filter(|(name, _)| *name != EXTERNAL);
    assert!(known.all(|(name, _)| BESIDES.iter().any(|one| one.song == *name)));
}

#[test]
fn within_bounds_a_layer_that_does_more_is_noticed() {
    let text = "var x: nat = 0 @ 0..1;\natomic action add() @ 1 { x += 1; }\natomic action look() @ 1 { assert x < 3; }\n\
        procedure main() @ 1 { maybe { async main(); } call add(); call look(); }\ninit { async main(); }\n";
    let song = compiled(text);
    let fails = |calls| {
        let one = besides("", &[], Some(calls), false);
        matches!(within_bounds(&song, [1, 2], &one), Extent::Differs(_))
    };
    assert!(!fails(1), "two threads do not get there");
    assert!(fails(2), "three threads do");
}

#[test]
fn a_mover_that_does_not_move_and_a_layer_that_does_more_are_noticed() {
    let text = "sort Id;\nvar x: int = 0;\nleft action Set(i: Id) { x = 1; }\naction Inc(i: Id) { x = x + 1; }\n\
        init { for i in Id { async Set(i); async Inc(i); } }\n";
    let why = wrong_mover(&compiled(text)).expect_err("it does not move");
    assert!(why.contains("cannot be swapped"), "{why}");
    let text = "sort Id;\nvar x: int = 0 @ 0..2;\nvar y: int = 0 @ 0..1;\natomic action read() -> v: int @ 1 { v = x; }\n\
        atomic action write(v: int) @ 1 { x = v; }\natomic action INC() @ 2 { x = x + 1; }\n\
        procedure inc() @ 1 refines INC { let v = call read(); yield; call write(v + 1); }\n\
        init { for i in Id { async inc(); } }\n";
    let why = complete(&compiled(text)).expect_err("an increment may be lost");
    assert!(why.contains("may end with x = 1"), "{why}");
}

/// What is expected to be proved and is written as actions.
fn proved() -> Vec<(String, Arc<Song>)> {
    let mut all = Vec::new();
    for path in songs() {
        let text = std::fs::read_to_string(&path).expect("the song is there");
        let song = compiled(&text);
        if text.contains("// expect refine: proved\n") && song.actions().is_some() {
            let name = path.file_stem().expect("it has a name").to_string_lossy();
            all.push((name.into_owned(), song));
        }
    }
    all
}

/// How many movers were tried, or why one does not move as it is declared to.
fn wrong_mover(song: &Arc<Song>) -> Result<usize, String> {
    let mut tried = 0;
    let brute = Brute::new(song, LARGEST, SCENES);
    for (at, action) in actions(song).actions.iter().enumerate() {
        let id = ActionId::from(at);
        for side in action.role.mover.map(sides).unwrap_or_default() {
            let strong = strengthened(song, id).filter(|_| side == Side::Left);
            let strong = strong.map(|song| Brute::new(&Arc::new(song), LARGEST, SCENES));
            let brute = strong.as_ref().unwrap_or(&brute);
            for need in every_need(song, id, side) {
                if let Some(why) = brute.refutes(&need) {
                    let (name, side) = (&action.name, side.name());
                    return Err(format!("`{name}` is no {side} mover: {}", why.reason));
                }
            }
            tried += 1;
        }
    }
    Ok(tried)
}

/// Up to which size every layer was compared completely with the topmost one, or what one does that it must not.
fn complete(song: &Arc<Song>) -> Result<i64, String> {
    let top = height(actions(song)) + 1;
    let mut size = LARGEST;
    for [lower, upper] in pairs(song) {
        loop {
            match compare_with(song, lower, upper, size, STATES) {
                Compared::Differs(why) => return Err(why.reason),
                Compared::GaveUp if upper == top && size > 0 => size -= 1,
                _ => break,
            }
        }
    }
    Ok(size)
}

/// Each layer with the next one and with the topmost one.
fn pairs(song: &Song) -> BTreeSet<[u32; 2]> {
    let top = height(actions(song)) + 1;
    let pairs = (1..top).flat_map(|lower| [[lower, lower + 1], [lower, top]]);
    pairs.collect()
}

fn within_bounds(song: &Arc<Song>, layers: [u32; 2], one: &Besides) -> Extent {
    let sizes = one.sizes.iter();
    let sizes = sizes.fold(Sizes::new(), |sizes, (sort, size)| sizes.with(*sort, *size));
    // What the lower one computes from numbers that it chose, the upper one chooses.
    let bounds = [2, 40].map(|most| Bounds {
        int: (-most, most),
        nat: most,
        length: 2,
        ..Bounds::default()
    });
    let states = 4_000_000;
    let most = Most {
        states,
        endless: states,
        calls: one.calls,
    };
    compare_at(song, layers, &sizes, [&bounds[0], &bounds[1]], most)
}

fn largest(name: &str) -> i64 {
    let smaller = SMALLER.iter().find(|(other, _)| *other == name);
    smaller.map_or(LARGEST, |(_, size)| *size)
}

fn actions(song: &Song) -> &Actions {
    song.actions().expect("they are written as actions")
}
