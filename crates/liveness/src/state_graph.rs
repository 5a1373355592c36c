//! The state graph of an instance, breadth first, with the tasks that each step serves.
//!
//! Edges are kept in compressed rows; who is enabled in a state is the union of what its steps would serve, those that
//! fail included: whoever may fail may go on.

use indexmap::IndexSet;
use plainsong_semantics::machine::{Config, Machine, Outcome, Status, Step};
use plainsong_semantics::temporal::fair_tasks::{FairTask, TasksOfStep};
use plainsong_semantics::trace::{Failure, FailureKind};
use rustc_hash::FxBuildHasher;

/// A step from one state to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Where it leads.
    pub(crate) to: u32,
    /// Its number among the steps; none for the edge that stands for an end.
    pub(crate) step: Option<u32>,
    /// Whom it serves, as a number for [`Explored::served`].
    tasks: u32,
}

/// Numbers of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Served {
    /// Taken or gone: nobody of these is ignored by whoever takes the step again and again.
    tasks: Vec<u32>,
    /// Whoever takes the step again and again owes these an answer.
    obliged: Vec<u32>,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The state before it and the step, on the first way to it; none at a start.
    from: Option<(u32, u32)>,
    depth: u32,
    /// Is `init` over? Claims speak about what comes after it.
    begun: bool,
    /// Is it the first state of an execution that claims speak about?
    first: bool,
}

/// Why a state's steps are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    No,
    /// A constraint or bound cuts off what comes after it.
    Constraint,
    /// A limit of the interpreter does: no value in the window, say.
    Limit,
}

/// The states of an instance explored so far.
pub struct Explored<'m> {
    machine: &'m Machine,
    states: IndexSet<Config, FxBuildHasher>,
    known: Vec<Known>,
    cut: Vec<Cut>,
    rows: Vec<usize>,
    edges: Vec<Edge>,
    enabled: Vec<u32>,
    /// Was a step of the state cut off by an `assume`, or had nothing to choose from?
    discards: Vec<bool>,
    tasks: IndexSet<FairTask, FxBuildHasher>,
    served: IndexSet<Served, FxBuildHasher>,
    sets: IndexSet<Vec<u32>, FxBuildHasher>,
    /// The first limit of the interpreter that was met.
    limit: Option<String>,
    /// Was it met before the first state?
    limited_at_start: bool,
    /// Does some execution end in a failure?
    pub fails: bool,
    /// How many steps were taken.
    pub steps: u64,
}

impl<'m> Explored<'m> {
    /// Only the states at the start.
    pub fn new(machine: &'m Machine) -> Explored<'m> {
        let mut graph = Explored {
            machine,
            states: IndexSet::default(),
            known: Vec::new(),
            cut: Vec::new(),
            rows: vec![0],
            edges: Vec::new(),
            enabled: Vec::new(),
            discards: Vec::new(),
            tasks: IndexSet::default(),
            served: IndexSet::default(),
            sets: IndexSet::default(),
            limit: None,
            limited_at_start: false,
            fails: false,
            steps: 0,
        };
        for start in machine.initial() {
            match start {
                Outcome::Next(config) => drop(graph.reach(config, None)),
                Outcome::Failed(failure, _) => graph.limited_at_start |= graph.failed(failure),
                Outcome::Discarded => {}
            }
        }
        graph
    }

    /// Goes on until so many states are known, or all. `keep_going` is asked now and then; was it always true?
    pub fn explore(
        &mut self,
        most: usize,
        keep_going: &mut dyn FnMut(&Explored<'m>) -> bool,
    ) -> bool {
        const GLANCE: usize = 256;
        while self.expanded() < self.states.len() && self.states.len() < most {
            if self.expanded().is_multiple_of(GLANCE) && !keep_going(self) {
                return false;
            }
            self.expand();
        }
        true
    }

    /// Are the steps of all states known?
    pub fn is_complete(&self) -> bool {
        self.expanded() == self.states.len()
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// How many states are known after `init`.
    pub fn counted(&self) -> u64 {
        self.known.iter().filter(|one| one.begun).count() as u64
    }

    /// Is there no state at all?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What is explored.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    pub(crate) fn state(&self, at: usize) -> Option<&Config> {
        self.states.get_index(at)
    }

    /// How many states have all their steps known; they are the first ones.
    pub(crate) fn expanded(&self) -> usize {
        self.rows.len() - 1
    }

    /// The steps out of a state, as far as they are known.
    pub(crate) fn edges(&self, at: usize) -> &[Edge] {
        match at < self.expanded() {
            true => &self.edges[self.rows[at]..self.rows[at + 1]],
            false => &[],
        }
    }

    /// Whom a step serves.
    pub(crate) fn served(&self, edge: &Edge) -> &[u32] {
        &self.served[edge.tasks as usize].tasks
    }

    /// Whom a step obliges.
    pub(crate) fn obliged(&self, edge: &Edge) -> &[u32] {
        &self.served[edge.tasks as usize].obliged
    }

    /// Who is enabled in a state whose steps are known.
    pub(crate) fn enabled(&self, at: usize) -> &[u32] {
        &self.sets[self.enabled[at] as usize]
    }

    /// The task with this number.
    pub(crate) fn task(&self, number: u32) -> &FairTask {
        &self.tasks[number as usize]
    }

    /// How many tasks there are.
    pub(crate) fn task_count(&self) -> usize {
        self.tasks.len()
    }

    pub(crate) fn has_begun(&self, at: usize) -> bool {
        self.known[at].begun
    }

    pub(crate) fn is_first(&self, at: usize) -> bool {
        self.known[at].first
    }

    pub(crate) fn depth(&self, at: usize) -> usize {
        self.known[at].depth as usize
    }

    /// Does an `assume`, or a choice without a candidate, cut off a step of some state?
    pub fn cuts_steps(&self) -> bool {
        self.discards.contains(&true)
    }

    pub(crate) fn cuts_a_step(&self, at: usize) -> bool {
        self.discards[at] || self.cut.get(at) == Some(&Cut::Limit)
    }

    /// Why not all starts are known.
    pub(crate) fn why_start_open(&self) -> Option<&str> {
        self.limit.as_deref().filter(|_| self.limited_at_start)
    }

    /// Notes a failure. Is it a limit of the interpreter, which says nothing about the program?
    fn failed(&mut self, failure: Failure) -> bool {
        let is_limit = failure.kind == FailureKind::Resource;
        match is_limit {
            true => drop(self.limit.get_or_insert(failure.message)),
            false => self.fails = true,
        }
        is_limit
    }

    /// Why not all steps out of a state are known.
    pub(crate) fn why_open(&self, at: usize) -> Option<&str> {
        match self.cut.get(at) {
            None => Some("not all states were looked at"),
            Some(Cut::Constraint) => {
                Some("a constraint or bound cuts off what comes after some states")
            }
            Some(Cut::Limit) => self.limit.as_deref(),
            Some(Cut::No) => None,
        }
    }

    /// The first way to a state: where it starts, and the numbers of the steps with the states they lead to.
    pub(crate) fn way_to(&self, at: usize) -> Way {
        let mut steps = Vec::new();
        let mut here = at;
        while let Some((before, step)) = self.known[here].from {
            steps.push((step, here));
            here = before as usize;
        }
        steps.reverse();
        Way { start: here, steps }
    }

    fn reach(&mut self, config: Config, from: Option<(u32, u32)>) -> u32 {
        let is_first = |begun: bool, known: &[Known]| {
            begun && from.is_none_or(|(before, _)| !known[before as usize].begun)
        };
        if let Some(at) = self.states.get_index_of(&config) {
            let first = is_first(self.known[at].begun, &self.known);
            self.known[at].first |= first;
            return at as u32;
        }
        let begun = self.machine.has_begun(&config);
        let depth = from.map_or(0, |(before, _)| self.known[before as usize].depth + 1);
        let first = is_first(begun, &self.known);
        self.known.push(Known {
            from,
            depth,
            begun,
            first,
        });
        self.states.insert_full(config).0 as u32
    }

    fn expand(&mut self) {
        let at = self.expanded();
        let machine = self.machine;
        let config = self.states[at].clone();
        let steps = machine.steps(&config);
        let status = machine.status_given(&config, &steps);
        let may_end = machine.may_end(&config, &steps);
        let is_cut = machine.is_constrained() && steps.is_empty() && status == Status::Discarded;
        let mut enabled: Vec<u32> = Vec::new();
        let is_discarded = |step: &Step| matches!(step.outcome, Outcome::Discarded);
        self.discards.push(steps.iter().any(is_discarded));
        let has_fair_choices = !machine.instance().song().fair_choices.is_empty();
        let outcomes: Vec<_> = match has_fair_choices {
            true => (0..steps.len())
                .map(|number| machine.fair_outcomes(&steps, number))
                .collect(),
            false => Vec::new(),
        };
        let mut outcomes = outcomes.into_iter();
        let mut is_limited = false;
        for (number, step) in steps.into_iter().enumerate() {
            self.steps += 1;
            let (obliged, answered) = outcomes.next().unwrap_or_default();
            if is_discarded(&step) {
                continue;
            }
            let mut tasks = machine.fair_tasks(&config, &step);
            tasks.obliged.extend(obliged);
            tasks.answered.extend(answered);
            let (taken, all) = self.numbered(tasks);
            enabled.extend(taken);
            is_limited |= self.follow(at, number, step, all);
        }
        if may_end {
            let (tasks, _) = self.served.insert_full(Served::default());
            self.edges.push(Edge {
                to: at as u32,
                step: None,
                tasks: tasks as u32,
            });
        }
        enabled.sort_unstable();
        enabled.dedup();
        self.enabled.push(self.sets.insert_full(enabled).0 as u32);
        self.cut.push(match (is_cut, is_limited) {
            (true, _) => Cut::Constraint,
            (_, true) => Cut::Limit,
            _ => Cut::No,
        });
        self.rows.push(self.edges.len());
    }

    /// Enters what a step leads to. Is that beyond a limit of the interpreter?
    fn follow(&mut self, at: usize, number: usize, step: Step, served: Served) -> bool {
        match step.outcome {
            Outcome::Next(next) => {
                let to = self.reach(next, Some((at as u32, number as u32)));
                let tasks = self.served.insert_full(served).0 as u32;
                self.edges.push(Edge {
                    to,
                    step: Some(number as u32),
                    tasks,
                });
                false
            }
            Outcome::Failed(failure, _) => self.failed(failure),
            Outcome::Discarded => false,
        }
    }

    /// Tasks as numbers: those taken, and all that are served.
    fn numbered(&mut self, tasks: TasksOfStep) -> (Vec<u32>, Served) {
        let mut number = |task: FairTask| self.tasks.insert_full(task).0 as u32;
        let taken: Vec<u32> = tasks.taken.into_iter().map(&mut number).collect();
        let others = tasks.gone.into_iter().chain(tasks.answered);
        let others: Vec<u32> = others.map(&mut number).collect();
        let mut obliged: Vec<u32> = tasks.obliged.into_iter().map(&mut number).collect();
        let mut all = [taken.clone(), others].concat();
        for set in [&mut all, &mut obliged] {
            set.sort_unstable();
            set.dedup();
        }
        let served = Served {
            tasks: all,
            obliged,
        };
        (taken, served)
    }
}

/// A path in the graph.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The state at its start.
    pub(crate) start: usize,
    /// Numbers of steps, and the states they lead to.
    pub(crate) steps: Vec<(u32, usize)>,
}

impl Way {
    /// The states on it, from the start.
    pub(crate) fn states(&self) -> impl Iterator<Item = usize> {
        [self.start]
            .into_iter()
            .chain(self.steps.iter().map(|(_, to)| *to))
    }
}
