//! Which types have values that can be listed, and which can be compared.

use crate::{EnumId, Song, SortKind, StructId, Ty};
use std::collections::BTreeSet;

/// Can the values of a type be listed once the sizes of sorts are fixed?
pub fn is_finite(song: &Song, ty: &Ty) -> bool {
    Listing {
        song,
        numbers: false,
        open: BTreeSet::new(),
    }
    .lists(ty)
}

/// Can they be listed when `int` and `nat` are cut down to a window?
pub fn is_enumerable(song: &Song, ty: &Ty) -> bool {
    Listing {
        song,
        numbers: true,
        open: BTreeSet::new(),
    }
    .lists(ty)
}

/// Is it an integer-range sort?
pub fn is_range_sort(song: &Song, ty: &Ty) -> bool {
    sort_kind(song, ty).is_some_and(|kind| matches!(kind, SortKind::Range(_)))
}

/// Is it `int`, `nat` or an integer-range sort?
pub fn is_number(song: &Song, ty: &Ty) -> bool {
    matches!(ty, Ty::Int | Ty::Nat) || is_range_sort(song, ty)
}

/// Can its values be compared with `<`: numbers, and members of sorts declared `ordered`?
pub fn is_ordered(song: &Song, ty: &Ty) -> bool {
    matches!(ty, Ty::Int | Ty::Nat)
        || sort_kind(song, ty)
            .is_some_and(|kind| !matches!(kind, SortKind::Identities { ordered: false }))
}

/// Are there processes inside values of the type? Then it cannot index a family: which processes
/// there are would depend on which processes there are.
pub fn contains_process(song: &Song, ty: &Ty) -> bool {
    match ty {
        Ty::Process => true,
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) => false,
        Ty::Enum(id) => {
            let variants = song
                .enums
                .get(id.index())
                .map_or(&[][..], |decl| &decl.variants);
            let mut fields = variants.iter().flat_map(|variant| &variant.fields);
            fields.any(|field| contains_process(song, field))
        }
        Ty::Struct(id) => {
            let fields = song
                .structs
                .get(id.index())
                .map_or(&[][..], |decl| &decl.fields);
            fields
                .iter()
                .any(|(_, field)| contains_process(song, field))
        }
        Ty::Tuple(parts) => parts.iter().any(|part| contains_process(song, part)),
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => {
            contains_process(song, inner)
        }
        Ty::Map(key, value) => contains_process(song, key) || contains_process(song, value),
    }
}

/// Can the type be written after `in` or `choose`? There, a tuple is read as an expression, so its
/// components must be names.
pub fn has_domain_text(ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(parts) => parts.iter().all(is_named),
        _ => true,
    }
}

fn is_named(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_) => true,
        Ty::Tuple(parts) => parts.iter().all(is_named),
        _ => false,
    }
}

fn sort_kind<'a>(song: &'a Song, ty: &Ty) -> Option<&'a SortKind> {
    match ty {
        Ty::Sort(id) => song.sorts.get(id.index()).map(|decl| &decl.kind),
        _ => None,
    }
}

/// Which enum or struct is being looked into; one inside itself has no end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Enum(EnumId),
    Struct(StructId),
}

struct Listing<'a> {
    song: &'a Song,
    numbers: bool,
    open: BTreeSet<Named>,
}

impl Listing<'_> {
    fn lists(&mut self, ty: &Ty) -> bool {
        match ty {
            Ty::Bool | Ty::Sort(_) | Ty::Process => true,
            Ty::Int | Ty::Nat => self.numbers,
            Ty::Enum(id) => {
                let song = self.song;
                let variants = song
                    .enums
                    .get(id.index())
                    .map_or(&[][..], |decl| &decl.variants);
                self.inside(
                    Named::Enum(*id),
                    variants.iter().flat_map(|variant| &variant.fields),
                )
            }
            Ty::Struct(id) => {
                let song = self.song;
                let fields = song
                    .structs
                    .get(id.index())
                    .map_or(&[][..], |decl| &decl.fields);
                self.inside(Named::Struct(*id), fields.iter().map(|(_, field)| field))
            }
            Ty::Tuple(parts) => parts.iter().all(|part| self.lists(part)),
            Ty::Option(inner) | Ty::Set(inner) => self.lists(inner),
            Ty::Map(key, value) => self.lists(key) && self.lists(value),
            Ty::Bag(_) | Ty::Seq(_) => false,
        }
    }

    fn inside<'t>(&mut self, named: Named, mut parts: impl Iterator<Item = &'t Ty>) -> bool {
        if !self.open.insert(named) {
            return false;
        }
        let all = parts.all(|part| self.lists(part));
        self.open.remove(&named);
        all
    }
}
