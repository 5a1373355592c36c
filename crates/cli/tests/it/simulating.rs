//! One random execution.

use crate::songs;
use crate::stage::Stage;
use expect_test::expect;
use std::collections::BTreeSet;

#[test]
fn the_same_seed_is_the_same_execution() {
    let stage = Stage::with(songs::RACE);
    let run = |seed: &str| {
        stage
            .run(&["sim", "a.song", "--size", "Client=3", "--seed", seed])
            .exits(0)
            .out
    };
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
    let ran = Stage::with(songs::ACTIONS)
        .run(&["sim", "a.song", "--seed", "1"])
        .exits(0);
    assert!(
        ran.out.contains("Acquire(") && ran.out.contains("Release("),
        "{}",
        ran.out
    );
}
