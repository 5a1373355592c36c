//! A stem and a cycle that somebody else says to exist, looked for in the program itself.
//!
//! A solver that was asked about the translated program ([`translate`](crate::translate)) knows which tasks run in which
//! order. Here these tasks are served in that order; where serving one can go several ways, all are tried. What is
//! found is executed again like any other cycle, so nobody has to believe the solver or the translation.

use crate::Divergence;
use crate::Fairness;
use crate::lasso::{Lasso, is_fair};
use crate::task_net::{Kind, Move, Net, State};
use plainsong_ir::FamilyId;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::value::Value;

/// A task that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The kind of message or the action, by position.
    pub kind: usize,
    /// The receiver, if it is a message.
    pub receiver: Option<(FamilyId, Vec<Value>)>,
    /// The payload or the arguments.
    pub values: Vec<Value>,
}

/// The execution that serves these tasks, the last of them again and again; none if there is none.
pub fn retold(
    machine: &Machine,
    fairness: Fairness,
    property: usize,
    stem: &[Ran],
    period: &[Ran],
) -> Option<Divergence> {
    let mut net = Net::new(machine, None);
    (0..AGAIN).find_map(|again| {
        let rounds = (0..=again).flat_map(|_| period);
        let wanted: Vec<Ran> = stem.iter().chain(rounds).cloned().collect();
        served(&mut net, fairness, property, &wanted, period.len())
    })
}

/// A translated program does not know who sent a message, the original does: what waits may be the same only when the
/// cycle has happened once or twice.
const AGAIN: usize = 3;

fn served(
    net: &mut Net<'_>,
    fairness: Fairness,
    property: usize,
    wanted: &[Ran],
    period: usize,
) -> Option<Divergence> {
    for start in net.starts() {
        let mut search = ReplaySearch {
            wanted,
            period,
            fairness,
            states: vec![start.clone()],
            moves: Vec::new(),
        };
        let found = match start.bag.total() {
            0 => search.init(net, property),
            _ => search.serve(net, 0, property),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

struct ReplaySearch<'w> {
    wanted: &'w [Ran],
    period: usize,
    fairness: Fairness,
    states: Vec<State>,
    moves: Vec<Move>,
}

impl ReplaySearch<'_> {
    fn last(&self) -> State {
        self.states.last().expect("there is a start").clone()
    }

    /// `init`, where it is a step of its own, and what comes then.
    fn init(&mut self, net: &mut Net<'_>, property: usize) -> Option<Divergence> {
        let moves = net.moves(self.last().control, None);
        (0..moves.edges.len()).find_map(|edge| self.take(net, None, edge, 0, property))
    }

    /// Serves what is wanted next.
    fn serve(&mut self, net: &mut Net<'_>, at: usize, property: usize) -> Option<Divergence> {
        let Some(next) = self.wanted.get(at) else {
            return self.closed(net, property);
        };
        let state = self.last();
        let kinds: Vec<Kind> = state.bag.kinds().collect();
        for kind in kinds {
            if !is_task(net, kind, next) {
                continue;
            }
            let moves = net.moves(state.control, Some(kind));
            let found = (0..moves.edges.len())
                .find_map(|edge| self.take(net, Some(kind), edge, at + 1, property));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn take(
        &mut self,
        net: &mut Net<'_>,
        kind: Option<Kind>,
        edge: usize,
        next: usize,
        property: usize,
    ) -> Option<Divergence> {
        let state = self.last();
        let moves = net.moves(state.control, kind);
        self.states
            .push(net.after(&state, kind, &moves.edges[edge]));
        self.moves.push(Move { kind, edge });
        let found = self.serve(net, next, property);
        self.states.pop();
        self.moves.pop();
        found
    }

    /// The cycle, if it can be repeated.
    fn closed(&self, net: &mut Net<'_>, property: usize) -> Option<Divergence> {
        let first = self.moves.len().checked_sub(self.period)?;
        let (states, moves) = (&self.states[first..], &self.moves[first..]);
        let same = states[0].control == states[moves.len()].control;
        if same && !is_fair(net, states, moves, self.fairness) {
            return None;
        }
        let lasso = Lasso {
            states: self.states.clone(),
            moves: self.moves.clone(),
            period: self.period,
        };
        let told = lasso.told(net, property)?;
        let ignores = match self.fairness {
            Fairness::Any => false,
            Fairness::Fair => !told.repetition.ignored.is_empty(),
            Fairness::Resent => !told.repetition.resent.is_empty(),
        };
        (!ignores).then_some(told)
    }
}

fn is_task(net: &Net<'_>, kind: Kind, wanted: &Ran) -> bool {
    let task = net.task(kind);
    let members = net.machine().instance().members();
    let receiver = task.receiver().and_then(|row| members.get(row));
    let receiver = receiver.map(|member| (member.family, member.index.to_vec()));
    task.kind() == wanted.kind && *task.values() == wanted.values[..] && receiver == wanted.receiver
}
