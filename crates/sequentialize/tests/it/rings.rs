//! Random rings and chains: whatever is proved holds at small sizes, and whatever goes wrong there is not.
//!
//! Passes around, there and back, or all at once, in a ring or a chain, changed at random. The rule decides these
//! programs exactly, so at sizes that are explored it has to agree in both directions. Where there is a line, it ends in
//! the states that the members end in: everybody passes on a number that it counts up. `PLAINSONG_RINGS` sets how many.

use crate::endings::compare;
use crate::oracle::{against, compile};
use crate::protocols::Dice;
use plainsong_semantics::sizes::Sizes;
use plainsong_sequentialize::{Obstacle, Sequentialized, sequentialize};
use std::collections::BTreeSet;

/// Sends?, which kind, to or from the next one?
type Act = (bool, usize, bool);

fn program(dice: &mut Dice) -> String {
    let ring = dice.below(2) == 0;
    let (mut first, mut others): (Vec<Act>, Vec<Act>) = (Vec::new(), Vec::new());
    for kind in 0..1 + dice.below(3) {
        let next = dice.below(2) == 0;
        let (to, from) = ((true, kind, next), (false, kind, !next));
        match dice.below(3) {
            0 => {
                first.extend([to, from]);
                others.extend([from, to]);
            }
            _ => {
                first.extend([to, from]);
                others.extend([to, from]);
            }
        }
    }
    for _ in 0..dice.below(3) {
        let code = if dice.below(2) == 0 {
            &mut first
        } else {
            &mut others
        };
        let at = dice.below(code.len().max(1));
        match dice.below(4) {
            0 if at + 1 < code.len() => code.swap(at, at + 1),
            1 if !code.is_empty() => drop(code.remove(at)),
            2 if !code.is_empty() => code[at].2 = !code[at].2,
            _ if !code.is_empty() => code.insert(at, code[at]),
            _ => {}
        }
    }
    // In some rings the members at the ends name each other by their positions.
    let named = ring && dice.below(2) == 0;
    let text = |code: &[Act], of: &str| -> String {
        let each = code.iter().enumerate();
        each.map(|(at, act)| match (named, of) {
            (false, _) => statement(*act, ring, &format!("{of}{at}")),
            (true, of) => named_statement(*act, of == "x", &format!("{of}{at}")),
        })
        .collect()
    };
    format!(
        "sort Node = 0..;\nmessage M0(v: nat);\nmessage M1(v: nat);\nmessage M2(v: nat);\nprocess node[n: Node] {{\n\
         var got: nat = 0;\nif n == 0 {{\n{}}} else {{\n{}}}\ngot = 2 * got;\n}}\n",
        text(&first, "x"),
        text(&others, "y")
    )
}

/// A statement of the first of a ring, or of another one, without `%`.
fn named_statement((sends, kind, next): Act, is_first: bool, name: &str) -> String {
    let at = |place: &str| action(sends, kind, place, name);
    match (is_first, next) {
        (true, true) => format!(
            "if Node.len() == 1 {{\n{}\n}} else {{\n{}\n}}\n",
            at("Node.len() - 1"),
            at("1")
        ),
        (true, false) => format!("{}\n", at("Node.len() - 1")),
        (false, true) => format!(
            "if n == Node.len() - 1 {{\n{}\n}} else {{\n{}\n}}\n",
            at("0"),
            at("n + 1")
        ),
        (false, false) => format!("{}\n", at("n - 1")),
    }
}

fn action(sends: bool, kind: usize, place: &str, name: &str) -> String {
    match sends {
        true => format!("send M{kind}(got + 1) to node[{place}];"),
        false => format!("receive M{kind}({name}) from node[{place}];\ngot = got + {name};"),
    }
}

fn statement((sends, kind, next): Act, ring: bool, name: &str) -> String {
    let (place, exists) = match (next, ring) {
        (true, true) => ("(n + 1) % Node.len()", "true"),
        (false, true) => ("(n + Node.len() - 1) % Node.len()", "true"),
        (true, false) => ("n + 1", "n < Node.len() - 1"),
        (false, false) => ("n - 1", "n > 0"),
    };
    let act = action(sends, kind, place, name);
    match ring {
        true => format!("{act}\n"),
        false => format!("if {exists} {{\n{act}\n}}\n"),
    }
}

#[test]
fn rings_and_chains_are_decided_as_exploration_decides_them() {
    let (mut proved, mut refused, mut told) = (0, 0, 0);
    let programs: u64 =
        std::env::var("PLAINSONG_RINGS").map_or(150, |n| n.parse().expect("a number"));
    for seed in 0..programs {
        let mut dice = Dice::new(seed);
        let text = program(&mut dice);
        let song = compile(&text);
        let sizes: Vec<Sizes> = (1..=5)
            .map(|size| Sizes::new().with("Node", size))
            .collect();
        let found = sequentialize(&song, None);
        let believed = Sequentialized {
            open: BTreeSet::new(),
            line: Err(String::new()),
            pruned: false,
            may_leave: false,
            steps: 0,
        };
        let (wrong, seen) = against(&song, &believed, &sizes, 3_000);
        match found {
            Ok(line) => {
                proved += 1;
                assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{text}");
                assert!(line.open.is_empty() && seen > 2, "seed {seed}\n{text}");
                if let Ok(line) = line.line {
                    let ended = compare(&line, true, &sizes, 3_000);
                    let wrong = ended.wrong;
                    assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{text}");
                    told += usize::from(ended.exact > 2);
                }
            }
            Err(stuck) => {
                refused += 1;
                assert_ne!(stuck.obstacle, Obstacle::NotCovered, "seed {seed}\n{text}");
                // A reason that names a size that was explored is a real one.
                let small = (1..=5).any(|size| stuck.sentence.contains(&format!("of {size} in")));
                assert!(
                    !small || !wrong.is_empty(),
                    "seed {seed}: {}\n{text}",
                    stuck.sentence
                );
            }
        }
    }
    assert!(
        proved > 30 && refused > 30 && told > 20,
        "{proved} proved, {refused} refused, {told} lines"
    );
}
