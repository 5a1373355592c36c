//! A stem and a period by numbers, and whether the period ignores somebody.

use crate::net::{Kind, Move, Net, Service, State};
use crate::{Divergence, Fairness};
use plainsong_semantics::machine::Outcome;
use plainsong_semantics::repetition::refutation;

/// An execution whose last moves can be repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lasso {
    /// From the start; one more than moves.
    pub(crate) states: Vec<State>,
    /// The moves.
    pub(crate) moves: Vec<Move>,
    /// So many of the last moves are the period.
    pub(crate) period: usize,
}

impl Lasso {
    /// The execution in words, replayed, with its period executed again from its own end.
    ///
    /// # Panics
    ///
    /// When the interpreter does not agree, which is a bug of ours.
    pub(crate) fn told(&self, net: &mut Net<'_>, property: usize) -> Divergence {
        let machine = net.machine();
        let first = net.config(&self.states[0]);
        let mut config = first.clone();
        let mut steps = Vec::new();
        for (at, one) in self.moves.iter().enumerate() {
            let moves = net.moves(self.states[at].control, one.kind);
            let serves = moves.edges[one.edge].serves;
            let after = net.config(&self.states[at + 1]);
            let enabled = machine.steps(&config);
            let number = enabled.iter().position(|step| {
                let leads = matches!(&step.outcome, Outcome::Next(next) if *next == after);
                leads && net.is_move(step, one.kind, serves)
            });
            let number = number.expect("an edge is a step of the interpreter");
            steps.push(number);
            config = match enabled.into_iter().nth(number).map(|step| step.outcome) {
                Some(Outcome::Next(next)) => next,
                _ => panic!("a step that leads somewhere"),
            };
        }
        let start = machine.initial().into_iter().find_map(|start| match start {
            Outcome::Next(config) if config == first => Some(config),
            _ => None,
        });
        let start = start.expect("a lasso begins at a start");
        let (trace, repetition) = refutation(machine, &start, &steps, self.period, property)
            .expect("a period is executed again from its own end");
        Divergence { trace, repetition }
    }
}

/// Is a period fair? `states` are those from its beginning to its end, `moves` the moves between them.
pub(crate) fn is_fair(
    net: &mut Net<'_>,
    states: &[State],
    moves: &[Move],
    fairness: Fairness,
) -> bool {
    if fairness == Fairness::Any {
        return true;
    }
    let mut served = Vec::new();
    let mut sent: Vec<Kind> = Vec::new();
    for (state, one) in states.iter().zip(moves) {
        let edge = &net.moves(state.control, one.kind).edges[one.edge];
        served.push(edge.serves);
        sent.extend(edge.posts.kinds());
    }
    let (end, period) = states.split_last().expect("a period has an end");
    let waits = end.bag.kinds().filter(|kind| match fairness {
        Fairness::Resent => sent.contains(kind),
        _ => true,
    });
    let kinds: Vec<Option<Kind>> = [None].into_iter().chain(waits.map(Some)).collect();
    for state in period {
        for kind in &kinds {
            if kind.is_some_and(|kind| served.contains(&Service::Kind(kind))) {
                continue;
            }
            let moves = net.moves(state.control, *kind);
            if moves.could.iter().any(|service| !served.contains(service)) {
                return false;
            }
        }
    }
    true
}
