//! Sequentializations by brute force: the schedule run at small sizes, and the conditions tried in every
//! configuration that a small program reaches.
//!
//! What is found is real: a schedule that fails when it is run, or two asyncs that are pending at the same
//! time in a run of the program and do not move past each other. So this refutes and never proves.

use super::line::line;
use super::pool::pool;
use super::runs::Runs;
use super::stage::{Asserts, Staged, abstractions, staged};
use crate::answer::Refutation;
use crate::brute::{Scene, refutation, wrong_in};
use crate::compare::instances;
use crate::movers::{Condition, Need, Side, needs_past};
use plainsong_ir::{Action, ActionId, Actions, Role, Song, System};
use plainsong_semantics::atomic::{Atoms, Effect};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::threads::Threads;
use plainsong_semantics::trace::{Failure, FailureKind};
use plainsong_semantics::value::Value;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most configurations of one small program.
const MOST: usize = 1_500;
/// The most first values that are tried.
const STARTS: usize = 60;

/// An async: its action and its arguments.
type Async = (ActionId, Vec<Value>);

/// Something wrong with sequentialization number `at`, at some sizes.
pub(super) fn refuted(song: &Song, at: usize, sizes: RangeInclusive<i64>) -> Option<Refutation> {
    schedule_fails(song, at, sizes.clone()).or_else(|| does_not_move(song, at, sizes))
}

/// A failure of the schedule when it is run.
fn schedule_fails(song: &Song, at: usize, sizes: RangeInclusive<i64>) -> Option<Refutation> {
    let mut whole = song.clone();
    let actions = song.actions()?;
    let mut with = actions.clone();
    let runs = Runs::new(&mut whole, &mut with, &pool(actions, 0));
    let stage = staged(&whole, at + 1, with, &runs);
    let (song, schedule) = with_init_as_action(&stage.song)?;
    let song = Arc::new(song);
    for size in sizes {
        for instance in instances(&song, size) {
            let atoms = Atoms::new(&instance);
            let starts = Threads::new(&instance).stores().ok()?;
            for start in starts.iter().take(STARTS) {
                if let Some((failure, globals)) = atoms.fails(schedule, start, &[]) {
                    return Some(told(&instance, &stage, &runs, &failure, &globals));
                }
            }
        }
        if song.sorts.is_empty() {
            break;
        }
    }
    None
}

/// The song with its `init` as its last action.
fn with_init_as_action(song: &Song) -> Option<(Song, ActionId)> {
    let mut actions = song.actions()?.clone();
    let id = ActionId::from(actions.actions.len());
    actions.actions.push(Action {
        name: "init".to_owned(),
        code: actions.init.clone().unwrap_or_default(),
        role: Role::default(),
        span: Default::default(),
    });
    let song = Song {
        system: System::Actions(actions),
        ..song.clone()
    };
    Some((song, id))
}

fn told(
    instance: &Instance,
    stage: &Staged,
    runs: &Runs,
    failure: &Failure,
    globals: &[Value],
) -> Refutation {
    let within = |span: &plainsong_diagnostics::Span| {
        span.start <= failure.span.start && failure.span.end <= span.end
    };
    let from = stage.asserts.iter().find(|(span, _)| within(span));
    let assertion = failure.kind == FailureKind::Assertion;
    let what = match from.map(|(_, what)| what).filter(|_| assertion) {
        Some(Asserts::Membership) => "membership: the schedule calls what is not pending",
        Some(Asserts::End) => "end: something that is eliminated is still pending",
        Some(Asserts::Invariant) => "invariant: it is false when the schedule begins",
        None => "gate: what the schedule does fails",
    };
    let song = instance.song();
    let rows = song.actions().map_or(&[][..], |actions| &actions.globals);
    let shown = |at: usize| {
        let text = show(instance, &globals[at], &rows[at].ty);
        text.replace("Async::", "")
    };
    let mut picture = vec![
        format!("ran: {}", shown(runs.ran.index())),
        format!("pending: {}", shown(runs.pending.index())),
    ];
    for (at, row) in rows.iter().enumerate() {
        if at != runs.ran.index() && at != runs.pending.index() {
            picture.push(format!("{} = {}", row.name, shown(at)));
        }
    }
    let ran = shown(runs.ran.index());
    Refutation {
        reason: format!(
            "{what} after {ran}: {}",
            failure.message.replace("Async::", "")
        ),
        picture,
    }
}

/// Two pending asyncs of a reachable configuration that do not move past each other.
fn does_not_move(song: &Song, at: usize, sizes: RangeInclusive<i64>) -> Option<Refutation> {
    let before = line(song, at);
    let mut actions = before.actions()?.clone();
    let pairs = abstractions(&mut actions, &song.actions()?.sequences[at]);
    let others: Vec<ActionId> = pool(song.actions()?, at).into_iter().collect();
    let needs: Vec<Need> = pairs
        .iter()
        .flat_map(|(_, by)| needs_past(&actions, *by, Side::Left, &others))
        .collect();
    let with = Song {
        system: System::Actions(actions),
        ..before
    };
    let (with, init) = with_init_as_action(&with)?;
    let with = Arc::new(with);
    for size in sizes {
        for instance in instances(&with, size) {
            let atoms = Atoms::new(&instance);
            let starts = Threads::new(&instance).stores().ok()?;
            let looking = Looking {
                atoms: &atoms,
                pairs: &pairs,
                needs: &needs,
            };
            if let Some(found) = looking.reach(init, &starts) {
                return Some(found);
            }
        }
        if with.sorts.is_empty() {
            break;
        }
    }
    None
}

struct Looking<'a> {
    atoms: &'a Atoms,
    pairs: &'a [(ActionId, ActionId)],
    needs: &'a [Need],
}

impl Looking<'_> {
    /// Looks at every configuration that can be reached.
    fn reach(&self, init: ActionId, starts: &[Vec<Value>]) -> Option<Refutation> {
        let mut known: BTreeSet<(Vec<Value>, Vec<Async>)> = BTreeSet::new();
        let mut open: Vec<(Vec<Value>, Vec<Async>)> = Vec::new();
        for start in starts.iter().take(STARTS) {
            for effect in self.atoms.run(init, start, &[]) {
                if let Effect::Done(done) = effect {
                    open.push((done.globals, done.created));
                }
            }
        }
        while let Some((globals, pending)) = open.pop() {
            if known.len() > MOST || !known.insert((globals.clone(), pending.clone())) {
                continue;
            }
            if let Some(found) = self.wrong(&globals, &pending) {
                return Some(found);
            }
            for (position, (action, arguments)) in pending.iter().enumerate() {
                for effect in self.atoms.run(*action, &globals, arguments) {
                    if let Effect::Done(done) = effect {
                        let mut rest = pending.clone();
                        rest.remove(position);
                        rest.extend(done.created);
                        rest.sort();
                        open.push((done.globals, rest));
                    }
                }
            }
        }
        None
    }

    /// What is wrong in one configuration.
    fn wrong(&self, globals: &[Value], pending: &[Async]) -> Option<Refutation> {
        for (at, (action, arguments)) in pending.iter().enumerate() {
            let Some((_, by)) = self.pairs.iter().find(|(one, _)| one == action) else {
                continue;
            };
            for need in self.needs.iter().filter(|need| need.second == *by) {
                let others = pending.iter().enumerate();
                let others = others.filter(|(other, one)| *other != at && one.0 == need.first);
                let alone = need.condition == Condition::Nonblocking;
                let firsts: Vec<&Vec<Value>> = match alone {
                    true => vec![arguments],
                    false => others.map(|(_, one)| &one.1).collect(),
                };
                for first in firsts {
                    let scene = Scene {
                        globals: globals.to_vec(),
                        first: first.clone(),
                        second: arguments.clone(),
                    };
                    if let Some(wrong) = wrong_in(self.atoms, need, &scene) {
                        let mut told = refutation(self.atoms, need, &scene, &wrong);
                        told.reason = format!("{}: {}", need.condition.name(), told.reason);
                        told.picture
                            .push(format!("pending: {}", self.pending(pending)));
                        return Some(told);
                    }
                }
            }
        }
        None
    }

    fn pending(&self, pending: &[Async]) -> String {
        let instance = self.atoms.instance();
        let song = instance.song();
        let actions: &Actions = song.actions().expect("asyncs are of actions");
        let told = pending.iter().map(|(id, arguments)| {
            let action = &actions.actions[id.index()];
            let rows = action.code.locals.iter().zip(arguments);
            let values: Vec<String> = rows
                .map(|(row, value)| show(instance, value, &row.ty))
                .collect();
            format!("{}({})", action.name, values.join(", "))
        });
        told.collect::<Vec<_>>().join(", ")
    }
}
