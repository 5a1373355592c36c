//! Keeping states up to the names of symmetric sorts changes no answer.
//!
//! On random action systems and on every action song of the corpus. Beside the answers, two things are
//! looked at by brute force over all states that the interpreter reaches: exchanging two members of a sort that
//! counts as symmetric leads from reachable states to reachable states, and there are no fewer states kept than
//! there are orbits.

use super::composed::composed;
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::asked_for;
use plainsong_ir::{Claim, Song, SortId, System};
use plainsong_semantics::action_state::ActionState;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::rename::Renaming;
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched,
};
use plainsong_states::{search, search_up_to_names};
use plainsong_testkit::corpus::{files, root};
use std::collections::BTreeSet;

/// How many random systems are tried, unless asked for another number.
const SYSTEMS: u64 = 400;

/// The most states of a system; larger ones are left out.
const MOST_STATES: u64 = 3_000;

/// What a state consists of, so that states can be put in order.
type Parts = (
    bool,
    Vec<plainsong_semantics::value::Value>,
    Vec<(
        plainsong_ir::ActionId,
        std::sync::Arc<[plainsong_semantics::value::Value]>,
    )>,
);

#[test]
fn on_random_systems() {
    let mut tally = Tally::default();
    let (skipped, systems) = asked_for(SYSTEMS);
    for seed in skipped..skipped + systems {
        let size = 2 + seed % 2;
        let text = composed(seed).replace("size Id = 2", &format!("size Id = {size}"));
        let song = plainsong_syntax::compile(&text).song;
        let song = song.unwrap_or_else(|| panic!("{text}"));
        if let Some(instance) = instance(&song) {
            tally.compare(&text, &instance);
        }
    }
    assert!(tally.symmetric * 4 > tally.complete, "{tally:?}");
    assert!(tally.fewer * 2 > tally.symmetric, "{tally:?}");
    assert!(tally.refuted * 5 > tally.symmetric, "{tally:?}");
    assert!(tally.as_few_as_orbits * 2 > tally.symmetric, "{tally:?}");
}

#[test]
fn on_every_action_song_of_the_corpus() {
    let mut tally = Tally::default();
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !matches!(&song.system, System::Actions(actions) if !actions.is_layered()) {
            continue;
        }
        for instance in super::instances_at(&song, 3) {
            tally.compare(&path.display().to_string(), &instance);
        }
    }
    assert!(tally.fewer >= 10, "{tally:?}");
}

/// Logs that grow, some of which stay empty for a while.
const LOGS: &str = "sort Id;
size Id = 3;
var log: map<Id, seq<nat>> = map i: Id => [];
action Grow(i: Id) { let n = choose {0, 1}; log[i] = log[i].push(n); }
init { for i in Id { async Grow(i); } }
property claim: always CLAIM;
";

/// A claim that has no value is violated like one that is false, so a `forall` that may fail tells nobody apart where it
/// stands for the claim. Anywhere else it may decide, by what it meets first, whether the claim is true.
#[test]
fn on_claims_that_may_fail() {
    let mut refuted_ones = 0;
    for (claim, is_symmetric) in [
        ("forall i: Id :: log[i][0] == 0", true),
        ("forall i: Id where log[i][0] > 0 :: log[i].len() > 0", true),
        ("forall i: Id, k in 0..log[i].len() :: log[i][k] <= 1", true),
        ("forall i: Id :: log[i].len() > 0 ==> log[i][0] <= 1", true),
        (
            "forall i, j: Id :: !log[i].is_empty() && !log[j].is_empty() ==> log[i][0] == log[j][0]",
            true,
        ),
        (
            "(forall i: Id :: log[i].len() < 2) && (forall i: Id :: log[i][0] < 2)",
            true,
        ),
        (
            "if log == (map i: Id => []) { true } else { forall i: Id :: log[i][0] < 2 }",
            true,
        ),
        ("exists i: Id :: log[i][0] == 1", false),
        ("!(forall i: Id :: log[i][0] == 0)", false),
        ("(forall i: Id :: log[i][0] == 0) ==> false", false),
        (
            "forall i: Id where exists j: Id :: log[j][0] == 1 :: log[i].len() < 2",
            false,
        ),
        (
            "(exists i: Id :: log[i][0] == 1) || (forall i: Id :: log[i].len() < 2)",
            false,
        ),
    ] {
        let text = LOGS.replace("CLAIM", claim);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled.song.unwrap_or_else(|| panic!("{claim}"));
        let instance = instance(&song).unwrap_or_else(|| panic!("{claim}"));
        let (query, limits) = (without_rest(&song), Limits::default());
        let all = search(&instance, &query, &limits, &mut Unwatched).report;
        let kept = search_up_to_names(&instance, &query, &limits, &mut Unwatched);
        assert_eq!(kept.symmetry.alike.is_empty(), !is_symmetric, "{claim}");
        assert_eq!(refuted(&kept.report), refuted(&all), "{claim}");
        assert_eq!(kept.report.coverage, all.coverage, "{claim}");
        assert_eq!(kept.report.states < all.states, is_symmetric, "{claim}");
        refuted_ones += usize::from(refuted(&all).contains(&true));
    }
    assert!(refuted_ones >= 5, "{refuted_ones}");
}

/// What the compared systems were like.
#[derive(Debug, Default)]
struct Tally {
    complete: usize,
    symmetric: usize,
    fewer: usize,
    refuted: usize,
    /// Of each orbit one state was kept.
    as_few_as_orbits: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, instance: &Instance) {
        let song = instance.song();
        let query = without_rest(song);
        let limits = Limits {
            states: MOST_STATES,
            ..Limits::default()
        };
        let all = search(instance, &query, &limits, &mut Unwatched).report;
        if all.completeness != Completeness::Complete {
            return;
        }
        self.complete += 1;
        let kept = search_up_to_names(instance, &query, &limits, &mut Unwatched);
        if kept.symmetry.alike.is_empty() {
            assert_eq!(kept.report, all, "{name}");
            return;
        }
        self.symmetric += 1;
        assert_eq!(kept.report.completeness, all.completeness, "{name}");
        assert_eq!(refuted(&kept.report), refuted(&all), "{name}");
        assert_eq!(kept.report.failures, all.failures, "{name}");
        assert_eq!(kept.report.coverage, all.coverage, "{name}");
        assert!(kept.report.states <= all.states, "{name}");
        self.fewer += usize::from(kept.report.states < all.states);
        self.refuted += usize::from(refuted(&all).contains(&true));
        if !song.constraints.is_empty() {
            return; // brute force counts the states beyond them, too
        }
        let orbits = orbits(name, instance, &kept.symmetry.alike);
        assert!(kept.report.states >= orbits, "{name}");
        self.as_few_as_orbits += usize::from(kept.report.states - orbits <= before_init(instance));
    }
}

/// Everything but questions about termination, which are not answered up to names.
fn without_rest(song: &Song) -> Query {
    let mut queries = Query::all(song).into_iter();
    let query = queries.find(|query| query.subject == Subject::System);
    let mut query = query.expect("there is an action system");
    query.checks.retain(|check| match check {
        Check::Property(at) => !matches!(song.properties[*at].claim, Claim::Quiescent { .. }),
        _ => true,
    });
    query
}

fn refuted(report: &SearchReport) -> Vec<bool> {
    let findings = report.findings.iter();
    findings
        .map(|finding| matches!(finding.answer, Answer::Refuted(_)))
        .collect()
}

/// How many orbits the reachable states fall into, of those after `init`; each exchange leads from one of
/// them to one of them.
fn orbits(name: &str, instance: &Instance, alike: &[SortId]) -> u64 {
    let song = instance.song();
    let states = reachable(instance);
    let mut swaps = Vec::new();
    for sort in alike {
        let size = instance.size(*sort) as u32;
        let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b)));
        swaps.extend(pairs.map(|(a, b)| Renaming::swap(*sort, size, a, b)));
    }
    let mut left: BTreeSet<&Parts> = states.iter().collect();
    let mut orbits = 0;
    while let Some(first) = left.pop_first() {
        orbits += 1;
        let mut waiting = vec![first];
        while let Some(state) = waiting.pop() {
            for swap in &swaps {
                let renamed = parts(swap.state(song, &whole(state)));
                let renamed = states.get(&renamed);
                let renamed = renamed.unwrap_or_else(|| panic!("{name}: {state:?} by {swap:?}"));
                if left.remove(renamed) {
                    waiting.push(renamed);
                }
            }
        }
    }
    orbits
}

/// How many states there are before `init`, which are kept as they are.
fn before_init(instance: &Instance) -> u64 {
    let machine = Machine::new(instance, Subject::System);
    let initial = machine.initial().into_iter();
    initial
        .filter(|outcome| matches!(outcome, Outcome::Next(_)))
        .count() as u64
}

/// The states that the interpreter reaches after `init`.
fn reachable(instance: &Instance) -> BTreeSet<Parts> {
    let machine = Machine::new(instance, Subject::System);
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<_> = machine.initial();
    while let Some(outcome) = waiting.pop() {
        let Outcome::Next(config) = outcome else {
            continue;
        };
        if seen.insert(parts(ActionState::of(&config))) {
            let steps = machine.steps(&config).into_iter();
            waiting.extend(steps.map(|step| step.outcome));
        }
    }
    seen.retain(|state| state.0);
    seen
}

fn parts(state: ActionState) -> Parts {
    (state.begun, state.globals, state.pending)
}

fn whole(parts: &Parts) -> ActionState {
    let (begun, globals, pending) = parts.clone();
    ActionState {
        begun,
        globals,
        pending,
    }
}
