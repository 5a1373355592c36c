//! Sweeps: one schedule for every number of members, if there is one that goes through them from first to last a fixed
//! number of times.
//!
//! Statement. Every send and every receive belongs to one sweep, the same for all members. In each sweep the members come
//! one after the other and do what belongs to it. The numbers are read off a row with three members in the middle,
//! going as far as possible in each sweep; then they are tried for every size up to that one: nothing comes in another
//! order than in the code, every receive finds its message, sent in the right direction, and no message is followed by
//! another of its kind in that direction before it was received.
//!
//! Why sound. Larger rows have only more members in the middle. What these do in a sweep, and whom their messages are from,
//! is what the three do: whether a receive finds its message depends on the sweeps of two neighbours' statements and on
//! who comes first, which is the same for any two neighbours in the middle, and at the ends as it was.
//!
//! NOT COVERED. Messages that go down a row one by one: each would take a sweep of its own. Loops that communicate.

use super::steps::{Action, Steps};
use super::{END, Stuck};
use plainsong_diagnostics::Span;
use std::collections::{BTreeMap, VecDeque};

/// More sweeps than can be read.
const MOST: usize = 8;

/// The sweep of each statement, by its place.
pub(super) type Sweeps = BTreeMap<Span, usize>;

/// The sweeps of a row's statements, and how many there are.
pub(super) fn sweeps(steps: &Steps<'_>) -> Option<(Sweeps, usize)> {
    let largest = 2 * END + 3;
    let (sweeps, number) = as_far_as_possible(&members(steps, largest).ok()?)?;
    for size in 1..=largest {
        is_fine(&members(steps, size).ok()?, &sweeps, number)?;
    }
    Some((sweeps, number))
}

fn members(steps: &Steps<'_>, size: i64) -> Result<Vec<Vec<Action>>, Stuck> {
    (0..size).map(|at| steps.of(at, size)).collect()
}

/// The last sweep in which anybody does a statement, when everybody goes as far as possible.
fn as_far_as_possible(members: &[Vec<Action>]) -> Option<(Sweeps, usize)> {
    let mut sweeps = Sweeps::new();
    let mut done = vec![0; members.len()];
    let mut waiting: BTreeMap<_, usize> = BTreeMap::new();
    for sweep in 0..MOST {
        for (at, actions) in members.iter().enumerate() {
            while let Some(action) = actions.get(done[at]) {
                let here = at as i64;
                if action.sends {
                    *waiting
                        .entry((here, action.peer, action.message))
                        .or_default() += 1;
                } else {
                    match waiting.get_mut(&(action.peer, here, action.message)) {
                        Some(number) if *number > 0 => *number -= 1,
                        _ => break,
                    }
                }
                sweeps.insert(action.span, sweep);
                done[at] += 1;
            }
        }
        let is_over = done
            .iter()
            .zip(members)
            .all(|(done, all)| *done == all.len());
        if is_over {
            return Some((sweeps, sweep + 1));
        }
    }
    None
}

/// Does a row get through these sweeps?
fn is_fine(members: &[Vec<Action>], sweeps: &Sweeps, number: usize) -> Option<()> {
    let mut waiting: BTreeMap<_, VecDeque<i64>> = BTreeMap::new();
    for actions in members {
        let mut places: Vec<Span> = actions.iter().map(|action| action.span).collect();
        places.sort_unstable();
        places.dedup();
        (places.len() == actions.len()).then_some(())?;
    }
    for sweep in 0..number {
        for (at, actions) in members.iter().enumerate() {
            for action in actions {
                if *sweeps.get(&action.span)? != sweep {
                    continue;
                }
                let here = at as i64;
                if action.sends {
                    let queue = waiting
                        .entry((here, action.peer, action.message))
                        .or_default();
                    (!queue.contains(&action.step)).then_some(())?;
                    queue.push_back(action.step);
                } else {
                    let queue = waiting.get_mut(&(action.peer, here, action.message))?;
                    (queue.pop_front()? == -action.step).then_some(())?;
                }
            }
        }
    }
    waiting.values().all(VecDeque::is_empty).then_some(())
}
