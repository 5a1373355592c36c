//! What refinement has to reject, item by item.
//!
//! The table follows the acceptance tests of the specification of `refine`, among them programs that other tools accept. For
//! each item there are songs whose header expects the right reason; that they are answered so is checked with all other songs.
//! Here it is checked that none is missing, and that none expects that everything is proved.

use std::path::PathBuf;

/// The item, what is wrong, the song, and a part of what is expected of it.
const TABLE: [(u32, &str, &str, &str); 35] = [
    (
        1,
        "asyncs that never end",
        "refine/asyncs-that-never-end-hide-no-failure",
        "sequentialize/cooperation",
    ),
    (
        1,
        "the same by induction",
        "refine/asyncs-that-never-end-hide-no-failure-by-induction",
        "sequentialize/cooperation",
    ),
    (
        2,
        "what is synchronized never ends",
        "refine/what-is-synchronized-never-ends",
        "FOO refuted \"blocks\"",
    ),
    (
        3,
        "a loop that never counts",
        "refine/a-loop-that-never-counts",
        "the measure decreases in each round",
    ),
    (
        4,
        "send as a right mover, receive as a left mover",
        "refine/sends-do-not-move-right",
        "Send refuted \"cannot be swapped\", Receive refuted \"blocks\"",
    ),
    (
        4,
        "two producers of one queue",
        "refine/two-producers-of-one-queue",
        "Put refuted \"cannot be swapped\"",
    ),
    (
        5,
        "failure preservation",
        "refine/increments-moved-past-a-look",
        "hides that `Look()` fails",
    ),
    (
        5,
        "commutativity",
        "refine/an-increment-next-to-a-reset",
        "Inc refuted \"cannot be swapped\"",
    ),
    (
        5,
        "nonblocking",
        "refine/a-left-mover-that-waits",
        "dec refuted \"blocks",
    ),
    (
        6,
        "collecting waits",
        "refine/broadcast-consensus-abstraction-still-waits",
        "mover/nonblocking",
    ),
    (
        6,
        "both at once, nothing known about broadcasts",
        "refine/broadcast-consensus-without-its-invariant",
        "mover/commutativity",
    ),
    (
        6,
        "collecting comes first",
        "refine/broadcast-consensus-collects-first",
        "gate: what the schedule does fails",
    ),
    (
        7,
        "no order of nodes",
        "refine/chang-roberts-counted-from-anywhere",
        "sequentialize.Step refuted",
    ),
    (
        7,
        "a node moves while others act",
        "refine/chang-roberts-one-node-moves-too-early",
        "cannot be swapped",
    ),
    (
        7,
        "identities are not unique",
        "refine/chang-roberts-two-of-one-name",
        "only_the_greatest refuted",
    ),
    (
        8,
        "commit after one yes too few",
        "refine/two-phase-commit-by-schedule-commits-early",
        "commit_means_all_yes refuted",
    ),
    (
        8,
        "a participant votes twice",
        "refine/two-phase-commit-by-schedule-votes-twice",
        "votes.len() + pending(Vote)",
    ),
    (
        9,
        "the highest vote is ignored",
        "refine/paxos-proposes-what-it-likes",
        "agreement refuted",
    ),
    (
        9,
        "quorums of half",
        "refine/paxos-with-quorums-of-half",
        "is false",
    ),
    (
        9,
        "votes below the promise",
        "refine/paxos-votes-below-its-promise",
        "agreement refuted",
    ),
    (
        10,
        "a buyer does not pay",
        "refine/buyers-share-any-price-and-one-does-not-pay",
        "== PRICE is false",
    ),
    (
        10,
        "the answer is one more",
        "refine/ping-pong-in-turn-answers-too-much",
        "m == c is false",
    ),
    (
        11,
        "a permission for an async and as a result",
        "refine/a-permission-is-a-result-and-handed-on",
        "in its result and in `t` of an async `use`",
    ),
    (
        11,
        "a permission for two asyncs of an action",
        "refine/a-permission-that-is-handed-on-twice",
        "twice in `t` of an async `End`",
    ),
    (
        11,
        "a permission for two asyncs of a procedure",
        "rejected/an-async-gets-a-permission-twice",
        "error[permission]",
    ),
    (
        11,
        "a permission is kept and given back",
        "refine/names-that-are-put-back-and-kept",
        "doubles no permission",
    ),
    (
        12,
        "what an async relies on is changed",
        "refine/what-an-async-relies-on-is-changed-before-it-runs",
        "parent refuted",
    ),
    (
        13,
        "two visible changes",
        "refine/two-changes-where-the-action-makes-one",
        "may end with x = 2",
    ),
    (
        13,
        "a change that does not match",
        "refine/a-change-that-is-not-the-one-of-the-action",
        "may end with x = 2",
    ),
    (
        13,
        "a path without the action",
        "refine/a-path-on-which-the-action-never-happens",
        "may end with x = 0",
    ),
    (
        13,
        "a change in a yielding loop",
        "refine/every-round-of-a-loop-changes-something",
        "may end with x = 2",
    ),
    (
        13,
        "a result changed later",
        "refine/a-result-that-changes-after-the-action-happened",
        "next refuted",
    ),
    (
        14,
        "a false assertion below",
        "refine/an-assertion-below-that-is-false",
        "p refuted \"may fail\"",
    ),
    (
        14,
        "a yielding loop's invariant over globals",
        "refine/the-invariant-of-a-loop-that-yields-speaks-about-globals",
        "the loop yields",
    ),
    (
        15,
        "the size of an infinite universe",
        "rejected/the-size-of-everything",
        "error[",
    ),
];

#[test]
fn every_item_has_songs_that_are_rejected_for_the_right_reason() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../songs");
    for (item, what, song, part) in TABLE {
        let path = root.join(format!("{song}.song"));
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|why| panic!("item {item}, {what}: {song}: {why}"));
        let said = text
            .lines()
            .filter(|line| line.trim_start().starts_with("//"));
        let said: Vec<&str> = said.collect();
        let reason = said.iter().any(|line| line.contains(part));
        assert!(reason, "item {item}, {what}: {song} does not expect {part}");
        let proved = said
            .iter()
            .any(|line| line.ends_with("expect refine: proved"));
        assert!(!proved, "item {item}, {what}: {song} expects a proof");
    }
    for item in 1..=15 {
        assert!(TABLE.iter().any(|row| row.0 == item), "item {item}");
    }
}
