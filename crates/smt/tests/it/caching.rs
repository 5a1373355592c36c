//! Answers on disk.

use crate::stage::{between, key_beside, query, setup, solvers};
use plainsong_smt::{Answer, CacheMode, Caching, Cancel, Outcome, Query, Setup, Solvers};
use std::fs;
use std::path::{Path, PathBuf};

/// Asks in a new run. Answers are in this folder, with their key beside them.
fn ask(query: &Query, folder: &Path) -> Answer {
    solvers(Some(answers(folder)), None).ask(query, &Cancel::default())
}

fn answers(folder: &Path) -> PathBuf {
    folder.join("answers")
}

/// A new run that uses the cache so.
fn run_in(mode: CacheMode, folder: &Path) -> (Solvers, Caching) {
    let caching = Caching::new(mode);
    let setup = Setup {
        caching: caching.clone(),
        ..setup(Some(answers(folder)), None)
    };
    (Solvers::new(setup), caching)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let folder = &answers(folder);
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
    assert!(!answers(folder.path()).exists());
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
    for bytes in damaged {
        fs::write(path, &bytes).expect("the entry can be written");
        let answer = ask(&query, folder.path());
        assert!(answer.is_unsat() && !answer.cached, "{bytes:?}");
        assert_eq!(entries(folder.path()).len(), 1);
    }
    assert!(ask(&query, folder.path()).cached);
}

/// Nobody waits for the other end of a pipe, or reads from a device without end.
#[cfg(unix)]
#[test]
fn entries_that_are_no_files_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = between(0, 1);
    for command in ["mkfifo", "mkdir", "ln -s /dev/zero"] {
        assert!(ask(&query, folder.path()).is_unsat());
        let paths = entries(folder.path());
        let [path] = paths.as_slice() else {
            panic!("{paths:?}");
        };
        fs::remove_file(path).expect("the entry can be deleted");
        let made = std::process::Command::new("sh")
            .args(["-c", &format!("{command} \"$0\"")])
            .arg(path)
            .status();
        assert!(made.expect("a shell").success(), "{command}");
        let began = std::time::Instant::now();
        let answer = ask(&query, folder.path());
        assert!(answer.is_unsat() && !answer.cached, "{command}");
        assert!(began.elapsed().as_secs() < 10, "{command}");
        if path.is_dir() {
            fs::remove_dir(path).expect("the folder is empty");
        }
    }
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
    fs::write(answers(folder.path()), "").expect("a file");
    for _ in 0..2 {
        let answer = ask(&between(0, 1), folder.path());
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
                let solvers = solvers(Some(answers(folder.path())), None);
                let answers = solvers.ask_all(&queries, &Cancel::default());
                assert!(answers.iter().all(Answer::is_unsat));
            });
        }
    });
    assert_eq!(entries(folder.path()).len(), 20);
}

/// Whoever can write the cache, and knows how it is made, but does not have the key.
#[test]
fn entries_of_somebody_without_the_key_are_ignored() {
    let (mine, theirs) = (tempfile::tempdir(), tempfile::tempdir());
    let (mine, theirs) = (mine.expect("a folder"), theirs.expect("a folder"));
    let lie = between(0, 2);
    assert!(ask(&lie, mine.path()).is_sat());
    let path = entries(mine.path()).remove(0);
    let text = fs::read_to_string(&path).expect("an entry");
    let (_, body) = text.split_once('\n').expect("a seal and a body");
    let forged = "(unsat () () 17 17)";
    assert!(body.starts_with("(sat "), "{body}");
    // Sealed with a key of their own, with the seal of the true entry, with none.
    let own = {
        ask(&lie, theirs.path());
        let key = fs::read_to_string(key_beside(&answers(theirs.path()))).expect("a key");
        let mine = fs::read_to_string(key_beside(&answers(mine.path()))).expect("a key");
        assert_ne!(key, mine);
        fs::read_to_string(entries(theirs.path()).remove(0)).expect("an entry")
    };
    let seal = text.lines().next().unwrap_or_default();
    for entry in [
        own,
        format!("{seal}\n{forged}"),
        forged.to_owned(),
        format!("\n{forged}"),
    ] {
        fs::write(&path, entry).expect("it can be written");
        let answer = ask(&lie, mine.path());
        assert!(answer.is_sat() && !answer.cached, "{answer:?}");
    }
    assert!(ask(&lie, mine.path()).cached);
}

/// Conclusions are sealed like answers.
#[test]
fn notes_of_somebody_without_the_key_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let cancel = Cancel::default();
    let run = || run_in(CacheMode::Use, folder.path()).0;
    run().note("a lemma", "shown", &cancel);
    run().note_conclusion("a property", "proved", &cancel);
    run().note_vain("an obligation", "too hard");
    assert_eq!(run().recall("a lemma", &cancel).as_deref(), Some("shown"));
    let known = run().recall_conclusion("a property", &cancel);
    assert_eq!(known.as_deref(), Some("proved"));
    let vain = run().recall_vain("an obligation");
    assert_eq!(vain.as_deref(), Some("too hard"));
    for path in entries(folder.path()) {
        let text = fs::read_to_string(&path).expect("an entry");
        fs::write(&path, format!("{text} and more")).expect("it can be written");
    }
    assert_eq!(run().recall("a lemma", &cancel), None);
    assert_eq!(run().recall_conclusion("a property", &cancel), None);
    assert_eq!(run().recall_vain("an obligation"), None);
}

#[test]
fn entries_under_another_key_are_ignored_and_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = between(0, 1);
    ask(&query, folder.path());
    fs::remove_file(key_beside(&answers(folder.path()))).expect("there was a key");
    assert!(!ask(&query, folder.path()).cached);
    assert!(ask(&query, folder.path()).cached);
}

#[test]
fn without_a_key_nothing_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = setup(Some(answers(folder.path())), None);
    setup.places.key = None;
    for _ in 0..2 {
        let answer = Solvers::new(setup.clone()).ask(&between(0, 1), &Cancel::default());
        assert!(answer.is_unsat() && !answer.cached);
    }
    assert!(!answers(folder.path()).exists());
    let solvers = Solvers::new(setup);
    let why = solvers.examine_cache();
    assert!(why.is_err_and(|why| why.contains("apart from the cache")));
}

#[test]
fn what_is_to_be_asked_again_is_not_looked_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let (query, cancel) = (between(0, 1), Cancel::default());
    let (off, caching) = run_in(CacheMode::Off, folder.path());
    assert!(!off.ask(&query, &cancel).cached);
    assert!(!answers(folder.path()).exists(), "nothing is written");
    assert!(
        !key_beside(&answers(folder.path())).exists(),
        "nor a key made"
    );
    assert_eq!(caching.hits(), 0);
    let (refresh, caching) = run_in(CacheMode::Refresh, folder.path());
    assert!(!refresh.ask(&query, &cancel).cached);
    let (refresh, _) = (run_in(CacheMode::Refresh, folder.path()), refresh);
    assert!(!refresh.0.ask(&query, &cancel).cached, "there is an entry");
    assert_eq!(caching.hits(), 0);
    let (uses, caching) = run_in(CacheMode::Use, folder.path());
    assert!(uses.ask(&query, &cancel).cached);
    assert_eq!(caching.hits(), 1);
}

/// What a run has found out itself is not from an earlier one.
#[test]
fn a_run_remembers_what_it_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (query, cancel) = (between(0, 1), Cancel::default());
    for mode in [CacheMode::Off, CacheMode::Refresh, CacheMode::Use] {
        let (solvers, caching) = run_in(mode, folder.path());
        solvers.note("a lemma", "shown", &cancel);
        assert_eq!(solvers.recall("a lemma", &cancel).as_deref(), Some("shown"));
        if mode != CacheMode::Use {
            let answers = [0, 1].map(|_| solvers.ask(&query, &cancel));
            assert!(answers.iter().all(|one| one.is_unsat() && !one.cached));
        }
        assert_eq!(caching.hits(), 0, "{mode:?}");
    }
}
