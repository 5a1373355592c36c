//! The task net (a Petri net): controls, kinds of tasks, and what serving a task does.
//!
//! A *control* is a state without its bag, a *kind* a task with its payload and receiver
//! ([`idle`](plainsong_semantics::idle)); both are numbered. What can be done with a kind at a control
//! depends on nothing else, so it is asked of the interpreter once and kept. Everything in this crate that
//! compares, counts or proves works on these numbers.
//!
//! With a shift, controls are kept in a normal form: all points are shifted so that the least one of the
//! control is [`FLOOR`]. An edge says by how much, and what else is in the bag is shifted with it.
//!
//! With an order that the song declares and somebody has shown to be compatible, a state may cover one with another
//! control and other kinds.
//!
//! There is no second step relation: every edge is a step of `semantics`.

use crate::bag::Bag;
use plainsong_semantics::accelerated_loop::{outline, task_outline};
use plainsong_semantics::covering_order::{CoveringOrder, matching};
use plainsong_semantics::idle::{Idle, Served, Task};
use plainsong_semantics::machine::{Config, Machine, Outcome, Step};
use plainsong_semantics::shift_invariance::Shift;
use plainsong_semantics::trace::FailureKind;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of a control.
pub(crate) type Control = u32;
/// The number of a kind.
pub(crate) type Kind = u32;

/// Whom a step serves, by number: a kind in the bag, or somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Service {
    /// A task of the bag.
    Kind(Kind),
    /// A message in a queue, or a body.
    Other(u32),
    /// Nobody waits for it.
    Nobody,
}

/// One thing that can be done.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// The control it leads to.
    pub(crate) to: Control,
    /// What it leaves in the bag.
    pub(crate) posts: Bag,
    /// The same in the order in which it was sent, where the net is asked to keep it.
    pub(crate) order: Vec<Kind>,
    pub(crate) serves: Service,
    /// By how much points were shifted down to come to the normal form.
    pub(crate) shift: i64,
}

/// Where the least point of a control lies: high enough for everything in the bag to be no negative number.
const FLOOR: i64 = 1_000_000;

/// So many queued messages are copied in the time of a step.
const QUEUED: usize = 16;

/// What can be done with a kind, or with no kind, at a control.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// What leads somewhere. Steps that lead to the same are there once.
    pub(crate) edges: Vec<Edge>,
    /// Who could be served, be it by a step that fails.
    pub(crate) could: Vec<Service>,
}

/// A state by numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) control: Control,
    pub(crate) bag: Bag,
}

/// A step by numbers: the kind it takes, if it takes one, and which of its moves it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// What is taken.
    pub(crate) kind: Option<Kind>,
    pub(crate) edge: usize,
}

/// A program as a net, as far as it was looked at.
pub(crate) struct Net<'a> {
    machine: &'a Machine,
    shift: Option<Shift>,
    controls: Numbered<Config>,
    kinds: Numbered<Task>,
    others: Numbered<Served>,
    moves: FxHashMap<(Control, Option<Kind>), Rc<Moves>>,
    renamed: FxHashMap<(Kind, i64), Kind>,
    outlines: Outlines,
    covers: Option<Covers>,
    /// What was copied because of queues, in steps.
    copied: usize,
    /// Does the order of sending make a difference?
    pub(crate) ordered: bool,
    /// Where the interpreter's own limit cut something off.
    pub(crate) resource: Option<String>,
    /// Does some execution end in a failure?
    pub(crate) fails: bool,
}

impl<'a> Net<'a> {
    /// Nothing is known yet.
    pub(crate) fn new(machine: &'a Machine, shift: Option<Shift>) -> Self {
        Net {
            machine,
            shift,
            renamed: FxHashMap::default(),
            outlines: Outlines::default(),
            covers: None,
            copied: 0,
            ordered: false,
            controls: Numbered::default(),
            kinds: Numbered::default(),
            others: Numbered::default(),
            moves: FxHashMap::default(),
            resource: None,
            fails: false,
        }
    }

    /// The same, where states are compared by an order.
    pub(crate) fn with_order(machine: &'a Machine, order: CoveringOrder) -> Self {
        Net {
            covers: Some(Covers {
                order,
                controls: FxHashMap::default(),
                kinds: FxHashMap::default(),
            }),
            ..Net::new(machine, None)
        }
    }

    /// Are states compared by an order?
    pub(crate) fn has_order(&self) -> bool {
        self.covers.is_some()
    }

    /// Can a state do at least as much as an earlier one?
    pub(crate) fn covers(&mut self, before: &State, now: &State) -> bool {
        let Some(covers) = &mut self.covers else {
            return before.control == now.control && before.bag.is_within(&now.bag);
        };
        if before.bag.total() > now.bag.total() {
            return false;
        }
        let controls = (before.control, now.control);
        let rest = *covers.controls.entry(controls).or_insert_with(|| {
            let (before, now) = (self.controls.get(controls.0), self.controls.get(controls.1));
            covers.order.rest(before, now)
        });
        if !rest {
            return false;
        }
        let listed = |bag: &Bag| -> Vec<Kind> {
            let entries = bag.entries().iter();
            entries
                .flat_map(|(kind, count)| (0..*count).map(|_| *kind))
                .collect()
        };
        let (before, now) = (listed(&before.bag), listed(&now.bag));
        for one in &before {
            for other in &now {
                let tasks = || (self.kinds.get(*one), self.kinds.get(*other));
                covers.kinds.entry((*one, *other)).or_insert_with(|| {
                    let (one, other) = tasks();
                    covers.order.task(one, other)
                });
            }
        }
        let fits = |one: usize, other: usize| covers.kinds[&(before[one], now[other])];
        matching(before.len(), now.len(), fits).is_some()
    }

    /// The machine that it is the net of.
    pub(crate) fn machine(&self) -> &'a Machine {
        self.machine
    }

    pub(crate) fn rest(&self, control: Control) -> &Config {
        self.controls.get(control)
    }

    pub(crate) fn task(&self, kind: Kind) -> &Task {
        self.kinds.get(kind)
    }

    /// All controls that came up, by number.
    pub(crate) fn rests(&self) -> impl Iterator<Item = &Config> {
        self.controls.all()
    }

    /// All kinds that came up, by number.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.kinds.all()
    }

    /// The states at the start.
    pub(crate) fn starts(&mut self) -> Vec<State> {
        let mut starts = Vec::new();
        for outcome in self.machine.initial() {
            match outcome {
                Outcome::Next(config) => starts.push(self.state(&config).0),
                Outcome::Failed(failure, _) => self.failed(failure.kind, failure.message),
                Outcome::Discarded => {}
            }
        }
        starts
    }

    /// A kind with its points shifted.
    pub(crate) fn renamed(&mut self, kind: Kind, by: i64) -> Kind {
        let Some(shift) = &self.shift else {
            return kind;
        };
        if let Some(known) = self.renamed.get(&(kind, by)) {
            return *known;
        }
        let task = shift.task(self.kinds.get(kind), by);
        let renamed = self.kinds.number(task);
        self.renamed.insert((kind, by), renamed);
        renamed
    }

    /// The number of a control's outline, and its integers.
    pub(crate) fn outline(&mut self, control: Control) -> (u32, Rc<[i64]>) {
        if let Some(known) = self.outlines.of_controls.get(&control) {
            return known.clone();
        }
        let (outline, integers) = outline(self.machine, self.controls.get(control));
        let known = (self.outlines.controls.number(outline), integers.into());
        self.outlines.of_controls.insert(control, known);
        self.outlines.of_controls[&control].clone()
    }

    /// The number of a kind's outline.
    pub(crate) fn kind_outline(&mut self, kind: Kind) -> u32 {
        if let Some(known) = self.outlines.of_kinds.get(&kind) {
            return *known;
        }
        let outline = task_outline(self.machine, self.kinds.get(kind));
        let number = self.outlines.kinds.number(outline);
        self.outlines.of_kinds.insert(kind, number);
        number
    }

    /// Is what terminates in normal form sure to terminate?
    pub(crate) fn is_exact(&self) -> bool {
        self.shift.as_ref().is_none_or(Shift::may_sink)
    }

    /// The state with these numbers, with all points shifted.
    pub(crate) fn config(&self, state: &State, by: i64) -> Config {
        let tasks = state.bag.entries().iter().flat_map(|(kind, count)| {
            let task = self.kinds.get(*kind).clone();
            (0..*count).map(move |_| task.clone())
        });
        let whole = Idle::join(self.controls.get(state.control), tasks);
        match &self.shift {
            Some(shift) if by != 0 => shift.config(&whole, by),
            _ => whole,
        }
    }

    /// What can be done with a kind, or with none, at a control.
    pub(crate) fn moves(&mut self, control: Control, kind: Option<Kind>) -> Rc<Moves> {
        if let Some(known) = self.moves.get(&(control, kind)) {
            return known.clone();
        }
        let moves = Rc::new(self.ask(control, kind));
        self.moves.insert((control, kind), moves.clone());
        moves
    }

    /// Everything that can be done in a state: first without the bag, then kind by kind.
    pub(crate) fn all_moves(&mut self, state: &State) -> Vec<(Option<Kind>, Rc<Moves>)> {
        let kinds = state.bag.kinds().map(Some);
        let all: Vec<Option<Kind>> = [None].into_iter().chain(kinds).collect();
        all.into_iter()
            .map(|kind| (kind, self.moves(state.control, kind)))
            .collect()
    }

    /// The state after a move.
    pub(crate) fn after(&mut self, state: &State, kind: Option<Kind>, edge: &Edge) -> State {
        let mut bag = state.bag.clone();
        if let Some(kind) = kind {
            bag.take(kind);
        }
        if edge.shift != 0 {
            let mut moved = Bag::default();
            for (kind, count) in bag.entries() {
                moved.add(self.renamed(*kind, -edge.shift), *count);
            }
            bag = moved;
        }
        bag.add_all(&edge.posts);
        State {
            control: edge.to,
            bag,
        }
    }

    /// Does a step of the interpreter take this kind and serve whom the edge serves?
    pub(crate) fn is_move(
        &self,
        step: &Step,
        kind: Option<Kind>,
        serves: Service,
        by: i64,
    ) -> bool {
        let task = kind.map(|kind| match &self.shift {
            Some(shift) => shift.task(self.kinds.get(kind), by),
            None => self.kinds.get(kind).clone(),
        });
        let takes = task.is_none() || step.takes() == task;
        takes
            && match (serves, step.served()) {
                (Service::Nobody, Served::Nobody) | (Service::Kind(_), Served::Task(_)) => true,
                (Service::Other(other), served) => *self.others.get(other) == served,
                _ => false,
            }
    }

    /// What was copied because of queues since this was last asked, in steps: whoever searches pays for it.
    pub(crate) fn copied(&mut self) -> usize {
        std::mem::take(&mut self.copied)
    }

    /// The normal form of a state, and by how much points were shifted down to come to it.
    fn state(&mut self, config: &Config) -> (State, i64) {
        let Idle { mut rest, mut bag } = Idle::of(config);
        let mut by = 0;
        if let Some(shift) = &self.shift
            && let Some(base) = shift.base(&rest)
        {
            by = base.saturating_sub(FLOOR);
            rest = shift.config(&rest, -by);
            bag = bag.iter().map(|task| shift.task(task, -by)).collect();
        }
        let kinds: Vec<Kind> = bag
            .into_iter()
            .map(|task| self.kinds.number(task))
            .collect();
        let state = State {
            control: self.controls.number(rest),
            bag: Bag::of(kinds),
        };
        (state, by)
    }

    fn ask(&mut self, control: Control, kind: Option<Kind>) -> Moves {
        let task = kind.map(|kind| self.kinds.get(kind).clone());
        let config = Idle::join(self.controls.get(control), task.clone());
        self.copied += config.queued() / QUEUED;
        let mut moves = Moves::default();
        let mut seen: Vec<((State, i64), Service, Vec<Kind>)> = Vec::new();
        for step in self.machine.steps(&config) {
            if task.is_some() && step.takes() != task {
                continue;
            }
            let serves = self.service(&step, kind);
            let after = match step.outcome {
                Outcome::Next(after) => Some((self.state(&after), self.order(&after))),
                Outcome::Failed(failure, _) => {
                    self.failed(failure.kind, failure.message);
                    None
                }
                Outcome::Discarded => continue,
            };
            if serves != Service::Nobody && !moves.could.contains(&serves) {
                moves.could.push(serves);
            }
            if let Some((after, order)) = after {
                let reached = (after, serves, order);
                if !seen.contains(&reached) {
                    seen.push(reached);
                }
            }
        }
        moves.edges = seen
            .into_iter()
            .map(|((after, shift), serves, order)| Edge {
                to: after.control,
                posts: after.bag,
                order,
                serves,
                shift,
            })
            .collect();
        moves
    }

    /// What waits in the order in which it was sent, where that makes a difference.
    fn order(&mut self, config: &Config) -> Vec<Kind> {
        if !self.ordered {
            return Vec::new();
        }
        let mut bag = Idle::of(config).bag;
        bag.sort_by_key(Task::age);
        bag.into_iter()
            .map(|task| self.kinds.number(task))
            .collect()
    }

    fn service(&mut self, step: &Step, kind: Option<Kind>) -> Service {
        match (step.served(), kind) {
            (Served::Nobody, _) => Service::Nobody,
            (Served::Task(_), Some(kind)) => Service::Kind(kind),
            (other, _) => Service::Other(self.others.number(other)),
        }
    }

    fn failed(&mut self, kind: FailureKind, message: String) {
        self.fails = true;
        if kind == FailureKind::Resource {
            self.resource.get_or_insert(message);
        }
    }
}

/// An order, and what is known about it.
struct Covers {
    order: CoveringOrder,
    /// Does the second of two controls cover the first?
    controls: FxHashMap<(Control, Control), bool>,
    /// Does the second of two kinds cover the first?
    kinds: FxHashMap<(Kind, Kind), bool>,
}

/// Controls and kinds without their integers, by number.
#[derive(Default)]
struct Outlines {
    controls: Numbered<Config>,
    kinds: Numbered<Task>,
    of_controls: FxHashMap<Control, (u32, Rc<[i64]>)>,
    of_kinds: FxHashMap<Kind, u32>,
}

/// Things with numbers in the order in which they came.
struct Numbered<T> {
    values: Vec<Rc<T>>,
    numbers: FxHashMap<Rc<T>, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered {
            values: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }
}

impl<T: std::hash::Hash + Eq> Numbered<T> {
    fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len() as u32;
        let value = Rc::new(value);
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    fn all(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|value| &**value)
    }
}
