//! Cycles in the graph of states.

use std::collections::VecDeque;

/// A step from one state to another, by the numbers of states and of the step.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The state it leads to.
    pub to: u32,
    /// Which of the steps out of its state.
    pub step: u32,
}

/// The first state that lies on a cycle, and the shortest way round from it as numbers of steps.
///
/// States are numbered by their distance from the start, so the way to this cycle is short too.
pub(super) fn nearest_cycle(edges: &[Vec<Edge>]) -> Option<(usize, Vec<usize>)> {
    let component = components(edges);
    let on_a_cycle = |at: usize| {
        edges[at]
            .iter()
            .any(|edge| component[edge.to as usize] == component[at])
    };
    let first = (0..edges.len()).find(|at| on_a_cycle(*at))?;
    Some((first, way_round(edges, &component, first)))
}

/// The shortest way from a state back to itself, inside its component.
fn way_round(edges: &[Vec<Edge>], component: &[u32], first: usize) -> Vec<usize> {
    let mut found_by: Vec<Option<(usize, u32)>> = vec![None; edges.len()];
    let mut queue = VecDeque::from([first]);
    while let Some(at) = queue.pop_front() {
        for edge in &edges[at] {
            let to = edge.to as usize;
            if component.get(to) != Some(&component[first]) || found_by[to].is_some() {
                continue;
            }
            found_by[to] = Some((at, edge.step));
            if to == first {
                return unwind(&found_by, first);
            }
            queue.push_back(to);
        }
    }
    panic!("a state in a component with an edge into it lies on a cycle")
}

fn unwind(found_by: &[Option<(usize, u32)>], first: usize) -> Vec<usize> {
    let mut steps = Vec::new();
    let mut at = first;
    while let Some((before, step)) = found_by[at] {
        steps.push(step as usize);
        at = before;
        if at == first {
            break;
        }
    }
    steps.reverse();
    steps
}

/// The strongly connected component of each state (Tarjan's algorithm, with its own stack). States
/// that were found but not followed count as without steps.
fn components(edges: &[Vec<Edge>]) -> Vec<u32> {
    let most = edges
        .iter()
        .flatten()
        .map(|edge| edge.to as usize + 1)
        .max()
        .unwrap_or(0);
    let count = edges.len().max(most);
    let mut tarjan = Tarjan {
        edges,
        number: vec![UNSEEN; count],
        low: vec![0; count],
        component: vec![UNSEEN; count],
        open: Vec::new(),
        next: 0,
        components: 0,
    };
    for at in 0..count {
        if tarjan.number[at] == UNSEEN {
            tarjan.visit(at);
        }
    }
    tarjan.component
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan<'a> {
    edges: &'a [Vec<Edge>],
    number: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    open: Vec<usize>,
    next: u32,
    components: u32,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: usize) {
        let mut calls = vec![(root, 0)];
        self.enter(root);
        while let Some((at, edge)) = calls.last_mut() {
            let at = *at;
            let next = self.edges.get(at).and_then(|edges| edges.get(*edge));
            *edge += 1;
            match next.map(|edge| edge.to as usize) {
                Some(to) if self.number[to] == UNSEEN => {
                    self.enter(to);
                    calls.push((to, 0));
                }
                Some(to) if self.component[to] == UNSEEN => {
                    self.low[at] = self.low[at].min(self.number[to]);
                }
                Some(_) => {}
                None => {
                    calls.pop();
                    self.leave(at);
                    if let Some((caller, _)) = calls.last() {
                        self.low[*caller] = self.low[*caller].min(self.low[at]);
                    }
                }
            }
        }
    }

    fn enter(&mut self, at: usize) {
        self.number[at] = self.next;
        self.low[at] = self.next;
        self.next += 1;
        self.open.push(at);
    }

    fn leave(&mut self, at: usize) {
        if self.low[at] != self.number[at] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member] = self.components;
            if member == at {
                break;
            }
        }
        self.components += 1;
    }
}
