//! Sizes: the command line beats `at` beats `size` beats the default.

use crate::songs;
use crate::stage::Stage;

fn line(song: &str, arguments: &[&str], property: &str) -> String {
    let stage = Stage::with(song);
    let ran = stage.run(&[&["check", "a.song", "-v"], arguments].concat());
    let found = ran
        .out
        .lines()
        .find(|line| line.contains(&format!(" {property} ")));
    found
        .unwrap_or_else(|| panic!("no {property} in\n{}\n{}", ran.out, ran.err))
        .to_owned()
}

#[test]
fn who_decides() {
    let file = format!("size Client = 3;\n\n{}", songs::WATCHED);
    let at = file.replace("property never_more:", "property never_more at Client = 1:");
    assert!(line(songs::WATCHED, &[], "never_more").contains("Client=2"));
    assert!(line(&file, &[], "never_more").contains("Client=3"));
    assert!(line(&at, &[], "never_more").contains("Client=1"));
    assert!(line(&at, &["--bound", "int=0..1"], "no_deadlock").contains("Client=3"));
    assert!(line(&at, &["--size", "Client=4"], "never_more").contains("Client=4"));
}

#[test]
fn verbose_says_where_each_came_from() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&["check", "a.song", "-v"]).exits(0);
    assert!(ran.out.contains("Client=2 by default"), "{}", ran.out);
    let ran = stage
        .run(&["check", "a.song", "-v", "--size", "Client=3"])
        .exits(0);
    assert!(ran.out.contains("Client=3 from --size"), "{}", ran.out);
}

#[test]
fn a_range_is_tried_in_ascending_order_up_to_the_first_refutation() {
    assert!(line(songs::RACE, &["--size", "Client=1..3"], "some_order").contains("Client=1..=3"));
    let refuted = line(songs::RACE, &["--size", "Client=1..9"], "same");
    assert!(
        refuted.contains("REFUTED") && refuted.contains("Client=2 "),
        "{refuted}"
    );
}

#[test]
fn several_sizes_at_once() {
    let song = songs::FINE.replace("sort Client;", "sort Client;\nsort Extra;");
    let line = line(&song, &["--size", "Client=1,Extra=3"], "all_done");
    assert!(line.contains("Client=1, Extra=3"), "{line}");
}

#[test]
fn windows_of_integers_are_part_of_the_bound() {
    let line = |arguments: &[&str]| line(songs::LINE, arguments, "swap");
    assert!(line(&[]).contains("any size"));
    assert!(line(&["--bound", "nat=2"]).contains("int=-2..=2"));
    assert!(line(&["--bound", "int=-1..1"]).contains("int=-1..=1"));
}

#[test]
fn explore_stops_a_range_at_the_first_refutation_and_counts_there() {
    let stage = Stage::with(songs::RACE);
    let arguments = ["explore", "a.song", "--size", "Client=1..9"];
    let ran = stage
        .run(&[&arguments[..], &["--property", "same", "--json"]].concat())
        .exits(1);
    let verdict = ran.out.lines().find(|line| line.contains("\"verdict\""));
    let verdict = verdict.expect("a verdict");
    assert!(verdict.contains("\"bound\":{\"Client\":2}"), "{verdict}");
    assert!(verdict.contains("\"executions\":2"), "{verdict}");
}

#[test]
fn ranges_of_several_sorts_are_tried_by_their_total() {
    let song = songs::RACE.replace("sort Client;", "sort Client;\nsort Extra;");
    let sizes = ["--size", "Client=1..9,Extra=1..9", "--property", "same"];
    let refuted = line(&song, &sizes, "same");
    assert!(refuted.contains("Client=2, Extra=1 "), "{refuted}");
}

#[test]
fn sizes_grow_until_the_time_is_over_or_something_is_refuted() {
    for verb in ["check", "explore"] {
        let grow = |song: &str, property: &str, more: &[&str]| {
            let arguments = [verb, "a.song", "--grow", "--property", property];
            Stage::with(song).run(&[&arguments[..], more].concat())
        };
        let ran = grow(songs::RACE, "same", &[]).exits(1);
        assert!(ran.out.contains("Client=2 "), "{}", ran.out);
        let slowly = ["--timeout", "1", "-v", "--no-reduce", "order"];
        let ran = grow(songs::WATCHED, "never_more", &slowly).exits(0);
        assert!(ran.out.contains("holds      never_more"), "{}", ran.out);
        assert!(ran.out.contains("Client=1..="), "{}", ran.out);
        assert!(
            ran.out.contains("it grew no further: time limit"),
            "{}",
            ran.out
        );
    }
}

#[test]
fn what_does_not_even_reach_the_default_size_is_unknown() {
    let stage = Stage::with(songs::RACE);
    let grow = ["--grow", "--property", "some_order", "--bound", "states=2"];
    let ran = stage
        .run(&[&["check", "a.song"], &grow[..]].concat())
        .exits(2);
    assert!(ran.out.contains("limit on states"), "{}", ran.out);
}

#[test]
fn what_to_try_next_is_said_where_nobody_chose() {
    let stage = Stage::with(songs::WATCHED);
    let said = |arguments: &[&str]| stage.run(&[&["check", "a.song"], arguments].concat()).out;
    let next = "sizes      Client=2 by default; nothing wrong at Client=3 either; next: --size Client=4, or --grow";
    assert!(said(&[]).contains(next), "{}", said(&[]));
    assert!(!said(&["--size", "Client=2"]).contains("sizes  "));
    assert!(!said(&["--grow", "--timeout", "0.1"]).contains("sizes  "));
}

#[test]
fn growth_without_a_sort_to_grow_is_refused() {
    let stage = Stage::with(songs::RACE);
    let arguments = ["check", "a.song", "--grow", "--size", "Client=2"];
    let ran = stage.run(&arguments).exits(3);
    assert!(ran.err.contains("`--grow` has no effect"), "{}", ran.err);
}

/// Two leaders, of which one is made by a majority of two out of three and the other by a majority with the
/// same voter.
const NEEDS_THREE: &str = "\
sort Node;

message Ask(from: Node);
message Grant;

process node[n: Node] {
    var votes: nat = 0;
    for m in Node where m != n { send Ask(n) to node[m]; }
    while 2 * (votes + 1) <= Node.len() {
        receive {
            Ask(m) from any node => { send Grant to node[m]; }
            Grant from any node => { votes += 1; }
        }
    }
}

property few_votes: finally (sum n in Node :: node[n].votes) <= 2;
";

#[test]
fn what_needs_three_is_refuted_without_asking_for_three() {
    let stage = Stage::with(NEEDS_THREE);
    let ran = stage
        .run(&["check", "a.song", "--property", "few_votes"])
        .exits(1);
    assert!(
        ran.out.contains("few_votes              Node=3"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("few_votes: it holds with Node=2, the sizes by default"),
        "{}",
        ran.out
    );
    stage.run(&["replay", "out/a.few_votes.trace"]).exits(1);
    let ran = stage
        .run(&["explore", "a.song", "--property", "few_votes"])
        .exits(1);
    assert!(
        ran.out.contains("few_votes              Node=3"),
        "{}",
        ran.out
    );
    // Who says how big or how much gets just that.
    for asked in [&["--size", "Node=2"][..], &["--bound", "states=1000"]] {
        let ran = stage.run(&[&["check", "a.song", "--property", "few_votes"], asked].concat());
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(!ran.out.contains("Node=3 either"), "{}", ran.out);
    }
}

#[test]
fn what_was_seen_further_is_in_the_stream() {
    let stage = Stage::with(songs::WATCHED);
    let ran = stage.run(&["check", "a.song", "--json"]).exits(0);
    let line = ran.out.lines().find(|line| line.contains("\"further\""));
    let line = line.expect("a record");
    assert!(
        line.contains("\"bound\":{\"Client\":3},\"whole\":true"),
        "{line}"
    );
}

/// More states than `check` looks at one by one; six executions for three clients.
const MANY_STATES: &str = "\
sort Client;

message Hello(from: Client);
message Noise;

process server {
    var first: option<Client> = none;
    for c in Client {
        receive Hello(who) from any client;
        if first == none { first = some(who); }
    }
}

process client[c: Client] {
    send Hello(c) to server;
    for i in 0..40 {
        send Noise to sink[c];
        receive Noise from sink[c];
    }
}

process sink[c: Client] {
    for i in 0..40 {
        receive Noise from client[c];
        send Noise to client[c];
    }
}

property somebody: finally server.first != none;
";

#[test]
fn where_there_are_many_states_executions_are_visited() {
    let stage = Stage::with(MANY_STATES);
    let ran = stage
        .run(&[
            "check",
            "a.song",
            "--size",
            "Client=3",
            "--no-reduce",
            "order",
        ])
        .exits(0);
    assert!(
        ran.out.contains("explore") && ran.out.contains("6 executions"),
        "{}",
        ran.out
    );
    let ran = stage
        .run(&["check", "a.song", "--size", "Client=1"])
        .exits(0);
    assert!(ran.out.contains("states"), "{}", ran.out);
}

#[test]
fn what_is_false_of_a_single_member_only_is_refuted() {
    let stage = Stage::new();
    let text = "\
sort Node;
message Hello;
process node[n: Node] {
    var written: bool = false;
    for m in Node where m != n {
        send Hello to node[m];
        written = true;
    }
    for m in Node where m != n {
        receive Hello from node[m];
    }
}
property written: finally forall n: Node :: node[n].written;
";
    stage.write("neighbours.song", text);
    for verb in ["check", "explore"] {
        let told = stage.run(&[verb, "neighbours.song"]).exits(1);
        let row = told.out.lines().find(|row| row.contains("REFUTED"));
        let row = row.unwrap_or_default();
        assert!(
            row.contains("written") && row.contains("Node=1"),
            "{}",
            told.out
        );
    }
    // Whoever says how big gets just that.
    stage
        .run(&["check", "neighbours.song", "--size", "Node=2"])
        .exits(0);
    stage.write(
        "lemma.song",
        "sort S;\nlemma two() ensures exists a: S, b: S :: a != b {}\n",
    );
    for verb in ["check", "prove", "explore"] {
        let told = stage.run(&[verb, "lemma.song"]).exits(1);
        assert!(told.out.contains("S=1"), "{}", told.out);
    }
}
