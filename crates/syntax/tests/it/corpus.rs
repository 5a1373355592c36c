//! Every program in the repository: parsed without loss, formatted without change of meaning.

use std::path::{Path, PathBuf};

use plainsong_syntax::{format, parse};

use crate::random::{check_lossless, pieces};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The `.song` files below a folder, sorted.
pub(crate) fn songs(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&repository().join(folder), &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "song")
        {
            let text = std::fs::read_to_string(&path).expect("readable");
            found.push((path, text));
        }
    }
}

/// The blocks marked `song` in the book.
fn book_blocks() -> Vec<(PathBuf, String)> {
    let path = repository().join("book/src/language.md");
    let text = std::fs::read_to_string(&path).expect("the book");
    let blocks = text
        .split("```song\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    blocks
        .map(|block| (path.clone(), block.to_owned()))
        .collect()
}

fn check_formatting(path: &Path, text: &str) {
    let formatted = format(text).expect("no syntax errors");
    assert_eq!(
        pieces(&formatted),
        pieces(text),
        "{}: tokens changed",
        path.display()
    );
    assert_eq!(
        format(&formatted),
        Ok(formatted.clone()),
        "{}: not stable",
        path.display()
    );
}

#[test]
fn programs_parse_and_format() {
    let mut programs = [songs("songs"), songs("examples"), book_blocks()].concat();
    programs.retain(|(path, _)| !path.components().any(|part| part.as_os_str() == "rejected"));
    assert!(!programs.is_empty());
    for (path, text) in &programs {
        assert_eq!(parse(text).errors(), &[], "{}", path.display());
        check_formatting(path, text);
    }
}

#[test]
fn rejected_programs_lose_nothing() {
    for (_, text) in songs("songs/rejected") {
        check_lossless(&text);
    }
}
