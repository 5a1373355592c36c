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

/// The strongly connected component of each state. States that were found but not followed count as without steps.
fn components(edges: &[Vec<Edge>]) -> Vec<u32> {
    let most = edges.iter().flatten().map(|edge| edge.to as usize + 1);
    let count = edges.len().max(most.max().unwrap_or(0));
    let next = |at: usize| edges.get(at).into_iter().flatten();
    let next = |at: usize| next(at).map(|edge| edge.to as usize);
    let found = plainsong_ir::components::components(&vec![true; count], next, true);
    let mut component = vec![0; count];
    for (number, members) in found.into_iter().enumerate() {
        for member in members {
            component[member] = number as u32;
        }
    }
    component
}
