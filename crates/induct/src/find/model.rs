//! A system at one size as a circuit: its states, steps and claims.
//!
//! The inputs are the bits of a state: variables and messages in flight, then the parameters of the song; after these the arguments
//! and choices of each kind of step. The terms are those that proofs are about ([`crate::steps`]).
//!
//! [`Model::sample`] runs steps on 64 states at a time, for every argument and choice where these are few. No proof rests on what
//! is seen: a window cuts off integers, and two copies of a message are the most.

use super::circuit::{Circuit, Cone, Lit, word};
use super::finite::Finite;
use super::solver::Solver;
use super::values::{Shape, Val};
use crate::counterexample::{Var, variables};
use crate::state::{State, parameters};
use crate::steps::Step;
use crate::system::System;
use plainsong_ir::{ConstId, SortId, Ty};
use plainsong_prove::lower::Store;
use plainsong_prove::term::{Op, Term};
use plainsong_prove::theory::Theory;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The most copies of a message in flight.
const COPIES: i64 = 2;
/// The most bits of arguments and choices that are all tried.
const TRIED: usize = 9;
/// The most bits of a state.
const BITS: usize = 600;

/// The bits of a state, 64 in a word.
pub(crate) type Bits = Box<[u64]>;

/// A system as terms, from any state.
pub(crate) struct Symbolic<'a> {
    pub(crate) system: &'a System,
    pub(crate) any: &'a State,
    pub(crate) first: &'a State,
    pub(crate) init: &'a Step,
    pub(crate) steps: &'a [Step],
}

/// One kind of step at one size.
struct Move {
    /// That it can be taken, without failing, to a state within the window.
    can: Lit,
    /// The bits of the state after it.
    next: Vec<Lit>,
    /// Its own inputs: first, and one past the last.
    own: (usize, usize),
    /// What becomes of gates, by it.
    after: FxHashMap<u32, Lit>,
    cone: Option<Cone>,
}

/// A system at one size.
pub(crate) struct Model {
    pub(crate) finite: Finite,
    /// How many bits a state has, with the parameters.
    pub(crate) bits: usize,
    /// How many of them steps can change.
    changing: usize,
    moves: Vec<Move>,
    init: Move,
    pub(crate) solver: Solver,
    /// Which inputs are required to be valid already.
    required: usize,
    /// States that runs come to.
    pub(crate) samples: Vec<Bits>,
    /// The same, a word for each bit of 64 states.
    columns: Vec<Vec<u64>>,
    /// Room for runs of circuits.
    words: RefCell<Vec<u64>>,
    /// How many gates were run.
    ran: Cell<u64>,
    seen: FxHashSet<Bits>,
}

impl Model {
    /// A system at one size, if everything in it is covered.
    pub(crate) fn new(
        theory: &mut Theory,
        symbolic: &Symbolic<'_>,
        sizes: BTreeMap<SortId, i64>,
        window: (i64, i64),
    ) -> Option<Model> {
        let song = theory.song.clone();
        let numbers = sizes.values().copied().max().unwrap_or(2);
        let mut finite = Finite::new(sizes, window);
        let constants: Vec<(ConstId, Term)> = theory.constants().collect();
        for (at, symbol) in &constants {
            let is_number = matches!(song.consts[at.index()].ty, Ty::Int | Ty::Nat);
            if is_number && matches!(theory.terms.op(*symbol), Op::Symbol(_)) {
                finite.fix(*symbol, Val::number(numbers));
            }
        }
        let mut shapes = Vec::new();
        for var in variables(symbolic.system) {
            let shape = shape_of(&mut finite, theory, symbolic.system, var)?;
            finite.open(var.term(&symbolic.any.store), &shape);
            shapes.push((var, shape));
            if finite.circuit.inputs() > BITS {
                return None;
            }
        }
        let own = finite.circuit.inputs();
        for (at, symbol) in constants {
            if matches!(theory.terms.op(symbol), Op::Symbol(_)) && !finite.is_open(symbol) {
                let shape = finite.shape(theory, &song.consts[at.index()].ty)?;
                finite.open(symbol, &shape);
            }
        }
        let bits = finite.circuit.inputs();
        for known in theory.background().to_vec() {
            let lit = finite.truth(theory, known)?;
            finite.valid.push(lit);
        }
        for known in &symbolic.any.known {
            let lit = finite.truth(theory, *known)?;
            finite.valid.push(lit);
        }
        let mut moves = Vec::new();
        for step in symbolic.steps {
            let from = finite.circuit.inputs();
            if let Some(action) = step.action {
                let row = &symbolic.system.actions().actions[action.index()];
                for (symbol, ty) in step.arguments.iter().zip(parameters(&row.code)) {
                    let shape = finite.shape(theory, &ty)?;
                    finite.open(*symbol, &shape);
                }
            }
            moves.push(made(&mut finite, theory, step, &shapes, (own, bits), from)?);
        }
        let from = finite.circuit.inputs();
        let mut init = made(
            &mut finite,
            theory,
            symbolic.init,
            &shapes,
            (own, bits),
            from,
        )?;
        for known in &symbolic.first.known {
            let lit = finite.truth(theory, *known)?;
            init.can = finite.circuit.and(init.can, lit);
        }
        init.own.1 = finite.circuit.inputs();
        Some(Model {
            finite,
            bits,
            changing: own,
            moves,
            init,
            solver: Solver::new(),
            required: 0,
            samples: Vec::new(),
            columns: Vec::new(),
            words: RefCell::default(),
            ran: Cell::new(0),
            seen: FxHashSet::default(),
        })
    }

    pub(crate) fn circuit(&self) -> &Circuit {
        &self.finite.circuit
    }

    /// How much was done, in gates run and gates made, and what the solver does in the time of so many.
    pub(crate) fn work(&self) -> u64 {
        self.ran.get() + 100 * self.circuit().len() as u64 + self.solver.work()
    }

    /// The literal of a proposition about any state.
    pub(crate) fn truth(&mut self, theory: &Theory, term: Term) -> Option<Lit> {
        self.finite.truth(theory, term)
    }

    /// How many kinds of steps there are.
    pub(crate) fn steps(&self) -> usize {
        self.moves.len()
    }

    fn require_valid(&mut self) {
        while self.required < self.finite.valid.len() {
            let lit = self.finite.valid[self.required];
            self.solver.require(&self.finite.circuit, &[lit]);
            self.required += 1;
        }
    }

    /// Can a step lead from a state in which all lemmas hold to one in which `lit` is false?
    pub(crate) fn breaks(&mut self, step: usize, lit: Lit, lemmas: &[Lit]) -> bool {
        self.question(step, lit, lemmas)
            .is_some_and(|all| self.solver.is_possible(&self.finite.circuit, &all))
    }

    fn question(&mut self, step: usize, lit: Lit, lemmas: &[Lit]) -> Option<Vec<Lit>> {
        let one = &mut self.moves[step];
        let after = self.finite.circuit.compose(lit, &one.next, &mut one.after);
        if after == Lit::TRUE || after == lit && lemmas.contains(&lit) {
            return None;
        }
        let mut all = vec![one.can, !after];
        all.extend(lemmas);
        self.require_valid();
        Some(all)
    }

    /// A state in which all lemmas hold, from which a step leads to one in which `lit` is false. With `chance`, as little as possible
    /// is true in it: no bit can be taken away.
    pub(crate) fn breaking(
        &mut self,
        step: usize,
        lit: Lit,
        lemmas: &[Lit],
        chance: Option<&mut Chance>,
    ) -> Option<Bits> {
        let mut all = self.question(step, lit, lemmas)?;
        if !self.solver.is_possible(&self.finite.circuit, &all) {
            return None;
        }
        let mut found = self.answered();
        let Some(chance) = chance else {
            return Some(found);
        };
        let mut order: Vec<usize> = (0..self.changing).collect();
        chance.shuffle(&mut order);
        let is_set = |found: &Bits, at: usize| found[at / 64] >> (at % 64) & 1 == 1;
        for at in &order {
            if !is_set(&found, *at) {
                all.push(!self.circuit().input(*at));
            }
        }
        // What is false stays false; of what is true, as much as possible becomes so.
        for at in order {
            if !is_set(&found, at) {
                continue;
            }
            all.push(!self.circuit().input(at));
            match self.solver.is_possible(&self.finite.circuit, &all) {
                true => {
                    found = self.answered();
                    for other in 0..self.changing {
                        let lit = !self.circuit().input(other);
                        if !is_set(&found, other) && !all.contains(&lit) {
                            all.push(lit);
                        }
                    }
                }
                false => _ = all.pop(),
            }
        }
        Some(found)
    }

    /// Which of the lemmas the last "no" needed.
    pub(crate) fn needed(&self, lemmas: &[Lit]) -> Vec<bool> {
        lemmas
            .iter()
            .map(|lit| self.solver.was_needed(*lit))
            .collect()
    }

    /// Can a literal be false after `init`?
    pub(crate) fn fails_at_first(&mut self, lit: Lit) -> bool {
        let init = &mut self.init;
        let after = self
            .finite
            .circuit
            .compose(lit, &init.next, &mut init.after);
        if after == Lit::TRUE {
            return false;
        }
        let all = [init.can, !after];
        self.require_valid();
        self.solver.is_possible(&self.finite.circuit, &all)
    }

    fn answered(&self) -> Bits {
        let mut bits = vec![0; self.bits.div_ceil(64)].into_boxed_slice();
        for at in 0..self.bits {
            if self.solver.truth(self.circuit().input(at)) {
                bits[at / 64] |= 1 << (at % 64);
            }
        }
        bits
    }

    /// States that runs come to: breadth first, `kept` of each depth.
    pub(crate) fn sample(
        &mut self,
        starts: usize,
        kept: usize,
        most: usize,
        over: &mut dyn FnMut() -> bool,
    ) {
        let mut frontier = self.first_states(starts);
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        self.seen = frontier.iter().cloned().collect();
        self.samples.clone_from(&frontier);
        for at in 0..self.moves.len() {
            let mut roots = self.moves[at].next.clone();
            roots.push(self.moves[at].can);
            let (from, to) = self.moves[at].own;
            roots.extend(self.own_valid(from, to));
            self.moves[at].cone = Some(self.finite.circuit.cone(&roots));
        }
        while !frontier.is_empty() && self.samples.len() < most && !over() {
            let mut next = Vec::new();
            for batch in frontier.chunks(64) {
                for at in 0..self.moves.len() {
                    self.successors(at, batch, &mut chance, &mut next);
                }
            }
            chance.thin(&mut next, kept);
            self.samples.extend(next.iter().cloned());
            frontier = next;
        }
        self.seen = FxHashSet::default();
        chance.shuffle(&mut self.samples);
        let batches = self.samples.chunks(64);
        self.columns = batches.map(|batch| columns(batch, self.bits)).collect();
    }

    /// What has to hold of the inputs of a step.
    fn own_valid(&self, from: usize, to: usize) -> Vec<Lit> {
        let is_own = |lit: &&Lit| {
            let cone = self.circuit().cone(&[**lit]);
            let gates = (from..to).map(|at| self.circuit().input(at).gate());
            gates.into_iter().any(|gate| cone.contains(gate))
        };
        self.finite.valid.iter().filter(is_own).copied().collect()
    }

    fn first_states(&mut self, most: usize) -> Vec<Bits> {
        let mut solver = Solver::new();
        let circuit = &self.finite.circuit;
        for lit in &self.finite.valid {
            solver.require(circuit, &[*lit]);
        }
        let mut found = Vec::new();
        for lit in &self.init.next {
            solver.is_known(circuit, *lit);
        }
        while found.len() < most && solver.is_possible(circuit, &[self.init.can]) {
            let mut bits = vec![0; self.bits.div_ceil(64)].into_boxed_slice();
            let mut other = Vec::new();
            for (at, lit) in self.init.next.iter().enumerate() {
                let is_set = solver.truth(*lit);
                if is_set {
                    bits[at / 64] |= 1 << (at % 64);
                }
                other.push(match is_set {
                    true => !*lit,
                    false => *lit,
                });
            }
            found.push(bits);
            solver.require(circuit, &other);
        }
        found
    }

    fn successors(&mut self, at: usize, batch: &[Bits], chance: &mut Chance, into: &mut Vec<Bits>) {
        let Some(cone) = self.moves[at].cone.clone() else {
            return;
        };
        let (from, to) = self.moves[at].own;
        let mut inputs = columns(batch, self.bits);
        inputs.resize(self.finite.circuit.inputs(), 0);
        let wide = to - from;
        let valid = self.own_valid(from, to);
        let ways: Vec<u64> = match wide <= TRIED {
            true => (0..1 << wide).collect(),
            false => (0..1 << TRIED).map(|_| chance.next()).collect(),
        };
        let lanes = match batch.len() {
            64 => u64::MAX,
            some => (1 << some) - 1,
        };
        let mut words = Vec::new();
        for way in ways {
            for bit in 0..wide {
                let is_set = match bit < 64 {
                    true => way >> bit & 1 == 1,
                    false => chance.next() & 1 == 1,
                };
                inputs[from + bit] = match is_set {
                    true => u64::MAX,
                    false => 0,
                };
            }
            self.finite.circuit.run(&cone, &inputs, &mut words);
            let mut able = lanes & word(self.moves[at].can, &words);
            for lit in &valid {
                able &= word(*lit, &words);
            }
            if able == 0 {
                continue;
            }
            let next: Vec<u64> = self.moves[at]
                .next
                .iter()
                .map(|lit| word(*lit, &words))
                .collect();
            for lane in (0..64).filter(|lane| able >> lane & 1 == 1) {
                let mut bits = vec![0; self.bits.div_ceil(64)].into_boxed_slice();
                for (bit, word) in next.iter().enumerate() {
                    bits[bit / 64] |= (word >> lane & 1) << (bit % 64);
                }
                if self.seen.insert(bits.clone()) {
                    into.push(bits);
                }
            }
        }
    }

    /// A sample in which a literal is false.
    pub(crate) fn sample_without(&self, lit: Lit) -> Option<&Bits> {
        if lit == Lit::TRUE {
            return None;
        }
        let cone = self.circuit().cone(&[lit]);
        let mut words = self.words.borrow_mut();
        for (at, columns) in self.columns.iter().enumerate() {
            self.circuit().run(&cone, columns, &mut words);
            self.ran.set(self.ran.get() + cone.len());
            let lane = 64 * at + (!word(lit, &words)).trailing_zeros() as usize;
            if !word(lit, &words) != 0 && lane < self.samples.len() {
                return Some(&self.samples[lane]);
            }
        }
        None
    }

    /// For each state: which of the literals, in a cone, are true.
    pub(crate) fn truths(
        &self,
        cone: &Cone,
        rows: &[Vec<Lit>],
        states: &[Bits],
        mut each: impl FnMut(&[u64]),
    ) {
        let mut words = self.words.borrow_mut();
        for batch in states.chunks(64) {
            self.circuit()
                .run(cone, &columns(batch, self.bits), &mut words);
            self.ran
                .set(self.ran.get() + cone.len() + (rows.len() * batch.len()) as u64);
            for lits in rows {
                let own: Vec<u64> = lits.iter().map(|lit| word(*lit, &words)).collect();
                let mut row = vec![0_u64; lits.len().div_ceil(64)];
                for lane in 0..batch.len() {
                    row.fill(0);
                    for (at, word) in own.iter().enumerate() {
                        row[at / 64] |= (word >> lane & 1) << (at % 64);
                    }
                    each(&row);
                }
            }
        }
    }
}

/// A step as circuits. `own`, `bits`: where the parameters begin and end among the inputs.
fn made(
    finite: &mut Finite,
    theory: &mut Theory,
    step: &Step,
    shapes: &[(Var, Shape)],
    (own, bits): (usize, usize),
    from: usize,
) -> Option<Move> {
    for choice in &step.choices {
        if matches!(theory.terms.op(*choice), Op::Symbol(_)) && !finite.is_open(*choice) {
            let shape = finite.shape_of_sort(theory, theory.terms.sort(*choice))?;
            finite.open(*choice, &shape);
        }
    }
    let mut all = vec![finite.truth(theory, step.guard)?];
    for offered in &step.offered {
        all.push(finite.truth(theory, *offered)?);
    }
    for part in &step.gate {
        all.push(finite.truth(theory, part.holds)?);
    }
    let mut next = Vec::new();
    for (var, shape) in shapes {
        let value = finite.value(theory, term_of(*var, &step.after)?)?;
        shape.coded(&mut finite.circuit, Some(&value), &mut next, &mut all)?;
    }
    next.extend((own..bits).map(|at| finite.circuit.input(at)));
    Some(Move {
        can: finite.circuit.all(all),
        next,
        own: (from, finite.circuit.inputs()),
        after: FxHashMap::default(),
        cone: None,
    })
}

fn term_of(var: Var, store: &Store) -> Option<Term> {
    match var {
        Var::Global(at) => store.globals.get(&at).copied(),
        Var::Pending(at) => store.pending.get(&at).copied(),
    }
}

fn shape_of(finite: &mut Finite, theory: &mut Theory, system: &System, var: Var) -> Option<Shape> {
    let ty = var.ty(system);
    let Var::Pending(_) = var else {
        return finite.shape(theory, &ty);
    };
    let shape = finite.shape(theory, &ty)?;
    Some(few(&shape))
}

/// Counts are at most so many.
fn few(shape: &Shape) -> Shape {
    match shape {
        Shape::Fun(places) => Shape::Fun(places.iter().map(few).collect()),
        Shape::Num(_) => Shape::Num((0..=COPIES).collect()),
        other => other.clone(),
    }
}

/// A word for each bit: one lane for each state.
fn columns(batch: &[Bits], bits: usize) -> Vec<u64> {
    let mut columns = vec![0; bits];
    for (lane, state) in batch.iter().enumerate() {
        for (at, column) in columns.iter_mut().enumerate() {
            *column |= (state[at / 64] >> (at % 64) & 1) << lane;
        }
    }
    columns
}

/// Chance from a fixed seed.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any order.
    pub(crate) fn shuffle<T>(&mut self, all: &mut Vec<T>) {
        let most = all.len();
        self.thin(all, most);
    }

    /// Keeps so many at most.
    pub(crate) fn thin<T>(&mut self, all: &mut Vec<T>, most: usize) {
        for at in 0..most.min(all.len()) {
            let rest = (all.len() - at) as u64;
            all.swap(at, at + (self.next() % rest) as usize);
        }
        all.truncate(most);
    }
}
