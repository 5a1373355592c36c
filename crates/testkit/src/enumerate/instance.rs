//! A song with the sizes of its sorts and the values of its parameters fixed.

use super::eval::{Store, Undefined, eval};
use super::value::Value;
use plainsong_ir::{
    Binder, ConstId, Domain, EnumId, Range, RangeEnd, Song, SortId, SortKind, System, Ty,
};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What `choose int` tries.
const INT_WINDOW: std::ops::RangeInclusive<i128> = -2..=2;
/// What `choose nat` tries.
const NAT_WINDOW: std::ops::RangeInclusive<i128> = 0..=3;

/// How many elements sequences and bags have at most that `choose` tries.
const LONGEST: usize = 2;

/// How much may be computed for each prefix of an execution that may be looked at.
const PATIENCE: usize = 20_000;

/// The most values of one type that are ever listed, elements of a collection, and ways in which a
/// step can go.
const MOST_VALUES: usize = 4_000;

/// A song and the numbers chosen for it.
pub(super) struct Instance<'a> {
    pub(super) song: &'a Song,
    sizes: &'a BTreeMap<String, i64>,
    /// How many expressions may still be evaluated and statements executed.
    patience: Cell<usize>,
    /// Was something too much?
    exceeded: Cell<bool>,
}

impl<'a> Instance<'a> {
    pub(super) fn new(song: &'a Song, sizes: &'a BTreeMap<String, i64>, limit: usize) -> Self {
        let patience = Cell::new(limit.saturating_mul(PATIENCE));
        Instance {
            song,
            sizes,
            patience,
            exceeded: Cell::new(false),
        }
    }

    /// Was there too much to compute, or a type with too many values to list? Then what was found
    /// is not all.
    pub(super) fn exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Something was too much.
    pub(super) fn give_up(&self) {
        self.exceeded.set(true);
    }

    /// Counts one expression or statement.
    pub(super) fn compute(&self) -> Result<(), Undefined> {
        match self.patience.get().checked_sub(1) {
            Some(left) => {
                self.patience.set(left);
                Ok(())
            }
            None => {
                self.give_up();
                Err(Undefined("too much to compute".to_string()))
            }
        }
    }

    /// The value of a constant, or the one given for a parameter.
    pub(super) fn constant(&self, id: ConstId, depth: usize) -> Result<Value, Undefined> {
        let declared = &self.song.consts[id.index()];
        match &declared.value {
            Some(value) => eval(self, value, &mut Store::bare(declared.locals.len(), depth)),
            None => self.parameter(&declared.name, &declared.ty),
        }
    }

    /// Do all parameters satisfy their `where`?
    pub(super) fn parameters_allowed(&self) -> Result<bool, Undefined> {
        for declared in &self.song.consts {
            if let Some(constraint) = &declared.constraint {
                let mut store = Store::bare(declared.locals.len(), 0);
                if eval(self, constraint, &mut store)? != Value::Bool(true) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Does the integer `n` belong to `ty`, a number type?
    pub(super) fn admits(&self, ty: &Ty, n: i128) -> Result<bool, Undefined> {
        Ok(match ty {
            Ty::Nat => n >= 0,
            Ty::Sort(id) => self.members(*id)?.contains(&Value::Int(n)),
            _ => true,
        })
    }

    /// The elements that a bound name takes, in order.
    pub(super) fn elements(
        &self,
        domain: &Domain,
        store: &mut Store,
    ) -> Result<Vec<Value>, Undefined> {
        match domain {
            Domain::Type(ty) => self.values(ty),
            Domain::In(collection) => Ok(match eval(self, collection, store)? {
                Value::Set(elements) => elements.into_iter().collect(),
                Value::Bag(elements) => elements
                    .into_iter()
                    .flat_map(|(v, n)| std::iter::repeat_n(v, n))
                    .collect(),
                Value::Seq(elements) => elements,
                other => unreachable!("{other:?} has no elements"),
            }),
        }
    }

    /// All values of a finite type, ascending; a window of an infinite one.
    pub(super) fn values(&self, ty: &Ty) -> Result<Vec<Value>, Undefined> {
        Ok(match ty {
            Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Ty::Int => INT_WINDOW.map(Value::Int).collect(),
            Ty::Nat => NAT_WINDOW.map(Value::Int).collect(),
            Ty::Sort(id) => self.members(*id)?,
            Ty::Enum(id) => self.variants(*id)?,
            Ty::Struct(id) => {
                let fields = self.song.structs[id.index()]
                    .fields
                    .iter()
                    .map(|(_, ty)| ty);
                self.product(fields)?
                    .into_iter()
                    .map(Value::Record)
                    .collect()
            }
            Ty::Tuple(parts) => self
                .product(parts.iter())?
                .into_iter()
                .map(Value::Tuple)
                .collect(),
            Ty::Option(inner) => {
                let some = self.values(inner)?.into_iter().map(|v| Some(Box::new(v)));
                std::iter::once(None)
                    .chain(some)
                    .map(Value::Option)
                    .collect()
            }
            Ty::Set(inner) => {
                let elements = self.values(inner)?;
                self.listable(1_usize.checked_shl(elements.len() as u32))?;
                ascending(subsets(&elements).map(Value::Set))
            }
            Ty::Map(key, value) => self.maps(key, value)?,
            Ty::Process => self.processes()?,
            Ty::Seq(inner) => self.rows(inner)?.into_iter().map(Value::Seq).collect(),
            Ty::Bag(inner) => {
                let bag = |row: Vec<Value>| {
                    let mut counts = BTreeMap::new();
                    row.into_iter()
                        .for_each(|v| *counts.entry(v).or_insert(0) += 1);
                    Value::Bag(counts)
                };
                let bags: BTreeSet<Value> = self.rows(inner)?.into_iter().map(bag).collect();
                bags.into_iter().collect()
            }
        })
    }

    /// Every row of values of a type that is not too long, ascending.
    fn rows(&self, ty: &Ty) -> Result<Vec<Vec<Value>>, Undefined> {
        let mut all = Vec::new();
        for length in 0..=LONGEST {
            all.extend(self.product(std::iter::repeat_n(ty, length))?);
        }
        all.sort();
        Ok(all)
    }

    /// The index values of each member of a family.
    pub(super) fn indices(&self, binders: &[Binder]) -> Result<Vec<Vec<Value>>, Undefined> {
        self.product(binders.iter().map(|binder| &binder.ty))
    }

    fn parameter(&self, name: &str, ty: &Ty) -> Result<Value, Undefined> {
        let n = self.given(name);
        Ok(match ty {
            Ty::Int | Ty::Nat => Value::Int(i128::from(n)),
            Ty::Sort(id) if matches!(self.song.sorts[id.index()].kind, SortKind::Range(_)) => {
                Value::Int(i128::from(n))
            }
            ty => {
                let position = usize::try_from(n).ok();
                let values = self.values(ty)?;
                let value = position.and_then(|position| values.get(position));
                value
                    .unwrap_or_else(|| panic!("`{name}` has no value number {n}"))
                    .clone()
            }
        })
    }

    fn given(&self, name: &str) -> i64 {
        *self
            .sizes
            .get(name)
            .unwrap_or_else(|| panic!("a number is wanted for `{name}`"))
    }

    fn members(&self, id: SortId) -> Result<Vec<Value>, Undefined> {
        let declared = &self.song.sorts[id.index()];
        match &declared.kind {
            SortKind::Identities { .. } => {
                let size = usize::try_from(self.given(&declared.name)).unwrap_or(0);
                Ok((0..size).map(Value::Member).collect())
            }
            SortKind::Range(range) => self.range_members(&declared.name, range),
        }
    }

    fn range_members(&self, name: &str, range: &Range) -> Result<Vec<Value>, Undefined> {
        let start = self.closed(&range.start)?;
        let end = match &range.end {
            RangeEnd::Open => start + i128::from(self.given(name)),
            RangeEnd::Before(end) => self.closed(end)?,
            RangeEnd::With(end) => self.closed(end)? + 1,
        };
        Ok((start..end).map(Value::Int).collect())
    }

    fn closed(&self, expr: &plainsong_ir::Expr) -> Result<i128, Undefined> {
        match eval(self, expr, &mut Store::bare(0, 0))? {
            Value::Int(n) => Ok(n),
            other => unreachable!("{other:?} as the bound of a range"),
        }
    }

    fn variants(&self, id: EnumId) -> Result<Vec<Value>, Undefined> {
        let mut all = Vec::new();
        for (at, variant) in self.song.enums[id.index()].variants.iter().enumerate() {
            let payloads = self.product(variant.fields.iter())?;
            all.extend(
                payloads
                    .into_iter()
                    .map(|payload| Value::Variant(at, payload)),
            );
        }
        Ok(all)
    }

    fn maps(&self, key: &Ty, value: &Ty) -> Result<Vec<Value>, Undefined> {
        let keys = self.values(key)?;
        let images = self.product(std::iter::repeat_n(value, keys.len()))?;
        let map = |image: Vec<Value>| Value::Map(keys.iter().cloned().zip(image).collect());
        Ok(images.into_iter().map(map).collect())
    }

    fn processes(&self) -> Result<Vec<Value>, Undefined> {
        let mut all = Vec::new();
        if let System::Voices(voices) = &self.song.system {
            for process in &voices.processes {
                let family = &self.song.families[process.family.index()];
                let members = self.indices(&family.index)?.into_iter();
                all.extend(members.map(|index| Value::Process(process.family, index)));
            }
        }
        Ok(ascending(all.into_iter()))
    }

    /// Are so many values not too many?
    pub(super) fn listable(&self, count: Option<usize>) -> Result<(), Undefined> {
        if count.is_some_and(|count| count <= MOST_VALUES) {
            return Ok(());
        }
        self.give_up();
        Err(Undefined("too many values".to_string()))
    }

    fn product<'t>(
        &self,
        types: impl Iterator<Item = &'t Ty>,
    ) -> Result<Vec<Vec<Value>>, Undefined> {
        let mut rows = vec![Vec::new()];
        for ty in types {
            let values = self.values(ty)?;
            self.listable(rows.len().checked_mul(values.len()))?;
            let longer = |row: &Vec<Value>| {
                let row = row.clone();
                values
                    .iter()
                    .map(move |v| [row.clone(), vec![v.clone()]].concat())
                    .collect()
            };
            rows = rows
                .iter()
                .flat_map(|row| -> Vec<Vec<Value>> { longer(row) })
                .collect();
        }
        Ok(rows)
    }
}

fn ascending(values: impl Iterator<Item = Value>) -> Vec<Value> {
    values.collect::<BTreeSet<_>>().into_iter().collect()
}

fn subsets(values: &[Value]) -> impl Iterator<Item = BTreeSet<Value>> + '_ {
    (0..1_u32 << values.len()).map(|mask| {
        let chosen = values
            .iter()
            .enumerate()
            .filter(move |(at, _)| mask >> at & 1 == 1);
        chosen.map(|(_, v)| v.clone()).collect()
    })
}
