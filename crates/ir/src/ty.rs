//! Types, and the declarations that introduce named ones.

use crate::{EnumId, Expr, SortId, StructId};
use plainsong_diagnostics::Span;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ty {
    /// Truth values.
    Bool,
    /// All integers.
    Int,
    /// Integers from zero.
    Nat,
    /// A sort: identities, or a range of integers.
    Sort(SortId),
    Enum(EnumId),
    Struct(StructId),
    /// Two or more components.
    Tuple(Vec<Ty>),
    /// `none` or `some`.
    Option(Box<Ty>),
    /// Finite sets.
    Set(Box<Ty>),
    /// Finite multisets.
    Bag(Box<Ty>),
    /// Finite sequences.
    Seq(Box<Ty>),
    /// Total maps.
    Map(Box<Ty>, Box<Ty>),
    /// Identities of processes.
    Process,
}

impl Ty {
    /// The element type of a set, bag or sequence.
    pub fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Set(element) | Ty::Bag(element) | Ty::Seq(element) => Some(element),
            _ => None,
        }
    }
}

/// `sort Name …;`
#[derive(Clone, Debug, PartialEq)]
pub struct SortDecl {
    pub name: String,
    /// What its members are.
    pub kind: SortKind,
    /// The name in the text.
    pub span: Span,
}

/// What the members of a sort are.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKind {
    /// Identities; `ordered` ones can be compared with `<`.
    Identities {
        /// Is there a total order on them?
        ordered: bool,
    },
    /// Consecutive integers.
    Range(Range),
}

impl SortDecl {
    /// Is its size chosen when a song is run or looked at?
    pub fn is_sized(&self) -> bool {
        match &self.kind {
            SortKind::Identities { .. } => true,
            SortKind::Range(range) => range.end == RangeEnd::Open,
        }
    }
}

/// Consecutive integers between two closed expressions of type `int`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The first.
    pub start: Expr,
    pub end: RangeEnd,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RangeEnd {
    /// `a..`: after as many members as the size chosen for the sort.
    Open,
    /// `a..b`: before `b`.
    Before(Expr),
    /// `a..=b`: with `b`.
    With(Expr),
}

/// `enum Name { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct EnumDecl {
    pub name: String,
    /// `splits T`: a permission of that type is made of all variants of it, each of which is a permission, too.
    pub splits: Option<Ty>,
    /// Its variants, at least one.
    pub variants: Vec<Variant>,
    /// The name in the text.
    pub span: Span,
}

/// One variant of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub name: String,
    /// Types of the payload, in order; empty for a plain variant.
    pub fields: Vec<Ty>,
}

/// `struct Name { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct StructDecl {
    pub name: String,
    /// Names and types of the fields, in order.
    pub fields: Vec<(String, Ty)>,
    /// The name in the text.
    pub span: Span,
}
