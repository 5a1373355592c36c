//! Many explorations in one process, long ones, and ends of the whole program.

use plainsong::{Explorer, choose, current, receive, send, spawn};
use std::process::{Command, Output};

fn senders_and_receives(n: u32) {
    let receiver = spawn(move || (0..n).map(|_| receive::<u32>()).sum::<u32>());
    for i in 0..n {
        let to = receiver.process();
        spawn(move || send(to, i));
    }
}

#[cfg(target_os = "linux")]
fn nine_processes() {
    let receiver = spawn(|| [(); 8].map(|()| receive::<u32>()));
    for n in 0..7_u32 {
        spawn(move || plainsong::try_receive::<u32>().unwrap_or(n));
    }
    (0..8_u32).for_each(|n| send(receiver.process(), n));
}

#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
pub(crate) fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps")
        .unwrap()
        .lines()
        .count()
}

/// In a process of its own, because other tests have memory too.
#[test]
#[cfg(target_os = "linux")]
fn thousands_of_explorations_leave_nothing_behind() {
    let output = run_alone("endurance::alone_thousands_of_explorations");
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "run by thousands_of_explorations_leave_nothing_behind"]
fn alone_thousands_of_explorations() {
    if !is_alone() {
        return;
    }
    let explore = |times: u32| {
        for _ in 0..times {
            let report = plainsong::explore(nine_processes);
            report.assert_holds();
            assert_eq!(report.executions, 1);
        }
    };
    explore(100);
    let before = (resident(), mappings());
    explore(4000);
    let after = (resident(), mappings());
    assert!(
        after.0 < before.0 + 2000,
        "kilobytes before and after: {before:?} {after:?}"
    );
    assert!(
        after.1 < before.1 + 20,
        "mappings before and after: {before:?} {after:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_executions() {
    let output = run_alone("endurance::alone_many_executions");
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "run by memory_does_not_grow_with_the_number_of_executions"]
fn alone_many_executions() {
    if !is_alone() {
        return;
    }
    let run = |n: u32| {
        let report = Explorer::new().run(move || {
            senders_and_receives(n);
            // Processes that are given up in the middle, with something on their stack.
            let text = choose(["one", "two"]).repeat(100);
            spawn(move || {
                plainsong::try_receive::<u8>();
                let kept = text.clone();
                plainsong::assume(kept.len() > 1_000);
            });
        });
        report.assert_holds();
        assert!(report.blocked > 0);
    };
    run(3);
    let before = resident();
    run(6);
    let after = resident();
    assert!(
        after < before + 2000,
        "kilobytes before and after: {before} {after}"
    );
}

#[test]
fn a_long_execution_is_no_problem() {
    let rounds = 2_000;
    let report = plainsong::explore(move || {
        let main = current();
        let other = spawn(move || {
            for _ in 0..rounds {
                let n = receive::<u32>();
                send(main, n + 1);
            }
        });
        for n in 0..rounds {
            send(other.process(), n);
            assert_eq!(receive::<u32>(), n + 1);
        }
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
    assert!(report.events > 4 * u64::from(rounds));
}

/// Runs one test of this program in a process of its own.
pub(crate) fn run_alone(test: &str) -> Output {
    run_with(test, "0")
}

fn run_with(test: &str, backtrace: &str) -> Output {
    let mut command = alone(test);
    command.env("RUST_BACKTRACE", backtrace).output().unwrap()
}

/// One test of this program, to be run in a process of its own.
pub(crate) fn alone(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            test,
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ALONE, "yes");
    command
}

const ALONE: &str = "PLAINSONG_ALONE";

/// Was this test started by [`run_alone`]? Otherwise it does nothing: some of them end the program.
pub(crate) fn is_alone() -> bool {
    std::env::var_os(ALONE).is_some()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
#[cfg(unix)]
fn a_stack_overflow_is_explained() {
    let output = run_alone("endurance::alone_overflow");
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("has overflowed its stack of 64 KiB"),
        "{text}"
    );
    assert!(text.contains("Explorer::stack_size"), "{text}");
}

#[test]
#[cfg(unix)]
#[ignore = "run by a_stack_overflow_is_explained"]
fn alone_overflow() {
    if !is_alone() {
        return;
    }
    #[expect(unconditional_recursion, reason = "that is the mistake")]
    fn deeper(n: u64) -> u64 {
        std::hint::black_box(n) + deeper(n + 1)
    }
    let explorer = Explorer::new().stack_size(64 * 1024);
    explorer.run(|| assert!(deeper(0) > 0)).assert_holds();
}

#[test]
fn more_stack_can_be_had() {
    fn deep(n: u64) -> u64 {
        let room = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { room[3] + deep(n - 1) }
    }
    let explorer = Explorer::new().stack_size(16 * 1024 * 1024);
    explorer.run(|| assert!(deep(4_000) > 0)).assert_holds();
}

#[test]
fn panics_of_explored_code_are_not_printed() {
    let output = run_alone("endurance::alone_panics");
    assert!(output.status.success());
    let text = stderr(&output);
    assert!(!text.contains("in the explored code"), "{text}");
    assert!(text.contains("outside of it"), "{text}");
}

#[test]
#[ignore = "run by panics_of_explored_code_are_not_printed"]
fn alone_panics() {
    if !is_alone() {
        return;
    }
    let report = Explorer::new().keep_going(true).run(|| {
        spawn(|| receive::<()>());
        assert!(choose(0..4) != 2, "in the explored code");
    });
    assert_eq!(report.failed, 4);
    let outside = std::panic::catch_unwind(|| panic!("outside of it"));
    assert!(outside.is_err());
}

#[test]
fn a_destructor_that_receives_at_the_wrong_moment_is_explained() {
    let output = run_alone("endurance::alone_receiving_destructor");
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("was called by a destructor while its process unwinds"),
        "{text}"
    );
    assert!(text.contains("endurance.rs:"), "{text}");
}

#[test]
#[ignore = "run by a_destructor_that_receives_at_the_wrong_moment_is_explained"]
fn alone_receiving_destructor() {
    if !is_alone() {
        return;
    }
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            receive::<u32>();
        }
    }
    let report = plainsong::explore(|| {
        let _waits = Waits;
        receive::<()>();
    });
    report.assert_no_failure();
}

#[test]
fn a_destructor_that_panics_at_the_wrong_moment_is_explained() {
    let output = run_alone("endurance::alone_panicking_destructor");
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("a destructor panicked while an execution was given up"),
        "{text}"
    );
    assert!(text.contains("never dropped like this"), "{text}");
}

#[test]
#[ignore = "run by a_destructor_that_panics_at_the_wrong_moment_is_explained"]
fn alone_panicking_destructor() {
    if !is_alone() {
        return;
    }
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("never dropped like this");
        }
    }
    let report = Explorer::new().allow_deadlock(true).run(|| {
        let bomb = Bomb;
        receive::<()>();
        std::mem::forget(bomb);
    });
    report.assert_holds();
}

#[test]
fn frames_are_the_users_own() {
    let output = run_with("endurance::alone_frames", "1");
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "run by frames_are_the_users_own"]
fn alone_frames() {
    if !is_alone() {
        return;
    }
    #[inline(never)]
    fn innermost(n: u32) {
        assert!(n < 1, "deep inside");
    }
    let report = plainsong::explore(|| {
        spawn(|| innermost(choose([1])));
    });
    let frames = report.failures[0].backtrace.clone().unwrap();
    let first = frames.lines().next().unwrap();
    assert!(first.contains("innermost"), "{frames}");
    assert!(
        !frames.contains("corosensei") && !frames.contains("plainsong::machine"),
        "{frames}"
    );
    assert!(!frames.contains("core::panicking"), "{frames}");
}

#[test]
fn a_destructor_that_panics_during_a_panic_hides_neither() {
    let output = run_alone("endurance::alone_two_panics");
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(text.contains("so the program aborts:"), "{text}");
    let [first, second] = ["the first panic", "the second panic"].map(|it| text.find(it));
    assert!(first.is_some() && first < second, "{text}");
    assert!(text.matches("it/endurance.rs:").count() >= 2, "{text}");
}

#[test]
#[ignore = "run by a_destructor_that_panics_during_a_panic_hides_neither"]
fn alone_two_panics() {
    if !is_alone() {
        return;
    }
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the second panic");
        }
    }
    let report = plainsong::explore(|| {
        let _bomb = Bomb;
        panic!("the first panic");
    });
    report.assert_no_failure();
}
