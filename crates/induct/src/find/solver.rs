//! Questions about circuits to a SAT solver.
//!
//! Each gate that is asked about becomes three clauses (Tseitin); literals are assumed, so one solver serves all questions of a
//! size. Its polarities are random from a fixed seed: what it answers differs from question to question, not from run to run.

use super::circuit::{Circuit, Lit};
use batsat::{BasicSolver, SolverInterface, SolverOpts, lbool};

/// A solver for the gates of one circuit.
pub(crate) struct Solver {
    solver: BasicSolver,
    /// The variable of each gate that was asked about.
    vars: Vec<Option<batsat::Var>>,
    /// How many questions were asked.
    pub(crate) questions: usize,
}

impl Solver {
    pub(crate) fn new() -> Solver {
        let options = SolverOpts {
            rnd_pol: true,
            random_var_freq: 0.02,
            ..SolverOpts::default()
        };
        Solver {
            solver: BasicSolver::new(options, batsat::BasicCallbacks::default()),
            vars: Vec::new(),
            questions: 0,
        }
    }

    /// The solver's literal for a literal of the circuit.
    fn literal(&mut self, circuit: &Circuit, lit: Lit) -> batsat::Lit {
        self.vars.resize(circuit.len().max(self.vars.len()), None);
        let mut todo = vec![lit.gate()];
        while let Some(&gate) = todo.last() {
            if self.vars[gate].is_some() {
                todo.pop();
                continue;
            }
            let sides = circuit.sides(gate);
            let missing: Vec<usize> = sides
                .into_iter()
                .flat_map(|(a, b)| [a.gate(), b.gate()])
                .filter(|gate| self.vars[*gate].is_none())
                .collect();
            if !missing.is_empty() {
                todo.extend(missing);
                continue;
            }
            let var = self.solver.new_var_default();
            self.vars[gate] = Some(var);
            let own = batsat::Lit::new(var, true);
            match sides {
                Some((a, b)) => {
                    let (a, b) = (self.made(a), self.made(b));
                    self.solver.add_clause_reuse(&mut vec![!own, a]);
                    self.solver.add_clause_reuse(&mut vec![!own, b]);
                    self.solver.add_clause_reuse(&mut vec![own, !a, !b]);
                }
                None if gate == 0 => {
                    self.solver.add_clause_reuse(&mut vec![!own]);
                }
                None => {}
            }
            todo.pop();
        }
        self.made(lit)
    }

    fn made(&self, lit: Lit) -> batsat::Lit {
        let var = self.vars[lit.gate()].expect("a gate that was translated before");
        batsat::Lit::new(var, !lit.is_negated())
    }

    /// From now on this is so.
    pub(crate) fn require(&mut self, circuit: &Circuit, any: &[Lit]) {
        let mut clause: Vec<batsat::Lit> =
            any.iter().map(|lit| self.literal(circuit, *lit)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    /// What it has done, about, in gates run.
    pub(crate) fn work(&self) -> u64 {
        20 * self.solver.num_propagations() + 1_000 * self.questions as u64
    }

    /// Makes the next answer speak about a literal.
    pub(crate) fn is_known(&mut self, circuit: &Circuit, lit: Lit) {
        self.literal(circuit, lit);
    }

    /// Can all of these be true at once? Then [`Solver::truth`] says of what.
    pub(crate) fn is_possible(&mut self, circuit: &Circuit, all: &[Lit]) -> bool {
        self.questions += 1;
        let all: Vec<batsat::Lit> = all.iter().map(|lit| self.literal(circuit, *lit)).collect();
        self.solver.solve_limited(&all) == lbool::TRUE
    }

    /// The truth of a literal in the last answer; of what was not asked about, no.
    pub(crate) fn truth(&self, lit: Lit) -> bool {
        match self.vars.get(lit.gate()).copied().flatten() {
            Some(_) => self.solver.value_lit(self.made(lit)) == lbool::TRUE,
            None => lit.is_negated(),
        }
    }

    /// Was this literal needed for the last "no"?
    pub(crate) fn was_needed(&self, lit: Lit) -> bool {
        match self.vars.get(lit.gate()).copied().flatten() {
            Some(_) => {
                let own = self.made(lit);
                let core = self.solver.unsat_core();
                core.contains(&own) || core.contains(&!own)
            }
            None => false,
        }
    }
}
