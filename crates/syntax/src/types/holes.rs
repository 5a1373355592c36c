//! Types that are not known yet, and their unification.
//!
//! `none`, `{}` and `[]` fit many types; which one is meant is found out from how the value is used.
//! Until then the unknown part is a *hole*. Checking builds typed expressions of the IR directly, so
//! a hole has to be a [`Ty`]: it is a sort whose id lies above those of all declared sorts. Holes
//! never leave this crate; [`finish`](crate::lower) replaces every one of them.
//!
//! One more id stands for *unknown because of an error that was already reported*: it fits
//! everything, so that one mistake is reported once.

use plainsong_diagnostics::Span;
use plainsong_ir::{SortId, Ty};

/// The type of something that is already known to be wrong; fits everything.
pub(crate) const UNKNOWN: Ty = Ty::Sort(SortId(u32::MAX));

const FIRST_HOLE: u32 = 1 << 31;

/// Types nested deeper than this, or with more parts than [`MAX_PARTS`], are rejected: a few lines
/// like `let b = (a, a);` would otherwise make a type that does not fit into memory.
const MAX_DEPTH: usize = 100;
const MAX_PARTS: usize = 5_000;

/// Is it the type of something already known to be wrong?
pub(crate) fn is_unknown(ty: &Ty) -> bool {
    *ty == UNKNOWN
}

/// Is it a hole, solved or not?
pub(crate) fn is_hole(ty: &Ty) -> bool {
    hole_index(ty).is_some()
}

fn hole_index(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Sort(SortId(id)) if *id >= FIRST_HOLE && *id != u32::MAX => {
            Some((*id - FIRST_HOLE) as usize)
        }
        _ => None,
    }
}

/// The holes of one piece of code.
#[derive(Debug, Default)]
pub(crate) struct Holes {
    rows: Vec<Hole>,
}

#[derive(Debug)]
struct Hole {
    solution: Option<Ty>,
    /// The expression whose type has the hole.
    origin: Span,
}

/// A type with a part that nothing in the code determines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsolved {
    /// The expression whose type has the hole.
    pub(crate) origin: Span,
}

/// Solving the holes gave a type beyond all reason.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Holes {
    /// Were there never any holes?
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A new hole in the type of the expression at `origin`.
    pub(crate) fn fresh(&mut self, origin: Span) -> Ty {
        let id = FIRST_HOLE + u32::try_from(self.rows.len()).expect("fewer holes than bytes");
        self.rows.push(Hole {
            solution: None,
            origin,
        });
        Ty::Sort(SortId(id))
    }

    /// `ty` with its outermost constructor made visible, as far as it is known.
    pub(crate) fn shallow<'t>(&'t self, ty: &'t Ty) -> &'t Ty {
        let mut ty = ty;
        while let Some(solution) = hole_index(ty).and_then(|at| self.rows[at].solution.as_ref()) {
            ty = solution;
        }
        ty
    }

    /// `ty` with every solved hole replaced.
    pub(crate) fn resolve(&self, ty: &Ty) -> Result<Ty, TooLarge> {
        if is_plain(ty) {
            return Ok(ty.clone());
        }
        self.rebuild(ty, MAX_DEPTH, &mut { MAX_PARTS })
    }

    /// Makes the two types the same by solving holes; false when that is impossible.
    ///
    /// Numbers are not converted here: conversions happen at the top of a type only.
    pub(crate) fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        self.unify_within(a, b, MAX_DEPTH)
    }

    /// Gives up on the holes that nothing has solved; returns them in the order they were made.
    pub(crate) fn give_up(&mut self) -> Vec<Unsolved> {
        let mut unsolved = Vec::new();
        for hole in self.rows.iter_mut().filter(|hole| hole.solution.is_none()) {
            hole.solution = Some(UNKNOWN);
            unsolved.push(Unsolved {
                origin: hole.origin,
            });
        }
        unsolved
    }

    /// Solves every hole in `ty` as unknown: nothing more is to be said about it.
    pub(crate) fn drown(&mut self, ty: &Ty) {
        let Ok(whole) = self.resolve(ty) else { return };
        self.drown_parts(&whole);
    }

    fn drown_parts(&mut self, whole: &Ty) {
        match whole {
            Ty::Tuple(tys) => tys.iter().for_each(|part| self.drown_parts(part)),
            Ty::Option(x) | Ty::Set(x) | Ty::Bag(x) | Ty::Seq(x) => self.drown_parts(x),
            Ty::Map(k, v) => {
                self.drown_parts(k);
                self.drown_parts(v);
            }
            leaf => {
                if let Some(at) = hole_index(leaf) {
                    self.rows[at].solution = Some(UNKNOWN);
                }
            }
        }
    }

    fn rebuild(&self, ty: &Ty, depth: usize, parts: &mut usize) -> Result<Ty, TooLarge> {
        if depth == 0 || *parts == 0 {
            return Err(TooLarge);
        }
        *parts -= 1;
        let mut inner = |part: &Ty| self.rebuild(part, depth - 1, parts);
        Ok(match self.shallow(ty) {
            Ty::Tuple(tys) => Ty::Tuple(tys.iter().map(inner).collect::<Result<_, _>>()?),
            Ty::Option(element) => Ty::Option(Box::new(inner(element)?)),
            Ty::Set(element) => Ty::Set(Box::new(inner(element)?)),
            Ty::Bag(element) => Ty::Bag(Box::new(inner(element)?)),
            Ty::Seq(element) => Ty::Seq(Box::new(inner(element)?)),
            Ty::Map(key, value) => Ty::Map(Box::new(inner(key)?), Box::new(inner(value)?)),
            leaf => leaf.clone(),
        })
    }

    fn unify_within(&mut self, a: &Ty, b: &Ty, depth: usize) -> bool {
        let a = self.shallow(a).clone();
        let b = self.shallow(b).clone();
        if a == b {
            return true;
        }
        if depth == 0 {
            return false;
        }
        if is_unknown(&a) || is_unknown(&b) {
            self.drown(if is_unknown(&a) { &b } else { &a });
            return true;
        }
        match (hole_index(&a), hole_index(&b)) {
            (Some(at), _) => self.solve(at, b),
            (_, Some(at)) => self.solve(at, a),
            _ => self.unify_parts(&a, &b, depth - 1),
        }
    }

    fn unify_parts(&mut self, a: &Ty, b: &Ty, depth: usize) -> bool {
        match (a, b) {
            (Ty::Tuple(xs), Ty::Tuple(ys)) => {
                xs.len() == ys.len()
                    && xs
                        .iter()
                        .zip(ys)
                        .all(|(x, y)| self.unify_within(x, y, depth))
            }
            (Ty::Option(x), Ty::Option(y))
            | (Ty::Set(x), Ty::Set(y))
            | (Ty::Bag(x), Ty::Bag(y))
            | (Ty::Seq(x), Ty::Seq(y)) => self.unify_within(x, y, depth),
            (Ty::Map(k, v), Ty::Map(l, w)) => {
                self.unify_within(k, l, depth) && self.unify_within(v, w, depth)
            }
            _ => false,
        }
    }

    /// Solves a hole, unless it would contain itself.
    fn solve(&mut self, at: usize, ty: Ty) -> bool {
        match self.resolve(&ty) {
            Ok(whole) if !mentions(&whole, at) => {
                self.rows[at].solution = Some(ty);
                true
            }
            _ => false,
        }
    }
}

/// A type that is no hole and has no parts.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Process | Ty::Enum(_) | Ty::Struct(_) => true,
        Ty::Sort(_) => !is_hole(ty),
        _ => false,
    }
}

/// Does the fully resolved `ty` contain the hole?
fn mentions(ty: &Ty, hole: usize) -> bool {
    match ty {
        Ty::Tuple(tys) => tys.iter().any(|part| mentions(part, hole)),
        Ty::Option(x) | Ty::Set(x) | Ty::Bag(x) | Ty::Seq(x) => mentions(x, hole),
        Ty::Map(k, v) => mentions(k, hole) || mentions(v, hole),
        leaf => hole_index(leaf) == Some(hole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(ty: Ty) -> Ty {
        Ty::Option(Box::new(ty))
    }

    #[test]
    fn a_hole_takes_the_type_it_is_used_at() {
        let mut holes = Holes::default();
        let hole = holes.fresh(Span::new(1, 2));
        assert!(holes.unify(&option(hole.clone()), &option(Ty::Bool)));
        assert_eq!(holes.resolve(&option(hole)), Ok(option(Ty::Bool)));
        assert_eq!(holes.give_up(), []);
    }

    #[test]
    fn a_hole_that_nothing_solves_becomes_unknown() {
        let mut holes = Holes::default();
        let hole = holes.fresh(Span::new(1, 2));
        assert_eq!(
            holes.give_up(),
            [Unsolved {
                origin: Span::new(1, 2)
            }]
        );
        assert_eq!(holes.resolve(&hole), Ok(UNKNOWN));
    }

    #[test]
    fn an_unknown_type_solves_holes_silently() {
        let mut holes = Holes::default();
        let hole = holes.fresh(Span::default());
        assert!(holes.unify(&UNKNOWN, &hole));
        assert!(holes.unify(&hole, &Ty::Bool));
        assert_eq!(holes.give_up(), []);
    }

    #[test]
    fn numbers_inside_collections_are_not_converted() {
        let mut holes = Holes::default();
        assert!(!holes.unify(&option(Ty::Nat), &option(Ty::Int)));
    }

    #[test]
    fn a_type_cannot_contain_itself() {
        let mut holes = Holes::default();
        let hole = holes.fresh(Span::default());
        assert!(!holes.unify(&hole, &option(hole.clone())));
    }

    #[test]
    fn a_type_beyond_all_reason_is_refused() {
        let mut holes = Holes::default();
        let mut inner = holes.fresh(Span::default());
        let first = inner.clone();
        let mut refused = false;
        for _ in 0..200 {
            let next = holes.fresh(Span::default());
            refused |= !holes.unify(&inner, &Ty::Tuple(vec![next.clone(), next.clone()]));
            inner = next;
        }
        assert!(!refused);
        assert_eq!(holes.resolve(&first), Err(TooLarge));
    }
}
