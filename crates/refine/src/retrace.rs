//! How a small program gets to a failure or to an end: the shortest run, step by step.
//!
//! Layers are compared by the sets of what they may do; here one run of the lower layer is looked for again, so that it can be shown:
//! who does what, and what changes.

use crate::async_text::told_async;
use plainsong_semantics::changes::differences;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::threads::{Deed, Next, State, Threads};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;

/// The most states that are looked at.
const MOST: usize = 60_000;

/// What is looked for.
pub(crate) enum Goal<'a> {
    Failure,
    /// An end in which the variables are like this.
    End(&'a dyn Fn(&[Value]) -> bool),
}

/// A state, where it comes from, and by what.
struct Place {
    state: State,
    from: Option<(usize, Deed)>,
}

/// The lines of a shortest run from a start that is wanted; none if there is no such run among the first states.
pub(crate) fn run(
    instance: &Instance,
    starts: &dyn Fn(&[Value]) -> bool,
    goal: &Goal<'_>,
) -> Vec<String> {
    let threads = Threads::new(instance);
    let stores = threads.stores().unwrap_or_default();
    for store in stores.into_iter().filter(|one| starts(one)) {
        if let Some(lines) = from(instance, &threads, &store, goal) {
            return lines;
        }
    }
    Vec::new()
}

fn from(
    instance: &Instance,
    threads: &Threads,
    store: &[Value],
    goal: &Goal<'_>,
) -> Option<Vec<String>> {
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut places: Vec<Place> = Vec::new();
    for next in threads.begin(store) {
        match next {
            Next::State(state) => {
                if known.insert(state.clone()) {
                    places.push(Place { state, from: None });
                }
            }
            Next::Failed(failure) if failure.kind != FailureKind::Resource => {
                let is_here = matches!(goal, Goal::Failure);
                if is_here {
                    return Some(vec!["it fails at once".to_owned()]);
                }
            }
            Next::Failed(_) => {}
        }
    }
    let mut at = 0;
    while at < places.len() && places.len() < MOST {
        let state = places[at].state.clone();
        if let Goal::End(is_wanted) = goal
            && state.is_final()
            && is_wanted(&state.globals)
        {
            return Some(lines(instance, &places, at, None));
        }
        for (deed, next) in threads.told_steps(&state) {
            match next {
                Next::State(state) if known.insert(state.clone()) => {
                    let from = Some((at, deed));
                    places.push(Place { state, from });
                }
                Next::State(_) => {}
                Next::Failed(failure) => {
                    let is_real = failure.kind != FailureKind::Resource;
                    if is_real && matches!(goal, Goal::Failure) {
                        let last = Some((deed, failure.message));
                        return Some(lines(instance, &places, at, last));
                    }
                }
            }
        }
        at += 1;
    }
    None
}

/// The run to a place, and the step in which it fails, if it does.
fn lines(
    instance: &Instance,
    places: &[Place],
    at: usize,
    last: Option<(Deed, String)>,
) -> Vec<String> {
    let mut way = vec![at];
    while let Some((before, _)) = &places[way[way.len() - 1]].from {
        way.push(*before);
    }
    way.reverse();
    let mut rows: Vec<[String; 3]> = Vec::new();
    for pair in way.windows(2) {
        let [before, now] = [pair[0], pair[1]].map(|one| &places[one]);
        if let Some((_, deed)) = &now.from {
            let changes = changes(instance, &before.state.globals, &now.state.globals);
            rows.push(row(instance, deed, changes));
        }
    }
    if let Some((deed, message)) = last {
        rows.push(row(instance, &deed, format!("<- here: {message}")));
    }
    let width = |column: usize| {
        let all = rows.iter().map(|row| row[column].chars().count());
        all.max().unwrap_or(0)
    };
    let (who, what) = (width(0), width(1));
    let told = rows.iter().enumerate().map(|(at, [a, b, c])| {
        let line = format!("{:>3}  {a:who$}  {b:what$}  {c}", at + 1);
        line.trim_end().to_owned()
    });
    told.collect()
}

fn row(instance: &Instance, deed: &Deed, changes: String) -> [String; 3] {
    let song = instance.song();
    let Some(actions) = song.actions() else {
        return [String::new(), String::new(), changes];
    };
    let who = deed
        .within
        .as_ref()
        .map_or(String::new(), |(id, arguments)| {
            let procedure = &actions.procedures[id.index()];
            let rows = procedure.code.locals.iter().zip(arguments);
            let values = rows.map(|(row, value)| show(instance, value, &row.ty));
            format!(
                "{}({})",
                procedure.name,
                values.collect::<Vec<_>>().join(", ")
            )
        });
    let action = &actions.actions[deed.action.index()];
    [who, told_async(instance, action, &deed.arguments), changes]
}

/// The variables that have another value.
fn changes(instance: &Instance, before: &[Value], now: &[Value]) -> String {
    let song = instance.song();
    let rows = song.actions().map_or(&[][..], |actions| &actions.globals);
    let changed = rows.iter().zip(before.iter().zip(now));
    let parts = changed.flat_map(|(row, (before, now))| {
        let value = |value: &Value| show(instance, value, &row.ty);
        differences(&row.name, &value(before), &value(now))
    });
    let told: Vec<String> = parts.map(|part| part.now()).collect();
    told.join(", ")
}
