//! The same programs as songs, next to the Rust code.
//!
//! Both run on the same engine; the difference is what it costs to step a process, and what is known of it. A
//! song's processes are automata that are built by need, so a step is a look into a table; and
//! their states can be compared, so that executions that go on alike are counted without being visited. One
//! long execution has nothing to come back to: there the song's every step is computed by the interpreter.

use super::measured::{Measured, Who, in_its_own_process};
use super::{Case, case, shown};
use plainsong_explore_songs::{Manner, explore};
use plainsong_ir::Delivery;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Completeness, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// How many times more executions per CPU second a song should have.
const WANTED: f64 = 5.0;

/// How often each is measured; the best counts.
const TIMES: u32 = 3;

/// The programs, their songs, what their size is called there, and the sizes that stay as they are.
const SONGS: &[Row] = &[
    (case("ns+nr", 8, "fifo"), RACE, "Sender", &[]),
    (case("ns+nr", 9, "fifo"), RACE, "Sender", &[]),
    (case("nworkers", 8, "fifo"), WORKERS, "Sender", &[]),
    (case("nworkers", 8, "causal"), WORKERS, "Sender", &[]),
    (case("nworkers", 8, "mailbox"), WORKERS, "Sender", &[]),
    (case("2PC", 6, "fifo"), COMMIT, "Voter", &[]),
    (case("streams", 6, "fifo"), STREAMS, "N", &[]),
    (case("streams", 6, "causal"), STREAMS, "N", &[]),
    (case("streams", 6, "mailbox"), STREAMS, "N", &[]),
    (case("trips", 900, "fifo"), TRIPS, "N", &[]),
    (case("crossing", 6, "causal"), CROSSING, "Pair", &[]),
    (case("crossing", 6, "mailbox"), CROSSING, "Pair", &[]),
    (case("tosses", 16, "fifo"), TOSSES, "N", &[]),
    (case("polls", 5, "fifo"), POLLS, "Sender", &[]),
    (case("mutex", 7, "fifo"), MUTEX, "Client", &[]),
    (case("chain", 4, "fifo"), CHAIN, "N", TWO_LOST),
    (case("chain", 4, "mailbox"), CHAIN, "N", TWO_LOST),
    (case("chain", 6, "fifo"), CHAIN, "N", TWO_LOST),
    (case("chain", 6, "mailbox"), CHAIN, "N", TWO_LOST),
    (case("election", 3, "fifo"), ELECTION, "Terms", TWO_AND_TWO),
    (
        case("election", 3, "causal"),
        ELECTION,
        "Terms",
        TWO_AND_TWO,
    ),
    (
        case("election", 3, "mailbox"),
        ELECTION,
        "Terms",
        TWO_AND_TWO,
    ),
];

type Row = (
    Case,
    &'static str,
    &'static str,
    &'static [(&'static str, i64)],
);

/// A chain loses two nodes while two clients write.
const TWO_LOST: &[(&str, i64)] = &[("Faults", 2), ("Requests", 2)];

const TWO_AND_TWO: &[(&str, i64)] = &[("Candidate", 2), ("Voter", 2)];

const RACE: &str = include_str!("../../../songs/explore/senders-race-for-all-receives.song");
const WORKERS: &str = include_str!("../../../songs/explore/worker-and-self-message.song");
const COMMIT: &str = include_str!("../../../songs/explore/voters-and-one-collector.song");
const STREAMS: &str = include_str!("../../../songs/explore/two-streams-fifo.song");
const TRIPS: &str = include_str!("../../../songs/explore/round-trips.song");
const CROSSING: &str = include_str!("../../../songs/explore/pairs-that-cross-causal.song");
const TOSSES: &str = include_str!("../../../songs/explore/coin-tosses.song");
const POLLS: &str = include_str!("../../../songs/explore/timeouts-race-with-messages.song");
const MUTEX: &str = include_str!("../../../songs/explore/mutex-taken-once.song");
const CHAIN: &str = include_str!("../../../songs/explore/chain-replication-with-faults.song");
const ELECTION: &str = include_str!("../../../songs/explore/leader-by-majority.song");

/// The case that is called so.
pub fn called(program: &str, delivery: &str) -> Option<Case> {
    let is_it = |case: &Case| case.program == program && case.delivery == delivery;
    SONGS.iter().map(|row| row.0).find(is_it)
}

/// Prints a row for each song.
pub fn table() {
    println!("exploring songs, CPU time per execution");
    println!("  program               executions       song      Rust    ratio  memory");
    for &(case, ..) in SONGS {
        let mut song = in_its_own_process(Who::Song, case);
        let mut rust = in_its_own_process(Who::Ours(1), case);
        for _ in 1..TIMES {
            song.keep_better(in_its_own_process(Who::Song, case));
            rust.keep_better(in_its_own_process(Who::Ours(1), case));
        }
        assert_eq!(song.executions, rust.executions, "{case}");
        let ratio = rust.each() / song.each();
        println!(
            "  {case:22} {:>9} {:>10} {:>9} {ratio:>8.2} {:>4.1} MB{}",
            song.executions,
            shown(song.each()),
            shown(rust.each()),
            song.memory as f64 / 1e6,
            if ratio < WANTED { "  SHORT" } else { "" }
        );
    }
}

/// Explores a song that is compiled, as the Rust code is.
pub fn explored(machine: &Machine) -> Measured {
    let found = explore(machine, &[], &Manner::default(), &mut Unwatched);
    let count = found.expect("the song is covered").count;
    assert_eq!(count.completeness, Completeness::Complete);
    Measured {
        executions: count.complete,
        blocked: count.blocked,
        ..Measured::default()
    }
}

/// The song of a case, compiled.
pub fn machine(case: Case) -> Machine {
    let find = |song: &&Row| song.0.program == case.program;
    let (_, text, size, others) = SONGS.iter().find(find).expect("a program with a song");
    let song = plainsong_syntax::compile(text).song.expect("a song");
    let sizes = Sizes::new().with(*size, i64::from(case.n));
    let with = |sizes: Sizes, &(name, size): &(&str, i64)| sizes.with(name, size);
    let sizes = others.iter().fold(sizes, with);
    let instances = Instance::all(Arc::new(song), &sizes, &Bounds::default());
    let instances = instances.expect("there is an instance of this size");
    let delivery = match case.delivery {
        "unordered" => Delivery::Unordered,
        "fifo" => Delivery::Fifo,
        "causal" => Delivery::Causal,
        _ => Delivery::Mailbox,
    };
    let instance = instances[0].clone().with_delivery(Some(delivery));
    Machine::new(&instance, Subject::System)
}
