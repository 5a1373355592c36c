//! Explorations in slices: the same sums as in one run, and never a verdict about something else.

use plainsong::sync::mpsc;
use plainsong::{
    Delivery, End, Explorer, FailureKind, Limit, Report, Restart, Verdict, assume, choose, cover,
    current, receive, receive_timeout, send, spawn, spawn_family, spawn_named,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A file of its own for each test, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let name = format!("plainsong-test-{}-{name}", std::process::id());
        let file = File(std::env::temp_dir().join(name).join("a folder/checkpoint"));
        let _ = std::fs::remove_file(&file.0);
        file
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).expect("there is a checkpoint")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let folder = self.0.parent().and_then(Path::parent);
        let _ = std::fs::remove_dir_all(folder.expect("see `new`"));
    }
}

/// Messages, choices, timeouts, assumptions, marks, processes that are not always there.
fn mixture() {
    let main = current();
    for n in 0..3_u32 {
        spawn(move || {
            if choose(0..2) == 0 {
                send(main, n);
            } else {
                spawn(move || send(main, n + 10));
            }
        });
    }
    let first = receive::<u32>();
    cover(format!("first {first}"));
    assume(first != 12);
    if receive_timeout::<u32>(Duration::ZERO).is_some_and(|second| second == 2) {
        cover("two comes second");
    }
    receive::<u32>();
}

type Sums = ([u64; 4], BTreeMap<String, u64>);

fn sums(report: &Report) -> Sums {
    let Report {
        executions,
        blocked,
        failed,
        events,
        coverage,
        ..
    } = report;
    ([*executions, *blocked, *failed, *events], coverage.clone())
}

/// Runs again and again until nothing is left; returns the last report and how many runs.
fn in_slices(
    explorer: &Explorer,
    file: &File,
    program: impl Fn() + Clone + Send + Sync + 'static,
) -> (Report, u64) {
    let mut runs = 1;
    let mut report = explorer.run(program.clone());
    while report.end == End::Limit(Limit::Executions) {
        assert_eq!(report.checkpoint_file.as_ref(), Some(&file.0));
        assert!(report.notes.iter().any(|note| note.contains("to go on")));
        report = explorer.run(program.clone());
        runs += 1;
        assert!(runs < 10_000, "{report}");
    }
    assert_eq!(report.checkpoint_file, None);
    assert!(!file.0.exists(), "{report}");
    (report, runs)
}

#[test]
fn slices_have_the_sums_of_one_run() {
    let deliveries = [
        Delivery::Unordered,
        Delivery::Fifo,
        Delivery::Causal,
        Delivery::Mailbox,
    ];
    for (at, delivery) in deliveries.into_iter().enumerate() {
        for jobs in [1, 2] {
            let explorer = Explorer::new().delivery(delivery).allow_deadlock(true);
            let explorer = match at % 2 {
                0 => explorer,
                _ => explorer.seed(5),
            };
            let whole = explorer.run(mixture);
            assert_eq!(whole.end, End::Complete, "{whole}");
            let all = whole.executions + whole.blocked;
            assert!(all > 80 && whole.coverage.len() > 5, "{whole}");
            let file = File::new(&format!("sums-{at}-{jobs}"));
            let explorer = explorer
                .jobs(jobs)
                .checkpoint_file(&file.0)
                .limit_executions(17);
            let (last, runs) = in_slices(&explorer, &file, mixture);
            assert_eq!(sums(&last), sums(&whole), "{delivery:?} {jobs}");
            assert_eq!(last.verdict, whole.verdict);
            assert_eq!(runs, all.div_ceil(17), "{delivery:?} {jobs}");
        }
    }
}

#[test]
fn many_checkpoints_on_the_way_change_nothing() {
    let whole = Explorer::new().allow_deadlock(true).run(mixture);
    for jobs in [1, 2] {
        let file = File::new(&format!("every-{jobs}"));
        let explorer = Explorer::new()
            .allow_deadlock(true)
            .jobs(jobs)
            .checkpoint_file(&file.0)
            .checkpoint_every(Duration::ZERO);
        let report = explorer.run(mixture);
        assert_eq!(sums(&report), sums(&whole));
        assert_eq!(report.end, End::Complete);
        assert!(!file.0.exists());
    }
}

/// Fails in 6 of 24 executions.
fn three_comes_first() {
    let main = current();
    for n in 0..4_u32 {
        spawn(move || send(main, n));
    }
    let order = [(); 4].map(|()| receive::<u32>());
    assert!(order[0] != 3, "three comes first");
    assert!(order[0] != 0, "zero comes first");
}

#[test]
fn failures_of_earlier_runs_are_remembered() {
    let whole = Explorer::new().keep_going(true).run(three_comes_first);
    let file = File::new("failures");
    let explorer = Explorer::new()
        .keep_going(true)
        .checkpoint_file(&file.0)
        .limit_executions(7);
    let first = explorer.run(three_comes_first);
    assert_eq!(first.verdict, Verdict::Refuted);
    assert_eq!(first.end, End::Limit(Limit::Executions));
    let (last, _) = in_slices(&explorer, &file, three_comes_first);
    assert_eq!(last.verdict, Verdict::Refuted);
    assert_eq!(sums(&last), sums(&whole));
    assert_eq!((last.failed, last.failures.len()), (12, 2));
    for (now, then) in last.failures.iter().zip(&whole.failures) {
        assert_eq!(now.to_string(), then.to_string());
        assert_eq!(now.trace, then.trace);
    }
}

#[test]
fn a_failure_in_a_later_run_is_found_and_ends_everything() {
    for jobs in [1, 2] {
        let file = File::new(&format!("later-{jobs}"));
        let explorer = Explorer::new().jobs(jobs).checkpoint_file(&file.0);
        let program = || assert_ne!(choose(0..100), 70);
        let first = explorer.clone().limit_executions(30).run(program);
        assert_eq!((first.verdict, first.executions), (Verdict::Unknown, 30));
        let last = explorer.run(program);
        assert_eq!((last.verdict, last.end), (Verdict::Refuted, End::Failure));
        assert_eq!(last.failed, 1);
        assert!(!file.0.exists());
    }
}

#[test]
fn executions_that_are_too_long_stay_unexplored() {
    let file = File::new("too-long");
    let explorer = Explorer::new()
        .limit_events_per_process(50)
        .checkpoint_file(&file.0)
        .limit_executions(1);
    let program = || {
        if choose(0..3) == 0 {
            loop {
                send(current(), ());
            }
        }
    };
    let (last, runs) = in_slices(&explorer, &file, program);
    assert_eq!(runs, 3);
    assert_eq!(last.end, End::Limit(Limit::Events));
    assert_eq!(last.verdict, Verdict::Unknown);
    assert_eq!((last.executions, last.blocked), (2, 1));
    let note = "`main` has more than 50 events in some execution";
    let starts = |one: &String| one.starts_with(note);
    assert!(last.notes.iter().any(starts), "{last}");
}

#[test]
fn a_cancelled_run_goes_on_later() {
    let file = File::new("cancel");
    let flag = Arc::new(AtomicBool::new(false));
    let explorer = Explorer::new()
        .cancel(Arc::clone(&flag))
        .checkpoint_file(&file.0);
    let runs = Arc::new(AtomicU64::new(0));
    let (inner_flag, inner_runs) = (Arc::clone(&flag), Arc::clone(&runs));
    let program = move || {
        let n = choose(0..100);
        if n == 40 && inner_runs.fetch_add(1, Ordering::Relaxed) == 0 {
            inner_flag.store(true, Ordering::Relaxed);
        }
    };
    let first = explorer.run(program.clone());
    assert_eq!(first.end, End::Cancelled);
    assert_eq!((first.verdict, first.executions), (Verdict::Unknown, 40));
    assert!(first.to_string().contains("unknown: cancelled"), "{first}");
    flag.store(false, Ordering::Relaxed);
    let last = explorer.run(program);
    assert_eq!((last.verdict, last.executions), (Verdict::Holds, 100));
    assert!(last.to_string().contains("sums of 2 runs"), "{last}");
}

fn hundred() {
    choose(0..100);
}

/// Explores ten executions, then the rest with other settings; that must not work.
fn refused(name: &str, change: impl Fn(Explorer) -> Explorer) -> String {
    let file = File::new(name);
    let explorer = Explorer::new().checkpoint_file(&file.0);
    let first = explorer.clone().limit_executions(10).run(hundred);
    assert_eq!(first.executions, 10);
    let before = file.text();
    let report = change(explorer.clone()).run(hundred);
    assert_eq!(file.text(), before, "nothing was touched");
    let last = explorer.run(hundred);
    assert_eq!((last.verdict, last.executions), (Verdict::Holds, 100));
    complaint(&report, &file)
}

/// Why a checkpoint was not used.
fn complaint(report: &Report, file: &File) -> String {
    assert_eq!(report.end, End::WrongCheckpoint, "{report}");
    assert_eq!(report.verdict, Verdict::Unknown);
    assert_eq!((report.executions, report.failed), (0, 0));
    assert_eq!(report.failures[0].kind, FailureKind::WrongCheckpoint);
    let text = report.failures[0].message.clone();
    assert!(text.contains(&file.0.display().to_string()), "{text}");
    assert!(text.contains("delete it"), "{text}");
    let passes = std::panic::catch_unwind(|| report.assert_no_failure());
    assert!(passes.is_err(), "nobody overlooks it");
    text
}

struct Blind;

#[plainsong::monitor(u32)]
impl Blind {
    fn number(&mut self, _number: &u32) {}
}

#[test]
fn other_settings_are_refused() {
    let delivery = refused("delivery", |explorer| explorer.delivery(Delivery::Causal));
    assert!(
        delivery.contains("delivery was fifo, is causal"),
        "{delivery}"
    );
    let seed = refused("seed", |explorer| explorer.seed(3));
    assert!(seed.contains("seed was none, is 3"), "{seed}");
    let events = refused("events", |explorer| explorer.limit_events(77));
    assert!(
        events.contains("limit_events was 100000, is 77"),
        "{events}"
    );
    let losses = refused("losses", |explorer| explorer.losses(2));
    assert!(losses.contains("was [1, 1, 1], is [2, 1, 1]"), "{losses}");
    let monitors = refused("monitors", |explorer| explorer.monitor(|| Blind));
    assert!(monitors.contains("monitors was 0, is 1"), "{monitors}");
    let deadlock = refused("deadlock", |explorer| explorer.allow_deadlock(true));
    assert!(deadlock.contains("allow_deadlock was false"), "{deadlock}");
    let failures = refused("keep-going", |explorer| explorer.keep_going(true));
    assert!(failures.contains("keep_going was false"), "{failures}");
    let restart = refused("restart", |explorer| explorer.restart(Restart::All));
    assert!(restart.contains("restart was Auto, is All"), "{restart}");
}

#[test]
fn other_programs_are_refused() {
    let file = File::new("program");
    let explorer = Explorer::new()
        .checkpoint_file(&file.0)
        .limit_executions(10);
    let _ = explorer.run(hundred);
    let report = explorer.run(three_comes_first);
    let text = complaint(&report, &file);
    assert!(text.contains("three_comes_first"), "{text}");
}

#[test]
fn another_executable_is_refused() {
    let file = File::new("executable");
    let explorer = Explorer::new()
        .checkpoint_file(&file.0)
        .limit_executions(10);
    let _ = explorer.run(hundred);
    let lines = file.text();
    let line = lines.lines().find(|line| line.starts_with("executable "));
    let other = lines.replace(line.expect("a line"), "executable 0123456789abcdef");
    std::fs::write(&file.0, other).expect("it can be written");
    let text = complaint(&explorer.run(hundred), &file);
    assert!(text.contains("the code has changed"), "{text}");
}

/// The same code; what it does depends on what it has captured.
fn captures(first: u32, then: u32) -> impl Fn() + Clone + Send + Sync + 'static {
    move || {
        if choose(0..first) > 0 {
            choose(0..then);
        }
    }
}

#[test]
fn the_same_code_that_does_something_else_is_refused() {
    let file = File::new("captured");
    let explorer = Explorer::new().checkpoint_file(&file.0).limit_executions(9);
    let _ = explorer.run(captures(4, 10));
    let before = file.text();
    let text = complaint(&explorer.run(captures(5, 10)), &file);
    assert!(text.contains("the first execution differs"), "{text}");
    let text = complaint(&explorer.run(captures(4, 3)), &file);
    assert!(text.contains("an execution that does not exist"), "{text}");
    assert_eq!(file.text(), before, "nothing was touched");
    let (last, _) = in_slices(&explorer, &file, captures(4, 10));
    assert_eq!((last.verdict, last.executions), (Verdict::Holds, 31));
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let file = File::new("broken");
    let explorer = Explorer::new()
        .checkpoint_file(&file.0)
        .limit_executions(10);
    let _ = explorer.run(hundred);
    let text = file.text();
    for (wrong, complaint_about) in [
        ("hello".to_owned(), "line 1: expected"),
        (text.replace("\nend\n", "\n"), "expected `end`"),
        (
            text.replace("executions 10", "executions ten"),
            "expected a line",
        ),
        (
            text.replace("checkpoint 1", "checkpoint 2"),
            "line 1: expected",
        ),
    ] {
        assert_ne!(wrong, text);
        std::fs::write(&file.0, wrong).expect("it can be written");
        let text = complaint(&explorer.run(hundred), &file);
        assert!(text.contains(complaint_about), "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_mentioned() {
    let file = File::new("unwritable");
    std::fs::create_dir_all(file.0.parent().expect("see `new`")).expect("a folder");
    // A folder is in the way of the neighbour that is renamed.
    let neighbour = format!("checkpoint.{}.new", std::process::id());
    std::fs::create_dir(file.0.with_file_name(neighbour)).expect("a folder");
    let explorer = Explorer::new()
        .checkpoint_file(&file.0)
        .limit_executions(10);
    let report = explorer.run(hundred);
    assert_eq!(report.checkpoint_file, None);
    assert!(report.notes[0].contains("was not written"), "{report}");
}

#[test]
fn processes_that_share_state_run_in_slices_too() {
    let program = || {
        let shared = Arc::new(std::sync::Mutex::new(0));
        let main = current();
        for n in 0..4_u32 {
            let shared = Arc::clone(&shared);
            spawn_named(format!("{n}"), move || {
                *shared.lock().expect("no panic") += 1;
                send(main, n);
            });
        }
        for _ in 0..4 {
            receive::<u32>();
        }
        assert_eq!(*shared.lock().expect("no panic"), 4);
    };
    let file = File::new("shared");
    let explorer = Explorer::new().checkpoint_file(&file.0).limit_executions(5);
    let (last, runs) = in_slices(&explorer, &file, program);
    assert_eq!((last.verdict, last.executions), (Verdict::Unknown, 24));
    assert_eq!(last.restart, Restart::All);
    assert!(last.notes.iter().any(|note| note.contains("share state")));
    assert_eq!(runs, 5);
    let (last, _) = in_slices(&explorer.restart(Restart::All), &file, program);
    assert_eq!((last.verdict, last.executions), (Verdict::Holds, 24));
}

#[test]
fn what_was_learnt_about_dropped_receivers_is_kept() {
    let program = || {
        let (sender, receiver) = mpsc::channel();
        for n in 0..3 {
            let sender = sender.clone();
            spawn(move || cover(format!("{n}: {}", sender.send(n).is_ok())));
        }
        drop(sender);
        let _ = receiver.recv();
        drop(receiver);
    };
    let whole = Explorer::new().run(program);
    let file = File::new("askers");
    let explorer = Explorer::new().checkpoint_file(&file.0).limit_executions(4);
    let first = explorer.run(program);
    assert!(file.text().contains("\nasker \"main\" 0 "), "{first}");
    let (last, runs) = in_slices(&explorer, &file, program);
    assert_eq!(sums(&last), sums(&whole), "{last}");
    assert_eq!(runs + 1, (whole.executions + whole.blocked).div_ceil(4));
}

#[test]
fn families_are_explored_in_slices_with_symmetry_and_without() {
    let vote = || {
        let main = current();
        spawn_family("voter", 4, move || send(main, choose(0..2)));
        for _ in 0..4 {
            receive::<i32>();
        }
    };
    for delivery in [Delivery::Fifo, Delivery::Causal] {
        let explorer = Explorer::new().delivery(delivery).symmetry(true);
        let whole = explorer.run(vote);
        let file = File::new(&format!("family-{delivery:?}"));
        let explorer = explorer.checkpoint_file(&file.0).limit_executions(7);
        let (last, runs) = in_slices(&explorer, &file, vote);
        assert_eq!(sums(&last), sums(&whole), "{last}");
        assert_eq!(runs, whole.executions.div_ceil(7));
    }
}

#[test]
fn estimates_of_later_slices_are_of_everything() {
    let file = File::new("estimate");
    let explorer = Explorer::new()
        .checkpoint_file(&file.0)
        .limit_executions(40);
    for _ in 0..2 {
        let estimate = explorer.run(hundred).estimate.expect("it is not complete");
        assert!((estimate.executions - 100.0).abs() < 1e-6, "{estimate}");
    }
}

#[test]
fn samples_leave_checkpoints_alone() {
    let file = File::new("sample");
    let explorer = Explorer::new().checkpoint_file(&file.0).sample(10);
    let report = explorer.run(hundred);
    assert_eq!(report.executions, 10);
    assert!(!file.0.exists());
    assert!(
        report.notes[0].contains("a sample has no checkpoint"),
        "{report}"
    );
}

/// Which file the other process should use.
const FILE: &str = "PLAINSONG_TEST_CHECKPOINT";

#[test]
#[ignore = "run by `another_process_goes_on`"]
fn one_slice() {
    let file = std::env::var_os(FILE).expect("the file is named");
    let explorer = Explorer::new().checkpoint_file(file).limit_executions(30);
    let report = explorer.allow_deadlock(true).run(mixture);
    assert_eq!(report.end, End::Limit(Limit::Executions), "{report}");
}

#[test]
fn another_process_goes_on() {
    let file = File::new("process");
    for _ in 0..2 {
        let mut command = std::process::Command::new(std::env::current_exe().expect("a test"));
        command.args(["--exact", "--ignored", "checkpoints::one_slice"]);
        let output = command.env(FILE, &file.0).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
    }
    assert!(file.text().contains("\nruns 2\n"), "{}", file.text());
    let explorer = Explorer::new().allow_deadlock(true);
    let whole = explorer.run(mixture);
    let last = explorer.checkpoint_file(&file.0).run(mixture);
    assert_eq!(last.end, End::Complete, "{last}");
    assert_eq!(sums(&last), sums(&whole));
}
