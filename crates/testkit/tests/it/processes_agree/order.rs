//! With fewer steps where their order does not matter, answers, coverage, leftover messages and the number of final states are those of the
//! interpreter, with and without dead messages, for each property by itself and for what is asked without one.

use super::composed::{composed, composed_of_bodies};
use super::kept;
use super::{MOST_STATES, instances_of, same, several};
use crate::interpreter_agrees::asked_for;
use plainsong_ir::visit::reads_pending;
use plainsong_ir::{Claim, Song};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Completeness, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_states::{Manner, search_in};
use plainsong_testkit::corpus::root;
use std::sync::Arc;

/// How many random systems are compared, unless asked for another number.
const SYSTEMS: u64 = 250;

#[test]
fn on_composed_systems_of_processes() {
    let mut tally = Tally::default();
    let (skipped, systems) = asked_for(SYSTEMS);
    for seed in skipped..skipped + systems {
        let text = match seed % 3 {
            0 => composed(seed),
            _ => composed_of_bodies(seed),
        };
        let song = plainsong_syntax::compile(&text).song;
        let song = song.unwrap_or_else(|| panic!("{text}"));
        for instance in instances_of(&song) {
            for checks in questions(&song) {
                tally.compare(
                    &format!("seed {seed}, {checks:?}\n{text}"),
                    &instance,
                    checks,
                );
            }
        }
    }
    assert!(tally.compared > 2 * tally.left_out, "{tally:?}");
    assert!(tally.used * 2 > tally.compared, "{tally:?}");
    assert!(tally.fewer * 8 > tally.used, "{tally:?}");
    assert!(tally.fewer_and_refuted * 50 > tally.used, "{tally:?}");
}

/// A search in the usual manner takes fewer steps once there are many states, and not before.
#[test]
fn many_states_become_few() {
    let path = "songs/explore/philosophers-whose-forks-are-processes-all-left-first.song";
    let text = std::fs::read_to_string(root().join(path)).expect("the song can be read");
    let song = plainsong_syntax::compile(&text).song.expect("it is right");
    for (philosophers, all, fewer) in [(3, 1_141, 1_141), (5, 126_217, 8_490)] {
        let sizes = Sizes {
            chosen: [("N".to_owned(), philosophers)].into(),
            ..Sizes::default()
        };
        let instances = Instance::all(Arc::new(song.clone()), &sizes, &Bounds::default());
        let instance = &instances.expect("there are philosophers")[0];
        let query = Query {
            subject: Subject::System,
            checks: vec![Check::Assertions, Check::NoDeadlock],
        };
        for (order, states) in [(None, all), (Manner::default().order, fewer)] {
            let manner = Manner {
                order,
                ..Manner::default()
            };
            let found = search_in(manner, instance, &query, &Limits::default(), &mut Unwatched);
            assert_eq!(
                (found.report.states, found.order.is_ok()),
                (states, states != all)
            );
            assert_eq!(found.report.final_states, 1);
        }
    }
}

/// What is asked without a property, and each property that the reduction is for.
fn questions(song: &Song) -> Vec<Vec<Check>> {
    let is_for_it = |at: &usize| match &song.properties[*at].claim {
        Claim::Always(claim) | Claim::Finally(claim) => !reads_pending(claim),
        _ => false,
    };
    let properties = (0..song.properties.len()).filter(is_for_it);
    let without = vec![Check::Assertions, Check::NoDeadlock];
    let each = properties.map(|at| vec![Check::Property(at)]);
    std::iter::once(without).chain(each).collect()
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    /// Fewer steps were taken, or could have been.
    used: usize,
    fewer: usize,
    fewer_and_refuted: usize,
    kept: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, instance: &Instance, checks: Vec<Check>) {
        let query = Query {
            subject: Subject::System,
            checks,
        };
        let limits = Limits {
            states: MOST_STATES,
            refutations: None,
        };
        let mut theirs = search(instance, &query, &limits, &mut Unwatched);
        if theirs.completeness == Completeness::StateLimit {
            self.left_out += 1;
            return;
        }
        self.compared += 1;
        for dead_messages in [false, true] {
            let manner = Manner {
                dead_messages,
                order: Some(0),
                ways: (name.len() % 2) << 16,
                ..Manner::default()
            };
            let ours = search_in(manner, instance, &query, &limits, &mut Unwatched);
            if ours.report.completeness == Completeness::Enough {
                // All is refuted: perhaps a step earlier than it was seen there.
                theirs.completeness = Completeness::Enough;
            }
            same(name, &theirs, &ours.report, false);
            if ours.order.is_err() {
                continue;
            }
            self.used += usize::from(!dead_messages);
            let is_complete = theirs.completeness == Completeness::Complete;
            if is_complete && !dead_messages {
                let ends = (theirs.final_states, &theirs.undelivered);
                let same = (ours.report.final_states, &ours.report.undelivered);
                assert_eq!(ends, same, "{name}");
                let is_fewer = ours.report.states < theirs.states;
                self.fewer += usize::from(is_fewer);
                self.fewer_and_refuted += usize::from(is_fewer && theirs.failures);
            }
            let many = search_in(several(manner), instance, &query, &limits, &mut Unwatched);
            assert_eq!(ours, many, "{name}");
            if self.compared.is_multiple_of(16) {
                let about = (instance, &query, &limits);
                self.kept += kept::goes_on(name, about, manner, &ours);
            }
        }
    }
}
