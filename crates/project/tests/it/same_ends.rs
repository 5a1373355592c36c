//! Do line and voices end alike? Every execution of both is tried, at one size.

use plainsong_ir::{FamilyId, Song, VarId};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Status, Subject};
use plainsong_semantics::sizes::{Bounds, External, Sizes};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What was found out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The same ends; so many different ones.
    Same(usize),
    /// Too many states to say.
    TooBig,
    /// Something is wrong.
    Different(String),
}

/// The values of constants and of variables at the start.
type Key = (Vec<Value>, Vec<Value>);

#[derive(Debug, Default)]
struct Ends {
    finals: BTreeSet<Vec<Value>>,
    failures: BTreeSet<String>,
    deadlocks: usize,
    /// Is there an execution that comes back to a state that it was in?
    repeats: bool,
}

/// A process computes for ever: what it does between two messages is one step. A line takes a step for each statement,
/// and comes back to where it was.
fn is_endless(failure: &str) -> bool {
    failure.contains("kind: Resource")
}

/// Which schedules of the voices are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedules {
    /// Every one.
    All,
    /// One for each vector of choices: where every receive names its sender and its message, all
    /// others end alike. Whoever goes on for ever without a message comes last.
    One,
}

/// Compares choreography `line` of `song` with `voices`.
pub(crate) fn compare(
    song: &Song,
    line: usize,
    voices: &Song,
    sizes: &Sizes,
    (schedules, most): (Schedules, usize),
) -> Comparison {
    let (song, voices) = (Arc::new(song.clone()), Arc::new(voices.clone()));
    let consts = song.consts.len();
    let Some(ours) = all_ends(
        &song,
        Subject::Line(line),
        consts,
        sizes,
        (Schedules::All, most),
    ) else {
        return Comparison::TooBig;
    };
    let Some(theirs) = all_ends(&voices, Subject::System, consts, sizes, (schedules, most)) else {
        return Comparison::TooBig;
    };
    let mut count = 0;
    for (key, line) in &ours {
        let nothing = Ends::default();
        let voices = theirs.get(key).unwrap_or(&nothing);
        if !line.failures.is_empty() {
            continue;
        }
        if voices.deadlocks > 0 {
            return Comparison::Different(format!("deadlock, starting with {key:?}"));
        }
        let mut failures = voices.failures.iter();
        if let Some(failure) = failures.find(|one| !(line.repeats && is_endless(one))) {
            return Comparison::Different(format!("{failure}, starting with {key:?}"));
        }
        if line.finals != voices.finals {
            return Comparison::Different(format!(
                "starting with {key:?}, the line ends with {:?}, the voices with {:?}",
                line.finals, voices.finals
            ));
        }
        count += line.finals.len();
    }
    // A line that cannot begin says nothing about what it would have begun with.
    let cannot_begin = |(_, start): &Key| start.is_empty();
    let cannot_begin = ours
        .iter()
        .any(|(key, ends)| cannot_begin(key) && !ends.failures.is_empty());
    // Neither does one that goes on for ever, if its voices do, too.
    let has_no_end = |ends: &Ends| {
        let mut failures = ends.failures.iter();
        ends.finals.is_empty() && ends.deadlocks == 0 && failures.all(|one| is_endless(one))
    };
    // Nor one whose `requires` allows none of the values that are tried: a parameter then takes a larger one.
    let says_nothing = cannot_begin || ours.is_empty();
    let mut others = theirs
        .iter()
        .filter(|(key, ends)| !ours.contains_key(key) && !says_nothing && !has_no_end(ends));
    if let Some((key, _)) = others.next() {
        return Comparison::Different(format!("only voices start with {key:?}"));
    }
    Comparison::Same(count)
}

fn all_ends(
    song: &Arc<Song>,
    subject: Subject,
    consts: usize,
    sizes: &Sizes,
    (schedules, most): (Schedules, usize),
) -> Option<BTreeMap<Key, Ends>> {
    let mut ends: BTreeMap<Key, Ends> = BTreeMap::new();
    // Line and processes are different texts: candidates from their constants would differ.
    let bounds = Bounds {
        external: External::Drawn(1),
        constants: false,
        ..Bounds::default()
    };
    let instances = Instance::all(song.clone(), sizes, &bounds).unwrap_or_default();
    let mut left = most;
    for instance in instances {
        let machine = Machine::new(&instance, subject);
        let constants: Vec<Value> = (0..consts)
            .map(|at| instance.constant(at.into()).clone())
            .collect();
        for outcome in machine.initial() {
            let config = match outcome {
                Outcome::Next(config) => config,
                Outcome::Failed(failure, config) => {
                    let key = (constants.clone(), Vec::new());
                    drop(config);
                    ends.entry(key)
                        .or_default()
                        .failures
                        .insert(format!("{failure:?}"));
                    continue;
                }
                Outcome::Discarded => continue,
            };
            let start = values(&machine, &config);
            let found = ends.entry((constants.clone(), start)).or_default();
            walk(&machine, config, found, (schedules, &mut left))?;
        }
    }
    ends.retain(|_, found| {
        !found.finals.is_empty() || !found.failures.is_empty() || found.deadlocks > 0
    });
    Some(ends)
}

fn walk(
    machine: &Machine,
    start: Config,
    ends: &mut Ends,
    (schedules, left): (Schedules, &mut usize),
) -> Option<()> {
    let mut seen = HashMap::from([(start.clone(), 0)]);
    let mut successors: Vec<Vec<usize>> = vec![Vec::new()];
    let mut open = vec![(0, start)];
    while let Some((number, config)) = open.pop() {
        *left = left.checked_sub(1)?;
        let steps = machine.steps(&config);
        match machine.status_given(&config, &steps) {
            Status::Final => {
                ends.finals.insert(values(machine, &config));
            }
            Status::Deadlock(_) => ends.deadlocks += 1,
            Status::Running | Status::Discarded => {}
        }
        let computes = |outcome: &Outcome| matches!(outcome, Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource);
        let lanes = steps.iter();
        let first = lanes
            .map(|step| (computes(&step.outcome), step.lane))
            .min()
            .map(|(_, lane)| lane);
        for step in steps {
            if schedules == Schedules::One && Some(step.lane) != first {
                continue;
            }
            match step.outcome {
                Outcome::Next(next) => {
                    let new = seen.len();
                    let to = *seen.entry(next.clone()).or_insert(new);
                    successors[number].push(to);
                    if to == new {
                        successors.push(Vec::new());
                        open.push((new, next));
                    }
                }
                Outcome::Failed(failure, _) => {
                    ends.failures.insert(format!("{failure:?}"));
                }
                Outcome::Discarded => {}
            }
        }
    }
    ends.repeats |= has_cycle(&successors);
    Some(())
}

/// Does a graph have a cycle? What has no predecessor is taken away until nothing is left, or only cycles and what follows them.
fn has_cycle(successors: &[Vec<usize>]) -> bool {
    let mut predecessors = vec![0_usize; successors.len()];
    for to in successors.iter().flatten() {
        predecessors[*to] += 1;
    }
    let mut free: Vec<usize> = (0..successors.len())
        .filter(|at| predecessors[*at] == 0)
        .collect();
    let mut taken = 0;
    while let Some(at) = free.pop() {
        taken += 1;
        for to in &successors[at] {
            predecessors[*to] -= 1;
            if predecessors[*to] == 0 {
                free.push(*to);
            }
        }
    }
    taken < successors.len()
}

/// All variables of all members.
fn values(machine: &Machine, config: &Config) -> Vec<Value> {
    let instance = machine.instance();
    let mut values = Vec::new();
    for row in instance.lanes(machine.subject()) {
        let family: FamilyId = instance.members()[row].family;
        let vars = instance.song().families[family.index()].vars.len();
        values.extend((0..vars).map(|var| config.value(row, VarId::from(var)).clone()));
    }
    values
}
