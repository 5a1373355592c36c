//! Random programs: the same set of executions as the brute-force enumerator, each exactly once.

use crate::oracle::enumerate;
use crate::script::{Do, Script, explore};
use plainsong_explore::{Earlier, Model, Policy};
use std::collections::BTreeSet;

/// A splitmix sequence.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

const MODELS: [Model; 6] = [
    Model::Unordered,
    Model::Fifo,
    Model::Causal,
    Model::Mailbox,
    Model::Custom(Earlier::Causally),
    Model::Custom(Earlier::Globally),
];

/// What else a program has besides single messages that are all there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spice {
    None,
    Sets,
    Faults,
    Both,
}

fn is_global(model: Model) -> bool {
    matches!(model, Model::Mailbox | Model::Custom(Earlier::Globally))
}

/// Replaces some operations by others that are more special.
fn season(rng: &mut Rng, steps: &mut [Do], spice: Spice) {
    let (sets, faults) = match spice {
        Spice::None => return,
        Spice::Sets => (true, false),
        Spice::Faults => (false, true),
        Spice::Both => (true, true),
    };
    for step in steps {
        *step = match *step {
            Do::Recv(tag, blocking) if sets && rng.below(2) == 0 => match rng.below(5) {
                0 => Do::Each,
                _ => {
                    let least = u32::from(blocking) * (1 + rng.below(2) as u32);
                    Do::Set(tag, least, least.max(1) + rng.below(3) as u32)
                }
            },
            Do::Send(to, tag, model) if sets && rng.below(6) == 0 => {
                Do::Send(to + crate::script::SECOND, tag, model)
            }
            Do::Send(to, tag, model) if faults && !is_global(model) => match rng.below(4) {
                0 => Do::Lossy(to, tag, model, rng.below(3) as u32),
                1 => Do::Twice(to, tag, model, rng.below(3) as u32),
                _ => Do::Send(to, tag, model),
            },
            Do::Choose(_) if faults => Do::Fault(rng.below(3) as u32),
            other => other,
        };
    }
}

/// 2 to 4 threads, up to 10 operations in all; one model, or a mixture.
pub(crate) fn generate(rng: &mut Rng, model: Option<Model>, spice: Spice) -> Script {
    let threads = 2 + rng.below(3) as usize;
    let mut left = 10;
    let mut script = Vec::new();
    for _ in 0..threads {
        let mut steps = Vec::new();
        for _ in 0..1 + rng.below(4) {
            if left == 0 {
                break;
            }
            left -= 1;
            let model = model.unwrap_or_else(|| MODELS[rng.below(6) as usize]);
            match rng.below(16) {
                0 => steps.push(Do::Choose(2)),
                1..=8 => {
                    let to = if rng.below(3) == 0 {
                        rng.below(threads as u64)
                    } else {
                        rng.below(2)
                    };
                    steps.push(Do::Send(to as usize, rng.below(2) as u8, model));
                }
                _ => {
                    let wanted = (rng.below(3) == 0).then(|| rng.below(2) as u8);
                    steps.push(Do::Recv(wanted, rng.below(3) != 0));
                    if rng.below(4) == 0 {
                        steps.push(Do::Unless((rng.below(2) == 0).then(|| rng.below(2) as u8)));
                    }
                }
            }
        }
        season(rng, &mut steps, spice);
        script.push(steps);
    }
    script
}

fn compare(seed: u64, script: &Script, spawn_order: &[usize], policy: Policy) {
    let (complete, blocked) = enumerate(script);
    let (found, tally) = explore(script, spawn_order, policy);
    let context =
        || format!("seed {seed}, spawn order {spawn_order:?}, {policy:?}, program {script:#?}");
    let set = |map: &std::collections::BTreeMap<_, _>| map.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(
        set(&found.complete),
        complete,
        "complete executions: {}",
        context()
    );
    assert_eq!(
        set(&found.blocked),
        blocked,
        "blocked executions: {}",
        context()
    );
    assert_eq!(
        tally.complete,
        complete.len() as u64,
        "each once: {}",
        context()
    );
    assert_eq!(
        tally.blocked,
        blocked.len() as u64,
        "each blocked one once: {}",
        context()
    );
}

/// How many programs to try: so many, or what the environment says.
pub(crate) fn programs(usual: u32) -> u32 {
    std::env::var("PLAINSONG_PROGRAMS").map_or(usual, |n| n.parse().expect("a number"))
}

fn many(model: Option<Model>, seed: u64) {
    many_with(model, Spice::None, seed);
}

fn many_with(model: Option<Model>, spice: Spice, seed: u64) {
    // The enumerator takes its time where every loss is a step of its own.
    let usual = match spice {
        Spice::None => 1500,
        Spice::Sets => 400,
        Spice::Faults | Spice::Both => 60,
    };
    let mut rng = Rng(seed);
    for _ in 0..programs(usual) {
        let at = rng.0;
        let script = generate(&mut rng, model, spice);
        let forward: Vec<usize> = (0..script.len()).collect();
        let backward: Vec<usize> = (0..script.len()).rev().collect();
        compare(at, &script, &forward, Policy::ReceivesLast);
        compare(at, &script, &backward, Policy::ReceivesLast);
        compare(at, &script, &forward, Policy::Shuffled(at));
        compare(at, &script, &backward, Policy::Shuffled(!at));
    }
}

/// What is read from each of two mailboxes must be explained by one order of all sends.
#[test]
fn two_mailboxes_have_one_order() {
    let send = |to| Do::Send(to, 0, Model::Mailbox);
    let script = vec![
        vec![send(1 + crate::script::SECOND), send(1)],
        vec![Do::Each],
        vec![send(1), send(1 + crate::script::SECOND)],
    ];
    for spawn_order in [[0, 1, 2], [2, 1, 0]] {
        compare(0, &script, &spawn_order, Policy::ReceivesLast);
        compare(0, &script, &spawn_order, Policy::Shuffled(7));
    }
}

#[test]
fn unordered_programs_agree() {
    many(Some(Model::Unordered), 1);
}

#[test]
fn fifo_programs_agree() {
    many(Some(Model::Fifo), 2);
}

#[test]
fn causal_programs_agree() {
    many(Some(Model::Causal), 3);
}

#[test]
fn mailbox_programs_agree() {
    many(Some(Model::Mailbox), 4);
}

#[test]
fn programs_with_a_model_of_their_own_agree() {
    many(Some(Model::Custom(Earlier::Causally)), 6);
}

#[test]
fn programs_with_a_mailbox_of_their_own_agree() {
    many(Some(Model::Custom(Earlier::Globally)), 7);
}

#[test]
fn programs_that_mix_models_agree() {
    many(None, 5);
}

#[test]
fn programs_that_receive_sets_agree() {
    for (seed, &model) in MODELS.iter().enumerate() {
        many_with(Some(model), Spice::Sets, 100 + seed as u64);
    }
    many_with(None, Spice::Sets, 99);
}

#[test]
fn programs_with_faults_agree() {
    for (seed, &model) in MODELS.iter().enumerate() {
        many_with(Some(model), Spice::Faults, 200 + seed as u64);
    }
    many_with(None, Spice::Faults, 199);
}

#[test]
fn programs_with_sets_and_faults_agree() {
    many_with(None, Spice::Both, 300);
}
