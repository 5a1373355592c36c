//! What all obligations of one song share: its declarations as terms.
//!
//! Sizes of sorts and parameters are symbols; what is known about them (a sort has a member, a
//! parameter satisfies its `where`) is *background*, a hypothesis of every obligation. Constants are
//! their values.

use crate::bounded::{Bounded, Input};
use crate::functions::Functions;
use crate::lemma_library::Lemma;
use crate::lower::{Env, Lowering, Unsupported};
use crate::term::{Op, Sort, Term, Terms};
use plainsong_ir::{ConstId, RangeEnd, Song, SortId, SortKind, Ty};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The result of a translation.
pub type Result<T = Term> = std::result::Result<T, Unsupported>;

/// A song's declarations as terms.
#[derive(Clone, Debug)]
pub struct Theory {
    pub song: Arc<Song>,
    /// The arena.
    pub terms: Terms,
    sizes: BTreeMap<SortId, Term>,
    /// The number of members of a sort as a sum, where somebody asked for it.
    lengths: BTreeMap<SortId, Term>,
    consts: BTreeMap<ConstId, Term>,
    defaults: BTreeMap<Sort, Term>,
    background: Vec<Term>,
    lemmas: BTreeMap<Lemma, Option<String>>,
    pub(crate) functions: Functions,
    /// What is left open, when runs within bounds are looked for.
    pub(crate) bounded: Option<Bounded>,
    /// What the second solver said, when it was asked.
    pub second: SecondOpinions,
}

/// What a second solver said about what the first one had shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecondOpinions {
    pub same: u64,
    /// Nothing: it does not know, or is not there.
    pub silent: u64,
    pub opposite: u64,
}

impl SecondOpinions {
    /// These and others.
    pub fn and(self, others: SecondOpinions) -> SecondOpinions {
        SecondOpinions {
            same: self.same + others.same,
            silent: self.silent + others.silent,
            opposite: self.opposite + others.opposite,
        }
    }

    /// For the reason of a verdict that rests on them.
    pub fn told(self) -> String {
        let SecondOpinions { same, silent, .. } = self;
        format!("a second solver says the same of {same} and nothing of {silent}")
    }
}

impl Theory {
    /// Nothing translated yet.
    pub fn new(song: Arc<Song>) -> Self {
        Theory {
            song,
            terms: Terms::new(),
            sizes: BTreeMap::new(),
            consts: BTreeMap::new(),
            defaults: BTreeMap::new(),
            lengths: BTreeMap::new(),
            background: Vec::new(),
            lemmas: BTreeMap::new(),
            functions: Functions::default(),
            bounded: None,
            second: SecondOpinions::default(),
        }
    }

    /// What is known about the sizes and parameters that were used so far.
    pub fn background(&self) -> &[Term] {
        &self.background
    }

    /// What a condition says beyond the background.
    pub(crate) fn beyond_background(&mut self, condition: Term) -> Term {
        let background = self.background.iter();
        let known = background.flat_map(|one| self.terms.conjuncts(*one));
        let known: Vec<Term> = known.collect();
        let mut rest = self.terms.conjuncts(condition);
        rest.retain(|part| !known.contains(part));
        self.terms.and(&rest)
    }

    /// Makes something background.
    pub(crate) fn rely(&mut self, known: Term) {
        self.background.push(known);
    }

    /// The library lemmas that proofs have used so far, each with the reason why it is not proved, if so.
    pub fn lemmas(&self) -> &BTreeMap<Lemma, Option<String>> {
        &self.lemmas
    }

    /// Notes how a library lemma fared.
    pub(crate) fn note_lemma(&mut self, lemma: Lemma, open: Option<String>) {
        self.lemmas.insert(lemma, open);
    }

    /// The symbols of sizes and parameters, with their names.
    pub fn size_symbols(&self) -> impl Iterator<Item = (SortId, Term)> {
        self.sizes.iter().map(|(sort, term)| (*sort, *term))
    }

    /// The parameters that were used so far.
    pub fn constants(&self) -> impl Iterator<Item = (ConstId, Term)> {
        self.consts
            .iter()
            .map(|(constant, term)| (*constant, *term))
    }

    /// How many members a sort of identities, or a range without an end, has.
    pub fn size(&mut self, sort: SortId) -> Term {
        if let Some(&size) = self.sizes.get(&sort) {
            return size;
        }
        let name = format!("size_{}", self.song.sorts[sort.index()].name);
        let size = self.terms.fresh(name, Sort::INT);
        self.sizes.insert(sort, size);
        let one = self.terms.int(1);
        let some = self.terms.le(one, size);
        self.background.push(some);
        size
    }

    /// Does a sort have as many members as its [size](Theory::size) says, one for each number of its range?
    pub(crate) fn is_counted(&self, sort: SortId) -> bool {
        match &self.song.sorts[sort.index()].kind {
            SortKind::Identities { ordered } => *ordered,
            SortKind::Range(range) => range.end == RangeEnd::Open,
        }
    }

    /// The number of members of a sort that [is counted](Theory::is_counted): the sum that counts them, which is made once.
    /// That it is the size is background.
    pub(crate) fn length(&mut self, sort: SortId, sum: Term) -> Term {
        if let Some(&known) = self.lengths.get(&sort) {
            return known;
        }
        self.lengths.insert(sort, sum);
        let size = self.size(sort);
        let same = self.terms.eq(sum, size);
        self.background.push(same);
        sum
    }

    /// The size of the sort whose number of members this term is.
    pub(crate) fn counted(&mut self, length: Term) -> Option<Term> {
        let mut lengths = self.lengths.iter();
        let (&sort, _) = lengths.find(|(_, term)| **term == length)?;
        Some(self.size(sort))
    }

    /// First and one past the last member of a sort of integers or of ordered identities.
    pub fn range(&mut self, sort: SortId) -> Result<(Term, Term)> {
        let song = self.song.clone();
        match &song.sorts[sort.index()].kind {
            SortKind::Identities { .. } => {
                let zero = self.terms.int(0);
                Ok((zero, self.size(sort)))
            }
            SortKind::Range(range) => {
                let first = self.closed(&range.start)?;
                let end = match &range.end {
                    RangeEnd::Open => {
                        let size = self.size(sort);
                        self.terms.add(first, size)
                    }
                    RangeEnd::Before(end) => self.closed(end)?,
                    RangeEnd::With(last) => {
                        let last = self.closed(last)?;
                        self.terms.offset(last, 1)
                    }
                };
                Ok((first, end))
            }
        }
    }

    /// A constant or parameter.
    pub fn constant(&mut self, constant: ConstId) -> Result {
        if let Some(&term) = self.consts.get(&constant) {
            return Ok(term);
        }
        let song = self.song.clone();
        let decl = &song.consts[constant.index()];
        let term = match &decl.value {
            Some(value) => self.closed(value)?,
            None if self.bounded.is_some() => {
                self.open_value(Input::Constant(constant), &decl.ty, decl.span, false)?
            }
            None => {
                let sort = self.sort_of_type(&decl.ty, decl.span)?;
                let term = self.terms.fresh(decl.name.clone(), sort);
                let valid = self.valid(&decl.ty, term)?;
                self.background.push(valid);
                term
            }
        };
        self.consts.insert(constant, term);
        if let Some(constraint) = &decl.constraint {
            let holds = self.closed(constraint)?;
            self.background.push(holds);
        }
        Ok(term)
    }

    /// An expression that reads no variable.
    pub fn closed(&mut self, expr: &plainsong_ir::Expr) -> Result {
        let env = Env::default();
        let mut lowering = Lowering::new(self, env);
        lowering.expr(expr)
    }

    /// A value that stands where a representation has a place for one and the source has none.
    pub fn default_of(&mut self, sort: Sort) -> Term {
        if let Some(&known) = self.defaults.get(&sort) {
            return known;
        }
        let value = self.terms.fresh(format!("default_{}", sort.0), sort);
        self.defaults.insert(sort, value);
        value
    }

    /// Is this one of the values that mean nothing?
    pub fn is_default(&self, term: Term) -> bool {
        matches!(self.terms.op(term), Op::Symbol(_))
            && self.defaults.values().any(|known| *known == term)
    }

    /// Arbitrary arguments for code; what is known about them is added to `known`.
    pub fn arbitrary_arguments(
        &mut self,
        code: &plainsong_ir::Code,
        known: &mut Vec<Term>,
    ) -> Result<Vec<Term>> {
        let rows = code.locals[..code.arity].iter();
        rows.map(|row| {
            let (value, valid) = self.arbitrary(&row.name, &row.ty, row.span)?;
            known.push(valid);
            Ok(value)
        })
        .collect()
    }

    /// An arbitrary value of a type, and what is known about it.
    pub fn arbitrary(
        &mut self,
        name: &str,
        ty: &Ty,
        span: plainsong_diagnostics::Span,
    ) -> Result<(Term, Term)> {
        if self.bounded.as_ref().is_some_and(|one| one.everything) {
            let value = self.open_value(Input::Anything, ty, span, false)?;
            return Ok((value, self.terms.bool(true)));
        }
        let sort = self.sort_of_type(ty, span)?;
        let value = self.terms.fresh(name, sort);
        let valid = self.valid(ty, value)?;
        Ok((value, valid))
    }
}
