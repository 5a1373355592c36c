//! Types.

use plainsong_diagnostics::{Diagnostic, Span};

use super::Parser;
use crate::codes;
use crate::foreign::foreign_type;
use crate::kinds::SyntaxKind::{self, *};

impl Parser<'_> {
    /// A type; reports when there is none.
    pub(super) fn ty(&mut self) {
        if starts_type(self.kind) {
            self.deeper(Self::type_inside);
        } else if self.at(Reserved) {
            self.reserved_word();
        } else {
            self.expected("a type");
        }
    }

    fn type_inside(&mut self) {
        let start = self.open();
        match self.kind {
            Ident => {
                let name = self.current_text();
                self.bump();
                if self.at(Lt) {
                    self.unknown_generic(name);
                }
                self.close(start, NamedType);
            }
            BoolKw | IntKw | NatKw | ProcessKw => {
                self.bump();
                self.close(start, PrimitiveType);
            }
            LParen => {
                let opening = self.current_span();
                let count = self.delimited("a type", starts_type, Self::ty);
                if count < 2 && !self.in_error() {
                    let whole = Span::new(opening.start, self.last_end);
                    self.report(type_tuple_too_small(whole));
                }
                self.close(start, TupleType);
            }
            _ => {
                self.generic_type();
                self.close(start, GenericType);
            }
        }
    }

    /// `list<T>`: reported, and its arguments are skipped.
    fn unknown_generic(&mut self, name: &str) {
        let message = format!("`{name}` has no type arguments");
        let help = match foreign_type(name) {
            Some(ours) => format!("write `{ours}`"),
            None => "`option`, `set`, `bag`, `seq` and `map` have".into(),
        };
        let span = self.current_span();
        self.report(Diagnostic::error(&codes::UNEXPECTED_TOKEN, span, message).help(help));
        let start = self.open();
        self.bump();
        self.ty();
        while self.eat(Comma) {
            self.ty();
        }
        if !self.eat_closing_angle() {
            self.expected("`>`");
        }
        self.close(start, Error);
    }

    /// `option<T>`, `set<T>`, `bag<T>`, `seq<T>`, `map<K, V>`.
    fn generic_type(&mut self) {
        let word = self.current_text();
        let arity = if self.at(MapKw) { 2 } else { 1 };
        self.bump();
        if !self.at(Lt) {
            let form = if arity == 2 {
                "map<K, V>".into()
            } else {
                format!("{word}<T>")
            };
            self.expected_with_help("`<`", &format!("write `{form}`"));
            return;
        }
        self.bump();
        self.ty();
        if arity == 2 {
            self.expect(Comma);
            self.ty();
        }
        if !self.eat_closing_angle() {
            self.expected("`>`");
        }
    }
}

/// May this token begin a type?
pub(super) fn starts_type(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        Ident
            | BoolKw
            | IntKw
            | NatKw
            | ProcessKw
            | OptionKw
            | SetKw
            | BagKw
            | SeqKw
            | MapKw
            | LParen
    )
}

fn type_tuple_too_small(span: Span) -> Diagnostic {
    Diagnostic::error(
        &codes::TUPLE_TOO_SMALL,
        span,
        "a tuple type has two components or more",
    )
    .help("write a single type without parentheses")
}
