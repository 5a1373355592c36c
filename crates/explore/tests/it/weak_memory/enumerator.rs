//! All RC11-consistent executions of a small program, by brute force: an oracle that shares nothing with the engine.
//!
//! Graphs grow by one event at a time, in every order of threads; a load reads any store that is there, a store comes
//! at any place in the order of its location, and the axioms are checked as they are written in [Lahav17], on matrices.
//! Equal graphs are merged.

use super::program::{Do, Execution, INITIAL, Id, Progress, Script, locations};
use plainsong_explore::MemoryOrder::{self, AcqRel, Acquire, Plain, Release, SeqCst};
use std::collections::{BTreeMap, BTreeSet};

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Label {
    Load(u32),
    Store(u32, u64),
    Fence,
    Send(usize, u64),
    Recv,
}

#[derive(Clone, Debug)]
struct Event {
    id: Id,
    label: Label,
    order: MemoryOrder,
    /// Half of an update.
    is_update: bool,
    /// It takes a lock: nobody sees the value.
    is_lock: bool,
}

#[derive(Clone, Default)]
struct Candidate {
    events: Vec<Event>,
    reads: BTreeMap<Id, Id>,
    stores: Vec<Vec<Id>>,
}

/// All executions, and whether one of them has a data race.
pub(crate) fn enumerate(script: &Script) -> (BTreeSet<Execution>, bool) {
    let mut first = Candidate::default();
    for location in 0..locations(script) as usize {
        let id = (INITIAL, location);
        first.events.push(Event {
            id,
            label: Label::Store(location as u32, 0),
            order: Plain,
            is_update: false,
            is_lock: false,
        });
        first.stores.push(vec![id]);
    }
    let (mut seen, mut open) = (BTreeSet::new(), vec![first]);
    let (mut found, mut races) = (BTreeSet::new(), false);
    while let Some(candidate) = open.pop() {
        let execution = candidate.execution();
        let ids: BTreeSet<Id> = candidate.events.iter().map(|event| event.id).collect();
        if !seen.insert((execution.clone(), ids)) {
            continue;
        }
        let mut is_over = true;
        for thread in 0..script.len() {
            let Some(next) = candidate.extensions(script, thread) else {
                continue;
            };
            is_over = false;
            open.extend(
                next.into_iter()
                    .filter(|next| Relations::of(next).are_consistent()),
            );
        }
        if is_over {
            races |= Relations::of(&candidate).have_race();
            found.insert(execution);
        }
    }
    (found, races)
}

impl Candidate {
    fn event(&self, id: Id) -> &Event {
        let event = self.events.iter().find(|event| event.id == id);
        event.expect("an event of the graph")
    }

    fn value(&self, id: Id) -> u64 {
        match self.event(id).label {
            Label::Store(_, value) | Label::Send(_, value) => value,
            _ => self.value(self.reads[&id]),
        }
    }

    fn execution(&self) -> Execution {
        let seen = self.reads.keys().filter(|&&id| !self.event(id).is_lock);
        let values = seen.map(|&id| (id, self.value(id)));
        Execution {
            values: values.collect(),
            reads: self.reads.clone(),
            stores: self.stores.clone(),
        }
    }

    fn progress(&self, script: &Script, thread: usize) -> (Progress, usize) {
        let mut now = Progress::default();
        now.settle(&script[thread]);
        let mut index = 0;
        while self.events.iter().any(|event| event.id == (thread, index)) {
            let value = self.reads.contains_key(&(thread, index));
            let value = value.then(|| self.value((thread, index)));
            now.step(&script[thread], value);
            index += 1;
        }
        (now, index)
    }

    /// The graphs with one more event of a thread, consistent or not; none if it has ended or waits.
    fn extensions(&self, script: &Script, thread: usize) -> Option<Vec<Candidate>> {
        let (now, index) = self.progress(script, thread);
        if now.has_ended {
            return None;
        }
        let id = (thread, index);
        let event = |label, order, is_update| Event {
            id,
            label,
            order,
            is_update,
            is_lock: false,
        };
        Some(match script[thread][now.at] {
            Do::Load(x, order) => self.with_load(x, |_| event(Label::Load(x), order, false)),
            Do::Store(x, value, order) => {
                self.with_store(x, event(Label::Store(x, value), order, false))
            }
            Do::StoreNext(x, order) => {
                self.with_store(x, event(Label::Store(x, now.last + 1), order, false))
            }
            Do::Add(x, _, order) | Do::Exchange(x, _, _, order, _) if now.second_half.is_some() => {
                let value = now.second_half.unwrap_or_default();
                self.with_store(x, event(Label::Store(x, value), order, true))
            }
            Do::Add(x, _, order) => self.with_load(x, |_| event(Label::Load(x), order, true)),
            Do::Exchange(x, old, _, order, failure) => self.with_load(x, |value| {
                let succeeds = value == old;
                let order = if succeeds { order } else { failure };
                event(Label::Load(x), order, succeeds)
            }),
            Do::Fence(order) => vec![self.with(event(Label::Fence, order, false))],
            Do::Send(to, value) => {
                vec![self.with(event(Label::Send(to, value), Plain, false))]
            }
            Do::Recv => {
                let open = self.receivable(thread);
                if open.is_empty() {
                    return None;
                }
                let received = |send| {
                    let mut next = self.with(event(Label::Recv, Plain, false));
                    next.reads.insert(id, send);
                    next
                };
                open.into_iter().map(received).collect()
            }
            Do::Lock(x) if now.second_half.is_some() => {
                self.with_store(x, event(Label::Store(x, 1), Acquire, true))
            }
            Do::Lock(x) => {
                let free = self.free(x)?;
                let mut next = self.with(Event {
                    is_lock: true,
                    ..event(Label::Load(x), Acquire, true)
                });
                next.reads.insert(id, free);
                vec![next]
            }
            Do::Unlock(x) => self.with_store(x, event(Label::Store(x, 0), Release, false)),
            Do::Only(_) => unreachable!("conditions are no events"),
        })
    }

    fn with(&self, event: Event) -> Candidate {
        let mut next = self.clone();
        next.events.push(event);
        next
    }

    fn with_load(&self, x: u32, event: impl Fn(u64) -> Event) -> Vec<Candidate> {
        let read = |&store: &Id| {
            let event = event(self.value(store));
            let id = event.id;
            let mut next = self.with(event);
            next.reads.insert(id, store);
            next
        };
        self.stores[x as usize].iter().map(read).collect()
    }

    fn with_store(&self, x: u32, event: Event) -> Vec<Candidate> {
        let place = |at: usize| {
            let mut next = self.with(event.clone());
            next.stores[x as usize].insert(at, event.id);
            next
        };
        (1..=self.stores[x as usize].len()).map(place).collect()
    }

    /// The store that says that a lock is free, and that nobody has replaced.
    fn free(&self, x: u32) -> Option<Id> {
        let last = *self.stores[x as usize].last()?;
        (self.value(last) == 0).then_some(last)
    }

    /// The first unread message of each sender to a thread.
    fn receivable(&self, to: usize) -> Vec<Id> {
        let is_unread = |event: &&Event| {
            matches!(event.label, Label::Send(receiver, _) if receiver == to)
                && !self.reads.values().any(|&read| read == event.id)
        };
        let unread: Vec<Id> = self
            .events
            .iter()
            .filter(is_unread)
            .map(|event| event.id)
            .collect();
        let is_first = |id: &&Id| !unread.iter().any(|other| other.0 == id.0 && other.1 < id.1);
        unread.iter().filter(is_first).copied().collect()
    }
}

type Matrix = Vec<Vec<bool>>;

fn matrix(size: usize, holds: impl Fn(usize, usize) -> bool) -> Matrix {
    let row = |a| (0..size).map(|b| holds(a, b)).collect();
    (0..size).map(row).collect()
}

fn then(one: &Matrix, other: &Matrix) -> Matrix {
    let size = one.len();
    let mut both = matrix(size, |_, _| false);
    for a in 0..size {
        for c in (0..size).filter(|&c| one[a][c]) {
            for b in (0..size).filter(|&b| other[c][b]) {
                both[a][b] = true;
            }
        }
    }
    both
}

fn union(all: &[&Matrix]) -> Matrix {
    matrix(all[0].len(), |a, b| all.iter().any(|one| one[a][b]))
}

fn closure(relation: &Matrix) -> Matrix {
    let mut closed = relation.clone();
    for c in 0..closed.len() {
        let through = closed[c].clone();
        for row in closed.iter_mut().filter(|row| row[c]) {
            for (known, more) in row.iter_mut().zip(&through) {
                *known |= more;
            }
        }
    }
    closed
}

fn is_irreflexive(relation: &Matrix) -> bool {
    (0..relation.len()).all(|at| !relation[at][at])
}

struct Relations<'g> {
    graph: &'g Candidate,
    po: Matrix,
    rf: Matrix,
    mo: Matrix,
    rb: Matrix,
    hb: Matrix,
}

impl<'g> Relations<'g> {
    fn of(graph: &'g Candidate) -> Self {
        let events = &graph.events;
        let size = events.len();
        let id = |at: usize| events[at].id;
        let po = matrix(size, |a, b| match (id(a), id(b)) {
            ((INITIAL, _), (INITIAL, _)) => false,
            ((INITIAL, _), _) => true,
            ((one, i), (other, j)) => one == other && i < j,
        });
        let reads = |a, b| graph.reads.get(&id(b)) == Some(&id(a));
        let is_message = |at: usize| matches!(events[at].label, Label::Send(..));
        let rf = matrix(size, |a, b| reads(a, b) && !is_message(a));
        let delivery = matrix(size, |a, b| reads(a, b) && is_message(a));
        let place = |of: Id| {
            graph.stores.iter().enumerate().find_map(|(x, stores)| {
                let at = stores.iter().position(|&store| store == of)?;
                Some((x, at))
            })
        };
        let is_before = |a: Option<(usize, usize)>, b: Option<(usize, usize)>| match (a, b) {
            (Some(a), Some(b)) => a.0 == b.0 && a.1 < b.1,
            _ => false,
        };
        let mo = matrix(size, |a, b| is_before(place(id(a)), place(id(b))));
        let read = |at: usize| graph.reads.get(&id(at)).and_then(|&from| place(from));
        let rb = matrix(size, |a, b| is_before(read(a), place(id(b))));
        let mut relations = Relations {
            graph,
            po,
            rf,
            mo,
            rb,
            hb: Matrix::new(),
        };
        let sw = relations.synchronizes_with();
        relations.hb = closure(&union(&[&relations.po, &sw, &delivery]));
        relations
    }

    fn events(&self) -> &[Event] {
        &self.graph.events
    }

    /// From a release store, or a release fence before an atomic store, to an acquire load, or an acquire fence after
    /// an atomic load, that reads from the release sequence of that store.
    fn synchronizes_with(&self) -> Matrix {
        let events = self.events();
        let size = events.len();
        let is_atomic = |at: usize, is_store: bool| {
            events[at].order != Plain
                && match events[at].label {
                    Label::Store(..) => is_store,
                    Label::Load(_) => !is_store,
                    _ => false,
                }
        };
        // From a store to those of the updates that read from it.
        let replaced_by = matrix(size, |a, b| {
            events[b].is_update
                && matches!(events[b].label, Label::Store(..))
                && (0..size).any(|load| {
                    self.rf[a][load]
                        && events[load].id.0 == events[b].id.0
                        && events[load].id.1 + 1 == events[b].id.1
                })
        });
        let mut sequence = closure(&replaced_by);
        for (at, row) in sequence.iter_mut().enumerate() {
            row[at] = true;
        }
        let from = matrix(size, |a, w| {
            is_atomic(w, true)
                && (a == w && matches!(events[w].order, Release | AcqRel | SeqCst)
                    || matches!(events[a].label, Label::Fence)
                        && matches!(events[a].order, Release | AcqRel | SeqCst)
                        && self.po[a][w])
        });
        let to = matrix(size, |r, b| {
            is_atomic(r, false)
                && (r == b && matches!(events[r].order, Acquire | AcqRel | SeqCst)
                    || matches!(events[b].label, Label::Fence)
                        && matches!(events[b].order, Acquire | AcqRel | SeqCst)
                        && self.po[r][b])
        });
        then(&then(&then(&from, &sequence), &self.rf), &to)
    }

    fn are_consistent(&self) -> bool {
        let eco = closure(&union(&[&self.rf, &self.mo, &self.rb]));
        is_irreflexive(&self.hb)
            && is_irreflexive(&eco)
            && is_irreflexive(&then(&self.hb, &eco))
            && self.is_atomic()
            && is_irreflexive(&closure(&self.psc(&eco)))
    }

    fn is_atomic(&self) -> bool {
        let between = then(&self.rb, &self.mo);
        let events = self.events();
        (0..events.len()).all(|load| {
            let store = events.iter().position(|event| {
                event.id.0 == events[load].id.0 && event.id.1 == events[load].id.1 + 1
            });
            !events[load].is_update
                || !matches!(events[load].label, Label::Load(_))
                || store.is_none_or(|store| !between[load][store])
        })
    }

    fn location(&self, at: usize) -> Option<u32> {
        match self.events()[at].label {
            Label::Load(x) | Label::Store(x, _) => Some(x),
            _ => None,
        }
    }

    fn psc(&self, eco: &Matrix) -> Matrix {
        let size = self.events().len();
        let is_same = |a, b| self.location(a).is_some() && self.location(a) == self.location(b);
        let elsewhere = matrix(size, |a, b| self.po[a][b] && !is_same(a, b));
        let here = matrix(size, |a, b| self.hb[a][b] && is_same(a, b));
        let around = then(&then(&elsewhere, &self.hb), &elsewhere);
        let scb = union(&[&self.po, &around, &here, &self.mo, &self.rb]);
        let is_sc = |at: usize| self.events()[at].order == SeqCst;
        let is_fence = |at: usize| is_sc(at) && matches!(self.events()[at].label, Label::Fence);
        let left = matrix(size, |a, b| {
            is_sc(a) && (a == b || is_fence(a) && self.hb[a][b])
        });
        let right = matrix(size, |a, b| {
            is_sc(b) && (a == b || is_fence(b) && self.hb[a][b])
        });
        let through = union(&[&self.hb, &then(&then(&self.hb, eco), &self.hb)]);
        let fences = matrix(size, |a, b| is_fence(a) && is_fence(b) && through[a][b]);
        union(&[&then(&then(&left, &scb), &right), &fences])
    }

    fn have_race(&self) -> bool {
        let events = self.events();
        let is_store = |at: usize| matches!(events[at].label, Label::Store(..));
        let races = |a: usize, b: usize| {
            events[a].id.0 != INITIAL
                && self.location(a).is_some()
                && self.location(a) == self.location(b)
                && (is_store(a) || is_store(b))
                && (events[a].order == Plain || events[b].order == Plain)
                && !self.hb[a][b]
                && !self.hb[b][a]
                && a != b
        };
        (0..events.len()).any(|a| (0..events.len()).any(|b| races(a, b)))
    }
}
