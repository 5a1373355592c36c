//! Sorts, enums, structs, and types made of them.

use super::composer::Composer;
use super::names::Kind;
use super::normal;
use plainsong_ir::finite::{contains_list, contains_process, is_enumerable, is_finite};
use plainsong_ir::{
    Const, ConstId, EnumDecl, EnumId, Range, RangeEnd, SortDecl, SortId, SortKind, StructDecl,
    StructId, Ty, Variant,
};

impl Composer {
    /// Declares sorts, enums and structs; each uses only those before it.
    pub(super) fn declare_types(&mut self, size: usize) {
        for _ in 0..self.dice.between(1, 2 + size / 2) {
            self.sort();
        }
        for _ in 0..self.dice.between(0, 1 + size) {
            if self.dice.once_in(2) {
                self.enumeration();
            } else {
                self.structure();
            }
        }
    }

    fn sort(&mut self) {
        let name = self.item_name(Kind::Type);
        let kind = match self.dice.below(5) {
            0 | 1 => SortKind::Identities { ordered: false },
            2 => SortKind::Identities { ordered: true },
            _ => SortKind::Range(self.range()),
        };
        let anonymous = kind == SortKind::Identities { ordered: false };
        self.song.sorts.push(SortDecl {
            name,
            kind,
            span: Default::default(),
        });
        if anonymous {
            // Nothing else in a closed expression is a member of such a sort.
            let id = SortId::from(self.song.sorts.len() - 1);
            self.parameter_of(Ty::Sort(id));
        }
    }

    fn range(&mut self) -> Range {
        let start = normal::int(self.dice.below(3) as i64);
        let end = match self.dice.below(4) {
            0 => RangeEnd::Open,
            1 => RangeEnd::Before(normal::int(self.dice.between(3, 6) as i64)),
            2 => RangeEnd::With(normal::int(self.dice.between(2, 5) as i64)),
            _ => {
                let parameter = self.parameter_of(Ty::Nat);
                RangeEnd::Before(normal::widen(normal::constant(&self.song, parameter)))
            }
        };
        Range { start, end }
    }

    /// Declares a parameter without a condition.
    fn parameter_of(&mut self, ty: Ty) -> ConstId {
        let name = self.item_name(Kind::Const);
        self.song.consts.push(Const {
            name,
            ty,
            value: None,
            constraint: None,
            locals: Vec::new(),
            span: Default::default(),
        });
        ConstId::from(self.song.consts.len() - 1)
    }

    fn enumeration(&mut self) {
        let name = self.item_name(Kind::Type);
        let mut used = Vec::new();
        let mut variants = Vec::new();
        for _ in 0..self.dice.between(1, 4) {
            // Another enum may have a variant of the same name, but no item.
            used.extend(self.taken.iter().cloned());
            let name = self.name_apart_from(Kind::Variant, &used);
            used.push(name.clone());
            let fields = if self.dice.once_in(3) {
                self.dice.between(1, 2)
            } else {
                0
            };
            let fields = (0..fields).map(|_| self.ty(1)).collect();
            variants.push(Variant { name, fields });
        }
        self.song.enums.push(EnumDecl {
            splits: None,
            name,
            variants,
            span: Default::default(),
        });
    }

    fn structure(&mut self) {
        let name = self.item_name(Kind::Type);
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.dice.between(1, 3) {
            let field = self.name_apart_from(Kind::Field, &names);
            names.push(field);
        }
        let fields = names.into_iter().map(|name| (name, self.ty(1))).collect();
        self.song.structs.push(StructDecl {
            name,
            fields,
            span: Default::default(),
        });
    }

    /// Any type, of values nested at most `depth` deep.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        if depth == 0 || self.dice.once_in(2) {
            return self.plain_ty();
        }
        let inner = Box::new(self.ty(depth - 1));
        match self.dice.below(7) {
            0 => Ty::Tuple(
                (0..self.dice.between(2, 3))
                    .map(|_| self.ty(depth - 1))
                    .collect(),
            ),
            1 | 2 => Ty::Option(inner),
            3 => Ty::Set(inner),
            4 => Ty::Bag(inner),
            5 => Ty::Seq(inner),
            _ => Ty::Map(Box::new(self.finite_ty()), inner),
        }
    }

    /// A type without parts, or a declared one.
    pub(super) fn plain_ty(&mut self) -> Ty {
        let sorts = (0..self.song.sorts.len()).map(|at| Ty::Sort(SortId::from(at)));
        let enums = (0..self.song.enums.len()).map(|at| Ty::Enum(EnumId::from(at)));
        let structs = (0..self.song.structs.len()).map(|at| Ty::Struct(StructId::from(at)));
        let mut types: Vec<Ty> = sorts.chain(enums).chain(structs).collect();
        types.extend([Ty::Bool, Ty::Bool, Ty::Int, Ty::Int, Ty::Nat]);
        if !self.processes.is_empty() {
            types.push(Ty::Process);
        }
        self.dice.pick(&types).clone()
    }

    /// A type whose values can be listed.
    pub(super) fn finite_ty(&mut self) -> Ty {
        let ty = match self.dice.below(8) {
            0 => Ty::Option(Box::new(self.plain_ty())),
            1 => Ty::Tuple(vec![self.plain_ty(), self.plain_ty()]),
            2 => Ty::Set(Box::new(self.plain_ty())),
            _ => self.plain_ty(),
        };
        if is_finite(&self.song, &ty) {
            ty
        } else {
            self.sort_ty()
        }
    }

    /// A type for the index of a family: not of processes, of which there would be no end.
    pub(super) fn index_ty(&mut self) -> Ty {
        let ty = self.finite_ty();
        if contains_process(&self.song, &ty) {
            self.sort_ty()
        } else {
            ty
        }
    }

    /// A type that can be listed with a window for numbers.
    pub(super) fn enumerable_ty(&mut self) -> Ty {
        let ty = self.ty(1);
        if self.is_soon_listed(&ty) {
            ty
        } else {
            self.plain_enumerable_ty()
        }
    }

    /// Can it be listed, and is that no long list? There are many sequences of anything but truth values.
    pub(super) fn is_soon_listed(&self, ty: &Ty) -> bool {
        let song = &self.song;
        match ty {
            Ty::Seq(inner) | Ty::Bag(inner) => **inner == Ty::Bool,
            _ => is_enumerable(song, ty) && !contains_list(song, ty),
        }
    }

    fn plain_enumerable_ty(&mut self) -> Ty {
        self.dice.pick(&[Ty::Bool, Ty::Int, Ty::Nat]).clone()
    }

    /// A sort or `bool`.
    pub(super) fn sort_ty(&mut self) -> Ty {
        match self.dice.below(self.song.sorts.len() + 1) {
            0 => Ty::Bool,
            at => Ty::Sort(SortId::from(at - 1)),
        }
    }

    /// `int`, `nat` or an integer-range sort.
    pub(super) fn number_ty(&mut self) -> Ty {
        let mut types = vec![Ty::Int, Ty::Int, Ty::Nat];
        types.extend(self.range_sorts());
        self.dice.pick(&types).clone()
    }

    /// All integer-range sorts.
    pub(super) fn range_sorts(&self) -> Vec<Ty> {
        let sorts = (0..self.song.sorts.len()).map(|at| Ty::Sort(SortId::from(at)));
        sorts
            .filter(|ty| plainsong_ir::finite::is_range_sort(&self.song, ty))
            .collect()
    }
}
