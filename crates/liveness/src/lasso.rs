//! Lassos: a stem into a fair component and a short fair cycle through it, or a way to an end.
//!
//! The cycle begins as a shortest one. As long as it ignores somebody, it is led over the nearest step that serves them
//! (or, where little is owed, the nearest state where they are not enabled); then detours are cut out again while it
//! stays fair. What comes out is checked by other code before anybody sees it.

use crate::fair_components::{FairComponent, is_allowed, strengths};
use crate::region::Region;
use crate::state_graph::{Edge, Explored, Way};
use plainsong_ir::Fairness;
use plainsong_semantics::machine::{Config, Status};
use plainsong_semantics::temporal::Instantiated;
use plainsong_semantics::temporal::fair_tasks::Strength;
use plainsong_semantics::temporal::lasso_check::{Path, Shape, refute};
use plainsong_semantics::trace::Trace;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An end is told rather than a cycle unless the way to it is more than so many times as long.
const END_FACTOR: usize = 2;

/// The lasso that is told: an end if there is one near, otherwise the one with the shortest stem.
pub(crate) fn nearest(
    graph: &Explored<'_>,
    region: &Region,
    found: &[FairComponent],
    level: Fairness,
) -> Option<(Way, Shape)> {
    if found.is_empty() {
        return None;
    }
    let stems = Stems::of(graph, region);
    let ends = |at: &usize| graph.edges(*at).iter().any(|edge| edge.step.is_none());
    let is_wanted = |at: &usize| region.again.as_ref().is_none_or(|again| again[*at]);
    let stem_length = |at: &usize| stems.length[*at];
    let end = found.iter().flat_map(|one| one.members.iter().copied());
    let strengths = strengths(graph, level);
    let owes_nothing = |at: &usize| {
        let mut enabled = graph.enabled(*at).iter();
        enabled.all(|task| strengths[*task as usize].is_none())
    };
    let end = end.filter(|at| ends(at) && is_wanted(at) && owes_nothing(at));
    let end = end.min_by_key(stem_length);
    // A component is connected by steps, unless it is one state without a step to itself.
    let goes_round = |one: &&FairComponent| {
        let first = one.members[0];
        let steps = graph.edges(first).iter();
        let mut steps =
            steps.filter(|edge| edge.step.is_some() && is_allowed(graph, &one.banned, edge));
        one.members.len() > 1 || steps.any(|edge| edge.to as usize == first)
    };
    let component = found
        .iter()
        .filter(goes_round)
        .min_by_key(|one| one.members.iter().map(stem_length).min());
    let Some(component) = component else {
        return end.map(|end| (stems.way(graph, end), shape_of_end(graph, end)));
    };
    let entry = component.members.iter().copied().min_by_key(stem_length)?;
    if let Some(end) = end
        && stem_length(&end) <= END_FACTOR * stem_length(&entry).max(1)
    {
        return Some((stems.way(graph, end), shape_of_end(graph, end)));
    }
    let mut way = stems.way(graph, entry);
    let cycle = Tour::new(graph, region, component, entry, level).cycle();
    let events = cycle.len();
    way.steps.extend(cycle);
    Some((way, Shape::Cycle(events)))
}

/// How an execution ends in a state where it may.
fn shape_of_end(graph: &Explored<'_>, at: usize) -> Shape {
    let status = graph.state(at).map(|config| graph.machine().status(config));
    match status {
        Some(Status::Running) => Shape::Pause,
        _ => Shape::End,
    }
}

/// The way as a trace that was replayed.
pub(crate) fn refutation(
    graph: &Explored<'_>,
    one: &Instantiated<'_>,
    level: Fairness,
    way: Way,
    shape: Shape,
) -> Trace {
    let state = |at: usize| graph.state(at).expect("a way leads through states").clone();
    let states: Vec<Config> = way.states().map(state).collect();
    let steps: Vec<usize> = way.steps.iter().map(|(step, _)| *step as usize).collect();
    let path = Path {
        states: &states,
        steps: &steps,
    };
    refute(graph.machine(), path, shape, one, level)
        .expect("what the graph says is a violation is one by the meaning of the claim")
}

/// The shortest ways from the start of an execution through a start of a region to its states.
struct Stems {
    length: Vec<usize>,
    before: Vec<Option<(usize, u32)>>,
}

impl Stems {
    fn of(graph: &Explored<'_>, region: &Region) -> Stems {
        let mut stems = Stems {
            length: vec![usize::MAX; graph.len()],
            before: vec![None; graph.len()],
        };
        let mut open = BinaryHeap::new();
        for start in &region.starts {
            stems.length[*start] = graph.depth(*start);
            open.push(Reverse((graph.depth(*start), *start)));
        }
        while let Some(Reverse((length, at))) = open.pop() {
            if length > stems.length[at] {
                continue;
            }
            for edge in graph.edges(at) {
                let (to, Some(step)) = (edge.to as usize, edge.step) else {
                    continue;
                };
                if region.inside[to] && length + 1 < stems.length[to] {
                    stems.length[to] = length + 1;
                    stems.before[to] = Some((at, step));
                    open.push(Reverse((length + 1, to)));
                }
            }
        }
        stems
    }

    fn way(&self, graph: &Explored<'_>, to: usize) -> Way {
        let mut inside = Vec::new();
        let mut at = to;
        while let Some((before, step)) = self.before[at] {
            inside.push((step, at));
            at = before;
        }
        inside.reverse();
        let mut way = graph.way_to(at);
        way.steps.extend(inside);
        way
    }
}

/// A cycle in the making.
struct Tour<'a> {
    graph: &'a Explored<'a>,
    again: Option<&'a [bool]>,
    strengths: Vec<Option<Strength>>,
    inside: Vec<bool>,
    banned: &'a [u32],
    entry: usize,
}

/// What a cycle still lacks.
enum Lack {
    /// This task is ignored, and it is owed so much.
    Task(u32, Strength),
    /// No state of those that must be visited is.
    Visit,
}

impl<'a> Tour<'a> {
    fn new(
        graph: &'a Explored<'a>,
        region: &'a Region,
        component: &'a FairComponent,
        entry: usize,
        level: Fairness,
    ) -> Tour<'a> {
        let mut inside = vec![false; graph.len()];
        component.members.iter().for_each(|at| inside[*at] = true);
        Tour {
            graph,
            again: region.again.as_deref(),
            strengths: strengths(graph, level),
            inside,
            banned: &component.banned,
            entry,
        }
    }

    /// A fair cycle through the entry: steps and the states they lead to.
    fn cycle(&self) -> Vec<(u32, usize)> {
        let home = |edge: &Edge| edge.to as usize == self.entry;
        let mut cycle = Vec::new();
        self.extend(self.entry, &home, &mut cycle);
        while let Some(lack) = self.lack(&cycle) {
            let from = cycle.last().map_or(self.entry, |(_, to)| *to);
            let before = cycle.len();
            let at = match lack {
                Lack::Visit => {
                    let wanted = |edge: &Edge| self.again.is_some_and(|all| all[edge.to as usize]);
                    self.extend(from, &wanted, &mut cycle)
                }
                Lack::Task(task, strength) => {
                    let wanted = |edge: &Edge| {
                        let rests = strength == Strength::Weak
                            && self
                                .graph
                                .enabled(edge.to as usize)
                                .binary_search(&task)
                                .is_err();
                        rests || self.graph.served(edge).contains(&task)
                    };
                    self.extend(from, &wanted, &mut cycle)
                }
            };
            if at != self.entry {
                self.extend(at, &home, &mut cycle);
            }
            assert!(
                cycle.len() > before,
                "a fair component has what a cycle lacks"
            );
        }
        self.without_detours(cycle)
    }

    /// The first thing that a cycle lacks.
    fn lack(&self, cycle: &[(u32, usize)]) -> Option<Lack> {
        let mut served = vec![false; self.strengths.len()];
        let mut obliged = vec![false; self.strengths.len()];
        let mut enabled = vec![0_usize; self.strengths.len()];
        let mut at = self.entry;
        let mut visits = self.again.is_none();
        for (step, to) in cycle {
            visits |= self.again.is_some_and(|again| again[at]);
            self.graph
                .enabled(at)
                .iter()
                .for_each(|task| enabled[*task as usize] += 1);
            let mut edges = self.graph.edges(at).iter();
            let edge = edges.find(|edge| edge.step == Some(*step) && edge.to as usize == *to);
            if let Some(edge) = edge {
                let mark = |set: &mut [bool], tasks: &[u32]| {
                    tasks.iter().for_each(|task| set[*task as usize] = true);
                };
                mark(&mut served, self.graph.served(edge));
                mark(&mut obliged, self.graph.obliged(edge));
            }
            at = *to;
        }
        if !visits {
            return Some(Lack::Visit);
        }
        (0..self.strengths.len()).find_map(|task| {
            let strength = self.strengths[task]?;
            let owed = match strength {
                Strength::Weak => enabled[task] == cycle.len(),
                Strength::Strong => enabled[task] > 0 || obliged[task],
            };
            (owed && !served[task]).then_some(Lack::Task(task as u32, strength))
        })
    }

    /// Cuts out what leads from a state back to itself, while the cycle lacks nothing.
    fn without_detours(&self, mut cycle: Vec<(u32, usize)>) -> Vec<(u32, usize)> {
        let mut first = 0;
        while first < cycle.len() {
            let here = match first {
                0 => self.entry,
                _ => cycle[first - 1].1,
            };
            let shorter = (first..cycle.len()).rev().find_map(|last| {
                let is_detour = cycle[last].1 == here && last + 1 - first < cycle.len();
                let shorter = || [&cycle[..first], &cycle[last + 1..]].concat();
                is_detour
                    .then(shorter)
                    .filter(|one| self.lack(one).is_none())
            });
            match shorter {
                Some(shorter) => cycle = shorter,
                None => first += 1,
            }
        }
        cycle
    }

    /// Appends the shortest way inside that ends with an edge as wanted, and says where it ends.
    fn extend(
        &self,
        from: usize,
        wanted: &dyn Fn(&Edge) -> bool,
        cycle: &mut Vec<(u32, usize)>,
    ) -> usize {
        let mut found_by: FxHashMap<usize, (usize, u32)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for edge in self.graph.edges(at) {
                let (to, Some(step)) = (edge.to as usize, edge.step) else {
                    continue;
                };
                if !self.inside[to] || !is_allowed(self.graph, self.banned, edge) {
                    continue;
                }
                if wanted(edge) {
                    let mut back = vec![(step, to)];
                    let mut here = at;
                    while here != from {
                        let (before, step) = found_by[&here];
                        back.push((step, here));
                        here = before;
                    }
                    back.reverse();
                    cycle.extend(back);
                    return to;
                }
                if to != from && !found_by.contains_key(&to) {
                    found_by.insert(to, (at, step));
                    queue.push_back(to);
                }
            }
        }
        panic!("a component is connected")
    }
}
