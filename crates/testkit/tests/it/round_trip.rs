//! Random and real songs survive the way through their text: printed, read, formatted, read again.

use crate::random_song::assert_valid;
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::{VisitMut, erase_spans, walk_mut};
use plainsong_ir::{Delivery, Local, Song, print};
use plainsong_syntax::{compile, format};
use plainsong_testkit::random_song::{small_voices, song};
use std::fs;
use std::path::{Path, PathBuf};

/// How many random songs of each size are sent through; 2,400 in all.
const SONGS: [(usize, u64); 5] = [(0, 800), (1, 800), (2, 600), (3, 150), (4, 50)];

#[test]
fn random_songs_come_back_as_they_were() {
    for (size, count) in SONGS {
        for seed in 0..count {
            comes_back(song(seed, size), &format!("song({seed}, {size})"));
        }
    }
}

#[test]
fn small_programs_come_back_as_they_were() {
    let models = Delivery::ALL.into_iter().map(Some).chain([None]);
    for model in models {
        for seed in 0..200 {
            let song = small_voices(seed, model);
            let what = format!("small_voices({seed}, {model:?})");
            assert_valid(&song, &what);
            comes_back(song, &what);
        }
    }
}

/// Printed and read, the song is the same; so it is when the text is formatted in between.
fn comes_back(mut song: Song, what: &str) {
    erase_spans(&mut song);
    let text = print::song(&song);
    let read = read(&text, what);
    assert!(
        read == song,
        "{what} is read as another song:\n{text}\n{}",
        print::song(&read)
    );
    assert_eq!(print::song(&read), text, "{what} is printed in another way");
    let formatted = formatted(&text, what);
    assert_eq!(
        self::formatted(&formatted, what),
        formatted,
        "{what} is not formatted for good"
    );
    assert!(
        self::read(&formatted, what) == song,
        "{what} changes when formatted:\n{formatted}"
    );
}

/// The song that a text describes, without spans.
fn read(text: &str, what: &str) -> Song {
    let compiled = compile(text);
    let errors: Vec<&Diagnostic> = compiled
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .collect();
    match compiled.song {
        Some(mut song) if errors.is_empty() => {
            erase_spans(&mut song);
            song
        }
        _ => panic!("{what} is rejected: {:#?}\n{text}", errors.first()),
    }
}

fn formatted(text: &str, what: &str) -> String {
    format(text).unwrap_or_else(|errors| panic!("{what} is not formatted: {errors:?}"))
}

#[test]
fn real_songs_come_back_as_they_were() {
    let mut count = 0;
    for file in song_files() {
        let what = file.display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let compiled = compile(&text);
        let Some(mut song) = compiled.song else {
            continue;
        };
        // Which choices are fair is known by their places, before these are forgotten.
        let printed = print::song(&song);
        let fair = song.fair_choices.len();
        let again = compile(&printed).song;
        let again = again.unwrap_or_else(|| panic!("{what} is rejected:\n{printed}"));
        assert_eq!(
            print::song(&again),
            printed,
            "{what} is printed in another way"
        );
        assert_eq!(
            again.fair_choices.len(),
            fair,
            "{what} has other fair choices"
        );
        erase_spans(&mut song);
        let mut read = read(&printed, &what);
        // A name that hides another is printed with a number.
        forget_names(&mut song);
        forget_names(&mut read);
        assert!(read == song, "{what} is read as another song:\n{printed}");
        count += 1;
    }
    assert!(count >= 20, "only {count} songs were found");
}

/// Every song of the repository.
fn song_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    let mut folders = vec![root.join("songs"), root.join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "song")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Takes the names of locals away.
fn forget_names(song: &mut Song) {
    struct Forget;
    impl VisitMut for Forget {
        fn enter(&mut self, locals: &mut Vec<Local>) {
            locals.iter_mut().for_each(|row| row.name.clear());
        }
    }
    walk_mut::song(&mut Forget, song);
    for family in &mut song.families {
        family.index.iter_mut().for_each(|row| row.name.clear());
    }
}
