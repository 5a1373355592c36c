//! Loop acceleration: cycles after which some integers lie elsewhere, each group of them by its own distance.
//!
//! [`shift_invariance`](crate::shift_invariance) asks of a whole song that it treats integers as points. Here less is asked, of one period
//! only: of the handlers that it runs, the processes that it serves, the tasks that it takes.
//!
//! Statement. Let a cycle lead from a state to another by taking tasks. If in the handlers that it runs integers
//! are points, in groups that never meet, and
//!
//! - the variables of every process that it serves (or all globals) end where they began, the points of each
//!   group shifted by the group's distance, and everybody else's are as they were,
//! - what it takes of that which waited at its beginning waits at its end, shifted,
//! - wherever it compares a point with a number, the point lies beyond the number on the side to which its group is
//!   shifted (a *guard*),
//!
//! then it can happen again from its own end, shifted, and again.
//!
//! Why sound. A handler reads its own process's variables and its task only, so whoever is not served, and whatever
//! is not taken, makes no difference and stays. By induction over expressions, as for a shift, points of one
//! group are shifted by the same distance, so differences and comparisons among them are as before; a
//! comparison with a number comes out as before because the distance to the number only grows. That a `nat`
//! is not negative is checked again and passes upwards only. The shifted cycle ends where the three conditions
//! hold again.
//!
//! Guards are not believed: the cycle is executed in the same song with each of them asserted before its
//! statement ([`guard`]). And the period is executed again from its own end in the song itself.
//!
//! Where code that the period does not run stands in the way, the same is asked of the song without it ([`taken`]):
//! its executions are executions of the song.
//!
//! NOT COVERED. Queues, bodies with blocking receives, faults in the cycle, points that are multiplied, or that
//! grow by something that grows.

mod guard;
mod taken;

use crate::idle::{Idle, Served, Task};
use crate::machine::{Config, Form, Machine, Outcome};
use crate::shift_invariance::infer::{Inferred, Manner, Spot, Used, has_points, infer};
use crate::shift_invariance::{lower, mapped, shifted};
use crate::trace::EventKind;
use crate::value::Value;
use guard::guarded;
use plainsong_ir::{
    ActionId, Body, FamilyId, GlobalId, MessageId, Song, System, Ty, VarId, Voices,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use taken::taken;

/// One step of a cycle.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    /// What kind of step it is.
    pub(crate) kind: EventKind,
    /// Who acts.
    pub(crate) lane: Option<usize>,
    /// What it takes.
    pub(crate) task: Task,
    /// What it leaves.
    pub(crate) posts: Vec<Task>,
    /// The state after it, without its bag.
    pub(crate) rest: Config,
}

/// How a cycle shifts what it touches.
#[derive(Clone, Debug)]
pub(crate) struct Drift {
    song: Arc<Song>,
    inferred: Inferred,
    groups: BTreeMap<Spot, usize>,
    /// The family of each process.
    families: Vec<FamilyId>,
    /// Who is served.
    lanes: BTreeSet<usize>,
    /// By how much each group is shifted.
    by: Vec<i64>,
}

/// The legs of the cycle along `path` by `steps`; none when it does something else than taking tasks.
pub(crate) fn legs(machine: &Machine, path: &[Config], steps: &[usize]) -> Option<Vec<Leg>> {
    let mut legs = Vec::new();
    for (at, number) in steps.iter().enumerate() {
        let step = machine.steps(&path[at]).into_iter().nth(*number)?;
        let Served::Task(task) = step.served() else {
            return None;
        };
        let mut before = Idle::of(&path[at]).bag;
        let after = Idle::of(&path[at + 1]);
        before.remove(before.iter().position(|one| *one == task)?);
        legs.push(Leg {
            kind: step.kind,
            lane: step.lane,
            task,
            posts: without(&after.bag, &before)?,
            rest: after.rest,
        });
    }
    Some(legs)
}

/// What of the beginning's bag a cycle takes.
pub(crate) fn needed(legs: &[Leg]) -> Vec<Task> {
    let (mut needed, mut made) = (Vec::new(), Vec::<Task>::new());
    for leg in legs {
        match made.iter().position(|one| *one == leg.task) {
            Some(at) => drop(made.swap_remove(at)),
            None => needed.push(leg.task.clone()),
        }
        made.extend(leg.posts.iter().cloned());
    }
    needed.sort();
    needed
}

/// The bag `from` without `what`; none when it is not all there.
pub(crate) fn without(from: &[Task], what: &[Task]) -> Option<Vec<Task>> {
    let mut left = from.to_vec();
    for task in what {
        left.remove(left.iter().position(|one| one == task)?);
    }
    Some(left)
}

impl Drift {
    /// How the cycle of these legs from `begin` to `end` shifts what it touches; none when it does not.
    pub(crate) fn of(machine: &Machine, begin: &Idle, end: &Idle, legs: &[Leg]) -> Option<Drift> {
        if !is_plain(&begin.rest) || !legs.iter().all(|leg| is_plain(&leg.rest)) {
            return None;
        }
        Drift::in_song(machine, begin, end, legs).or_else(|| {
            let song = taken(machine, begin, legs)?;
            let instance = machine.instance().with_song(Arc::new(song));
            let machine = Machine::new(&instance, machine.subject());
            Drift::in_song(&machine, begin, end, legs)
        })
    }

    /// The same, looking at all code of the handlers that are run.
    fn in_song(machine: &Machine, begin: &Idle, end: &Idle, legs: &[Leg]) -> Option<Drift> {
        let mut drift = Drift::inferred(machine, legs)?;
        let needed = needed(legs);
        for by in drift.distances(begin, end, &needed) {
            drift.by = by;
            let sinks = drift.by.iter().any(|by| *by < 0) && drift.inferred.is_checked;
            let moves = drift.by.iter().any(|by| *by != 0);
            if moves
                && !sinks
                && drift.rest(&begin.rest) == end.rest
                && without(&end.bag, &drift.tasks(&needed)).is_some()
                && drift.is_guarded(machine, begin, legs)
            {
                return Some(drift);
            }
        }
        None
    }

    /// A state without its bag, shifted.
    pub(crate) fn rest(&self, config: &Config) -> Config {
        let mut after = config.clone();
        match &mut after.0 {
            Form::Voices(config) => {
                for lane in &self.lanes {
                    let family = self.families[*lane];
                    let mut changed = (*config.voices[*lane]).clone();
                    let vars = &self.song.families[family.index()].vars;
                    for (at, (value, var)) in changed.vars.iter_mut().zip(vars).enumerate() {
                        self.change(Spot::Var(family, VarId::from(at)), value, &var.ty);
                    }
                    config.voices[*lane] = Arc::new(changed);
                }
            }
            Form::Actions(config) => {
                let globals = &self.song.actions().expect("actions").globals;
                for (at, (value, global)) in config.globals.iter_mut().zip(globals).enumerate() {
                    self.change(Spot::Global(GlobalId::from(at)), value, &global.ty);
                }
            }
            Form::Line(_) => {}
        }
        after
    }

    /// A task, shifted.
    pub(crate) fn task(&self, task: &Task) -> Task {
        let mut values = task.values().to_vec();
        for ((spot, ty), value) in fields(&self.song, task).into_iter().zip(&mut values) {
            self.change(spot, value, ty);
        }
        task.with_values(values.into())
    }

    /// Tasks, shifted, ascending.
    pub(crate) fn tasks(&self, tasks: &[Task]) -> Vec<Task> {
        let mut tasks: Vec<Task> = tasks.iter().map(|task| self.task(task)).collect();
        tasks.sort();
        tasks
    }

    /// What is shifted by how much, by name.
    pub(crate) fn names(&self) -> Vec<(String, i64)> {
        let mut names: Vec<(String, i64)> = Vec::new();
        for (spot, group) in &self.groups {
            let name = match spot {
                Spot::Var(family, var) => {
                    &self.song.families[family.index()].vars[var.index()].name
                }
                Spot::Global(global) => {
                    &self.song.actions().expect("actions").globals[global.index()].name
                }
                Spot::Field(message, at) => {
                    let messages = &self.song.voices().expect("voices").messages;
                    &messages[message.index()].fields[*at].name
                }
                Spot::Argument(action, at) => {
                    let actions = &self.song.actions().expect("actions").actions;
                    &actions[action.index()].code.locals[*at].name
                }
                Spot::Local(..) => continue,
            };
            let moved = (name.clone(), self.by[*group]);
            if moved.1 != 0 && !names.contains(&moved) {
                names.push(moved);
            }
        }
        names
    }

    fn inferred(machine: &Machine, legs: &[Leg]) -> Option<Drift> {
        let instance = machine.instance();
        let song = instance.song();
        if let System::Voices(Voices { processes, .. }) = &song.system
            && !processes
                .iter()
                .all(|process| matches!(process.body, Body::Handlers(_)))
        {
            return None;
        }
        let members = &instance.members()[instance.lanes(machine.subject())];
        let families: Vec<FamilyId> = members.iter().map(|member| member.family).collect();
        let used = used(song, &families, legs);
        let manner = Manner {
            used: Some(&used),
            guards: true,
        };
        let inferred = infer(song, manner);
        let groups = groups(song, &inferred);
        let count = groups.values().max().map_or(0, |last| last + 1);
        Some(Drift {
            song: song.clone(),
            inferred,
            groups,
            families,
            lanes: legs.iter().filter_map(|leg| leg.lane).collect(),
            by: vec![0; count],
        })
    }

    /// Distances that are worth a try: as variables say; where they say nothing, as what waits allows.
    fn distances(&self, begin: &Idle, end: &Idle, needed: &[Task]) -> Vec<Vec<i64>> {
        let mut known: Vec<Option<i64>> = vec![None; self.by.len()];
        for (spot, ty, before, after) in self.variables(&begin.rest, &end.rest) {
            if let Some(group) = self.group(spot, ty)
                && let (Some(before), Some(after)) = (least(before, ty), least(after, ty))
            {
                known[group].get_or_insert(after.wrapping_sub(before));
            }
        }
        let mut open: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        for task in needed {
            for other in end.bag.iter().filter(|other| other.kind() == task.kind()) {
                let values = task.values().iter().zip(other.values());
                for ((spot, ty), (before, after)) in fields(&self.song, task).iter().zip(values) {
                    if let Some(group) = self.group(*spot, ty)
                        && known[group].is_none()
                        && let (Some(before), Some(after)) = (least(before, ty), least(after, ty))
                    {
                        open.entry(group)
                            .or_default()
                            .insert(after.wrapping_sub(before));
                    }
                }
            }
        }
        let known = known.into_iter().map(|by| by.unwrap_or(0)).collect();
        let mut tried: Vec<Vec<i64>> = vec![known];
        for (group, choices) in open {
            let with = |by: &Vec<i64>| -> Vec<Vec<i64>> {
                let mut ways = Vec::new();
                for choice in &choices {
                    let mut by = by.clone();
                    by[group] = *choice;
                    ways.push(by);
                }
                ways
            };
            tried = tried.iter().flat_map(with).take(TRIED).collect();
        }
        tried
    }

    /// The variables of whoever is served, before and after.
    fn variables<'a>(
        &'a self,
        before: &'a Config,
        after: &'a Config,
    ) -> Vec<(Spot, &'a Ty, &'a Value, &'a Value)> {
        let mut all = Vec::new();
        match (&before.0, &after.0) {
            (Form::Voices(before), Form::Voices(after)) => {
                for lane in &self.lanes {
                    let family = self.families[*lane];
                    let vars = self.song.families[family.index()].vars.iter();
                    let values = before.voices[*lane].vars.iter();
                    let values = values.zip(&after.voices[*lane].vars);
                    for ((at, var), (one, other)) in vars.enumerate().zip(values) {
                        all.push((Spot::Var(family, VarId::from(at)), &var.ty, one, other));
                    }
                }
            }
            (Form::Actions(before), Form::Actions(after)) => {
                let globals = self.song.actions().expect("actions").globals.iter();
                let values = before.globals.iter().zip(&after.globals);
                for ((at, global), (one, other)) in globals.enumerate().zip(values) {
                    all.push((Spot::Global(GlobalId::from(at)), &global.ty, one, other));
                }
            }
            _ => {}
        }
        all
    }

    /// Is the cycle possible with its guards asserted?
    fn is_guarded(&self, machine: &Machine, begin: &Idle, legs: &[Leg]) -> bool {
        let used = used(&self.song, &self.families, legs);
        let side = |spot: Spot| {
            let group = self.groups.get(&spot);
            group.map_or(0, |group| self.by[*group].signum())
        };
        let with_guards = guarded(&self.song, &used, &self.inferred, &side).map(|song| {
            let instance = machine.instance().with_song(Arc::new(song));
            Machine::new(&instance, machine.subject())
        });
        let strict = with_guards.as_ref().unwrap_or(machine);
        let mut bag = begin.bag.clone();
        let mut config = Idle::join(&begin.rest, bag.clone());
        for leg in legs {
            let Some(mut left) = without(&bag, std::slice::from_ref(&leg.task)) else {
                return false;
            };
            left.extend(leg.posts.iter().cloned());
            left.sort();
            bag = left;
            let after = Idle::join(&leg.rest, bag.clone());
            let found = strict.steps(&config).into_iter().any(|step| {
                step.kind == leg.kind
                    && step.lane == leg.lane
                    && step.takes().as_ref() == Some(&leg.task)
                    && matches!(&step.outcome, Outcome::Next(next) if *next == after)
            });
            if !found {
                return false;
            }
            config = after;
        }
        true
    }

    fn group(&self, spot: Spot, ty: &Ty) -> Option<usize> {
        (has_points(ty) && !self.inferred.numbers.contains(&spot))
            .then(|| self.groups.get(&spot).copied())
            .flatten()
    }

    fn change(&self, spot: Spot, value: &mut Value, ty: &Ty) {
        if let Some(group) = self.group(spot, ty)
            && self.by[group] != 0
        {
            *value = shifted(value, ty, self.by[group]);
        }
    }
}

/// A state without its bag, with 0 for every integer that may be a point, and these integers in order.
///
/// A cycle that shifts integers leads from a state to one with the same outline.
pub fn outline(machine: &Machine, rest: &Config) -> (Config, Vec<i64>) {
    let (mut outline, mut integers) = (rest.clone(), Vec::new());
    let mut new = |int: i64| {
        integers.push(int);
        0
    };
    let instance = machine.instance();
    let song = instance.song();
    match &mut outline.0 {
        Form::Voices(config) => {
            let members = &instance.members()[instance.lanes(machine.subject())];
            for (voice, member) in config.voices.iter_mut().zip(members) {
                let vars = &song.families[member.family.index()].vars;
                let mut changed = (**voice).clone();
                for (value, var) in changed.vars.iter_mut().zip(vars) {
                    *value = mapped(value, &var.ty, &mut new);
                }
                *voice = Arc::new(changed);
            }
        }
        Form::Actions(config) => {
            let globals = &song.actions().expect("actions").globals;
            for (value, global) in config.globals.iter_mut().zip(globals) {
                *value = mapped(value, &global.ty, &mut new);
            }
        }
        Form::Line(_) => {}
    }
    (outline, integers)
}

/// A task with 0 for every integer that may be a point.
pub fn task_outline(machine: &Machine, task: &Task) -> Task {
    let fields = fields(machine.instance().song(), task);
    let values = task.values().iter().zip(fields);
    let values = values.map(|(value, (_, ty))| mapped(value, ty, &mut |_| 0));
    task.with_values(values.collect())
}

/// The most combinations of distances that are tried.
const TRIED: usize = 32;

/// Is there nothing in queues, and `init` over?
fn is_plain(rest: &Config) -> bool {
    match &rest.0 {
        Form::Voices(config) => config.begun && config.network.messages().is_empty(),
        Form::Actions(config) => config.begun,
        Form::Line(_) => false,
    }
}

/// The code that the legs run.
fn used(song: &Song, families: &[FamilyId], legs: &[Leg]) -> Used {
    let code = |leg: &Leg| match leg.lane {
        Some(lane) => (
            families[lane].index(),
            Some(MessageId::from(leg.task.kind())),
        ),
        None => (song.families.len() + leg.task.kind(), None),
    };
    legs.iter().map(code).collect()
}

/// What the values of a task are kept in.
fn fields<'a>(song: &'a Song, task: &Task) -> Vec<(Spot, &'a Ty)> {
    match &song.system {
        System::Voices(voices) => {
            let kind = MessageId::from(task.kind());
            let fields = voices.messages[kind.index()].fields.iter().enumerate();
            fields
                .map(|(at, field)| (Spot::Field(kind, at), &field.ty))
                .collect()
        }
        System::Actions(actions) => {
            let action = ActionId::from(task.kind());
            let code = &actions.actions[action.index()].code;
            let locals = code.locals[..code.arity].iter().enumerate();
            locals
                .map(|(at, local)| (Spot::Argument(action, at), &local.ty))
                .collect()
        }
        System::None => Vec::new(),
    }
}

/// Numbers the groups of points that never meet.
fn groups(song: &Song, inferred: &Inferred) -> BTreeMap<Spot, usize> {
    let mut spots: BTreeSet<Spot> = inferred
        .links
        .iter()
        .flat_map(|(one, other)| [*one, *other])
        .collect();
    for (family, known) in song.families.iter().enumerate() {
        let vars = 0..known.vars.len();
        spots.extend(vars.map(|var| Spot::Var(FamilyId::from(family), VarId::from(var))));
    }
    if let Some(voices) = song.voices() {
        for (message, known) in voices.messages.iter().enumerate() {
            let fields = 0..known.fields.len();
            spots.extend(fields.map(|at| Spot::Field(MessageId::from(message), at)));
        }
    }
    if let Some(actions) = song.actions() {
        spots.extend((0..actions.globals.len()).map(|at| Spot::Global(GlobalId::from(at))));
        for (action, known) in actions.actions.iter().enumerate() {
            let arguments = 0..known.code.arity;
            spots.extend(arguments.map(|at| Spot::Argument(ActionId::from(action), at)));
        }
    }
    let spots: Vec<Spot> = spots.into_iter().collect();
    let place = |spot: &Spot| spots.binary_search(spot).expect("every spot is listed");
    let mut leader: Vec<usize> = (0..spots.len()).collect();
    for (one, other) in &inferred.links {
        let (one, other) = (leader[place(one)], leader[place(other)]);
        leader
            .iter_mut()
            .filter(|led| **led == one)
            .for_each(|led| *led = other);
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut groups = BTreeMap::new();
    for (at, spot) in spots.iter().enumerate() {
        let next = numbers.len();
        let number = *numbers.entry(leader[at]).or_insert(next);
        groups.insert(*spot, number);
    }
    groups
}

/// The least integer of a value.
fn least(value: &Value, ty: &Ty) -> Option<i64> {
    let mut least = None;
    lower(value, ty, &mut least);
    least
}
