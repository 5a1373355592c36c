//! Strongly connected components (SCC) of part of a graph: Tarjan's algorithm, with its own stack, because graphs may have very
//! long chains.

/// The components of the nodes in `alive`, each after those that it leads to; single nodes without an edge
/// to themselves only if `singles`. `next` lists the nodes that a node leads to; those that are not alive
/// are left out.
pub fn components<I: Iterator<Item = usize>>(
    alive: &[bool],
    next: impl Fn(usize) -> I,
    singles: bool,
) -> Vec<Vec<usize>> {
    let mut tarjan = Tarjan {
        alive,
        next,
        singles,
        number: vec![UNSEEN; alive.len()],
        low: vec![0; alive.len()],
        is_open: vec![false; alive.len()],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for (at, is_alive) in alive.iter().enumerate() {
        if *is_alive && tarjan.number[at] == UNSEEN {
            tarjan.visit(at);
        }
    }
    tarjan.found
}

/// The components of the graph whose node `n` points at `edges[n]`, each after those it points at.
pub fn components_of(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let next = |node: usize| edges[node].iter().rev().copied();
    components(&vec![true; edges.len()], next, true)
}

/// Does some node of the component reach itself?
pub fn is_cyclic(component: &[usize], edges: &[Vec<usize>]) -> bool {
    component.len() > 1 || component.iter().any(|&node| edges[node].contains(&node))
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan<'a, F> {
    alive: &'a [bool],
    next: F,
    singles: bool,
    number: Vec<u32>,
    low: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    count: u32,
    found: Vec<Vec<usize>>,
}

impl<I: Iterator<Item = usize>, F: Fn(usize) -> I> Tarjan<'_, F> {
    fn visit(&mut self, root: usize) {
        let mut calls = vec![(root, self.enter(root))];
        while let Some((at, rest)) = calls.last_mut() {
            let at = *at;
            match rest.pop() {
                Some(to) if self.number[to] == UNSEEN => {
                    let nexts = self.enter(to);
                    calls.push((to, nexts));
                }
                Some(to) if self.is_open[to] => {
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

    fn enter(&mut self, at: usize) -> Vec<usize> {
        self.number[at] = self.count;
        self.low[at] = self.count;
        self.count += 1;
        self.open.push(at);
        self.is_open[at] = true;
        (self.next)(at).filter(|to| self.alive[*to]).collect()
    }

    fn leave(&mut self, at: usize) {
        if self.low[at] != self.number[at] {
            return;
        }
        let mut members = Vec::new();
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            members.push(member);
            if member == at {
                break;
            }
        }
        let has_edge = members.len() > 1 || (self.next)(at).any(|to| to == at);
        if has_edge || self.singles {
            members.sort_unstable();
            self.found.push(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_and_a_loop_are_found_and_a_path_is_not() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![3], vec![0]];
        let next = |at: usize| edges[at].clone().into_iter();
        assert_eq!(components(&[true; 5], next, false), [vec![3], vec![1, 2]]);
        let alive = [true, true, false, true, true];
        assert_eq!(components(&alive, next, false), [vec![3]]);
    }

    #[test]
    fn dependencies_come_first_and_circles_stay_together() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let found = components_of(&edges);
        assert_eq!(found, vec![vec![3], vec![1, 2], vec![0], vec![4]]);
        let cyclic: Vec<bool> = found.iter().map(|c| is_cyclic(c, &edges)).collect();
        assert_eq!(cyclic, [false, true, false, true]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<Vec<usize>> = (0..200_000)
            .map(|n| if n + 1 < 200_000 { vec![n + 1] } else { vec![] })
            .collect();
        assert_eq!(components_of(&edges).len(), 200_000);
    }
}
