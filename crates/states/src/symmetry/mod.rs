//! States that differ only in the names of a sort's members are kept once.
//!
//! Statement. Where a sort is symmetric ([`plainsong_ir::symmetry`]), exchanging two members throughout a
//! state is a symmetry of the system. Each state that is found is replaced by another of its orbit: exchanges
//! of two members are tried as long as one makes it smaller, field by field. What is reachable from the one is,
//! renamed, reachable from the other, so neither misses a violation.
//!
//! It does not matter for soundness which of the orbit is kept, so this needs no canonical form: where the
//! smallest is not found, an orbit is kept more than once. It is found where members do not refer to each other.
//! But it must be the same each time, for paths to be found again: fields are compared in the order in which
//! they were added, which does not change when states are packed anew.
//!
//! A counterexample is told in one naming: see `told`.
//!
//! States before `init` are left as they are: their fields that count asyncs mean nothing.

mod moves;
mod told;

pub(crate) use told::path;

use crate::Symmetry;
use crate::coding::{Coding, Misfit};
use moves::{Move, moves};
use plainsong_ir::symmetry::asymmetry;
use plainsong_ir::{Actions, Claim, Expr, Song, SortId, SortKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::rename::Renaming;
use plainsong_semantics::search::Check;
use rustc_hash::FxHashMap;

/// The symmetric sorts of a system, given what is asked. Of sorts of numbers nobody expects it.
pub(crate) fn sorts(song: &Song, actions: &Actions, checks: &[Check]) -> Symmetry {
    let claim = |check: &Check| match check {
        Check::Property(at) => match &song.properties[*at].claim {
            Claim::Always(claim) | Claim::Finally(claim) | Claim::Step(claim) => Some(claim),
            Claim::Quiescent { .. } | Claim::Temporal(_) => None,
        },
        _ => None,
    };
    let mut claims: Vec<&Expr> = checks.iter().filter_map(claim).collect();
    for property in &song.constraints {
        if let Claim::Always(condition) = &property.claim {
            claims.push(condition);
        }
    }
    let mut symmetry = Symmetry::default();
    for (at, declared) in song.sorts.iter().enumerate() {
        let sort = SortId::from(at);
        if matches!(declared.kind, SortKind::Range(_)) {
            continue;
        }
        match asymmetry(song, actions, &claims, sort) {
            None => symmetry.alike.push(sort),
            Some(found) => symmetry.others.push((sort, found)),
        }
    }
    symmetry
}

/// The exchanges that keep a system as it is.
#[derive(Clone)]
pub(crate) struct Swaps {
    swaps: Vec<Swap>,
    /// For how many fields and asyncs the moves were worked out.
    known: (usize, usize),
    /// Room for a state.
    other: Vec<u64>,
}

/// The exchange of two members.
#[derive(Clone)]
struct Swap {
    members: (u32, u32),
    sort: SortId,
    renaming: Renaming,
    moves: Vec<Move>,
    /// Values without a shape, renamed.
    renamed: FxHashMap<(u64, Ty), u64>,
}

impl Swaps {
    /// All exchanges within these sorts.
    pub(crate) fn new(instance: &Instance, sorts: &[SortId]) -> Self {
        let mut swaps = Vec::new();
        for sort in sorts {
            let size = instance.size(*sort) as u32;
            for a in 0..size {
                for b in a + 1..size {
                    swaps.push(Swap {
                        members: (a, b),
                        sort: *sort,
                        renaming: Renaming::swap(*sort, size, a, b),
                        moves: Vec::new(),
                        renamed: FxHashMap::default(),
                    });
                }
            }
        }
        Swaps {
            swaps,
            known: (0, 0),
            other: Vec::new(),
        }
    }

    /// Works out where each field goes, if there are fields or asyncs that were not there before; new asyncs
    /// may come up by that.
    pub(crate) fn prepare(&mut self, coding: &mut Coding, song: &Song) -> Result<(), Misfit> {
        while self.known != extent(coding) {
            self.known = extent(coding);
            for swap in &mut self.swaps {
                swap.moves = moves(coding, song, swap.sort, &swap.renaming)?;
            }
        }
        Ok(())
    }

    /// Replaces a state by one of its orbit, and says which renaming leads there, if it is wanted.
    pub(crate) fn replace(
        &mut self,
        words: &mut [u64],
        coding: &mut Coding,
        song: &Song,
        mut renaming: Option<&mut Renaming>,
    ) -> Result<(), Misfit> {
        if !coding.has_begun(words) {
            return Ok(());
        }
        let Swaps { swaps, other, .. } = self;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for swap in swaps.iter_mut() {
                other.clear();
                other.extend_from_slice(words);
                if swap.makes_smaller(words, other, coding, song)? {
                    words.copy_from_slice(other);
                    changed = true;
                    if let Some(renaming) = renaming.as_deref_mut() {
                        *renaming = renaming.then(&swap.renaming);
                    }
                }
            }
        }
        Ok(())
    }
}

fn extent(coding: &Coding) -> (usize, usize) {
    (coding.layout.fields().len(), coding.asyncs.all().len())
}

impl Swap {
    /// Is the state smaller after the exchange? Then it is written to `after`, which is like `before` at first.
    fn makes_smaller(
        &mut self,
        before: &[u64],
        after: &mut [u64],
        coding: &mut Coding,
        song: &Song,
    ) -> Result<bool, Misfit> {
        let Coding {
            layout, interner, ..
        } = coding;
        let Swap {
            renaming, renamed, ..
        } = self;
        let fields = layout.fields();
        let mut is_smaller = false;
        for step in &self.moves {
            let old = fields[step.from].load(before);
            let new = step.change(old, before, fields, self.members, |ty| {
                *renamed.entry((old, ty.clone())).or_insert_with(|| {
                    let value = interner.value(old).expect("zero is left alone");
                    interner.number(&renaming.value(song, ty, &value))
                })
            });
            let there = fields[step.to].load(before);
            if !is_smaller && new > there {
                return Ok(false);
            }
            is_smaller |= new < there;
            if !fields[step.to].store(after, new) {
                return Err(Misfit::Narrow(step.to));
            }
        }
        Ok(is_smaller)
    }
}
