//! The content of an obligation as text, for finding it again.
//!
//! Two obligations with the same text say the same: every node is written with its operator, its
//! sort and the numbers of its arguments; symbols, sorts and datatypes are numbered in the order in
//! which they occur, so names, places in the file and what else the file contains make no difference.
//! What the discharge knows beyond the formulas is written out as well: which symbol is the size of
//! which sort, what is known about the functions that are called, which are values without a meaning, and what equality of collections means for their type.

use crate::obligation::{Obligation, Rule};
use crate::term::{Op, Sort, SortKind, Term};
use crate::theory::{Result, Theory};
use plainsong_ir::FnId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// Changes when discharging changes, so that nothing is taken over from another method.
const METHOD: &str = "plainsong obligation 2";

/// The text of an obligation with its background.
pub(super) fn normal(theory: &mut Theory, obligation: &Obligation) -> Result<String> {
    let background = theory.background().to_vec();
    let mut writing = NormalFormWriter {
        theory,
        text: format!("{METHOD} {}\n", obligation.rule == Rule::Vacuity),
        nodes: FxHashMap::default(),
        symbols: FxHashMap::default(),
        sorts: FxHashMap::default(),
        types: FxHashMap::default(),
        functions: Vec::new(),
    };
    // What is assumed twice is asked about once.
    let mut said = FxHashSet::default();
    let hypotheses = obligation.hypotheses.iter().copied();
    for formula in background.into_iter().chain(hypotheses) {
        if !said.insert(formula) || writing.theory.terms.op(formula) == Op::True {
            continue;
        }
        let number = writing.node(formula)?;
        let _ = writeln!(writing.text, "assume {number}");
    }
    let goal = writing.node(obligation.goal)?;
    let _ = writeln!(writing.text, "show {goal}");
    if let Some(induction) = &obligation.induction {
        let bound = induction.bound.iter();
        let bound: Vec<usize> = bound.map(|one| writing.node(*one)).collect::<Result<_>>()?;
        let functions: Vec<usize> = (induction.functions.iter())
            .map(|function| writing.function(function.0))
            .collect();
        let _ = writeln!(writing.text, "below {bound:?} of {functions:?}");
    }
    writing.definitions()?;
    Ok(writing.text)
}

struct NormalFormWriter<'t> {
    theory: &'t mut Theory,
    text: String,
    nodes: FxHashMap<Term, usize>,
    symbols: FxHashMap<u32, usize>,
    sorts: FxHashMap<Sort, usize>,
    types: FxHashMap<u32, usize>,
    /// Functions that are called, in the order in which they occur.
    functions: Vec<u32>,
}

impl NormalFormWriter<'_> {
    fn node(&mut self, term: Term) -> Result<usize> {
        if let Some(&known) = self.nodes.get(&term) {
            return Ok(known);
        }
        let args = self.theory.terms.args(term).to_vec();
        let args: Vec<usize> = args
            .into_iter()
            .map(|arg| self.node(arg))
            .collect::<Result<_>>()?;
        let sort = self.sort(self.theory.terms.sort(term));
        let op = match self.theory.terms.op(term) {
            Op::Symbol(number) => self.symbol(number, term),
            Op::Forall(over) => format!("forall {}", self.sort(over)),
            Op::Exists(over) => format!("exists {}", self.sort(over)),
            Op::Same(number) => format!("same {}", self.sameness(number, term)?),
            // The datatype is the sort of the term, or of its argument.
            Op::Make(_, constructor) => format!("make {constructor}"),
            Op::Get(_, constructor, field) => format!("get {constructor} {field}"),
            Op::Is(_, constructor) => format!("is {constructor}"),
            Op::Call(function) => format!("call {}", self.function(function)),
            other => format!("{other:?}"),
        };
        let number = self.nodes.len();
        let _ = writeln!(self.text, "{number} {op} {sort} {args:?}");
        self.nodes.insert(term, number);
        Ok(number)
    }

    fn function(&mut self, number: u32) -> usize {
        let known = self.functions.iter().position(|known| *known == number);
        known.unwrap_or_else(|| {
            self.functions.push(number);
            self.functions.len() - 1
        })
    }

    /// What is known about the functions that are called, and about those that they call.
    fn definitions(&mut self) -> Result<()> {
        let mut at = 0;
        while let Some(&number) = self.functions.get(at) {
            let Some(definition) = self.theory.definition(FnId(number)) else {
                at += 1;
                continue;
            };
            let params = definition.params.iter().chain([&definition.result]);
            let params: Vec<usize> = params
                .map(|param| self.node(*param))
                .collect::<Result<_>>()?;
            let parts = [definition.domain, definition.promise];
            let parts: Vec<usize> = parts
                .iter()
                .chain(&definition.body)
                .chain(&definition.measures)
                .map(|part| self.node(*part))
                .collect::<Result<_>>()?;
            let _ = writeln!(
                self.text,
                "function {at} {params:?} {parts:?} {}",
                definition.measures.len()
            );
            at += 1;
        }
        Ok(())
    }

    fn symbol(&mut self, number: u32, term: Term) -> String {
        let next = self.symbols.len();
        let known = *self.symbols.entry(number).or_insert(next);
        let size = self.theory.size_symbols().find(|(_, size)| *size == term);
        if let Some((sort, _)) = size {
            let sort = self.theory.terms.sort_of(SortKind::Named(sort));
            return format!("size {known} of {}", self.sort(sort));
        }
        match self.theory.is_default(term) {
            true => format!("nothing {known}"),
            false => format!("symbol {known}"),
        }
    }

    fn sort(&mut self, sort: Sort) -> usize {
        if let Some(&known) = self.sorts.get(&sort) {
            return known;
        }
        let text = match self.theory.terms.kind(sort) {
            SortKind::Bool => "bool".to_owned(),
            SortKind::Int => "int".to_owned(),
            SortKind::Named(_) => "named".to_owned(),
            SortKind::Array(from, to) => format!("array {} {}", self.sort(from), self.sort(to)),
            SortKind::Data(data) => {
                let constructors = self.theory.terms.data(data).constructors.clone();
                let fields = constructors.iter().map(|one| {
                    let fields = one.fields.iter().map(|field| self.sort(*field));
                    fields.collect::<Vec<usize>>()
                });
                format!("data {:?}", fields.collect::<Vec<_>>())
            }
        };
        let number = self.sorts.len();
        let _ = writeln!(self.text, "sort {number} {text}");
        self.sorts.insert(sort, number);
        number
    }

    /// When two values of a type of collections differ, for two arbitrary ones.
    fn sameness(&mut self, number: u32, term: Term) -> Result<usize> {
        if let Some(&known) = self.types.get(&number) {
            return Ok(known);
        }
        let ty = self.theory.terms.type_of_same(number).clone();
        let sort = self.theory.terms.sort(self.theory.terms.args(term)[0]);
        let a = self.theory.terms.fresh("a", sort);
        let b = self.theory.terms.fresh("b", sort);
        let differ = self.theory.differ(&ty, a, b)?;
        let written = self.node(differ)?;
        self.types.insert(number, written);
        Ok(written)
    }
}
