//! The interpreter agrees with the enumerator: on random small programs, under every delivery
//! model and with several models in one program, there are equally many complete, blocked, failed
//! and discarded executions, and they lead to the same values of the state variables.
//!
//! When they disagree, the program is made smaller as long as they still do, and shown.

mod shrink;

use plainsong_ir::{Delivery, Song};
use plainsong_semantics::executions::executions;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome as After, Status, Subject};
use plainsong_semantics::search::{Completeness, Limits, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_testkit::enumerate::{Enumerated, Executions, Outcome, enumerate};
use plainsong_testkit::random_song::small_voices;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// How many programs are compared for each model.
const PROGRAMS: u64 = 2_000;

/// The most prefixes of executions; programs with more are left out.
const LIMIT: usize = 20_000;

#[test]
fn on_unordered_programs() {
    agree_on_programs(Some(Delivery::Unordered));
}

#[test]
fn on_fifo_programs() {
    agree_on_programs(Some(Delivery::Fifo));
}

#[test]
fn on_causal_programs() {
    agree_on_programs(Some(Delivery::Causal));
}

#[test]
fn on_mailbox_programs() {
    agree_on_programs(Some(Delivery::Mailbox));
}

#[test]
fn on_programs_of_mixed_models() {
    agree_on_programs(None);
}

/// The model that is chosen for a run counts more than what the messages say.
#[test]
fn on_programs_whose_models_are_overridden() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS / 4 {
        for delivery in Delivery::ALL {
            tally.compare(seed, &small_voices(seed, None), Some(delivery));
        }
    }
    tally.check();
}

fn agree_on_programs(delivery: Option<Delivery>) {
    let mut tally = Tally::default();
    let first = delivery.map_or(0, |delivery| 1_000_000 * (1 + delivery as u64));
    for seed in first..first + PROGRAMS {
        tally.compare(seed, &small_voices(seed, delivery), None);
    }
    tally.check();
}

/// What the compared programs were like: how many of them can do what.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    several: usize,
    blocked: usize,
    failed: usize,
    discarded: usize,
}

impl Tally {
    fn compare(&mut self, seed: u64, song: &Song, delivery: Option<Delivery>) {
        let Some(ours) = enumerated(song, delivery) else {
            self.left_out += 1;
            return;
        };
        if ours != interpreted(song, delivery) {
            disagree(seed, song, delivery);
        }
        self.compared += 1;
        self.several += usize::from(ours.complete > 1);
        self.blocked += usize::from(ours.blocked > 0);
        self.failed += usize::from(ours.failed > 0);
        self.discarded += usize::from(ours.discarded > 0);
    }

    /// The comparison means something only if the programs do.
    fn check(&self) {
        assert!(self.left_out * 20 < self.compared, "{self:?}");
        let tenth = self.compared / 10;
        assert!(self.several > tenth && self.blocked > tenth, "{self:?}");
    }
}

/// What both sides must agree on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Account {
    complete: usize,
    blocked: usize,
    failed: usize,
    discarded: usize,
    /// State variables at the end of complete executions.
    finals: BTreeSet<Outcome>,
    /// State variables in deadlocks.
    deadlocks: BTreeSet<Outcome>,
}

pub(super) fn enumerated(song: &Song, delivery: Option<Delivery>) -> Option<Account> {
    match enumerate(song, &sizes(song), delivery, LIMIT)? {
        Enumerated::Voices(found) => Some(account(found)),
        Enumerated::Actions(_) => unreachable!("small voices are voices"),
    }
}

fn account(found: Executions) -> Account {
    Account {
        complete: found.complete.len(),
        blocked: found.blocked.len(),
        failed: found.failed.len(),
        discarded: found.discarded.len(),
        finals: found.outcomes,
        deadlocks: found.blocked_outcomes,
    }
}

pub(super) fn interpreted(song: &Song, delivery: Option<Delivery>) -> Account {
    let machine = machine(song, delivery);
    let limits = Limits { states: 10_000_000 };
    let count = executions(&machine, &limits, &mut Unwatched).expect("the song is one of voices");
    assert_eq!(count.completeness, Completeness::Complete);
    let ends = ends(&machine);
    Account {
        complete: count.complete as usize,
        blocked: count.blocked as usize,
        failed: count.failed as usize,
        discarded: count.discarded as usize,
        finals: ends.finals,
        deadlocks: ends.deadlocks,
    }
}

fn machine(song: &Song, delivery: Option<Delivery>) -> Machine {
    let chosen = Sizes {
        chosen: sizes(song),
    };
    let instances = Instance::all(Arc::new(song.clone()), &chosen, &Bounds::default());
    let [instance] = &instances.expect("the song has an instance")[..] else {
        panic!("all parameters are given")
    };
    Machine::new(&instance.clone().with_delivery(delivery), Subject::System)
}

/// The sizes that the song itself asks for.
fn sizes(song: &Song) -> BTreeMap<String, i64> {
    song.sizes
        .iter()
        .map(|sizing| (sizing.name.clone(), sizing.low))
        .collect()
}

/// What can be seen in the states where nothing happens any more.
#[derive(Default)]
struct Ends {
    finals: BTreeSet<Outcome>,
    deadlocks: BTreeSet<Outcome>,
    failure: bool,
    states: usize,
}

/// Looks at every state that the interpreter reaches.
fn ends(machine: &Machine) -> Ends {
    let mut ends = Ends::default();
    let mut seen: HashSet<Config> = HashSet::new();
    let mut open = Vec::new();
    for start in machine.initial() {
        ends.reach(start, &mut open);
    }
    while let Some(config) = open.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        let steps = machine.steps(&config);
        let outcome = || machine.variables(&config).into_iter().collect();
        match machine.status_given(&config, &steps) {
            Status::Final => drop(ends.finals.insert(outcome())),
            Status::Deadlock(_) => drop(ends.deadlocks.insert(outcome())),
            Status::Running | Status::Discarded => {}
        }
        for step in steps {
            ends.reach(step.outcome, &mut open);
        }
    }
    ends.states = seen.len();
    ends
}

impl Ends {
    fn reach(&mut self, after: After, open: &mut Vec<Config>) {
        match after {
            After::Next(config) => open.push(config),
            After::Failed(..) => self.failure = true,
            After::Discarded => {}
        }
    }
}

/// Shows the smallest program found on which the two differ.
fn disagree(seed: u64, song: &Song, delivery: Option<Delivery>) -> ! {
    let differ = |song: &Song| {
        enumerated(song, delivery).is_some_and(|ours| ours != interpreted(song, delivery))
    };
    let small = shrink::shrink(song, &differ);
    let (ours, theirs) = (enumerated(&small, delivery), interpreted(&small, delivery));
    let text = plainsong_ir::print::song(&small);
    panic!(
        "seed {seed}, delivery {delivery:?}\n{text}\nenumerator: {ours:#?}\ninterpreter: {theirs:#?}"
    );
}
