//! The search of [Alive12], within its bounds.
//!
//! The paper makes two programs of one. The first, *nt*, ends with nothing pending exactly when the original has a
//! cycle: its store is doubled, one for the stem and one, guessed, for the cycle; and each post is one of
//!
//! - in the stem: `pro(t)`, `t` in the period, and `repeated`: the task waits when the period begins;
//! - in the cycle: `anti(t)` instead of the task: it waits when the cycle ends, and pays for one that waited;
//! - nothing: the task is never served;
//! - `t`, as it is.
//!
//! `pro(t)` and `anti(t)` must take turns and agree in `t`. It ends well if something was repeated, all turns are
//! taken, and the stem's store at the end, the cycle's at its beginning and at its end are the same.
//!
//! The second, *db*, runs this in `K` rounds: a post chooses its round, not before that of whoever posts; rounds
//! are run one after the other, each one depth first in the order of posting. At most `N` tasks of one kind of message
//! or action lie on a chain in which each was posted by the one before it.
//!
//! Here the states of *nt* under the schedule of *db* are searched one by one. What is found is made a stem and a
//! cycle of the original and executed again like any other. That nothing is found says nothing beyond `K` and
//! `N`; where `N` cut nothing off, nothing beyond `K`.
//!
//! With fairness nothing that waits when the cycle begins may be dropped, and what is dropped in it must be served
//! in it.
//!
//! Where the song has points ([`Shift`]), the period may end with all of them greater by some `delta`, which is guessed
//! too: its store at the end is that at its beginning, shifted, and an `anti` pays for a `pro` that is its own, shifted
//! back. A fair cycle with a `delta` drops nothing at all: a kind that is shifted never comes again.
//!
//! Source. [Alive12], sections 4 and 5; [Delay11] for the rounds.
//! DIFFERS. The guess of the cycle's store runs through controls near the start, not all values, that of `delta`
//! through the numbers up to [`FARTHEST`]. The order on data is inferred; in the paper it is given by hand, and payloads
//! are not shifted.
//! The same as two programs that can be printed, and solved by somebody else: [`translate`](crate::translate).
//! NOT COVERED. Bodies and time-outs.

use crate::budget::{Budget, Spent};
use crate::lasso::Lasso;
use crate::task_net::{Control, Edge, Kind, Move, Net, State};
use plainsong_semantics::machine::Config;
use plainsong_semantics::shift_invariance::Shift;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How far is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// So many rounds, at least one.
    pub(crate) rounds: u32,
    /// So many tasks of one sort in a chain.
    pub(crate) recursion: u32,
    /// Are only fair cycles meant?
    pub(crate) fair: bool,
}

/// What came of it.
pub(crate) enum Alive {
    /// A cycle.
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
/// The greatest `delta` that is guessed.
const FARTHEST: i64 = 3;

/// So many points are searched for one guess before the others have their turn; in the end, all.
const PATIENCE: [usize; 4] = [500, 5_000, 50_000, usize::MAX];

/// Searches within the bounds, with little patience first, because most guesses are wrong, and with more of it for the
/// first starts than for later ones, because there may be many.
pub(crate) fn alive(
    net: &mut Net<'_>,
    bounds: Bounds,
    budget: &mut Budget<'_>,
) -> Result<Alive, Spent> {
    let shift = Shift::of(net.machine());
    let mut starts: Vec<Start> = net.starts().into_iter().map(Start::new).collect();
    let latest = starts.len().checked_ilog(4).unwrap_or(0) as usize + PATIENCE.len();
    for pass in 0..=latest {
        for (at, start) in starts.iter_mut().enumerate() {
            let later = (at + 1).ilog(4) as usize;
            let patience = pass.checked_sub(later).and_then(|pass| PATIENCE.get(pass));
            let Some(patience) = patience else { continue };
            match start.search(net, shift.as_ref(), bounds, *patience, budget)? {
                Started::Found(lasso) => return Ok(Alive::Found(lasso)),
                Started::Other => return Ok(Alive::Other),
                Started::NotYet => {}
            }
        }
    }
    let cut = starts.iter().any(|start| start.cut);
    Ok(Alive::Nothing { cut })
}

/// A state at the start, and what is still open about it.
struct Start {
    state: State,
    guesses: Option<Vec<Guess>>,
    cut: bool,
}

/// What came of a start.
enum Started {
    Found(Lasso),
    Other,
    NotYet,
}

impl Start {
    fn new(state: State) -> Self {
        Start {
            state,
            guesses: None,
            cut: false,
        }
    }

    /// One guess after the other.
    fn search(
        &mut self,
        net: &mut Net<'_>,
        shift: Option<&Shift>,
        bounds: Bounds,
        patience: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Started, Spent> {
        let open = match self.guesses.take() {
            Some(open) => open,
            None => match nearby(net, &self.state, budget)? {
                Some(controls) => Guess::all(&controls, shift.map_or(0, |_| FARTHEST)),
                None => return Ok(Started::Other),
            },
        };
        let mut left = Vec::new();
        for guess in open {
            let over = shift.filter(|_| guess.delta != 0);
            let goal = Goal::new(net, guess.control, over.map(|shift| (shift, guess.delta)));
            let mut search = AliveSearch::new(bounds, goal);
            match search.run(net, &self.state, patience, budget)? {
                Searched::Found(lasso) => return Ok(Started::Found(lasso)),
                Searched::Everything => self.cut |= search.cut,
                Searched::Partly => left.push(guess),
            }
        }
        self.guesses = Some(left);
        Ok(Started::NotYet)
    }
}

/// How far a search for one guess came.
enum Searched {
    Found(Lasso),
    Everything,
    Partly,
}

/// Where the cycle starts, and by how much its points move.
#[derive(Clone, Copy)]
struct Guess {
    control: Control,
    delta: i64,
}

impl Guess {
    fn all(controls: &[Control], farthest: i64) -> Vec<Guess> {
        let of = |delta| {
            let guess = move |control: &Control| Guess {
                control: *control,
                delta,
            };
            controls.iter().map(guess)
        };
        (0..=farthest).flat_map(of).collect()
    }
}

/// What was guessed of the cycle.
struct Goal<'s> {
    /// Its store at the beginning.
    guess: Control,
    /// Its store at the end, where that is another one.
    end: Option<Config>,
    /// How its points move, where they do.
    over: Option<(&'s Shift, i64)>,
}

impl<'s> Goal<'s> {
    fn new(net: &Net<'_>, guess: Control, over: Option<(&'s Shift, i64)>) -> Self {
        let end = over.map(|(shift, delta)| shift.config(net.rest(guess), delta));
        Goal { guess, end, over }
    }

    fn is_met(&self, net: &Net<'_>, stem: Control, period: Control) -> bool {
        let comes_back = match &self.end {
            Some(end) => net.rest(period) == end,
            None => period == self.guess,
        };
        stem == self.guess && comes_back
    }

    /// Does what waits at the end pay for what waited at the beginning?
    fn pays(&self, net: &Net<'_>, anti: Kind, pro: Kind) -> bool {
        match self.over {
            Some((shift, delta)) => shift.task(net.task(pro), delta) == *net.task(anti),
            None => anti == pro,
        }
    }
}

/// Controls near a start; none when something happens that is no task.
fn nearby(
    net: &mut Net<'_>,
    start: &State,
    budget: &mut Budget<'_>,
) -> Result<Option<Vec<Control>>, Spent> {
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut open = vec![start.clone()];
    let mut found: Vec<Control> = Vec::new();
    let mut at = 0;
    while at < open.len() && at < NEARBY && found.len() < GUESSES {
        budget.spend(open.len())?;
        let state = open[at].clone();
        at += 1;
        for (kind, moves) in net.all_moves(&state) {
            let is_main = state == *start && state.bag.total() == 0;
            if kind.is_none() && !moves.edges.is_empty() && !is_main {
                return Ok(None);
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
    Ok(Some(found))
}

/// What may be pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    /// A task, in the cycle or in the stem.
    Run(Kind, bool),
    Pro(Kind),
    Anti(Kind),
}

/// Something pending, with its round and the chain that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    what: What,
    round: u32,
    chain: Chain,
}

/// How many tasks of each sort are on a chain, by number.
type Chain = u32;

/// Chains with numbers. The first is the one of `init`, with nothing on it.
#[derive(Default)]
struct Chains {
    known: Vec<Vec<u32>>,
    numbers: FxHashMap<Vec<u32>, Chain>,
}

impl Chains {
    /// The chain with one more task of a sort, and how many it has then.
    fn longer(&mut self, chain: Chain, sort: usize) -> (Chain, u32) {
        let mut counts = match self.known.get(chain as usize) {
            Some(counts) => counts.clone(),
            None => Vec::new(),
        };
        counts.resize(counts.len().max(sort + 1), 0);
        counts[sort] += 1;
        let count = counts[sort];
        (self.number(counts), count)
    }

    fn number(&mut self, counts: Vec<u32>) -> Chain {
        if self.known.is_empty() {
            self.known.push(Vec::new());
        }
        if let Some(known) = self.numbers.get(&counts) {
            return *known;
        }
        let number = self.known.len() as Chain;
        self.known.push(counts.clone());
        self.numbers.insert(counts, number);
        number
    }
}

/// Who posts: in the cycle?, in which round, after which chain.
type By = (bool, u32, Chain);

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
    /// Where it came from, by which move of the original, and whether that is of the cycle.
    before: Option<(usize, Option<(Move, bool)>)>,
}

struct AliveSearch<'s> {
    bounds: Bounds,
    goal: Goal<'s>,
    chains: Chains,
    nodes: Vec<Node>,
    seen: FxHashSet<Point>,
    cut: bool,
}

impl<'s> AliveSearch<'s> {
    fn new(bounds: Bounds, goal: Goal<'s>) -> Self {
        AliveSearch {
            bounds,
            goal,
            chains: Chains::default(),
            nodes: Vec::new(),
            seen: FxHashSet::default(),
            cut: false,
        }
    }

    fn run(
        &mut self,
        net: &mut Net<'_>,
        start: &State,
        patience: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Searched, Spent> {
        let first = Point {
            stem: start.control,
            period: self.goal.guess,
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
            if self.is_done(net, &self.nodes[at].point)
                && let Some(lasso) = self.lasso(net, start, at)
            {
                return Ok(Searched::Found(lasso));
            }
            if self.nodes.len() > patience {
                return Ok(Searched::Partly);
            }
            self.next(net, at, &mut open);
        }
        Ok(Searched::Everything)
    }

    /// `init`, which posts first.
    fn main(&mut self, net: &mut Net<'_>, start: &State, open: &mut Vec<usize>) {
        open.clear();
        let point = self.nodes[0].point.clone();
        if start.bag.total() > 0 {
            let posts: Vec<Kind> = start.bag.kinds().collect();
            self.posts(net, &point, 0, &posts, (false, 0, 0), (0, None), open);
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
            self.posts(net, &after, 0, &edge.order, (false, 0, 0), before, open);
        }
    }

    fn is_done(&self, net: &Net<'_>, point: &Point) -> bool {
        let pays = point.last.is_none() && point.pending.is_empty();
        let is_fair = point.dropped.is_subset(&point.served);
        point.repeated && pays && is_fair && self.goal.is_met(net, point.stem, point.period)
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
            What::Anti(kind) if point.last.is_some_and(|pro| self.goal.pays(net, kind, pro)) => {
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
                    let by = (period, entry.round, entry.chain);
                    let before = (at, Some((one, period)));
                    self.posts(net, &after, place, &edge.order, by, before, open);
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
    #[expect(
        clippy::too_many_arguments,
        reason = "a place in the order, and who posts"
    )]
    fn posts(
        &mut self,
        net: &Net<'_>,
        point: &Point,
        place: usize,
        posts: &[Kind],
        by: By,
        before: (usize, Option<(Move, bool)>),
        open: &mut Vec<usize>,
    ) {
        let Some((kind, rest)) = posts.split_first() else {
            self.add(point.clone(), Some(before), open);
            return;
        };
        for way in self.ways(net, *kind, by) {
            let mut after = point.clone();
            let is_repeated = way.iter().any(|entry| matches!(entry.what, What::Pro(_)));
            after.repeated |= is_repeated;
            if way.is_empty() && self.bounds.fair {
                after.dropped.insert(*kind);
            }
            let count = way.len();
            after.pending.splice(place..place, way);
            self.posts(net, &after, place + count, rest, by, before, open);
        }
    }

    /// The ways to post one task.
    fn ways(&mut self, net: &Net<'_>, kind: Kind, (period, round, chain): By) -> Vec<Vec<Entry>> {
        let (chain, count) = self.chains.longer(chain, net.task(kind).kind());
        let runs = |what: What, round: u32| Entry { what, round, chain };
        let waits = |what: What, round: u32| Entry {
            what,
            round,
            chain: 0,
        };
        let rounds = round..self.bounds.rounds;
        let may_run = count <= self.bounds.recursion;
        self.cut |= !may_run;
        let mut ways = Vec::new();
        if !self.bounds.fair || (period && self.goal.over.is_none()) {
            ways.push(Vec::new());
        }
        for one in rounds.clone() {
            if may_run {
                ways.push(vec![runs(What::Run(kind, period), one)]);
            }
            if period {
                ways.push(vec![waits(What::Anti(kind), one)]);
                continue;
            }
            for other in rounds.clone().filter(|_| may_run) {
                let pro = waits(What::Pro(kind), one);
                ways.push(vec![pro, runs(What::Run(kind, true), other)]);
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

    /// The stem and the cycle of the original.
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
