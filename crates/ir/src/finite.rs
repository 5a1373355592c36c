//! Which types have values that can be listed, and which can be compared.

use crate::{Song, SortKind, Ty};
use std::collections::BTreeSet;

/// Can the values of a type be listed once the sizes of sorts are fixed?
pub fn is_finite(song: &Song, ty: &Ty) -> bool {
    ValueLister {
        song,
        windows: false,
        open: BTreeSet::new(),
    }
    .lists(ty)
}

/// Can they be listed when `int` and `nat` are cut down to a window, and sequences and bags to a length?
pub fn is_enumerable(song: &Song, ty: &Ty) -> bool {
    ValueLister {
        song,
        windows: true,
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
    contains(song, ty, &Ty::Process)
}

/// Are there values of type `part` inside values of the type?
pub fn contains(song: &Song, ty: &Ty, part: &Ty) -> bool {
    inside(song, ty, &mut BTreeSet::new()).contains(part)
}

/// Are there sequences or bags inside values of the type?
pub fn contains_list(song: &Song, ty: &Ty) -> bool {
    let inside = inside(song, ty, &mut BTreeSet::new()).clone();
    inside
        .iter()
        .any(|part| matches!(part, Ty::Seq(_) | Ty::Bag(_)))
}

/// Does a declared type contain itself? Its values would have no end.
pub fn contains_itself(song: &Song, ty: &Ty) -> bool {
    let mut found = BTreeSet::new();
    for part in parts(song, ty) {
        inside(song, &part, &mut found);
    }
    found.contains(ty)
}

/// The type and all types inside it.
fn inside<'f>(song: &Song, ty: &Ty, found: &'f mut BTreeSet<Ty>) -> &'f BTreeSet<Ty> {
    if found.insert(ty.clone()) {
        for part in parts(song, ty) {
            inside(song, &part, found);
        }
    }
    found
}

/// The types directly inside a type.
fn parts(song: &Song, ty: &Ty) -> Vec<Ty> {
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Process | Ty::Sort(_) => Vec::new(),
        Ty::Enum(id) => {
            let variants = song
                .enums
                .get(id.index())
                .map_or(&[][..], |decl| &decl.variants);
            variants
                .iter()
                .flat_map(|variant| variant.fields.clone())
                .collect()
        }
        Ty::Struct(id) => {
            let fields = song
                .structs
                .get(id.index())
                .map_or(&[][..], |decl| &decl.fields);
            fields.iter().map(|(_, field)| field.clone()).collect()
        }
        Ty::Tuple(parts) => parts.clone(),
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => {
            vec![(**inner).clone()]
        }
        Ty::Map(key, value) => vec![(**key).clone(), (**value).clone()],
    }
}

fn sort_kind<'a>(song: &'a Song, ty: &Ty) -> Option<&'a SortKind> {
    match ty {
        Ty::Sort(id) => song.sorts.get(id.index()).map(|decl| &decl.kind),
        _ => None,
    }
}

struct ValueLister<'a> {
    song: &'a Song,
    /// Are infinite types cut down?
    windows: bool,
    /// The types being looked into; one inside itself has no end.
    open: BTreeSet<Ty>,
}

impl ValueLister<'_> {
    fn lists(&mut self, ty: &Ty) -> bool {
        match ty {
            Ty::Int | Ty::Nat => self.windows,
            Ty::Bag(_) | Ty::Seq(_) if !self.windows => false,
            _ => {
                if !self.open.insert(ty.clone()) {
                    return false;
                }
                let all = parts(self.song, ty).iter().all(|part| self.lists(part));
                self.open.remove(ty);
                all
            }
        }
    }
}
