//! The values of a type, listed.

use super::{Instance, MOST_VALUES};
use crate::sizes::Bounds;
use crate::value::{Pid, Value};
use plainsong_ir::{SortId, SortKind, Ty};
use std::sync::Arc;

/// How deep types may nest before they are taken for endless.
const DEEPEST: u32 = 100;

/// Every value of `ty`, ascending; integers, sequences and bags only within `windows`.
pub(super) fn values(
    instance: &Instance,
    ty: &Ty,
    windows: Option<&Bounds>,
) -> Result<Vec<Value>, String> {
    let lister = Lister { instance, windows };
    match lister.count(ty, 0) {
        None => Err("the values of this type cannot be listed: there is no end of them".to_owned()),
        Some(count) if count > MOST_VALUES as u128 => Err(format!(
            "this type has {} values: too many to list",
            about(count)
        )),
        Some(_) => {
            let mut all = lister.list(ty);
            all.sort_unstable();
            Ok(all)
        }
    }
}

fn about(count: u128) -> String {
    if count == u128::MAX {
        "an enormous number of".to_owned()
    } else {
        count.to_string()
    }
}

struct Lister<'a> {
    instance: &'a Instance,
    windows: Option<&'a Bounds>,
}

impl Lister<'_> {
    /// How many values there are, `u128::MAX` standing for too many to count; `None` when there is
    /// no end of them.
    fn count(&self, ty: &Ty, depth: u32) -> Option<u128> {
        if depth > DEEPEST {
            return None;
        }
        let count = |ty: &Ty| self.count(ty, depth + 1);
        let product = |types: &mut dyn Iterator<Item = &Ty>| {
            let mut all = 1u128;
            for ty in types {
                all = all.saturating_mul(count(ty)?);
            }
            Some(all)
        };
        let song = self.instance.song();
        match ty {
            Ty::Bool => Some(2),
            Ty::Int => self.windows.map(|bounds| span(bounds.int.0, bounds.int.1)),
            Ty::Nat => self.windows.map(|bounds| span(0, bounds.nat)),
            Ty::Sort(sort) => Some(self.instance.size(*sort) as u128),
            Ty::Enum(id) => song.enums[id.index()]
                .variants
                .iter()
                .try_fold(0u128, |sum, variant| {
                    Some(sum.saturating_add(product(&mut variant.fields.iter())?))
                }),
            Ty::Struct(id) => {
                product(&mut song.structs[id.index()].fields.iter().map(|(_, ty)| ty))
            }
            Ty::Tuple(types) => product(&mut types.iter()),
            Ty::Option(ty) => Some(count(ty)?.saturating_add(1)),
            Ty::Set(ty) => Some(power(2, count(ty)?)),
            Ty::Map(key, value) => Some(power(count(value)?, count(key)?)),
            Ty::Process => Some(self.processes().len() as u128),
            Ty::Seq(ty) => {
                let each = count(ty)?;
                let lengths = 0..=self.windows?.length as u32;
                Some(lengths.fold(0u128, |sum, length| {
                    sum.saturating_add(each.saturating_pow(length))
                }))
            }
            // More than there are bags, which is all that is asked.
            Ty::Bag(ty) => self.count(&Ty::Seq(ty.clone()), depth),
        }
    }

    fn list(&self, ty: &Ty) -> Vec<Value> {
        let song = self.instance.song();
        match ty {
            Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Ty::Int => self
                .windows
                .map_or(vec![], |bounds| ints(bounds.int.0, bounds.int.1)),
            Ty::Nat => self.windows.map_or(vec![], |bounds| ints(0, bounds.nat)),
            Ty::Sort(sort) => self.sort(*sort),
            Ty::Enum(id) => {
                let variants = song.enums[id.index()].variants.iter().enumerate();
                variants
                    .flat_map(|(number, variant)| {
                        let payloads = self.products(&mut variant.fields.iter());
                        payloads
                            .into_iter()
                            .map(move |payload| Value::Variant(number as u32, payload.into()))
                    })
                    .collect()
            }
            Ty::Struct(id) => {
                self.tuples(&mut song.structs[id.index()].fields.iter().map(|(_, ty)| ty))
            }
            Ty::Tuple(types) => self.tuples(&mut types.iter()),
            Ty::Option(ty) => {
                let somes = self.list(ty).into_iter().map(Value::some);
                std::iter::once(Value::None).chain(somes).collect()
            }
            Ty::Set(ty) => self.subsets(&self.list(ty)),
            Ty::Map(key, value) => self.maps(key, value),
            Ty::Process => self.processes(),
            Ty::Seq(ty) => {
                let rows = self.rows(&self.list(ty));
                rows.into_iter().map(|row| Value::Seq(row.into())).collect()
            }
            Ty::Bag(ty) => {
                let rows = self.rows(&self.list(ty));
                let mut bags: Vec<Value> = rows.into_iter().map(Value::bag).collect();
                bags.sort_unstable();
                bags.dedup();
                bags
            }
        }
    }

    fn sort(&self, sort: SortId) -> Vec<Value> {
        let (first, last) = self.instance.range(sort);
        match self.instance.song().sorts[sort.index()].kind {
            SortKind::Identities { .. } => (first..=last).map(|n| Value::Id(n as u32)).collect(),
            SortKind::Range(_) => ints(first, last),
        }
    }

    fn processes(&self) -> Vec<Value> {
        let rows = self.instance.facts.lanes.first().cloned().unwrap_or(0..0);
        rows.map(|row| Value::Process(Pid::Member(row as u32)))
            .collect()
    }

    fn tuples(&self, types: &mut dyn Iterator<Item = &Ty>) -> Vec<Value> {
        self.products(types)
            .into_iter()
            .map(|parts| Value::Tuple(parts.into()))
            .collect()
    }

    /// Every way to take one value of each type.
    fn products(&self, types: &mut dyn Iterator<Item = &Ty>) -> Vec<Vec<Value>> {
        types.fold(vec![vec![]], |rows, ty| extend(&rows, &self.list(ty)))
    }

    /// Every row of the elements, up to the longest length.
    fn rows(&self, elements: &[Value]) -> Vec<Vec<Value>> {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        let mut longest = all.clone();
        for _ in 0..self.windows.map_or(0, |bounds| bounds.length) {
            longest = extend(&longest, elements);
            all.extend(longest.iter().cloned());
        }
        all
    }

    fn subsets(&self, elements: &[Value]) -> Vec<Value> {
        let subset = |bits: usize| {
            let chosen = elements
                .iter()
                .enumerate()
                .filter(|(at, _)| bits >> at & 1 == 1);
            Value::Set(chosen.map(|(_, element)| element.clone()).collect())
        };
        (0..1usize << elements.len()).map(subset).collect()
    }

    fn maps(&self, key: &Ty, value: &Ty) -> Vec<Value> {
        let mut keys = self.list(key);
        keys.sort_unstable();
        let values = self.list(value);
        let rows = keys
            .iter()
            .fold(vec![vec![]], |rows, _| extend(&rows, &values));
        let map =
            |row: Vec<Value>| -> Arc<[(Value, Value)]> { keys.iter().cloned().zip(row).collect() };
        rows.into_iter().map(|row| Value::Map(map(row))).collect()
    }
}

/// Each row with each of the values at its end.
fn extend(rows: &[Vec<Value>], values: &[Value]) -> Vec<Vec<Value>> {
    let one = |row: &Vec<Value>, value: &Value| {
        let mut longer = row.clone();
        longer.push(value.clone());
        longer
    };
    rows.iter()
        .flat_map(|row| values.iter().map(move |value| one(row, value)))
        .collect()
}

fn ints(first: i64, last: i64) -> Vec<Value> {
    (first..=last).map(Value::Int).collect()
}

fn span(first: i64, last: i64) -> u128 {
    (i128::from(last) - i128::from(first) + 1).max(0) as u128
}

fn power(base: u128, exponent: u128) -> u128 {
    match u32::try_from(exponent) {
        Ok(exponent) => base.saturating_pow(exponent),
        Err(_) if base <= 1 => base,
        Err(_) => u128::MAX,
    }
}
