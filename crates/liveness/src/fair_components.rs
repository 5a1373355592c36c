//! Fair strongly connected components: emptiness of Streett automata by decomposition.
//!
//! Statement. [`fair_components`] gives strongly connected sets of states of a region, with at least one edge inside,
//! such that the execution that runs through all their edges again and again is fair; there is one if and only if the
//! region has a fair execution.
//!
//! Why exact. Let a component be given. If a weak task is enabled in each of its states and served by none of its
//! edges, every execution that stays inside ignores it, and so does every part of it. If a strong task is enabled in
//! some of its states and served by no edge, an execution that stays inside must leave these states behind at last; so
//! they are left out and what remains is decomposed again. If an edge obliges somebody whom no edge answers, an execution
//! that stays inside takes such edges only finitely often; so these are left out. If none of this is the case, going round
//! the whole component serves everybody who is owed something. A Büchi condition is met by a component if one of
//! its states is wanted; a part of a component that has none has none.
//!
//! The recursion is needed: leaving out the states of one task may take away the edges that serve another. Each round
//! leaves out a state or an edge, and in practice there are as many rounds as strong tasks at most.

use crate::region::Region;
use crate::state_graph::{Edge, Explored};
use plainsong_ir::Fairness;
use plainsong_ir::components::components;
use plainsong_semantics::temporal::fair_tasks::Strength;

/// What each task is owed.
pub(crate) fn strengths(graph: &Explored<'_>, level: Fairness) -> Vec<Option<Strength>> {
    let tasks = (0..graph.task_count()).map(|task| graph.task(task as u32));
    tasks
        .map(|task| graph.machine().owed(task, level))
        .collect()
}

/// A fair component: going round all its edges is fair, except for those that oblige somebody of `banned`.
#[derive(Clone, Debug, Default)]
pub(crate) struct FairComponent {
    /// Its states.
    pub(crate) members: Vec<usize>,
    /// Whom nobody answers in it, ascending: edges that oblige them are none of its edges.
    pub(crate) banned: Vec<u32>,
}

/// Does an edge belong to a component that obliges nobody of `banned`?
pub(crate) fn is_allowed(graph: &Explored<'_>, banned: &[u32], edge: &Edge) -> bool {
    let mut obliged = graph.obliged(edge).iter();
    banned.is_empty() || !obliged.any(|task| banned.binary_search(task).is_ok())
}

/// The fair components of a region.
pub(crate) fn fair_components(
    graph: &Explored<'_>,
    region: &Region,
    level: Fairness,
) -> Vec<FairComponent> {
    let strengths = strengths(graph, level);
    let mut found = Vec::new();
    let mut open = vec![(region.inside.clone(), Vec::new())];
    let mut inside = vec![false; graph.len()];
    while let Some((alive, banned)) = open.pop() {
        let next = |at: usize| -> Box<dyn Iterator<Item = usize> + '_> {
            let edges = graph.edges(at).iter();
            let edges = edges.filter(|edge| is_allowed(graph, &banned, edge));
            Box::new(edges.map(|edge| edge.to as usize))
        };
        for members in components(&alive, next, false) {
            members.iter().for_each(|at| inside[*at] = true);
            let component = FairComponent {
                members,
                banned: banned.clone(),
            };
            let judged = judge(graph, region, &strengths, &component, &inside);
            let members = &component.members;
            members.iter().for_each(|at| inside[*at] = false);
            match judged {
                Judged::Fair => found.push(component),
                Judged::Unfair => {}
                Judged::Without(bad, _) if bad.len() == members.len() => {}
                Judged::Without(bad, unanswered) => {
                    let mut rest = vec![false; graph.len()];
                    members.iter().for_each(|at| rest[*at] = true);
                    bad.iter().for_each(|at| rest[*at] = false);
                    let mut banned = [banned.clone(), unanswered].concat();
                    banned.sort_unstable();
                    open.push((rest, banned));
                }
            }
        }
    }
    found
}

/// What becomes of a component.
enum Judged {
    Fair,
    /// It is not fair, and no part of it is.
    Unfair,
    /// A fair execution inside visits these states only finitely often, and obliges these tasks only finitely often.
    Without(Vec<usize>, Vec<u32>),
}

fn judge(
    graph: &Explored<'_>,
    region: &Region,
    strengths: &[Option<Strength>],
    component: &FairComponent,
    inside: &[bool],
) -> Judged {
    let members = &component.members;
    if let Some(again) = &region.again
        && !members.iter().any(|at| again[*at])
    {
        return Judged::Unfair;
    }
    let mut served = vec![false; strengths.len()];
    let mut obliged = vec![false; strengths.len()];
    for at in members {
        let edges = graph.edges(*at).iter();
        let inner = edges.filter(|edge| inside[edge.to as usize]);
        for edge in inner.filter(|edge| is_allowed(graph, &component.banned, edge)) {
            let mark = |set: &mut [bool], tasks: &[u32]| {
                tasks.iter().for_each(|task| set[*task as usize] = true);
            };
            mark(&mut served, graph.served(edge));
            mark(&mut obliged, graph.obliged(edge));
        }
    }
    let ignored = |task: &u32, strength: Strength| {
        strengths[*task as usize] == Some(strength) && !served[*task as usize]
    };
    let Some((first, rest)) = members.split_first() else {
        return Judged::Unfair;
    };
    let mut everywhere: Vec<u32> = graph.enabled(*first).to_vec();
    everywhere.retain(|task| ignored(task, Strength::Weak));
    for at in rest {
        if everywhere.is_empty() {
            break;
        }
        let enabled = graph.enabled(*at);
        everywhere.retain(|task| enabled.binary_search(task).is_ok());
    }
    if !everywhere.is_empty() {
        return Judged::Unfair;
    }
    let is_bad = |at: &&usize| {
        let mut enabled = graph.enabled(**at).iter();
        enabled.any(|task| ignored(task, Strength::Strong))
    };
    let bad: Vec<usize> = members.iter().filter(is_bad).copied().collect();
    let tasks = 0..strengths.len();
    let is_owed = |task: &usize| obliged[*task] && strengths[*task].is_some() && !served[*task];
    let unanswered: Vec<u32> = tasks.filter(is_owed).map(|task| task as u32).collect();
    match bad.is_empty() && unanswered.is_empty() {
        true => Judged::Fair,
        false => Judged::Without(bad, unanswered),
    }
}
