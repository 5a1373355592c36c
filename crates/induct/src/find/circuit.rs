//! Circuits of and-gates and inverters: what states of one size make true, many at a time.
//!
//! A [`Lit`] is a gate or its negation. Gates are shared: equal gates are one. Truths of 64 states are a word, so that running a
//! circuit costs an instruction for each gate and 64 states.

use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit(pub(crate) u32);

impl Lit {
    pub(crate) const FALSE: Lit = Lit(0);
    pub(crate) const TRUE: Lit = Lit(1);

    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a gate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    /// The first gate: false.
    Constant,
    /// By its number among the inputs.
    Input(u32),
    And(Lit, Lit),
}

/// Gates, each after those that it reads.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    known: FxHashMap<(Lit, Lit), u32>,
    inputs: Vec<u32>,
    /// Which gates a walk has seen: those with its number.
    marks: RefCell<(u32, Vec<u32>)>,
}

/// The gates that some literals depend on, in order.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    order: Vec<u32>,
}

impl Circuit {
    pub(crate) fn new() -> Circuit {
        Circuit {
            gates: vec![Gate::Constant],
            known: FxHashMap::default(),
            inputs: Vec::new(),
            marks: RefCell::default(),
        }
    }

    /// How many gates there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The two sides of a gate; nothing for inputs.
    pub(crate) fn sides(&self, gate: usize) -> Option<(Lit, Lit)> {
        match self.gates[gate] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// How many inputs there are.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The literal of an input, by its number.
    pub(crate) fn input(&self, number: usize) -> Lit {
        Lit(self.inputs[number] << 1)
    }

    /// A new input.
    pub(crate) fn open(&mut self) -> Lit {
        let gate = self.gates.len() as u32;
        self.gates.push(Gate::Input(self.inputs.len() as u32));
        self.inputs.push(gate);
        Lit(gate << 1)
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        let next = self.gates.len() as u32;
        let gate = *self.known.entry((a, b)).or_insert(next);
        if gate == next {
            self.gates.push(Gate::And(a, b));
        }
        Lit(gate << 1)
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn all(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        let mut parts: Vec<Lit> = parts.into_iter().collect();
        parts.sort();
        parts.dedup();
        parts
            .into_iter()
            .fold(Lit::TRUE, |all, part| self.and(all, part))
    }

    pub(crate) fn any(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        let parts: Vec<Lit> = parts.into_iter().map(|part| !part).collect();
        !self.all(parts)
    }

    pub(crate) fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (yes, no) = (self.and(c, a), self.and(!c, b));
        self.or(yes, no)
    }

    pub(crate) fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        self.ite(a, b, !b)
    }

    /// The same, with other literals for the inputs. `known`: what gates become, filled as it goes.
    pub(crate) fn compose(
        &mut self,
        root: Lit,
        inputs: &[Lit],
        known: &mut FxHashMap<u32, Lit>,
    ) -> Lit {
        let cone = self.cone(&[root]);
        for gate in cone.order {
            if known.contains_key(&gate) {
                continue;
            }
            let image = match self.gates[gate as usize] {
                Gate::Constant => Lit::FALSE,
                Gate::Input(number) => match inputs.get(number as usize) {
                    Some(other) => *other,
                    None => Lit(gate << 1),
                },
                Gate::And(a, b) => {
                    let side = |side: Lit| Lit(known[&(side.0 >> 1)].0 ^ (side.0 & 1));
                    let (a, b) = (side(a), side(b));
                    self.and(a, b)
                }
            };
            known.insert(gate, image);
        }
        Lit(known[&(root.0 >> 1)].0 ^ (root.0 & 1))
    }

    /// The gates that literals depend on.
    pub(crate) fn cone(&self, roots: &[Lit]) -> Cone {
        let mut marks = self.marks.borrow_mut();
        let (number, marks) = &mut *marks;
        *number += 1;
        marks.resize(self.gates.len(), 0);
        let mut todo: Vec<u32> = roots.iter().map(|root| root.0 >> 1).collect();
        let mut order = Vec::new();
        while let Some(gate) = todo.pop() {
            if std::mem::replace(&mut marks[gate as usize], *number) == *number {
                continue;
            }
            order.push(gate);
            if let Gate::And(a, b) = self.gates[gate as usize] {
                todo.extend([a.0 >> 1, b.0 >> 1]);
            }
        }
        order.sort_unstable();
        Cone { order }
    }

    /// Runs a cone: `inputs` has a word for each input, `words` is scratch, a word for each gate afterwards.
    pub(crate) fn run(&self, cone: &Cone, inputs: &[u64], words: &mut Vec<u64>) {
        if words.len() < self.gates.len() {
            words.resize(self.gates.len(), 0);
        }
        for &gate in &cone.order {
            words[gate as usize] = match self.gates[gate as usize] {
                Gate::Constant => 0,
                Gate::Input(number) => inputs.get(number as usize).copied().unwrap_or(0),
                Gate::And(a, b) => word(a, words) & word(b, words),
            };
        }
    }
}

impl Cone {
    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.order.len() as u64
    }

    /// Is a gate among them?
    pub(crate) fn contains(&self, gate: usize) -> bool {
        self.order.binary_search(&(gate as u32)).is_ok()
    }
}

/// The truths of a literal after a run.
pub(crate) fn word(lit: Lit, words: &[u64]) -> u64 {
    let word = words[lit.gate()];
    match lit.is_negated() {
        true => !word,
        false => word,
    }
}

#[cfg(test)]
mod tests {
    use super::{Circuit, Lit, word};
    use rustc_hash::FxHashMap;

    #[test]
    fn gates_run_on_many_states_at_once_and_are_composed() {
        let mut circuit = Circuit::new();
        let (a, b, c) = (circuit.open(), circuit.open(), circuit.open());
        let chosen = circuit.ite(a, b, c);
        let same = circuit.iff(a, b);
        let cone = circuit.cone(&[chosen, same]);
        let mut words = Vec::new();
        circuit.run(&cone, &[0b1100, 0b1010, 0b0110], &mut words);
        assert_eq!(word(chosen, &words) & 0b1111, 0b1010);
        assert_eq!(word(same, &words) & 0b1111, 0b1001);
        let swapped = circuit.compose(chosen, &[!a, c, b], &mut FxHashMap::default());
        assert_eq!(swapped, chosen);
        assert_eq!(circuit.and(chosen, !chosen), Lit::FALSE);
    }
}
