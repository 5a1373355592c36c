//! How many lines of a song are there for the sake of its schedule: `cargo xtask annotations`.
//!
//! Counted are lines with code of each `sequentialize` and of each action that stands for another (`A as B`). Beside
//! them stands what the same protocol took in the reference: the lines of its sequentialization in table 5.1
//! of \[Kragl20\]. The goal is half of them at most.

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
}
