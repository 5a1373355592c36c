//! Random executions against the search of all states: what an execution violates, the search refutes; what the search
//! sees to hold everywhere, no execution violates. What is kept of states makes no difference, nor does who draws which.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

use crate::interpreter_agrees::asked_for;
use crate::states_agree::instances_at;
use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::random::{Manner, Scheduler, Tally, Walker, is_judged};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_testkit::corpus::{files, root};
use plainsong_testkit::random_song::{Form, song_of};

/// How many random songs of each form, unless asked for another number.
const SONGS: u64 = 60;
/// Executions of each instance.
const RUNS: u64 = 40;
const MOST_STATES: u64 = 2_000;

#[derive(Debug, Default)]
struct Seen {
    violated: usize,
    missed: usize,
    kept: usize,
}

#[test]
fn on_random_songs() {
    let mut seen = Seen::default();
    for form in [Form::Voices, Form::Actions] {
        let (skipped, songs) = asked_for(SONGS);
        for seed in skipped..skipped + songs {
            seen.compare(seed, &song_of(form, seed, (seed % 2) as usize));
        }
    }
    assert!(seen.violated > 20 && seen.kept > 20, "{seen:?}");
    assert!(seen.missed * 4 < seen.violated, "{seen:?}");
}

#[test]
fn on_songs_of_the_corpus() {
    let mut seen = Seen::default();
    for (at, path) in files()
        .expect("the corpus can be listed")
        .iter()
        .enumerate()
    {
        let text = std::fs::read_to_string(root().join(path)).expect("a song can be read");
        // Some: the corpus has hundreds.
        if at % 12 == 0
            && let Some(song) = plainsong_syntax::compile(&text).song
            && !song
                .actions()
                .is_some_and(plainsong_ir::Actions::is_layered)
        {
            seen.compare(at as u64, &song);
        }
    }
    assert!(seen.violated > 10 && seen.kept > 10, "{seen:?}");
}

impl Seen {
    fn compare(&mut self, seed: u64, song: &Song) {
        for instance in instances_at(song, 2).iter().take(2) {
            for query in Query::all(song) {
                for scheduler in [Scheduler::Uniform, Scheduler::Pct { depth: 3 }] {
                    self.compare_one(seed, instance, &query, scheduler);
                }
            }
        }
    }

    fn compare_one(&mut self, seed: u64, instance: &Instance, query: &Query, how: Scheduler) {
        let song = instance.song();
        let checks = query.checks.iter().copied();
        let checks: Vec<Check> = checks.filter(|check| is_judged(song, *check)).collect();
        let machine = Machine::new(instance, query.subject);
        let manner = Manner {
            scheduler: how,
            steps: 60,
            remembers: 10_000,
        };
        let tally = drawn(&machine, &checks, manner, 0..RUNS);
        let forgetful = Manner {
            remembers: 0,
            ..manner
        };
        assert_eq!(
            tally,
            drawn(&machine, &checks, forgetful, 0..RUNS),
            "{seed}"
        );
        let mut halves = drawn(&machine, &checks, manner, 0..RUNS / 2);
        halves.include(&drawn(&machine, &checks, manner, RUNS / 2..RUNS));
        assert_eq!(tally, halves, "{seed}");
        let report = all_states(instance, query, &checks);
        for (at, &check) in checks.iter().enumerate() {
            let answer = report.findings.iter().find(|one| one.check == check);
            let answer = answer.map(|finding| &finding.answer);
            match (tally.violated_by(at), answer) {
                (Some(number), _) => {
                    self.violated += 1;
                    let complete = report.completeness == Completeness::Complete;
                    let is_refuted = matches!(answer, Some(Answer::Refuted(_)));
                    assert!(is_refuted || !complete, "{seed}: {check:?} by {number}");
                    let told = Walker::new(&machine, &[check], manner)
                        .refutation(number, &mut || true)
                        .expect("what is violated can be told");
                    assert_eq!(replay(&machine, &told), Ok(()), "{seed}: {check:?}");
                }
                (None, Some(Answer::Refuted(_))) => self.missed += 1,
                (None, _) => self.kept += 1,
            }
        }
    }
}

fn drawn(
    machine: &Machine,
    checks: &[Check],
    manner: Manner,
    numbers: std::ops::Range<u64>,
) -> Tally {
    let mut walker = Walker::new(machine, checks, manner);
    let mut tally = Tally::default();
    for number in numbers {
        assert!(walker.walk((number, number), &mut tally, &mut || true));
    }
    tally
}

fn all_states(instance: &Instance, query: &Query, checks: &[Check]) -> SearchReport {
    let query = Query {
        checks: checks.to_vec(),
        ..query.clone()
    };
    let limits = Limits {
        states: MOST_STATES,
        ..Limits::default()
    };
    search(instance, &query, &limits, &mut Unwatched)
}
