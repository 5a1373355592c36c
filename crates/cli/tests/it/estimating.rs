//! `plainsong estimate`.

use crate::songs;
use crate::stage::Stage;

#[test]
fn few_executions_are_counted() {
    let stage = Stage::with(songs::RACE);
    let ran = stage
        .run(&["estimate", "a.song", "--size", "Client=3..4"])
        .exits(0);
    let expected = "\
a.song  Client=3
  executions     6, all of them counted
  time           no time at all
  interleavings  about 90
  because of     `receive Hello(who) from any client[d]` at line 8: 6x
a.song  Client=4
  executions     24, all of them counted
  time           no time at all
  interleavings  about 2,500
  because of     `receive Hello(who) from any client[d]` at line 8: 24x
";
    // The numbers are 90 and 2,520; what is said is a guess.
    let near = |text: &str| {
        let numbers = text.lines().filter(|line| line.contains("interleavings"));
        let numbers = numbers.filter_map(|line| line.rsplit(' ').next());
        numbers
            .map(|number| number.replace(',', "").parse::<f64>().expect("a number"))
            .collect::<Vec<_>>()
    };
    let found = near(&ran.out);
    assert!((found[0] - 90.0).abs() < 18.0, "{}", ran.out);
    assert!((found[1] - 2520.0).abs() < 500.0, "{}", ran.out);
    let without = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.contains("interleavings"));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(without(&ran.out), without(expected));
}

#[test]
fn many_are_estimated() {
    let stage = Stage::with(songs::RACE);
    let ran = stage
        .run(&["estimate", "a.song", "--size", "Client=17"])
        .exits(0);
    assert!(
        ran.out
            .contains("executions     about 360,000,000,000,000 ± 0 (1,000 random ones)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("a second with one worker"), "{}", ran.out);
    assert!(ran.out.contains("interleavings  about 10^3"), "{}", ran.out);
    let ran = stage
        .run(&[
            "estimate",
            "a.song",
            "--size",
            "Client=17",
            "--walks",
            "10",
            "--json",
        ])
        .exits(0);
    assert!(ran.out.contains("\"event\":\"estimate\",\"file\":\"a.song\",\"bound\":{\"Client\":17},\"executions\":355687428096000.0,\"margin\":0.0,\"walks\":10"), "{}", ran.out);
}

#[test]
fn what_has_no_executions_is_refused() {
    let stage = Stage::with(songs::ACTIONS);
    let ran = stage.run(&["estimate", "a.song"]).exits(3);
    assert!(
        ran.err
            .contains("there are no executions to count: nothing sends messages"),
        "{}",
        ran.err
    );
    stage.write("b.song", songs::ENDLESS);
    let ran = stage.run(&["estimate", "b.song"]).exits(3);
    assert!(
        ran.err
            .contains("executions cannot be counted here: an execution has more than 4,000 events"),
        "{}",
        ran.err
    );
    stage.write("c.song", songs::FINE);
    stage
        .run(&["estimate", "c.song", "--delivery", "all"])
        .exits(3);
}

#[test]
fn a_long_exploration_says_how_far_it_has_come() {
    let stage = Stage::with(songs::WATCHED);
    let ran = stage
        .run(&[
            "explore",
            "a.song",
            "--size",
            "Client=12",
            "--bound",
            "first-executions=1000000000",
            "--timeout",
            "1.5",
        ])
        .exits(2);
    let first = ran.err.lines().next().expect("a line of progress");
    assert!(
        first.contains("  est. 480,000,000 ± 0 (") && first.contains(" s left)"),
        "{first}"
    );
}
