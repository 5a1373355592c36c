//! Answers on disk.

use crate::stage::{between, query, solvers};
use plainsong_smt::{Answer, Cancel, Outcome, Query};
use std::fs;
use std::path::{Path, PathBuf};

fn ask(query: &Query, folder: &Path) -> Answer {
    solvers(Some(folder.to_owned()), None).ask(query, &Cancel::default())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    below(folder)
        .iter()
        .flat_map(|shard| below(shard))
        .collect()
}

#[test]
fn a_second_run_finds_the_answers_of_the_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut core = query("core", "(assert (! false :named $f))");
    core.ask.core = true;
    let mut model = between(0, 2);
    model.ask.model = true;
    for query in [between(0, 1), between(0, 2), core, model] {
        let first = ask(&query, folder.path());
        let second = ask(&query, folder.path());
        assert!(!first.cached && second.cached, "{second:?}");
        assert_eq!(first.outcome, second.outcome);
        assert_eq!(
            (first.resource, first.solver),
            (second.resource, second.solver)
        );
    }
}

#[test]
fn whatever_an_answer_depends_on_makes_another_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = between(0, 2);
    ask(&original, folder.path());
    let mut seed = original.clone();
    seed.seed = 1;
    let mut strategy = original.clone();
    strategy.strategy = plainsong_smt::Strategy::Automatic;
    let mut values = original.clone();
    values.ask.values.clear();
    let mut option = original.clone();
    option.options = vec![("smt.arith.solver".to_owned(), "2".to_owned())];
    for other in [between(0, 3), seed, strategy, values, option] {
        assert!(!ask(&other, folder.path()).cached, "{other:?}");
    }
    let mut same = original.clone();
    same.name = "another".to_owned();
    same.about = "words".to_owned();
    same.limits.resource += 1;
    assert!(ask(&same, folder.path()).cached);
}

/// A solver that gave up at a limit would do so again, under that limit.
#[test]
fn giving_up_is_kept_for_the_same_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "(declare-const $x Int)(declare-const $y Int)(declare-const $z Int)
        (assert (and (> $x 2) (> $y 2) (> $z 2)))
        (assert (= (+ (* $x $x $x $x $x) (* $y $y $y $y $y)) (* $z $z $z $z $z)))";
    let mut hard = query("hard", text);
    hard.limits.resource = 50_000;
    let first = ask(&hard, folder.path());
    assert!(matches!(first.outcome, Outcome::Unknown(_)), "{first:?}");
    let second = ask(&hard, folder.path());
    assert!(!first.cached && second.cached, "{first:?} {second:?}");
    assert_eq!(first.outcome, second.outcome);
    hard.limits.resource += 1;
    assert!(!ask(&hard, folder.path()).cached);
}

#[test]
fn not_knowing_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = query("refused", "(assert $undeclared)");
    for _ in 0..2 {
        let answer = ask(&refused, folder.path());
        assert!(!answer.cached && matches!(answer.outcome, Outcome::Unknown(_)));
    }
    assert!(!folder.path().join("00").exists());
}

/// Every way to cut or change one byte: the answer is asked again, never misread.
#[test]
fn entries_that_were_damaged_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = between(0, 1);
    assert!(ask(&query, folder.path()).is_unsat());
    let paths = entries(folder.path());
    let [path] = paths.as_slice() else {
        panic!("{paths:?}");
    };
    let sound = fs::read(path).expect("the entry reads");
    let flipped = String::from_utf8_lossy(&sound).replace("unsat", "sat");
    let mut damaged = vec![flipped.into_bytes(), Vec::new(), vec![0xff; 100]];
    damaged.extend((0..sound.len()).step_by(7).map(|at| sound[..at].to_vec()));
    damaged.extend((0..sound.len()).step_by(7).map(|at| {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        bytes
    }));
    let solvers = solvers(Some(folder.path().to_owned()), None);
    for bytes in damaged {
        fs::write(path, &bytes).expect("the entry can be written");
        let answer = solvers.ask(&query, &Cancel::default());
        assert!(answer.is_unsat() && !answer.cached, "{bytes:?}");
        assert_eq!(entries(folder.path()).len(), 1);
    }
    assert!(solvers.ask(&query, &Cancel::default()).cached);
}

/// A sound entry in the wrong place is the answer to another question.
#[test]
fn entries_that_were_moved_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(ask(&between(0, 1), folder.path()).is_unsat());
    let unsat = entries(folder.path()).remove(0);
    let query = between(0, 2);
    assert!(ask(&query, folder.path()).is_sat());
    let sat = entries(folder.path())
        .into_iter()
        .find(|path| *path != unsat);
    fs::copy(unsat, sat.expect("another entry")).expect("it can be copied");
    let answer = ask(&query, folder.path());
    assert!(answer.is_sat() && !answer.cached);
}

#[test]
fn a_folder_that_cannot_be_written_costs_time_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file");
    for _ in 0..2 {
        let answer = ask(&between(0, 1), &file);
        assert!(answer.is_unsat() && !answer.cached);
    }
}

#[test]
fn many_threads_share_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let queries: Vec<Query> = (0..20).map(|at| between(at, at + 1)).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let solvers = solvers(Some(folder.path().to_owned()), None);
                let answers = solvers.ask_all(&queries, &Cancel::default());
                assert!(answers.iter().all(Answer::is_unsat));
            });
        }
    });
    assert_eq!(entries(folder.path()).len(), 20);
}
