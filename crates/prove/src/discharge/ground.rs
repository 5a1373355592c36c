//! Grounding: from hypotheses and a negated goal to formulas without quantifiers, by Skolem constants and instances.
//!
//! Everything is asserted together, and the question is whether it can hold. So in an asserted formula
//! - *for some* becomes a fresh symbol, its witness (Skolemization where it stands; no prenex form is needed); equal formulas
//!   get one witness;
//! - *for every* becomes a truth symbol that implies each of its instances
//!   ([`quantifiers`](super::quantifiers));
//! - two collections that are not the same differ at a place that means something
//!   ([`Theory::differ`]); the same ones are equal terms, or, when they are defined by lambdas, differ
//!   nowhere;
//! - a lambda that is still there becomes a symbol with its definition as a quantified formula;
//! - a sum, a least or a greatest element becomes a symbol about which facts are asserted
//!   ([`totals`](super::totals)); so does a division by something that is no constant;
//! - about a call of a recursive function its definition and promise are asserted
//!   ([`calls`](super::calls)).
//!
//! Why sound. Each step asserts something that any model of the original can be extended to satisfy;
//! if the result has no model, neither has the original.

use crate::functions::Induction;
use crate::lemma_library::Lemma;
use crate::term::{Op, Sort, Term};
use crate::theory::{Result, Theory};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The name of witnesses.
pub(super) const WITNESS: &str = "some";

/// A universally quantified formula.
#[derive(Clone, Debug)]
pub(super) struct Universal {
    /// Implies every instance; none when it always holds.
    pub(super) proxy: Option<Term>,
    /// The sorts of its variables, outermost first.
    pub(super) sorts: Vec<Sort>,
    /// The formula under all of them.
    pub(super) body: Term,
}

/// A conjunction under construction.
pub(super) struct Ground<'t> {
    pub(super) theory: &'t mut Theory,
    /// Formulas without quantifiers, all asserted.
    pub(super) formulas: Vec<Term>,
    /// Quantified ones, in the order in which they were met.
    pub(super) universals: Vec<Universal>,
    /// Sums and extreme elements with their symbols, in the order in which they were met.
    pub(super) sums: Vec<(Term, Term)>,
    /// Divisions by something that is no constant: what it is, and what stands for it.
    pub(super) divisions: Vec<(Term, Term)>,
    /// Instances that were made.
    pub(super) instances: FxHashSet<(usize, Vec<Term>)>,
    /// What witnesses are called: those of facts about sums are not tried in other sums.
    pub(super) witness_name: &'static str,
    /// Calls of recursive functions whose facts are asserted.
    pub(super) calls: Vec<Term>,
    /// The proof by induction that is in flight.
    pub(super) induction: Option<Induction>,
    /// Lemmas of which there are instances.
    pub(super) used: BTreeSet<Lemma>,
    asserted: FxHashSet<Term>,
    pushed: FxHashSet<Term>,
    known_universals: FxHashMap<Term, Term>,
    witnesses: FxHashMap<Term, Term>,
    clean: FxHashMap<Term, Term>,
    names: FxHashMap<Term, Term>,
    tables: [Option<Term>; 2],
}

impl<'t> Ground<'t> {
    pub(super) fn new(theory: &'t mut Theory) -> Self {
        let used = theory.terms.singles_out().then_some(Lemma::ButOne);
        Ground {
            theory,
            formulas: Vec::new(),
            universals: Vec::new(),
            sums: Vec::new(),
            divisions: Vec::new(),
            instances: FxHashSet::default(),
            witness_name: WITNESS,
            calls: Vec::new(),
            induction: None,
            used: used.into_iter().collect(),
            asserted: FxHashSet::default(),
            pushed: FxHashSet::default(),
            known_universals: FxHashMap::default(),
            witnesses: FxHashMap::default(),
            clean: FxHashMap::default(),
            names: FxHashMap::default(),
            tables: [None; 2],
        }
    }

    /// Asserts a closed formula.
    pub(super) fn assert(&mut self, formula: Term) -> Result<()> {
        if !self.asserted.insert(formula) {
            return Ok(());
        }
        let ground = self.ground(formula, true)?;
        self.push(ground);
        Ok(())
    }

    fn push(&mut self, formula: Term) {
        if self.theory.terms.op(formula) == Op::And {
            let parts = self.theory.terms.args(formula).to_vec();
            parts.into_iter().for_each(|part| self.push(part));
        } else if self.theory.terms.op(formula) != Op::True && self.pushed.insert(formula) {
            self.formulas.push(formula);
        }
    }

    /// A formula, or its negation, without quantifiers.
    fn ground(&mut self, formula: Term, positive: bool) -> Result {
        let op = self.theory.terms.op(formula);
        let args = self.theory.terms.args(formula).to_vec();
        match op {
            Op::True | Op::False => {
                let truth = (op == Op::True) == positive;
                Ok(self.theory.terms.bool(truth))
            }
            Op::Not => self.ground(args[0], !positive),
            Op::And | Op::Or => {
                let parts: Vec<Term> = args
                    .into_iter()
                    .map(|arg| self.ground(arg, positive))
                    .collect::<Result<_>>()?;
                Ok(if (op == Op::And) == positive {
                    self.theory.terms.and(&parts)
                } else {
                    self.theory.terms.or(&parts)
                })
            }
            Op::Forall(sort) if positive => self.universal(sort, args[0]),
            Op::Exists(sort) if !positive => {
                let body = self.theory.terms.not(args[0]);
                self.universal(sort, body)
            }
            Op::Exists(sort) => self.witness(sort, args[0]),
            Op::Forall(sort) => {
                let body = self.theory.terms.not(args[0]);
                self.witness(sort, body)
            }
            Op::Same(number) if !positive || self.theory.terms.has_lambda(formula) => {
                let ty = self.theory.terms.type_of_same(number).clone();
                let differ = self.theory.differ(&ty, args[0], args[1])?;
                self.ground(differ, !positive)
            }
            Op::Eq if self.is_composed(args[0]) || self.is_composed(args[1]) => {
                self.equivalence(args[0], args[1], positive)
            }
            _ => {
                let atom = self.cleaned(formula)?;
                Ok(if positive {
                    atom
                } else {
                    self.theory.terms.not(atom)
                })
            }
        }
    }

    /// Is it a truth value with structure that depends on polarity?
    fn is_composed(&self, term: Term) -> bool {
        self.theory.terms.sort(term) == Sort::BOOL
            && (self.theory.terms.is_quantified(term)
                || matches!(
                    self.theory.terms.op(term),
                    Op::Same(_) | Op::And | Op::Or | Op::Not
                ))
    }

    /// Both or neither; or, when negative, one of them.
    fn equivalence(&mut self, a: Term, b: Term, positive: bool) -> Result {
        let not_b = self.theory.terms.not(b);
        let (with, without) = if positive { (b, not_b) } else { (not_b, b) };
        let not_a = self.theory.terms.not(a);
        let first = self.theory.terms.or(&[not_a, with]);
        let second = self.theory.terms.or(&[a, without]);
        let both = self.theory.terms.and(&[first, second]);
        self.ground(both, true)
    }

    fn witness(&mut self, sort: Sort, body: Term) -> Result {
        let key = self.theory.terms.quantify(Op::Exists(sort), body);
        let witness = match self.witnesses.get(&key) {
            Some(&known) => known,
            None => {
                let fresh = self.theory.terms.fresh(self.witness_name, sort);
                self.witnesses.insert(key, fresh);
                fresh
            }
        };
        let here = self.theory.terms.instantiate(body, witness);
        self.ground(here, true)
    }

    /// Is it the witness of something that holds for some value?
    pub(super) fn is_witness(&self, term: Term) -> bool {
        match self.theory.terms.op(term) {
            Op::Symbol(number) => self.theory.terms.symbol(number).name == WITNESS,
            _ => false,
        }
    }

    fn universal(&mut self, sort: Sort, body: Term) -> Result {
        let body = self.without_closed_sums(body)?;
        let key = self.theory.terms.quantify(Op::Forall(sort), body);
        if self.theory.terms.op(key) != Op::Forall(sort) {
            return self.ground(key, true);
        }
        if let Some(&proxy) = self.known_universals.get(&key) {
            return Ok(proxy);
        }
        let proxy = self.theory.terms.fresh("all", Sort::BOOL);
        self.known_universals.insert(key, proxy);
        self.register(Some(proxy), sort, body);
        Ok(proxy)
    }

    /// A formula under quantifiers with the symbols of sums and extreme elements that do not depend on them:
    /// what is left can be shown to the solver.
    fn without_closed_sums(&mut self, body: Term) -> Result {
        let mut by = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![body];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let op = self.theory.terms.op(term);
            let sum = matches!(op, Op::Total | Op::Least | Op::Greatest);
            if sum && self.theory.terms.is_closed(term) {
                let symbol = self.cleaned(term)?;
                by.insert(term, symbol);
            } else {
                open.extend(self.theory.terms.args(term));
            }
        }
        match by.is_empty() {
            true => Ok(body),
            false => Ok(self.theory.terms.replace(body, &by)),
        }
    }

    fn register(&mut self, proxy: Option<Term>, sort: Sort, body: Term) {
        let mut sorts = vec![sort];
        let mut body = body;
        while let Op::Forall(sort) = self.theory.terms.op(body) {
            sorts.push(sort);
            body = self.theory.terms.args(body)[0];
        }
        self.universals.push(Universal { proxy, sorts, body });
    }

    /// An atom, or a part of one, without quantifiers, lambdas and sums inside.
    pub(super) fn cleaned(&mut self, term: Term) -> Result {
        if let Some(&known) = self.clean.get(&term) {
            return Ok(known);
        }
        let op = self.theory.terms.op(term);
        let clean = match op {
            Op::Forall(_) | Op::Exists(_) => self.named(term)?,
            Op::Same(_) => {
                let args = self.theory.terms.args(term).to_vec();
                let (a, b) = (self.cleaned(args[0])?, self.cleaned(args[1])?);
                self.theory.terms.eq(a, b)
            }
            Op::Lambda => self.lifted(term)?,
            Op::Total | Op::Least | Op::Greatest => {
                let symbol = self.theory.terms.fresh("sum", Sort::INT);
                self.sums.push((term, symbol));
                symbol
            }
            _ => {
                let args = self.theory.terms.args(term).to_vec();
                let args: Vec<Term> = args
                    .into_iter()
                    .map(|arg| match self.theory.terms.op(arg) {
                        // Inside of a term a comparison has no polarity.
                        Op::Same(_) => self.named(arg),
                        _ => self.cleaned(arg),
                    })
                    .collect::<Result<_>>()?;
                let clean = self.theory.terms.rebuild(term, &args);
                self.divided(clean)
            }
        };
        self.clean.insert(term, clean);
        Ok(clean)
    }

    /// What stands for a division by something that is no constant: a value of a function of both, which
    /// a solver takes more easily; only facts are known about it.
    fn divided(&mut self, term: Term) -> Term {
        let terms = &mut self.theory.terms;
        let table = match terms.op(term) {
            Op::Div => 0,
            Op::Mod => 1,
            _ => return term,
        };
        let [a, m] = terms.args(term)[..] else {
            return term;
        };
        if matches!(terms.op(m), Op::Int(_)) {
            return term;
        }
        let table = *self.tables[table].get_or_insert_with(|| {
            let row = terms.array_sort(Sort::INT, Sort::INT);
            let sort = terms.array_sort(Sort::INT, row);
            terms.fresh(["quotient", "remainder"][table], sort)
        });
        let row = terms.select(table, a);
        let value = terms.select(row, m);
        if !self.divisions.contains(&(term, value)) {
            self.divisions.push((term, value));
        }
        value
    }

    /// A truth symbol that is true exactly when `formula` is.
    fn named(&mut self, formula: Term) -> Result {
        if let Some(&known) = self.names.get(&formula) {
            return Ok(known);
        }
        let name = self.theory.terms.fresh("holds", Sort::BOOL);
        self.names.insert(formula, name);
        let yes = self.ground(formula, true)?;
        let no = self.ground(formula, false)?;
        let not = self.theory.terms.not(name);
        let forth = self.theory.terms.or(&[not, yes]);
        let back = self.theory.terms.or(&[name, no]);
        self.push(forth);
        self.push(back);
        Ok(name)
    }

    /// A symbol for a function, with its definition.
    fn lifted(&mut self, lambda: Term) -> Result {
        let sort = self.theory.terms.sort(lambda);
        let (from, _) = self.theory.terms.array_parts(sort);
        let symbol = self.theory.terms.fresh("function", sort);
        let at = self.theory.terms.fresh("x", from);
        let value = self.theory.terms.select(lambda, at);
        let held = self.theory.terms.select(symbol, at);
        let same = self.theory.terms.eq(held, value);
        let body = self.theory.terms.close(at, same);
        self.register(None, from, body);
        Ok(symbol)
    }
}
