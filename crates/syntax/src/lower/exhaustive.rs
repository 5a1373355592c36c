//! Which values a list of patterns leaves uncovered.
//!
//! The question is always: is there a value that the *goal* row of patterns matches and no row above
//! it does? With `_` as the goal it asks whether a match is exhaustive; with an arm as the goal,
//! whether that arm can be reached. Answered column by column: the head of the goal decides which
//! constructors to try, each constructor keeps the rows that admit it and replaces the column by its
//! parts. A witness is written as the pattern a person would add.

use plainsong_ir::{EnumId, FamilyId, Pattern, PatternKind, StructId, Ty};

/// What must be known about declared types.
pub(crate) trait Shapes {
    /// Names and payload types of the variants.
    fn variants(&self, id: EnumId) -> Vec<(&str, &[Ty])>;
    /// The name of a struct, and the names and types of its fields.
    fn fields(&self, id: StructId) -> (&str, &[(String, Ty)]);
    /// The families of processes: id, name, index types.
    fn families(&self) -> Vec<(FamilyId, &str, Vec<Ty>)>;
}

/// The patterns are too many or too large to be checked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooComplex;

/// A value that `goal` matches and none of `above` does, written as a pattern.
///
/// In the worst case the search takes exponential time, so it is paid for from `steps`.
pub(crate) fn uncovered(
    shapes: &dyn Shapes,
    ty: &Ty,
    above: &[&Pattern],
    goal: Option<&Pattern>,
    steps: &mut usize,
) -> Result<Option<String>, TooComplex> {
    let rows: Vec<Row> = above.iter().map(|&pattern| vec![Some(pattern)]).collect();
    let mut search = Search { shapes, steps };
    let found = search.find(&rows, &[goal], &[ty], MAX_DEPTH)?;
    Ok(found.map(|mut witness| witness.remove(0)))
}

/// Enough for any file that people write.
pub(crate) const MAX_STEPS: usize = 20_000_000;
const MAX_DEPTH: usize = 400;

/// Patterns for the values still to be looked at; `None` matches everything.
type Row<'p> = Vec<Option<&'p Pattern>>;

/// The outermost constructor of a value.
#[derive(Clone, PartialEq)]
enum Head {
    Bool(bool),
    Int(i64),
    None,
    Some,
    Tuple,
    Struct(StructId),
    Variant(EnumId, usize),
    Pid(FamilyId),
}

struct Search<'s> {
    shapes: &'s dyn Shapes,
    steps: &'s mut usize,
}

impl Search<'_> {
    fn find(
        &mut self,
        rows: &[Row],
        goal: &[Option<&Pattern>],
        tys: &[&Ty],
        depth: usize,
    ) -> Result<Option<Vec<String>>, TooComplex> {
        *self.steps = self.steps.checked_sub(rows.len() + 1).ok_or(TooComplex)?;
        if rows
            .iter()
            .any(|row| !row.iter().any(|&pattern| refutable(pattern)))
        {
            return Ok(None);
        }
        let interesting = (0..tys.len())
            .find(|&at| refutable(goal[at]) || rows.iter().any(|row| refutable(row[at])));
        let Some(at) = interesting else {
            return Ok(Some(vec!["_".to_owned(); tys.len()]));
        };
        let depth = depth.checked_sub(1).ok_or(TooComplex)?;
        let column = Column { at, ty: tys[at] };
        for head in self.heads(&column, rows, goal) {
            let found = match &head {
                Some(head) => self.find_with(head, &column, rows, goal, tys, depth)?,
                None => self.find_without(&column, rows, goal, tys, depth)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The constructors worth trying in a column; `None` stands for all that no row mentions.
    fn heads(&self, column: &Column, rows: &[Row], goal: &[Option<&Pattern>]) -> Vec<Option<Head>> {
        if let Some(head) = goal[column.at].and_then(head_of) {
            return vec![Some(head)];
        }
        let mut mentioned: Vec<Option<Head>> = Vec::new();
        for row in rows {
            if let Some(head) = row[column.at].and_then(head_of)
                && !mentioned.contains(&Some(head.clone()))
            {
                mentioned.push(Some(head));
            }
        }
        match self.all_heads(column.ty) {
            Some(all)
                if all
                    .iter()
                    .all(|head| mentioned.contains(&Some(head.clone()))) => {}
            _ => mentioned.insert(0, None),
        }
        mentioned
    }

    /// Every constructor of a type, when they can be listed.
    fn all_heads(&self, ty: &Ty) -> Option<Vec<Head>> {
        Some(match ty {
            Ty::Bool => vec![Head::Bool(true), Head::Bool(false)],
            Ty::Option(_) => vec![Head::None, Head::Some],
            Ty::Tuple(_) => vec![Head::Tuple],
            Ty::Struct(id) => vec![Head::Struct(*id)],
            Ty::Enum(id) => {
                let count = self.shapes.variants(*id).len();
                (0..count).map(|at| Head::Variant(*id, at)).collect()
            }
            Ty::Process => self
                .shapes
                .families()
                .into_iter()
                .map(|(id, ..)| Head::Pid(id))
                .collect(),
            _ => return None,
        })
    }

    /// Values of the column built with `head`.
    fn find_with(
        &mut self,
        head: &Head,
        column: &Column,
        rows: &[Row],
        goal: &[Option<&Pattern>],
        tys: &[&Ty],
        depth: usize,
    ) -> Result<Option<Vec<String>>, TooComplex> {
        let parts = self.part_types(head, column.ty);
        *self.steps = self.steps.checked_sub(rows.len()).ok_or(TooComplex)?;
        let rows: Vec<Row> = rows
            .iter()
            .filter_map(|row| specialise(row, column.at, head, parts.len()))
            .collect();
        let Some(goal) = specialise(goal, column.at, head, parts.len()) else {
            return Ok(None);
        };
        let mut inner: Vec<&Ty> = parts.iter().collect();
        inner.extend(tys[..column.at].iter().chain(&tys[column.at + 1..]));
        let Some(mut witness) = self.find(&rows, &goal, &inner, depth)? else {
            return Ok(None);
        };
        let rest = witness.split_off(parts.len());
        let mut whole = rest;
        whole.insert(column.at, self.write(head, &witness));
        Ok(Some(whole))
    }

    /// Values of the column built with a constructor that no row mentions.
    fn find_without(
        &mut self,
        column: &Column,
        rows: &[Row],
        goal: &[Option<&Pattern>],
        tys: &[&Ty],
        depth: usize,
    ) -> Result<Option<Vec<String>>, TooComplex> {
        let without =
            |row: &[Option<&'_ Pattern>]| row[column.at].is_none_or(|p| !refutable(Some(p)));
        let kept: Vec<Row> = rows
            .iter()
            .filter(|row| without(row))
            .map(|row| drop_column(row, column.at))
            .collect();
        let inner = [&tys[..column.at], &tys[column.at + 1..]].concat();
        let Some(mut witness) = self.find(&kept, &drop_column(goal, column.at), &inner, depth)?
        else {
            return Ok(None);
        };
        witness.insert(column.at, self.unmentioned(column, rows));
        Ok(Some(witness))
    }

    /// A constructor that no row mentions, as text.
    fn unmentioned(&self, column: &Column, rows: &[Row]) -> String {
        let mentioned: Vec<Head> = rows
            .iter()
            .filter_map(|row| row[column.at].and_then(head_of))
            .collect();
        let all = self.all_heads(column.ty).unwrap_or_default();
        match all.iter().find(|head| !mentioned.contains(head)) {
            Some(head) => {
                let parts = self.part_types(head, column.ty).len();
                self.write(head, &vec!["_".to_owned(); parts])
            }
            None => "_".to_owned(),
        }
    }

    fn part_types(&self, head: &Head, ty: &Ty) -> Vec<Ty> {
        match (head, ty) {
            (Head::Some, Ty::Option(inner)) => vec![(**inner).clone()],
            (Head::Tuple, Ty::Tuple(tys)) => tys.clone(),
            (Head::Struct(id), _) => self
                .shapes
                .fields(*id)
                .1
                .iter()
                .map(|(_, ty)| ty.clone())
                .collect(),
            (Head::Variant(id, at), _) => self.shapes.variants(*id)[*at].1.to_vec(),
            (Head::Pid(id), _) => {
                let families = self.shapes.families();
                families
                    .into_iter()
                    .find(|row| row.0 == *id)
                    .map(|row| row.2)
                    .unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn write(&self, head: &Head, parts: &[String]) -> String {
        let list = parts.join(", ");
        match head {
            Head::Bool(value) => value.to_string(),
            Head::Int(value) => value.to_string(),
            Head::None => "none".to_owned(),
            Head::Some => format!("some({list})"),
            Head::Tuple => format!("({list})"),
            Head::Struct(id) => self.write_struct(*id, parts),
            Head::Variant(id, at) => {
                let name = self.shapes.variants(*id)[*at].0;
                if parts.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}({list})")
                }
            }
            Head::Pid(id) => {
                let families = self.shapes.families();
                let name = families
                    .iter()
                    .find(|row| row.0 == *id)
                    .map_or("_", |row| row.1);
                if parts.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}[{list}]")
                }
            }
        }
    }

    fn write_struct(&self, id: StructId, parts: &[String]) -> String {
        let (name, fields) = self.shapes.fields(id);
        let written: Vec<String> = fields
            .iter()
            .zip(parts)
            .map(|((field, _), part)| format!("{field}: {part}"))
            .collect();
        format!("{name} {{ {} }}", written.join(", "))
    }
}

struct Column<'t> {
    at: usize,
    ty: &'t Ty,
}

fn refutable(pattern: Option<&Pattern>) -> bool {
    pattern.is_some_and(|pattern| head_of(pattern).is_some())
}

fn head_of(pattern: &Pattern) -> Option<Head> {
    Some(match &pattern.kind {
        PatternKind::Wild | PatternKind::Bind(_) => return None,
        PatternKind::Bool(value) => Head::Bool(*value),
        PatternKind::Int(value) => Head::Int(*value),
        PatternKind::None => Head::None,
        PatternKind::Some(_) => Head::Some,
        PatternKind::Tuple(_) => Head::Tuple,
        PatternKind::Struct(id, _) => Head::Struct(*id),
        PatternKind::Variant(id, at, _) => Head::Variant(*id, *at),
        PatternKind::Pid(id, _) => Head::Pid(*id),
    })
}

fn parts_of(pattern: &Pattern) -> Vec<&Pattern> {
    match &pattern.kind {
        PatternKind::Some(inner) => vec![inner],
        PatternKind::Tuple(parts)
        | PatternKind::Struct(_, parts)
        | PatternKind::Variant(_, _, parts)
        | PatternKind::Pid(_, parts) => parts.iter().collect(),
        _ => Vec::new(),
    }
}

/// The row for values whose column `at` is built with `head`; `None` when it matches none of them.
fn specialise<'p>(
    row: &[Option<&'p Pattern>],
    at: usize,
    head: &Head,
    parts: usize,
) -> Option<Row<'p>> {
    let mut inner: Row = match row[at].filter(|&pattern| refutable(Some(pattern))) {
        None => vec![None; parts],
        Some(pattern) if head_of(pattern).as_ref() == Some(head) => {
            parts_of(pattern).into_iter().map(Some).collect()
        }
        Some(_) => return None,
    };
    inner.resize(parts, None);
    inner.extend(drop_column(row, at));
    Some(inner)
}

fn drop_column<'p>(row: &[Option<&'p Pattern>], at: usize) -> Row<'p> {
    [&row[..at], &row[at + 1..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plainsong_diagnostics::Span;

    struct Votes;

    impl Shapes for Votes {
        fn variants(&self, _: EnumId) -> Vec<(&str, &[Ty])> {
            vec![("Yes", &[]), ("No", &[]), ("Later", &[Ty::Int, Ty::Bool])]
        }
        fn fields(&self, _: StructId) -> (&str, &[(String, Ty)]) {
            ("Empty", &[])
        }
        fn families(&self) -> Vec<(FamilyId, &str, Vec<Ty>)> {
            vec![
                (FamilyId(0), "server", vec![]),
                (FamilyId(1), "client", vec![Ty::Bool]),
            ]
        }
    }

    fn pattern(kind: PatternKind) -> Pattern {
        Pattern {
            kind,
            span: Span::default(),
        }
    }

    fn missing(ty: &Ty, kinds: Vec<PatternKind>) -> Option<String> {
        let patterns: Vec<Pattern> = kinds.into_iter().map(pattern).collect();
        let patterns: Vec<&Pattern> = patterns.iter().collect();
        uncovered(&Votes, ty, &patterns, None, &mut { MAX_STEPS }).unwrap()
    }

    fn pair(a: PatternKind, b: PatternKind) -> PatternKind {
        PatternKind::Tuple(vec![pattern(a), pattern(b)])
    }

    #[test]
    fn missing_variants_are_named() {
        let vote = Ty::Enum(EnumId(0));
        let yes = || PatternKind::Variant(EnumId(0), 0, vec![]);
        let no = || PatternKind::Variant(EnumId(0), 1, vec![]);
        assert_eq!(missing(&vote, vec![yes()]).as_deref(), Some("No"));
        assert_eq!(
            missing(&vote, vec![yes(), no()]).as_deref(),
            Some("Later(_, _)")
        );
        assert_eq!(missing(&vote, vec![yes(), PatternKind::Wild]), None);
    }

    #[test]
    fn pairs_are_looked_at_together() {
        let ty = Ty::Tuple(vec![Ty::Bool, Ty::Bool]);
        let rows = vec![
            pair(PatternKind::Bool(true), PatternKind::Wild),
            pair(PatternKind::Wild, PatternKind::Bool(true)),
        ];
        assert_eq!(missing(&ty, rows).as_deref(), Some("(false, false)"));
    }

    #[test]
    fn integers_need_a_rest_and_processes_do_not() {
        assert_eq!(
            missing(&Ty::Int, vec![PatternKind::Int(0)]).as_deref(),
            Some("_")
        );
        let server = PatternKind::Pid(FamilyId(0), vec![]);
        let client = PatternKind::Pid(FamilyId(1), vec![pattern(PatternKind::Bool(true))]);
        assert_eq!(
            missing(&Ty::Process, vec![server, client]).as_deref(),
            Some("client[false]")
        );
    }

    #[test]
    fn an_arm_below_one_that_covers_it_is_not_reachable() {
        let some = pattern(PatternKind::Some(Box::new(pattern(PatternKind::Wild))));
        let one = pattern(PatternKind::Some(Box::new(pattern(PatternKind::Int(1)))));
        let ty = Ty::Option(Box::new(Ty::Int));
        let steps = &mut { MAX_STEPS };
        assert_eq!(
            uncovered(&Votes, &ty, &[&some], Some(&one), steps),
            Ok(None)
        );
        assert!(
            uncovered(&Votes, &ty, &[&one], Some(&some), steps)
                .unwrap()
                .is_some()
        );
    }
}
