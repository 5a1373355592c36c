//! The search of [Alive12], within its bounds.
//!
//! The paper makes two programs of one. The first, *nt*, ends with nothing pending exactly when the original has a
//! period: its store is doubled, one for the stem and one, guessed, for the period; and each post is one of
//!
//! - in the stem: `pro(t)`, `t` in the period, and `repeated`: the task waits when the period begins;
//! - in the period: `anti(t)` instead of the task: it waits when the period ends, and pays for one that waited;
//! - nothing: the task is never served;
//! - `t`, as it is.
//!
//! `pro(t)` and `anti(t)` must take turns and agree in `t`. It ends well if something was repeated, all turns are
//! taken, and the stem's store at the end, the period's at its beginning and at its end are the same.
//!
//! The second, *db*, runs this in `K` rounds: a post chooses its round, not before that of whoever posts; rounds
//! are run one after the other, each one depth first in the order of posting. At most `N` tasks of the original
//! lie on a chain in which each was posted by the one before it.
//!
//! Here the states of *nt* under the schedule of *db* are searched one by one. What is found is made a stem and a
//! period of the original and executed again like any other. That nothing is found says nothing beyond `K` and
//! `N`; where `N` cut nothing off, nothing beyond `K`.
//!
//! With fairness nothing that waits when the period begins may be dropped, and what is dropped in it must be served
//! in it.
//!
//! Source. [Alive12], sections 4 and 5; [Delay11] for the rounds.
//! DIFFERS. The guess of the period's store runs through controls near the start, not all values; `N`
//! counts tasks of all kinds together.
//! NOT COVERED. Orders on infinite data (the paper's Paxos rows); bodies and time-outs; the translations as
//! programs of their own, and a solver in place of the search.

use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::net::{Control, Edge, Kind, Move, Net, State};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// How far is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// So many rounds, at least one.
    pub(crate) rounds: u32,
    /// So many tasks in a chain.
    pub(crate) recursion: u32,
    /// Are only fair periods meant?
    pub(crate) fair: bool,
}

/// What came of it.
pub(crate) enum Alive {
    /// A period.
    Found(Lasso),
    /// None within the bounds; was something cut off by the length of chains?
    Nothing {
        /// Was it?
        cut: bool,
    },
    /// Something happens that is no task.
    Other,
}

/// The most controls that are guessed, and steps to come to them.
const GUESSES: usize = 400;
const NEARBY: usize = 4_000;

/// Searches within the bounds.
pub(crate) fn alive(
    net: &mut Net<'_>,
    bounds: Bounds,
    budget: &mut Budget<'_>,
) -> Result<Alive, Spent> {
    let mut cut = false;
    for start in net.starts() {
        let Some(guesses) = guesses(net, &start) else {
            return Ok(Alive::Other);
        };
        for guess in guesses {
            let mut search = Search {
                bounds,
                guess,
                nodes: Vec::new(),
                seen: FxHashSet::default(),
                cut: false,
            };
            if let Some(lasso) = search.run(net, &start, budget)? {
                return Ok(Alive::Found(lasso));
            }
            cut |= search.cut;
        }
    }
    Ok(Alive::Nothing { cut })
}

/// Controls near a start; none when something happens that is no task.
fn guesses(net: &mut Net<'_>, start: &State) -> Option<Vec<Control>> {
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut open = vec![start.clone()];
    let mut found: Vec<Control> = Vec::new();
    let mut at = 0;
    while at < open.len() && at < NEARBY && found.len() < GUESSES {
        let state = open[at].clone();
        at += 1;
        for (kind, moves) in net.all_moves(&state) {
            let is_main = state == *start && state.bag.total() == 0;
            if kind.is_none() && !moves.edges.is_empty() && !is_main {
                return None;
            }
            for edge in &moves.edges {
                let after = net.after(&state, kind, edge);
                if !found.contains(&after.control) {
                    found.push(after.control);
                }
                if seen.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
    }
    Some(found)
}

/// What may be pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    /// A task, in the period or in the stem.
    Run(Kind, bool),
    Pro(Kind),
    Anti(Kind),
}

/// Something pending, with its round and how many tasks led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    what: What,
    round: u32,
    depth: u32,
}

/// A state of the translated program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Point {
    stem: Control,
    period: Control,
    repeated: bool,
    /// The `pro` whose `anti` is due.
    last: Option<Kind>,
    /// In the order of posting, depth first.
    pending: Vec<Entry>,
    dropped: BTreeSet<Kind>,
    served: BTreeSet<Kind>,
}

struct Node {
    point: Point,
    /// Where it came from, by which move of the original, and whether that is of the period.
    before: Option<(usize, Option<(Move, bool)>)>,
}

struct Search {
    bounds: Bounds,
    guess: Control,
    nodes: Vec<Node>,
    seen: FxHashSet<Point>,
    cut: bool,
}

impl Search {
    fn run(
        &mut self,
        net: &mut Net<'_>,
        start: &State,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Lasso>, Spent> {
        let first = Point {
            stem: start.control,
            period: self.guess,
            repeated: false,
            last: None,
            pending: Vec::new(),
            dropped: BTreeSet::new(),
            served: BTreeSet::new(),
        };
        let mut open = Vec::new();
        self.add(first, None, &mut open);
        self.main(net, start, &mut open);
        while let Some(at) = open.pop() {
            budget.spend(self.nodes.len())?;
            if self.is_done(&self.nodes[at].point) {
                return Ok(self.lasso(net, start, at));
            }
            self.next(net, at, &mut open);
        }
        Ok(None)
    }

    /// `init`, which posts first.
    fn main(&mut self, net: &mut Net<'_>, start: &State, open: &mut Vec<usize>) {
        open.clear();
        let point = self.nodes[0].point.clone();
        if start.bag.total() > 0 {
            let posts: Vec<Kind> = start.bag.kinds().collect();
            self.posts(&point, 0, &posts, (false, 0, 0), (0, None), open);
            return;
        }
        for (number, edge) in net.moves(start.control, None).edges.iter().enumerate() {
            let mut after = point.clone();
            after.stem = edge.to;
            let one = Move {
                kind: None,
                edge: number,
            };
            let before = (0, Some((one, false)));
            self.posts(&after, 0, &edge.order, (false, 0, 0), before, open);
        }
    }

    fn is_done(&self, point: &Point) -> bool {
        let pays = point.last.is_none() && point.pending.is_empty();
        let meets = point.stem == self.guess && point.period == self.guess;
        point.repeated && pays && meets && point.dropped.is_subset(&point.served)
    }

    /// The next task of the earliest round.
    fn next(&mut self, net: &mut Net<'_>, at: usize, open: &mut Vec<usize>) {
        let mut point = self.nodes[at].point.clone();
        let earliest = point.pending.iter().map(|entry| entry.round).min();
        let place = point
            .pending
            .iter()
            .position(|entry| Some(entry.round) == earliest);
        let Some(place) = place else { return };
        let entry = point.pending.remove(place);
        match entry.what {
            What::Pro(kind) if point.last.is_none() => {
                point.last = Some(kind);
                self.add(point, Some((at, None)), open);
            }
            What::Anti(kind) if point.last == Some(kind) => {
                point.last = None;
                self.add(point, Some((at, None)), open);
            }
            What::Pro(_) | What::Anti(_) => {}
            What::Run(kind, period) => {
                let control = if period { point.period } else { point.stem };
                let moves = net.moves(control, Some(kind));
                for (number, edge) in moves.edges.iter().enumerate() {
                    let after = self.served(&point, kind, period, edge);
                    let one = Move {
                        kind: Some(kind),
                        edge: number,
                    };
                    let by = (period, entry.round, entry.depth);
                    let before = (at, Some((one, period)));
                    self.posts(&after, place, &edge.order, by, before, open);
                }
            }
        }
    }

    fn served(&self, point: &Point, kind: Kind, period: bool, edge: &Edge) -> Point {
        let mut after = point.clone();
        if period {
            after.period = edge.to;
        } else {
            after.stem = edge.to;
        }
        if period && self.bounds.fair {
            after.served.insert(kind);
        }
        after
    }

    /// Every way to post these, one after the other, at a place of the order.
    fn posts(
        &mut self,
        point: &Point,
        place: usize,
        posts: &[Kind],
        by: (bool, u32, u32),
        before: (usize, Option<(Move, bool)>),
        open: &mut Vec<usize>,
    ) {
        let Some((kind, rest)) = posts.split_first() else {
            self.add(point.clone(), Some(before), open);
            return;
        };
        for way in self.ways(*kind, by) {
            let mut after = point.clone();
            let is_repeated = way.iter().any(|entry| matches!(entry.what, What::Pro(_)));
            after.repeated |= is_repeated;
            if way.is_empty() && self.bounds.fair {
                after.dropped.insert(*kind);
            }
            let count = way.len();
            after.pending.splice(place..place, way);
            self.posts(&after, place + count, rest, by, before, open);
        }
    }

    /// The ways to post one task.
    fn ways(&mut self, kind: Kind, (period, round, depth): (bool, u32, u32)) -> Vec<Vec<Entry>> {
        let entry = |what: What, round: u32| Entry {
            what,
            round,
            depth: depth + 1,
        };
        let rounds = round..self.bounds.rounds;
        let may_run = depth < self.bounds.recursion;
        self.cut |= !may_run;
        let mut ways = Vec::new();
        if period || !self.bounds.fair {
            ways.push(Vec::new());
        }
        for one in rounds.clone() {
            if may_run {
                ways.push(vec![entry(What::Run(kind, period), one)]);
            }
            if period {
                ways.push(vec![entry(What::Anti(kind), one)]);
                continue;
            }
            for other in rounds.clone().filter(|_| may_run) {
                let pro = entry(What::Pro(kind), one);
                ways.push(vec![pro, entry(What::Run(kind, true), other)]);
            }
        }
        ways
    }

    fn add(
        &mut self,
        point: Point,
        before: Option<(usize, Option<(Move, bool)>)>,
        open: &mut Vec<usize>,
    ) {
        if self.seen.insert(point.clone()) {
            open.push(self.nodes.len());
            self.nodes.push(Node { point, before });
        }
    }

    /// The stem and the period of the original.
    fn lasso(&self, net: &mut Net<'_>, start: &State, end: usize) -> Option<Lasso> {
        let mut taken = Vec::new();
        let mut at = end;
        while let Some((before, one)) = self.nodes[at].before {
            taken.extend(one);
            at = before;
        }
        taken.reverse();
        let (period, stem): (Vec<_>, Vec<_>) = taken.into_iter().partition(|(_, period)| *period);
        let mut states = vec![start.clone()];
        let mut moves = Vec::new();
        let length = period.len();
        for (one, _) in stem.into_iter().chain(period) {
            let state = states[moves.len()].clone();
            let known = net.moves(state.control, one.kind);
            states.push(net.after(&state, one.kind, &known.edges[one.edge]));
            moves.push(one);
        }
        (length > 0).then_some(Lasso {
            states,
            moves,
            period: length,
        })
    }
}
