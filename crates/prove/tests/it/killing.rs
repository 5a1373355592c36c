//! The solver is killed at random while proofs go on: what is false is never shown, and nothing breaks.

use crate::prover::SOLVERS;
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// So often a process is killed at least.
const KILLS: usize = 10;

const SONG: &str = "
    fn triangle(n: int) -> int requires n >= 0 ensures result >= 0 decreases n {
        if n == 0 { 0 } else { n + triangle(n - 1) }
    }
    lemma gauss(n: int) requires n >= 0 ensures 2 * triangle(n) == n * (n + 1) decreases n {
        if n > 0 { use gauss(n - 1); }
    }
    choreography c(n: int, s: seq<int>, a: set<int>, x: int) {
        endpoint me { var sum: int = 0; }
        requires n >= 0;
        for i in 0..n invariant me.sum == triangle(i) { me.sum = me.sum + i + 1; }
        use gauss(n);
        assert 2 * me.sum == n * (n + 1);
        assert a.with(x).len() >= a.len();
        assert a.with(x).len() > a.len() || x in a;
        assert s.push(x).len() == s.len() + 1;
        assert (sum i in 0..s.push(x).len() :: s.push(x)[i]) == x + sum i in 0..s.len() :: s[i];
        if x == 7 { assert a.with(x).len() > a.len(); }
        if x == 8 { assert 2 * me.sum == n * n; }
        if x == 9 { assert s.len() > 0; }
    }";

#[test]
fn what_is_shown_is_true_while_processes_are_killed() {
    let song = plainsong_syntax::compile(SONG).song.expect("it compiles");
    let song = Arc::new(song);
    let truth = shown(&song, &SOLVERS);
    assert!(truth.iter().any(|shown| *shown) && truth.iter().any(|shown| !shown));

    let folder = std::env::temp_dir().join(format!("plainsong-killing-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let numbers = folder.join("numbers");
    let is_done = AtomicBool::new(false);
    let kills = AtomicUsize::new(0);
    let rounds = thread::scope(|scope| {
        scope.spawn(|| {
            let mut pause = 1;
            while !is_done.load(Ordering::SeqCst) {
                pause = pause * 7 % 31;
                thread::sleep(Duration::from_millis(pause + 2));
                if kill_newest(&numbers) {
                    kills.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        let mut rounds = Vec::new();
        while kills.load(Ordering::SeqCst) < KILLS {
            let mut setup = Setup::from_environment();
            setup.answers = None;
            setup.places.named = Some(traceable(&folder, &numbers));
            rounds.push(shown(&song, &Solvers::new(setup)));
        }
        is_done.store(true, Ordering::SeqCst);
        rounds
    });
    for round in &rounds {
        for (at, (shown, truth)) in round.iter().zip(&truth).enumerate() {
            assert!(*truth || !*shown, "obligation {at} is shown, and false");
        }
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// Which obligations of the song are shown.
fn shown(song: &Arc<plainsong_ir::Song>, solvers: &Solvers) -> Vec<bool> {
    let mut theory = Theory::new(song.clone());
    let conditions = conditions(&mut theory, 0, &[]).expect("covered");
    let asked = conditions.obligations.into_iter();
    let asked: Vec<Obligation> = asked.filter(|one| one.rule != Rule::Vacuity).collect();
    let effort = Effort {
        name: "test".to_owned(),
        steps: Some(2),
        ..Effort::default()
    };
    let shown = discharge(&mut theory, &asked, solvers, &effort, &Cancel::default());
    shown.iter().map(|shown| *shown == Shown::Yes).collect()
}

/// A solver whose processes write their numbers into a file.
fn traceable(folder: &Path, numbers: &Path) -> PathBuf {
    let found = SOLVERS
        .primary(&Cancel::default())
        .expect("these tests need a solver");
    let script = format!(
        "#!/bin/sh\necho $$ >> {}\nexec {} \"$@\"\n",
        numbers.display(),
        found.solver.program.display()
    );
    let program = folder.join("solver");
    if !program.exists() {
        fs::write(&program, script).expect("a script");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, mode).expect("a program");
    }
    program
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
