//! Termination of one instance by counting (a ranking certificate of `diverge`, from linear programming), checked.
//!
//! The checker asks the interpreter for everything that any task can do at any state of the variables, as far as
//! they can come about at all: the *arcs*. The certificate strikes out arcs that no infinite (fair) execution
//! takes for ever, each time for a reason that is looked at here; when none is left, every (fair) execution
//! terminates.
//!
//! - **ranked**: numbers for states and tasks, none negative, whose sum over everything pending no arc that is left
//!   increases: those that decrease it go.
//! - **unserved**, unless all executions are meant: a task that could be served in every state in question, and is not
//!   by any arc left: those that leave it go.
//! - **waits**, if those that ignore something are not meant: a task that is moreover pending in all these states,
//!   whatever happened before: all arcs go.
//!
//! A reason may be about some states only, if no arc left leads into or out of them.
//!
//! States and tasks are named in words. Where two states have the same words (messages that carry their past), the
//! certificate is refused as not covered. Shares no code with the search: it does not search, and counts in 128 bits.
//!
//! What is shown is about one instance: its sizes, and of integers, sequences and bags that are chosen freely those
//! within its windows ([`windows`](crate::windows)). What the instance fixes is part of the answer ([`Covered`]), read
//! off the instance and not off the certificate; a certificate that does not name the windows is refused.

use crate::windows::windows_of;
use crate::{Refused, not_covered, refuse};
use plainsong_certificate::{Executions, Reason, Strike, TerminationCertificate, VERSION, hash};
use plainsong_ir::Delivery;
use plainsong_semantics::idle::{Idle, Served, Task};
use plainsong_semantics::machine::{Config, Machine, Outcome};
use plainsong_semantics::trace::FailureKind;
use std::collections::{BTreeMap, BTreeSet};

/// The most pairs of a state and a task that are asked about.
const PAIRS: usize = 400_000;

/// What a certificate that is accepted is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// What the instance fixes: sizes, values of parameters, windows, the model of delivery.
    pub bound: BTreeMap<String, String>,
    /// Does something fail in some state? An execution that fails ends there.
    pub fails: bool,
}

/// Checks a certificate against the instance it is about.
pub fn recheck_termination(
    machine: &Machine,
    text: &str,
    certificate: &TerminationCertificate,
) -> Result<Covered, Refused> {
    if certificate.version != VERSION {
        return not_covered(format!("version {} is not covered", certificate.version));
    }
    if certificate.hash != hash(text) {
        return refuse("the song is not the one that the certificate is about");
    }
    let instance = machine.instance();
    if certificate.windows.is_closed() {
        return refuse("nothing can be chosen in its windows");
    }
    if certificate.windows != windows_of(instance) {
        return refuse("it does not say which of infinitely many values were tried");
    }
    if certificate.delivery.as_deref() != instance.delivery().map(Delivery::name) {
        return refuse("it is about another model of delivery");
    }
    let arcs = Arcs::of(machine)?;
    let mut left: Vec<&Arc> = arcs.all.iter().collect();
    for (number, strike) in certificate.strikes.iter().enumerate() {
        let at = format!("strike {}", number + 1);
        left = arcs.strike(left, strike, certificate.executions, &at)?;
    }
    match left.first() {
        None => Ok(Covered {
            bound: instance.bound(),
            fails: arcs.fails,
        }),
        Some(arc) => refuse(format!(
            "something may happen for ever: at `{}`",
            arcs.states[arc.from].0
        )),
    }
}

/// Something that can be done with a task, or without one.
struct Arc {
    from: usize,
    to: usize,
    takes: Option<usize>,
    leaves: BTreeMap<usize, i128>,
    serves: Option<usize>,
}

/// Everything that can be done.
#[derive(Default)]
struct Arcs {
    states: Vec<(String, Config)>,
    state_numbers: BTreeMap<String, usize>,
    tasks: Vec<(String, Task)>,
    task_numbers: BTreeMap<String, usize>,
    all: Vec<Arc>,
    /// Pairs of a state and a task that could be served there.
    could: BTreeSet<(usize, usize)>,
    /// Where it starts, and what is pending there.
    starts: Vec<(usize, BTreeSet<usize>)>,
    /// Does something fail?
    fails: bool,
}

impl Arcs {
    fn of(machine: &Machine) -> Result<Arcs, Refused> {
        let mut arcs = Arcs::default();
        for start in machine.initial() {
            match start {
                Outcome::Next(config) => {
                    let (state, pending) = arcs.name(machine, &config)?;
                    arcs.starts.push((state, pending.into_keys().collect()));
                }
                Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource => {
                    return refuse(failure.message);
                }
                Outcome::Failed(..) => arcs.fails = true,
                Outcome::Discarded => {}
            }
        }
        let mut asked: BTreeSet<(usize, Option<usize>)> = BTreeSet::new();
        loop {
            let (states, tasks) = (arcs.states.len(), arcs.tasks.len());
            for state in 0..states {
                let some = (0..tasks).map(Some);
                for task in [None].into_iter().chain(some) {
                    if asked.insert((state, task)) {
                        arcs.ask(machine, state, task)?;
                    }
                    if asked.len() > PAIRS {
                        return not_covered("so many states and tasks are not covered");
                    }
                }
            }
            if (states, tasks) == (arcs.states.len(), arcs.tasks.len()) {
                return Ok(arcs);
            }
        }
    }

    /// What a state and what is pending in it are called, by number.
    fn name(
        &mut self,
        machine: &Machine,
        config: &Config,
    ) -> Result<(usize, BTreeMap<usize, i128>), Refused> {
        let Idle { rest, bag } = Idle::of(config);
        let words = machine.rest(&rest);
        let state = match self.state_numbers.get(&words) {
            Some(&at) if self.states[at].1 == rest => at,
            Some(_) => return not_covered(format!("two states are called `{words}`: not covered")),
            None => {
                let at = self.states.len();
                self.state_numbers.insert(words.clone(), at);
                self.states.push((words, rest));
                at
            }
        };
        let mut pending = BTreeMap::new();
        for task in bag {
            let words = machine.task_and_origin(&task);
            let at = match self.task_numbers.get(&words) {
                Some(&at) if self.tasks[at].1 == task => at,
                Some(_) => {
                    return not_covered(format!("two tasks are called `{words}`: not covered"));
                }
                None => {
                    let at = self.tasks.len();
                    self.task_numbers.insert(words.clone(), at);
                    self.tasks.push((words, task));
                    at
                }
            };
            *pending.entry(at).or_insert(0) += 1;
        }
        Ok((state, pending))
    }

    fn ask(&mut self, machine: &Machine, from: usize, takes: Option<usize>) -> Result<(), Refused> {
        let task = takes.map(|at| self.tasks[at].1.clone());
        let config = Idle::join(&self.states[from].1, task.clone());
        for step in machine.steps(&config) {
            if step.takes() != task && task.is_some() {
                continue;
            }
            let serves = takes.filter(|_| matches!(step.served(), Served::Task(_)));
            match step.outcome {
                Outcome::Discarded => continue,
                Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource => {
                    return refuse(failure.message);
                }
                Outcome::Failed(..) => self.fails = true,
                Outcome::Next(after) => {
                    let (to, leaves) = self.name(machine, &after)?;
                    self.all.push(Arc {
                        from,
                        to,
                        takes,
                        leaves,
                        serves,
                    });
                }
            }
            self.could.extend(serves.map(|task| (from, task)));
        }
        Ok(())
    }

    fn strike<'a>(
        &'a self,
        left: Vec<&'a Arc>,
        strike: &Strike,
        meant: Executions,
        at: &str,
    ) -> Result<Vec<&'a Arc>, Refused> {
        let scope: BTreeSet<usize> = match strike.scope.is_empty() {
            true => (0..self.states.len()).collect(),
            false => self.numbers(&strike.scope, at)?,
        };
        if (left.iter()).any(|arc| scope.contains(&arc.from) != scope.contains(&arc.to)) {
            return refuse(format!("{at}: something leads into or out of its states"));
        }
        let (inside, outside): (Vec<&Arc>, Vec<&Arc>) =
            left.into_iter().partition(|arc| scope.contains(&arc.from));
        let mut stays = match &strike.reason {
            Reason::Ranked {
                potentials,
                weights,
            } => self.ranked(inside, potentials, weights, at)?,
            Reason::Unserved { task } => {
                let may_ignore = meant == Executions::Any;
                let task = self.ignored(&inside, &scope, task, may_ignore, at)?;
                let leaves = |arc: &&Arc| arc.leaves.contains_key(&task);
                inside.into_iter().filter(|arc| !leaves(arc)).collect()
            }
            Reason::Waits { task } => {
                let may_ignore = meant != Executions::Fair;
                let task = self.ignored(&inside, &scope, task, may_ignore, at)?;
                let sure = self.surely_pending(task);
                if !scope.iter().all(|state| sure.contains(state)) {
                    return refuse(format!("{at}: the task is not pending in all its states"));
                }
                Vec::new()
            }
        };
        stays.extend(outside);
        Ok(stays)
    }

    fn ranked<'a>(
        &self,
        inside: Vec<&'a Arc>,
        potentials: &BTreeMap<String, i64>,
        weights: &BTreeMap<String, i64>,
        at: &str,
    ) -> Result<Vec<&'a Arc>, Refused> {
        if potentials
            .values()
            .chain(weights.values())
            .any(|one| *one < 0)
        {
            return refuse(format!("{at}: a number is negative"));
        }
        let potential = |state: usize| worth(potentials, &self.states[state].0);
        let weight = |task: usize| worth(weights, &self.tasks[task].0);
        let mut stays = Vec::new();
        for arc in inside {
            let taken = arc.takes.map_or(0, weight);
            let left: i128 = (arc.leaves.iter())
                .map(|(task, many)| weight(*task) * many)
                .sum();
            let change = potential(arc.to) - potential(arc.from) - taken + left;
            if change > 0 {
                let state = &self.states[arc.from].0;
                return refuse(format!("{at}: its sum increases at `{state}`"));
            }
            if change == 0 {
                stays.push(arc);
            }
        }
        Ok(stays)
    }

    /// The task that is ignored by whoever stays inside and leaves it waiting.
    fn ignored(
        &self,
        inside: &[&Arc],
        scope: &BTreeSet<usize>,
        task: &str,
        may_ignore: bool,
        at: &str,
    ) -> Result<usize, Refused> {
        let Some(&number) = self.task_numbers.get(task) else {
            return refuse(format!("{at}: there is no task `{task}`"));
        };
        if may_ignore {
            return refuse(format!(
                "{at}: executions that are meant may ignore `{task}`"
            ));
        }
        if inside.iter().any(|arc| arc.serves == Some(number)) {
            return refuse(format!("{at}: `{task}` is served"));
        }
        if !scope
            .iter()
            .all(|state| self.could.contains(&(*state, number)))
        {
            return refuse(format!(
                "{at}: `{task}` could not be served in all its states"
            ));
        }
        Ok(number)
    }

    /// The states in which a task is pending whatever happened before.
    fn surely_pending(&self, task: usize) -> BTreeSet<usize> {
        let mut sure: BTreeSet<usize> = (0..self.states.len()).collect();
        for (state, pending) in &self.starts {
            if !pending.contains(&task) {
                sure.remove(state);
            }
        }
        loop {
            let may_lack = |arc: &&Arc| {
                let kept = sure.contains(&arc.from) && arc.takes != Some(task);
                !kept && !arc.leaves.contains_key(&task)
            };
            let lacking: Vec<usize> = (self.all.iter().filter(may_lack))
                .map(|arc| arc.to)
                .collect();
            let before = sure.len();
            sure.retain(|state| !lacking.contains(state));
            if sure.len() == before {
                return sure;
            }
        }
    }

    fn numbers(&self, names: &BTreeSet<String>, at: &str) -> Result<BTreeSet<usize>, Refused> {
        let mut numbers = BTreeSet::new();
        for name in names {
            match self.state_numbers.get(name) {
                Some(&number) => numbers.insert(number),
                None => return refuse(format!("{at}: there is no state `{name}`")),
            };
        }
        Ok(numbers)
    }
}

fn worth(numbers: &BTreeMap<String, i64>, name: &str) -> i128 {
    i128::from(numbers.get(name).copied().unwrap_or(0))
}
