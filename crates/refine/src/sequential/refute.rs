//! Sequentializations by brute force: the schedule run at small sizes, and the conditions tried in every
//! configuration that a small program reaches.
//!
//! What is found is real: a schedule that fails when it is run, or two asyncs that are pending at the same
//! time and do not move past each other, one of them when the schedule calls it. So this refutes and never proves.

use super::pool::pool;
use super::runs::{Runs, in_words};
use super::stage::{Asserts, Staged, staged};
use crate::answer::Refutation;
use crate::async_text::{told_asyncs, told_global};
use crate::brute::{Scene, refutation, wrong_in};
use crate::compare::instances;
use crate::movers::{Condition, Need, Side, needs_past};
use plainsong_diagnostics::{Span, quote_marker};
use plainsong_ir::{Action, ActionId, GlobalId, Role, Song, System};
use plainsong_semantics::atomic::{Atoms, Effect};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::threads::Threads;
use plainsong_semantics::trace::{Failure, FailureKind};
use plainsong_semantics::value::Value;
use std::collections::{BTreeSet, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most configurations of one small program.
const MOST: usize = 1_500;
/// The most first values that are tried.
const STARTS: usize = 60;

/// An async: its action and its arguments.
pub(super) type Async = (ActionId, Vec<Value>);

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
    let within = |span: &Span| span.start <= failure.span.start && failure.span.end <= span.end;
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
    let asyncs = |id: GlobalId| told_asyncs(instance, &runs.asyncs(&globals[id.index()]));
    let (ran, pending) = (asyncs(runs.ran), asyncs(runs.pending));
    let mut picture = vec![format!("ran: {ran}")];
    if let Some(last) = runs.asyncs(&globals[runs.ran.index()]).pop() {
        let last = told_asyncs(instance, &[last]);
        let before = asyncs(runs.before);
        picture.push(format!("pending before {last}: {before}"));
    }
    picture.push(format!("pending: {pending}"));
    for (at, row) in rows.iter().enumerate() {
        let own = [runs.ran, runs.pending, runs.before];
        if !own.contains(&GlobalId::from(at)) {
            picture.extend(told_global(instance, row, &globals[at]));
        }
    }
    let said = match from.map(|(_, what)| what).filter(|_| assertion) {
        Some(Asserts::Membership) => format!(": {}", quote_marker(failure.span)),
        // What is pending stands below.
        Some(Asserts::End) => String::new(),
        _ => format!(": {}", in_words(failure)),
    };
    Refutation {
        reason: format!("{what} after {ran}{said}"),
        picture,
    }
}

/// Two pending asyncs that do not move past each other: one that the schedule calls next, and another, in a
/// configuration that steps of others lead to from there.
fn does_not_move(song: &Song, at: usize, sizes: RangeInclusive<i64>) -> Option<Refutation> {
    let actions = song.actions()?;
    let others: Vec<ActionId> = pool(actions, at).into_iter().collect();
    let stopping = StoppingSchedule::new(song, at)?;
    let with = stopping.song.actions()?;
    let pairs = stopping.stage.eliminated[at].iter();
    let needs: Vec<Need> = pairs
        .flat_map(|(_, by)| needs_past(with, *by, Side::Left, &others))
        .collect();
    let mut found = None;
    stopping.each_place(sizes, &mut |looking, (globals, next, others)| {
        found = looking.wrong(&needs, globals, next, others);
        found.is_some()
    });
    found
}

/// What is called next and what is pending besides, wherever a small schedule calls something, and where steps
/// of others lead to from there; not all of it, if there is much.
pub(super) fn moments(song: &Song, at: usize) -> BTreeSet<(Async, Vec<Async>)> {
    let mut all = BTreeSet::new();
    if let Some(stopping) = StoppingSchedule::new(song, at) {
        stopping.each_place(1..=2, &mut |_, (_, next, others)| {
            all.insert((next.clone(), others.clone()));
            false
        });
    }
    all
}

/// A schedule that may stop before each call.
struct StoppingSchedule {
    stage: Staged,
    song: Arc<Song>,
    runs: Runs,
    schedule: ActionId,
    at: usize,
}

impl StoppingSchedule {
    fn new(song: &Song, at: usize) -> Option<StoppingSchedule> {
        let mut whole = song.clone();
        let actions = song.actions()?;
        let mut with = actions.clone();
        let mut runs = Runs::new(&mut whole, &mut with, &pool(actions, 0));
        runs.stopping = true;
        let stage = staged(&whole, at + 1, with, &runs);
        let (song, schedule) = with_init_as_action(&stage.song)?;
        Some(StoppingSchedule {
            stage,
            song: Arc::new(song),
            runs,
            schedule,
            at,
        })
    }

    /// Looks at places at some sizes until there is enough.
    fn each_place(
        &self,
        sizes: RangeInclusive<i64>,
        look: &mut dyn FnMut(&ConfigurationSearch<'_>, &Place) -> bool,
    ) {
        for size in sizes {
            for instance in instances(&self.song, size) {
                let atoms = Atoms::new(&instance);
                let Ok(starts) = Threads::new(&instance).stores() else {
                    return;
                };
                let looking = ConfigurationSearch {
                    atoms: &atoms,
                    pairs: &self.stage.eliminated[self.at],
                    runs: &self.runs,
                };
                if looking.reach(self.schedule, &starts, look) {
                    return;
                }
            }
            if self.song.sorts.is_empty() {
                return;
            }
        }
    }
}

/// A configuration: the globals, what the schedule calls next, and what is pending besides.
type Place = (Vec<Value>, Async, Vec<Async>);

struct ConfigurationSearch<'a> {
    atoms: &'a Atoms,
    pairs: &'a [(ActionId, ActionId)],
    runs: &'a Runs,
}

impl ConfigurationSearch<'_> {
    /// Looks at every configuration that steps of others lead to from a call of the schedule; is it enough?
    fn reach(
        &self,
        schedule: ActionId,
        starts: &[Vec<Value>],
        look: &mut dyn FnMut(&ConfigurationSearch<'_>, &Place) -> bool,
    ) -> bool {
        let mut known: BTreeSet<Place> = BTreeSet::new();
        let mut first: BTreeSet<Place> = BTreeSet::new();
        for start in starts.iter().take(STARTS) {
            for (failure, globals) in self.atoms.failures(schedule, start, &[]) {
                if failure.span == Span::default() {
                    first.extend(self.stopped(globals, start));
                }
            }
        }
        let mut open: VecDeque<Place> = first.into_iter().collect();
        while let Some(place) = open.pop_front() {
            if known.contains(&place) {
                continue;
            }
            if look(self, &place) {
                return true;
            }
            if known.len() > MOST {
                continue;
            }
            let (globals, next, others) = &place;
            for (position, (action, arguments)) in others.iter().enumerate() {
                for effect in self.atoms.run(*action, globals, arguments) {
                    if let Effect::Done(done) = effect {
                        let mut rest = others.clone();
                        rest.remove(position);
                        rest.extend(done.created);
                        rest.sort();
                        open.push_back((done.globals, next.clone(), rest));
                    }
                }
            }
            known.insert(place);
        }
        false
    }

    /// Where a run of the schedule stopped.
    fn stopped(&self, mut globals: Vec<Value>, start: &[Value]) -> Option<Place> {
        let (pending, ran) = (self.runs.pending.index(), self.runs.ran.index());
        let next = self.runs.asyncs(&globals[ran]).pop()?;
        let mut others = self.runs.asyncs(&globals[pending]);
        others.sort();
        let own = others.iter().position(|one| *one == next)?;
        others.remove(own);
        globals[pending] = start[pending].clone();
        globals[ran] = start[ran].clone();
        let before = self.runs.before.index();
        globals[before] = start[before].clone();
        Some((globals, next, others))
    }

    /// What is wrong in one configuration.
    fn wrong(
        &self,
        needs: &[Need],
        globals: &[Value],
        next: &Async,
        others: &[Async],
    ) -> Option<Refutation> {
        let (action, arguments) = next;
        let (_, by) = self.pairs.iter().find(|(one, _)| one == action)?;
        for need in needs.iter().filter(|need| need.second == *by) {
            let alone = need.condition == Condition::Nonblocking;
            let firsts: Vec<&Vec<Value>> = match alone {
                true => vec![arguments],
                false => {
                    let others = others.iter().filter(|one| one.0 == need.first);
                    others.map(|one| &one.1).collect()
                }
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
                    told.picture.push(format!(
                        "next: {}",
                        self.pending(std::slice::from_ref(next))
                    ));
                    told.picture
                        .push(format!("pending: {}", self.pending(others)));
                    return Some(told);
                }
            }
        }
        None
    }

    fn pending(&self, pending: &[Async]) -> String {
        told_asyncs(self.atoms.instance(), pending)
    }
}
