//! The real solver, killed at random while it works: what comes out is right or unknown.

use crate::stage::{between, corpus, size, z3};
use plainsong_smt::{Cancel, Kind, Outcome, Pool, Query, Solver};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A solver whose processes write their numbers into a file.
fn traceable(numbers: &Path) -> Solver {
    let z3 = z3();
    let script = format!(
        "echo $$ >> {}; exec {} \"$@\"",
        numbers.display(),
        z3.program.display()
    );
    Solver {
        kind: Kind::Z3,
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into(), "sh".into()],
        version: z3.version,
    }
}

/// Is it still a child of this process? Numbers are used again.
fn is_ours(number: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.is_some_and(|parent| parent.trim() == std::process::id().to_string())
}

fn kill_newest(numbers: &Path) -> bool {
    let text = fs::read_to_string(numbers).unwrap_or_default();
    let alive = text.lines().rev().take(4).find(|number| is_ours(number));
    alive.is_some_and(|number| {
        let killed = Command::new("kill")
            .args(["-KILL", number])
            .stderr(Stdio::null())
            .status();
        killed.is_ok_and(|status| status.success())
    })
}

#[test]
fn verdicts_are_right_or_unknown_while_processes_are_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = folder.path().join("numbers");
    let pool = Pool::new(traceable(&numbers), size(2));
    let mut queries: Vec<(Query, bool)> = Vec::new();
    for at in 0..240 {
        queries.push((between(at, at + 1 + at % 2), at % 2 == 1));
    }
    for goal in corpus() {
        let mut query = goal.query;
        query.limits.resource = 30_000;
        query.ask.model = true;
        queries.push((query, goal.truth));
    }
    let is_done = AtomicBool::new(false);
    let kills = AtomicUsize::new(0);
    let asked: Vec<&Query> = queries.iter().map(|(query, _)| query).collect();
    let answers = thread::scope(|scope| {
        scope.spawn(|| {
            let mut pause = 1;
            while !is_done.load(Ordering::SeqCst) {
                pause = pause * 7 % 31;
                thread::sleep(Duration::from_millis(pause + 5));
                if kill_newest(&numbers) {
                    kills.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        // Until enough has happened; the first round may be over before anybody is killed.
        let mut answers = Vec::new();
        while kills.load(Ordering::SeqCst) < 12 {
            answers.push(pool.ask_all(&asked, &Cancel::default()));
        }
        is_done.store(true, Ordering::SeqCst);
        answers
    });
    let mut decided = 0;
    for (answer, (query, truth)) in answers.iter().flat_map(|round| round.iter().zip(&queries)) {
        match &answer.outcome {
            Outcome::Unknown(_) => continue,
            Outcome::Sat { values, .. } => {
                assert!(truth, "{}", query.name);
                assert_eq!(values.len(), query.ask.values.len());
            }
            Outcome::Unsat { .. } => assert!(!truth, "{}", query.name),
        }
        decided += 1;
    }
    assert!(
        decided * 2 > queries.len() * answers.len(),
        "{decided} decided"
    );
}
