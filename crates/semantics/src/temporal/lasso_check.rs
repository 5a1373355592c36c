//! Does one given execution violate a temporal claim? Decided from the meaning, with no search.
//!
//! Statement. [`violation`] says of a path and where its cycle begins whether the execution that goes round the cycle
//! for ever (or ends at the end of the path) is fair at a level and violates one part of a claim, and tells it in a
//! sentence.
//!
//! Why sound. The cycle closes: its last state equals its first. Fairness is read off the cycle, literally: a weak task
//! is taken on it or disabled in one of its states, a strong task that is enabled somewhere on it is taken on it (or
//! gone), and whom a step of it obliges another step of it answers. Which of the conditions are true is
//! evaluated anew in each state. Nothing of what found the lasso is used.

use super::fair_tasks::{FairTask, Strength};
use super::{Instantiated, instantiated};
use crate::claim::Verity;
use crate::machine::{Config, Machine, Outcome, Status};
use crate::path_to_trace::retrace;
use crate::phrase::Phrase;
use crate::replay::replay;
use crate::trace::{Ending, Trace};
use plainsong_ir::{Expr, Fairness, Property, TemporalOperator};
use std::collections::BTreeSet;

/// How an execution goes on after the last state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Its last so many steps are repeated for ever.
    Cycle(usize),
    /// It ends there: no process can go on.
    End,
    /// It ends there: only those can go on who are declared `unfair`.
    Pause,
    /// It does not matter: a condition has no value in the last state.
    NoValue,
}

/// A path: its states, and the numbers of the steps between them.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// One more than there are steps.
    pub states: &'a [Config],
    pub steps: &'a [usize],
}

/// Why the execution along `path` violates `one` at this level of fairness; nothing if it does not.
pub fn violation(
    machine: &Machine,
    path: Path<'_>,
    shape: Shape,
    one: &Instantiated<'_>,
    level: Fairness,
) -> Option<String> {
    if path.states.len() != path.steps.len() + 1 {
        return None;
    }
    let last = path.states.last()?;
    let first_again = match shape {
        Shape::NoValue => return no_value(machine, last, one),
        Shape::End => {
            let status = machine.status(last);
            let may_end = matches!(status, Status::Final | Status::Deadlock(_));
            if !may_end || !machine.owes_nothing(last, &machine.steps(last), level) {
                return None;
            }
            path.states.len() - 1
        }
        Shape::Pause => {
            let steps = machine.steps(last);
            if !machine.may_end(last, &steps) || !machine.owes_nothing(last, &steps, level) {
                return None;
            }
            path.states.len() - 1
        }
        Shape::Cycle(events) => {
            let first = path.steps.len().checked_sub(events)?;
            let closes = events > 0 && path.states[first] == *last;
            if !closes || !is_fair(machine, path, first, level)? {
                return None;
            }
            first
        }
    };
    let is_bad = violates(machine, path.states, first_again, one)?;
    is_bad.then(|| sentence(machine, shape, one, level))
}

/// The execution along `path` as a trace that violates `one`; nothing if it does not. It was replayed.
pub fn refute(
    machine: &Machine,
    path: Path<'_>,
    shape: Shape,
    one: &Instantiated<'_>,
    level: Fairness,
) -> Option<Trace> {
    let why = violation(machine, path, shape, one, level)?;
    let ending = Ending::Violated {
        property: one.property.name.clone(),
        span: one.property.span,
        why,
    };
    let (trace, _) = retrace(machine, path.states.first()?, path.steps, ending);
    replay(machine, &trace).ok()?;
    Some(trace)
}

/// The ending of a trace along `path` that violates a property, if it does for some part, values and level.
pub fn ending(machine: &Machine, path: Path<'_>, property: &Property, why: &str) -> Option<Ending> {
    let events = crate::lasso::repeated(why);
    let shapes = match events {
        Some(events) => vec![Shape::Cycle(events)],
        None => vec![Shape::End, Shape::Pause, Shape::NoValue],
    };
    let all = instantiated(machine, property, path.states.first()?).ok()?;
    for shape in shapes {
        for (one, level) in all
            .iter()
            .flat_map(|one| Fairness::ALL.map(|level| (one, level)))
        {
            if sentence_or_value(machine, path, shape, one, level).as_deref() != Some(why) {
                continue;
            }
            let why = violation(machine, path, shape, one, level)?;
            return Some(Ending::Violated {
                property: property.name.clone(),
                span: property.span,
                why,
            });
        }
    }
    None
}

fn sentence_or_value(
    machine: &Machine,
    path: Path<'_>,
    shape: Shape,
    one: &Instantiated<'_>,
    level: Fairness,
) -> Option<String> {
    match shape {
        Shape::NoValue => no_value(machine, path.states.last()?, one),
        _ => Some(sentence(machine, shape, one, level)),
    }
}

/// That a condition has no value in a state.
fn no_value(machine: &Machine, config: &Config, one: &Instantiated<'_>) -> Option<String> {
    if !machine.has_begun(config) {
        return None;
    }
    let conditions = one.part.premise.iter().chain([&one.part.goal]);
    conditions
        .filter_map(|condition| match one.verity(machine, condition, config) {
            Verity::Violated(why) if !why.is_empty() => {
                Some(format!("{}: {why}", words(machine, one, condition)))
            }
            _ => None,
        })
        .next()
}

/// Is a condition true? Nothing where it has no value.
fn is_true(machine: &Machine, one: &Instantiated<'_>, of: &Expr, config: &Config) -> Option<bool> {
    match one.verity(machine, of, config) {
        Verity::Holds => Some(true),
        Verity::Violated(why) => why.is_empty().then_some(false),
        Verity::Unknown(_) => None,
    }
}

/// Does the execution that goes on with `states[first..]` for ever violate the claim?
fn violates(
    machine: &Machine,
    states: &[Config],
    first: usize,
    one: &Instantiated<'_>,
) -> Option<bool> {
    let begun = states.iter().position(|state| machine.has_begun(state))?;
    let mut goal = Vec::new();
    for state in &states[begun..] {
        goal.push(is_true(machine, one, &one.part.goal, state)?);
    }
    let first = first.checked_sub(begun)?;
    let never_from = |at: usize| goal[at.min(first)..].iter().all(|truth| !truth);
    Some(match one.part.operator {
        TemporalOperator::Eventually => never_from(0),
        TemporalOperator::InfinitelyOften => never_from(first),
        TemporalOperator::EventuallyAlways => goal[first..].iter().any(|truth| !truth),
        TemporalOperator::LeadsTo => {
            let premise = one.part.premise.as_ref()?;
            let mut open = false;
            for (at, state) in states[begun..].iter().enumerate() {
                let asked = is_true(machine, one, premise, state)?;
                open |= asked && goal[at..].iter().all(|truth| !truth) && never_from(first);
            }
            open
        }
    })
}

/// Is the execution that repeats the steps from `first` on fair?
fn is_fair(machine: &Machine, path: Path<'_>, first: usize, level: Fairness) -> Option<bool> {
    let mut served: BTreeSet<FairTask> = BTreeSet::new();
    let mut obliged: BTreeSet<FairTask> = BTreeSet::new();
    let mut somewhere: BTreeSet<FairTask> = BTreeSet::new();
    let mut everywhere: Option<BTreeSet<FairTask>> = None;
    for at in first..path.steps.len() {
        let config = &path.states[at];
        let mut enabled = BTreeSet::new();
        let steps = machine.steps(config);
        for (number, step) in steps.iter().enumerate() {
            if matches!(step.outcome, Outcome::Discarded) {
                continue;
            }
            let tasks = machine.fair_tasks(config, step);
            enabled.extend(tasks.taken.iter().cloned());
            if number == path.steps[at] {
                let Outcome::Next(next) = &step.outcome else {
                    return None;
                };
                if *next != path.states[at + 1] {
                    return None;
                }
                served.extend(tasks.taken);
                served.extend(tasks.gone);
                served.extend(tasks.answered);
                obliged.extend(tasks.obliged);
                let (owing, answered) = machine.fair_outcomes(&steps, number);
                served.extend(answered);
                obliged.extend(owing);
            }
        }
        somewhere.extend(enabled.iter().cloned());
        everywhere = Some(match everywhere {
            None => enabled,
            Some(before) => before.intersection(&enabled).cloned().collect(),
        });
    }
    let everywhere = everywhere?;
    let is_answered =
        |task: &FairTask| machine.owed(task, level).is_none() || served.contains(task);
    if !obliged.iter().all(is_answered) {
        return Some(false);
    }
    Some(somewhere.iter().all(|task| {
        let owed = match machine.owed(task, level) {
            None => false,
            Some(Strength::Weak) => everywhere.contains(task),
            Some(Strength::Strong) => true,
        };
        !owed || served.contains(task)
    }))
}

fn words(machine: &Machine, one: &Instantiated<'_>, condition: &Expr) -> String {
    let mut phrase = Phrase::new(machine.instance(), &one.property.locals, None);
    for local in one.part.bindings.iter().flat_map(|binding| &binding.names) {
        phrase.know(*local, &one.slots[local.index()]);
    }
    format!("`{}`", phrase.expr(condition))
}

fn sentence(machine: &Machine, shape: Shape, one: &Instantiated<'_>, level: Fairness) -> String {
    let goal = words(machine, one, &one.part.goal);
    let values = one.values(machine);
    let is_end = matches!(shape, Shape::End | Shape::Pause);
    let missed = match (one.part.operator, &one.part.premise) {
        (TemporalOperator::LeadsTo, Some(premise)) => {
            let premise = words(machine, one, premise);
            format!("{premise} was true and {goal} is not from then on")
        }
        (TemporalOperator::EventuallyAlways, _) if is_end => format!("{goal} is false at the end"),
        (TemporalOperator::EventuallyAlways, _) => format!("{goal} is false again and again"),
        (TemporalOperator::InfinitelyOften, _) if is_end => format!("{goal} is false at the end"),
        (TemporalOperator::InfinitelyOften, _) => format!("{goal} is not true any more"),
        _ => format!("{goal} is never true"),
    };
    match shape {
        Shape::Cycle(events) => {
            let back = match events {
                1 => "the last event leads back to where it began".to_owned(),
                _ => format!("the last {events} events lead back to where they began"),
            };
            let fair = level.sentence();
            format!("repeats for ever: {back};{values} {missed} ({fair})")
        }
        Shape::Pause => format!("no process has to go on, and{values} {missed}"),
        Shape::End | Shape::NoValue => format!("no process can go on, and{values} {missed}"),
    }
}
