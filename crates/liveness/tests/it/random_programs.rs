//! Random programs and claims at every level of fairness, against the reference decision; every lasso replays.
//!
//! `PLAINSONG_PROGRAMS` says how many, `PLAINSONG_SEED` where to begin.

use crate::oracle::Oracle;
use crate::programs::program;
use plainsong_ir::{Fairness, Song};
use plainsong_liveness::{Explored, Finding};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many programs are compared, unless asked for another number.
const PROGRAMS: u64 = 180;
/// The most states of a program.
const MOST_STATES: usize = 120;

fn asked(variable: &str, otherwise: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

pub(crate) fn song(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled.song;
    Arc::new(song.unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics)))
}

pub(crate) fn machine(song: &Arc<Song>) -> Machine {
    let instances = Instance::all(song.clone(), &Sizes::default(), &Bounds::default());
    let instances = instances.expect("a song without sizes has an instance");
    Machine::new(&instances[0], Subject::System)
}

#[test]
fn the_reference_decision_agrees() {
    let first = asked("PLAINSONG_SEED", 1);
    let mut seen: BTreeMap<(Fairness, bool), u64> = BTreeMap::new();
    for seed in first..first + asked("PLAINSONG_PROGRAMS", PROGRAMS) {
        let text = program(seed);
        let song = song(&text);
        let machine = machine(&song);
        let Some(oracle) = Oracle::new(&machine, MOST_STATES) else {
            continue;
        };
        let mut graph = Explored::new(&machine);
        assert!(graph.explore(usize::MAX, &mut |_| true));
        for property in &song.properties {
            let mut held_below = false;
            for level in Fairness::ALL {
                let Some(violated) = oracle.is_violated(property, level) else {
                    continue;
                };
                let name = &property.name;
                let holds = match graph.ask(property, level).finding {
                    Finding::Holds => true,
                    Finding::Violated { trace, .. } => {
                        let replayed = replay(&machine, &trace);
                        assert_eq!(replayed, Ok(()), "seed {seed}, {name} at {level}\n{text}");
                        false
                    }
                    Finding::Open(why) => panic!("seed {seed}, {name} at {level}: {why}\n{text}"),
                };
                assert_eq!(holds, !violated, "seed {seed}, {name} at {level}\n{text}");
                assert!(
                    holds || !held_below,
                    "more fairness refutes {name}, seed {seed}\n{text}"
                );
                held_below = holds;
                *seen.entry((level, holds)).or_default() += 1;
            }
        }
    }
    for level in Fairness::ALL {
        for holds in [true, false] {
            let times = seen.get(&(level, holds)).copied().unwrap_or(0);
            assert!(
                times >= 10,
                "at {level} only {times} claims are {holds}: {seen:?}"
            );
        }
    }
}

#[test]
fn a_part_of_the_graph_says_only_what_it_knows() {
    let mut open = 0;
    for seed in 1..60 {
        let song = song(&program(seed));
        let machine = machine(&song);
        let mut whole = Explored::new(&machine);
        whole.explore(2_000, &mut |_| true);
        if !whole.is_complete() {
            continue;
        }
        let mut part = Explored::new(&machine);
        part.explore(whole.len() / 2, &mut |_| true);
        for (property, level) in song
            .properties
            .iter()
            .flat_map(|one| Fairness::ALL.map(|level| (one, level)))
        {
            let known = part.ask(property, level).finding;
            let truth = whole.ask(property, level).finding;
            match (known, truth) {
                (Finding::Open(_), _) => open += 1,
                (Finding::Holds, Finding::Holds) => {}
                (Finding::Violated { .. }, Finding::Violated { .. }) => {}
                other => panic!("seed {seed}, {} at {level}: {other:?}", property.name),
            }
        }
    }
    assert!(open > 20, "{open}");
}
