//! Views of patterns.

use super::{Name, accessors, choices, has, name, names, nodes, token};
use crate::kinds::SyntaxKind;

nodes! {
    WildcardPattern = WildcardPattern;
    /// A bare name: a fresh one, a variant, a constant or a process.
    NamePattern = NamePattern;
    /// An integer (possibly negative), `true` or `false`.
    LiteralPattern = LiteralPattern;
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
    Pattern {
        Wildcard(WildcardPattern),
        /// A bare name.
        Name(NamePattern),
        /// An integer, `true` or `false`.
        Literal(LiteralPattern),
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

accessors! {
    NamePattern {
        name: Name;
    }
    SomePattern {
        /// The pattern of the value inside.
        inner: Pattern;
    }
    TuplePattern {
        /// The patterns of the components.
        components: [Pattern];
    }
    VariantPattern {
        /// Are there parentheses?
        has_arguments: {LParen};
        /// The patterns of the payload.
        arguments: [Pattern];
    }
    StructPattern {
        /// The struct.
        name: Name;
        /// The fields that are looked at.
        fields: [FieldPattern];
    }
    FieldPattern {
        /// The field.
        name: Name;
        /// What it must match; without one the field's name is bound to its value.
        pattern: Pattern;
    }
    ProcessPattern {
        /// The family of processes.
        name: Name;
        /// The patterns of the indices.
        indices: [Pattern];
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

impl VariantPattern {
    /// The enum, if it is written.
    pub fn enum_name(&self) -> Option<Name> {
        if has(&self.syntax, SyntaxKind::ColonColon) {
            name(&self.syntax)
        } else {
            None
        }
    }

    pub fn variant(&self) -> Option<Name> {
        let before = usize::from(has(&self.syntax, SyntaxKind::ColonColon));
        names(&self.syntax).nth(before)
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
