//! Types as they are written.

use super::Lowering;
use crate::ast::{self, AstNode, Primitive, TypeConstructor};
use crate::names::Item;
use crate::types::UNKNOWN;
use plainsong_diagnostics::Span;
use plainsong_ir::Ty;

impl Lowering<'_> {
    /// The type that is written.
    pub(crate) fn ty(&mut self, written: &ast::Type) -> Ty {
        match written {
            ast::Type::Primitive(ty) => primitive(ty),
            ast::Type::Named(ty) => ty.name().map_or(UNKNOWN, |name| self.named_type(&name)),
            ast::Type::Generic(ty) => self.generic_type(ty),
            ast::Type::Tuple(ty) => Ty::Tuple(ty.components().map(|part| self.ty(&part)).collect()),
        }
    }

    /// The sort, enum or struct of this name.
    pub(crate) fn named_type(&mut self, name: &ast::Name) -> Ty {
        match self.names.item(name.text()).and_then(type_of_item) {
            Some(ty) => ty,
            None => {
                self.unknown_type(name);
                UNKNOWN
            }
        }
    }

    fn generic_type(&mut self, written: &ast::GenericType) -> Ty {
        let mut arguments = written.arguments();
        let mut argument = || arguments.next().map_or(UNKNOWN, |ty| self.ty(&ty));
        let first = Box::new(argument());
        match written.constructor() {
            Some(TypeConstructor::Option) => Ty::Option(first),
            Some(TypeConstructor::Set) => Ty::Set(first),
            Some(TypeConstructor::Bag) => Ty::Bag(first),
            Some(TypeConstructor::Seq) => Ty::Seq(first),
            Some(TypeConstructor::Map) => {
                let value = Box::new(argument());
                let key = written
                    .arguments()
                    .next()
                    .map_or(written.span(), |key| key.span());
                self.map_key(&first, key);
                Ty::Map(first, value)
            }
            None => UNKNOWN,
        }
    }

    /// Map keys want a finite type; which types are finite is known once all are declared.
    fn map_key(&mut self, key: &Ty, span: Span) {
        if self.types_known {
            self.want_finite(key, span, "the key of a map");
        } else {
            self.map_keys.push((key.clone(), span));
        }
    }

    /// Reports maps whose keys cannot be listed, in the declarations of types.
    pub(crate) fn check_map_keys(&mut self) {
        for (key, span) in std::mem::take(&mut self.map_keys) {
            self.want_finite(&key, span, "the key of a map");
        }
    }
}

/// The type an item declares.
pub(crate) fn type_of_item(item: Item) -> Option<Ty> {
    match item {
        Item::Sort(id) => Some(Ty::Sort(id)),
        Item::Enum(id) => Some(Ty::Enum(id)),
        Item::Struct(id) => Some(Ty::Struct(id)),
        _ => None,
    }
}

/// A type without parts.
pub(crate) fn primitive(written: &ast::PrimitiveType) -> Ty {
    match written.primitive() {
        Some(Primitive::Bool) => Ty::Bool,
        Some(Primitive::Int) => Ty::Int,
        Some(Primitive::Nat) => Ty::Nat,
        Some(Primitive::Process) => Ty::Process,
        None => UNKNOWN,
    }
}
