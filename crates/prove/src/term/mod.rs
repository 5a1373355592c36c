//! A typed logical term language: what obligations are made of.
//!
//! Terms live in an arena ([`Terms`]) and are shared: equal terms are one [`Term`]. Names bound by
//! quantifiers and lambdas are numbers counted outwards from the place of use (de Bruijn), so terms
//! that differ only in the names of bound variables are the same term; that is what makes two
//! readings of one source expression one term. Building a term simplifies it.
//!
//! Sets, bags, maps and the elements of sequences are functions, written as arrays: `Select` reads,
//! `Store` changes one place, `Lambda` defines all of them. A read of a changed or defined function
//! is resolved when it is built, so that in most obligations only reads of variables are left.
//!
//! Values have one representation each (see [`crate::types`]): equality of source values is
//! equality of terms.

mod build;
mod linear;
mod order;
mod scope;
mod show;
mod sorts;
mod sum_point_update;

pub use linear::Linear;
pub use sorts::{Constructor, Data, Sort, SortKind};

use rustc_hash::FxHashMap;
use sorts::Sorts;

/// A term of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

/// What a term is; its arguments stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    True,
    False,
    /// An integer.
    Int(i64),
    /// A named value: a variable of the program, an arbitrary value, a witness.
    Symbol(u32),
    /// A bound variable: how many binders stand between it and its own.
    Bound(u32),
    /// Negation.
    Not,
    /// All of them, two or more.
    And,
    /// Some of them, two or more.
    Or,
    /// The second if the first, else the third.
    Ite,
    /// Equality of any two terms of one sort.
    Eq,
    /// Equality of two source values of a type that contains functions; see
    /// [`Terms::type_of_same`].
    Same(u32),
    /// Sum of two or more.
    Add,
    /// Product with a constant.
    Scale(i64),
    /// Product.
    Mul,
    /// Quotient rounded so that the remainder is not negative.
    Div,
    /// That remainder.
    Mod,
    /// At most, on integers.
    Le,
    /// The value of a function (first) at a place (second).
    Select,
    /// A function (first) changed at a place (second) to a value (third).
    Store,
    /// A function given by its value at the bound variable.
    Lambda,
    /// For every value of a sort.
    Forall(Sort),
    /// For some value of a sort.
    Exists(Sort),
    /// A constructor of a datatype.
    Make(u32, u32),
    /// A field of a constructor.
    Get(u32, u32, u32),
    /// Was it made with this constructor?
    Is(u32, u32),
    /// The sum of all values of an integer function that is zero but for finitely many places.
    Total,
    /// The least member of a set of integers.
    Least,
    /// The greatest member.
    Greatest,
    /// A recursive function of the source, by its number.
    Call(u32),
}

/// A node of the arena.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    op: Op,
    args: Box<[Term]>,
    sort: Sort,
}

/// What is known about a node without looking into it.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Bound variables below this number occur free.
    loose: u32,
    /// Is there a quantifier inside?
    quantified: bool,
    /// Is there a lambda inside?
    defined: bool,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// A name for people; it need not be unique.
    pub name: String,
    pub sort: Sort,
}

/// An arena of terms.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    known: FxHashMap<Node, Term>,
    symbols: Vec<Symbol>,
    sorts: Sorts,
    /// Source types of `Same`.
    types: Vec<plainsong_ir::Ty>,
    /// Reads that were resolved already.
    reads: FxHashMap<(Term, Op, Option<Term>), Term>,
    /// Was a sum changed because of a single place?
    noted_points: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        Terms {
            nodes: Vec::new(),
            facts: Vec::new(),
            known: FxHashMap::default(),
            symbols: Vec::new(),
            sorts: Sorts::new(),
            types: Vec::new(),
            reads: FxHashMap::default(),
            noted_points: false,
        }
    }

    pub fn op(&self, term: Term) -> Op {
        self.nodes[term.0 as usize].op
    }

    /// Its arguments.
    pub fn args(&self, term: Term) -> &[Term] {
        &self.nodes[term.0 as usize].args
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].sort
    }

    /// Does it contain no bound variable of a binder outside of it?
    pub fn is_closed(&self, term: Term) -> bool {
        self.facts[term.0 as usize].loose == 0
    }

    /// Is there a quantifier in it?
    pub fn is_quantified(&self, term: Term) -> bool {
        self.facts[term.0 as usize].quantified
    }

    /// Is there a lambda in it?
    pub fn has_lambda(&self, term: Term) -> bool {
        self.facts[term.0 as usize].defined
    }

    /// Bound variables below this number occur free in it.
    pub fn loose(&self, term: Term) -> u32 {
        self.facts[term.0 as usize].loose
    }

    /// A new symbol, different from all others.
    pub fn fresh(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        let number = self.symbols.len() as u32;
        self.symbols.push(Symbol {
            name: name.into(),
            sort,
        });
        self.node(Op::Symbol(number), &[], sort)
    }

    /// A new symbol for a place that a function (a set, a map) can be read at.
    pub fn fresh_place(&mut self, name: impl Into<String>, function: Term) -> Term {
        let (from, _) = self.array_parts(self.sort(function));
        self.fresh(name, from)
    }

    /// How many symbols there are.
    pub(crate) fn symbol_count(&self) -> u32 {
        self.symbols.len() as u32
    }

    /// A symbol by its number.
    pub fn symbol(&self, number: u32) -> &Symbol {
        &self.symbols[number as usize]
    }

    pub fn kind(&self, sort: Sort) -> SortKind {
        self.sorts.kind(sort)
    }

    pub fn sort_of(&mut self, kind: SortKind) -> Sort {
        self.sorts.intern(kind)
    }

    /// Declares a datatype, or finds it again by its name.
    pub fn data_sort(&mut self, data: Data) -> Sort {
        self.sorts.data(data)
    }

    /// A declared datatype.
    pub fn data(&self, number: u32) -> &Data {
        self.sorts.declared(number)
    }

    /// The source type that a [`Op::Same`] compares at.
    pub fn type_of_same(&self, number: u32) -> &plainsong_ir::Ty {
        &self.types[number as usize]
    }

    /// The node with this operator and arguments, as it is.
    pub(crate) fn node(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let node = Node {
            op,
            args: args.into(),
            sort,
        };
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let facts = self.facts_of(op, args);
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.facts.push(facts);
        self.known.insert(node, term);
        term
    }

    fn facts_of(&self, op: Op, args: &[Term]) -> Facts {
        let of = |arg: &Term| self.facts[arg.0 as usize];
        let inside = args.iter().map(|arg| of(arg).loose).max().unwrap_or(0);
        let binder = matches!(op, Op::Lambda | Op::Forall(_) | Op::Exists(_));
        Facts {
            loose: match op {
                Op::Bound(index) => index + 1,
                _ if binder => inside.saturating_sub(1),
                _ => inside,
            },
            quantified: matches!(op, Op::Forall(_) | Op::Exists(_))
                || args.iter().any(|arg| of(arg).quantified),
            defined: op == Op::Lambda || args.iter().any(|arg| of(arg).defined),
        }
    }
}
