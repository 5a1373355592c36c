//! Numbers of executions.

use crate::songs;
use crate::stage::Stage;

const TWO_PHASE_COMMIT: &str = include_str!("../../../../examples/two_phase_commit.song");

#[test]
fn two_phase_commit_has_288_executions_with_three_databases() {
    let stage = Stage::with(TWO_PHASE_COMMIT);
    let ran = stage.run(&["explore", "a.song", "--size", "Db=3"]).exits(0);
    assert!(ran.out.contains("288 executions, 0 blocked"), "{}", ran.out);
}

#[test]
fn blocked_executions_are_counted() {
    let ran = Stage::with(songs::DEADLOCK)
        .run(&["explore", "a.song"])
        .exits(1);
    assert!(ran.out.contains("0 executions, 1 blocked"), "{}", ran.out);
}

#[test]
fn a_range_counts_the_largest_and_verbose_tells_all() {
    let stage = Stage::with(songs::FINE);
    let ran = stage
        .run(&["explore", "a.song", "--size", "Client=1..3", "-v"])
        .exits(0);
    assert!(ran.out.contains("6 executions, 0 blocked"), "{}", ran.out);
    assert!(ran.out.contains("1, 2, 6 executions"), "{}", ran.out);
}

#[test]
fn delivery_models_differ() {
    let song = "\
message Number(n: nat);

process source {
    send Number(1) to sink;
    send Number(2) to sink;
}

process sink {
    var first: nat = 0;
    receive Number(a);
    first = a;
    receive Number(b);
}

property in_order: finally sink.first == 1;
";
    let stage = Stage::with(song);
    let executions = |model: &str| stage.run(&["explore", "a.song", "--delivery", model]);
    assert!(
        executions("fifo")
            .exits(0)
            .out
            .contains("1 execution, 0 blocked")
    );
    assert!(
        executions("causal")
            .exits(0)
            .out
            .contains("1 execution, 0 blocked")
    );
    assert!(
        executions("mailbox")
            .exits(0)
            .out
            .contains("1 execution, 0 blocked")
    );
    assert!(
        executions("unordered")
            .exits(1)
            .out
            .contains("2 executions, 0 blocked")
    );
}

#[test]
fn forms_without_messages_have_verdicts_but_no_count() {
    let ran = Stage::with(songs::LINE)
        .run(&["explore", "a.song"])
        .exits(0);
    assert!(
        ran.out.contains("swap") && !ran.out.contains("execution"),
        "{}",
        ran.out
    );
}

#[test]
fn several_workers_say_what_one_says() {
    let stage = Stage::with(TWO_PHASE_COMMIT);
    stage.write("b.song", songs::DEADLOCK);
    for (file, code) in [("a.song", 0), ("b.song", 1)] {
        let one = stage.run(&["explore", file]).exits(code).timeless();
        let three = stage.run(&["explore", file, "--jobs", "3"]).exits(code);
        assert_eq!(three.timeless(), one);
    }
}

const COMMIT: &str =
    include_str!("../../../../songs/explore/transaction-manager-and-resource-managers.song");
const BROKEN_COMMIT: &str =
    include_str!("../../../../songs/explore/transaction-manager-that-does-not-wait.song");

#[test]
fn several_workers_search_states_as_one_does() {
    let stage = Stage::with(COMMIT);
    stage.write("b.song", BROKEN_COMMIT);
    for (file, code) in [("a.song", 0), ("b.song", 1)] {
        let asked = ["explore", file, "--size", "Rm=5"];
        let one = stage.run(&asked).exits(code).timeless();
        let three = stage.run(&[&asked[..], &["--jobs", "3"]].concat());
        assert_eq!(three.exits(code).timeless(), one);
    }
}

#[test]
fn a_limit_on_memory_ends_a_search_and_says_how_far_it_came() {
    let stage = Stage::with(COMMIT);
    let asked = ["explore", "a.song", "--size", "Rm=7", "--memory", "1"];
    let ran = stage.run(&asked).exits(2);
    assert!(
        ran.out.contains("need more than 1 MB of memory"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("see --memory"), "{}", ran.out);
    stage
        .run(&["explore", "a.song", "--size", "Rm=5", "--memory", "100"])
        .exits(0);
}

#[test]
fn workers_without_work_are_refused() {
    let stage = Stage::with(songs::LINE);
    let ran = stage.run(&["explore", "a.song", "--jobs", "2"]).exits(3);
    assert!(ran.err.contains("`--jobs` has no effect"), "{}", ran.err);
    stage.write("b.song", songs::DEADLOCK);
    stage.run(&["check", "b.song", "--jobs", "2"]).exits(1);
    stage.run(&["explore", "b.song", "--jobs", "0"]).exits(3);
}

/// Workers that each do their work once.
const WORKERS: &str = "\
sort Worker;
size Worker = 3;

var done: set<Worker> = {};

action Work(w: Worker) { done = done.with(w); }

init { for w in Worker { async Work(w); } }

property all_done: finally done == Worker;
";

#[test]
fn states_are_visited_up_to_names() {
    let stage = Stage::with(WORKERS);
    let all = stage.run(&["explore", "a.song"]).exits(0);
    assert!(all.out.contains("8 states"), "{}", all.out);
    let some = stage.run(&["explore", "a.song", "--symmetry"]).exits(0);
    assert!(some.out.contains("4 states"), "{}", some.out);
    let note = "states that differ only in the names of `Worker` count once";
    assert!(some.out.contains(note), "{}", some.out);
}

#[test]
fn what_tells_members_apart_is_named() {
    let song = WORKERS.replace("sort Worker", "sort Worker ordered");
    let stage =
        Stage::with(&(song + "property first: always done.is_empty() || done.min() in done;\n"));
    let ran = stage.run(&["explore", "a.song", "--symmetry"]).exits(0);
    let note =
        "first: searched without the symmetry of `Worker`: `min` depends on their order (line 11)";
    assert!(ran.out.contains(note), "{}", ran.out);
    assert!(ran.out.contains("8 states"), "{}", ran.out);
    let whole = WORKERS
        .replace("sort Worker", "sort Worker ordered")
        .replace(
            "done = done.with(w);",
            "done = if done.is_empty() || done.max() < w { done.with(w) } else { done };",
        );
    stage.write("c.song", &whole);
    let ran = stage.run(&["explore", "c.song", "--symmetry"]).exits(1);
    let note = "assertions: `Worker` is not symmetric: members are compared here (line 6)";
    assert!(ran.out.contains(note), "{}", ran.out);
    assert!(!ran.out.contains("searched without"), "{}", ran.out);
    stage.write("b.song", songs::LINE);
    let ran = stage.run(&["explore", "b.song", "--symmetry"]).exits(3);
    assert!(
        ran.err.contains("`--symmetry` has no effect"),
        "{}",
        ran.err
    );
}

#[test]
fn a_failure_up_to_names_is_told_in_one_naming() {
    let song = WORKERS.replace("finally done == Worker", "always done.len() < 3");
    let stage = Stage::with(&song);
    let ran = stage.run(&["explore", "a.song", "--symmetry"]).exits(1);
    let names = ["Worker#0", "Worker#1", "Worker#2"];
    assert!(
        names.iter().all(|name| ran.out.contains(name)),
        "{}",
        ran.out
    );
}

/// Workers that report to an office, which counts them.
const REPORTS: &str = "\
sort Worker;
size Worker = 3;

message Task(of: Worker);
message Report(of: Worker);

process office {
    var known: set<Worker> = {};
    for w in Worker { send Task(w) to worker[w]; }
    for w in Worker {
        receive Report(of) from any worker;
        known = known.with(of);
    }
}

process worker[w: Worker] {
    receive Task(of);
    send Report(of) to office;
}

property all_known: finally office.known == Worker;
";

#[test]
fn states_of_processes_are_visited_up_to_names() {
    let stage = Stage::with(REPORTS);
    let ran = stage.run(&["explore", "a.song", "--symmetry"]).exits(0);
    let note = "states that differ only in the names of `Worker` count once: 31 states instead of";
    assert!(ran.out.contains(note), "{}", ran.out);
}

/// One property that looks at members in order is searched without symmetry, the others with it.
#[test]
fn a_property_that_tells_members_apart_leaves_the_others_their_symmetry() {
    let ordered = "property before: always forall a, b: Worker :: a < b ==> KNOWN.len() <= 3;\n";
    let twin = "property lowest: always KNOWN.is_empty() || KNOWN.min() != KNOWN.max();\n";
    for (song, known, few, many) in [
        (WORKERS, "done", "4 states", "8 states"),
        (REPORTS, "office.known", "31 states", "6 executions"),
    ] {
        let song = song.replace("sort Worker", "sort Worker ordered") + ordered + twin;
        let stage = Stage::with(&song.replace("KNOWN", known));
        for verb in ["explore", "check"] {
            let ran = stage.run(&[verb, "a.song", "--symmetry"]).exits(1);
            let line = |name: &str| {
                let mut lines = ran.out.lines();
                let found = lines.find(|line| line.contains(name));
                found.unwrap_or_else(|| panic!("{name}: {}", ran.out))
            };
            assert!(line("holds      assertions").contains(few), "{}", ran.out);
            assert!(line("holds      all_").contains(few), "{}", ran.out);
            assert!(line("holds      before").contains(many), "{}", ran.out);
            line("REFUTED    lowest");
            let note = "before: searched without the symmetry of `Worker`: members are compared here (line";
            assert!(ran.out.contains(note), "{}", ran.out);
            let note = "lowest: searched without the symmetry of `Worker`: `min` depends on their order (line";
            assert!(ran.out.contains(note), "{}", ran.out);
            assert!(!ran.out.contains("is not symmetric"), "{}", ran.out);
        }
    }
}

/// The real loop goes through the members in their order, and the execution that is shown is one of those.
#[test]
fn what_fails_up_to_names_is_shown_and_replays() {
    let song = REPORTS.replace(
        "finally office.known == Worker",
        "always office.known.len() < 2",
    );
    let stage = Stage::with(&song);
    let ran = stage
        .run(&["explore", "a.song", "--symmetry", "--json"])
        .exits(1);
    assert!(ran.out.contains("all_known"), "{}", ran.out);
    stage.run(&["replay", "out/a.all_known.trace"]).exits(1);
}

/// What depends on the order of a loop is found to hold, although it would not hold in another order.
#[test]
fn a_loop_keeps_its_order_where_it_matters() {
    let song = "\
sort Worker;
size Worker = 2;
message Word(of: Worker);
process office {
    for w in Worker { send Word(w) to desk; }
}
process desk {
    var same: bool = true;
    for w in Worker {
        receive Word(of) from office;
        same = same && of == w;
    }
}
property in_order: finally desk.same;
";
    let stage = Stage::with(song);
    let ran = stage.run(&["explore", "a.song", "--symmetry"]).exits(0);
    let held = "holds      in_order               Worker=2      explore";
    assert!(ran.out.contains(held), "{}", ran.out);
    assert!(ran.out.contains("1 execution"), "{}", ran.out);
}

#[test]
fn what_tells_processes_apart_is_named() {
    let song = REPORTS
        .replace("sort Worker", "sort Worker ordered")
        .replace(
            "send Report(of) to office;",
            "if of < w { send Report(of) to office; } else { send Report(w) to office; }",
        );
    let stage = Stage::with(&song);
    let ran = stage.run(&["explore", "a.song", "--symmetry"]).exits(0);
    let note = "`Worker` is not symmetric: members are compared here (line 18)";
    assert!(ran.out.contains(note), "{}", ran.out);
    assert!(ran.out.contains("6 executions"), "{}", ran.out);
}

/// Within a constraint, too; one that tells members apart is named.
#[test]
fn constraints_keep_symmetry() {
    let song = "\
sort Db;
size Db = 4;
message Go via unordered;
process db[d: Db] { var n: nat = 0; on Go { n += 1; } }
init { for d in Db { send Go to db[d]; } }
constraint few: (count d: Db :: db[d].n > 0) < 3;
property one: always forall d: Db :: db[d].n < 2;
property step: always forall d: Db :: db[d].n >= old(db[d].n);
";
    let stage = Stage::with(song);
    let asked = ["explore", "a.song", "--symmetry"];
    let ran = stage.run(&asked).exits(0);
    let saved = "names of `Db` count once: 3 states instead of at most 11";
    assert!(ran.out.contains(saved), "{}", ran.out);
    let told = song
        .replace("sort Db;", "sort Db ordered;")
        .replace(" < 3;", " < 3 && forall a, b: Db where a < b :: true;");
    let ran = Stage::with(&told).run(&asked).exits(0);
    let note = "`Db` is not symmetric: members are compared here (line 6)";
    assert!(ran.out.contains(note), "{}", ran.out);
    assert!(ran.out.contains("11 states"), "{}", ran.out);
}

/// A tells C and B, and B tells C: what B says may come first unless causes are respected.
const TRIANGLE: &str = "\
message First;
message Go;
message Second;

process a {
    send First to c;
    send Go to b;
}

process b {
    receive Go;
    send Second to c;
}

process c {
    var firsts: nat = 0;
    var early: bool = false;
    receive {
        First => { firsts += 1; }
        Second => { early = true; }
    }
    receive {
        First => { firsts += 1; }
        Second => {}
    }
}

property in_order: finally !c.early;
";

#[test]
fn all_models_are_compared_and_the_smallest_difference_shown() {
    let stage = Stage::with(TRIANGLE);
    let arguments = [
        "explore",
        "a.song",
        "--delivery",
        "all",
        "--property",
        "in_order",
    ];
    let ran = stage.run(&arguments).exits(1);
    let said = "in_order: holds under causal, mailbox; refuted under unordered, fifo";
    assert!(ran.out.contains(said), "{}", ran.out);
    let difference = "c takes Second from b before First from a, which was sent earlier; causal";
    assert!(ran.out.contains(difference), "{}", ran.out);
    assert_eq!(
        ran.out.matches("\nREFUTED in_order").count(),
        1,
        "{}",
        ran.out
    );
    let ran = stage.run(&[&arguments[..], &["--json"]].concat()).exits(1);
    let record = ran
        .out
        .lines()
        .find(|line| line.contains("\"event\":\"delivery\""));
    let record = record.expect("a record");
    assert!(
        record.contains("\"holds\":[\"causal\",\"mailbox\"]"),
        "{record}"
    );
    assert!(record.contains("c takes Second"), "{record}");
}

#[test]
fn the_trace_of_the_border_replays() {
    let stage = Stage::with(TRIANGLE);
    let arguments = [
        "explore",
        "a.song",
        "--delivery",
        "all",
        "--property",
        "in_order",
    ];
    let out = stage.run(&arguments).exits(1).out;
    let paths = out.split("   trace ").skip(1);
    let mut replayed = 0;
    for path in paths.filter_map(|rest| rest.split_whitespace().next()) {
        stage.run(&["replay", path]).exits(1);
        replayed += 1;
    }
    assert_eq!(replayed, 2, "{out}");
}

#[test]
fn one_execution_has_one_model() {
    let ran = Stage::with(TRIANGLE)
        .run(&["sim", "a.song", "--delivery", "all"])
        .exits(3);
    assert!(ran.err.contains("one delivery model"), "{}", ran.err);
}

#[test]
fn a_folder_for_states_that_fit_into_memory_stays_empty() {
    let stage = Stage::with(songs::FINE);
    let ran = stage.run(&["explore", "a.song", "--disk", "states"]);
    ran.exits(0);
    assert!(!stage.path("states").exists());
}
