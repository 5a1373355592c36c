//! Values as Rust literals.

use super::Emit;
use super::exprs::collection;
use super::names::snake;
use crate::names::camel;
use plainsong_ir::Ty;
use plainsong_semantics::value::Value;

impl Emit<'_> {
    /// A value of a type, as an expression.
    pub(super) fn literal(&self, value: &Value, ty: &Ty) -> String {
        let each = |values: &[Value], ty: &Ty| {
            let each: Vec<String> = values.iter().map(|one| self.literal(one, ty)).collect();
            each.join(", ")
        };
        let zipped = |values: &[Value], types: Vec<&Ty>| {
            let each = values
                .iter()
                .zip(types)
                .map(|(one, ty)| self.literal(one, ty));
            each.collect::<Vec<String>>()
        };
        match (value, ty) {
            (Value::Bool(truth), _) => truth.to_string(),
            (Value::Int(number), _) => number.to_string(),
            (Value::Id(number), _) => number.to_string(),
            (Value::None, _) => "None".to_owned(),
            (Value::Some(inner), Ty::Option(ty)) => format!("Some({})", self.literal(inner, ty)),
            (Value::Tuple(parts), Ty::Tuple(types)) => {
                format!("({})", zipped(parts, types.iter().collect()).join(", "))
            }
            (Value::Tuple(parts), Ty::Struct(id)) => {
                let decl = &self.song.structs[id.index()];
                let types = decl.fields.iter().map(|(_, ty)| ty).collect();
                let parts = zipped(parts, types);
                let fields = decl.fields.iter().zip(parts);
                let fields: Vec<String> = fields
                    .map(|((name, _), part)| format!("{}: {part}", snake(name)))
                    .collect();
                format!("{} {{ {} }}", self.type_name(&decl.name), fields.join(", "))
            }
            (Value::Variant(at, parts), Ty::Enum(id)) => {
                let decl = &self.song.enums[id.index()];
                let variant = &decl.variants[*at as usize];
                let name = format!("{}::{}", self.type_name(&decl.name), camel(&variant.name));
                match parts.is_empty() {
                    true => name,
                    false => {
                        let parts = zipped(parts, variant.fields.iter().collect());
                        format!("{name}({})", parts.join(", "))
                    }
                }
            }
            (Value::Set(parts), Ty::Set(inner))
            | (Value::Bag(parts), Ty::Bag(inner))
            | (Value::Seq(parts), Ty::Seq(inner)) => {
                format!("{}::of([{}])", collection(ty), each(parts, inner))
            }
            (Value::Map(pairs), Ty::Map(key, value)) => {
                let pairs = pairs.iter().map(|(k, v)| {
                    format!("({}, {})", self.literal(k, key), self.literal(v, value))
                });
                format!("Map::pairs([{}])", pairs.collect::<Vec<_>>().join(", "))
            }
            _ => {
                self.refuse(Default::default(), "this parameter has no value in Rust");
                "()".to_owned()
            }
        }
    }
}
