//! The SC axiom of RC11: `psc` is acyclic.
//!
//! Statement. With `rb` from a load to the stores that come behind what it reads in modification order `mo`,
//! `eco = (rf ∪ mo ∪ rb)⁺`, and `scb = po ∪ (po≠loc; hb; po≠loc) ∪ hb=loc ∪ mo ∪ rb`,
//!
//! ```text
//! psc = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])
//!     ∪ [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
//! ```
//!
//! over the accesses `Esc` and fences `Fsc` that are `SeqCst`. Source. [Lahav17] section 3.
//!
//! Asked when the access `e` was inserted last. Nothing comes after it in its thread, so `psc` has steps from it only to
//! stores that come behind what it reads or makes in modification order: if there are none, it is in no cycle.
//!
//! Only relations among accesses are built, and only among those that are `SeqCst` if none of them is a fence. A step `po≠loc` to an event that is no access, a send say, needs only the
//! clocks: of the events behind `a` in its thread the first that is about another location knows the least, and
//! happens before all that later ones happen before; in front of `b` the last.

use crate::event::EventId;
use crate::graph::Graph;
use crate::memory::{Access, MemoryOrder};
use crate::program::Program;

/// A relation among numbered things, as bits.
#[derive(Clone)]
struct Relation {
    words: usize,
    rows: Vec<u64>,
}

impl Relation {
    fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Relation {
            words,
            rows: vec![0; words * size],
        }
    }

    fn of(size: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let mut relation = Relation::new(size);
        for from in 0..size {
            for to in 0..size {
                if holds(from, to) {
                    relation.set(from, to);
                }
            }
        }
        relation
    }

    fn size(&self) -> usize {
        self.rows.len() / self.words.max(1)
    }

    fn set(&mut self, from: usize, to: usize) {
        self.rows[from * self.words + to / 64] |= 1 << (to % 64);
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    fn then(&self, next: &Relation) -> Self {
        let size = self.size();
        let mut both = Relation::new(size);
        for from in 0..size {
            for middle in 0..size {
                if self.has(from, middle) {
                    for word in 0..self.words {
                        both.rows[from * self.words + word] |=
                            next.rows[middle * self.words + word];
                    }
                }
            }
        }
        both
    }

    fn or(mut self, other: &Relation) -> Self {
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine |= theirs;
        }
        self
    }

    fn is_acyclic(&self) -> bool {
        let mut closed = self.clone();
        for middle in 0..self.size() {
            for from in 0..self.size() {
                if closed.has(from, middle) {
                    for word in 0..self.words {
                        let more = closed.rows[middle * self.words + word];
                        closed.rows[from * self.words + word] |= more;
                    }
                }
            }
        }
        (0..self.size()).all(|at| !closed.has(at, at))
    }
}

/// An access, as far as the axiom asks.
struct Point {
    id: EventId,
    is_sc: bool,
    is_fence: bool,
}

impl<P: Program> Graph<P> {
    /// Does the SC axiom hold, if it did before this access?
    pub(crate) fn is_sc_consistent(&self, access: EventId) -> bool {
        if !self.memory.some_sc || self.is_last(access) {
            return true;
        }
        let mut points = self.points();
        if !points.iter().any(|point| point.is_sc && point.is_fence) {
            points.retain(|point| point.is_sc);
        }
        if points.iter().filter(|point| point.is_sc).count() < 2 {
            return true;
        }
        self.psc(&points).is_acyclic()
    }

    fn points(&self) -> Vec<Point> {
        let point = |&id: &EventId| {
            let access = self.access(id)?;
            Some(Point {
                id,
                is_sc: self.order_of(id) == MemoryOrder::SeqCst,
                is_fence: matches!(access, Access::Fence { .. }),
            })
        };
        self.order.iter().filter_map(point).collect()
    }

    fn psc(&self, points: &[Point]) -> Relation {
        let size = points.len();
        let hb = Relation::of(size, |a, b| {
            a != b && self.is_synchronized(points[a].id, points[b].id)
        });
        let (rf, mo, rb) = self.communication(points);
        let mo_or_rb = mo.or(&rb);
        let eco = mo_or_rb.then(&rf).or(&rf).or(&mo_or_rb);
        let scb =
            Relation::of(size, |a, b| self.is_sc_before(&points[a], &points[b])).or(&mo_or_rb);
        let same = |a, b| a == b;
        let from_fence = Relation::of(size, |a, b| {
            points[a].is_sc && (same(a, b) || points[a].is_fence && hb.has(a, b))
        });
        let to_fence = Relation::of(size, |a, b| {
            points[b].is_sc && (same(a, b) || points[b].is_fence && hb.has(a, b))
        });
        let through = hb.then(&eco).then(&hb).or(&hb);
        let is_sc_fence = |at: usize| points[at].is_sc && points[at].is_fence;
        let fences = Relation::of(size, |a, b| {
            is_sc_fence(a) && is_sc_fence(b) && through.has(a, b)
        });
        from_fence.then(&scb).then(&to_fence).or(&fences)
    }

    /// Reads-from, modification order, and reads-before.
    fn communication(&self, points: &[Point]) -> (Relation, Relation, Relation) {
        let size = points.len();
        let place = |id: EventId| {
            let location = self.access(id).and_then(Access::location)?;
            Some((location, self.place_of(location, id)?))
        };
        let own: Vec<_> = points.iter().map(|point| place(point.id)).collect();
        let read: Vec<_> = points
            .iter()
            .map(|point| self.read_store(point.id).and_then(place))
            .collect();
        let is_before = |a: Option<(u32, usize)>, b: Option<(u32, usize)>| match (a, b) {
            (Some(a), Some(b)) => a.0 == b.0 && a.1 < b.1,
            _ => false,
        };
        (
            Relation::of(size, |a, b| own[a].is_some() && own[a] == read[b]),
            Relation::of(size, |a, b| is_before(own[a], own[b])),
            Relation::of(size, |a, b| is_before(read[a], own[b])),
        )
    }

    /// `po ∪ (po≠loc; hb; po≠loc) ∪ hb=loc`.
    fn is_sc_before(&self, a: &Point, b: &Point) -> bool {
        let (a, b) = (a.id, b.id);
        if a.thread == b.thread {
            return a.index < b.index;
        }
        let location = |id: EventId| self.access(id).and_then(Access::location);
        if location(a).is_some() && location(a) == location(b) && self.is_synchronized(a, b) {
            return true;
        }
        let live = self.live(a.thread) as u32;
        let behind = self.elsewhere(a, a.index + 1..live);
        let ahead = self.elsewhere(b, (0..b.index).rev());
        matches!((behind, ahead), (Some(c), Some(d)) if self.is_synchronized(c, d))
    }

    /// The first of these events of a thread that is not about the location of `id`.
    fn elsewhere(&self, id: EventId, indices: impl Iterator<Item = u32>) -> Option<EventId> {
        let location = |id: EventId| self.access(id).and_then(Access::location);
        let own = location(id);
        let events = indices.map(|index| EventId {
            thread: id.thread,
            index,
        });
        events
            .into_iter()
            .find(|&other| own.is_none() || location(other) != own)
    }
}
