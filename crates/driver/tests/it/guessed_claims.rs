//! Random songs whose lines are proved with guessed invariants: guesses are expressions of the song, whatever the types of
//! its variables and messages are, and what is proved holds at small sizes.
//!
//! A song has up to four phases: two single processes go through a family and a family of daemons, one by one, all at
//! once, or adding up. `PLAINSONG_SONGS` sets how many, `PLAINSONG_FIRST` the first.

use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Results, Supervision, run};
use plainsong_driver::watch::{Interrupt, Observer, Stage};
use plainsong_driver::{Source, engines};
use plainsong_semantics::search::Progress;
use plainsong_semantics::verdict::Outcome;
use std::sync::Arc;
use std::time::Duration;

#[test]
fn guessed_claims_are_well_typed_and_what_they_prove_holds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let songs: u64 = number("PLAINSONG_SONGS").unwrap_or(40);
    let first: u64 = number("PLAINSONG_FIRST").unwrap_or(0);
    let mut proved = 0;
    for seed in first..first + songs {
        let text = song(&mut Dice(seed.wrapping_mul(7_919) + 11));
        let answers = asked(&text, "sequentialize");
        assert!(
            answers.crashes.is_empty(),
            "seed {seed}: {:?}\n{text}",
            answers.crashes
        );
        let shown = answers.answers.iter();
        let shown = shown.filter(|one| one.verdict.outcome == Outcome::Proved);
        proved += shown.clone().count() as u64;
        let seen = asked(&text, "explore");
        for one in shown.filter(|one| !one.verdict.is_conditional()) {
            let same =
                |other: &&plainsong_report::Answer| other.verdict.property == one.verdict.property;
            let other = seen.answers.iter().find(same).expect("the same questions");
            let refuted = other.verdict.outcome == Outcome::Refuted;
            assert!(!refuted, "seed {seed}, {}\n{text}", one.verdict.property);
        }
    }
    assert!(proved > songs, "{proved} proofs of {songs} songs");
}

fn asked(text: &str, engine: &'static str) -> Results {
    let compiled = plainsong_syntax::compile(text);
    let song = Arc::new(compiled.song.unwrap_or_else(|| panic!("no song:\n{text}")));
    let source = Source {
        name: "random.song".to_owned(),
        text: text.to_owned(),
        path: None,
    };
    let request = Request {
        engine: Some(engine),
        ..Request::default()
    };
    let plan = plan(&song, &request, engines::ALL).expect("a plan");
    let interrupt = Interrupt::default();
    let mut observer = Nobody;
    let mut supervision = Supervision {
        interrupt: &interrupt,
        observer: &mut observer,
        timeout: Some(Duration::from_secs(20)),
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    run(&plan, &source, &song, &mut supervision)
}

struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A type, a value of it, another one, and how a variable changes with what came.
const TYPES: [(&str, &str, &str, &str); 6] = [
    ("bool", "true", "false", "@ = @ && #"),
    ("nat", "1", "0", "@ = @ + #"),
    ("int", "0", "-1", "@ = @ - #"),
    ("option<nat>", "none", "some(2)", "@ = #"),
    ("Colour", "Red", "Mixed(1)", "if # != Red { @ = #; }"),
    ("process", "self", "self", "@ = #"),
];

fn song(dice: &mut Dice) -> String {
    let (ty, one, other, change) = TYPES[dice.below(TYPES.len() as u64) as usize];
    let start = |dice: &mut Dice| dice.of(&[one, other]).to_owned();
    let change = |dice: &mut Dice, var: &str| {
        let change = dice.of(&[change, "@ = #", ""]);
        let change = change.replace('@', var).replace('#', "q");
        match change.is_empty() || change.ends_with('}') {
            true => change,
            false => change + ";",
        }
    };
    let (mut single, mut second, mut member) = (Vec::new(), Vec::new(), Vec::new());
    let mut messages = vec!["message Ask(v: @);", "message Ans(v: @);"];
    if dice.below(2) == 0 {
        messages.extend(["message Go(v: @);", "message Up(v: @);"]);
        let more = dice.of(&["n = n + 1;", "n += 2;", ""]);
        let took = change(dice, "v");
        second.push(format!(
            "for x in F {{ send Go(v) to f[x]; receive Up(q) from f[x]; {took} {more} }}"
        ));
        let took = change(dice, "v");
        member.push(format!("receive Go(q) from z; {took} send Up(v) to z;"));
    }
    let rounds = dice.below(3);
    if rounds > 0 {
        let took = dice.of(&["v = q;", "v = q;", "", "if n < 3 { v = q; }"]);
        let more = dice.of(&["n += 1;", ""]);
        single.push(format!(
            "for y in L {{ send Ask(v) to h[y]; receive Ans(q) from h[y]; {took} {more} }}"
        ));
    }
    if dice.below(3) > 0 {
        messages.extend([
            "message Fin(w: process, v: @);",
            "message Back(w: process, v: @);",
        ]);
        let took = change(dice, "v");
        single.push(format!(
            "for x in F {{ send Fin(self, v) to f[x]; }} \
             for x in F {{ receive Back(p, q) from any f; {took} }}"
        ));
        let took = change(dice, "v");
        member.push(format!(
            "receive Fin(p, q) from s; w = p; {took} send Back(self, v) to w;"
        ));
    }
    let daemon = match rounds {
        0 => String::new(),
        _ => format!(
            "daemon process h[me: L] {{ var v: {ty} = {}; loop {{ receive Ask(q) from s; {} \
             send Ans(v) to s; }} }}",
            start(dice),
            match dice.below(2) {
                0 => "v = q;".to_owned(),
                _ => change(dice, "v"),
            }
        ),
    };
    if rounds == 0 {
        messages.drain(..2);
    }
    let messages = messages.join(" ").replace('@', ty);
    let claim = dice.of(&[
        "z.n < 3",
        "s.n == z.n",
        "forall x: F :: f[x].v == s.v",
        "s.v == z.v || s.n >= 0",
        "z.n == 0 || s.v == s.v",
    ]);
    format!(
        "sort F; sort L; enum Colour {{ Red, Mixed(int) }} {messages}
         process z {{ var n: nat = 0; var v: {ty} = {}; {} }}
         process s {{ var n: nat = 0; var v: {ty} = {}; {} }}
         process f[me: F] {{ var w: process = self; var v: {ty} = {}; {} }}
         {daemon}
         property fin: finally {claim};",
        start(dice),
        second.join(" "),
        start(dice),
        single.join(" "),
        start(dice),
        member.join(" "),
    )
}
