//! Lassos: non-terminating executions as a stem and a cycle that can be repeated for ever.
//!
//! Statement. If the last `n` events of an execution lead from a state to one with the same rest and at
//! least the same bag ([`idle`](crate::idle)), they can happen again from there, and again.
//!
//! Why sound. What can happen with a bag can happen with a greater one and leaves the surplus alone, so
//! the cycle leads from its own end to a state that is greater by the same surplus. This is not only
//! believed: [`repetition`] takes the period again from its own end, step by step, and looks whether it
//! reproduces itself.
//!
//! A period may also lead to a state with all points shifted ([`shift_invariance`](crate::shift_invariance)): then it can happen
//! again from there with everything shifted, and so on. Where only what the cycle touches is shifted, each group
//! of points by its own distance, that is an [`accelerated_loop`](crate::accelerated_loop). Or to one that covers its beginning in a way that
//! the song declares ([`covering_order`](crate::covering_order)).
//!
//! *Fairness.* A message (or async, or process) is *ignored* when from some point on it waits for ever
//! although it could be served again and again. A fair execution ignores nobody. Messages of one kind,
//! with the same payload and receiver, are interchangeable: if one of them is served in each cycle they
//! can be served in the order in which they came, so it is enough to look at kinds. Where points are
//! shifted there are new kinds in each round: then everything that waits when the round begins must be served
//! in it. A message that no
//! handler accepts could not be served and is not ignored.
//!
//! The weaker reading of fairness that is also offered asks only that every kind sent again and again is
//! served again and again ([`Repetition::resent`]).
//!
//! Source. [Alive12], section 2; the difference between both readings is `heartbeat-until-stopped.song`.

use crate::accelerated_loop::{Drift, legs, needed, without};
use crate::covering_order::{CoveringOrder, Matched};
use crate::idle::{Idle, Served, Task};
use crate::machine::{Config, Machine, Outcome};
use crate::path_to_trace::retrace;
use crate::replay::replay;
use crate::shift_invariance::Shift;
use crate::trace::{Ending, EventKind, Trace};
use plainsong_ir::Body;
use std::collections::BTreeSet;

/// How an execution repeats itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The last so many events are repeated.
    pub events: usize,
    /// What each round leaves behind, in words, and how many of it.
    pub leaves: Vec<(String, usize)>,
    /// What each round shifts, by name, and by how much.
    pub shifts: Vec<(String, i64)>,
    /// Does a round lead to a state that only covers the one where it began, as the song says?
    pub covers: bool,
    /// The processes that take part, by name, where some have bodies: of handlers the messages say it.
    pub among: Vec<String>,
    /// Who could be served again and again and never is, in words.
    pub ignored: Vec<String>,
    /// Those of them that are sent anew in every round.
    pub resent: Vec<String>,
}

/// The most things listed in a sentence.
const LISTED: usize = 3;

/// How the execution along `path` repeats its last `events`; none if it does not. `steps` are the numbers
/// of the steps from each state of the path to the next.
pub fn repetition(
    machine: &Machine,
    path: &[Config],
    steps: &[usize],
    events: usize,
) -> Option<Repetition> {
    let first = steps.len().checked_sub(events)?;
    if events == 0 || path.len() != steps.len() + 1 {
        return None;
    }
    let (path, steps) = (&path[first..], &steps[first..]);
    shifted(machine, path, steps)
        .or_else(|| drifted(machine, path, steps))
        .or_else(|| covered(machine, path, steps))
}

/// How a cycle repeats itself, as it is or with all points shifted.
fn shifted(machine: &Machine, path: &[Config], steps: &[usize]) -> Option<Repetition> {
    let (begin, end) = (Idle::of(&path[0]), Idle::of(&path[steps.len()]));
    let along = Along::between(machine, &begin, &end)?;
    let surplus = surplus(&along.idle(&begin), &end)?;
    let mut round = Round::new(machine, &path[steps.len()]);
    for at in 0..steps.len() {
        let step = machine.steps(&path[at]).into_iter().nth(steps[at])?;
        let mut after = along.idle(&Idle::of(&path[at + 1]));
        after.bag.extend(surplus.iter().cloned());
        after.bag.sort();
        let serves = along.served(&step.served());
        round.take((step.kind, step.lane), &serves, &after)?;
    }
    let shifts = match &along.shift {
        Some(shift) => shift
            .names()
            .into_iter()
            .map(|name| (name, along.by))
            .collect(),
        None => Vec::new(),
    };
    let leaves = tally(surplus.iter().map(|task| machine.task(task)));
    Some(round.told(steps.len(), leaves, shifts))
}

/// How a cycle repeats itself with what it touches shifted.
fn drifted(machine: &Machine, path: &[Config], steps: &[usize]) -> Option<Repetition> {
    let (begin, end) = (Idle::of(&path[0]), Idle::of(&path[steps.len()]));
    let legs = legs(machine, path, steps)?;
    let drift = Drift::of(machine, &begin, &end, &legs)?;
    let mut round = Round::new(machine, &path[steps.len()]);
    let mut bag = end.bag.clone();
    for leg in &legs {
        let task = drift.task(&leg.task);
        bag = without(&bag, std::slice::from_ref(&task))?;
        bag.extend(drift.tasks(&leg.posts));
        bag.sort();
        let after = Idle {
            rest: drift.rest(&leg.rest),
            bag: bag.clone(),
        };
        round.take((leg.kind, leg.lane), &Served::Task(task), &after)?;
    }
    // What waits at the end and is not what the next round begins with.
    let kept = without(&begin.bag, &needed(&legs))?;
    let left = without(&end.bag, &drift.tasks(&needed(&legs)))?;
    let left = without(&left, &kept)?;
    let leaves = tally(left.iter().map(|task| {
        let words = machine.task(task);
        match drift.task(task) == *task {
            true => words,
            false => another_each_time(words),
        }
    }));
    Some(round.told(steps.len(), leaves, drift.names()))
}

/// How a cycle repeats itself that leads to a state that covers its own beginning, as the song says.
fn covered(machine: &Machine, path: &[Config], steps: &[usize]) -> Option<Repetition> {
    let order = CoveringOrder::of(machine)?;
    let (begin, end) = (Idle::of(&path[0]), Idle::of(&path[steps.len()]));
    let Matched { mut pairs, left } = order.covers(&begin, &end)?;
    let mut round = Round::new(machine, &path[steps.len()]);
    for (at, number) in steps.iter().enumerate() {
        let step = machine.steps(&path[at]).into_iter().nth(*number)?;
        let Served::Task(task) = step.served() else {
            return None;
        };
        let taken = pairs.iter().position(|(earlier, _)| *earlier == task)?;
        let (_, later) = pairs.remove(taken);
        // What else waits here and there; what is beyond that was sent now.
        let (here, there): (Vec<Task>, Vec<Task>) = pairs.iter().cloned().unzip();
        let there = [there, left.clone()].concat();
        let next = Idle::of(&path[at + 1]);
        let sent = without(&next.bag, &here)?;
        let found = machine.steps(&round.config).into_iter().find_map(|one| {
            let is_it = one.kind == step.kind
                && one.lane == step.lane
                && one.served() == Served::Task(later.clone());
            let Outcome::Next(after) = &one.outcome else {
                return None;
            };
            let after = Idle::of(after);
            if !is_it || !order.rest(&next.rest, &after.rest) {
                return None;
            }
            let matched = order.matched(&sent, &without(&after.bag, &there)?)?;
            matched.left.is_empty().then_some((after, matched))
        });
        let (after, matched) = found?;
        pairs.extend(matched.pairs);
        round.take((step.kind, step.lane), &Served::Task(later), &after)?;
    }
    let leaves = tally(
        left.iter()
            .map(|task| another_each_time(machine.task(task))),
    );
    // Where more can be done in each round, what cannot be served in one may be in a later one.
    let waits = round.waits.iter().cloned();
    round.could.extend(waits.map(Served::Task));
    let told = round.strict().told(steps.len(), leaves, Vec::new());
    let covers = true;
    Some(Repetition { covers, ..told })
}

/// A task whose payload is another one each time.
fn another_each_time(words: String) -> String {
    match (words.find('('), words.rfind(')')) {
        (Some(open), Some(close)) => format!("{}(..){}", &words[..open], &words[close + 1..]),
        _ => words,
    }
}

/// Equal words once, with how many there are.
fn tally(words: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut tally: Vec<(String, usize)> = Vec::new();
    for word in words {
        match tally.iter_mut().find(|(known, _)| *known == word) {
            Some((_, number)) => *number += 1,
            None => tally.push((word, 1)),
        }
    }
    tally
}

/// The execution from `start` along `steps` as a trace that refutes the property with this number, with how
/// it repeats its last `events`; none if it does not. It was replayed.
pub fn refutation(
    machine: &Machine,
    start: &Config,
    steps: &[usize],
    events: usize,
    property: usize,
) -> Option<(Trace, Repetition)> {
    let mut path = vec![start.clone()];
    for number in steps {
        let step = machine.steps(path.last()?).into_iter().nth(*number)?;
        let Outcome::Next(next) = step.outcome else {
            return None;
        };
        path.push(next);
    }
    let found = repetition(machine, &path, steps, events)?;
    let property = &machine.instance().song().properties[property];
    let ending = Ending::Violated {
        property: property.name.clone(),
        span: property.span,
        why: found.sentence(),
    };
    let (trace, _) = retrace(machine, start, steps, ending);
    replay(machine, &trace).ok()?;
    Some((trace, found))
}

/// The number of events that a sentence says are repeated.
pub fn repeated(why: &str) -> Option<usize> {
    let rest = why.strip_prefix("repeats for ever: the last ")?;
    match rest.split_once(' ')? {
        ("event", _) => Some(1),
        (number, _) => number.parse().ok(),
    }
}

impl Repetition {
    /// In one sentence, without what it says about fairness.
    pub fn plain(&self) -> String {
        let events = match self.events {
            1 => "the last event".to_owned(),
            several => format!("the last {several} events"),
        };
        if self.covers {
            let (lead, them) = match self.events {
                1 => ("leads", "it"),
                _ => ("lead", "them"),
            };
            let adds = self
                .adds()
                .map_or(String::new(), |adds| format!(", {adds}"));
            return format!(
                "repeats for ever: {events} {lead} to a state that covers the one before {them}, as `covers` says{adds}"
            );
        }
        if self.leaves.is_empty() && self.shifts.is_empty() {
            let (lead, they) = match self.events {
                1 => ("leads", "it"),
                _ => ("lead", "they"),
            };
            return format!("repeats for ever: {events} {lead} back to where {they} began");
        }
        let each_time: Vec<String> = self.shifted().into_iter().chain(self.adds()).collect();
        format!(
            "repeats for ever: {events} can happen again and again, each time {}",
            each_time.join(", ")
        )
    }

    /// `adding one more `Search``.
    fn adds(&self) -> Option<String> {
        let left: Vec<String> = self
            .leaves
            .iter()
            .map(|(what, number)| match number {
                1 => format!("one more `{what}`"),
                several => format!("{several} more `{what}`"),
            })
            .collect();
        (!left.is_empty()).then(|| format!("adding {}", listed(&left, "other kinds")))
    }

    pub fn sentence(&self) -> String {
        format!("{}{}; {}", self.plain(), self.by(), self.fairness())
    }

    /// `; all of them are of `left` and `right``.
    fn by(&self) -> String {
        let names: Vec<String> = self.among.iter().map(|one| format!("`{one}`")).collect();
        match &names[..] {
            [] => String::new(),
            [one] => format!("; {one} goes on by itself"),
            _ => format!("; {} go on with each other", listed(&names, "others")),
        }
    }

    /// `making term and asked 1 greater`.
    fn shifted(&self) -> Option<String> {
        let mut by: Vec<i64> = self.shifts.iter().map(|(_, by)| *by).collect();
        by.sort_unstable();
        by.dedup();
        let made = by.into_iter().rev().map(|by| {
            let names = self.shifts.iter().filter(|(_, other)| *other == by);
            let names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
            let how = if by > 0 { "greater" } else { "less" };
            format!("{} {} {how}", listed(&names, "others"), by.unsigned_abs())
        });
        let made: Vec<String> = made.collect();
        (!made.is_empty()).then(|| format!("making {}", made.join(", ")))
    }

    fn fairness(&self) -> String {
        if self.ignored.is_empty() {
            return "nothing that waits is ignored".to_owned();
        }
        let names: Vec<String> = self.ignored.iter().map(|one| format!("`{one}`")).collect();
        format!("ignored for ever: {}", listed(&names, "others"))
    }
}

/// `a, b and c`; of many, the first few and how many others.
fn listed(parts: &[String], others: &str) -> String {
    let mut shown = parts.to_vec();
    if parts.len() > LISTED + 1 {
        shown.truncate(LISTED);
        shown.push(format!("{} {others}", parts.len() - LISTED));
    }
    match &shown[..] {
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

fn has_bodies(machine: &Machine) -> bool {
    let voices = machine.instance().song().voices();
    let mut processes = voices.into_iter().flat_map(|voices| &voices.processes);
    processes.any(|process| matches!(process.body, Body::Sequential(_)))
}

/// How a state at the end of a round corresponds to the one at its beginning.
struct Along {
    shift: Option<Shift>,
    by: i64,
}

impl Along {
    /// From one rest to the other: as it is, or shifted.
    fn between(machine: &Machine, begin: &Idle, end: &Idle) -> Option<Along> {
        if begin.rest == end.rest {
            return Some(Along { shift: None, by: 0 });
        }
        let shift = Shift::of(machine)?;
        let by = shift
            .base(&end.rest)?
            .checked_sub(shift.base(&begin.rest)?)?;
        let is_sound = by > 0 || shift.may_sink();
        let fits = shift.config(&begin.rest, by) == end.rest;
        let shift = Some(shift);
        (is_sound && fits).then_some(Along { shift, by })
    }

    fn task(&self, task: &Task) -> Task {
        match &self.shift {
            Some(shift) => shift.task(task, self.by),
            None => task.clone(),
        }
    }

    fn idle(&self, idle: &Idle) -> Idle {
        let Some(shift) = &self.shift else {
            return idle.clone();
        };
        let mut bag: Vec<Task> = idle.bag.iter().map(|task| self.task(task)).collect();
        bag.sort();
        Idle {
            rest: shift.config(&idle.rest, self.by),
            bag,
        }
    }

    fn served(&self, served: &Served) -> Served {
        match served {
            Served::Task(task) => Served::Task(self.task(task)),
            other => other.clone(),
        }
    }
}

/// What `later` has in its bag beyond `earlier`; none unless it is the same otherwise.
fn surplus(earlier: &Idle, later: &Idle) -> Option<Vec<Task>> {
    if earlier.rest != later.rest {
        return None;
    }
    let mut surplus = Vec::new();
    let mut wanted = earlier.bag.iter().peekable();
    for task in &later.bag {
        match wanted.peek() {
            Some(next) if *next == task => drop(wanted.next()),
            _ => surplus.push(task.clone()),
        }
    }
    wanted.next().is_none().then_some(surplus)
}

/// The cycle, taken again from its own end.
struct Round<'a> {
    machine: &'a Machine,
    config: Config,
    /// What waited when the round began and was not served yet.
    waits: Vec<Task>,
    could: BTreeSet<Served>,
    served: BTreeSet<Served>,
    sent: BTreeSet<Task>,
    lanes: BTreeSet<usize>,
}

impl<'a> Round<'a> {
    fn new(machine: &'a Machine, end: &Config) -> Self {
        Round {
            machine,
            config: end.clone(),
            waits: Idle::of(end).bag,
            could: BTreeSet::new(),
            served: BTreeSet::new(),
            sent: BTreeSet::new(),
            lanes: BTreeSet::new(),
        }
    }

    /// Takes a step of this kind and lane that leads to `after`.
    fn take(
        &mut self,
        (kind, lane): (EventKind, Option<usize>),
        serves: &Served,
        after: &Idle,
    ) -> Option<()> {
        let before = Idle::of(&self.config).bag;
        let mut found = None;
        for step in self.machine.steps(&self.config) {
            if matches!(step.outcome, Outcome::Discarded) {
                continue;
            }
            let served = step.served();
            let is_it = step.kind == kind
                && step.lane == lane
                && served == *serves
                && matches!(&step.outcome, Outcome::Next(next) if Idle::of(next) == *after);
            self.could.insert(served);
            if is_it {
                found = Some(step);
            }
        }
        let step = found?;
        let mut old = before;
        if let Served::Task(task) = step.served()
            && let Some(at) = old.iter().position(|one| *one == task)
        {
            old.remove(at);
        }
        if let Served::Task(task) = step.served()
            && let Some(at) = self.waits.iter().position(|one| *one == task)
        {
            self.waits.remove(at);
        }
        self.served.insert(step.served());
        self.lanes.extend(lane);
        let mut old = old.into_iter().peekable();
        for task in &after.bag {
            match old.peek() {
                Some(next) if next == task => drop(old.next()),
                _ => drop(self.sent.insert(task.clone())),
            }
        }
        if let Outcome::Next(next) = step.outcome {
            self.config = next;
        }
        Some(())
    }

    /// Kinds of an earlier round do not come back: whoever was not served is ignored.
    fn strict(mut self) -> Self {
        let kept = self.could.iter().filter(|one| match one {
            Served::Task(task) => self.waits.contains(task),
            _ => true,
        });
        self.could = kept.cloned().collect();
        let waits = self.waits.iter().cloned().map(Served::Task);
        let waits: BTreeSet<Served> = waits.collect();
        self.served.retain(|one| !waits.contains(one));
        self
    }

    fn told(
        mut self,
        events: usize,
        leaves: Vec<(String, usize)>,
        shifts: Vec<(String, i64)>,
    ) -> Repetition {
        if !shifts.is_empty() {
            self = self.strict();
        }
        let lanes = self.machine.lanes();
        let words = |served: &Served| match served {
            Served::Task(task) => Some(self.machine.task(task)),
            Served::Lane(lane) => Some(lanes[*lane].clone()),
            Served::Nobody => None,
        };
        let ignored = || self.could.iter().filter(|one| !self.served.contains(one));
        let resent = |served: &&Served| match served {
            Served::Task(task) => self.sent.contains(task),
            _ => true,
        };
        let among = self.lanes.iter().filter(|_| has_bodies(self.machine));
        Repetition {
            events,
            shifts,
            among: among.map(|lane| lanes[*lane].clone()).collect(),
            ignored: ignored().filter_map(words).collect(),
            resent: ignored().filter(resent).filter_map(words).collect(),
            leaves,
            covers: false,
        }
    }
}
