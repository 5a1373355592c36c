//! Fair strongly connected components: emptiness of Streett automata by decomposition.
//!
//! Statement. [`fair_components`] gives strongly connected sets of states of a region, with at least one edge inside,
//! such that the execution that runs through all their edges again and again is fair; there is one if and only if the
//! region has a fair execution.
//!
//! Why exact. Let a component be given. If a weak task is enabled in each of its states and served by none of its
//! edges, every execution that stays inside ignores it, and so does every part of it. If a strong task is enabled in
//! some of its states and served by no edge, an execution that stays inside must leave these states behind at last; so
//! they are left out and what remains is decomposed again. If neither is the case, going round the whole component
//! serves everybody who is owed something. A Büchi condition is met by a component if one of its states is wanted; a
//! part of a component that has none has none.
//!
//! The recursion is needed: leaving out the states of one task may take away the edges that serve another. Each round
//! leaves out a state, and in practice there are as many rounds as strong tasks at most.

use crate::region::Region;
use crate::state_graph::Explored;
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

/// The fair components of a region.
pub(crate) fn fair_components(
    graph: &Explored<'_>,
    region: &Region,
    level: Fairness,
) -> Vec<Vec<usize>> {
    let strengths = strengths(graph, level);
    let next = |at: usize| -> Box<dyn Iterator<Item = usize> + '_> {
        Box::new(graph.edges(at).iter().map(|edge| edge.to as usize))
    };
    let mut found = Vec::new();
    let mut open = vec![region.inside.clone()];
    let mut inside = vec![false; graph.len()];
    while let Some(alive) = open.pop() {
        for members in components(&alive, &next, false) {
            members.iter().for_each(|at| inside[*at] = true);
            let judged = judge(graph, region, &strengths, &members, &inside);
            members.iter().for_each(|at| inside[*at] = false);
            match judged {
                Judged::Fair => found.push(members),
                Judged::Unfair => {}
                Judged::Without(bad) if bad.len() < members.len() => {
                    let mut rest = vec![false; graph.len()];
                    members.iter().for_each(|at| rest[*at] = true);
                    bad.iter().for_each(|at| rest[*at] = false);
                    open.push(rest);
                }
                Judged::Without(_) => {}
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
    /// A fair execution inside visits these only finitely often.
    Without(Vec<usize>),
}

fn judge(
    graph: &Explored<'_>,
    region: &Region,
    strengths: &[Option<Strength>],
    members: &[usize],
    inside: &[bool],
) -> Judged {
    if let Some(again) = &region.again
        && !members.iter().any(|at| again[*at])
    {
        return Judged::Unfair;
    }
    let mut served = vec![false; strengths.len()];
    for at in members {
        for edge in graph
            .edges(*at)
            .iter()
            .filter(|edge| inside[edge.to as usize])
        {
            graph
                .served(edge)
                .iter()
                .for_each(|task| served[*task as usize] = true);
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
    match bad.is_empty() {
        true => Judged::Fair,
        false => Judged::Without(bad),
    }
}
