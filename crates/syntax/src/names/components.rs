//! Strongly connected components: which declarations depend on each other in a circle, and an order
//! in which each comes after what it depends on.
//!
//! Tarjan's algorithm with its own stack, because a file may have a very long chain of declarations.

/// The components of the graph whose node `n` points at `edges[n]`, each after those it points at.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        rows: vec![Row::default(); edges.len()],
        next: 1,
        open: Vec::new(),
        found: Vec::new(),
    };
    for node in 0..edges.len() {
        if search.rows[node].index == 0 {
            search.run(node);
        }
    }
    search.found
}

/// Does some node of the component reach itself?
pub(crate) fn is_cyclic(component: &[usize], edges: &[Vec<usize>]) -> bool {
    component.len() > 1 || component.iter().any(|&node| edges[node].contains(&node))
}

#[derive(Clone, Default)]
struct Row {
    /// Order of discovery, from 1; 0 before it.
    index: usize,
    /// The earliest open node known to be reachable.
    low: usize,
    is_open: bool,
}

struct Search<'e> {
    edges: &'e [Vec<usize>],
    rows: Vec<Row>,
    next: usize,
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn run(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.discover(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = self.edges[node].get(*edge) {
                *edge += 1;
                if self.rows[target].index == 0 {
                    self.discover(target);
                    path.push((target, 0));
                } else if self.rows[target].is_open {
                    self.rows[node].low = self.rows[node].low.min(self.rows[target].index);
                }
            } else {
                path.pop();
                self.retreat(node, path.last().map(|&(parent, _)| parent));
            }
        }
    }

    fn discover(&mut self, node: usize) {
        self.rows[node] = Row {
            index: self.next,
            low: self.next,
            is_open: true,
        };
        self.next += 1;
        self.open.push(node);
    }

    fn retreat(&mut self, node: usize, parent: Option<usize>) {
        let low = self.rows[node].low;
        if let Some(parent) = parent {
            self.rows[parent].low = self.rows[parent].low.min(low);
        }
        if low == self.rows[node].index {
            let mut component = Vec::new();
            while let Some(member) = self.open.pop() {
                self.rows[member].is_open = false;
                component.push(member);
                if member == node {
                    break;
                }
            }
            component.sort_unstable();
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_first_and_circles_stay_together() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        let found = components(&edges);
        assert_eq!(found, vec![vec![3], vec![1, 2], vec![0], vec![4]]);
        let cyclic: Vec<bool> = found.iter().map(|c| is_cyclic(c, &edges)).collect();
        assert_eq!(cyclic, [false, true, false, true]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<Vec<usize>> = (0..200_000)
            .map(|n| if n + 1 < 200_000 { vec![n + 1] } else { vec![] })
            .collect();
        assert_eq!(components(&edges).len(), 200_000);
    }
}
