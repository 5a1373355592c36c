//! Sweeps: one schedule for every number of members, if there is one that goes through them a fixed number of times, from
//! first to last or from last to first.
//!
//! Statement. Every send and every receive belongs to one sweep, the same for all members. In each sweep the members come
//! one after the other, up or down the row, and do what belongs to it. The numbers are read off a row with three members in
//! the middle, going as far as possible in each sweep and the way on which more is done; then they are tried for every size
//! up to that one: nothing comes in another order than in the code, every receive finds its message, sent in the right
//! direction, and no message is followed by another of its kind in that direction before it was received.
//!
//! Why sound. Larger rows have only more members in the middle. What these do in a sweep, and whom their messages are from,
//! is what the three do: whether a receive finds its message depends on the sweeps of two neighbours' statements and on
//! who comes first, which is the same for any two neighbours in the middle, and at the ends as it was.
//!
//! NOT COVERED. Messages that go back and forth between two members while others wait: each would take a sweep of its own.
//! Loops that communicate.

use super::steps::{Action, Steps};
use super::{END, Stuck};
use plainsong_diagnostics::Span;
use plainsong_ir::MessageId;
use std::collections::{BTreeMap, VecDeque};

/// More sweeps than can be read.
const MOST: usize = 8;

/// On which way a sweep goes through the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the first to the last.
    Up,
    /// From the last to the first.
    Down,
}

impl Way {
    /// The positions of a row on this way.
    fn through(self, length: usize) -> impl Iterator<Item = usize> {
        (0..length).map(move |at| match self {
            Way::Up => at,
            Way::Down => length - 1 - at,
        })
    }
}

/// A schedule.
pub(crate) struct Sweeps {
    /// The sweep of each statement, by its place.
    pub(crate) of: BTreeMap<Span, usize>,
    /// The way of each sweep.
    pub(crate) ways: Vec<Way>,
}

/// The sweeps of a row's statements.
pub(super) fn sweeps(steps: &Steps<'_>) -> Option<Sweeps> {
    let largest = 2 * END + 3;
    let sweeps = as_far_as_possible(&members(steps, largest).ok()?)?;
    for size in 1..=largest {
        is_fine(&members(steps, size).ok()?, &sweeps)?;
    }
    Some(sweeps)
}

fn members(steps: &Steps<'_>, size: i64) -> Result<Vec<Vec<Action>>, Stuck> {
    (0..size).map(|at| steps.of(at, size)).collect()
}

/// The last sweep in which anybody does a statement, when everybody goes as far as possible.
fn as_far_as_possible(members: &[Vec<Action>]) -> Option<Sweeps> {
    let mut sweeps = Sweeps {
        of: BTreeMap::new(),
        ways: Vec::new(),
    };
    let mut so_far = SoFar {
        done: vec![0; members.len()],
        waiting: BTreeMap::new(),
    };
    for sweep in 0..MOST {
        let (up, down) = (
            so_far.swept(members, Way::Up),
            so_far.swept(members, Way::Down),
        );
        let way = match down.number() > up.number() {
            true => Way::Down,
            false => Way::Up,
        };
        let next = if way == Way::Up { up } else { down };
        for (at, actions) in members.iter().enumerate() {
            let new = &actions[so_far.done[at]..next.done[at]];
            sweeps
                .of
                .extend(new.iter().map(|action| (action.span, sweep)));
        }
        sweeps.ways.push(way);
        so_far = next;
        if so_far.number() == members.iter().map(Vec::len).sum() {
            return Some(sweeps);
        }
    }
    None
}

/// How far a row has come.
#[derive(Clone)]
struct SoFar {
    /// How many of its actions each member has done.
    done: Vec<usize>,
    /// How many messages of each kind are in flight between two members.
    waiting: BTreeMap<(i64, i64, MessageId), usize>,
}

impl SoFar {
    fn number(&self) -> usize {
        self.done.iter().sum()
    }

    /// After one more sweep in which everybody goes as far as possible.
    fn swept(&self, members: &[Vec<Action>], way: Way) -> SoFar {
        let mut after = self.clone();
        for at in way.through(members.len()) {
            let here = at as i64;
            while let Some(action) = members[at].get(after.done[at]) {
                if action.sends {
                    let sent = (here, action.peer, action.message);
                    *after.waiting.entry(sent).or_default() += 1;
                } else {
                    match after.waiting.get_mut(&(action.peer, here, action.message)) {
                        Some(number) if *number > 0 => *number -= 1,
                        _ => break,
                    }
                }
                after.done[at] += 1;
            }
        }
        after
    }
}

/// Does a row get through these sweeps?
fn is_fine(members: &[Vec<Action>], sweeps: &Sweeps) -> Option<()> {
    let mut waiting: BTreeMap<_, VecDeque<i64>> = BTreeMap::new();
    for actions in members {
        let mut places: Vec<Span> = actions.iter().map(|action| action.span).collect();
        places.sort_unstable();
        places.dedup();
        (places.len() == actions.len()).then_some(())?;
    }
    for (sweep, way) in sweeps.ways.iter().enumerate() {
        for at in way.through(members.len()) {
            for action in &members[at] {
                if *sweeps.of.get(&action.span)? != sweep {
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
