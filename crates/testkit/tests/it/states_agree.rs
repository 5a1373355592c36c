//! The search over packed states gives the report of the interpreter's search, word for word.
//!
//! States, steps, depth, final states, coverage, answers and the traces of refutations are the same: on every
//! action song of the corpus, and on random action systems that use the whole language; however many workers
//! share the search, and whether or not it is kept how states were reached.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

mod composed;
mod lively;
mod names;

use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::asked_for;
use crate::interpreter_agrees::shrink::shrink;
use composed::composed;
use lively::lively;
use plainsong_ir::{Song, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{
    Answer, Completeness, Limits, Progress, Query, SearchReport, Unwatched, Watch, search,
};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_states::{Manner, Searched, search_in};
use plainsong_testkit::corpus::{files, root};
use plainsong_testkit::random_song::{Form, song_of};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many random action systems are compared, unless asked for another number.
const SYSTEMS: u64 = 2_000;

/// How many lively ones.
const LIVELY_SYSTEMS: u64 = 1_000;

/// The most states of a random system: whatever is beyond is cut off on both sides alike.
const MOST_STATES: u64 = 300;

/// Why songs with ever new asyncs are left to the interpreter.
const ENDLESS: &str = "it has thousands of different asyncs";

#[test]
fn on_every_action_song_of_the_corpus() {
    let mut compared = 0;
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !matches!(&song.system, System::Actions(actions) if !actions.is_layered()) {
            continue;
        }
        for size in 1..=3 {
            compared += agree_at(&path.display().to_string(), &song, size);
        }
    }
    assert!(compared >= 60, "{compared} instances");
}

/// Compares at one size of all sorts that have one.
fn agree_at(name: &str, song: &Song, size: i64) -> usize {
    let mut compared = 0;
    for instance in instances_at(song, size).into_iter().take(4) {
        let Some((theirs, ours)) = both_within(&instance, 6_000, &mut Patience::default()) else {
            continue; // too slow for the interpreter
        };
        // A song may count in the arguments of its asyncs for ever; no other one is left to the interpreter.
        let why = ours.by_interpreter;
        assert!(matches!(why, None | Some(ENDLESS)), "{name}: {why:?}");
        assert_eq!(ours.report, theirs, "{name} at {size}");
        compared += 1;
    }
    compared
}

/// Stops a search after a second: with long claims about large states the interpreter takes minutes for some songs.
pub(crate) struct Patience(Instant);

impl Default for Patience {
    fn default() -> Self {
        Patience(Instant::now())
    }
}

impl Watch for Patience {
    fn keep_going(&mut self, _: &Progress) -> bool {
        self.0.elapsed() < Duration::from_secs(1)
    }
}

/// The instances at one size of all sorts that have one.
pub(crate) fn instances_at(song: &Song, size: i64) -> Vec<Instance> {
    let chosen = song.sorts.iter().map(|sort| (sort.name.clone(), size));
    let sizes = Sizes {
        chosen: chosen.collect(),
        ..Sizes::default()
    };
    let instances =
        Instance::all(Arc::new(song.clone()), &sizes, &Bounds::default()).or_else(|_| {
            Instance::all(
                Arc::new(song.clone()),
                &Sizes::default(),
                &Bounds::default(),
            )
        });
    instances.unwrap_or_default()
}

#[test]
fn on_action_systems_that_use_the_whole_language() {
    let mut tally = Tally::default();
    let (skipped, systems) = asked_for(SYSTEMS);
    for seed in skipped..skipped + systems {
        tally.compare(seed, &song_of(Form::Actions, seed, (seed % 2) as usize));
    }
    assert!(tally.compared > tally.left_out, "{tally:?}");
}

/// Systems in which every action is pending at first.
#[test]
fn on_lively_action_systems() {
    let mut tally = Tally::default();
    let (skipped, systems) = asked_for(LIVELY_SYSTEMS);
    for seed in skipped..skipped + systems {
        let size = (seed % 3) as usize;
        tally.compare(
            seed,
            &lively(song_of(Form::Actions, 1_000_000 + seed, size)),
        );
    }
    assert!(tally.compared > tally.left_out, "{tally:?}");
    assert!(tally.many_states * 10 > tally.compared, "{tally:?}");
    assert!(tally.refuted * 4 > tally.compared, "{tally:?}");
    assert!(tally.failures * 5 > tally.compared, "{tally:?}");
    assert!(tally.by_programs * 3 > tally.by_interpreter, "{tally:?}");
}

/// Small types, many states.
#[test]
fn on_composed_action_systems() {
    let mut tally = Tally::default();
    let (skipped, systems) = asked_for(SYSTEMS);
    for seed in skipped..skipped + systems {
        let text = composed(seed);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled
            .song
            .unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
        tally.compare(seed, &song);
    }
    assert_eq!(tally.left_out, 0, "{tally:?}");
    assert!(tally.many_states * 2 > tally.compared, "{tally:?}");
    assert!(tally.refuted * 2 > tally.compared, "{tally:?}");
    assert!(tally.complete * 4 > tally.compared, "{tally:?}");
    assert!(tally.failures * 5 > tally.compared, "{tally:?}");
    assert!(tally.by_programs > 2 * tally.by_interpreter, "{tally:?}");
}

/// What the compared systems were like.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    many_states: usize,
    refuted: usize,
    complete: usize,
    final_states: usize,
    failures: usize,
    by_programs: u64,
    by_interpreter: u64,
}

impl Tally {
    fn compare(&mut self, seed: u64, song: &Song) {
        let Some(song) = printed(song) else {
            self.left_out += 1;
            return;
        };
        let Some((theirs, ours)) = reports(&song) else {
            self.left_out += 1;
            return;
        };
        if ours.report != theirs {
            disagree(seed, &song);
        }
        self.compared += 1;
        let is_refuted = |answer: &Answer| matches!(answer, Answer::Refuted(_));
        self.many_states += usize::from(theirs.states > 10);
        self.refuted += usize::from(theirs.findings.iter().any(|one| is_refuted(&one.answer)));
        self.complete += usize::from(theirs.completeness == Completeness::Complete);
        self.final_states += usize::from(theirs.final_states > 0);
        self.failures += usize::from(theirs.failures);
        self.by_programs += ours.taken.by_programs;
        self.by_interpreter += ours.taken.by_interpreter;
    }
}

/// The song as it is after printing and reading: every statement has a place in the text. Whether that
/// is always possible is for `round_trip` to say.
fn printed(song: &Song) -> Option<Song> {
    plainsong_syntax::compile(&plainsong_ir::print::song(song)).song
}

/// Both reports about everything that can be asked; none when there is no instance.
fn reports(song: &Song) -> Option<(SearchReport, Searched)> {
    Some(both(&instance(song)?, MOST_STATES))
}

fn both(instance: &Instance, states: u64) -> (SearchReport, Searched) {
    both_within(instance, states, &mut Unwatched).expect("nobody stops it")
}

/// The same; nothing if the watch stops the interpreter.
fn both_within(
    instance: &Instance,
    states: u64,
    watch: &mut dyn Watch,
) -> Option<(SearchReport, Searched)> {
    let query = Query::all(instance.song())
        .into_iter()
        .find(|query| query.subject == Subject::System)
        .expect("there is an action system");
    let limits = Limits {
        states,
        ..Limits::default()
    };
    let theirs = search(instance, &query, &limits, watch);
    if theirs.completeness == Completeness::Stopped {
        return None;
    }
    let ours = plainsong_states::search(instance, &query, &limits, &mut Unwatched);
    let text = plainsong_ir::print::song(instance.song());
    for manner in MANNERS.iter().filter(|_| text.len().is_multiple_of(5)) {
        let same = search_in(*manner, instance, &query, &limits, &mut Unwatched);
        assert_eq!(same, ours, "{manner:?}: {text}");
    }
    Some((theirs, ours))
}

/// Several workers, and memory saved early, change nothing; tried on one system in five.
const MANNERS: [Manner<'static>; 2] = [
    Manner {
        jobs: 3,
        memory: None,
        scratch: None,
        in_memory: u64::MAX,
        up_to_names: false,
        ways: 1 << 18,
        share: 1,
        ends: false,
        dead_messages: true,
        order: None,
    },
    Manner {
        jobs: 2,
        memory: None,
        scratch: None,
        in_memory: u64::MAX,
        up_to_names: false,
        ways: 4,
        share: 2,
        ends: false,
        dead_messages: true,
        order: None,
    },
];

/// Shows the smallest system found on which the two differ.
fn disagree(seed: u64, song: &Song) -> ! {
    let differ = |song: &Song| reports(song).is_some_and(|(theirs, ours)| ours.report != theirs);
    let small = shrink(song, &differ);
    let text = plainsong_ir::print::song(&small);
    let (theirs, ours) = reports(&small).expect("it was compared before");
    panic!(
        "seed {seed}\n{text}\ninterpreter: {theirs:#?}\npacked: {:#?}",
        ours.report
    );
}
