//! The commands in the book, and those in the README, print what is shown there.
//!
//! `PLAINSONG_BLESS=1` writes into the book and the README what they print now.

use crate::stage::Stage;
use plainsong_testkit::book::{self, Session};
use plainsong_testkit::corpus::root;
use std::path::{Path, PathBuf};

#[test]
fn every_command_in_the_book_prints_what_the_book_shows() {
    let bless = std::env::var_os("PLAINSONG_BLESS").is_some_and(|value| value != "0");
    let mut problems = Vec::new();
    let mut commands = 0;
    let chapters = book::chapters().expect("the book lies beside the crates");
    for chapter in chapters.into_iter().chain([PathBuf::from("README.md")]) {
        let sessions =
            book::sessions(&book::blocks(chapter.clone()).expect("a chapter can be read"));
        let outputs = outputs(&sessions);
        assert!(
            chapter != Path::new("README.md") || !sessions.is_empty(),
            "the README shows a command"
        );
        commands += sessions.len();
        if bless {
            rewrite(&chapter, &sessions, &outputs);
        } else {
            problems.extend(differences(&chapter, &sessions, &outputs));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        commands >= 5,
        "the book should show commands, but has only {commands}"
    );
}

/// What the commands of a chapter print, run one after the other in one folder.
fn outputs(sessions: &[Session]) -> Vec<String> {
    let stage = Stage::new();
    sessions
        .iter()
        .map(|session| {
            for (name, text) in &session.files {
                stage.write(name, text);
            }
            let arguments: Vec<&str> = session.arguments.iter().map(String::as_str).collect();
            arguments.iter().for_each(|name| shipped(&stage, name));
            let ran = stage.run(&arguments);
            book::settled(&(without_progress(&ran.err) + &ran.out))
        })
        .collect()
}

/// On a machine that is busy, a command tells how far it has come.
fn without_progress(text: &str) -> String {
    let is_said = |line: &&str| !line.contains("/s  ");
    let lines = text.split_inclusive('\n').filter(is_said);
    lines.collect()
}

/// A song of the repository that a command names by its path lies there too.
fn shipped(stage: &Stage, name: &str) {
    let path = root().join(name);
    if name.contains('/') && name.ends_with(".song") && path.exists() {
        let folder = stage.path(name);
        let folder = folder.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).expect("a folder");
        stage.write(name, std::fs::read(path).expect("a song"));
    }
}

fn rewrite(chapter: &Path, sessions: &[Session], outputs: &[String]) {
    let path = root().join(chapter);
    let old = std::fs::read_to_string(&path).expect("read");
    let new = book::with_outputs(&old, sessions, outputs);
    if new != old {
        std::fs::write(&path, new).expect("written");
    }
}

fn differences(chapter: &Path, sessions: &[Session], outputs: &[String]) -> Vec<String> {
    sessions
        .iter()
        .zip(outputs)
        .filter(|(session, output)| book::settled(&session.output) != **output)
        .map(|(session, output)| {
            let (place, line) = (chapter.display(), session.line);
            let command = session.arguments.join(" ");
            format!("{place}:{line}: `plainsong {command}` prints something else:\n{output}")
        })
        .collect()
}
