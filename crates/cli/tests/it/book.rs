//! The commands in the book print what the book shows.
//!
//! `PLAINSONG_BLESS=1` writes into the book what they print now.

use crate::stage::Stage;
use plainsong_testkit::book::{self, Session};
use plainsong_testkit::corpus::root;
use std::path::Path;

#[test]
fn every_command_in_the_book_prints_what_the_book_shows() {
    let bless = std::env::var_os("PLAINSONG_BLESS").is_some_and(|value| value != "0");
    let mut problems = Vec::new();
    let mut commands = 0;
    for chapter in book::chapters().expect("the book lies beside the crates") {
        let sessions =
            book::sessions(&book::blocks(chapter.clone()).expect("a chapter can be read"));
        let outputs = outputs(&sessions);
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
            let ran = stage.run(&arguments);
            book::settled(&(ran.err + &ran.out))
        })
        .collect()
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
