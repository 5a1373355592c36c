//! Searches that are stopped and go on later: the same executions, each once.

use crate::random::{Rng, Spice, generate};
use crate::script::{Collected, Do, Script, Scripted, explore};
use plainsong_explore::{Graph, Leaf, Model, Part, Policy, Slice, Tally, Visitor, explore_parts};

/// Sees so many executions, and does not look at the next.
struct Patient {
    seen: Collected,
    left: usize,
    is_lost: bool,
}

impl Visitor<Scripted<'_>> for Patient {
    fn leaf(&mut self, graph: &Graph<Scripted<'_>>, leaf: Leaf) -> bool {
        self.left > 0 && {
            self.left -= 1;
            self.seen.leaf(graph, leaf)
        }
    }

    fn lost(&mut self) {
        self.is_lost = true;
    }
}

/// Explores some parts until a worker has seen so many executions.
fn slice(
    script: &Script,
    policy: Policy,
    jobs: usize,
    parts: Vec<Part>,
    most: usize,
) -> Slice<Patient> {
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let program = || Scripted {
        script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    let visitor = || Patient {
        seen: Collected::named(&spawn_order),
        left: most,
        is_lost: false,
    };
    explore_parts(jobs, parts, program, visitor, |engine| {
        engine.policy(policy)
    })
}

#[test]
fn slices_partition_the_executions() {
    let mut rng = Rng(2026);
    let mut sliced = 0;
    for round in 0..1000 {
        let script = generate(&mut rng, None, Spice::Both);
        let policy = match round % 3 {
            0 => Policy::ReceivesLast,
            _ => Policy::Shuffled(round),
        };
        let spawn_order: Vec<usize> = (0..script.len()).collect();
        let (whole, sums) = explore(&script, &spawn_order, policy);
        let mut seen = Collected::named(&spawn_order);
        let mut parts = vec![Part::default()];
        let mut tally = Tally::default();
        let mut slices = 0;
        while !parts.is_empty() {
            let jobs = 1 + (round + slices) as usize % 2;
            let most = 1 + slices as usize % 7;
            let slice = slice(&script, policy, jobs, parts, most);
            tally += slice.tally;
            tally.events -= slice.twice.events;
            tally.revisits -= slice.twice.revisits;
            for visitor in slice.visitors {
                assert!(!visitor.is_lost, "{script:?}");
                seen.merge(visitor.seen);
            }
            let saved: Vec<String> = slice.left.iter().map(Part::to_string).collect();
            let loaded = saved.iter().map(|text| text.parse().expect("a part"));
            parts = loaded.collect();
            assert_eq!(parts, slice.left);
            slices += 1;
        }
        assert_eq!(seen.complete, whole.complete, "{script:?}");
        assert_eq!(seen.blocked, whole.blocked, "{script:?}");
        assert_eq!(tally, sums, "{script:?}");
        sliced += u64::from(slices > 2);
    }
    assert!(sliced > 120, "{sliced} programs had several slices");
}

fn race(senders: usize) -> Script {
    let mut script = vec![vec![Do::Recv(None, true); senders]];
    script.extend(vec![vec![Do::Send(0, 0, Model::Fifo)]; senders]);
    script
}

#[test]
fn a_place_that_does_not_exist_is_noticed() {
    let whole = vec![Part::default()];
    let mut saved = slice(&race(4), Policy::ReceivesLast, 1, whole, 20).left;
    assert_eq!(saved[0].to_string(), "3 1(2..3) 0(1..2)");
    // Fewer outcomes than the number of the one to take.
    let fewer = slice(&race(3), Policy::ReceivesLast, 1, saved.clone(), 100);
    assert!(fewer.visitors[0].is_lost);
    assert_eq!(fewer.tally.complete, 0);
    // Fewer events with several outcomes.
    let mut shorter = race(4);
    shorter[0].truncate(2);
    let shorter = slice(&shorter, Policy::ReceivesLast, 1, saved.clone(), 100);
    assert!(shorter.visitors[0].is_lost);
    let same = slice(&race(4), Policy::ReceivesLast, 1, saved.split_off(0), 100);
    assert!(!same.visitors[0].is_lost);
    assert_eq!(same.tally.complete, 4);
}
