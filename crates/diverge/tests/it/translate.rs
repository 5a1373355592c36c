//! The translations as programs: they can be read again, and running them gives the answers that the engine gives.

use crate::programs::{Dice, machine, program};
use plainsong_diverge::translate::{Bounds, period, rounds};
use plainsong_diverge::{Fairness, Finding, Method, Question, diverge};
use plainsong_ir::{Song, print};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Completeness, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds as Windows, Sizes};
use std::sync::Arc;

const BOUNDS: Bounds = Bounds {
    delay: 2,
    recursion: 2,
    fair: false,
};

fn compiled(text: &str) -> Song {
    let compiled = plainsong_syntax::compile(text);
    let diagnostics = compiled.diagnostics;
    compiled
        .song
        .unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
}

fn song(name: &str) -> Song {
    let path = format!(
        "{}/../../songs/diverge/{name}.song",
        env!("CARGO_MANIFEST_DIR")
    );
    compiled(&std::fs::read_to_string(&path).expect("the song is there"))
}

/// What is printed, read and printed again is the same.
fn read_again(song: &Song) -> Song {
    let text = print::song(song);
    let again = compiled(&text);
    assert_eq!(print::song(&again), text);
    again
}

/// Is the property violated? None when not every state was looked at.
fn is_violated(song: &Song, subject: Subject, states: u64) -> Option<bool> {
    let instances = Instance::all(Arc::new(song.clone()), &Sizes::new(), &Windows::default());
    let instance = instances.expect("an instance").remove(0);
    let query = Query {
        subject,
        checks: vec![Check::Property(0)],
    };
    let limits = Limits {
        states,
        ..Limits::default()
    };
    let report = search(&instance, &query, &limits, &mut Unwatched);
    let refuted = (report.findings.iter()).any(|one| matches!(one.answer, Answer::Refuted(_)));
    let complete = report.completeness == Completeness::Complete;
    (refuted || complete).then_some(refuted)
}

#[test]
fn songs_are_translated_and_read_again_or_refused_with_a_reason() {
    let folder = format!("{}/../../songs/diverge", env!("CARGO_MANIFEST_DIR"));
    let mut translated = 0;
    for entry in std::fs::read_dir(folder).expect("the songs are there") {
        let path = entry.expect("a song").path();
        let song = compiled(&std::fs::read_to_string(&path).expect("a song"));
        for fair in [false, true] {
            match period(&song, fair) {
                Ok(song) => drop(read_again(&song)),
                Err(refused) => assert!(!refused.why.is_empty(), "{path:?}"),
            }
            match rounds(&song, Bounds { fair, ..BOUNDS }) {
                Ok(song) => {
                    read_again(&song);
                    translated += 1;
                }
                Err(refused) => assert!(!refused.why.is_empty(), "{path:?}"),
            }
        }
    }
    assert!(translated > 60, "{translated}");
}

#[test]
fn ends_of_the_first_program_are_the_periods_of_random_programs() {
    let programs: u64 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(60, |n| n.parse().expect("a number"));
    let (mut found, mut excluded) = (0, 0);
    for seed in 0..programs {
        let text = program(&mut Dice(seed));
        let result = period(&compiled(&text), false).expect("it is translated");
        let Some(is_found) = is_violated(&read_again(&result), Subject::System, 20_000) else {
            continue;
        };
        let question = Question {
            property: 0,
            fairness: Fairness::Any,
            states: 3_000,
            method: Method::All,
        };
        let known = diverge(&machine(&text), &question, &mut Unwatched).finding;
        let diverges = matches!(known, Finding::Diverges(_));
        assert_eq!(is_found, diverges, "seed {seed}\n{text}");
        found += usize::from(is_found);
        excluded += usize::from(!is_found);
    }
    assert!(
        found > 0 && excluded > 0,
        "{found} found, {excluded} excluded"
    );
}

#[test]
fn the_first_handler_that_accepts_a_message_takes_it() {
    let text = |second: &str| {
        format!(
            "message Tick;\n\nprocess P {{\n    on Tick {{}}\n    on Tick {second}\n}}\n\n\
             init {{\n    send Tick to P;\n}}\n\nproperty quiet: eventually quiescent;\n"
        )
    };
    for second in ["{}", "{ send Tick to self; }"] {
        let result = period(&compiled(&text(second)), false).expect("it is translated");
        let is_found = is_violated(&read_again(&result), Subject::System, 20_000);
        assert_eq!(is_found, Some(false), "{second}");
    }
}

#[test]
fn ends_of_the_line_are_periods_within_bounds() {
    for (name, delay, recursion, found) in [
        ("ping-pong", 1, 2, true),
        ("ping-pong-counts-to-2", 1, 2, false),
        ("ping-pong-pung", 1, 1, false),
        ("heartbeat", 1, 2, true),
        ("retry-at-most-three-times", 1, 1, false),
    ] {
        let bounds = Bounds {
            delay,
            recursion,
            fair: false,
        };
        let line = rounds(&song(name), bounds).expect("it is translated");
        let is_found = is_violated(&read_again(&line), Subject::Line(0), 400_000);
        assert_eq!(is_found, Some(found), "{name}");
    }
}
