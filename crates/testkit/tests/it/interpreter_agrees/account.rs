//! What both sides say about a program.

use super::values::translated;
use plainsong_ir::{ConstId, Song, SortId, SortKind, System, Ty};
use plainsong_semantics::executions::{ExecutionCount, executions};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome as After, Status, Subject};
use plainsong_semantics::search::{Completeness, Limits, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::trace::FailureKind;
use plainsong_testkit::enumerate::{Enumerated, Outcome, Value, enumerate};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The most states and prefixes of executions that the interpreter may have to remember; programs with more
/// are left out.
const MOST_PREFIXES: u64 = 60_000;

/// Variables by name with their values: not their texts, which may list the members of a set in
/// another order, or be the same for different values.
pub(crate) type Variables = BTreeMap<String, Value>;

/// What must be the same.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Numbers of executions; of an action system, whether there are any.
    pub(crate) complete: usize,
    pub(crate) blocked: usize,
    pub(crate) failed: usize,
    /// Zero for an action system.
    pub(crate) discarded: usize,
    /// Variables in final states.
    pub(crate) finals: BTreeSet<Variables>,
    /// Variables in deadlocks.
    pub(crate) deadlocks: BTreeSet<Variables>,
}

impl Account {
    /// Without what no rule of the language decides: how to count executions that fail or are cut
    /// off before the first step.
    pub(crate) fn without_numbers_of_failures(self) -> Account {
        Account {
            failed: self.failed.min(1),
            discarded: 0,
            ..self
        }
    }
}

/// The first instance of a song at the sizes it asks for; `None` when there is none, or a parameter
/// may have a type of many values, all of which would be tried.
pub(crate) fn instance(song: &Song) -> Option<Instance> {
    let has_few = |ty: &Ty| matches!(ty, Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_));
    let mut params = song
        .consts
        .iter()
        .filter(|declared| declared.value.is_none());
    if params.any(|declared| !has_few(&declared.ty)) {
        return None;
    }
    let chosen = song
        .sizes
        .iter()
        .map(|sizing| (sizing.name.clone(), sizing.low))
        .collect();
    let instances = Instance::all(
        Arc::new(song.clone()),
        &Sizes {
            chosen,
            ..Sizes::default()
        },
        // The enumerator knows the window only.
        &Bounds {
            constants: false,
            ..Bounds::default()
        },
    );
    instances.ok()?.into_iter().next()
}

/// What the enumerator finds; `None` when it is too much.
pub(crate) fn enumerated(instance: &Instance, limit: usize) -> Option<Account> {
    let (song, numbers) = (instance.song(), numbers(instance));
    Some(
        match enumerate(song, &numbers, instance.delivery(), limit)? {
            Enumerated::Voices(found) => Account {
                complete: found.complete.len(),
                blocked: found.blocked.len(),
                failed: found.failed.len(),
                discarded: found.discarded.len(),
                finals: found.outcomes.into_iter().map(variables).collect(),
                deadlocks: found.blocked_outcomes.into_iter().map(variables).collect(),
            },
            Enumerated::Actions(found) => Account {
                complete: usize::from(!found.finals.is_empty()),
                blocked: usize::from(!found.deadlocks.is_empty()),
                failed: usize::from(!found.failures.is_empty()),
                discarded: 0,
                finals: found.finals.into_iter().map(variables).collect(),
                deadlocks: found
                    .deadlocks
                    .into_iter()
                    .map(|(globals, _)| variables(globals))
                    .collect(),
            },
        },
    )
}

fn variables(outcome: Outcome) -> Variables {
    outcome
        .into_iter()
        .map(|(name, held)| (name, held.value))
        .collect()
}

/// What the interpreter finds; `None` when it reached a limit of its own.
pub(crate) fn interpreted(instance: &Instance) -> Option<Account> {
    let machine = Machine::new(instance, Subject::System);
    let ends = ends(&machine)?;
    let mut account = Account {
        complete: usize::from(!ends.finals.is_empty()),
        blocked: usize::from(!ends.deadlocks.is_empty()),
        failed: usize::from(ends.failure),
        discarded: 0,
        finals: ends.finals,
        deadlocks: ends.deadlocks,
    };
    if matches!(instance.song().system, System::Voices(_)) {
        let limits = Limits {
            states: MOST_PREFIXES,
            ..Limits::default()
        };
        let count = executions(&machine, &limits, &mut Unwatched)?;
        if count.completeness == Completeness::StateLimit {
            return None;
        }
        check(&account, &count);
        account.complete = count.complete as usize;
        account.blocked = count.blocked as usize;
        account.failed = count.failed as usize;
        account.discarded = count.discarded as usize;
    }
    Some(account)
}

/// What the interpreter finds in all states, without numbers of executions.
pub(crate) fn searched(instance: &Instance) -> Option<Account> {
    let ends = ends(&Machine::new(instance, Subject::System))?;
    Some(Account {
        complete: usize::from(!ends.finals.is_empty()),
        blocked: usize::from(!ends.deadlocks.is_empty()),
        failed: usize::from(ends.failure),
        discarded: 0,
        finals: ends.finals,
        deadlocks: ends.deadlocks,
    })
}

impl Account {
    /// Only whether there are executions of each kind, and how they end.
    pub(crate) fn without_numbers(self) -> Account {
        Account {
            complete: self.complete.min(1),
            blocked: self.blocked.min(1),
            failed: self.failed.min(1),
            discarded: 0,
            ..self
        }
    }
}

/// The two ways to run a song of voices must themselves agree on what is possible.
fn check(seen: &Account, count: &ExecutionCount) {
    assert_eq!(count.completeness, Completeness::Complete);
    assert_eq!(seen.complete > 0, count.complete > 0);
    assert_eq!(seen.blocked > 0, count.blocked > 0);
    assert_eq!(seen.failed > 0, count.failed > 0);
}

/// The sizes of sorts and the values of parameters of an instance, as the enumerator wants them.
fn numbers(instance: &Instance) -> BTreeMap<String, i64> {
    let song = instance.song();
    let sorts = song.sorts.iter().enumerate();
    let sizes = sorts.map(|(at, sort)| {
        let size = instance.size(SortId::from(at));
        (
            sort.name.clone(),
            i64::try_from(size).expect("sorts are small"),
        )
    });
    let consts = song.consts.iter().enumerate();
    let params = consts.filter(|(_, declared)| declared.value.is_none());
    let values = params.map(|(at, declared)| {
        let number = number(instance, ConstId::from(at), &declared.ty);
        (declared.name.clone(), number)
    });
    sizes.chain(values).collect()
}

/// A parameter's value as a number: itself, or its position among the values of its type.
fn number(instance: &Instance, param: ConstId, ty: &Ty) -> i64 {
    let value = instance.constant(param);
    let is_number = match ty {
        Ty::Int | Ty::Nat => true,
        Ty::Sort(id) => {
            matches!(instance.song().sorts[id.index()].kind, SortKind::Range(_))
        }
        _ => false,
    };
    if is_number {
        return value.int();
    }
    let values = instance
        .candidates(ty)
        .expect("a parameter's type is finite");
    let position = values.iter().position(|other| other == value);
    position.expect("a parameter has a value of its type") as i64
}

/// What can be seen in the states where nothing happens any more.
#[derive(Default)]
struct Ends {
    finals: BTreeSet<Variables>,
    deadlocks: BTreeSet<Variables>,
    failure: bool,
}

/// Looks at every state that the interpreter reaches; `None` when it gives up somewhere.
fn ends(machine: &Machine) -> Option<Ends> {
    let mut ends = Ends::default();
    let mut seen: HashSet<Config> = HashSet::new();
    let mut open = Vec::new();
    for start in machine.initial() {
        ends.reach(start, &mut open)?;
    }
    while let Some(config) = open.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        if seen.len() as u64 > MOST_PREFIXES {
            return None;
        }
        let steps = machine.steps(&config);
        let outcome = || {
            let values = machine.values(&config).into_iter();
            values
                .map(|(name, value, ty)| (name, translated(machine.instance(), value, ty)))
                .collect()
        };
        match machine.status_given(&config, &steps) {
            Status::Final => _ = ends.finals.insert(outcome()),
            Status::Deadlock(_) => _ = ends.deadlocks.insert(outcome()),
            Status::Running | Status::Discarded => {}
        }
        for step in steps {
            ends.reach(step.outcome, &mut open)?;
        }
    }
    Some(ends)
}

impl Ends {
    fn reach(&mut self, after: After, open: &mut Vec<Config>) -> Option<()> {
        match after {
            After::Next(config) => open.push(config),
            After::Failed(failure, _) if failure.kind == FailureKind::Resource => return None,
            After::Failed(..) => self.failure = true,
            After::Discarded => {}
        }
        Some(())
    }
}
