//! Programs with known answers: the benchmarks, further correct programs, broken ones, traps.
//!
//! Each file of `tests/programs` says on its second line what is found: `proved`, the obstacle, or
//! `assertions open` where there is a line but an assertion on it is left open. What is proved is explored at
//! small sizes too, and what is broken really is: some instance deadlocks, fails or leaves a message.

use crate::endings::compare;
use crate::oracle::{against, compile, sizes};
use plainsong_sequentialize::{Sequentialized, sequentialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) fn programs(folder: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file
                .file_stem()
                .expect("files have names")
                .to_string_lossy()
                .into_owned();
            (
                name,
                std::fs::read_to_string(&file).expect("it can be read"),
            )
        })
        .collect()
}

/// Every song of the corpus and every example, with its name.
fn songs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("songs"), root.join("examples")];
    let mut songs = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "song") {
                let text = std::fs::read_to_string(&path).expect("it can be read");
                songs.push((path.display().to_string(), text));
            }
        }
    }
    songs.sort();
    songs
}

fn expected(text: &str) -> &str {
    let line = text.lines().nth(1).unwrap_or_default();
    line.strip_prefix("// answer: ")
        .expect("the second line says what is found")
}

fn found(text: &str) -> String {
    match sequentialize(&compile(text), None) {
        Ok(line) if line.open.is_empty() => "proved".to_owned(),
        Ok(_) => "assertions open".to_owned(),
        Err(stuck) => stuck.obstacle.name().to_owned(),
    }
}

fn check(folder: &str, number: usize, is_right: impl Fn(&str) -> bool) {
    let programs = programs(folder);
    assert_eq!(programs.len(), number, "programs in {folder}");
    for (name, text) in programs {
        assert!(is_right(expected(&text)), "{name} expects the wrong thing");
        assert_eq!(found(&text), expected(&text), "{name}");
    }
}

#[test]
fn every_benchmark_is_proved() {
    check("benchmark", 18, |answer| answer == "proved");
}

#[test]
fn further_correct_programs_are_proved() {
    check("further", 17, |answer| answer == "proved");
}

#[test]
fn every_broken_program_is_rejected_for_its_reason() {
    check("broken", 33, |answer| {
        answer != "proved" && answer != "not-covered" && answer != "too-long"
    });
}

#[test]
fn every_trap_is_seen() {
    check("trap", 66, |answer| {
        answer != "proved" && answer != "not-covered" && answer != "too-long"
    });
}

#[test]
fn what_is_proved_holds_at_small_sizes() {
    for folder in ["benchmark", "further"] {
        for (name, text) in programs(folder) {
            let song = compile(&text);
            let line = sequentialize(&song, None).expect("it is proved");
            let (wrong, _) = against(&song, &line, &sizes(&song, 2, 4), 5_000);
            assert!(wrong.is_empty(), "{name}: {wrong:?}");
        }
    }
}

#[test]
fn processes_and_their_line_end_in_the_same_states() {
    let mut exact = 0;
    for folder in ["benchmark", "further"] {
        for (name, text) in programs(folder) {
            let song = compile(&text);
            let found = sequentialize(&song, None).expect("it is proved");
            let Ok(line) = found.line else { continue };
            let decided = found.open.is_empty();
            let compared = compare(&line, decided, &sizes(&song, 3, 4), 4_000);
            assert!(compared.wrong.is_empty(), "{name}: {:?}", compared.wrong);
            assert!(compared.instances > 0, "{name}: nothing was compared");
            exact += usize::from(compared.exact > 0);
        }
    }
    assert!(exact >= 20, "only {exact} lines are exact");
}

#[test]
fn every_song_that_is_proved_ends_like_its_line() {
    // One of the songs is nested deeply.
    let run = std::thread::Builder::new().stack_size(256 << 20);
    let run = run.spawn(compare_every_song).expect("a thread starts");
    if let Err(failed) = run.join() {
        std::panic::resume_unwind(failed);
    }
}

fn compare_every_song() {
    let mut compared_songs = 0;
    for (name, text) in songs() {
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        let song = std::sync::Arc::new(song);
        let Ok(line) = sequentialize(&song, None) else {
            continue;
        };
        let sizes = sizes(&song, 3, 4);
        let (wrong, _) = against(&song, &line, &sizes, 4_000);
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        let decided = line.open.is_empty();
        let Ok(line) = line.line else { continue };
        if line.crashes {
            continue;
        }
        let compared = compare(&line, decided, &sizes, 4_000);
        assert!(compared.wrong.is_empty(), "{name}: {:?}", compared.wrong);
        compared_songs += usize::from(compared.instances > 0);
    }
    assert!(compared_songs >= 25, "only {compared_songs} were compared");
}

#[test]
fn what_is_broken_goes_wrong_at_small_sizes() {
    for (name, text) in programs("broken") {
        let song = compile(&text);
        // As if everything had been proved.
        let line = Sequentialized {
            open: BTreeSet::new(),
            line: Err(String::new()),
            pruned: false,
            may_leave: false,
            steps: 0,
        };
        let (wrong, _) = against(&song, &line, &sizes(&song, 3, 4), 20_000);
        assert!(!wrong.is_empty(), "{name} is not broken at small sizes");
    }
}

#[test]
fn lines_are_valid_and_can_be_read_again() {
    let mut told = 0;
    for folder in ["benchmark", "further"] {
        for (name, text) in programs(folder) {
            let line = sequentialize(&compile(&text), None)
                .expect("it is proved")
                .line;
            let Ok(line) = line else { continue };
            let song = line.song;
            told += 1;
            let valid = plainsong_ir::validate::validate(&song);
            assert!(valid.is_ok(), "{name}: {valid:?}");
            compile(&plainsong_ir::print::song(&song));
        }
    }
    assert!(told >= 31, "only {told} lines are told");
}

#[test]
fn the_line_of_two_phase_commit_reads_like_a_paragraph() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/two_phase_commit.song");
    let text = std::fs::read_to_string(path).expect("the example is there");
    let song = sequentialize(&compile(&text), None)
        .expect("it is proved")
        .line
        .expect("it is told")
        .song;
    let line = plainsong_ir::print::choreography(&song, song.lines.last().expect("there is one"));
    let (_, statements) = line
        .split_once("    for d in Db {")
        .expect("it begins with a loop");
    assert_eq!(
        statements,
        "
        db[d].yes = choose bool;
    }
    for d in Db {
        coordinator.yes = db[d].yes;
        coordinator.commit = coordinator.commit && coordinator.yes;
    }
    for d in Db {
        db[d].c = coordinator.commit;
        assert db[d].c ==> db[d].yes;
        db[d].outcome = some(db[d].c);
    }
}
"
    );
}
