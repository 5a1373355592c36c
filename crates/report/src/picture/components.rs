//! Strongly connected components of a small directed graph (Tarjan's algorithm, without recursion
//! so that long traces do not exhaust the stack).

/// The components with more than one node, each sorted.
pub(super) fn knots(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        next,
        index: vec![None; next.len()],
        low: vec![0; next.len()],
        on_stack: vec![false; next.len()],
        stack: Vec::new(),
        counter: 0,
        knots: Vec::new(),
    };
    for node in 0..next.len() {
        if search.index[node].is_none() {
            search.from(node);
        }
    }
    search.knots
}

struct Search<'a> {
    next: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    counter: usize,
    knots: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = path.pop() {
            if let Some(&target) = self.next[node].get(edge) {
                path.push((node, edge + 1));
                match self.index[target] {
                    None => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    Some(index) if self.on_stack[target] => {
                        self.low[node] = self.low[node].min(index);
                    }
                    Some(_) => {}
                }
            } else {
                self.leave(node);
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = Some(self.counter);
        self.low[node] = self.counter;
        self.counter += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn leave(&mut self, node: usize) {
        if self.index[node] != Some(self.low[node]) {
            return;
        }
        let start = self
            .stack
            .iter()
            .rposition(|&other| other == node)
            .unwrap_or(0);
        let mut component = self.stack.split_off(start);
        for &member in &component {
            self.on_stack[member] = false;
        }
        if component.len() > 1 {
            component.sort_unstable();
            self.knots.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cycles_are_knots() {
        let next = vec![
            vec![1],
            vec![2],
            vec![0, 3],
            vec![4],
            vec![],
            vec![6],
            vec![5],
        ];
        assert_eq!(knots(&next), vec![vec![0, 1, 2], vec![5, 6]]);
        assert!(knots(&[vec![1], vec![]]).is_empty());
    }
}
