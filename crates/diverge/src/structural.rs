//! Linear ranking functions over the task net, by linear programming: termination by counting what is pending and where control is.
//!
//! The *control graph* has an edge for everything that any kind can do at any control, as far as controls
//! and kinds can come about at all, whether or not they ever come together. From the edges of this graph
//! those are struck out that no infinite (fair) execution takes for ever, until none is left:
//!
//! - **ranked**: potentials for controls and weights for kinds, none negative, such that no edge that is left
//!   increases the sum of potential and weights of everything pending. An edge that decreases it
//!   cannot be taken for ever, because the sum is a natural number.
//! - **unserved**, for fair executions: a kind that could be served at every control in question, but that
//!   no edge left serves. An edge that sends it and is taken for ever makes it wait for ever.
//! - **waits**, for executions that ignore nothing: a kind that is sure to be pending at every control in question and could be
//!   served there, but that no edge left serves: whoever stays there ignores it. It is sure to be pending
//!   where every way from a start leaves it pending, which an edge that takes it does not. Executions that are fair
//!   only to what is sent again may ignore it.
//!
//! Both may be said of some controls only, if no edge that is left leads into or out of them: what an
//! execution does for ever lies inside or outside.
//!
//! When nothing is left, every (fair) execution terminates, without *waits* whatever is pending at the start. The list of
//! what was struck out and why is the certificate; [`check`] goes through it with whole numbers
//! and knows nothing of how it was found. It is found by linear programming: multipliers that show that no
//! mixture of edges goes round without loss are such potentials and weights.
//!
//! Complete, when fairness is not asked for, for rest *whatever is pending at the start*; the question about
//! one start is harder and may be answered by the other parts.
//!
//! Source. Kosaraju and Sullivan (STOC 1988) for the cycles; duality makes rankings of them.

use crate::Fairness;
use crate::budget::{Budget, Spent};
use crate::simplex::{Fraction, Program, gcd, maximise};
use crate::task_net::{Control, Kind, Net, Service};
use plainsong_ir::components::components;
use std::collections::{BTreeMap, BTreeSet};

/// An edge of the control graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arc {
    from: Control,
    to: Control,
    takes: Option<Kind>,
    /// What it leaves, with how many of it.
    posts: Vec<(Kind, u32)>,
    serves: Service,
}

/// Everything that may happen at all.
pub(crate) struct ControlGraph {
    arcs: Vec<Arc>,
    controls: usize,
    /// Kinds that could be served at each control.
    could: Vec<BTreeSet<Kind>>,
    /// Where executions start, and the kinds that are pending there.
    starts: Vec<(Control, BTreeSet<Kind>)>,
}

/// Why some edges are not taken for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// They decrease this sum, and none increases it.
    Ranked {
        /// For controls; 0 for those not named.
        potentials: BTreeMap<Control, i64>,
        /// For kinds; 0 for those not named.
        weights: BTreeMap<Kind, i64>,
    },
    /// They send a kind that is not served any more.
    Unserved(Kind),
    /// This kind is pending all the time and not served.
    Waits(Kind),
}

/// Strikes out edges inside some controls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strike {
    /// The controls in question; all when empty.
    pub(crate) scope: BTreeSet<Control>,
    /// Why.
    pub(crate) reason: Reason,
}

/// The most edges of a control graph.
const ARCS: usize = 40_000;
/// The most entries of one linear program.
const ENTRIES: usize = 400_000;
/// The most entries that are computed for one certificate: a second or two. Large programs that are searched in vain,
/// of bodies and queues, would take minutes.
const WORK: u64 = 40_000_000;

impl ControlGraph {
    /// Everything that may happen; nothing when that is too much.
    pub(crate) fn of(net: &mut Net<'_>, budget: &mut Budget<'_>) -> Result<ControlGraph, Spent> {
        let mut graph = ControlGraph {
            arcs: Vec::new(),
            controls: 0,
            could: Vec::new(),
            starts: Vec::new(),
        };
        let (mut controls, mut kinds) = (Numbers::default(), Numbers::default());
        for start in net.starts() {
            controls.add(start.control);
            start.bag.kinds().for_each(|kind| kinds.add(kind));
            let pending = start.bag.kinds().collect();
            graph.starts.push((start.control, pending));
        }
        // How many controls have met how many kinds.
        let (mut met_controls, mut met_kinds) = (0, 0);
        while met_controls < controls.list.len() || met_kinds < kinds.list.len() {
            let (all, every) = (controls.list.clone(), kinds.list.clone());
            for (at, control) in all.iter().enumerate() {
                let first = if at < met_controls { met_kinds } else { 0 };
                let news = every[first..].iter().map(|kind| Some(*kind));
                let alone = (at >= met_controls).then_some(None);
                for kind in alone.into_iter().chain(news) {
                    budget.spend(graph.arcs.len())?;
                    graph.ask(net, *control, kind, &mut controls, &mut kinds);
                    budget.charge(net.copied());
                    if graph.arcs.len() > ARCS {
                        return Err(Spent);
                    }
                }
            }
            (met_controls, met_kinds) = (all.len(), every.len());
        }
        Ok(graph)
    }

    fn ask(
        &mut self,
        net: &mut Net<'_>,
        control: Control,
        kind: Option<Kind>,
        controls: &mut Numbers,
        kinds: &mut Numbers,
    ) {
        let moves = net.moves(control, kind);
        self.controls = self.controls.max(control as usize + 1);
        self.could.resize(self.controls, BTreeSet::new());
        if let Some(kind) = kind
            && moves.could.contains(&Service::Kind(kind))
        {
            self.could[control as usize].insert(kind);
        }
        for edge in &moves.edges {
            controls.add(edge.to);
            edge.posts.kinds().for_each(|kind| kinds.add(kind));
            self.controls = self.controls.max(edge.to as usize + 1);
            self.arcs.push(Arc {
                from: control,
                to: edge.to,
                takes: kind,
                posts: edge.posts.entries().to_vec(),
                serves: edge.serves,
            });
        }
        self.could.resize(self.controls, BTreeSet::new());
    }

    /// The controls at which a kind is sure to be pending.
    fn surely_pending(&self, kind: Kind) -> Vec<bool> {
        let mut sure = vec![true; self.controls];
        for (control, pending) in &self.starts {
            sure[*control as usize] &= pending.contains(&kind);
        }
        loop {
            let before = sure.iter().filter(|sure| **sure).count();
            for arc in &self.arcs {
                let stays = sure[arc.from as usize] && arc.takes != Some(kind);
                let sent = arc.posts.iter().any(|(sent, _)| *sent == kind);
                sure[arc.to as usize] &= stays || sent;
            }
            if sure.iter().filter(|sure| **sure).count() == before {
                return sure;
            }
        }
    }

    /// Could a kind be served at all these controls, and is it sure to be pending there?
    fn waits_at(&self, kind: Kind, mut controls: impl Iterator<Item = Control>) -> bool {
        let sure = self.surely_pending(kind);
        controls.all(|control| {
            let at = control as usize;
            sure[at] && self.could[at].contains(&kind)
        })
    }
}

/// Looks for a certificate that every execution that is meant terminates.
pub(crate) fn certificate(graph: &ControlGraph, fairness: Fairness) -> Option<Vec<Strike>> {
    let mut search = StrikeSearch {
        graph,
        fairness,
        strikes: Vec::new(),
        work: WORK,
    };
    let mut open = vec![(0..graph.arcs.len()).collect::<Vec<usize>>()];
    while let Some(arcs) = open.pop() {
        for inside in search.split(&arcs) {
            let left = search.strike(inside)?;
            if !left.is_empty() {
                open.push(left);
            }
        }
    }
    Some(search.strikes)
}

/// Is a list of strikes a certificate?
pub(crate) fn check(graph: &ControlGraph, fairness: Fairness, strikes: &[Strike]) -> bool {
    let mut left: Vec<&Arc> = graph.arcs.iter().collect();
    for Strike { scope, reason } in strikes {
        let inside = |control: Control| scope.is_empty() || scope.contains(&control);
        if left.iter().any(|arc| inside(arc.from) != inside(arc.to)) {
            return false;
        }
        let (within, without): (Vec<&Arc>, Vec<&Arc>) =
            left.into_iter().partition(|arc| inside(arc.from));
        let stays = match reason {
            Reason::Ranked {
                potentials,
                weights,
            } => {
                let mut values = potentials.values().chain(weights.values());
                if values.any(|value| *value < 0) {
                    return false;
                }
                let change = |arc: &Arc| change(arc, potentials, weights);
                if !within
                    .iter()
                    .all(|arc| change(arc).is_some_and(|by| by <= 0))
                {
                    return false;
                }
                within
                    .into_iter()
                    .filter(|arc| change(arc) == Some(0))
                    .collect::<Vec<_>>()
            }
            Reason::Unserved(kind) => {
                let serves = |arc: &&Arc| arc.serves == Service::Kind(*kind);
                let could = |control: usize| graph.could[control].contains(kind);
                let mut controls = (0..graph.controls).filter(|at| inside(*at as Control));
                let may_ignore = fairness == Fairness::Any;
                if may_ignore || within.iter().any(serves) || !controls.all(could) {
                    return false;
                }
                let sends = |arc: &Arc| arc.posts.iter().any(|(sent, _)| sent == kind);
                within.into_iter().filter(|arc| !sends(arc)).collect()
            }
            Reason::Waits(kind) => {
                let serves = |arc: &&Arc| arc.serves == Service::Kind(*kind);
                let controls = (0..graph.controls as Control).filter(|at| inside(*at));
                let may_ignore = fairness != Fairness::Fair;
                if may_ignore || within.iter().any(serves) || !graph.waits_at(*kind, controls) {
                    return false;
                }
                Vec::new()
            }
        };
        left = stays.into_iter().chain(without).collect();
    }
    left.is_empty()
}

/// By how much an edge changes a sum.
fn change(
    arc: &Arc,
    potentials: &BTreeMap<Control, i64>,
    weights: &BTreeMap<Kind, i64>,
) -> Option<i64> {
    let potential = |control: Control| potentials.get(&control).copied().unwrap_or(0);
    let weight = |kind: Kind| weights.get(&kind).copied().unwrap_or(0);
    let mut by = potential(arc.to).checked_sub(potential(arc.from))?;
    if let Some(kind) = arc.takes {
        by = by.checked_sub(weight(kind))?;
    }
    for (kind, count) in &arc.posts {
        by = by.checked_add(weight(*kind).checked_mul(i64::from(*count))?)?;
    }
    Some(by)
}

struct StrikeSearch<'a> {
    graph: &'a ControlGraph,
    fairness: Fairness,
    strikes: Vec<Strike>,
    /// So many entries of tableaus may still be computed.
    work: u64,
}

impl StrikeSearch<'_> {
    /// The edges inside components; those between them are ranked by the order of the components.
    fn split(&mut self, arcs: &[usize]) -> Vec<Vec<usize>> {
        let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); self.graph.controls];
        let mut scope = BTreeSet::new();
        for arc in arcs.iter().map(|at| &self.graph.arcs[*at]) {
            outgoing[arc.from as usize].push(arc.to as usize);
            scope.extend([arc.from, arc.to]);
        }
        let next = |at: usize| -> Box<dyn Iterator<Item = usize> + '_> {
            Box::new(outgoing[at].iter().copied())
        };
        let (order, found) = ordered(self.graph.controls, &next);
        let place = |control: Control| order[control as usize];
        let is_inside = |at: &&usize| {
            let arc = &self.graph.arcs[**at];
            place(arc.from) == place(arc.to)
        };
        if !arcs.iter().all(|at| is_inside(&at)) {
            let potentials = scope
                .iter()
                .map(|control| (*control, i64::from(place(*control))));
            let reason = Reason::Ranked {
                potentials: potentials.collect(),
                weights: BTreeMap::new(),
            };
            self.strikes.push(Strike {
                scope: scope.clone(),
                reason,
            });
        }
        let mut inside = vec![Vec::new(); found];
        for at in arcs.iter().filter(is_inside) {
            inside[place(self.graph.arcs[*at].from) as usize].push(*at);
        }
        inside.retain(|arcs| !arcs.is_empty());
        inside
    }

    /// Strikes out what can be struck out of a component, and says what is left; none when nothing can.
    fn strike(&mut self, mut arcs: Vec<usize>) -> Option<Vec<usize>> {
        let before = arcs.len();
        let scope: BTreeSet<Control> = arcs
            .iter()
            .flat_map(|at| [self.graph.arcs[*at].from, self.graph.arcs[*at].to])
            .collect();
        if self.fairness != Fairness::Any {
            self.unserved(&mut arcs, &scope);
            if arcs.len() < before {
                return Some(arcs);
            }
        }
        if self.fairness == Fairness::Fair
            && let Some(kind) = self.waits(&arcs, &scope)
        {
            let reason = Reason::Waits(kind);
            self.strikes.push(Strike { scope, reason });
            return Some(Vec::new());
        }
        let (reason, left) = self.ranked(&arcs)?;
        self.strikes.push(Strike { scope, reason });
        Some(left)
    }

    fn unserved(&mut self, arcs: &mut Vec<usize>, scope: &BTreeSet<Control>) {
        loop {
            let all = || arcs.iter().map(|at| &self.graph.arcs[*at]);
            let served: BTreeSet<Service> = all().map(|arc| arc.serves).collect();
            let everywhere = |kind: Kind| {
                let mut controls = scope.iter();
                controls.all(|control| self.graph.could[*control as usize].contains(&kind))
            };
            let sent = all().flat_map(|arc| arc.posts.iter().map(|(kind, _)| *kind));
            let found = sent
                .filter(|kind| !served.contains(&Service::Kind(*kind)))
                .find(|kind| everywhere(*kind));
            let Some(kind) = found else { return };
            self.strikes.push(Strike {
                scope: scope.clone(),
                reason: Reason::Unserved(kind),
            });
            let sends = |at: &usize| {
                let posts = &self.graph.arcs[*at].posts;
                posts.iter().any(|(sent, _)| *sent == kind)
            };
            arcs.retain(|at| !sends(at));
        }
    }

    /// A kind that is pending all the time and not served.
    fn waits(&self, arcs: &[usize], scope: &BTreeSet<Control>) -> Option<Kind> {
        let all = || arcs.iter().map(|at| &self.graph.arcs[*at]);
        let served: BTreeSet<Service> = all().map(|arc| arc.serves).collect();
        let first = *scope.first()?;
        let mut kinds = self.graph.could[first as usize].iter().copied();
        kinds.find(|kind| {
            !served.contains(&Service::Kind(*kind))
                && self.graph.waits_at(*kind, scope.iter().copied())
        })
    }

    /// A ranking that strikes out some of the edges, and those that it leaves.
    fn ranked(&mut self, arcs: &[usize]) -> Option<(Reason, Vec<usize>)> {
        let linear = Linear::new(self.graph, arcs)?;
        let mut wanted: Vec<bool> = vec![true; arcs.len()];
        while wanted.contains(&true) {
            let best = maximise(&linear.program(&wanted), &mut self.work)?;
            if !best.value.is_positive() {
                return linear.ranking(self.graph, arcs, &best.dual);
            }
            for (wanted, taken) in wanted.iter_mut().zip(&best.point) {
                *wanted &= !taken.is_positive();
            }
        }
        None
    }
}

/// The rows of the linear program of a component: what flows through controls, and what becomes of kinds.
struct Linear {
    controls: Vec<Control>,
    kinds: Vec<Kind>,
    rows: Vec<Vec<i64>>,
}

impl Linear {
    fn new(graph: &ControlGraph, arcs: &[usize]) -> Option<Linear> {
        let all = || arcs.iter().map(|at| &graph.arcs[*at]);
        let controls: BTreeSet<Control> = all().flat_map(|arc| [arc.from, arc.to]).collect();
        let kinds: BTreeSet<Kind> = all()
            .flat_map(|arc| arc.posts.iter().map(|(kind, _)| *kind).chain(arc.takes))
            .collect();
        if (controls.len() + kinds.len() + 1) * arcs.len() > ENTRIES {
            return None;
        }
        let flow = |control: &Control| {
            let through =
                |arc: &Arc| i64::from(arc.from == *control) - i64::from(arc.to == *control);
            all().map(through).collect()
        };
        let becomes = |kind: &Kind| {
            let loss = |arc: &Arc| {
                let sent = arc.posts.iter().find(|(sent, _)| sent == kind);
                i64::from(arc.takes == Some(*kind)) - sent.map_or(0, |(_, count)| i64::from(*count))
            };
            all().map(loss).collect()
        };
        Some(Linear {
            rows: controls
                .iter()
                .map(flow)
                .chain(kinds.iter().map(becomes))
                .collect(),
            controls: controls.into_iter().collect(),
            kinds: kinds.into_iter().collect(),
        })
    }

    /// How much can flow through the wanted edges, at most one, without loss?
    fn program(&self, wanted: &[bool]) -> Program {
        let worth: Vec<i64> = wanted.iter().map(|wanted| i64::from(*wanted)).collect();
        let mut rows = self.rows.clone();
        rows.push(worth.clone());
        let mut most = vec![0; self.rows.len()];
        most.push(1);
        Program { rows, most, worth }
    }

    /// The ranking that the multipliers are, in whole numbers, and the edges that it leaves.
    fn ranking(
        &self,
        graph: &ControlGraph,
        arcs: &[usize],
        dual: &[Fraction],
    ) -> Option<(Reason, Vec<usize>)> {
        let shared = dual.iter().try_fold(1i128, |shared, one| {
            (shared / gcd(shared, one.under)).checked_mul(one.under)
        })?;
        let whole = |one: &Fraction| {
            let number = one.over.checked_mul(shared / one.under)?;
            i64::try_from(number).ok()
        };
        let values: Vec<i64> = dual.iter().map(whole).collect::<Option<_>>()?;
        let (first, rest) = values.split_at(self.controls.len());
        let potentials: BTreeMap<Control, i64> = self
            .controls
            .iter()
            .copied()
            .zip(first.iter().copied())
            .collect();
        let weights: BTreeMap<Kind, i64> = self
            .kinds
            .iter()
            .copied()
            .zip(rest.iter().copied())
            .collect();
        let stays = |at: &usize| change(&graph.arcs[*at], &potentials, &weights) == Some(0);
        let left: Vec<usize> = arcs.iter().copied().filter(stays).collect();
        let reason = Reason::Ranked {
            potentials,
            weights,
        };
        (left.len() < arcs.len()).then_some((reason, left))
    }
}

/// The component of each control, later ones with smaller numbers, and how many there are.
fn ordered<'a>(
    controls: usize,
    next: &dyn Fn(usize) -> Box<dyn Iterator<Item = usize> + 'a>,
) -> (Vec<u32>, usize) {
    let found = components(&vec![true; controls], next, true);
    let mut order = vec![0; controls];
    for (number, members) in found.iter().enumerate() {
        members
            .iter()
            .for_each(|member| order[*member] = number as u32);
    }
    (order, found.len())
}

/// A set in the order in which its members came.
#[derive(Default)]
struct Numbers {
    list: Vec<u32>,
    known: BTreeSet<u32>,
}

impl Numbers {
    fn add(&mut self, number: u32) {
        if self.known.insert(number) {
            self.list.push(number);
        }
    }
}
