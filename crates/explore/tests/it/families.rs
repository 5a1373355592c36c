//! Parametric families with known counts, under every model.

use crate::script::{Do, Script, explore};
use plainsong_explore::{Model, Policy};

const MODELS: [Model; 4] = [Model::Unordered, Model::Fifo, Model::Causal, Model::Mailbox];

fn counts(script: &Script) -> (u64, u64) {
    let forward: Vec<usize> = (0..script.len()).collect();
    let backward: Vec<usize> = (0..script.len()).rev().collect();
    let a = explore(script, &forward, Policy::ReceivesLast).1;
    for (order, policy) in [
        (&backward, Policy::ReceivesLast),
        (&forward, Policy::Shuffled(7)),
        (&backward, Policy::Shuffled(8)),
    ] {
        let b = explore(script, order, policy).1;
        assert_eq!(
            (a.complete, a.blocked),
            (b.complete, b.blocked),
            "{order:?} {policy:?}"
        );
    }
    (a.complete, a.blocked)
}

fn send(to: usize, model: Model) -> Do {
    Do::Send(to, 0, model)
}

const RECV: Do = Do::Recv(None, true);

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn senders_race_for_one_receive() {
    for model in MODELS {
        let mut script = vec![vec![RECV]];
        script.extend(vec![vec![send(0, model)]; 7]);
        assert_eq!(counts(&script), (7, 0), "{model:?}");
    }
}

#[test]
fn senders_race_for_as_many_receives() {
    for model in MODELS {
        let mut script = vec![vec![RECV; 5]];
        script.extend(vec![vec![send(0, model)]; 5]);
        assert_eq!(counts(&script), (factorial(5), 0), "{model:?}");
    }
}

#[test]
fn selective_receives_do_not_race() {
    for model in MODELS {
        let mut script = vec![
            (0..6)
                .map(|tag| Do::Recv(Some(tag), true))
                .collect::<Vec<_>>(),
        ];
        script.extend((0..6).map(|tag| vec![Do::Send(0, tag, model)]));
        assert_eq!(counts(&script), (1, 0), "{model:?}");
    }
}

#[test]
fn workers_and_a_waiter() {
    for model in MODELS {
        let n = 5;
        let mut waiter = vec![RECV; n];
        waiter.push(send(1, model));
        let mut script = vec![waiter, vec![send(1, model), RECV]];
        script.extend(vec![vec![send(0, model)]; n]);
        assert_eq!(counts(&script), (2 * factorial(n as u64), 0), "{model:?}");
    }
}

#[test]
fn crossing_pairs_need_one_order_of_all_sends() {
    for (model, base) in MODELS.into_iter().zip([4u64, 4, 4, 3]) {
        for n in 1..=4 {
            let mut script = Vec::new();
            for pair in 0..n {
                let (a, b) = (4 * pair, 4 * pair + 1);
                script.extend([
                    vec![RECV; 2],
                    vec![RECV; 2],
                    vec![send(a, model), send(b, model)],
                    vec![send(b, model), send(a, model)],
                ]);
            }
            assert_eq!(counts(&script), (base.pow(n as u32), 0), "{model:?} {n}");
        }
    }
}

#[test]
fn streams_merge() {
    for model in MODELS {
        let n = 3;
        let script = vec![
            vec![RECV; 2 * n],
            vec![send(0, model); n],
            vec![send(0, model); n],
        ];
        let expected = if model == Model::Unordered {
            factorial(2 * n as u64)
        } else {
            20
        };
        assert_eq!(counts(&script), (expected, 0), "{model:?}");
        let one = vec![vec![RECV; 4], vec![send(0, model); 4]];
        let expected = if model == Model::Unordered { 24 } else { 1 };
        assert_eq!(counts(&one), (expected, 0), "{model:?}");
    }
}

#[test]
fn a_triangle_is_ordered_by_causality() {
    for (model, expected) in MODELS.into_iter().zip([2, 2, 1, 1]) {
        let script = vec![
            vec![send(2, model), send(1, model)],
            vec![RECV, send(2, model)],
            vec![RECV; 2],
        ];
        assert_eq!(counts(&script), (expected, 0), "{model:?}");
    }
}

#[test]
fn a_revisit_happens_from_one_graph_only() {
    for model in MODELS {
        let script = vec![
            vec![send(0, model), RECV],
            vec![send(3, model)],
            vec![send(3, model)],
            vec![RECV],
            vec![send(0, model)],
        ];
        assert_eq!(counts(&script), (4, 0), "{model:?}");
    }
}

#[test]
fn receives_that_give_up() {
    for model in MODELS {
        let nothing_sent = vec![vec![Do::Recv(None, false)]; 5];
        assert_eq!(counts(&nothing_sent), (1, 0), "{model:?}");
        for (n, expected) in [(3, 34), (4, 209)] {
            let mut script = vec![vec![Do::Recv(None, false); n]];
            script.extend(vec![vec![send(0, model)]; n]);
            assert_eq!(counts(&script), (expected, 0), "{model:?} {n}");
        }
    }
}

#[test]
fn choices_multiply() {
    assert_eq!(counts(&vec![vec![Do::Choose(2); 10]]), (1024, 0));
    assert_eq!(counts(&vec![vec![Do::Choose(3); 5]]), (243, 0));
}

#[test]
fn two_phase_commit() {
    for model in MODELS {
        for n in 1..=4usize {
            let mut coordinator = vec![RECV; n];
            coordinator.extend((1..=n).map(|db| send(db, model)));
            let mut script = vec![coordinator];
            script.extend(vec![vec![Do::Choose(2), send(0, model), RECV]; n]);
            let expected = 2u64.pow(n as u32) * factorial(n as u64);
            assert_eq!(counts(&script), (expected, 0), "{model:?} {n}");
        }
    }
}

#[test]
fn a_receive_may_wait_in_vain() {
    for model in MODELS {
        let script = vec![vec![Do::Recv(None, false), RECV], vec![send(0, model)]];
        assert_eq!(counts(&script), (1, 1), "{model:?}");
    }
}
