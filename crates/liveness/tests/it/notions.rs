//! Small programs that separate the notions of fairness, and pitfalls of deciders: each claim at each level.
//!
//! In a row: the program, and for each of its claims, in their order, the verdicts at the levels none, weak, standard and strong: `H` holds,
//! `R` is refuted, `?` goes on without end, so that nothing is claimed, and nothing wrong may be.

use crate::random_programs::{machine, song};
use plainsong_ir::Fairness;
use plainsong_liveness::{Explored, Finding};
use plainsong_semantics::replay::replay;

/// The most states of a program.
const STATES: usize = 20_000;

const ASKING: &str = "process client[c: C] { var waiting: bool = true;
    loop { send Req(c) to server; receive Ans from server; waiting = false; waiting = true; } }
    property p: forall c: C :: infinitely often pending(Req(c) to server) == 0;";

fn check(name: &str, text: &str, expected: &[&str]) {
    let song = song(text);
    let machine = machine(&song);
    let mut graph = Explored::new(&machine);
    graph.explore(STATES, &mut |_| true);
    assert_eq!(song.properties.len(), expected.len(), "{name}");
    for (property, expected) in song.properties.iter().zip(expected) {
        let mut found = String::new();
        for (level, wanted) in Fairness::ALL.into_iter().zip(expected.chars()) {
            found.push(match graph.ask(property, level).finding {
                Finding::Holds => 'H',
                Finding::Violated { trace, .. } => {
                    assert_eq!(replay(&machine, &trace), Ok(()), "{name} at {level}");
                    'R'
                }
                Finding::Open(_) if wanted == '?' => '?',
                Finding::Open(why) => panic!("{name}, {} at {level}: {why}", property.name),
            });
        }
        assert_eq!(&found, expected, "{name}, {}", property.name);
    }
}

#[test]
fn servers_and_their_clients() {
    let server = |via: &str| {
        format!(
            "sort C = 0..2; message Req(c: C){via}; message Ans;
             process server {{ loop {{ receive Req(c) from any; send Ans to client[c]; }} }} {ASKING}"
        )
    };
    check("G1", &server(""), &["RRHH"]);
    check("G1 unordered", &server(" via unordered"), &["RRHH"]);
    check("G2", &server(" via mailbox"), &["HHHH"]);
    let handlers = "sort C = 0..2; message Req(c: C); message Ans;
        process server { on Req(c) { send Ans to client[c]; } }
        process client[c: C] { var waiting: bool = true; on Ans { waiting = !waiting; send Req(c) to server; } }
        init { for c in C { send Req(c) to server; } }
        property p: forall c: C :: client[c].waiting leads to !client[c].waiting;
        property some_pending: infinitely often pending(Req) == 0;
        property one: eventually exists c: C :: !client[c].waiting;";
    check("G3, P1", handlers, &["RHHH", "RRRR", "HHHH"]);
    let guarded = "sort C = 0..2; message Acquire(c: C); message Release;
        process lock { var holder: option<C> = none;
            on Acquire(c) where holder == none { holder = some(c); send Release to lock; }
            on Release { match holder { some(c) => { holder = none; send Acquire(c) to lock; } none => {} } } }
        init { for c in C { send Acquire(c) to lock; } }
        property p: forall c: C :: infinitely often lock.holder == some(c);";
    check("G4", guarded, &["RRHH"]);
}

#[test]
fn locks() {
    let lock = "sort C = 0..2; var owner: option<C> = none;
        repeat action Acquire(c: C) { assume owner == none; owner = some(c); }
        repeat action Release(c: C) { assume owner == some(c); owner = none; }
        property each: forall c: C :: infinitely often owner == some(c);
        property held: infinitely often owner != none;
        property some_one: (exists c: C :: owner != some(c)) leads to (exists c: C :: owner == some(c));";
    check("G5", lock, &["RRRH", "HHHH", "HHHH"]);
    let declared = lock.replace("repeat action Acquire", "strong fair repeat action Acquire");
    check("G5 declared", &declared, &["RHHH", "HHHH", "HHHH"]);
    let spins = "sort C = 0..2; var taken: bool = false; var inside: map<C, bool> = map c: C => false;
        repeat action Test(c: C) { assume !inside[c]; if !taken { taken = true; inside[c] = true; } }
        repeat action Leave(c: C) { assume inside[c]; inside[c] = false; taken = false; }
        property p: forall c: C :: infinitely often inside[c];";
    check("G11 spinning", spins, &["RRRR"]);
    let blocks = spins.replace(
        "assume !inside[c]; if !taken {",
        "assume !inside[c] && !taken; {",
    );
    let blocks = blocks.replace(
        "; { taken = true; inside[c] = true; } }",
        "; taken = true; inside[c] = true; }",
    );
    check("G11 blocking", &blocks, &["RRRH"]);
    let polite = "sort C = 0..2; enum Pc { Idle, Up, Down } var pc: map<C, Pc> = map c: C => Idle; var inside: nat = 0;
        repeat action Raise(c: C) { assume pc[c] == Idle; pc[c] = Up; }
        repeat action Look(c: C) { assume pc[c] == Up; if forall d: C :: d == c || pc[d] != Up { inside = 1; } else { pc[c] = Down; } }
        repeat action Lower(c: C) { assume pc[c] == Down; pc[c] = Idle; }
        property p: eventually inside == 1;";
    check("G8", polite, &["RRRR"]);
}

#[test]
fn choices_and_links() {
    let coin = |fair: &str| {
        format!(
            "var a: bool = false; var b: bool = false;
         repeat action Throw() {{ a = {fair}choose bool; b = {fair}choose bool; }}
         property one: eventually a; property both: eventually a && b;"
        )
    };
    check("G27", &coin(""), &["RRRR", "RRRR"]);
    check("G26", &coin("fair "), &["RHHH", "RRRR"]);
    let link = |fault: &str| {
        format!(
            "message Data(v: bool); {fault}
         process sender {{ var v: bool = false; on Tick {{ v = !v; send Data(v) to receiver; }} }}
         message Tick; message Ready;
         process receiver {{ var yes: bool = false; var no: bool = false;
            on Data(v) {{ if v {{ yes = true; }} else {{ no = true; }} }} }}
         init {{ send Tick to sender; }}
         property both: eventually receiver.yes && receiver.no;"
        )
    };
    check("one datum", &link(""), &["RRRR"]);
    let alternates = "message Data(v: bool); fault lose Data; message Gone;
        process sender { var v: bool = false; loop { send Data(v) to receiver; v = !v; receive { Gone from receiver => {} timeout => {} } } }
        process receiver { var yes: bool = false; var no: bool = false;
            loop { receive Data(v) from sender; if v { yes = true; } else { no = true; } } }
        property either: eventually receiver.yes || receiver.no; property both: eventually receiver.yes && receiver.no;";
    check("G40", alternates, &["RR??", "RRRR"]);
}

#[test]
fn fairness_is_about_steps_and_components() {
    let steps = "sort D = 0..3; var x: D = 0; var last: bool = false;
        repeat action A() { x = (x + 1) % 3; last = true; } repeat action B() { x = choose D; last = false; }
        property last: infinitely often last; property two: infinitely often x == 2;";
    check("pitfall 1", steps, &["RHHH", "RRRR"]);
    let seat = "var held: bool = false; var looked: bool = false;
        unfair repeat action Hold() { assume !held; held = true; } repeat action Free() { assume held; held = false; }
        unfair repeat action Look() { assume held; looked = !looked; }
        property p: held leads to !held;";
    check("pitfall 2", seat, &["RHHH"]);
    let graph = "sort S = 0..5; var at: S = 0;
        repeat action Walk() { assume at < 4; let back = choose bool;
            at = if at == 3 { 2 } else { if at == 2 { if back { 0 } else { 3 } } else { at + 1 } }; }
        repeat action X() { assume at == 0; at = 4; } repeat action Y() { assume at == 1; at = 4; }
        property p: eventually at == 4;";
    check("pitfall 3 (G44)", graph, &["RRRR"]);
    let joins = "sort S = 0..5; var at: S = 0;
        repeat action Fork() { assume at == 0; maybe { at = 1; } else { at = 2; } }
        repeat action Join() { assume at == 1 || at == 2; at = 3; }
        repeat action Turn() { assume at == 3 || at == 4; at = 7 - at; }
        property p: eventually at == 1;";
    check("pitfall 5", joins, &["RRRR"]);
    let toggles = "var a: bool = false; var b: bool = false;
        repeat action A() { a = !a; } repeat action B() { assume !b; b = true; }
        property b: eventually b; property never: eventually always !b;";
    check("pitfall 9", toggles, &["RHHH", "RRRR"]);
    let gate = "var gate: bool = false; var done: bool = false;
        repeat action Go() { assume gate; done = true; } repeat action Flip() { gate = !gate; }
        property p: eventually done;";
    check("pitfall 18", gate, &["RRRH"]);
}

#[test]
fn what_is_served_owed_and_at_its_end() {
    let ticks = "message Tick; message Stop; process p { var stopped: bool = false;
        on Tick { send Tick to p; } on Stop { stopped = true; } }
        init { send Tick to p; send Stop to p; } property p: eventually p.stopped;";
    check("pitfall 12", ticks, &["RHHH"]);
    let ends = "var at: nat = 0; repeat action Step() { assume at == 0; at = 1; }
        property two: eventually at == 2; property often: infinitely often at == 1;
        property stays: eventually always at == 1; property zero: infinitely often at == 0;";
    check("G41", ends, &["RRRR", "HHHH", "HHHH", "RRRR"]);
    let think = |fair: &str| {
        format!(
            "sort P = 0..2; var turn: P = 0;
         {fair}repeat action Go(p: P) {{ assume turn == p; turn = 1 - p; }}
         property p: infinitely often turn == 1;"
        )
    };
    check("pitfall 13, ends", &think(""), &["HHHH"]);
    check("pitfall 13, thinks", &think("unfair "), &["RRRR"]);
    let fresh = "var seen: set<nat> = {}; var quiet: bool = false;
        repeat action M() { let x = choose nat where !(x in seen); seen = seen.with(x); }
        property p: eventually quiet;";
    check("pitfall 10", fresh, &["????"]);
    let grows = "message M; message Tick; process q { } process p { var n: nat = 0; on Tick { n = n + 1; send Tick to p; } }
        init { send Tick to p; }
        property ten: eventually p.n == 10; property below: eventually p.n == 999999; property even: infinitely often p.n % 2 == 0;";
    check("pitfall 16", grows, &["HHHH", "????", "????"]);
    let twice = "sort S = 0..4; var at: S = 0;
        repeat action Step() { at = if at == 3 { 2 } else { at + 1 }; }
        property once: eventually at == 1; property again: at == 2 leads to at == 1; property same: at == 1 leads to at == 1;";
    check("pitfall 19", twice, &["HHHH", "RRRR", "HHHH"]);
    let schedule = |fair: &str| {
        format!(
        "message Go; message Loop; {fair}process a {{ var done: bool = false; on Go {{ fair maybe {{ done = true; }} send Go to a; }} }}
         process b {{ on Loop {{ send Loop to b; }} }}
         init {{ send Go to a; send Loop to b; }} property p: eventually a.done;"
    )
    };
    check("pitfall 29", &schedule(""), &["RHHH"]);
    check("pitfall 29, unfair", &schedule("unfair "), &["RRRR"]);
}

#[test]
fn an_unread_counter_changes_nothing_that_is_found() {
    let text = |count: &str| {
        format!(
            "sort C = 0..2; var owner: option<C> = none; var k: nat = 0;
         repeat action Acquire(c: C) {{ assume owner == none; owner = some(c); {count} }}
         repeat action Release(c: C) {{ assume owner == some(c); owner = none; }}
         property each: forall c: C :: infinitely often owner == some(c);"
        )
    };
    check("pitfall 17, without", &text(""), &["RRRH"]);
    check("pitfall 17, with", &text("k = 1 - k;"), &["RRRH"]);
}
