//! SPIN on the same protocols: the size at which it stops within 60 s of CPU time and 8 GB, next to the time for any
//! size. `PLAINSONG_SPIN_SECONDS` sets another limit, for a quick look; 0 leaves SPIN out. `PLAINSONG_SPIN` names the
//! benchmarks to run it on, with commas between them.
//!
//! Needs `spin` and `gcc` (Debian's packages); without them the table
//! says so.

mod models;

use crate::measure::milliseconds;
use std::path::Path;
use std::process::Command;

/// The limit of the paper that the benchmarks come from.
const SECONDS: u32 = 60;
const KILOBYTES: u64 = 8 * 1024 * 1024;
/// Setting up its memory takes SPIN this long.
const AT_ONCE: f64 = 0.5;
/// Larger sizes are not tried.
const MOST: usize = 40;

/// Prints the table.
pub fn table() {
    let limit = std::env::var("PLAINSONG_SPIN_SECONDS");
    let limit: u32 = limit.ok().and_then(|n| n.parse().ok()).unwrap_or(SECONDS);
    if limit == 0 {
        return;
    }
    println!("\nSPIN for growing N, within {limit} s and 8 GB, beside a line for any N");
    println!(
        "{:<12} {:>10} {:>20} {:>10}",
        "benchmark", "any N", "SPIN", "SPIN stops"
    );
    let folder = std::env::temp_dir().join("plainsong-bench-spin");
    if std::fs::create_dir_all(&folder).is_err() || Command::new("spin").arg("-V").output().is_err()
    {
        println!("(there is no `spin` here)");
        return;
    }
    let wanted = std::env::var("PLAINSONG_SPIN").ok();
    let is_wanted = |name: &str| match &wanted {
        Some(names) => names.split(',').any(|one| one == name),
        None => true,
    };
    for (name, model) in MODELS.iter().filter(|(name, _)| is_wanted(name)) {
        let one_size = OF_ONE_SIZE.contains(name);
        let (last, failed) = match one_size {
            true => (
                run(&folder, &model(1), limit).map(|seconds| (1, seconds)),
                None,
            ),
            false => largest(|n| run(&folder, &model(n), limit)),
        };
        let passed = last.map_or("-".to_owned(), |(n, seconds)| match one_size {
            true => format!("in {seconds:.1} s"),
            false => format!("N={n} in {seconds:.1} s"),
        });
        let failed = failed.map_or("-".to_owned(), |n| format!("N={n}"));
        let ours = milliseconds(super::line(name));
        println!("{name:<12} {ours:>10} {passed:>20} {failed:>10}");
    }
}

/// The largest size that passes, with its seconds, and the first that does not. Sizes that cost nothing are leapt over.
fn largest(run: impl Fn(usize) -> Option<f64>) -> (Option<(usize, f64)>, Option<usize>) {
    let mut last: Option<(usize, f64)> = None;
    let mut failed = None;
    loop {
        let (passed, seconds) = last.unwrap_or((0, 0.0));
        let leap = if seconds < AT_ONCE && failed.is_none() {
            4
        } else {
            1
        };
        let next = passed + leap;
        if failed == Some(next) || next > MOST {
            return (last, failed);
        }
        match run(next) {
            Some(seconds) => last = Some((next, seconds)),
            None => failed = Some(next),
        }
    }
}

/// The CPU seconds of one instance, or nothing when it hits a limit.
fn run(folder: &Path, model: &str, limit: u32) -> Option<f64> {
    std::fs::write(folder.join("m.pml"), model).ok()?;
    let script = format!(
        "spin -a m.pml >/dev/null && gcc -std=gnu99 -O -DSAFETY -DVECTORSZ=4096 -o pan pan.c 2>/dev/null && \
         ( ulimit -v {KILOBYTES}; ulimit -t {limit}; TIMEFORMAT='%U'; time ./pan -m10000000 > pan.out ) 2>&1 | tail -1"
    );
    let output = Command::new("bash")
        .arg("-c")
        .arg(script)
        .current_dir(folder)
        .output()
        .ok()?;
    let told = std::fs::read_to_string(folder.join("pan.out")).ok()?;
    let fine = told.contains("errors: 0")
        && !told.contains("out of memory")
        && !told.contains("max search depth too small");
    let seconds = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .ok()?;
    fine.then_some(seconds)
}

type Model = fn(usize) -> String;

const MODELS: &[(&str, Model)] = &[
    ("ex2", models::ex2),
    ("ex3", models::ex3),
    ("pingdet", models::ping_det),
    ("pingiter", models::ex3),
    ("pingsym", models::ping_sym),
    ("pingsym2", models::ping_sym_twice),
    ("concdb", models::database),
    ("distdb", models::databases),
    ("firewall", models::firewall),
    ("lockserver", models::lock_server),
    ("mapreduce", models::map_reduce),
    ("parikh", models::parikh),
    ("registry", models::registry),
    ("twobuyers", models::two_buyers),
    ("2pcommit", models::two_phase_commit),
    ("worksteal", models::work_stealing),
    ("theque", models::file_store),
];

/// Benchmarks that have one size only.
const OF_ONE_SIZE: [&str; 2] = ["parikh", "twobuyers"];
