//! One exploration, measured in a process of its own.
//!
//! The process repeats the exploration until it has taken a while, because a short one costs more the
//! first time: memory is touched first, code is read in. The shortest time counts.

use super::{CASES, Case, songs};
use crate::measure::{best_of, peak_memory, process_time};
use std::process::Command;
use std::time::Duration;

/// The word that makes this program measure one exploration and print the figures.
pub const MEASURE: &str = "--measure";

/// How the process of its own is told to explore the song.
const SONG: &str = "song";

/// Whose exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Plainsong's, with so many workers.
    Ours(usize),
    /// Plainsong's, of the song.
    Song,
    /// The peer's.
    Peer,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Executions that ended.
    pub executions: u64,
    /// Executions that did not.
    pub blocked: u64,
    /// Events of all executions that were inserted into the graph; ours only.
    pub events: u64,
    /// CPU time, in nanoseconds.
    pub time: u64,
    /// CPU time of the worker that worked longest; ours only.
    pub longest: u64,
    /// Peak of resident memory, in bytes.
    pub memory: u64,
}

impl Measured {
    /// CPU time of the exploration, in seconds.
    pub fn seconds(&self) -> f64 {
        self.time as f64 / 1e9
    }

    /// CPU time per execution, in seconds.
    pub fn each(&self) -> f64 {
        self.seconds() / self.executions.max(1) as f64
    }

    /// Keeps the shorter time and the larger memory.
    pub fn keep_better(&mut self, other: Measured) {
        let memory = self.memory.max(other.memory);
        if other.time < self.time {
            *self = other;
        }
        self.memory = memory;
    }

    fn fields(&mut self) -> [&mut u64; 6] {
        [
            &mut self.executions,
            &mut self.blocked,
            &mut self.events,
            &mut self.time,
            &mut self.longest,
            &mut self.memory,
        ]
    }
}

/// Starts this program again to measure a case.
pub fn in_its_own_process(who: Who, case: Case) -> Measured {
    let this = std::env::current_exe().expect("this program has a file");
    let who = match who {
        Who::Ours(workers) => workers.to_string(),
        Who::Song => SONG.to_owned(),
        Who::Peer => "peer".to_owned(),
    };
    let output = Command::new(this)
        .args([MEASURE, &who, case.program, &case.n.to_string()])
        .arg(case.delivery)
        .output()
        .expect("this program can be started again");
    let text = String::from_utf8_lossy(&output.stdout);
    let figures: Option<Vec<u64>> = text.lines().next_back().map(|line| {
        line.split(' ')
            .filter_map(|word| word.parse().ok())
            .collect()
    });
    let mut measured = Measured::default();
    let fields = measured.fields();
    match figures {
        Some(figures) if output.status.success() && figures.len() == fields.len() => {
            fields
                .into_iter()
                .zip(figures)
                .for_each(|(field, figure)| *field = figure);
        }
        _ => panic!("{case}: {text}{}", String::from_utf8_lossy(&output.stderr)),
    }
    measured
}

/// In the process of its own: measures, and prints the figures in one line.
pub fn measure(words: &[String]) {
    let [who, program, n, delivery] = words else {
        panic!("{MEASURE} needs: who program size delivery");
    };
    let is_it = |case: &Case| case.program == program && case.delivery == delivery;
    let known = CASES.iter().map(|row| row.0).find(is_it);
    let known = known.or_else(|| songs::called(program, delivery));
    let case = Case {
        n: n.parse().expect("a size"),
        ..known.expect("a known program")
    };
    let mut measured = match who == SONG {
        true => {
            let machine = songs::machine(case);
            repeat(|| songs::explored(&machine))
        }
        false => repeat(|| explore(who, case)),
    };
    measured.memory = peak_memory();
    let figures = measured.fields().map(|field| field.to_string());
    println!("{}", figures.join(" "));
}

fn explore(who: &str, case: Case) -> Measured {
    match who.parse() {
        Ok(workers) => super::ours::explore(case, workers),
        #[cfg(feature = "peers")]
        Err(_) => super::peer::explore(case),
        #[cfg(not(feature = "peers"))]
        Err(_) => unreachable!("no peers without --features peers"),
    }
}

/// The best of the runs that fit into half a second.
fn repeat(mut run: impl FnMut() -> Measured) -> Measured {
    let start = process_time();
    let mut best: Option<Measured> = None;
    while best.is_none() || process_time() - start < Duration::from_millis(500) {
        let (time, mut measured) = best_of(1, &mut run);
        measured.time = time.as_nanos() as u64;
        match &mut best {
            None => best = Some(measured),
            Some(best) => best.keep_better(measured),
        }
    }
    best.expect("at least one run")
}
