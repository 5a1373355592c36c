//! Quantifiers written out, and sums, extreme elements and recursive functions computed.
//!
//! Every quantifier over integers is one over the few that are worth looking at
//! ([`Bounded::integers`](super::Bounded::integers)); building an instance simplifies it, so those outside of
//! what the formula speaks about cost nothing.

use crate::lower::Unsupported;
use crate::obligation::Obligation;
use crate::term::{Op, Sort, SortKind, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::FnId;
use rustc_hash::FxHashMap;

/// The most terms that are looked at.
const MOST_TERMS: usize = 600_000;
/// The most members of a sort.
const MOST_MEMBERS: usize = 800;
/// How deep calls of recursive functions are unfolded.
const MOST_CALLS: usize = 7;

/// Writing out.
pub(super) struct QuantifierExpander<'t> {
    theory: &'t mut Theory,
    integers: (i64, i64),
    done: FxHashMap<Term, Term>,
    members: FxHashMap<Sort, Vec<Term>>,
    calls: usize,
}

impl<'t> QuantifierExpander<'t> {
    pub(super) fn new(theory: &'t mut Theory) -> Self {
        let integers = (theory.bounded.as_ref()).map_or((0, 0), super::Bounded::integers);
        QuantifierExpander {
            theory,
            integers,
            done: FxHashMap::default(),
            members: FxHashMap::default(),
            calls: 0,
        }
    }

    /// Formulas that hold together where one of the obligations is broken and nothing before it.
    pub(super) fn something_wrong(mut self, obligations: &[Obligation]) -> Result<Vec<Term>> {
        let mut ways = Vec::new();
        for one in obligations {
            let mut parts = Vec::new();
            for &hypothesis in &one.hypotheses {
                parts.push(self.expand(hypothesis)?);
            }
            let goal = self.expand(one.goal)?;
            parts.push(self.theory.terms.not(goal));
            ways.push(self.theory.terms.and(&parts));
        }
        let mut formulas = vec![self.theory.terms.or(&ways)];
        // What is known about the open values was noted on the way, also by what was just written out.
        for known in self.theory.background().to_vec() {
            formulas.push(self.expand(known)?);
        }
        let active = self.theory.bounded.as_ref().map(|one| one.inputs.clone());
        for (at, (input, _)) in active.into_iter().flatten().enumerate() {
            if let super::Input::Choice(when) = input {
                let when = self.expand(when)?;
                if let Some(bounded) = &mut self.theory.bounded {
                    bounded.inputs[at].0 = super::Input::Choice(when);
                }
            }
        }
        Ok(formulas)
    }

    /// The same, and other terms written out.
    pub(super) fn wrong_with(
        mut self,
        obligations: &[Obligation],
        others: &[Term],
    ) -> Result<(Vec<Term>, Vec<Term>)> {
        let others = others.iter().map(|term| self.expand(*term));
        let others: Vec<Term> = others.collect::<Result<_>>()?;
        Ok((self.something_wrong(obligations)?, others))
    }

    fn expand(&mut self, term: Term) -> Result {
        if let Some(&known) = self.done.get(&term) {
            return Ok(known);
        }
        if self.done.len() > MOST_TERMS {
            return Err(unsupported("written out it is too long"));
        }
        let args = self.theory.terms.args(term).to_vec();
        let expanded = match self.theory.terms.op(term) {
            Op::Lambda => term,
            Op::Forall(sort) => self.each(sort, args[0], true)?,
            Op::Exists(sort) => self.each(sort, args[0], false)?,
            Op::Same(number) => {
                let ty = self.theory.terms.type_of_same(number).clone();
                let other = self.theory.differ(&ty, args[0], args[1])?;
                let other = self.expand(other)?;
                self.theory.terms.not(other)
            }
            Op::Total => self.total(args[0])?,
            Op::Least => self.extreme(args[0], true)?,
            Op::Greatest => self.extreme(args[0], false)?,
            Op::Call(number) => self.call(term, FnId(number), &args)?,
            _ => {
                let args: Vec<Term> = (args.into_iter())
                    .map(|arg| self.expand(arg))
                    .collect::<Result<_>>()?;
                let rebuilt = self.theory.terms.rebuild(term, &args);
                match rebuilt == term {
                    true => term,
                    false => self.expand(rebuilt)?,
                }
            }
        };
        self.done.insert(term, expanded);
        Ok(expanded)
    }

    /// All instances, or one of them.
    fn each(&mut self, sort: Sort, body: Term, all: bool) -> Result {
        let mut parts = Vec::new();
        for member in self.members(sort)? {
            let instance = self.theory.terms.instantiate(body, member);
            let instance = self.expand(instance)?;
            let decides = match all {
                true => Op::False,
                false => Op::True,
            };
            if self.theory.terms.op(instance) == decides {
                return Ok(instance);
            }
            parts.push(instance);
        }
        Ok(match all {
            true => self.theory.terms.and(&parts),
            false => self.theory.terms.or(&parts),
        })
    }

    fn total(&mut self, function: Term) -> Result {
        let (from, _) = (self.theory.terms).array_parts(self.theory.terms.sort(function));
        let mut sum = self.theory.terms.int(0);
        for member in self.members(from)? {
            let part = self.theory.terms.select(function, member);
            let part = self.expand(part)?;
            sum = self.theory.terms.add(sum, part);
        }
        Ok(sum)
    }

    fn extreme(&mut self, set: Term, least: bool) -> Result {
        let mut members = self.members(Sort::INT)?;
        if !least {
            members.reverse();
        }
        let mut value = self.theory.terms.int(0);
        for member in members.into_iter().rev() {
            let inside = self.theory.terms.select(set, member);
            let inside = self.expand(inside)?;
            value = self.theory.terms.ite(inside, member, value);
        }
        Ok(value)
    }

    fn call(&mut self, call: Term, function: FnId, args: &[Term]) -> Result {
        let sort = self.theory.terms.sort(call);
        let Some(definition) = self.theory.definition(function) else {
            return Err(unsupported("a recursive function is not known"));
        };
        let Some(body) = definition.body else {
            return Err(unsupported("an external function"));
        };
        if self.calls >= MOST_CALLS {
            return Ok(self.theory.terms.fresh("deeper", sort));
        }
        self.calls += 1;
        let body = definition.at(self.theory, body, args, call);
        let value = self.expand(body);
        self.calls -= 1;
        value
    }

    /// The members of a sort that are looked at.
    fn members(&mut self, sort: Sort) -> Result<Vec<Term>> {
        if let Some(known) = self.members.get(&sort) {
            return Ok(known.clone());
        }
        let members = match self.theory.terms.kind(sort) {
            SortKind::Bool => [false, true]
                .map(|truth| self.theory.terms.bool(truth))
                .to_vec(),
            SortKind::Int => (self.integers.0..=self.integers.1)
                .map(|int| self.theory.terms.int(int))
                .collect(),
            SortKind::Data(data) => self.members_of_data(sort, data)?,
            SortKind::Array(..) | SortKind::Named(_) => {
                return Err(unsupported("a quantifier over collections"));
            }
        };
        self.members.insert(sort, members.clone());
        Ok(members)
    }

    fn members_of_data(&mut self, sort: Sort, data: u32) -> Result<Vec<Term>> {
        let constructors = self.theory.terms.data(data).constructors.clone();
        let mut all = Vec::new();
        for (number, constructor) in constructors.iter().enumerate() {
            let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
            for &field in &constructor.fields {
                let members = self.members(field)?;
                if rows.len() * members.len() > MOST_MEMBERS {
                    return Err(unsupported("a quantifier over very many values"));
                }
                let longer = |row: Vec<Term>| {
                    let members = members.clone().into_iter();
                    members.map(move |member| [&row[..], &[member]].concat())
                };
                rows = rows.into_iter().flat_map(longer).collect();
            }
            for row in rows {
                all.push(self.theory.terms.make(sort, number as u32, &row));
            }
        }
        Ok(all)
    }
}

fn unsupported(why: &str) -> Unsupported {
    Unsupported::new(Span::default(), why)
}
