//! Layered programs: `plainsong refine`, cold and unchanged, beside Debian's `boogie` (2.4.1, with its CIVL) on the
//! same programs in its own syntax.
//!
//! Both run as processes of their own, solvers included; each figure is the smallest of several runs, user and system
//! time together. Goals: a second cold, a tenth of a second unchanged, and faster than the peer on each. Needs
//! `target/release/plainsong`; without `boogie` (Debian's packages `boogie` and `z3`) its column is empty.
//!
//! The peer's programs are ours: `workers`, `spin_lock` and `ticket` as in chapter 2 of [Kragl20], `increments`,
//! `lock_service`, `agreement`, `two_phase_commit` and `tasks` as in chapter 4, `two_locks` after the description of a
//! benchmark of the peer. It has no yield invariants, so what they say stands behind each `yield`; it takes our word for
//! it that `agreement` comes to an end, and for what `two_phase_commit` says about the size of a set. Like our song, that
//! one is about a single transaction. A procedure does not call itself there, so `workers` spin in a loop.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A song, and the peer's program if there is one.
const ROWS: &[(&str, Option<&str>)] = &[
    (
        "songs/refine/spin-lock-of-workers-that-draw-a-name.song",
        Some("workers.bpl"),
    ),
    ("examples/spin_lock.song", Some("spin_lock.bpl")),
    (
        "songs/refine/two-locks-and-a-pair.song",
        Some("two_locks.bpl"),
    ),
    ("songs/refine/ticket-lock.song", Some("ticket.bpl")),
    (
        "songs/refine/increments-and-decrements-one-by-one.song",
        Some("increments.bpl"),
    ),
    (
        "songs/refine/lock-service-with-client.song",
        Some("lock_service.bpl"),
    ),
    (
        "songs/refine/ping-pong-agreement.song",
        Some("agreement.bpl"),
    ),
    (
        "songs/refine/two-phase-commit-with-handlers.song",
        Some("two_phase_commit.bpl"),
    ),
    ("songs/refine/task-distribution.song", Some("tasks.bpl")),
    ("songs/refine/spin-lock-whose-reads-get-a-gate.song", None),
    ("songs/refine/two-counters-only-grow.song", None),
    ("songs/refine/gc-barrier.song", None),
    ("songs/refine/bluetooth-driver.song", None),
    ("songs/refine/treiber-stack.song", None),
    ("songs/refine/shared-vector.song", None),
    ("songs/refine/lock-coupled-list.song", None),
];

/// How often each is run.
const RUNS: usize = 3;

/// Prints the table.
pub fn table() {
    println!("\nrefine, CPU seconds of the whole process, solver included");
    println!(
        "{:<42} {:>8} {:>10} {:>8} {:>12}",
        "program", "cold", "unchanged", "boogie", "boogie/cold"
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let plainsong = root.join("target/release/plainsong");
    if !plainsong.exists() {
        println!("(there is no `target/release/plainsong`: build it first)");
        return;
    }
    for (song, peer) in ROWS {
        let cold = shortest(|| ours(&root, &plainsong, song, true));
        let unchanged = shortest(|| ours(&root, &plainsong, song, false));
        let peer = peer.and_then(|file| {
            let file = root.join("bench/src/refine").join(file);
            shortest(|| theirs(&file))
        });
        let told = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.2}"));
        let ratio = peer.zip(cold).map(|(peer, cold)| peer / cold.max(0.01));
        let name = Path::new(song).file_stem().unwrap_or_default();
        println!(
            "{:<42} {:>8} {:>10} {:>8} {:>12}",
            name.to_string_lossy(),
            told(cold),
            told(unchanged),
            told(peer),
            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.1}"))
        );
    }
}

fn shortest(run: impl Fn() -> Option<f64>) -> Option<f64> {
    (0..RUNS).filter_map(|_| run()).min_by(f64::total_cmp)
}

/// Our own time, with a cache of its own; cold when that has no answers. (The solver is fetched by the first run.)
fn ours(root: &Path, plainsong: &Path, song: &str, cold: bool) -> Option<f64> {
    let cache: PathBuf = std::env::temp_dir().join("plainsong-bench-refine");
    if cold {
        let _ = std::fs::remove_dir_all(cache.join("plainsong/answers"));
    }
    let command = format!(
        "'{}' refine '{}'",
        plainsong.display(),
        root.join(song).display()
    );
    timed(&command, &[("XDG_CACHE_HOME", cache)], "fine.")
}

fn theirs(file: &Path) -> Option<f64> {
    let options = "-noinfer -typeEncoding:m -useArrayTheory";
    timed(
        &format!("boogie {options} '{}'", file.display()),
        &[],
        " 0 errors",
    )
}

/// User and system seconds of a command that ends well: one that says what is expected.
fn timed(command: &str, variables: &[(&str, PathBuf)], expected: &str) -> Option<f64> {
    let script = format!("TIMEFORMAT='%U %S'; time {command} 2>/dev/null");
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(script);
    for (name, value) in variables {
        bash.env(name, value);
    }
    let output = bash.output().ok()?;
    if !String::from_utf8_lossy(&output.stdout).contains(expected) {
        return None;
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let last = told.lines().last()?;
    let times = last.split_whitespace().map(str::parse::<f64>);
    times.sum::<Result<f64, _>>().ok()
}
