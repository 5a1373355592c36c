//! How many lines of a song are there for the sake of its schedule: `cargo xtask annotations`.
//!
//! Counted are lines with code of each `sequentialize` and of each action that stands for another (`A as B`). Beside
//! them stands what the same protocol took in the reference: the lines of its sequentialization in table 5.1
//! of \[Kragl20\]. The goal is half of them at most.
//!
//! Of programs in layers, all lines with code are counted, and those among them that are there for the proof alone:
//! invariants, where they are relied on, and variables that are introduced. Beside them stand the lines with code of
//! the reference's program of that kind, in its suite of 2026; the goal is at most as many.

use std::collections::BTreeSet;
use std::fs;

/// Protocols: the song, and the lines of the reference.
const PROTOCOLS: [(&str, usize); 7] = [
    ("examples/broadcast_consensus.song", 108),
    ("songs/refine/ping-pong-in-turn.song", 91),
    ("songs/refine/producer-consumer-in-step.song", 65),
    ("songs/refine/buyers-share-any-price.song", 251),
    ("songs/refine/chang-roberts-node-after-node.song", 117),
    ("songs/refine/two-phase-commit-by-schedule.song", 181),
    ("examples/paxos.song", 534),
];

/// Programs in layers: the song, and the lines with code of the reference's program.
const LAYERED: [(&str, usize); 10] = [
    ("songs/refine/two-counters-only-grow.song", 43),
    ("examples/spin_lock.song", 97),
    ("songs/refine/gc-barrier.song", 106),
    (
        "songs/refine/spin-lock-of-workers-that-draw-a-name.song",
        80,
    ),
    ("songs/refine/ticket-lock.song", 86),
    ("songs/refine/two-locks-and-a-pair.song", 92),
    ("songs/refine/bluetooth-driver.song", 175),
    ("songs/refine/treiber-stack.song", 243),
    ("songs/refine/shared-vector.song", 295),
    ("songs/refine/lock-coupled-list.song", 131),
];

/// The table of programs in layers, and whether every row keeps to the reference.
pub(crate) fn layered() -> Result<(String, bool), String> {
    let mut text = format!(
        "{:56} {:>5} {:>9} {:>9}\n",
        "song", "lines", "for proof", "reference"
    );
    let mut kept = true;
    for (path, reference) in LAYERED {
        let song = fs::read_to_string(path).map_err(|why| format!("{path}: {why}"))?;
        let items = items(&song);
        let lines: usize = items.iter().map(Vec::len).sum();
        let proof: usize = items.iter().map(|item| for_proof(item)).sum();
        kept &= lines <= reference;
        text.push_str(&format!("{path:56} {lines:>5} {proof:>9} {reference:>9}\n"));
    }
    Ok((text, kept))
}

/// Lines of an item that say something to the proof alone.
fn for_proof(item: &[&str]) -> usize {
    if item[0].starts_with("invariant ") {
        return item.len();
    }
    let says = |line: &&&str| {
        let words = [
            "yield ",
            "preserves ",
            "requires ",
            "ensures ",
            "decreases ",
        ];
        let clause = line.trim_start().starts_with("invariant ");
        clause || words.iter().any(|word| line.contains(word))
    };
    item.iter().filter(says).count()
}

/// The table, and whether every row keeps to half.
pub(crate) fn table() -> Result<(String, bool), String> {
    let mut text = format!("{:48} {:>5} {:>9}\n", "song", "lines", "reference");
    let mut kept = true;
    for (path, reference) in PROTOCOLS {
        let song = fs::read_to_string(path).map_err(|why| format!("{path}: {why}"))?;
        let lines = annotations(&song);
        kept &= lines > 0 && 2 * lines <= reference;
        text.push_str(&format!("{path:48} {lines:>5} {reference:>9}\n"));
    }
    Ok((text, kept))
}

/// Lines of schedules and of what stands for actions.
fn annotations(song: &str) -> usize {
    let items = items(song);
    let schedules: Vec<&Vec<&str>> = items
        .iter()
        .filter(|item| item[0].starts_with("sequentialize"))
        .collect();
    let stand: BTreeSet<String> = schedules.iter().flat_map(|item| stand_ins(item)).collect();
    let is_stand_in = |item: &&Vec<&str>| {
        let head = item[0].trim_start_matches("atomic ");
        let name = head.strip_prefix("action ").unwrap_or_default();
        let name = name.split('(').next().unwrap_or_default();
        stand.contains(name)
    };
    let actions = items.iter().filter(is_stand_in).map(Vec::len);
    schedules.iter().map(|item| item.len()).sum::<usize>() + actions.sum::<usize>()
}

/// Lines with code, item by item: an item begins at a line that is not indented and closes nothing.
fn items(song: &str) -> Vec<Vec<&str>> {
    let mut items: Vec<Vec<&str>> = Vec::new();
    for line in song.lines() {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        if code.is_empty() {
            continue;
        }
        let goes_on = code.starts_with([' ', '}', ')', '{']);
        match items.last_mut() {
            Some(item) if goes_on => item.push(code),
            _ => items.push(vec![code]),
        }
    }
    items
}

/// What stands for the actions of a schedule: `B` in `A as B`.
fn stand_ins(item: &[&str]) -> Vec<String> {
    let head = item.join(" ");
    let head = head.split(['{']).next().unwrap_or_default();
    let head = head.split(" invariant ").next().unwrap_or_default();
    let words: Vec<&str> = head.split([' ', ',']).collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == "as");
    pairs.map(|pair| pair[1].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_and_what_stands_for_actions_are_counted() {
        let song = "// sequentialize\naction A() {\n    x = 1;\n}\n\naction B() {\n    x = 1;\n}\n\n\
            sequentialize A as B\n    invariant x == 0 // why\n{\n    call A();\n\n}\n\ninit { async A(); }\n";
        assert_eq!(annotations(song), 5 + 3);
        assert_eq!(annotations("action A() { x = 1; }\n"), 0);
    }

    #[test]
    fn invariants_and_where_they_are_relied_on_are_counted() {
        let song = "invariant i() @ 1 {\n    x == 0\n}\n\nprocedure p() @ 1 requires i() {\n    yield i();\n    call a();\n}\n";
        let counts: Vec<usize> = items(song).iter().map(|item| for_proof(item)).collect();
        assert_eq!(counts, [3, 2]);
    }
}
