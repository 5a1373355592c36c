//! Visiting states of processes up to names changes no answer.
//!
//! On random programs whose processes are families over a sort, and on the songs of the corpus, under every
//! delivery model. What is refuted up to names is refuted by the search through all states, and the other way
//! round, unless the search up to names says that it cannot tell; and the states that are kept stand for no fewer
//! than there are.
//!
//! `PLAINSONG_PROGRAMS` and `PLAINSONG_SEED` as in `interpreter_agrees`.

use super::families::families;
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::programs::asked_for;
use plainsong_ir::{Claim, Delivery, Song, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::process_symmetry::{search_up_to_names, symmetric};
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_testkit::corpus::{files, root};

/// How many random programs are tried, unless asked for another number.
const PROGRAMS: u64 = 600;

/// The most states of a program; larger ones are left out.
const MOST_STATES: u64 = 4_000;

#[test]
fn on_random_families() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs {
        let text = families(seed);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled
            .song
            .unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics));
        let model = [
            None,
            Some(Delivery::Unordered),
            Some(Delivery::Fifo),
            Some(Delivery::Causal),
            Some(Delivery::Mailbox),
        ];
        let instance = instance(&song).expect("sizes are chosen");
        let instance = instance.with_delivery(model[seed as usize % model.len()]);
        tally.compare(&text, &instance);
    }
    assert!(tally.symmetric * 2 > tally.complete, "{tally:?}");
    assert!(tally.fewer * 3 > tally.symmetric, "{tally:?}");
    assert!(tally.refuted * 5 > tally.symmetric, "{tally:?}");
    assert!(tally.open * 20 < tally.refuted, "{tally:?}");
}

#[test]
fn on_the_songs_of_the_corpus() {
    let mut tally = Tally::default();
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !matches!(&song.system, System::Voices(_)) {
            continue;
        }
        for size in [2, 3] {
            for instance in crate::states_agree::instances_at(&song, size) {
                tally.compare(&path.display().to_string(), &instance);
            }
        }
    }
    assert!(tally.fewer >= 10, "{tally:?}");
}

/// What the compared programs were like.
#[derive(Debug, Default)]
struct Tally {
    complete: usize,
    symmetric: usize,
    fewer: usize,
    refuted: usize,
    /// Answers that the search up to names does not know.
    open: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, instance: &Instance) {
        let song = instance.song();
        let query = without_rest(song);
        let (alike, _) = symmetric(song, &query.checks, instance.delivery());
        let limits = Limits {
            states: MOST_STATES,
            ..Limits::default()
        };
        let all = search(instance, &query, &limits, &mut Unwatched);
        if all.completeness != Completeness::Complete {
            return;
        }
        self.complete += 1;
        if alike.is_empty() {
            return;
        }
        let limits = Limits::default();
        let kept = search_up_to_names(instance, &query, &alike, &limits, &mut Unwatched);
        if matches!(kept.report.completeness, Completeness::Resource(_)) {
            // Loops in any order are one step with many choices, which may be too many to try.
            self.open += 1;
            return;
        }
        self.symmetric += 1;
        assert_eq!(kept.report.completeness, all.completeness, "{name}");
        for (one, other) in kept.report.findings.iter().zip(&all.findings) {
            let is_refuted = matches!(other.answer, Answer::Refuted(_));
            match &one.answer {
                Answer::Refuted(_) => assert!(is_refuted, "{name}: {}", one.name),
                Answer::NotRefuted => assert!(!is_refuted, "{name}: {}", one.name),
                Answer::Unknown(_) => {
                    assert!(kept.open.contains(&one.check), "{name}");
                    self.open += 1;
                }
            }
        }
        assert!(
            kept.stands_for >= u128::from(all.states),
            "{name}: {} {}",
            kept.stands_for,
            all.states
        );
        self.fewer += usize::from(kept.report.states < all.states);
        self.refuted += usize::from(refutes(&all));
    }
}

/// Everything but questions about termination, which are not answered up to names.
fn without_rest(song: &Song) -> Query {
    let mut queries = Query::all(song).into_iter();
    let query = queries.find(|query| query.subject == Subject::System);
    let mut query = query.expect("there are processes");
    query.checks.retain(|check| match check {
        Check::Property(at) => !matches!(song.properties[*at].claim, Claim::Quiescent { .. }),
        _ => true,
    });
    query
}

fn refutes(report: &SearchReport) -> bool {
    let refuted = |finding: &plainsong_semantics::search::Finding| {
        matches!(finding.answer, Answer::Refuted(_))
    };
    report.findings.iter().any(refuted)
}
