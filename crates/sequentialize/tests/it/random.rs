//! Random parameterised programs: whatever is proved holds at small sizes, ends as its line does, and has a certificate
//! that is accepted.
//!
//! Programs are protocols of several phases over a family, a number of rounds, two single processes and a
//! daemon (`protocols.rs`), or conversations of shapes that rules got wrong (`conversations.rs`), changed at random in up to
//! three places. `PLAINSONG_PROGRAMS` sets how many,
//! `PLAINSONG_FIRST` the first, `PLAINSONG_STATES` up to how many states an instance is looked at.

use crate::endings::compare;
use crate::oracle::{against, compile, sizes};
use crate::protocols::{Dice, program, random_play};
use plainsong_certificate::{Certificate, VERSION, hash};
use plainsong_ir::Song;
use plainsong_recheck::recheck;
use plainsong_sequentialize::{derivation, sequentialize};
use std::collections::BTreeMap;

/// What tells that a program has rounds of a whole family, pools, several kinds, timeouts, losses, crashes or two families.
const SHAPES: [&str; 7] = [
    "// rounds",
    "// pool",
    "receive {",
    "timeout",
    "fault lose",
    "fault crash",
    "sort W",
];

#[test]
#[expect(
    clippy::print_stdout,
    reason = "the share that is proved is what the test is worth"
)]
fn what_is_proved_has_no_deadlock_no_failure_and_no_message_left_over() {
    let programs: u64 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(250, |n| n.parse().expect("a number"));
    let states: u64 =
        std::env::var("PLAINSONG_STATES").map_or(1_000, |n| n.parse().expect("a number"));
    let first: u64 = std::env::var("PLAINSONG_FIRST").map_or(0, |n| n.parse().expect("a number"));
    let (largest, sum) = (3, 4);
    let mut proved = 0;
    let mut seen = 0;
    let mut changed_and_proved = 0;
    let (mut told, mut compared, mut exact) = (0, 0, 0);
    let mut rechecks = 0;
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let changes = dice.below(4);
        let text = program(&mut dice, changes);
        let song = compile(&text);
        match sequentialize(&song, None) {
            Err(stuck) => *reasons.entry(stuck.obstacle.name()).or_default() += 1,
            Ok(line) => {
                proved += 1;
                changed_and_proved += u64::from(changes > 0);
                for shape in SHAPES.iter().filter(|shape| text.contains(**shape)) {
                    *shapes.entry(shape).or_default() += 1;
                }
                match rechecked(&song, &text) {
                    Ok(()) => rechecks += 1,
                    // An assertion fails on a way; the oracle sees it, too.
                    Err(why) if line.pruned && why.ends_with("not covered") => {}
                    Err(why) => panic!("seed {seed}: the certificate is refused: {why}\n{text}"),
                }
                let sum = sum + i64::from(text.contains("sort W"));
                let (wrong, complete) = against(&song, &line, &sizes(&song, largest, sum), states);
                assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{text}");
                seen += complete;
                let decided = line.open.is_empty();
                let Ok(line) = line.line else { continue };
                told += 1;
                if line.crashes {
                    continue;
                }
                let ended = compare(&line, decided, &sizes(&song, largest, sum), states as usize);
                assert!(
                    ended.wrong.is_empty(),
                    "seed {seed}: {:?}\n{text}",
                    ended.wrong
                );
                compared += ended.instances;
                exact += ended.exact;
            }
        }
    }
    let share = 100 * proved / programs;
    let summary = format!(
        "{proved} of {programs} proved ({share} %), {changed_and_proved} of them changed, {rechecks} certificates rechecked, \
         {seen} instances seen to the end; {told} lines told, \
         their endings compared in {compared} instances, {exact} of them exact; {reasons:?}; \
         proved with {shapes:?}"
    );
    assert!(
        (10..=80).contains(&share) && changed_and_proved > programs / 50,
        "a weak sample: {summary}"
    );
    assert!(
        shapes.len() == SHAPES.len(),
        "a kind of program is never proved: {summary}"
    );
    assert!(
        seen as u64 > 2 * proved,
        "too little was explored: {summary}"
    );
    assert!(
        4 * told > 3 * proved && exact as u64 > proved,
        "too little was compared: {summary}"
    );
    assert!(
        10 * rechecks > 9 * proved,
        "too few certificates: {summary}"
    );
    println!("{summary}");
}

/// Few plays are right, so there are many, and only those that are proved are explored. One alone is shown.
#[test]
#[expect(
    clippy::print_stdout,
    reason = "the share that is proved is what the test is worth"
)]
fn plays_that_are_proved_end_too() {
    let number =
        |name: &str, or: u64| std::env::var(name).map_or(or, |n| n.parse().expect("a number"));
    let plays = number("PLAINSONG_PLAYS", 1_500);
    let states = number("PLAINSONG_STATES", 1_000);
    let first = number("PLAINSONG_FIRST", 0);
    let (mut proved, mut seen) = (0, 0);
    let mut wrong_ones = Vec::new();
    for seed in first..first + plays {
        let mut dice = Dice::new(seed);
        let changes = dice.below(3);
        let text = random_play(&mut dice, changes);
        if plays == 1 {
            println!("{text}");
        }
        let song = compile(&text);
        let Ok(line) = sequentialize(&song, None) else {
            continue;
        };
        proved += 1;
        let sum = 4 + i64::from(text.contains("sort W"));
        let (mut wrong, complete) = against(&song, &line, &sizes(&song, 3, sum), states);
        seen += complete;
        match rechecked(&song, &text) {
            Ok(()) => {}
            Err(why) if line.pruned && why.ends_with("not covered") => {}
            Err(why) => wrong.push(format!("the certificate is refused: {why}")),
        }
        if let Ok(told) = line.line
            && !told.crashes
        {
            // Where something may fail, or compute for ever, fewer executions end.
            let may_fail = !line.open.is_empty();
            let ended = compare(&told, !may_fail, &sizes(&song, 3, sum), states as usize);
            let more = |one: &String| may_fail && one.contains("only the line");
            wrong.extend(ended.wrong.into_iter().filter(|one| !more(one)));
        }
        if !wrong.is_empty() {
            wrong_ones.push((text.len(), format!("seed {seed}: {wrong:?}\n{text}")));
        }
    }
    wrong_ones.sort();
    let summary = format!("{proved} of {plays} plays proved, {seen} instances seen to the end");
    println!("{summary}");
    let shortest = wrong_ones.first().map_or("", |(_, text)| text);
    assert!(
        wrong_ones.is_empty(),
        "{} wrong; {summary}; {shortest}",
        wrong_ones.len()
    );
    assert!(proved > plays / 400, "a weak sample: {summary}");
}

/// Checks the certificate of a program that is proved.
fn rechecked(song: &Song, text: &str) -> Result<(), String> {
    let ways = derivation(song, None).map_err(|stuck| stuck.sentence)?;
    let certificate = Certificate {
        version: VERSION,
        file: String::new(),
        hash: hash(text),
        delivery: None,
        ways,
    };
    let shown = recheck(song, text, &certificate).map_err(|why| why.to_string())?;
    assert!(shown.nothing_left || text.contains("timeout") || text.contains("crash"));
    Ok(())
}
