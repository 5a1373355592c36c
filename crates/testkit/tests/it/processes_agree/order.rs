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
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
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

/// Each is refuted, and would not be if one condition were left out: that a step is seen by a claim, that others are not put off for
/// ever, that somebody can send what makes a difference, that mailboxes keep the order of different senders, that copies stand behind what came before them,
/// that a final state is reached without faults, too.
const TRAPS: [(&str, &str); 10] = [
    (
        "visible",
        "message A; \
         process one { var x: bool = false; send A to sink; x = true; send A to sink; x = false; send A to sink; } \
         process two { var x: bool = false; send A to sink; x = true; send A to sink; x = false; send A to sink; } \
         process sink { on A { } } \
         property apart: always !(one.x && two.x);",
    ),
    (
        "spins",
        "message Tick; \
         message Go; \
         daemon process spinner { while true { send Tick to spinner; receive Tick; } } \
         process other { receive Go; send Go to sink; receive Go; assert false; } \
         process sink { on Go { send Go to other; } } \
         init { send Go to other; }",
    ),
    (
        "enables",
        "message Ask; \
         message Answer(late: bool); \
         message Go; \
         process client { send Ask to server; receive { Answer(late) from any => { assert !late; } } } \
         process server { receive Ask; send Answer(false) to client; } \
         process third { receive Go; send Answer(true) to client; } \
         init { send Go to third; }",
    ),
    (
        "mailbox",
        "message A via mailbox; \
         message B via mailbox; \
         process one { send A to box; } \
         process two { send B to box; } \
         process box { var first: bool = true; receive { A => { receive B; } B => { first = false; receive A; } } assert first; }",
    ),
    (
        "own mailbox",
        "message A via mailbox; \
         message B via mailbox; \
         process two { send B to box; } \
         process box { send A to box; receive { A => { receive B; } B => { receive A; assert false; } } }",
    ),
    (
        "queues",
        "message A via fifo; \
         process one { send A to three; } \
         process two { send A to three; } \
         process three { receive { A from one => { receive A from two; } A from two => { assert false; } } }",
    ),
    (
        "loses",
        "message A via fifo; \
         message B via fifo; \
         fault lose A; \
         process one { send A to two; send B to two; } \
         process two { receive { A => { receive B; } B => { assert false; } } }",
    ),
    (
        "copies",
        "message A via fifo; \
         message B via fifo; \
         fault duplicate A <= 1; \
         daemon process two { receive A; receive { A => { assert false; } B => { } } } \
         process one { send A to two; send B to two; }",
    ),
    (
        "idle",
        "message A; \
         message Never; \
         fault crash idle <= 1; \
         daemon process idle { receive Never; } \
         process two { send A to sink; } \
         process sink { on A { } } \
         property gone: finally crashed(idle);",
    ),
    (
        "budget",
        "sort Id; \
         size Id = 2; \
         message A; \
         fault crash node <= 1; \
         fault restart node; \
         process node[me: Id] { send A to sink; send A to sink; receive A; } \
         process sink { on A from any node[k] { send A to node[k]; } } \
         property up: finally forall a: Id :: !crashed(node[a]);",
    ),
];

#[test]
fn nothing_is_missed_in_traps() {
    let mut fewer = 0;
    for (name, text) in TRAPS {
        let song = plainsong_syntax::compile(text).song;
        let song = song.unwrap_or_else(|| panic!("{name}"));
        let instance = &instances_of(&song)[0];
        let queries = Query::all(&song).into_iter();
        let query = queries.filter(|query| query.subject == Subject::System);
        let checks: Vec<Check> = query.flat_map(|query| query.checks).collect();
        let mut refuted = 0;
        for check in checks {
            let query = Query {
                subject: Subject::System,
                checks: vec![check],
            };
            let limits = Limits::default();
            let theirs = search(instance, &query, &limits, &mut Unwatched);
            for dead_messages in [false, true] {
                let manner = Manner {
                    dead_messages,
                    order: Some(0),
                    ..Manner::default()
                };
                let ours = search_in(manner, instance, &query, &limits, &mut Unwatched);
                for (theirs, ours) in theirs.findings.iter().zip(&ours.report.findings) {
                    let is_refuted = matches!(theirs.answer, Answer::Refuted(_));
                    let answer = &ours.answer;
                    assert_eq!(is_refuted, matches!(answer, Answer::Refuted(_)), "{name}");
                    refuted += usize::from(is_refuted);
                }
                fewer += usize::from(ours.report.states < theirs.states);
                let is_complete = |one: &SearchReport| one.completeness == Completeness::Complete;
                if !dead_messages && is_complete(&theirs) && is_complete(&ours.report) {
                    assert_eq!(ours.report.final_states, theirs.final_states, "{name}");
                }
            }
        }
        assert!(refuted > 0, "{name}");
    }
    assert!(fewer > TRAPS.len(), "{fewer}");
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
