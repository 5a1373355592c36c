//! Sorts of terms: truth values, integers, identities, datatypes and functions.

use plainsong_ir::SortId;
use rustc_hash::FxHashMap;

/// A sort of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sort(pub(crate) u32);

impl Sort {
    /// Truth values.
    pub const BOOL: Sort = Sort(0);
    /// Integers.
    pub const INT: Sort = Sort(1);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SortKind {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Identities of a sort of the source without order.
    Named(SortId),
    /// A datatype, by its number.
    Data(u32),
    /// Functions from one sort to another.
    Array(Sort, Sort),
}

/// A datatype: a value is made by one of the constructors.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Its name, unique in the arena.
    pub name: String,
    /// At least one.
    pub constructors: Vec<Constructor>,
}

/// One way to make a value of a datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct Constructor {
    /// A name for people.
    pub name: String,
    /// The sorts of its fields.
    pub fields: Vec<Sort>,
}

/// The sorts of an arena.
#[derive(Clone, Debug)]
pub(super) struct Sorts {
    kinds: Vec<SortKind>,
    known: FxHashMap<SortKind, Sort>,
    datas: Vec<Data>,
    by_name: FxHashMap<String, u32>,
}

impl Sorts {
    pub(super) fn new() -> Self {
        let mut sorts = Sorts {
            kinds: Vec::new(),
            known: FxHashMap::default(),
            datas: Vec::new(),
            by_name: FxHashMap::default(),
        };
        sorts.intern(SortKind::Bool);
        sorts.intern(SortKind::Int);
        sorts
    }

    pub(super) fn kind(&self, sort: Sort) -> SortKind {
        self.kinds[sort.0 as usize]
    }

    pub(super) fn intern(&mut self, kind: SortKind) -> Sort {
        let next = Sort(self.kinds.len() as u32);
        let sort = *self.known.entry(kind).or_insert(next);
        if sort == next {
            self.kinds.push(kind);
        }
        sort
    }

    pub(super) fn data(&mut self, data: Data) -> Sort {
        let number = match self.by_name.get(&data.name) {
            Some(&number) => number,
            None => {
                let number = self.datas.len() as u32;
                self.by_name.insert(data.name.clone(), number);
                self.datas.push(data);
                number
            }
        };
        self.intern(SortKind::Data(number))
    }

    pub(super) fn declared(&self, number: u32) -> &Data {
        &self.datas[number as usize]
    }
}
