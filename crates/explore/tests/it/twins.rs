//! Symmetry: up to the names of threads that are alike, the same executions.

use crate::random::Rng;
use crate::script::{Collected, Do, Log, Script, Scripted};
use plainsong_explore::{Engine, Model, Policy, Tally};
use std::collections::BTreeSet;

/// A script in which the last threads are alike.
struct Family {
    script: Script,
    /// The first of them.
    first: usize,
}

impl Family {
    fn explore(&self, symmetry: bool, policy: Policy) -> (Collected, Tally) {
        let threads = self.script.len();
        let order: Vec<usize> = (0..threads).collect();
        let mut program = Scripted {
            script: &self.script,
            spawn_order: order.clone(),
            families: (0..threads)
                .map(|thread| (thread >= self.first).then_some(7))
                .collect(),
        };
        let mut collected = Collected::named(&order);
        let engine = Engine::new(&mut program).policy(policy).symmetry(symmetry);
        let tally = engine.run(&mut collected);
        (collected, tally)
    }

    /// The least log among those with the members renamed.
    fn canonical(&self, log: &Log) -> Log {
        let members: Vec<usize> = (self.first..self.script.len()).collect();
        permutations(&members)
            .into_iter()
            .map(|renamed| self.rename(log, &renamed))
            .min()
            .expect("there is the identity")
    }

    fn rename(&self, log: &Log, renamed: &[usize]) -> Log {
        let name = |thread: usize| match thread.checked_sub(self.first) {
            Some(member) => renamed[member],
            None => thread,
        };
        let mut result = log.clone();
        for (thread, lines) in log.iter().enumerate() {
            result[name(thread)] = lines
                .iter()
                .map(|line| match line.split_once('.') {
                    Some((from, index)) => {
                        let from: usize = from.parse().expect("a thread");
                        format!("{}.{index}", name(from))
                    }
                    None => line.clone(),
                })
                .collect();
        }
        result
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in items.iter().enumerate() {
        let mut others = items.to_vec();
        others.remove(at);
        for mut rest in permutations(&others) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// Some threads, and a family that sends to them and to itself only by answering.
fn generate(rng: &mut Rng) -> Family {
    let others = 1 + rng.below(2) as usize;
    let members = 2 + rng.below(2) as usize;
    let mut steps = |is_member: bool, count: u64| {
        let mut steps = Vec::new();
        for _ in 0..count {
            let tag = rng.below(2) as u8;
            let model = [Model::Fifo, Model::Unordered][rng.below(2) as usize];
            match rng.below(10) {
                0 | 1 => steps.push(Do::Choose(2)),
                2..=4 => steps.push(Do::Send(rng.below(others as u64) as usize, tag, model)),
                5 => steps.push(Do::Reply(tag)),
                6 if is_member => steps.push(Do::Reply(tag)),
                _ => {
                    let wanted = (rng.below(4) == 0).then_some(tag);
                    steps.push(Do::Recv(wanted, rng.below(3) != 0));
                    if rng.below(4) == 0 {
                        steps.push(Do::Unless((rng.below(2) == 0).then_some(tag)));
                    }
                }
            }
        }
        steps
    };
    let mut script: Script = (0..others).map(|_| steps(false, 4)).collect();
    let member = steps(true, 3);
    script.extend(std::iter::repeat_n(member, members));
    Family {
        script,
        first: others,
    }
}

fn compare(family: &Family, policy: Policy, seed: u64) -> (u64, u64) {
    let (all, before) = family.explore(false, policy);
    let (some, after) = family.explore(true, policy);
    let context = || {
        format!(
            "seed {seed}, {policy:?}, from {} on {:#?}",
            family.first, family.script
        )
    };
    assert!(!after.unsafe_symmetry);
    for (all, some) in [
        (&all.complete, &some.complete),
        (&all.blocked, &some.blocked),
    ] {
        for (log, times) in some {
            assert!(all.contains_key(log), "no execution: {log:?} {}", context());
            assert_eq!(*times, 1, "twice: {log:?} {}", context());
        }
        let orbits = |logs: &std::collections::BTreeMap<Log, usize>| -> BTreeSet<Log> {
            logs.keys().map(|log| family.canonical(log)).collect()
        };
        assert_eq!(orbits(some), orbits(all), "{}", context());
    }
    let count = |tally: Tally| tally.complete + tally.blocked;
    (count(before), count(after))
}

#[test]
fn no_execution_is_missed_up_to_names() {
    let programs =
        std::env::var("PLAINSONG_PROGRAMS").map_or(1500, |n| n.parse().expect("a number"));
    let mut rng = Rng(77);
    let (mut before, mut after) = (0, 0);
    for _ in 0..programs {
        let seed = rng.0;
        let family = generate(&mut rng);
        for policy in [Policy::ReceivesLast, Policy::Shuffled(seed)] {
            let (all, some) = compare(&family, policy, seed);
            before += all;
            after += some;
        }
    }
    assert!(after < before, "{before} executions became {after}");
}

#[test]
fn senders_that_are_alike_do_not_race() {
    for n in 1..=5 {
        let mut script = vec![vec![Do::Recv(None, true); n]];
        script.extend(vec![vec![Do::Send(0, 0, Model::Fifo)]; n]);
        let family = Family { script, first: 1 };
        let (_, tally) = family.explore(true, Policy::ReceivesLast);
        assert_eq!(tally.complete, 1);
    }
}

#[test]
fn two_phase_commit_is_exponential_no_more_than_in_votes() {
    for n in 1..=6 {
        let mut script = vec![vec![Do::Recv(None, true); n]];
        let voter = vec![Do::Choose(2), Do::Send(0, 0, Model::Fifo)];
        script.extend(vec![voter; n]);
        let family = Family { script, first: 1 };
        let (_, tally) = family.explore(true, Policy::ReceivesLast);
        assert_eq!(tally.complete, 1 << n);
    }
}

#[test]
fn causality_and_symmetry_do_not_go_together() {
    let script = vec![vec![Do::Send(0, 0, Model::Causal)]; 2];
    let family = Family { script, first: 0 };
    let (_, tally) = family.explore(true, Policy::ReceivesLast);
    assert!(tally.unsafe_symmetry);
}
