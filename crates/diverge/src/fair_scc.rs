//! Fair strongly connected components: all states of a bounded program, and whether some cycle through them is fair.
//!
//! Statement. When finitely many states are reachable, [`cycle`] decides whether there is an infinite
//! execution, or one that ignores nobody.
//!
//! Why exact. The states that such an execution visits again and again lie in one strongly connected
//! component. If in a component somebody could be served in a state, but no step inside serves it, then an
//! execution that stays inside and comes back to this state ignores it; so the state is left out and the
//! rest is looked at again. If nobody is in this position, walking round the component and serving everybody
//! on the way is a cycle that ignores nobody.
//!
//! This is fairness towards whoever could be served *again and again*. Tasks without a condition stay
//! servable until they are served, so for them it makes no difference to ask for *all the time*.

use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::task_net::{Move, Net, Service, State};
use plainsong_ir::components::components;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// Every reachable state, with the moves between them.
pub(crate) struct Graph {
    states: Vec<State>,
    /// For each state where it leads to, by which move, and whom that serves.
    edges: Vec<Vec<(usize, Move, Service)>>,
    /// Who could be served in each state.
    could: Vec<Vec<Service>>,
    /// The first way to each state.
    before: Vec<Option<(usize, Move)>>,
}

impl Graph {
    /// Visits every state, as far as the budget goes and there are not more than `most`.
    pub(crate) fn of(
        net: &mut Net<'_>,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Graph, Spent> {
        let mut graph = Graph {
            states: Vec::new(),
            edges: Vec::new(),
            could: Vec::new(),
            before: Vec::new(),
        };
        let mut numbers = FxHashMap::default();
        for start in net.starts() {
            graph.reach(&mut numbers, start, None);
        }
        let mut at = 0;
        while at < graph.states.len() {
            let state = graph.states[at].clone();
            let (mut edges, mut could) = (Vec::new(), Vec::new());
            for (kind, moves) in net.all_moves(&state) {
                could.extend(&moves.could);
                for (number, edge) in moves.edges.iter().enumerate() {
                    budget.spend(graph.states.len())?;
                    let one = Move { kind, edge: number };
                    let after = net.after(&state, kind, edge);
                    let to = graph.reach(&mut numbers, after, Some((at, one)));
                    edges.push((to, one, edge.serves));
                }
            }
            budget.charge(net.copied());
            graph.edges.push(edges);
            graph.could.push(could);
            if graph.states.len() > most {
                return Err(Spent);
            }
            at += 1;
        }
        Ok(graph)
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    fn reach(
        &mut self,
        numbers: &mut FxHashMap<State, usize>,
        state: State,
        before: Option<(usize, Move)>,
    ) -> usize {
        if let Some(number) = numbers.get(&state) {
            return *number;
        }
        let number = self.states.len();
        numbers.insert(state.clone(), number);
        self.states.push(state);
        self.before.push(before);
        number
    }

    /// The moves inside a set of states.
    fn inside<'a>(
        &'a self,
        at: usize,
        alive: &'a [bool],
    ) -> impl Iterator<Item = &'a (usize, Move, Service)> + 'a {
        self.edges[at].iter().filter(|(to, ..)| alive[*to])
    }
}

/// A cycle, if need be a fair one, if there is one.
pub(crate) fn cycle(graph: &Graph, fair: bool) -> Option<Lasso> {
    let mut open = vec![vec![true; graph.len()]];
    while let Some(alive) = open.pop() {
        let next = |at: usize| -> Box<dyn Iterator<Item = usize> + '_> {
            Box::new(graph.edges[at].iter().map(|(to, ..)| *to))
        };
        for members in components(&alive, next, false) {
            let mut inside = vec![false; graph.len()];
            members.iter().for_each(|member| inside[*member] = true);
            let served: BTreeSet<Service> = members
                .iter()
                .flat_map(|member| graph.inside(*member, &inside))
                .map(|(_, _, service)| *service)
                .collect();
            let ignores = |member: &usize| {
                let mut could = graph.could[*member].iter();
                fair && could.any(|service| !served.contains(service))
            };
            let bad: Vec<usize> = members.iter().copied().filter(|one| ignores(one)).collect();
            if bad.is_empty() {
                let wanted = if fair { served } else { BTreeSet::new() };
                return Some(walk(graph, &inside, members[0], &wanted));
            }
            bad.iter().for_each(|one| inside[*one] = false);
            if bad.len() < members.len() {
                open.push(inside);
            }
        }
    }
    None
}

/// From a start to `first`, and from there round its component until everybody was served.
fn walk(graph: &Graph, inside: &[bool], first: usize, served: &BTreeSet<Service>) -> Lasso {
    let mut stem = Vec::new();
    let mut at = first;
    while let Some((before, one)) = graph.before[at] {
        stem.push((at, one));
        at = before;
    }
    let start = at;
    stem.reverse();
    let mut open = served.clone();
    open.remove(&Service::Nobody);
    let mut round: Vec<(usize, Move)> = Vec::new();
    let mut at = first;
    while !open.is_empty() {
        let wanted = |(_, _, service): &(usize, Move, Service)| open.contains(service);
        at = way(graph, inside, at, &wanted, &mut round);
        let taken: Vec<Service> = round
            .iter()
            .scan(first, |here, (to, one)| {
                let serves = graph.edges[*here]
                    .iter()
                    .find(|edge| edge.0 == *to && edge.1 == *one);
                *here = *to;
                serves.map(|edge| edge.2)
            })
            .collect();
        open.retain(|service| !taken.contains(service));
    }
    if at != first || round.is_empty() {
        let home = |(to, ..): &(usize, Move, Service)| *to == first;
        way(graph, inside, at, &home, &mut round);
    }
    let period = round.len();
    let moves: Vec<(usize, Move)> = stem.into_iter().chain(round).collect();
    Lasso {
        states: [start]
            .into_iter()
            .chain(moves.iter().map(|(to, _)| *to))
            .map(|state| graph.states[state].clone())
            .collect(),
        moves: moves.into_iter().map(|(_, one)| one).collect(),
        period,
    }
}

/// Appends the shortest way inside that ends with an edge as wanted, and says where it ends.
fn way(
    graph: &Graph,
    inside: &[bool],
    from: usize,
    wanted: &dyn Fn(&(usize, Move, Service)) -> bool,
    round: &mut Vec<(usize, Move)>,
) -> usize {
    let mut found_by: FxHashMap<usize, (usize, Move)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for edge in graph.inside(at, inside) {
            let (to, one, _) = *edge;
            if wanted(edge) {
                let mut back = vec![(to, one)];
                let mut here = at;
                while here != from {
                    let (before, one) = found_by[&here];
                    back.push((here, one));
                    here = before;
                }
                back.reverse();
                round.extend(back);
                return to;
            }
            if to != from && !found_by.contains_key(&to) {
                found_by.insert(to, (at, one));
                queue.push_back(to);
            }
        }
    }
    panic!("a component is connected")
}
