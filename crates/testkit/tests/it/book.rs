//! The songs in the book do what the book says of them.

use plainsong_semantics::verdict::Outcome;
use plainsong_testkit::book::{self, BlockKind, CodeBlock};
use plainsong_testkit::corpus::answers;
use plainsong_testkit::corpus::header::Scope;

#[test]
fn every_song_in_the_book_does_what_its_fence_says() {
    let mut problems = Vec::new();
    let mut songs = 0;
    for chapter in book::chapters().expect("the book lies beside the crates") {
        for block in book::blocks(chapter).expect("a chapter can be read") {
            songs += usize::from(!matches!(block.kind, BlockKind::Console | BlockKind::Other));
            if let Err(message) = examine(&block) {
                problems.push(format!(
                    "{}:{}: {message}",
                    block.chapter.display(),
                    block.line
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        songs >= 5,
        "the book should show songs, but has only {songs}"
    );
}

fn examine(block: &CodeBlock) -> Result<(), String> {
    match &block.kind {
        BlockKind::Accepted => accepted(&block.text),
        BlockKind::Checked => checked(&block.text),
        BlockKind::Rejected(code) => rejected(&block.text, code),
        BlockKind::Console | BlockKind::Other => Ok(()),
        BlockKind::Unknown(fence) => Err(format!("`{fence}` is no kind of block")),
    }
}

fn accepted(text: &str) -> Result<(), String> {
    let compiled = answers::compile(text);
    match compiled
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.is_error())
    {
        Some(error) => Err(format!("{}: {}", error.code.name, error.message)),
        None => Ok(()),
    }
}

fn checked(text: &str) -> Result<(), String> {
    accepted(text)?;
    let song = answers::compile(text).song.ok_or("there is no song")?;
    let verdicts = answers::verdicts((&song, text), &Scope::default(), None)?;
    if verdicts.is_empty() {
        return Err("there is nothing to check".to_owned());
    }
    match verdicts
        .iter()
        .find(|verdict| !matches!(verdict.outcome, Outcome::Holds | Outcome::Proved))
    {
        Some(verdict) => Err(format!(
            "{} does not hold: {}",
            verdict.property, verdict.reason
        )),
        None => Ok(()),
    }
}

fn rejected(text: &str, code: &str) -> Result<(), String> {
    let compiled = answers::compile(text);
    let errors: Vec<&str> = compiled
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| diagnostic.code.name)
        .collect();
    if errors.contains(&code) {
        Ok(())
    } else {
        Err(format!(
            "should be rejected with {code}, but the errors are {errors:?}"
        ))
    }
}
