//! The enumerator itself: exact counts of known programs, and the meaning of single constructs.

mod actions;
mod expressions;
mod families;
mod litmus;
mod models;
mod statements;
mod steps;

use plainsong_diagnostics::Span;
use plainsong_ir::{Delivery, Local, Song, Ty};
use plainsong_testkit::enumerate::{Enumerated, Executions, States, enumerate};
use std::collections::BTreeMap;

const LIMIT: usize = 200_000;

fn executions(song: &Song, delivery: Option<Delivery>) -> Executions {
    executions_at(song, &[], delivery)
}

fn executions_at(song: &Song, sizes: &[(&str, i64)], delivery: Option<Delivery>) -> Executions {
    match enumerate(song, &table(sizes), delivery, LIMIT) {
        Some(Enumerated::Voices(executions)) => executions,
        other => panic!("{other:?}"),
    }
}

fn states_at(song: &Song, sizes: &[(&str, i64)]) -> States {
    match enumerate(song, &table(sizes), None, LIMIT) {
        Some(Enumerated::Actions(states)) => states,
        other => panic!("{other:?}"),
    }
}

fn table(sizes: &[(&str, i64)]) -> BTreeMap<String, i64> {
    sizes
        .iter()
        .map(|(name, n)| (name.to_string(), *n))
        .collect()
}

/// Checks the number of complete executions under each model, weakest first, and that no execution
/// is blocked, failed or discarded.
#[track_caller]
fn complete(song: &Song, expected: [usize; 4]) {
    counts(song, expected.map(|complete| (complete, 0)));
}

/// Checks the numbers of complete and blocked executions under each model, weakest first.
#[track_caller]
fn counts(song: &Song, expected: [(usize, usize); 4]) {
    for (delivery, expected) in Delivery::ALL.into_iter().zip(expected) {
        let found = executions(song, Some(delivery));
        assert_eq!(
            (found.complete.len(), found.blocked.len()),
            expected,
            "{}",
            delivery.name()
        );
        assert!(
            found.failed.is_empty(),
            "{}: {:?}",
            delivery.name(),
            found.failed
        );
        assert!(
            found.discarded.is_empty(),
            "{}: {:?}",
            delivery.name(),
            found.discarded
        );
    }
}

/// The row of a name of type `ty`.
fn row(ty: Ty) -> Local {
    Local {
        name: "l".to_string(),
        ty,
        mutable: false,
        span: Span::default(),
    }
}
