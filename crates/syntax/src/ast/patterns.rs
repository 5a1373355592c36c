//! Views of patterns.

use super::{Name, child, children, choices, has, name, names, nodes, token};
use crate::kinds::SyntaxKind;

nodes! {
    /// `_`
    WildcardPattern = WildcardPattern;
    /// A bare name: a fresh one, a variant, a constant or a process.
    NamePattern = NamePattern;
    /// An integer (possibly negative), `true` or `false`.
    LiteralPattern = LiteralPattern;
    /// `none`
    NonePattern = NonePattern;
    /// `some(p)`
    SomePattern = SomePattern;
    /// `(p, q)`
    TuplePattern = TuplePattern;
    /// `Value(p)`, `Reply::Value(p)` or `Reply::Free`.
    VariantPattern = VariantPattern;
    /// `Entry { term, value: v }`
    StructPattern = StructPattern;
    /// `term` or `value: v` in a struct pattern.
    FieldPattern = FieldPattern;
    /// `client[c]`
    ProcessPattern = ProcessPattern;
}

choices! {
    /// A pattern.
    Pattern {
        /// `_`
        Wildcard(WildcardPattern),
        /// A bare name.
        Name(NamePattern),
        /// An integer, `true` or `false`.
        Literal(LiteralPattern),
        /// `none`
        None(NonePattern),
        /// `some(p)`
        Some(SomePattern),
        /// `(p, q)`
        Tuple(TuplePattern),
        /// A variant with arguments or with its enum.
        Variant(VariantPattern),
        /// `Entry { … }`
        Struct(StructPattern),
        /// `client[c]`
        Process(ProcessPattern),
    }
}

/// The value of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralValue {
    /// An integer.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
}

impl NamePattern {
    /// The name.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }
}

impl LiteralPattern {
    /// Its value; nothing when the integer is too large.
    pub fn value(&self) -> Option<LiteralValue> {
        if has(&self.syntax, SyntaxKind::TrueKw) {
            return Some(LiteralValue::Bool(true));
        }
        if has(&self.syntax, SyntaxKind::FalseKw) {
            return Some(LiteralValue::Bool(false));
        }
        let magnitude = integer(token(&self.syntax, SyntaxKind::Int)?.text())?;
        let sign = if has(&self.syntax, SyntaxKind::Minus) {
            -1
        } else {
            1
        };
        Some(LiteralValue::Int(sign * magnitude))
    }
}

impl SomePattern {
    /// The pattern of the value inside.
    pub fn inner(&self) -> Option<Pattern> {
        child(&self.syntax)
    }
}

impl TuplePattern {
    /// The patterns of the components.
    pub fn components(&self) -> impl Iterator<Item = Pattern> + use<> {
        children(&self.syntax)
    }
}

impl VariantPattern {
    /// The enum, if it is written.
    pub fn enum_name(&self) -> Option<Name> {
        if has(&self.syntax, SyntaxKind::ColonColon) {
            name(&self.syntax)
        } else {
            None
        }
    }

    /// The variant.
    pub fn variant(&self) -> Option<Name> {
        let before = usize::from(has(&self.syntax, SyntaxKind::ColonColon));
        names(&self.syntax).nth(before)
    }

    /// Are there parentheses?
    pub fn has_arguments(&self) -> bool {
        has(&self.syntax, SyntaxKind::LParen)
    }

    /// The patterns of the payload.
    pub fn arguments(&self) -> impl Iterator<Item = Pattern> + use<> {
        children(&self.syntax)
    }
}

impl StructPattern {
    /// The struct.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The fields that are looked at.
    pub fn fields(&self) -> impl Iterator<Item = FieldPattern> + use<> {
        children(&self.syntax)
    }
}

impl FieldPattern {
    /// The field.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// What it must match; without one the field's name is bound to its value.
    pub fn pattern(&self) -> Option<Pattern> {
        child(&self.syntax)
    }
}

impl ProcessPattern {
    /// The family of processes.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The patterns of the indices.
    pub fn indices(&self) -> impl Iterator<Item = Pattern> + use<> {
        children(&self.syntax)
    }
}

/// The value of an integer token; nothing when it is malformed or too large.
pub(super) fn integer(written: &str) -> Option<i64> {
    written
        .chars()
        .filter(|&c| c != '_')
        .collect::<String>()
        .parse()
        .ok()
}
