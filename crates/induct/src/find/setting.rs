//! What a search is about: a system as terms and at small sizes, its claims and atoms.

use super::atoms::Atoms;
use super::graph::Graph;
use super::model::{Model, Symbolic};
use super::values::Shape;
use crate::claims::parts;
use crate::counterexample::variables;
use crate::state::{State, any, first};
use crate::steps::{Step, init, kinds};
use crate::system::System;
use plainsong_ir::{Claim, LocalId, RangeEnd, Song, SortId, SortKind, Ty};
use plainsong_prove::lower::{Env, Lowering};
use plainsong_prove::term::Term;
use plainsong_prove::theory::Theory;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The integers that variables have.
const WINDOW: (i64, i64) = (-1, 4);
/// How many states a size starts with, keeps of each depth, and has at most.
const SAMPLES: (usize, usize, usize) = (40, 300, 4_000);
/// The most bits of a state, but at the first size.
const LARGE: usize = 160;
/// The most gates that a size may begin with.
const GATES: usize = 200_000;

/// A system as terms.
pub(crate) struct Setting {
    theory: Theory,
    state: State,
    before: State,
    init: Step,
    steps: Vec<Step>,
    /// The atoms as terms over the symbols.
    terms: Vec<Option<Term>>,
    symbols: Vec<Term>,
    /// Which variables each atom reads, each kind of step reads or writes, and which nothing writes.
    reads: Vec<u128>,
    touched: Vec<u128>,
    fixed: u128,
    variables: FxHashMap<Term, u128>,
}

impl Setting {
    /// `own`: how many properties the song has; behind these are the atoms.
    pub(crate) fn new(system: &System, own: usize, atoms: &Atoms) -> Option<Setting> {
        let mut theory = Theory::new(system.song.clone());
        let before = first(&mut theory, system).ok()?;
        let state = any(&mut theory, system).ok()?;
        let init = init(&mut theory, system, &before, None).ok()?;
        let steps = kinds(&mut theory, system, &state, None).ok()?;
        let mut symbols = Vec::new();
        for local in &atoms.locals[..atoms.names] {
            let (symbol, _) = theory
                .arbitrary(&local.name, &local.ty, Default::default())
                .ok()?;
            symbols.push(symbol);
        }
        let (mut terms, mut needed) = (Vec::new(), Vec::new());
        for property in &system.song.properties[own..own + atoms.all.len()] {
            let Claim::Always(atom) = &property.claim else {
                return None;
            };
            let locals = symbols.iter().enumerate();
            let env = Env {
                locals: locals
                    .map(|(at, term)| (LocalId::from(at), *term))
                    .collect(),
                store: state.store.clone(),
                ..Env::default()
            };
            let mut lowering = Lowering::new(&mut theory, env);
            let term = lowering.expr(atom).ok();
            let needs: Vec<Term> = lowering
                .definedness
                .iter()
                .map(|one| one.condition)
                .collect();
            needed.push(needs);
            terms.push(term);
        }
        let mut variables: FxHashMap<Term, u128> = FxHashMap::default();
        for (at, var) in self::variables(system).into_iter().enumerate() {
            variables.insert(var.term(&state.store), 1 << at.min(126));
        }
        let mut setting = Setting {
            theory,
            state,
            before,
            init,
            steps,
            terms,
            symbols,
            reads: Vec::new(),
            touched: Vec::new(),
            fixed: 0,
            variables,
        };
        setting.forget_partial(&needed);
        setting.note(system);
        Some(setting)
    }

    /// Leaves atoms out that have no value in some states. What is asked of names alone holds: they are members.
    fn forget_partial(&mut self, needed: &[Vec<Term>]) {
        for (at, needs) in needed.iter().enumerate() {
            if self.read(needs) != 0 {
                self.terms[at] = None;
            }
        }
    }

    /// Notes who reads and writes what.
    fn note(&mut self, system: &System) {
        let reads: Vec<u128> = self
            .terms
            .iter()
            .map(|one| one.map_or(0, |one| self.read(&[one])))
            .collect();
        self.reads = reads;
        let mut written = 0;
        let mut touched = Vec::new();
        for step in &self.steps {
            let mut all = self.read(&[step.guard]) | self.read(&step.offered);
            for (at, var) in self::variables(system).into_iter().enumerate() {
                if var.term(&step.after) != var.term(&self.state.store) {
                    all |= 1 << at.min(126);
                    written |= 1 << at.min(126);
                }
            }
            touched.push(all);
        }
        self.touched = touched;
        self.fixed = !written;
    }

    /// Which variables terms read; what is no variable of the state is the last bit.
    fn read(&self, terms: &[Term]) -> u128 {
        let (mut seen, mut todo) = (FxHashSet::default(), terms.to_vec());
        let mut all = 0;
        while let Some(term) = todo.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(bit) = self.variables.get(&term) {
                all |= bit;
            }
            todo.extend(self.theory.terms.args(term));
        }
        all
    }

    /// The system at small sizes, with samples.
    pub(crate) fn models(
        &mut self,
        atoms: &Atoms,
        system: &System,
        over: &mut dyn FnMut() -> bool,
    ) -> Option<Models> {
        let symbolic = Symbolic {
            system,
            any: &self.state,
            first: &self.before,
            init: &self.init,
            steps: &self.steps,
        };
        let mut all = Models::default();
        for sizes in plan(&system.song) {
            let Some(mut model) = Model::new(&mut self.theory, &symbolic, sizes, WINDOW) else {
                continue;
            };
            let is_large = !all.models.is_empty() && model.bits > LARGE;
            if model.circuit().len() > GATES || is_large || over() {
                continue;
            }
            let (starts, kept, most) = SAMPLES;
            model.sample(starts, kept, most, over);
            if model.samples.is_empty() {
                continue;
            }
            model.finite.set_slots(&self.symbols);
            let mut own = Vec::new();
            for local in &atoms.locals[..atoms.names] {
                own.push(numbers(&mut model, &mut self.theory, &local.ty)?);
            }
            all.models.push(model);
            all.values.push(own);
        }
        (!all.models.is_empty()).then_some(all)
    }

    /// The parts of a claim in any state.
    pub(crate) fn claim(&mut self, system: &System, at: usize) -> Option<Vec<Term>> {
        let parts = parts(&mut self.theory, system, at, &self.state.store, true).ok()?;
        Some(parts.iter().map(|part| part.holds).collect())
    }

    /// The search for these claims.
    pub(crate) fn graph<'a>(
        &'a self,
        atoms: &'a Atoms,
        models: Models,
        claims: &[Vec<Term>],
    ) -> Option<Graph<'a>> {
        let mut graph = Graph::new(
            &self.theory,
            atoms,
            &self.terms,
            &self.reads,
            &self.touched,
            self.fixed,
            models.models,
            models.values,
        );
        for parts in claims {
            graph.claim(parts, self.read(parts))?;
        }
        Some(graph)
    }
}

/// A system at small sizes.
#[derive(Default)]
pub(crate) struct Models {
    models: Vec<Model>,
    /// At each size: the values of each name.
    values: Vec<Vec<Vec<u32>>>,
}

/// The places of the values of a type in the domain of its sort.
fn numbers(model: &mut Model, theory: &mut Theory, ty: &Ty) -> Option<Vec<u32>> {
    let sort = theory.sort_of_type(ty, Default::default()).ok()?;
    let domain = model.finite.domain(theory, sort)?;
    let Shape::Num(numbers) = model.finite.shape(theory, ty)? else {
        return None;
    };
    let is_member = |at: &usize| domain[*at].only().is_some_and(|one| numbers.contains(&one));
    Some(
        (0..domain.len())
            .filter(is_member)
            .map(|at| at as u32)
            .collect(),
    )
}

/// The sizes that are looked at: two of everything, three of everything, and more where there is an order.
fn plan(song: &Song) -> Vec<BTreeMap<SortId, i64>> {
    let (mut open, mut ordered) = (Vec::new(), Vec::new());
    for (at, sort) in song.sorts.iter().enumerate() {
        match &sort.kind {
            SortKind::Identities { ordered: false } => open.push(SortId::from(at)),
            SortKind::Identities { ordered: true } => ordered.push(SortId::from(at)),
            SortKind::Range(range) if range.end == RangeEnd::Open => ordered.push(SortId::from(at)),
            SortKind::Range(_) => {}
        }
    }
    let with = |size: i64, long: i64| {
        let short = open.iter().map(|at| (*at, size));
        short.chain(ordered.iter().map(|at| (*at, long))).collect()
    };
    let mut all: Vec<BTreeMap<SortId, i64>> = vec![with(2, 2), with(3, 3)];
    if !ordered.is_empty() && !open.is_empty() {
        all.push(with(2, 4));
        all.push(with(3, 4));
    }
    all.push(with(4, 3));
    all
}
