//! Views of types and domains.

use super::{AstNode, Expr, accessors, child, choices, nodes, tokens};
use crate::kinds::{SyntaxKind, SyntaxNode};

nodes! {
    /// `bool`, `int`, `nat` or `process`.
    PrimitiveType = PrimitiveType;
    /// The name of a sort, an enum or a struct.
    NamedType = NamedType;
    /// `option<T>`, `set<T>`, `bag<T>`, `seq<T>` or `map<K, V>`.
    GenericType = GenericType;
    /// `(T, U, …)`.
    TupleType = TupleType;
}

choices! {
    Type {
        /// `bool`, `int`, `nat` or `process`.
        Primitive(PrimitiveType),
        /// The name of a sort, an enum or a struct.
        Named(NamedType),
        /// A type with arguments.
        Generic(GenericType),
        /// `(T, U, …)`.
        Tuple(TupleType),
    }
}

/// The types without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    Bool,
    Int,
    Nat,
    Process,
}

/// What makes a type from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeConstructor {
    /// `option<T>`
    Option,
    /// `set<T>`
    Set,
    /// `bag<T>`
    Bag,
    /// `seq<T>`
    Seq,
    /// `map<K, V>`
    Map,
}

impl PrimitiveType {
    pub fn primitive(&self) -> Option<Primitive> {
        tokens(&self.syntax).find_map(|token| match token.kind() {
            SyntaxKind::BoolKw => Some(Primitive::Bool),
            SyntaxKind::IntKw => Some(Primitive::Int),
            SyntaxKind::NatKw => Some(Primitive::Nat),
            SyntaxKind::ProcessKw => Some(Primitive::Process),
            _ => None,
        })
    }
}

accessors! {
    NamedType {
        /// The name of the sort, enum or struct.
        name: Name;
    }
    GenericType {
        /// The arguments: two for `map`, one for the others.
        arguments: [Type];
    }
    TupleType {
        /// The types of the components.
        components: [Type];
    }
}

impl GenericType {
    pub fn constructor(&self) -> Option<TypeConstructor> {
        tokens(&self.syntax).find_map(|token| match token.kind() {
            SyntaxKind::OptionKw => Some(TypeConstructor::Option),
            SyntaxKind::SetKw => Some(TypeConstructor::Set),
            SyntaxKind::BagKw => Some(TypeConstructor::Bag),
            SyntaxKind::SeqKw => Some(TypeConstructor::Seq),
            SyntaxKind::MapKw => Some(TypeConstructor::Map),
            _ => None,
        })
    }
}

/// What values are taken from: a type, or an expression that is a collection or names a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A type written as one: `bool`, `option<Db>`.
    Type(Type),
    /// An expression: `Db`, `0..n`, `members`.
    Expr(Expr),
}

impl AstNode for Domain {
    fn cast(node: SyntaxNode) -> Option<Self> {
        match Type::cast(node.clone()) {
            Some(ty) => Some(Domain::Type(ty)),
            None => Expr::cast(node).map(Domain::Expr),
        }
    }

    fn syntax(&self) -> &SyntaxNode {
        match self {
            Domain::Type(ty) => ty.syntax(),
            Domain::Expr(expr) => expr.syntax(),
        }
    }
}

pub(super) fn domain(node: &SyntaxNode) -> Option<Domain> {
    child(node)
}
