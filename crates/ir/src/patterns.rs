//! Do patterns cover every value of a type?
//!
//! The classic algorithm on a matrix of patterns, one row per arm, one column per value still to
//! be looked at. To find a value that no row matches, split the first column by its constructors: if the
//! rows use all constructors of the type, look inside each; otherwise a constructor that no row
//! uses, together with the rows that accept anything, decides. Each step shortens the matrix or
//! takes a pattern apart, so it ends.

use crate::print;
use crate::{EnumId, FamilyId, Pattern, PatternKind, Song, StructId, Ty};

/// A value that none of the patterns matches, written as a pattern; `None` when they cover all.
///
/// Integers and members of sorts are taken to be endless: only `_` or a name covers them.
pub fn missing(song: &Song, ty: &Ty, patterns: &[&Pattern]) -> Option<String> {
    let rows: Vec<Row<'_>> = patterns
        .iter()
        .map(|pattern| vec![Some(*pattern)])
        .collect();
    let example = Search { song }.uncovered(std::slice::from_ref(ty), &rows)?;
    Some(example.into_iter().map(|part| part.text(song)).collect())
}

/// Can the last of the patterns match a value that none of the others does?
pub fn is_useful(song: &Song, ty: &Ty, before: &[&Pattern], pattern: &Pattern) -> bool {
    let rows: Vec<Row<'_>> = before.iter().map(|pattern| vec![Some(*pattern)]).collect();
    Search { song }.useful(std::slice::from_ref(ty), &rows, &[Some(pattern)])
}

/// What remains of an arm: a pattern for each column, `None` where anything goes.
type Row<'a> = Vec<Option<&'a Pattern>>;

/// The outermost shape of a value.
#[derive(Clone, Debug, PartialEq)]
enum Constructor {
    Bool(bool),
    Int(i64),
    None,
    Some,
    Tuple,
    Variant(EnumId, usize),
    Struct(StructId),
    Pid(FamilyId),
    /// A value that no pattern in sight names.
    Other,
}

/// A value, as far as it matters.
#[derive(Clone, Debug)]
struct Example {
    constructor: Constructor,
    parts: Vec<Example>,
}

impl Example {
    fn any() -> Example {
        Example {
            constructor: Constructor::Other,
            parts: Vec::new(),
        }
    }

    fn text(&self, song: &Song) -> String {
        print::pattern(song, &[], &self.pattern())
    }

    fn pattern(&self) -> Pattern {
        let mut parts = self.parts.iter().map(Example::pattern);
        let kind = match &self.constructor {
            Constructor::Bool(value) => PatternKind::Bool(*value),
            Constructor::Int(value) => PatternKind::Int(*value),
            Constructor::None => PatternKind::None,
            Constructor::Some => match parts.next() {
                Some(inner) => PatternKind::Some(Box::new(inner)),
                None => PatternKind::Wild,
            },
            Constructor::Tuple => PatternKind::Tuple(parts.collect()),
            Constructor::Variant(id, at) => PatternKind::Variant(*id, *at, parts.collect()),
            Constructor::Struct(id) => PatternKind::Struct(*id, parts.collect()),
            Constructor::Pid(id) => PatternKind::Pid(*id, parts.collect()),
            Constructor::Other => PatternKind::Wild,
        };
        Pattern {
            kind,
            span: Default::default(),
        }
    }
}

struct Search<'s> {
    song: &'s Song,
}

impl Search<'_> {
    /// Values for the columns that no row matches.
    fn uncovered(&self, columns: &[Ty], rows: &[Row<'_>]) -> Option<Vec<Example>> {
        let Some((ty, rest)) = columns.split_first() else {
            return if rows.is_empty() {
                Some(Vec::new())
            } else {
                None
            };
        };
        let used = used_constructors(rows);
        match self.all_constructors(ty) {
            Some(all) if all.iter().all(|constructor| used.contains(constructor)) => all
                .into_iter()
                .find_map(|constructor| self.inside(constructor, ty, rest, rows)),
            all => {
                let others: Vec<Row<'_>> = rows
                    .iter()
                    .filter(|row| row_accepts_any(row))
                    .map(|row| row[1..].to_vec())
                    .collect();
                let mut tail = self.uncovered(rest, &others)?;
                tail.insert(0, self.unused(ty, all, &used));
                Some(tail)
            }
        }
    }

    /// Uncovered values whose first has this constructor.
    fn inside(
        &self,
        constructor: Constructor,
        ty: &Ty,
        rest: &[Ty],
        rows: &[Row<'_>],
    ) -> Option<Vec<Example>> {
        let parts = self.part_types(&constructor, ty);
        let count = parts.len();
        let columns: Vec<Ty> = parts.into_iter().chain(rest.iter().cloned()).collect();
        let rows = specialise(&constructor, count, rows);
        let mut found = self.uncovered(&columns, &rows)?;
        let tail = found.split_off(count);
        let mut example = vec![Example {
            constructor,
            parts: found,
        }];
        example.extend(tail);
        Some(example)
    }

    /// Is there a value that `row` matches and none of `rows` does?
    fn useful(&self, columns: &[Ty], rows: &[Row<'_>], row: &[Option<&Pattern>]) -> bool {
        let (Some((ty, rest)), Some((first, tail))) = (columns.split_first(), row.split_first())
        else {
            return rows.is_empty();
        };
        let constructors = match first.and_then(constructor_of) {
            Some(constructor) => vec![constructor],
            None => {
                let mut used = used_constructors(rows);
                let all = self.all_constructors(ty);
                let complete = all.is_some_and(|all| all.iter().all(|one| used.contains(one)));
                if !complete {
                    used.push(Constructor::Other);
                }
                used
            }
        };
        let whole: Row<'_> = std::iter::once(*first)
            .chain(tail.iter().copied())
            .collect();
        constructors.into_iter().any(|constructor| {
            let parts = self.part_types(&constructor, ty);
            let count = parts.len();
            let columns: Vec<Ty> = parts.into_iter().chain(rest.iter().cloned()).collect();
            let rows = specialise(&constructor, count, rows);
            specialise(&constructor, count, std::slice::from_ref(&whole))
                .first()
                .is_some_and(|row| self.useful(&columns, &rows, row))
        })
    }

    /// All constructors of a type, or `None` when they cannot be listed.
    fn all_constructors(&self, ty: &Ty) -> Option<Vec<Constructor>> {
        Some(match ty {
            Ty::Bool => vec![Constructor::Bool(false), Constructor::Bool(true)],
            Ty::Option(_) => vec![Constructor::None, Constructor::Some],
            Ty::Tuple(_) => vec![Constructor::Tuple],
            Ty::Struct(id) => vec![Constructor::Struct(*id)],
            Ty::Enum(id) => {
                let variants = &self.song.enums.get(id.index())?.variants;
                (0..variants.len())
                    .map(|at| Constructor::Variant(*id, at))
                    .collect()
            }
            Ty::Process => {
                let processes = &self.song.voices()?.processes;
                processes
                    .iter()
                    .map(|process| Constructor::Pid(process.family))
                    .collect()
            }
            _ => return None,
        })
    }

    /// An example of a value whose constructor is not used.
    fn unused(&self, ty: &Ty, all: Option<Vec<Constructor>>, used: &[Constructor]) -> Example {
        if used.is_empty() {
            return Example::any();
        }
        let free = all.and_then(|all| all.into_iter().find(|one| !used.contains(one)));
        let Some(constructor) = free else {
            return unused_number(used).map_or_else(Example::any, |value| Example {
                constructor: Constructor::Int(value),
                parts: Vec::new(),
            });
        };
        let parts = self
            .part_types(&constructor, ty)
            .iter()
            .map(|_| Example::any())
            .collect();
        Example { constructor, parts }
    }

    /// The types of what is inside a constructor.
    fn part_types(&self, constructor: &Constructor, ty: &Ty) -> Vec<Ty> {
        match (constructor, ty) {
            (Constructor::Some, Ty::Option(inner)) => vec![(**inner).clone()],
            (Constructor::Tuple, Ty::Tuple(parts)) => parts.clone(),
            (Constructor::Variant(id, at), _) => {
                let decl = self.song.enums.get(id.index());
                let variant = decl.and_then(|decl| decl.variants.get(*at));
                variant.map_or(Vec::new(), |variant| variant.fields.clone())
            }
            (Constructor::Struct(id), _) => {
                let decl = self.song.structs.get(id.index());
                decl.map_or(Vec::new(), |decl| {
                    decl.fields.iter().map(|(_, ty)| ty.clone()).collect()
                })
            }
            (Constructor::Pid(id), _) => {
                let decl = self.song.families.get(id.index());
                decl.map_or(Vec::new(), |decl| {
                    decl.index.iter().map(|row| row.ty.clone()).collect()
                })
            }
            _ => Vec::new(),
        }
    }
}

/// The rows that match values with this constructor, with the patterns inside it in front.
fn specialise<'a>(constructor: &Constructor, count: usize, rows: &[Row<'a>]) -> Vec<Row<'a>> {
    let mut special = Vec::new();
    for row in rows {
        let Some((first, tail)) = row.split_first() else {
            continue;
        };
        let parts: Row<'a> = match first {
            Some(pattern) => match constructor_of(pattern) {
                None => vec![None; count],
                Some(other) if other == *constructor => {
                    let mut parts: Row<'a> = parts_of(pattern).into_iter().map(Some).collect();
                    parts.resize(count, None);
                    parts
                }
                Some(_) => continue,
            },
            None => vec![None; count],
        };
        special.push(parts.into_iter().chain(tail.iter().copied()).collect());
    }
    special
}

fn used_constructors(rows: &[Row<'_>]) -> Vec<Constructor> {
    let mut used = Vec::new();
    for row in rows {
        if let Some(constructor) = row.first().copied().flatten().and_then(constructor_of)
            && !used.contains(&constructor)
        {
            used.push(constructor);
        }
    }
    used
}

fn row_accepts_any(row: &Row<'_>) -> bool {
    row.first()
        .is_some_and(|first| first.is_none_or(|pattern| constructor_of(pattern).is_none()))
}

/// The constructor a pattern asks for; `None` when it accepts anything.
fn constructor_of(pattern: &Pattern) -> Option<Constructor> {
    Some(match &pattern.kind {
        PatternKind::Wild | PatternKind::Bind(_) => return None,
        PatternKind::Bool(value) => Constructor::Bool(*value),
        PatternKind::Int(value) => Constructor::Int(*value),
        PatternKind::None => Constructor::None,
        PatternKind::Some(_) => Constructor::Some,
        PatternKind::Tuple(_) => Constructor::Tuple,
        PatternKind::Variant(id, at, _) => Constructor::Variant(*id, *at),
        PatternKind::Struct(id, _) => Constructor::Struct(*id),
        PatternKind::Pid(id, _) => Constructor::Pid(*id),
    })
}

fn parts_of(pattern: &Pattern) -> Vec<&Pattern> {
    match &pattern.kind {
        PatternKind::Some(inner) => vec![inner],
        PatternKind::Tuple(parts)
        | PatternKind::Variant(_, _, parts)
        | PatternKind::Struct(_, parts)
        | PatternKind::Pid(_, parts) => parts.iter().collect(),
        _ => Vec::new(),
    }
}

/// The least number from zero that is not used, when numbers are.
fn unused_number(used: &[Constructor]) -> Option<i64> {
    if !used
        .iter()
        .any(|constructor| matches!(constructor, Constructor::Int(_)))
    {
        return None;
    }
    (0..).find(|value| !used.contains(&Constructor::Int(*value)))
}
