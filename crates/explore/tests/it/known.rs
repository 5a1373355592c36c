//! What is counted because it is known is as much as what is found by visiting it.

use crate::random::{Rng, Spice, generate, programs};
use crate::script::{Do, Script, Scripted, explore};
use plainsong_explore::{Again, Counts, Engine, Graph, Leaf, Model, Policy, Tally, Visitor};

/// Counts executions, and how many of them it was shown.
#[derive(Default)]
struct Counter {
    counts: Counts,
    shown: u64,
}

impl Visitor<Scripted<'_>> for Counter {
    fn leaf(&mut self, _: &Graph<Scripted<'_>>, leaf: Leaf) -> bool {
        self.shown += 1;
        self.counts[usize::from(leaf != Leaf::Complete)] += 1;
        true
    }

    fn counts(&self) -> Option<Counts> {
        Some(self.counts)
    }

    fn again(&mut self, _: &Graph<Scripted<'_>>, more: &Counts) -> Again {
        let both = self.counts.iter_mut().zip(more);
        both.for_each(|(count, more)| *count += more);
        Again::Counted
    }
}

/// What is counted, by an engine that remembers, and how many executions were shown.
fn counted(script: &Script, spawn_order: &[usize]) -> (Tally, Counter) {
    let mut program = Scripted {
        script,
        spawn_order: spawn_order.to_vec(),
        families: Vec::new(),
    };
    let mut counter = Counter::default();
    let tally = Engine::new(&mut program)
        .remembers(Some(0))
        .run(&mut counter);
    (tally, counter)
}

/// How many executions there are, and how many were shown.
fn compare(seed: u64, script: &Script, spawn_order: &[usize]) -> (u64, u64) {
    let (_, visited) = explore(script, spawn_order, Policy::ReceivesLast);
    let (tally, counter) = counted(script, spawn_order);
    assert_eq!(tally, visited, "seed {seed}, {spawn_order:?}, {script:#?}");
    let all = (visited.complete, visited.blocked);
    assert_eq!((counter.counts[0], counter.counts[1]), all, "seed {seed}");
    (visited.complete + visited.blocked, counter.shown)
}

/// A program, sometimes with a piece of another one behind it: more executions, and more to forget.
fn program(rng: &mut Rng, model: Option<Model>) -> Script {
    let mut script = generate(rng, model, Spice::None);
    if rng.below(2) == 0 {
        return script;
    }
    for (thread, steps) in generate(rng, model, Spice::None).into_iter().enumerate() {
        let is_meant = |step: &Do| !matches!(step, Do::Choose(_));
        let mut more: Vec<Do> = steps.into_iter().filter(is_meant).take(2).collect();
        if rng.below(4) == 0 {
            more.push(Do::Reply(0));
        }
        if thread < script.len() && rng.below(3) > 0 {
            script[thread].extend(more);
        } else if script.len() < 6 {
            more.retain(|step| !matches!(step, Do::Unless(_)));
            script.push(more);
        }
    }
    script
}

fn compare_many(model: Option<Model>, seed: u64) {
    let mut rng = Rng(seed);
    let (mut all, mut shown) = (0, 0);
    for _ in 0..programs(1500) {
        let at = rng.0;
        let script = program(&mut rng, model);
        let forward: Vec<usize> = (0..script.len()).collect();
        let backward: Vec<usize> = (0..script.len()).rev().collect();
        for order in [forward, backward] {
            let (more, seen) = compare(at, &script, &order);
            all += more;
            shown += seen;
        }
    }
    assert!(
        shown * 10 < all * 9,
        "{shown} of {all} were shown: little was known"
    );
}

#[test]
fn unordered_programs() {
    compare_many(Some(Model::Unordered), 1);
}

#[test]
fn fifo_programs() {
    compare_many(Some(Model::Fifo), 2);
}

#[test]
fn causal_programs() {
    compare_many(Some(Model::Causal), 3);
}

#[test]
fn mailbox_programs() {
    compare_many(Some(Model::Mailbox), 4);
}

#[test]
fn programs_that_mix_models() {
    compare_many(None, 5);
}

/// Of n! orders, the 2ⁿ sets of messages that are left make the difference.
#[test]
fn orders_that_nobody_keeps_are_counted_not_visited() {
    let mut script = vec![vec![Do::Recv(None, true); 10]];
    script.extend(vec![vec![Do::Send(0, 0, Model::Fifo)]; 10]);
    let order: Vec<usize> = (0..script.len()).collect();
    let (tally, counter) = counted(&script, &order);
    assert_eq!(tally.complete, 3_628_800);
    assert!(counter.shown < 1_024, "{}", counter.shown);
}
