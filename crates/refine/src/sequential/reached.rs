//! Configurations that a small program gets to, and how.
//!
//! What is not proved of a sequentialization is false in some configuration. Whether the program gets to one like it decides
//! what to do: if it does, the run is worth looking at; if it does not, an invariant may exclude it. So the program in which
//! asyncs are eliminated is run at a small size, up to a bound, and where a given action is pending, all is noted.

use super::refute::Async;
use crate::async_text::told_async;
use plainsong_ir::ActionId;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::threads::{Deed, Next, State, Threads};
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The most states that are looked at.
const MOST_STATES: usize = 3_000;
/// The most configurations that are noted.
const MOST_PLACES: usize = 48;

/// A configuration in which an async is about to run.
pub(super) struct Place {
    pub(super) globals: Vec<Value>,
    /// The arguments of the async.
    pub(super) arguments: Vec<Value>,
    /// All that is pending, that one as well, ascending.
    pub(super) pending: Vec<Async>,
    /// What was done to get there.
    pub(super) run: Vec<Deed>,
}

/// What was found.
pub(super) struct Reached {
    /// Configurations in which the action is pending; those that fewer steps lead to come first.
    pub(super) places: Vec<Place>,
    /// So many states were looked at.
    pub(super) states: usize,
    /// Are these all, and all their configurations noted?
    pub(super) is_whole: bool,
}

/// Runs a program, up to a bound.
pub(super) fn reached(instance: &Instance, action: ActionId) -> Reached {
    let threads = Threads::new(instance);
    let mut walked = Walked {
        action,
        rows: Vec::new(),
        known: FxHashSet::default(),
        noted: BTreeSet::new(),
        reached: Reached {
            places: Vec::new(),
            states: 0,
            is_whole: true,
        },
    };
    let stores = threads.stores();
    walked.reached.is_whole &= stores.is_ok();
    for store in stores.unwrap_or_default() {
        for next in threads.begin(&store) {
            walked.visit(next, None);
        }
    }
    let mut at = 0;
    while at < walked.rows.len() {
        for (deed, next) in threads.told_steps(&walked.rows[at].0.clone()) {
            walked.visit(next, Some((at, deed)));
        }
        at += 1;
    }
    walked.reached
}

struct Walked {
    action: ActionId,
    /// States, and where they come from.
    rows: Vec<(State, Option<(usize, Deed)>)>,
    known: FxHashSet<State>,
    noted: BTreeSet<(Vec<Value>, Vec<Async>)>,
    reached: Reached,
}

impl Walked {
    fn visit(&mut self, next: Next, from: Option<(usize, Deed)>) {
        let Next::State(state) = next else {
            // What is behind a failure, nobody gets to; what is behind too many calls is not known.
            self.reached.is_whole &= matches!(&next, Next::Failed(failure)
                if failure.kind != plainsong_semantics::trace::FailureKind::Resource);
            return;
        };
        if self.known.contains(&state) {
            return;
        }
        if self.rows.len() >= MOST_STATES {
            self.reached.is_whole = false;
            return;
        }
        self.known.insert(state.clone());
        self.reached.states += 1;
        self.rows.push((state, from));
        self.note(self.rows.len() - 1);
    }

    fn note(&mut self, at: usize) {
        let state = &self.rows[at].0;
        let next = state.next_actions().into_iter();
        let mut pending: Vec<Async> = next.map(|(id, values)| (id, values.to_vec())).collect();
        pending.sort();
        let mut own: Vec<Vec<Value>> = pending
            .iter()
            .filter(|(id, _)| *id == self.action)
            .map(|(_, arguments)| arguments.clone())
            .collect();
        own.dedup();
        let globals = state.globals.clone();
        if own.is_empty() || !self.noted.insert((globals.clone(), pending.clone())) {
            return;
        }
        for arguments in own {
            if self.reached.places.len() >= MOST_PLACES {
                self.reached.is_whole = false;
                return;
            }
            let place = Place {
                globals: globals.clone(),
                arguments,
                pending: pending.clone(),
                run: self.run(at),
            };
            self.reached.places.push(place);
        }
    }

    fn run(&self, mut at: usize) -> Vec<Deed> {
        let mut run = Vec::new();
        while let Some((before, deed)) = &self.rows[at].1 {
            run.push(deed.clone());
            at = *before;
        }
        run.reverse();
        run
    }
}

/// `A(1), then B(2)`, or `at once`.
pub(super) fn told_run(instance: &Instance, run: &[Deed]) -> String {
    let song = instance.song();
    let rows = song
        .actions()
        .map_or(&[][..], |actions| &actions.actions[..]);
    let all = run
        .iter()
        .map(|deed| told_async(instance, &rows[deed.action.index()], &deed.arguments));
    let all: Vec<String> = all.collect();
    match all.is_empty() {
        true => "at once".to_owned(),
        false => format!("after {}", all.join(", ")),
    }
}
