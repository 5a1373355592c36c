//! How long the line of each benchmark takes to find, beside the CPU time of the original rewriter, and beside the
//! size at which SPIN stops. Goals: under 1 ms, and ten times faster than the original.
//!
//! The original's times are those of its rewriter alone, once loaded, without the 80 ms that its start takes
//! (SWI-Prolog 9.0.4, measured on a machine like the one these tables were made for; SPIN's limits there too).
//! Where several terms of it stand for one benchmark, the quicker one counts.

mod spin;

use crate::measure::{best_of, milliseconds};
use plainsong_sequentialize::sequentialize;
use std::path::Path;
use std::time::Duration;

/// Names of benchmarks, with the milliseconds of the original where it proves them.
const ORIGINAL: &[(&str, Option<f64>)] = &[
    ("ex2", Some(0.47)),
    ("ex3", Some(0.66)),
    ("pingdet", Some(0.61)),
    ("pingiter", Some(0.66)),
    ("pingsym", Some(0.36)),
    ("pingsym2", Some(2.3)),
    ("concdb", Some(13.7)),
    ("distdb", None),
    ("firewall", Some(3.5)),
    ("lockserver", Some(0.7)),
    ("mapreduce", Some(2.3)),
    ("parikh", Some(2.7)),
    ("registry", Some(1.1)),
    ("twobuyers", Some(1.6)),
    ("2pcommit", Some(7.4)),
    ("worksteal", Some(2.4)),
    ("theque", Some(12.0)),
];

/// Runs per figure.
const TIMES: u32 = 200;

/// Prints the table.
pub fn table() {
    println!("\nsequentialize: one line for every size, engine alone, CPU time");
    println!(
        "{:<12} {:>10} {:>10} {:>8}",
        "benchmark", "line", "original", "faster"
    );
    for (name, original) in ORIGINAL {
        let took = line(name);
        let (theirs, ratio) = match original {
            Some(theirs) => {
                let ratio = theirs / (took.as_secs_f64() * 1e3);
                (format!("{theirs:.2} ms"), format!("{ratio:.0}x"))
            }
            None => ("fails".to_owned(), "-".to_owned()),
        };
        println!(
            "{name:<12} {:>10} {theirs:>10} {ratio:>8}",
            milliseconds(took)
        );
    }
    spin::table();
}

/// How long the line of a benchmark takes.
fn line(name: &str) -> Duration {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../crates/sequentialize/tests/programs/benchmark");
    let path = folder.join(format!("{name}.song"));
    let text = std::fs::read_to_string(path).expect("the benchmark is there");
    let song = plainsong_syntax::compile(&text).song.expect("it compiles");
    let (took, found) = best_of(TIMES, || sequentialize(&song, None));
    assert!(found.is_ok(), "{name} is proved");
    took
}
