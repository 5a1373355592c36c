//! Whatever the solver shows of what actions do with permissions, no small state refutes.
//!
//! Random actions take, keep, give, split, join and hand on permissions, whole or in halves. The solver sees one
//! arbitrary permission and places for it, the brute force runs the action and counts. What the corpus is expected to
//! have proved is tried as well.
//!
//! `PLAINSONG_SYSTEMS` and `PLAINSONG_SEED` say how many actions, and from where on.

use crate::case_studies::songs;
use crate::programs::Dice;
use crate::sequences::compiled;
use plainsong_ir::{ActionId, Song};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::Prover;
use plainsong_refine::brute::Brute;
use plainsong_refine::linear_permissions::obligations;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// The declarations around a random action, with the elements of the variable left out.
const AROUND: &str = "sort Tid;\nenum Half splits Tid { Left(Tid), Right(Tid) }\n";

#[test]
fn what_is_shown_of_random_permissions_no_state_refutes() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_SYSTEMS", 60), number("PLAINSONG_SEED", 0));
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let (mut proved, mut doubled, mut open) = (0, 0, 0);
    for seed in first..first + count {
        let text = random(&mut Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1));
        let compiled = plainsong_syntax::compile(&text);
        let song = Arc::new(compiled.song.unwrap_or_else(|| panic!("{text}")));
        let shown = is_shown(&song, &solvers);
        let Some(shown) = shown else { continue };
        let found = Brute::new(&song, 3, 20_000).doubles(ActionId::from(0));
        match (shown, found) {
            (true, Some(why)) => panic!("seed {seed}: it is shown, but {why}\n{text}"),
            (true, None) => proved += 1,
            (false, Some(_)) => doubled += 1,
            (false, None) => open += 1,
        }
    }
    let summary = format!("{proved} proved, {doubled} doubled, {open} open");
    assert!(proved >= count / 20, "{summary}");
    assert!(doubled >= count / 4, "{summary}");
    assert!(open <= count / 20, "{summary}");
}

#[test]
fn no_small_state_doubles_a_permission_of_the_corpus() {
    let mut tried = 0;
    for path in songs() {
        let text = std::fs::read_to_string(&path).expect("the song is there");
        if !text.contains("linear ") || !text.contains("// expect refine: proved\n") {
            continue;
        }
        let song = compiled(&text);
        let brute = Brute::new(&song, 3, 2_000);
        for at in 0..song.actions().map_or(0, |actions| actions.actions.len()) {
            let found = brute.doubles(ActionId::from(at));
            assert_eq!(found, None, "{}", path.display());
            tried += 1;
        }
    }
    assert!(tried >= 40, "only {tried} actions");
}

/// Is it shown that the first action doubles nothing? Nothing, if it has nothing to do with permissions.
fn is_shown(song: &Arc<Song>, solvers: &Solvers) -> Option<bool> {
    let mut theory = Theory::new(song.clone());
    let all = obligations(&mut theory, ActionId::from(0)).expect("it is covered");
    let cancel = Cancel::default();
    let mut prover = Prover {
        theory: &mut theory,
        solvers,
        cancel: &cancel,
        seed: 0,
        second: None,
    };
    (!all.is_empty()).then(|| prover.open("permissions", &all).is_empty())
}

/// A random action, and what it leaves behind.
fn random(dice: &mut Dice) -> String {
    let variable = dice.of(&["set<Tid>", "set<Tid> as Left", "set<Half>"]);
    let modes = ["linear ", "take ", "give ", ""];
    let of_t = (dice.of(&modes), dice.of(&modes));
    let of_h = dice.of(&modes);
    let result = dice.of(&["", "", " -> linear r: Half", " -> linear r: Tid"]);
    let wholes = ["t", "u"];
    let halves = ["h", "Left(t)", "Right(t)", "Right(u)"];
    let kept = match variable {
        "set<Half>" => &halves[..],
        _ => &wholes[..],
    };
    let mut body = String::new();
    for _ in 0..2 + dice.below(3) {
        let (whole, half, element) = (dice.of(&wholes), dice.of(&halves), dice.of(kept));
        let line = match dice.below(9) {
            0 => format!("assume {element} in free;"),
            1 => "assume t != u;".to_owned(),
            2 => format!("assert h == {half};"),
            3 | 4 => format!("free = free.with({element});"),
            5 | 6 => format!("free = free.without({element});"),
            7 => format!("async Whole({whole});"),
            _ => format!("async Part({half});"),
        };
        body.push_str(&format!("    {line}\n"));
    }
    if dice.below(6) == 0 {
        body.push_str("    for s in Tid { async Whole(s); }\n    free = {};\n");
    }
    if result.contains("Half") {
        body.push_str(&format!("    r = {};\n", dice.of(&halves)));
    } else if result.contains("Tid") {
        body.push_str(&format!("    r = {};\n", dice.of(&wholes)));
    }
    format!(
        "{AROUND}linear var free: {variable} = {{}};\n\
        action Act({}t: Tid, {}u: Tid, {of_h}h: Half){result} {{\n{body}}}\n\
        action Whole(linear t: Tid) {{ }}\naction Part(linear h: Half) {{ }}\ninit {{ }}\n",
        of_t.0, of_t.1
    )
}
