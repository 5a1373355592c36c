//! Broadcast channels as in tokio: every receiver, every value, one order, and who is too slow.

use crate::script::DELIVERIES;
use plainsong::tokio::sync::broadcast::error::{RecvError, SendError, TryRecvError};
use plainsong::tokio::sync::{broadcast, oneshot};
use plainsong::tokio::{self, time::timeout};
use plainsong::{Explorer, cover};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Explores a program under every order of delivery; it has so many executions.
#[track_caller]
fn count_everywhere(expected: u64, program: impl AsyncFn() + Copy + Send + Sync + 'static) {
    for delivery in DELIVERIES {
        for jobs in [1, 2] {
            let explorer = Explorer::new().delivery(delivery).jobs(jobs);
            let report = explorer.run(move || tokio::block_on(program()));
            report.assert_holds();
            assert_eq!(report.executions, expected, "{delivery:?}");
        }
    }
}

#[test]
fn every_receiver_gets_every_value_in_one_order() {
    count_everywhere(6, async || {
        let (sender, first) = broadcast::channel(4);
        let second = sender.subscribe();
        let listeners = [first, second].map(|mut receiver| {
            tokio::spawn(async move {
                let mut seen = Vec::new();
                while let Ok(n) = receiver.recv().await {
                    seen.push(n);
                }
                seen
            })
        });
        for n in 0..3 {
            let sender = sender.clone();
            tokio::spawn(async move { assert_eq!(sender.send(n), Ok(2)) });
        }
        drop(sender);
        let [first, second] = listeners;
        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        assert_eq!(first.len(), 3);
        assert_eq!(first, second);
    });
}

/// What one receive gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Got {
    Value(u64),
    Lagged(u64),
    Empty,
    Closed,
}

impl Got {
    fn of(result: Result<u64, TryRecvError>) -> Self {
        match result {
            Ok(value) => Got::Value(value),
            Err(TryRecvError::Lagged(missed)) => Got::Lagged(missed),
            Err(TryRecvError::Empty) => Got::Empty,
            Err(TryRecvError::Closed) => Got::Closed,
        }
    }
}

/// What a receiver may see, by all interleavings: a sender sends so many values and is dropped, the
/// receiver receives until it knows that, or tries so many times.
fn interleave(
    capacity: u64,
    sends: u64,
    tries: Option<usize>,
    (tail, next, is_closed): (u64, u64, bool),
    seen: &mut Vec<Got>,
    all: &mut BTreeSet<Vec<Got>>,
) {
    if !is_closed {
        let after = match tail < sends {
            true => (tail + 1, next, false),
            false => (tail, next, true),
        };
        interleave(capacity, sends, tries, after, seen, all);
    }
    let (got, after) = if next + capacity < tail {
        (Got::Lagged(tail - capacity - next), tail - capacity)
    } else if next < tail {
        (Got::Value(next), next + 1)
    } else if is_closed {
        (Got::Closed, next)
    } else if tries.is_some() {
        (Got::Empty, next)
    } else {
        return;
    };
    seen.push(got);
    let is_over = match tries {
        Some(tries) => seen.len() == tries,
        None => got == Got::Closed,
    };
    match is_over {
        true => drop(all.insert(seen.clone())),
        false => interleave(capacity, sends, tries, (tail, after, is_closed), seen, all),
    }
    seen.pop();
}

/// What a receiver does see.
fn explore(capacity: u64, sends: u64, tries: Option<usize>) -> BTreeSet<Vec<Got>> {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = Arc::clone(&all);
    let report = plainsong::explore(move || {
        let seen = tokio::block_on(async {
            let (sender, mut receiver) = broadcast::channel(capacity as usize);
            tokio::spawn(async move {
                for n in 0..sends {
                    assert_eq!(sender.send(n), Ok(1));
                }
            });
            let mut seen = Vec::new();
            while seen.last() != Some(&Got::Closed) && tries != Some(seen.len()) {
                seen.push(Got::of(match tries {
                    Some(_) => receiver.try_recv(),
                    None => receiver.recv().await.map_err(TryRecvError::from),
                }));
            }
            while tries.is_some_and(|tries| seen.len() < tries) {
                seen.push(Got::of(receiver.try_recv()));
            }
            // A sender that is still there may find nobody.
            std::mem::forget(receiver);
            seen
        });
        noted.lock().unwrap().insert(seen);
    });
    report.assert_holds();
    std::mem::take(&mut *all.lock().unwrap())
}

#[test]
fn a_slow_receiver_sees_what_every_interleaving_allows() {
    for (capacity, sends) in [(1, 1), (1, 2), (1, 3), (2, 3), (2, 4)] {
        for tries in [None, Some(1), Some(2), Some(3)] {
            let mut expected = BTreeSet::new();
            let start = (0, 0, false);
            interleave(
                capacity,
                sends,
                tries,
                start,
                &mut Vec::new(),
                &mut expected,
            );
            let seen = explore(capacity, sends, tries);
            assert_eq!(seen, expected, "{sends} into {capacity}, {tries:?}");
        }
    }
}

#[test]
fn the_capacity_is_a_power_of_two() {
    count_everywhere(1, async || {
        let (sender, mut receiver) = broadcast::channel(3);
        (0..5).for_each(|n| assert_eq!(sender.send(n), Ok(1)));
        assert_eq!((receiver.len(), sender.len()), (5, 4));
        assert_eq!(receiver.recv().await, Err(RecvError::Lagged(1)));
        assert_eq!((receiver.len(), sender.len()), (4, 4));
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!((receiver.len(), sender.len()), (3, 3));
        assert!(!receiver.is_empty() && !sender.is_empty());
    });
}

#[test]
fn receivers_come_and_go() {
    count_everywhere(1, async || {
        let sender = broadcast::Sender::new(4);
        assert_eq!(sender.send("nobody"), Err(SendError("nobody")));
        let mut first = sender.subscribe();
        assert_eq!(sender.send("one"), Ok(1));
        let mut second = first.resubscribe();
        assert_eq!(sender.receiver_count(), 2);
        assert_eq!(second.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(sender.send("both"), Ok(2));
        assert_eq!(first.recv().await, Ok("one"));
        // The slowest counts.
        assert_eq!(sender.len(), 1);
        assert_eq!(second.recv().await, Ok("both"));
        assert_eq!(sender.len(), 1);
        drop(first);
        assert_eq!((sender.len(), sender.receiver_count()), (0, 1));
        assert!(sender.is_empty() && sender.same_channel(&sender.clone()));
        assert!(!second.is_closed());
        drop(sender);
        assert!(second.is_closed());
        assert_eq!(second.try_recv(), Err(TryRecvError::Closed));
        let mut late = second.resubscribe();
        assert_eq!(late.recv().await, Err(RecvError::Closed));
    });
}

#[test]
fn a_send_that_races_with_the_last_drop_may_find_nobody() {
    count_everywhere(2, async || {
        let (sender, receiver) = broadcast::channel(4);
        let other = tokio::spawn(async move { drop(receiver) });
        match sender.send(1) {
            Ok(1) => cover("somebody"),
            other => assert_eq!(other, Err(SendError(1))),
        }
        other.await.unwrap();
        assert_eq!(sender.send(2), Err(SendError(2)));
    });
}

#[test]
fn a_value_is_there_for_all_at_once() {
    for delivery in DELIVERIES {
        let report = Explorer::new().delivery(delivery).run(|| {
            tokio::block_on(async {
                let (sender, mut first) = broadcast::channel(1);
                let mut second = sender.subscribe();
                let (tell, told) = oneshot::channel();
                let listens = tokio::spawn(async move {
                    tell.send(first.recv().await).unwrap();
                });
                tokio::spawn(async move {
                    sender.send(1).unwrap();
                    let _ = sender.send(2);
                });
                // What one has got, the other cannot miss.
                match told.await.unwrap() {
                    Ok(1) => match second.try_recv() {
                        Ok(1) => {}
                        other => assert_eq!(other, Err(TryRecvError::Lagged(1))),
                    },
                    other => {
                        assert_eq!(other, Err(RecvError::Lagged(1)));
                        assert_eq!(second.try_recv(), Err(TryRecvError::Lagged(1)));
                        assert_eq!(second.try_recv(), Ok(2));
                    }
                }
                listens.await.unwrap();
            });
        });
        report.assert_holds();
    }
}

#[test]
fn nothing_is_lost_when_a_receive_is_given_up() {
    let report = plainsong::explore(|| {
        tokio::block_on(async {
            let (sender, mut receiver) = broadcast::channel(4);
            tokio::spawn(async move { (0..2).for_each(|n| assert_eq!(sender.send(n), Ok(1))) });
            let mut seen = Vec::new();
            match timeout(Duration::from_secs(1), receiver.recv()).await {
                Ok(first) => seen.push(first.unwrap()),
                Err(_) => cover("too late"),
            }
            while let Ok(next) = receiver.recv().await {
                seen.push(next);
            }
            assert_eq!(seen, [0, 1]);
        });
    });
    report.assert_holds();
    assert!(report.coverage["too late"] > 0);
}
