//! What roles cost at run time, side by side with the same by hand: messages, a round of two-phase commit,
//! and two programs of the benchmarks game whose endpoints are in the shape that `plainsong project`
//! generates.
//!
//! The contestants of a row take turns, so that whatever else the machine does hits them alike; a row has
//! the median of each in CPU time of the whole process and in time on the wall, and the ratio of medians
//! to the first one, which is written by hand. Goals: a message within 1.1 of a raw channel, a round of
//! two-phase commit at least 1.5 times as fast as with ChoRus, and for the two programs hand/ours at least
//! 0.95.

#[cfg(feature = "peers")]
mod chorus;
mod commit;
mod messages;
mod nucleotides;
mod tcp;
mod trees;

use crate::measure::process_time;
use std::time::{Duration, Instant};

/// One way to do the work of a row.
pub struct Contestant {
    name: &'static str,
    run: Box<dyn Fn()>,
}

impl Contestant {
    /// A way to do it.
    pub fn new(name: &'static str, run: impl Fn() + 'static) -> Contestant {
        Contestant {
            name,
            run: Box::new(run),
        }
    }
}

/// A row: what it is called, how often it is measured, how many units of work a run has, and who takes part.
type Row = (&'static str, usize, u32, fn() -> Vec<Contestant>);

const ROWS: &[Row] = &[
    (
        "one-way, per message",
        31,
        messages::ONE_WAY,
        messages::one_way,
    ),
    (
        "ping-pong, per round trip",
        9,
        messages::ROUND_TRIPS,
        messages::ping_pong,
    ),
    (
        "two-phase commit, per round",
        9,
        commit::ROUNDS,
        commit::contestants,
    ),
    ("binary trees", 31, 1, trees::contestants),
    ("k-nucleotide", 31, 1, nucleotides::contestants),
    (
        "tcp stream, per message",
        9,
        tcp::MESSAGES,
        tcp::contestants,
    ),
];

/// Prints the rows that are wanted.
pub fn table(wanted: &dyn Fn(&str) -> bool) {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| wanted(row.0)).collect();
    if rows.is_empty() {
        return;
    }
    println!("run time (medians; ratio to the first of each row)");
    for &&(name, times, units, contestants) in &rows {
        row(name, times, units, contestants());
    }
}

/// Measures a row; its figures are those of one of so many units of work.
fn row(name: &str, times: usize, units: u32, contestants: Vec<Contestant>) {
    let mut measured = vec![Vec::new(); contestants.len()];
    for contestant in &contestants {
        (contestant.run)(); // warm
    }
    for _ in 0..times {
        for (contestant, figures) in contestants.iter().zip(&mut measured) {
            let (cpu, wall) = (process_time(), Instant::now());
            (contestant.run)();
            figures.push((process_time() - cpu, wall.elapsed()));
        }
    }
    println!("  {name}");
    let medians = measured.into_iter().map(median);
    let mut first = None;
    for (contestant, (cpu, wall)) in contestants.iter().zip(medians) {
        let (first_cpu, first_wall) = *first.get_or_insert((cpu, wall));
        println!(
            "    {:<28} cpu {:>10} ({:.2})   wall {:>10} ({:.2})",
            contestant.name,
            show(cpu / units),
            cpu.as_secs_f64() / first_cpu.as_secs_f64(),
            show(wall / units),
            wall.as_secs_f64() / first_wall.as_secs_f64(),
        );
    }
}

/// The medians of both figures, each by itself.
fn median(figures: Vec<(Duration, Duration)>) -> (Duration, Duration) {
    let (mut cpu, mut wall): (Vec<Duration>, Vec<Duration>) = figures.into_iter().unzip();
    cpu.sort_unstable();
    wall.sort_unstable();
    (cpu[cpu.len() / 2], wall[wall.len() / 2])
}

fn show(time: Duration) -> String {
    let nanoseconds = time.as_secs_f64() * 1e9;
    match nanoseconds {
        ..1e3 => format!("{nanoseconds:.1} ns"),
        ..1e6 => format!("{:.2} us", nanoseconds / 1e3),
        _ => format!("{:.2} ms", nanoseconds / 1e6),
    }
}
