//! One random execution, and many.

use crate::songs;
use crate::stage::Stage;
use expect_test::expect;
use std::collections::BTreeSet;

/// Clients come in any order, and nothing is wrong with that.
const ORDERS: &str = "\
sort Client;

message Hello(from: Client);

process server {
    var first: option<Client> = none;
    for c in Client {
        receive Hello(who) from any client[d];
        if first == none {
            first = some(who);
        }
    }
}

process client[c: Client] {
    send Hello(c) to server;
}

property some_order: finally server.first != none;
";

#[test]
fn the_same_seed_is_the_same_execution() {
    let stage = Stage::with(ORDERS);
    let run = |seed: &str| {
        stage
            .run(&["sim", "a.song", "--size", "Client=3", "--seed", seed])
            .exits(0)
            .out
    };
    assert!(run("1").contains("not violated here: assertions, no_deadlock, some_order"));
    let mut different = BTreeSet::new();
    for seed in 0..20 {
        let seed = seed.to_string();
        let once = run(&seed);
        assert_eq!(once, run(&seed));
        different.insert(once.replace(&format!("seed {seed}\n"), ""));
    }
    assert!(
        different.len() >= 4,
        "six orders, twenty seeds, {} seen",
        different.len()
    );
}

#[test]
fn without_a_seed_it_says_which_it_was() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&["sim", "a.song"]).exits(0);
    let seed = ran
        .out
        .lines()
        .last()
        .and_then(|line| line.strip_prefix("  again: --seed "))
        .expect("a seed");
    let again = stage.run(&["sim", "a.song", "--seed", seed]).exits(0);
    assert!(
        ran.out.starts_with(&again.out),
        "{}\n{}",
        ran.out,
        again.out
    );
}

#[test]
fn a_picture() {
    let ran = Stage::with(songs::FINE)
        .run(&["sim", "a.song", "--seed", "1"])
        .exits(0);
    expect![[r#"
        a.song  Client=2  seed 1

            server                client[0]   client[1]
               |<-------------- Hello(Client#1) --|
               |<-- Hello(Client#0) --|           |

          state:       client[0].done = true   (was false)
                       client[1].done = true   (was false)
          it terminated: there is nothing left to do
          not violated here: assertions, no_deadlock, all_done
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn it_stops_when_told() {
    let stage = Stage::with(songs::ENDLESS);
    let ran = stage
        .run(&["sim", "a.song", "--seed", "1", "--steps", "6"])
        .exits(0);
    assert!(
        ran.out.contains("stopped by the limit on steps"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.matches("Tick(").count(), 3, "{}", ran.out);
}

#[test]
fn what_goes_wrong_is_one() {
    let ran = Stage::with(songs::DEADLOCK)
        .run(&["sim", "a.song", "--seed", "1"])
        .exits(1);
    assert!(
        ran.out.contains("left waits for Pong from right (line 5)"),
        "{}",
        ran.out
    );
}

#[test]
fn choreographies_and_actions_run_too() {
    let ran = Stage::with(songs::LINE)
        .run(&["sim", "a.song", "--seed", "1"])
        .exits(0);
    assert!(ran.out.contains("b -> a"), "{}", ran.out);
    let stage = Stage::with(songs::ACTIONS);
    let ran = stage.run(&["sim", "a.song", "--seed", "1"]).exits(1);
    let is_told = ran.out.contains("REFUTED    never_held") && ran.out.contains("Acquire(");
    assert!(is_told && !ran.out.contains("free"), "{}", ran.out);
}

/// Fails when the second message overtakes the first twice.
const OVERTAKEN: &str = "\
message One(n: int) via unordered;
message Two(n: int) via unordered;

process a {
    for n in 0..3 {
        send One(n) to b;
        send Two(n) to b;
    }
}

process b {
    var behind: int = 0;
    var twice: bool = false;
    for n in 0..6 {
        receive {
            One(k) => { behind -= 1; }
            Two(k) => { behind += 1; }
        }
        twice = twice || behind >= 3;
    }
}

property never_three: always !b.twice;
property sum_is_zero: finally b.behind == 0;
property grows: always old(b.twice) ==> b.twice;
property ends: eventually quiescent;
";

#[test]
fn one_execution_that_violates_something_is_told_like_a_refutation() {
    let stage = Stage::with(songs::RACE);
    let ran = stage.run(&["sim", "a.song", "--seed", "1"]).exits(1);
    for part in [
        "REFUTED    same",
        "seed 1",
        "replay: plainsong replay out/a.same.trace",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    stage.run(&["replay", "out/a.same.trace"]).exits(1);
}

#[test]
fn many_executions_find_what_is_rare_and_name_its_seed() {
    let stage = Stage::with(OVERTAKEN);
    let asked = ["sim", "a.song", "--runs", "3000", "--seed", "5"];
    let ran = stage.run(&asked).exits(1);
    assert!(ran.out.contains("REFUTED    never_three"), "{}", ran.out);
    let open = "not refuted in 3,000 random executions";
    assert_eq!(ran.out.matches(open).count(), 4, "{}", ran.out);
    assert!(
        ran.out.contains("not judged: no finite execution"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("seeds 5..=3004"), "{}", ran.out);
    assert!(!ran.out.contains("holds "), "{}", ran.out);
    // The seed that is named draws the execution again.
    let line = ran
        .out
        .lines()
        .find(|line| line.contains("REFUTED    never_three"));
    let line = line.expect("a line");
    let seed = line
        .split("seed ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let seed = seed.expect("a seed");
    let again = stage.run(&["sim", "a.song", "--seed", seed]).exits(1);
    assert!(
        again.out.contains("REFUTED    never_three"),
        "{}",
        again.out
    );
    stage.run(&["replay", "out/a.never_three.trace"]).exits(1);
}

#[test]
fn totals_do_not_depend_on_the_number_of_workers() {
    let stage = Stage::with(OVERTAKEN);
    for how in [&[][..], &["--pct", "3"], &["--fail-fast"]] {
        let run = |jobs: &str| {
            let asked = [
                "sim", "a.song", "--runs", "700", "--seed", "1", "--json", "--jobs", jobs,
            ];
            let ran = stage.run(&[&asked, how].concat());
            let lines = ran
                .out
                .lines()
                .filter(|line| !line.contains("\"event\":\"progress\""));
            let without_time = |line: &str| {
                let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
                forget_seconds(&mut value);
                value.to_string()
            };
            (ran.code, lines.map(without_time).collect::<Vec<_>>())
        };
        let one = run("1");
        assert_eq!(one, run("3"), "{how:?}");
        let random = one
            .1
            .iter()
            .find(|line| line.contains("\"event\":\"random\""));
        assert!(random.is_some(), "{one:?}");
    }
}

fn forget_seconds(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.remove("seconds");
            fields.values_mut().for_each(forget_seconds);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(forget_seconds),
        _ => {}
    }
}

#[test]
fn what_is_not_refuted_is_neither_proved_nor_does_it_hold() {
    let stage = Stage::with(songs::FINE);
    let ran = stage
        .run(&["sim", "a.song", "--runs", "50", "--json"])
        .exits(0);
    let verdicts: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.starts_with("{\"event\":\"verdict\""))
        .collect();
    assert_eq!(verdicts.len(), 3, "{}", ran.out);
    for verdict in verdicts {
        assert!(verdict.contains("\"verdict\":\"unknown\""), "{verdict}");
        assert!(
            verdict.contains("not refuted in 50 random executions"),
            "{verdict}"
        );
    }
}

#[test]
fn limits_end_random_checking_with_what_was_drawn() {
    let stage = Stage::with(songs::ENDLESS);
    let asked = ["sim", "a.song", "--runs", "1000000000", "--timeout", "1"];
    let ran = stage.run(&asked).exits(2);
    assert!(ran.err.contains("time limit (1 s)"), "{}", ran.err);
    assert!(ran.out.contains("not refuted in "), "{}", ran.out);
    assert!(
        ran.out.contains("stopped by the limit on steps"),
        "{}",
        ran.out
    );
}

#[test]
fn flags_of_many_executions_are_refused_for_one() {
    let stage = Stage::with(songs::FINE);
    for flags in [
        &["--jobs", "2"][..],
        &["--fail-fast"],
        &["--runs", "0"],
        &["--pct", "0"],
    ] {
        stage.run(&[&["sim", "a.song"], flags].concat()).exits(3);
    }
}

#[test]
fn whoever_types_chooses_what_happens_next() {
    let stage = Stage::with(songs::RACE);
    let step = |typed: &str| stage.run_with(&["sim", "a.song", "--step", "--seed", "1"], typed);
    let ran = step("1\n1\n1\n1\nq\n").exits(1);
    assert!(ran.out.contains("after 0 steps"), "{}", ran.out);
    assert!(
        ran.out
            .contains("client[0] sends Hello(Client#0) to server"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("VIOLATED   same: c = Client#"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("  holds      some_order"), "{}", ran.out);
    // What is taken back does not count, what makes no sense is explained, and the end of the input ends it.
    let ran = step("1\n1\n1\n1\nback\n99\nperhaps\n").exits(0);
    assert!(
        ran.out.matches("a number takes that step").count() == 3,
        "{}",
        ran.out
    );
    let ran = Stage::with(songs::DEADLOCK).run_with(&["sim", "a.song", "--step"], "");
    assert!(
        ran.code == 1 && ran.out.contains("VIOLATED   left waits for"),
        "{}",
        ran.out
    );
    stage
        .run(&["sim", "a.song", "--step", "--runs", "3"])
        .exits(3);
}
