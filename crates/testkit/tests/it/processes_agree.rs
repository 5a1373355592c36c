//! The search over packed states of processes gives the report of the interpreter's search.
//!
//! Without reductions, states, steps, depth, final states, coverage, leftover messages, answers and the lengths of
//! counterexamples are the same: on the songs of the corpus, and on random systems with bodies and handlers, several models of delivery,
//! and faults; whether or not it is kept how states were reached. With dead messages dropped, answers and coverage are the same. With
//! several workers everything is the same as with one, traces too. So it is when states go to disk. A search that was killed and goes on ends in the same way.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

mod composed;
mod kept;
mod names;
mod on_disk;
mod order;

use crate::interpreter_agrees::asked_for;
use crate::states_agree::{Patience, instances_at};
use composed::composed;
use plainsong_ir::{Claim, Song, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_states::{Manner, search_in};
use plainsong_testkit::corpus::{files, root};

/// How many random systems are compared, unless asked for another number.
const SYSTEMS: u64 = 300;

/// The most states of a system that is compared.
const MOST_STATES: u64 = 3_000;

#[test]
fn on_every_song_of_processes_of_the_corpus() {
    let mut tally = Tally::default();
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !matches!(&song.system, System::Voices(_)) {
            continue;
        }
        for size in 1..=2 {
            for instance in instances_at(&song, size).iter().take(4) {
                tally.compare(&path.display().to_string(), instance);
            }
        }
    }
    assert!(tally.compared >= 200, "{tally:?}");
}

#[test]
fn on_composed_systems_of_processes() {
    let mut tally = Tally {
        goes_on: true,
        ..Tally::default()
    };
    let (skipped, systems) = asked_for(SYSTEMS);
    for seed in skipped..skipped + systems {
        let text = composed(seed);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled
            .song
            .unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
        for instance in instances_of(&song) {
            tally.compare(&format!("seed {seed}\n{text}"), &instance);
        }
    }
    assert!(tally.compared > tally.left_out, "{tally:?}");
    assert!(tally.refuted * 3 > tally.compared, "{tally:?}");
    assert!(tally.held * 3 > tally.compared, "{tally:?}");
    assert!(tally.failures * 16 > tally.compared, "{tally:?}");
    assert!(tally.many_states * 3 > tally.compared, "{tally:?}");
    assert!(tally.fewer * 20 > tally.compared, "{tally:?}");
    assert!(tally.by_interpreter * 20 < tally.compared, "{tally:?}");
    assert!(tally.cut * 20 > tally.compared, "{tally:?}");
    assert!(tally.bad_steps * 20 > tally.compared, "{tally:?}");
    assert!(tally.kept > tally.compared, "{tally:?}");
    assert!(tally.on_disk > tally.compared, "{tally:?}");
}

fn instances_of(song: &Song) -> Vec<Instance> {
    instances_at(song, 2)
}

/// What the compared systems were like.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    many_states: usize,
    /// Are searches gone on from what was kept of them?
    goes_on: bool,
    /// Places to go on from.
    kept: usize,
    refuted: usize,
    held: usize,
    failures: usize,
    /// Dead messages made a difference.
    fewer: usize,
    /// The interpreter did it after all.
    by_interpreter: usize,
    /// States went to disk.
    on_disk: usize,
    /// A constraint cut states off.
    cut: usize,
    /// A claim about steps was refuted.
    bad_steps: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, instance: &Instance) {
        let queries = Query::all(instance.song());
        let query = queries
            .into_iter()
            .find(|query| query.subject == Subject::System);
        let query = query.expect("there are processes");
        let limits = Limits {
            states: MOST_STATES,
            ..Limits::default()
        };
        let theirs = search(instance, &query, &limits, &mut Patience::default());
        if matches!(
            theirs.completeness,
            Completeness::StateLimit | Completeness::Stopped
        ) {
            self.left_out += 1;
            return;
        }
        for ways in [1 << 16, 0] {
            let manner = Manner {
                ways,
                dead_messages: false,
                ..Manner::default()
            };
            let ours = search_in(manner, instance, &query, &limits, &mut Unwatched);
            self.by_interpreter += usize::from(ours.by_interpreter.is_some());
            same(name, &theirs, &ours.report, true);
            if ways == 0 {
                let many = several(manner);
                let many = search_in(many, instance, &query, &limits, &mut Unwatched);
                assert_eq!(ours, many, "{name}");
                let about = (instance, &query, &limits);
                if self.goes_on {
                    self.on_disk += usize::from(on_disk::on_disk(name, about, manner, &ours));
                }
                if self.goes_on && self.compared.is_multiple_of(8) {
                    self.kept += kept::goes_on(name, about, manner, &ours);
                }
            }
        }
        let manner = Manner {
            ways: name.len() % 2,
            ..Manner::default()
        };
        let reduced = search_in(manner, instance, &query, &limits, &mut Unwatched);
        same(name, &theirs, &reduced.report, false);
        let many = several(manner);
        let many = search_in(many, instance, &query, &limits, &mut Unwatched);
        assert_eq!(reduced, many, "{name}");
        if self.goes_on {
            let about = (instance, &query, &limits);
            self.kept += kept::goes_on(name, about, manner, &reduced);
            self.on_disk += usize::from(on_disk::on_disk(name, about, manner, &reduced));
        }
        self.compared += 1;
        let is_refuted = |answer: &Answer| matches!(answer, Answer::Refuted(_));
        let refuted = theirs.findings.iter().filter(|one| is_refuted(&one.answer));
        let refuted = refuted.count();
        self.many_states += usize::from(theirs.states > 20);
        self.refuted += usize::from(refuted > 0);
        self.held += usize::from(refuted < theirs.findings.len());
        self.failures += usize::from(theirs.failures);
        self.fewer += usize::from(reduced.report.states < theirs.states);
        self.cut += usize::from(!theirs.cut_by.is_empty());
        let is_about_steps = |check: Check| match check {
            Check::Property(at) => {
                matches!(instance.song().properties[at].claim, Claim::Step(_))
            }
            _ => false,
        };
        let refuted = theirs.findings.iter().filter(|one| is_refuted(&one.answer));
        let bad_steps = refuted.filter(|one| is_about_steps(one.check)).count();
        self.bad_steps += usize::from(bad_steps > 0);
    }
}

/// The same with several workers, who share even few states.
fn several(manner: Manner) -> Manner {
    Manner {
        jobs: 3,
        share: 1,
        ..manner
    }
}

/// Is it the same report? With reductions, counts and the lengths of counterexamples may differ.
fn same(name: &str, theirs: &SearchReport, ours: &SearchReport, is_full: bool) {
    for (theirs, ours) in theirs.findings.iter().zip(&ours.findings) {
        let is_same = match (&theirs.answer, &ours.answer) {
            (Answer::Refuted(theirs), Answer::Refuted(ours)) => {
                !is_full || theirs.events.len() == ours.events.len()
            }
            (theirs, ours) => theirs == ours,
        };
        assert!(
            is_same,
            "{name}\nthe interpreter: {theirs:#?}\npacked: {ours:#?}"
        );
    }
    if theirs.completeness != Completeness::Complete {
        return;
    }
    let about = |report: &SearchReport| {
        let all = (report.states, report.steps, report.depth);
        let ends = (report.final_states, report.undelivered.clone());
        let counts = is_full.then_some((all, ends));
        (
            counts,
            report.failures,
            report.coverage.clone(),
            report.final_states > 0,
            (report.cut, report.cut_by.clone()),
        )
    };
    assert_eq!(about(theirs), about(ours), "{name}");
}
