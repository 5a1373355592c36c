//! `--timeout`, `--memory` and Ctrl-C hold, whoever is at work, and what is said then is whole.

use crate::stage::{Ran, Stage, finished};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Limits are kept within a second; machines that are busy get some more.
const SOON: Duration = Duration::from_secs(4);

/// Every state of four hundred processes takes long.
const MANY: &str = "\
sort Client;
message Ask;
message Told;
daemon process server {
    var asked: nat = 0;
    loop {
        receive Ask from any client[who];
        asked += 1;
        send Told to client[who];
    }
}
process client[c: Client] {
    var inside: bool = false;
    send Ask to server;
    receive Told from server;
    inside = true;
    inside = false;
}
property alone: always forall a, b: Client :: client[a].inside && client[b].inside ==> a == b;
";

/// A solver is asked about a polynomial that it knows nothing of.
const POLYNOMIAL: &str = "\
sort N = 0..;
message Pass(k: int);
process n[i: N] {
    var v: int = 0;
    if i == 0 {
        send Pass(0) to n[(i + 1) % N.len()];
        receive Pass(k) from n[(i + N.len() - 1) % N.len()];
        v = k;
    } else {
        receive Pass(k) from n[(i + N.len() - 1) % N.len()];
        v = k * (k - 1) * (k - 2) * (k - 3) * (k - 4) * (k - 5) * (k - 6);
        send Pass(k + 1) to n[(i + 1) % N.len()];
    }
}
property zero: finally forall i: N :: i > 0 ==> n[i].v == 0;
";

/// A log that grows, twice as fast as it is taken.
const LOG: &str = "\
sort Me = 0..3;
message Entry(text: seq<int>) via fifo;
process p[me: Me] {
    var log: seq<int> = [];
    on Entry(text) {
        log = text.push(log.len());
        send Entry(log) to p[me];
        send Entry(log) to p[(me + 2) % 3];
    }
}
init {
    send Entry([]) to p[1];
    send Entry([]) to p[2];
}
property quiet: eventually quiescent;
property short: always forall m: Me :: p[m].log.len() < 1000;
";

/// Messages that are copied twice as fast as they are taken.
const COPIES: &str = "\
sort Me = 0..3;
message Copy via fifo;
process p[me: Me] {
    var flag: bool = false;
    on Copy {
        send Copy to p[me];
        send Copy to p[(me + 2) % 3];
        flag = false;
    }
}
init {
    send Copy to p[1];
    send Copy to p[1];
    send Copy to p[2];
}
property quiet: eventually quiescent;
";

/// One expression takes for ever, and looks at no clock.
const EXPRESSION: &str = "\
fn fib(n: int) -> int { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
process p {
    var x: int = 0;
    x = fib(80);
}
property small: finally p.x < 100;
";

/// One property is refuted at once; then one step takes longer than anybody waits.
const REFUTED_THEN_SLOW: &str = "\
message Quick;
message Pause;
message Slow;
process p {
    var late: bool = false;
    var sum: int = 0;
    on Quick {
        late = true;
        send Pause to p;
    }
    on Pause { send Slow to p; }
    on Slow {
        let first = choose int where 0 <= first && first < 40;
        let second = choose int where 0 <= second && second < 6;
        var n: int = first + second;
        while n < 150000 {
            n = n + 1;
        }
        sum = n;
    }
}
init { send Quick to p; }
property early: always !p.late;
property small: always p.sum < 150001;
";

/// A game that has no end.
const GAME: &str = "\
choreography game() {
    endpoint a { var n: int = 0; }
    endpoint b { var n: int = 0; }
    loop {
        b.n = a.n;
        a.n = b.n + 1;
    }
}
";

/// Two processes that play for ever.
const BALL: &str = "\
message Ball(n: int);
process left { on Ball(n) { send Ball(n + 1) to right; } }
process right { on Ball(n) { send Ball(n + 1) to left; } }
init { send Ball(0) to left; }
property quiet: eventually quiescent;
";

#[test]
fn what_was_refuted_is_told_though_the_engine_is_left_behind() {
    let asked = ["check", "a.song", "--bound", "int=0..60", "--timeout", "1"];
    let ran = within(REFUTED_THEN_SLOW, &asked, Duration::from_secs(1)).exits(1);
    assert!(ran.out.contains("REFUTED    early"), "{}", ran.out);
    assert!(ran.out.contains("unknown    small"), "{}", ran.out);
}

#[test]
fn verbs_that_run_something_have_limits_too() {
    let cases: [(&str, &[&str]); 3] = [
        (BALL, &["sim", "a.song", "--steps", "1000000000"]),
        (GAME, &["run", "a.song", "--sequential"]),
        (MANY, &["estimate", "a.song", "--size", "Client=400"]),
    ];
    for (song, arguments) in cases {
        let arguments = [arguments, &["--timeout", "1"]].concat();
        let ran = within(song, &arguments, Duration::from_secs(1)).exits(2);
        let is_said = ran
            .err
            .contains("did not come to its end: time limit (1 s)");
        assert!(is_said, "{arguments:?}: {}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_simulation_keeps_to_its_memory() {
    let asked = ["sim", "a.song", "--steps", "1000000000", "--memory", "20"];
    let ran = within(LOG, &asked, Duration::from_secs(60)).exits(2);
    assert!(ran.err.contains("memory limit (20 MB)"), "{}", ran.err);
}

fn within(song: &str, arguments: &[&str], limit: Duration) -> Ran {
    let stage = Stage::with(song);
    let began = Instant::now();
    let ran = stage.run(arguments);
    let took = began.elapsed();
    assert!(took < limit + SOON, "{arguments:?} took {took:?}");
    ran
}

#[test]
fn a_time_limit_holds_whoever_is_at_work() {
    let cases: [(&str, &[&str]); 6] = [
        (MANY, &["check", "a.song", "--size", "Client=400"]),
        (MANY, &["explore", "a.song", "--size", "Client=60"]),
        (
            MANY,
            &["explore", "a.song", "--size", "Client=60", "--symmetry"],
        ),
        (POLYNOMIAL, &["sequentialize", "a.song"]),
        (LOG, &["diverge", "a.song"]),
        (EXPRESSION, &["check", "a.song"]),
    ];
    for (song, arguments) in cases {
        let arguments = [arguments, &["--timeout", "2"]].concat();
        let ran = within(song, &arguments, Duration::from_secs(2)).exits(2);
        // What one expression may compute is limited, too.
        let reasons = ["time limit (", "this takes too long to compute"];
        let is_said = reasons.iter().any(|reason| ran.out.contains(reason));
        assert!(is_said, "{}", ran.out);
    }
}

#[test]
fn a_hard_question_leaves_the_others_their_share() {
    let song = format!("{MANY}fn twice(n: int) -> int ensures result > n {{ n + n }}\n");
    let asked = ["check", "a.song", "--size", "Client=400", "--timeout", "2"];
    let ran = within(&song, &asked, Duration::from_secs(2)).exits(1);
    assert!(ran.out.contains("unknown    alone"), "{}", ran.out);
    assert!(ran.out.contains("of 2 s); see --timeout"), "{}", ran.out);
    assert!(ran.out.contains("REFUTED    twice"), "{}", ran.out);
}

#[test]
fn what_other_properties_got_stays_when_time_is_over() {
    let asked = ["sequentialize", "a.song", "--timeout", "3"];
    let ran = within(POLYNOMIAL, &asked, Duration::from_secs(3)).exits(2);
    assert!(ran.out.contains("proved     no_deadlock"), "{}", ran.out);
    assert!(ran.out.contains("unknown    zero"), "{}", ran.out);
}

#[test]
fn the_stream_is_whole_when_an_engine_is_left_behind() {
    let asked = ["check", "a.song", "--timeout", "1", "--json"];
    let ran = within(EXPRESSION, &asked, Duration::from_secs(1)).exits(2);
    let last = ran.out.lines().last().expect("a line");
    let summary: serde_json::Value = serde_json::from_str(last).expect("JSON");
    assert_eq!(summary["event"], "summary");
    assert_eq!(summary["exit"], 2);
    let verdicts = summary["verdicts"].as_array().expect("a list");
    assert_eq!(verdicts.len(), 3);
    // Where nothing has to be computed, there may be a proof.
    let mut open = verdicts
        .iter()
        .filter(|one| one["property"] != "no_deadlock");
    assert!(open.all(|one| one["verdict"] == "unknown"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_holds_whoever_is_at_work() {
    for (song, verb) in [(COPIES, "check"), (COPIES, "diverge"), (LOG, "explore")] {
        let asked = [verb, "a.song", "--memory", "20", "--property", "quiet"];
        let ran = within(song, &asked, Duration::from_secs(60)).exits(2);
        assert!(
            ran.out.contains("memory limit (20 MB)"),
            "{verb}: {}",
            ran.out
        );
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_whoever_is_at_work() {
    let cases: [(&str, &[&str]); 5] = [
        (MANY, &["check", "a.song", "--size", "Client=400"]),
        (POLYNOMIAL, &["sequentialize", "a.song"]),
        (EXPRESSION, &["check", "a.song"]),
        (EXPRESSION, &["sim", "a.song"]),
        (MANY, &["estimate", "a.song", "--size", "Client=400"]),
    ];
    for (song, arguments) in cases {
        let stage = Stage::with(song);
        let child = stage
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        std::thread::sleep(Duration::from_millis(1500));
        let began = Instant::now();
        let kill = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        finished(child.wait_with_output().expect("it ends")).exits(2);
        let took = began.elapsed();
        assert!(took < SOON, "{arguments:?} took {took:?}");
    }
}
