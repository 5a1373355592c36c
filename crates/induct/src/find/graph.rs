//! The search for lemmas along the proof graph.
//!
//! Nodes are the claims to be shown and the lemmas that they need. Of each node and each kind of step it is asked, at every size,
//! whether the step can break it where all nodes hold. If so, more such states are collected, and a clause is looked for that
//! holds in all states seen and after `init`, and is false in the state. It is made as general as the states seen allow, by
//! taking some of its names apart; one that is inductive already beside the others is preferred, else the one that forbids most of the states for
//! its length. A lemma for which there is none is given up.
//!
//! Source. Goal-directed as in Endive and Scimitar (slices of variables for each node), clauses over rows of samples as in DistAI and DuoAI.

use super::atoms::{Atoms, Kind};
use super::circuit::Lit;
use super::clauses::{Clause, Literal};
use super::model::{Bits, Chance, Model};
use super::templates::{CHOICES, Template, choices};
use plainsong_ir::LocalId;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Theory;
use std::collections::{BTreeMap, BTreeSet};

/// Which clauses are looked at: how many names of each sort, atoms up to which kind, how many literals.
pub(super) const LEVELS: [(usize, Kind, usize); 9] = [
    (1, Kind::Guard, 2),
    (2, Kind::Guard, 2),
    (2, Kind::Plain, 3),
    (2, Kind::Guard, 3),
    (3, Kind::Plain, 3),
    (2, Kind::Exists, 3),
    (2, Kind::Guard, 4),
    (3, Kind::Guard, 4),
    (2, Kind::Deep, 4),
];
/// From which level on a clause is taken that is not inductive yet.
const PATIENT: usize = 4;
/// How many sizes are looked at from the beginning.
const ACTIVE: usize = 2;
/// How many states are collected for one node and step.
const STATES: usize = 12;
/// How much is done at most, in gates run: some seconds.
const WORK: u64 = 6_000_000_000;
/// The most lemmas.
const LEMMAS: usize = 40;
/// How many literals, over all choices of members, are very many.
const COSTLY: usize = 30_000;
/// How many rows are looked at for the clauses of one level.
const HITS: usize = 20_000_000;
/// How many clauses are made general.
const GENERAL: usize = 24;
/// Of how many of these it is asked whether they are inductive already.
const ASKED: usize = 12;
/// Of how many of a hundred states a clause that is inductive already has to forbid to be taken at once.
const ENOUGH: i64 = 75;
/// What it is worth that a clause is inductive already, in hundredths.
const INDUCTIVE: i64 = 30;

/// A node of the graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Nothing for claims.
    pub(crate) clause: Option<Clause>,
    /// Of claims, their conjuncts.
    parts: Vec<Term>,
    /// At each size.
    lits: Vec<Lit>,
    /// Which variables it reads.
    reads: u128,
    number: usize,
}

/// What came of a search.
pub(crate) enum Result {
    /// Inductive at the sizes looked at.
    Found(Vec<Clause>),
    /// For this claim, by its position, nothing helps.
    Stuck,
    /// It took too long.
    Over,
}

/// Everything that a search needs.
pub(crate) struct Graph<'a> {
    pub(crate) theory: &'a Theory,
    pub(crate) atoms: &'a Atoms,
    /// The atoms as terms; nothing for what is not covered.
    pub(crate) terms: &'a [Option<Term>],
    /// Which variables each atom reads.
    pub(crate) reads: &'a [u128],
    /// Which variables each kind of step reads in its guard, and writes.
    pub(crate) steps: &'a [u128],
    /// Which variables never change.
    pub(crate) fixed: u128,
    pub(crate) models: Vec<Model>,
    /// How many of the sizes are looked at already.
    pub(super) active: usize,
    /// At each size: the values of each name.
    pub(crate) values: Vec<Vec<Vec<u32>>>,
    pub(crate) nodes: Vec<Node>,
    /// How many of the nodes are claims.
    pub(crate) claims: usize,
    /// Clauses that were given up.
    pub(crate) given_up: BTreeSet<Clause>,
    closed: BTreeSet<(usize, usize, usize)>,
    templates: BTreeMap<(usize, u128), Template>,
    numbers: usize,
    /// How many rows were looked at for clauses.
    hits: u64,
    pub(super) chance: Chance,
}

impl<'a> Graph<'a> {
    #[expect(
        clippy::too_many_arguments,
        reason = "one place builds it, field by field"
    )]
    pub(crate) fn new(
        theory: &'a Theory,
        atoms: &'a Atoms,
        terms: &'a [Option<Term>],
        reads: &'a [u128],
        steps: &'a [u128],
        fixed: u128,
        models: Vec<Model>,
        values: Vec<Vec<Vec<u32>>>,
    ) -> Graph<'a> {
        Graph {
            theory,
            atoms,
            terms,
            reads,
            steps,
            fixed,
            active: models.len().min(ACTIVE),
            models,
            values,
            nodes: Vec::new(),
            claims: 0,
            given_up: BTreeSet::new(),
            closed: BTreeSet::new(),
            templates: BTreeMap::new(),
            numbers: 0,
            hits: 0,
            chance: Chance(0x2545_F491_4F6C_DD1D),
        }
    }

    /// Adds a claim: its conjuncts as terms.
    pub(crate) fn claim(&mut self, parts: &[Term], reads: u128) -> Option<()> {
        let lits = (0..self.active).map(|size| self.claimed(parts, size));
        let lits: Option<Vec<Lit>> = lits.collect();
        self.push(None, parts.to_vec(), lits?, reads);
        self.claims += 1;
        Some(())
    }

    fn claimed(&mut self, parts: &[Term], size: usize) -> Option<Lit> {
        let model = &mut self.models[size];
        let mut all = Vec::new();
        for part in parts {
            all.push(model.truth(self.theory, *part)?);
        }
        Some(model.finite.circuit.all(all))
    }

    /// Looks at the next size, too.
    fn activate(&mut self) -> Option<()> {
        let size = self.active;
        for at in 0..self.nodes.len() {
            let node = self.nodes[at].clone();
            let lit = match &node.clause {
                Some(clause) => self.lit(clause, size)?,
                None => self.claimed(&node.parts, size)?,
            };
            self.nodes[at].lits.push(lit);
        }
        self.active += 1;
        self.templates.clear();
        Some(())
    }

    /// Is a claim false in some state that was seen?
    pub(crate) fn is_seen_false(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| !self.holds_in_samples(&node.lits))
    }

    fn push(&mut self, clause: Option<Clause>, parts: Vec<Term>, lits: Vec<Lit>, reads: u128) {
        let number = self.numbers;
        self.numbers += 1;
        self.nodes.push(Node {
            clause,
            parts,
            lits,
            reads,
            number,
        });
    }

    fn holds_in_samples(&self, lits: &[Lit]) -> bool {
        let mut models = self.models.iter().zip(lits);
        models.all(|(model, lit)| model.sample_without(*lit).is_none())
    }

    /// Looks for lemmas until everything is inductive at all sizes.
    pub(crate) fn run(&mut self, over: &mut dyn FnMut() -> bool) -> Result {
        loop {
            if over() || self.is_tired() || self.nodes.len() > LEMMAS {
                return Result::Over;
            }
            let Some((size, at, step, state)) = self.broken() else {
                if self.active < self.models.len() {
                    if self.activate().is_none() {
                        return Result::Over;
                    }
                    self.drop_what_fails();
                    continue;
                }
                return Result::Found(self.needed());
            };
            let states = self.more(size, at, step, state);
            match self.choose(size, at, step, &states, over) {
                Some((clause, lits)) => {
                    let reads = self.reads_of(&clause);
                    self.push(Some(clause), Vec::new(), lits, reads);
                }
                None if over() || self.is_tired() => return Result::Over,
                None => match self.nodes[at].clause.clone() {
                    None => return Result::Stuck,
                    Some(clause) => {
                        self.given_up.insert(clause);
                        self.nodes.remove(at);
                        self.closed.clear();
                    }
                },
            }
        }
    }

    /// Was enough done? So that what is found depends on no clock.
    fn is_tired(&self) -> bool {
        self.models.iter().map(Model::work).sum::<u64>() + 4 * self.hits > WORK
    }

    /// Gives up lemmas that are false in a state seen at the newest size.
    fn drop_what_fails(&mut self) {
        let size = self.active - 1;
        let wrong: Vec<Clause> = self
            .nodes
            .iter()
            .filter(|node| self.models[size].sample_without(node.lits[size]).is_some())
            .filter_map(|node| node.clause.clone())
            .collect();
        if !wrong.is_empty() {
            self.give_up(&wrong);
        }
    }

    fn lemmas(&self, size: usize) -> Vec<Lit> {
        self.nodes.iter().map(|node| node.lits[size]).collect()
    }

    /// A node that a step can break: size, node, step and the state before.
    fn broken(&mut self) -> Option<(usize, usize, usize, Bits)> {
        // Two members are few: much holds there that does not with three.
        let mut sizes: Vec<usize> = (0..self.active).collect();
        if sizes.len() > 1 {
            sizes.swap(0, 1);
        }
        for size in sizes {
            let lemmas = self.lemmas(size);
            for at in 0..self.nodes.len() {
                for step in 0..self.models[size].steps() {
                    let key = (size, self.nodes[at].number, step);
                    if self.closed.contains(&key) {
                        continue;
                    }
                    let lit = self.nodes[at].lits[size];
                    if let Some(state) =
                        self.models[size].breaking(step, lit, &lemmas, Some(&mut self.chance))
                    {
                        return Some((size, at, step, state));
                    }
                    self.closed.insert(key);
                }
            }
        }
        None
    }

    fn more(&mut self, size: usize, at: usize, step: usize, first: Bits) -> Vec<Bits> {
        let mut states = vec![first];
        let (lemmas, lit) = (self.lemmas(size), self.nodes[at].lits[size]);
        for number in 1..STATES {
            let chance = Some(&mut self.chance).filter(|_| number % 2 == 0);
            states.extend(self.models[size].breaking(step, lit, &lemmas, chance));
        }
        states.sort();
        states.dedup();
        states
    }

    /// The best clause against these states.
    fn choose(
        &mut self,
        size: usize,
        at: usize,
        step: usize,
        states: &[Bits],
        over: &mut dyn FnMut() -> bool,
    ) -> Option<(Clause, Vec<Lit>)> {
        let own = self.nodes[at].reads | self.steps[step] | self.fixed;
        let mut best: Option<(i64, Clause, Vec<Lit>)> = None;
        for level in 0..LEVELS.len() {
            for slice in [own, u128::MAX] {
                if over() || self.is_tired() {
                    return None;
                }
                let found = self.candidates(level, slice, size, states);
                let mut general: BTreeMap<Clause, (i64, i64, Vec<Lit>)> = BTreeMap::new();
                for (clause, lits) in found.into_iter().take(GENERAL) {
                    let (clause, lits) = self.generalised(clause, lits);
                    if self.given_up.contains(&clause) || over() {
                        continue;
                    }
                    let forbidden = self.forbidden(size, lits[size], states);
                    general.insert(
                        clause.clone(),
                        (self.cost(&clause) - forbidden, forbidden, lits),
                    );
                }
                let mut general: Vec<_> = general.into_iter().collect();
                general.sort_by(|a, b| (a.1.0, &a.0).cmp(&(b.1.0, &b.0)));
                for (clause, (cost, forbidden, lits)) in general.iter().take(ASKED) {
                    let is_inductive = self.is_inductive(lits);
                    if is_inductive && *forbidden >= ENOUGH {
                        return Some((clause.clone(), lits.clone()));
                    }
                    let cost = cost - if is_inductive { INDUCTIVE } else { 0 };
                    if best.as_ref().is_none_or(|best| cost < best.0) {
                        best = Some((cost, clause.clone(), lits.clone()));
                    }
                }
            }
            let is_costly = |next: &usize| self.is_costly(*next, own);
            if best.is_some() && (level >= PATIENT || Some(level + 1).filter(is_costly).is_some()) {
                break;
            }
        }
        best.map(|(_, clause, lits)| (clause, lits))
    }

    /// Has the template of a level very many literals?
    fn is_costly(&self, level: usize, slice: u128) -> bool {
        let (names, ..) = LEVELS[level];
        if names < 3 {
            return false;
        }
        let atoms = self.chosen(level, slice);
        let mut locals: BTreeSet<LocalId> = BTreeSet::new();
        atoms
            .iter()
            .for_each(|at| locals.extend(&self.atoms.used[*at]));
        let sizes = locals
            .iter()
            .map(|one| self.values[self.active - 1][one.index()].len());
        sizes.product::<usize>().min(CHOICES) * atoms.len() > COSTLY
    }

    /// In hundredths: literals, and more for those that are not about the state only; fewer for names.
    fn cost(&self, clause: &Clause) -> i64 {
        let kinds = clause.iter().map(|one| match self.atoms.kinds[one.atom] {
            Kind::Plain => 25,
            Kind::Guard => 30,
            Kind::Exists => 60,
            Kind::Deep => 70,
        });
        kinds.sum::<i64>() - 3 * self.names_of(clause).len() as i64
    }

    /// In hundredths: how many of the states a literal forbids.
    fn forbidden(&self, size: usize, lit: Lit, states: &[Bits]) -> i64 {
        let mut count = 0;
        let cone = self.models[size].circuit().cone(&[lit]);
        self.models[size].truths(&cone, &[vec![lit]], states, |row| {
            count += i64::from(row[0] & 1 == 0);
        });
        100 * count / states.len().max(1) as i64
    }

    fn is_inductive(&mut self, lits: &[Lit]) -> bool {
        for (size, lit) in lits.iter().enumerate() {
            let mut lemmas = self.lemmas(size);
            lemmas.push(*lit);
            for step in 0..self.models[size].steps() {
                if self.models[size].breaks(step, *lit, &lemmas) {
                    return false;
                }
            }
        }
        true
    }

    /// Clauses that hold in all states seen and after `init`, and are false in one of these, the cheapest first.
    fn candidates(
        &mut self,
        level: usize,
        slice: u128,
        size: usize,
        states: &[Bits],
    ) -> Vec<(Clause, Vec<Lit>)> {
        let key = (level, slice);
        if !self.templates.contains_key(&key) {
            let template = self.template(level, slice);
            self.templates.insert(key, template);
        }
        let Some(mut template) = self.templates.remove(&key) else {
            return Vec::new();
        };
        let (_, _, most) = LEVELS[level];
        let mut found = Vec::new();
        let mut work = HITS;
        for _ in 0..40 {
            if work == 0 {
                break;
            }
            let rows = self.rows_in_order(&template, size, &states[..1]);
            let mut able: BTreeSet<Clause> = BTreeSet::new();
            for row in &rows {
                let before = work;
                able.extend(template.rows.hitting(row, most, 200, &mut work));
                self.hits += (before - work) as u64;
                if able.len() > 400 {
                    break;
                }
            }
            let mut able: Vec<Clause> = able
                .into_iter()
                .filter(|one| self.is_of_state(one))
                .collect();
            able.sort_by_key(|clause| (self.cost(clause), clause.clone()));
            let mut known = BTreeSet::new();
            let mut learnt = false;
            found.clear();
            for clause in able {
                if self.given_up.contains(&clause) {
                    continue;
                }
                let mut lits = Vec::new();
                let mut wrong = None;
                for size in 0..self.models.len() {
                    let Some(lit) = self.lit(&clause, size) else {
                        wrong = Some(None);
                        break;
                    };
                    if let Some(state) = self.models[size].sample_without(lit) {
                        wrong = Some(Some((size, state.clone())));
                        break;
                    }
                    lits.push(lit);
                }
                if let Some(Some((at, state))) = &wrong
                    && *at < template.sizes.len()
                {
                    let row = self.row_without(&template, *at, state, &clause);
                    if let Some(row) = row {
                        template.rows.add(row);
                        learnt = true;
                    }
                }
                lits.truncate(self.active);
                if wrong.is_some() || !known.insert(lits.clone()) {
                    continue;
                }
                if !self.fails_at_first(&lits) {
                    found.push((clause, lits));
                    if found.len() >= GENERAL {
                        break;
                    }
                }
            }
            if !learnt || found.len() >= ASKED {
                break;
            }
        }
        self.templates.insert(key, template);
        found
    }

    fn fails_at_first(&mut self, lits: &[Lit]) -> bool {
        let mut models = self.models.iter_mut().zip(lits);
        models.any(|(model, lit)| model.fails_at_first(*lit))
    }

    /// Does it speak about something that changes?
    fn is_of_state(&self, clause: &Clause) -> bool {
        self.reads_of(clause) & !self.fixed != 0
    }

    fn reads_of(&self, clause: &Clause) -> u128 {
        clause.iter().fold(0, |all, one| all | self.reads[one.atom])
    }

    /// The names in a clause.
    pub(super) fn names_of(&self, clause: &Clause) -> BTreeSet<LocalId> {
        clause
            .iter()
            .flat_map(|one| self.atoms.used[one.atom].iter().copied())
            .collect()
    }

    pub(super) fn atom(
        &mut self,
        size: usize,
        atom: usize,
        locals: &[LocalId],
        choice: &[u32],
    ) -> Option<Lit> {
        let finite = &mut self.models[size].finite;
        for (local, value) in locals.iter().zip(choice) {
            finite.set_slot(self.theory, local.index(), *value)?;
        }
        finite.truth(self.theory, self.terms[atom]?)
    }

    /// A clause at each size, if it holds in all states seen.
    fn holding(&mut self, clause: &Clause) -> Option<Vec<Lit>> {
        let mut lits = Vec::new();
        for size in 0..self.models.len() {
            let lit = self.lit(clause, size)?;
            if self.models[size].sample_without(lit).is_some() {
                return None;
            }
            lits.push(lit);
        }
        lits.truncate(self.active);
        Some(lits)
    }

    /// A clause at one size: for all members.
    fn lit(&mut self, clause: &Clause, size: usize) -> Option<Lit> {
        let locals: Vec<LocalId> = self.names_of(clause).into_iter().collect();
        let mut all = Vec::new();
        for choice in choices(&self.values[size], &locals) {
            let mut any = Vec::new();
            for one in clause {
                let lit = self.atom(size, one.atom, &locals, &choice)?;
                any.push(match one.positive {
                    true => lit,
                    false => !lit,
                });
            }
            all.push(self.models[size].finite.circuit.any(any));
        }
        Some(self.models[size].finite.circuit.all(all))
    }

    /// As general as the states seen allow: some atoms get a name of their own, and literals go.
    fn generalised(&mut self, clause: Clause, lits: Vec<Lit>) -> (Clause, Vec<Lit>) {
        let (mut clause, mut lits) = (clause, lits);
        let mut tries = 60;
        'again: loop {
            for other in self.split(&clause).into_iter().chain(shorter(&clause)) {
                if tries == 0 {
                    break 'again;
                }
                tries -= 1;
                if let Some(more) = self.holding(&other)
                    && more != lits
                    && !self.fails_at_first(&more)
                {
                    (clause, lits) = (other, more);
                    continue 'again;
                }
            }
            break;
        }
        (clause, lits)
    }

    /// The clause with a new name in some of the atoms that have one in common.
    fn split(&self, clause: &Clause) -> Vec<Clause> {
        let mut used: BTreeMap<LocalId, Vec<usize>> = BTreeMap::new();
        for (at, one) in clause.iter().enumerate() {
            for local in &self.atoms.used[one.atom] {
                used.entry(*local).or_default().push(at);
            }
        }
        let mut all = Vec::new();
        for (local, at) in &used {
            let first = local.index() / self.atoms.each * self.atoms.each;
            let mut free = (first..first + self.atoms.each).map(LocalId::from);
            let Some(new) = free.find(|one| !used.contains_key(one)) else {
                continue;
            };
            // Each place of the name is renamed or not, but not all of them.
            let mut ways: Vec<(Clause, usize)> = vec![(clause.clone(), 0)];
            let mut places = 0;
            for place in at {
                let variants = self.atoms.variants(clause[*place].atom, *local, new);
                places += variants.iter().map(|(_, count)| *count).max().unwrap_or(0);
                let longer = ways.iter().flat_map(|(way, so_far)| {
                    let with = |(atom, count): &(usize, usize)| {
                        let mut other = way.clone();
                        other[*place].atom = *atom;
                        (other, so_far + count)
                    };
                    variants.iter().map(with).collect::<Vec<_>>()
                });
                ways = longer.take(64).collect();
            }
            let partly = ways
                .into_iter()
                .filter(|(_, count)| 0 < *count && *count < places);
            all.extend(partly.map(|(mut other, _)| {
                other.sort();
                other
            }));
        }
        all
    }

    /// The clauses that the claims need: by the cores of the answers, then one by one.
    fn needed(&mut self) -> Vec<Clause> {
        let mut kept: BTreeSet<usize> = (0..self.claims).collect();
        let mut todo: Vec<usize> = kept.iter().copied().collect();
        while let Some(at) = todo.pop() {
            for size in 0..self.active {
                let lemmas = self.lemmas(size);
                for step in 0..self.models[size].steps() {
                    let lit = self.nodes[at].lits[size];
                    let before = self.models[size].solver.questions;
                    self.models[size].breaks(step, lit, &lemmas);
                    if self.models[size].solver.questions == before {
                        continue;
                    }
                    for (other, is_needed) in self.models[size].needed(&lemmas).iter().enumerate() {
                        if *is_needed && kept.insert(other) {
                            todo.push(other);
                        }
                    }
                }
            }
        }
        let mut kept: Vec<usize> = kept.into_iter().collect();
        for at in (self.claims..kept.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            if self.is_inductive_set(&fewer) {
                kept = fewer;
            }
        }
        kept.iter()
            .filter_map(|at| self.nodes[*at].clause.clone())
            .collect()
    }

    fn is_inductive_set(&mut self, kept: &[usize]) -> bool {
        for size in (0..self.active).rev() {
            let lemmas: Vec<Lit> = kept.iter().map(|at| self.nodes[*at].lits[size]).collect();
            for lit in &lemmas {
                for step in 0..self.models[size].steps() {
                    if self.models[size].breaks(step, *lit, &lemmas) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Gives clauses up, and forgets what was closed with them.
    pub(crate) fn give_up(&mut self, clauses: &[Clause]) {
        self.given_up.extend(clauses.iter().cloned());
        let own = self.claims;
        let mut at = 0;
        self.nodes.retain(|node| {
            at += 1;
            at <= own
                || node
                    .clause
                    .as_ref()
                    .is_none_or(|one| !clauses.contains(one))
        });
        self.closed.clear();
    }
}

/// The clause without one of its literals.
fn shorter(clause: &Clause) -> Vec<Clause> {
    if clause.len() < 2 {
        return Vec::new();
    }
    let all = (0..clause.len()).map(|at| {
        let mut other: Vec<Literal> = clause.clone();
        other.remove(at);
        other
    });
    all.collect()
}
