//! A stem and a cycle by numbers, and whether the cycle ignores somebody.

use crate::bag::Bag;
use crate::task_net::{Control, Kind, Move, Net, Service, State};
use crate::{Divergence, Fairness};
use plainsong_semantics::lasso::{Repetition, refutation, repetition};
use plainsong_semantics::machine::{Config, Outcome};
use rustc_hash::FxHashSet;

/// An execution whose last moves can be repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    /// From the start; one more than moves.
    pub(crate) states: Vec<State>,
    pub(crate) moves: Vec<Move>,
    /// So many of the last moves are the cycle.
    pub(crate) period: usize,
}

impl Lasso {
    /// The execution in words, replayed, with its cycle executed again from its own end.
    ///
    /// Without a shift a lasso is always an execution. With one, what was found in normal form may not be
    /// one where the points of the song really lie; then there is nothing to tell.
    pub(crate) fn told(&self, net: &mut Net<'_>, property: usize) -> Option<Divergence> {
        let machine = net.machine();
        let (path, steps) = self.followed(net, 0)?;
        let start = machine
            .initial()
            .into_iter()
            .find_map(|start| match start {
                Outcome::Next(config) if config == path[0] => Some(config),
                _ => None,
            })?;
        let (trace, repetition) = refutation(machine, &start, &steps, self.period, property)?;
        Some(Divergence { trace, repetition })
    }

    /// How the cycle repeats itself, if it does; the stem is not looked at.
    pub(crate) fn repeats(&self, net: &mut Net<'_>) -> Option<Repetition> {
        let (path, steps) = self.followed(net, self.moves.len() - self.period)?;
        repetition(net.machine(), &path, &steps, self.period)
    }

    /// The states from a position to the end as the interpreter has them, and the numbers of the steps between them.
    fn followed(&self, net: &mut Net<'_>, from: usize) -> Option<(Vec<Config>, Vec<usize>)> {
        let machine = net.machine();
        let mut path = vec![net.config(&self.states[from], 0)];
        let mut steps = Vec::new();
        let mut by = 0;
        for (at, one) in self.moves.iter().enumerate().skip(from) {
            let moves = net.moves(self.states[at].control, one.kind);
            let edge = &moves.edges[one.edge];
            let before = by;
            by += edge.shift;
            let after = net.config(&self.states[at + 1], by);
            let enabled = machine.steps(&path[at - from]);
            let number = enabled.iter().position(|step| {
                let leads = matches!(&step.outcome, Outcome::Next(next) if *next == after);
                leads && net.is_move(step, one.kind, edge.serves, before)
            })?;
            steps.push(number);
            path.push(match enabled.into_iter().nth(number)?.outcome {
                Outcome::Next(next) => next,
                _ => return None,
            });
        }
        Some((path, steps))
    }
}

/// Is a cycle fair? `states` are those from its beginning to its end, `moves` the moves between them.
pub(crate) fn is_fair(
    net: &mut Net<'_>,
    states: &[State],
    moves: &[Move],
    fairness: Fairness,
) -> bool {
    if fairness == Fairness::Any {
        return true;
    }
    if shift(net, states, moves) != 0 || net.has_order() {
        return serves_all(net, states, moves);
    }
    let mut served: FxHashSet<Service> = FxHashSet::default();
    let mut sent: FxHashSet<Kind> = FxHashSet::default();
    for (state, one) in states.iter().zip(moves) {
        let edge = &net.moves(state.control, one.kind).edges[one.edge];
        served.insert(edge.serves);
        sent.extend(edge.posts.kinds());
    }
    let (end, period) = states.split_last().expect("a cycle has an end");
    let waits = end.bag.kinds().filter(|kind| match fairness {
        Fairness::Resent => sent.contains(kind),
        _ => true,
    });
    let unserved = waits.filter(|kind| !served.contains(&Service::Kind(*kind)));
    let kinds: Vec<Option<Kind>> = [None].into_iter().chain(unserved.map(Some)).collect();
    let mut asked: FxHashSet<Control> = FxHashSet::default();
    for state in period.iter().filter(|state| asked.insert(state.control)) {
        for kind in &kinds {
            let moves = net.moves(state.control, *kind);
            if moves.could.iter().any(|service| !served.contains(service)) {
                return false;
            }
        }
    }
    true
}

/// By how much moves shift the points.
fn shift(net: &mut Net<'_>, states: &[State], moves: &[Move]) -> i64 {
    let moved = states.iter().zip(moves);
    moved
        .map(|(state, one)| net.moves(state.control, one.kind).edges[one.edge].shift)
        .sum()
}

/// Is everything that waits at the beginning of a cycle served in it, and does as much wait at its end?
fn serves_all(net: &mut Net<'_>, states: &[State], moves: &[Move]) -> bool {
    let mut waits = states[0].bag.clone();
    for (state, one) in states.iter().zip(moves) {
        let known = net.moves(state.control, one.kind);
        let by = known.edges[one.edge].shift;
        let served = one
            .kind
            .filter(|kind| waits.kinds().any(|other| other == *kind));
        served.into_iter().for_each(|kind| waits.take(kind));
        let mut moved = Bag::default();
        for (kind, count) in waits.entries() {
            moved.add(net.renamed(*kind, -by), *count);
        }
        waits = moved;
        if one.kind.is_none() {
            return false;
        }
    }
    let end = &states[states.len() - 1];
    waits.total() == 0
        && match net.has_order() {
            // It covers the first, task by task.
            true => end.bag.total() == states[0].bag.total(),
            false => end.bag == states[0].bag,
        }
}
