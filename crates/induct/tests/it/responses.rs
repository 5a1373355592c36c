//! Responses for every size: what is shown and what is not, and random systems against the exact decision at sizes 1 to 3.
//!
//! `PLAINSONG_PROGRAMS` says how many random systems, `PLAINSONG_SEED` where to begin.

use crate::random::Dice;
use crate::solvers;
use plainsong_induct::{Ask, Response, respond};
use plainsong_ir::{Fairness, Song};
use plainsong_liveness::{Explored, Finding};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_smt::{Cancel, Solvers};
use std::cell::Cell;
use std::sync::Arc;

/// How many random systems are compared, unless asked for another number.
const PROGRAMS: u64 = 20;
/// How often it is asked whether to stop before the answer is yes.
const PATIENCE: usize = 40;
/// The most states of an instance.
const MOST_STATES: usize = 3_000;

fn song(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled.song;
    Arc::new(song.unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics)))
}

fn responded(song: &Arc<Song>, claim: usize, level: Fairness, solvers: &Solvers) -> Response {
    let ask = Ask {
        solvers,
        cancel: &Cancel::default(),
        seed: 0,
        recheck: false,
        dropped: None,
    };
    // A measure is looked for only a little.
    let left = Cell::new(PATIENCE);
    let stop = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let response = respond(song, claim, level, &ask, &stop);
    response.unwrap_or_else(|refused| panic!("{}", refused.why))
}

/// Is the last property of a text shown for weakly fair executions?
fn is_shown(text: &str) -> bool {
    is_shown_at(text, Fairness::Weak)
}

fn is_shown_at(text: &str, level: Fairness) -> bool {
    let song = song(text);
    let response = responded(&song, song.properties.len() - 1, level, &solvers());
    matches!(response, Response::Shown { .. })
}

const SERVER: &str = "sort Client; message Req(c: Client); message Ans;
    process server { on Req(c) { send Ans to client[c]; } }
    process client[c: Client] {
        var waiting: bool = true;
        on Ans { waiting = !waiting; send Req(c) to server; }
    }
    init { for c in Client { send Req(c) to server; } }
    invariant asked: forall c: Client :: pending(Req(c) to server) + pending(Ans to client[c]) >= 1;";

#[test]
fn a_request_is_answered_by_a_chain_of_messages() {
    let claim = "property p: forall c: Client :: client[c].waiting leads to !client[c].waiting;";
    assert!(is_shown(&format!("{SERVER} {claim}")));
    let other = "property p: forall c: Client :: client[c].waiting leads to false;";
    assert!(!is_shown(&format!("{SERVER} {other}")));
}

#[test]
fn nothing_is_owed_to_those_who_are_unfair_or_held_up() {
    let claim = "property p: forall c: Client :: client[c].waiting leads to !client[c].waiting;";
    let unfair = SERVER.replace("process server", "unfair process server");
    assert!(!is_shown(&format!("{unfair} {claim}")));
    let ordered = SERVER.replace("message Ans;", "message Ans via fifo;");
    assert!(!is_shown(&format!("{ordered} {claim}")));
}

#[test]
fn a_measure_bounded_below_is_needed() {
    let text = |measure: &str, step: &str| {
        format!(
            "var x: int = choose int; repeat action Step() {{ assume x != 0; {step} }}
             property p: eventually x <= 0 {measure};"
        )
    };
    assert!(is_shown(&text("by measure (x)", "x = x - 1;")));
    assert!(is_shown(&text("", "x = x - 1;")), "it is found");
    assert!(!is_shown(&text("", "x = x + 1;")));
    assert!(!is_shown(&text("by measure (x)", "x = x + 1;")));
    assert!(!is_shown(&text("by measure (-x)", "x = x + 1;")));
}

/// Two actions that alternately shut each other out: weak fairness owes neither anything.
#[test]
fn a_task_that_does_not_stay_enabled_is_not_helpful() {
    let text = "var gate: bool = true; var done: bool = false;
        repeat action Flip() { gate = !gate; } repeat action Go() { assume gate; done = true; }
        property p: eventually done;";
    assert!(!is_shown(text));
    let open = text.replace("gate = !gate;", "gate = gate;");
    let invariant = "invariant open: gate; property q: eventually done;";
    assert!(is_shown(&format!("{open} {invariant}")));
}

fn condition(dice: &mut Dice) -> String {
    let atom = dice.pick(&[
        "a[c]", "b[c]", "g", "n == 0", "n < 2", "!a[c]", "!b[c]", "!g",
    ]);
    atom.to_owned()
}

fn effect(dice: &mut Dice) -> String {
    let one = dice.pick(&[
        "a[c] = true;",
        "a[c] = false;",
        "b[c] = !b[c];",
        "b[c] = a[c];",
        "g = !g;",
        "g = a[c];",
        "n = 0;",
        "if n > 0 { n = n - 1; }",
        "if n < 2 { n = n + 1; }",
        "maybe { b[c] = true; }",
    ]);
    one.to_owned()
}

/// A system with actions on offer, and a bag of asyncs of which each creates one at most.
fn system(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let dice = &mut dice;
    let mut text =
        "sort C; var a: map<C, bool> = map c: C => false; var b: map<C, bool> = map c: C => true;
        var g: bool = false; var n: nat = 2;\n"
            .to_owned();
    for name in ["A", "B"].iter().take(dice.below(3)) {
        let fair = dice.pick(&["", "", "unfair ", "strong fair "]);
        let (guard, effect) = (condition(dice), effect(dice));
        text += &format!("{fair}repeat action {name}(c: C) {{ assume {guard}; {effect} }}\n");
    }
    for (name, other) in [("M", "N"), ("N", "M")] {
        let guard = match dice.below(3) {
            0 => format!("assume {};", condition(dice)),
            _ => String::new(),
        };
        let next = match dice.below(3) {
            0 => String::new(),
            1 => format!("async {other}(c);"),
            _ => format!("if {} {{ async {name}(c); }}", condition(dice)),
        };
        let (one, two) = (effect(dice), effect(dice));
        text += &format!("action {name}(c: C) {{ {guard} {one} {two} {next} }}\n");
    }
    text += "init { for c in C { async M(c); } }\n";
    let measure = dice.pick(&[
        "",
        "",
        "by measure (n)",
        "by measure (if a[c] { 1 } else { 0 })",
        "by measure (pending(M), n)",
        "by measure (pending(M) + pending(N))",
    ]);
    let (p, q) = (condition(dice), condition(dice));
    let claim = match dice.below(3) {
        0 => format!("eventually {q}"),
        1 => format!("infinitely often {q}"),
        _ => format!("{p} leads to {q}"),
    };
    text + &format!("property p: forall c: C :: {claim} {measure};\n")
}

/// Clients with bodies and a server with a body or handlers, which send each other messages of two kinds.
fn processes(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let dice = &mut dice;
    let via = dice.pick(&["", " via unordered", " via mailbox"]);
    let fair = dice.pick(&["", "", "", "", "unfair ", "strong fair "]);
    let answer = dice.pick(&[
        "busy = true; send Ans to client[current]; busy = false;",
        "busy = true; send Ans to client[current]; busy = false;",
        "busy = true; send Ans to client[current]; busy = false; odd = !odd;",
        "odd = !odd; if odd { busy = true; send Ans to client[current]; busy = false; }",
        "busy = true; maybe { send Ans to client[current]; } busy = false;",
    ]);
    let only = dice.pick(&["", "", "", "", " where odd || c != current"]);
    let server = match dice.below(4) {
        0 => format!("on Req(c){only} {{ current = c; {answer} }}"),
        _ => format!("loop {{ receive Req(c) from any{only}; current = c; {answer} }}"),
    };
    let again = dice.pick(&[
        "asked = false;",
        "asked = false;",
        "asked = !asked;",
        "maybe { asked = false; }",
    ]);
    let claim = dice.pick(&[
        "client[c].asked leads to !client[c].asked",
        "infinitely often !client[c].asked",
        "infinitely often client[c].asked",
        "eventually client[c].asked",
        "client[c].asked leads to server.current == c",
        "infinitely often server.current == c",
    ]);
    format!(
        "sort C; message Req(c: C){via}; message Ans{via};
         {fair}process server {{ var odd: bool = true; var busy: bool = false; var current: C = choose C; {server} }}
         process client[c: C] {{ var asked: bool = false;
            loop {{ send Req(c) to server; asked = true; receive Ans from server; {again} }} }}
         invariant kept: forall c: C :: client[c].asked ==> server.busy && server.current == c
            || pending(Req(c) to server) + pending(Ans to client[c]) >= 1;
         property p: forall c: C :: {claim};\n"
    )
}

fn asked(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Does a search of all states refute the claim at some size?
fn is_refuted(song: &Arc<Song>, level: Fairness) -> bool {
    (1..=3).any(|size| {
        let sizes = Sizes::default().with("C", size);
        let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
        let instances = instances.expect("there is an instance of each size");
        let machine = Machine::new(&instances[0], Subject::System);
        let mut graph = Explored::new(&machine);
        graph.explore(MOST_STATES, &mut |_| true);
        let at = song.properties.len() - 1;
        let answer = graph.ask(&song.properties[at], level);
        matches!(answer.finding, Finding::Violated { .. })
    })
}

fn compared(programs: impl Iterator<Item = (u64, String)>) -> (u64, u64) {
    let solvers = solvers();
    let (mut shown, mut refuted) = (0, 0);
    for (seed, text) in programs {
        let song = song(&text);
        let level = Fairness::ALL[1 + seed as usize % 3];
        let is_refuted = is_refuted(&song, level);
        refuted += u64::from(is_refuted);
        let at = song.properties.len() - 1;
        if let Response::Shown {
            helpful, measure, ..
        } = responded(&song, at, level, &solvers)
        {
            assert!(
                !is_refuted,
                "seed {seed} {level}: {helpful:?} {measure:?}\n{text}"
            );
            shown += 1;
        }
    }
    (shown, refuted)
}

#[test]
fn nothing_is_shown_that_is_refuted_at_a_size() {
    let first = asked("PLAINSONG_SEED", 1);
    let seeds = first..first + asked("PLAINSONG_PROGRAMS", PROGRAMS);
    let (shown, refuted) = compared(seeds.map(|seed| (seed, system(seed))));
    assert!(
        shown >= 1 && refuted >= 2,
        "{shown} shown, {refuted} refuted"
    );
}

#[test]
fn nothing_is_shown_of_processes_that_is_refuted_at_a_size() {
    let first = asked("PLAINSONG_SEED", 1);
    let seeds = first..first + asked("PLAINSONG_PROGRAMS", PROGRAMS / 2);
    let (shown, refuted) = compared(seeds.map(|seed| (seed, processes(seed))));
    assert!(
        shown >= 1 && refuted >= 2,
        "{shown} shown, {refuted} refuted"
    );
}
