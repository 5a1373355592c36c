//! All movers and procedures of the corpus, state by state: what is proved of them, no small run refutes.
//!
//! For every song and example whose claims are expected to be proved, each declared mover is tried in small states with
//! sorts of one to three members, also past actions that it obviously commutes with; and each layer is run with every
//! schedule, switching threads anywhere, and compared with the next and with the topmost one. Neither side knows of the
//! proof. Schedules of asyncs are compared in `case_studies`.
//!
//! Layers with too many states for a test, or with choices from all numbers, are named below, with the size up to which
//! they are compared. A song that is not named is compared completely.

use crate::case_studies::songs;
use crate::movers::every_need;
use crate::sequences::compiled;
use plainsong_ir::{ActionId, Actions, Song};
use plainsong_refine::brute::Brute;
use plainsong_refine::compare::{Compared, compare_with};
use plainsong_refine::extract::height;
use plainsong_refine::movers::{Side, sides, strengthened};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest size of sorts.
const LARGEST: i64 = 3;
/// The most states in which a condition of a mover is tried.
const SCENES: usize = 500;
/// The most states of a layer.
const STATES: usize = 60_000;
/// The largest size that is compared completely, where that is not [`LARGEST`]; there is none where threads are started
/// without end or a choice is one from all numbers. Of what is larger, the first states are looked at.
const SMALLER: [(&str, i64); 5] = [
    ("choices-from-all-numbers", 0),
    ("names-that-are-put-back", 0),
    ("paxos", 2),
    ("spin-lock-of-workers-that-draw-a-name", 0),
    ("two-counters-only-grow", 0),
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
    for (lower, upper) in (1..top).flat_map(|lower| [(lower, lower + 1), (lower, top)]) {
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

fn largest(name: &str) -> i64 {
    let smaller = SMALLER.iter().find(|(other, _)| *other == name);
    smaller.map_or(LARGEST, |(_, size)| *size)
}

fn actions(song: &Song) -> &Actions {
    song.actions().expect("they are written as actions")
}
