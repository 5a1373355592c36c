//! The book's code blocks, so that tests can run them.
//!
//! The word after the fence says what a block is:
//!
//! | fence | what must be so |
//! |---|---|
//! | `song` | it compiles without errors |
//! | `song,check` | it compiles, and every property holds at the default sizes |
//! | `song,rejected(CODE)` | it is rejected, and `CODE` is among the errors |
//! | `song,file(NAME)` | it compiles, and later blocks of the chapter find it as `NAME` |
//! | `console` | each `$ plainsong …` prints what follows it |
//!
//! Other blocks (`text`, `json`, …) are for reading only. Songs are tested here, commands where the
//! command is built: in the tests of `plainsong-cli`.

mod console;

pub use console::{Session, sessions, settled, with_outputs};

use crate::corpus::root;
use std::io;
use std::path::PathBuf;

/// A fenced block of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The chapter, relative to the root of the workspace.
    pub chapter: PathBuf,
    /// The line of its first line of content, counted from 1.
    pub line: usize,
    /// What it is.
    pub kind: BlockKind,
    /// What is in it.
    pub text: String,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A song that compiles.
    Accepted,
    /// A song whose properties hold.
    Checked,
    /// A song that is rejected with this code among others.
    Rejected(String),
    /// A song that later blocks of the chapter use under this name.
    File(String),
    /// Commands and what they print.
    Console,
    /// For reading only.
    Other,
    /// Not one of the above: a slip in the book.
    Unknown(String),
}

/// Every chapter, relative to the root of the workspace, in alphabetical order.
pub fn chapters() -> io::Result<Vec<PathBuf>> {
    let folder = PathBuf::from("book/src");
    let mut chapters = Vec::new();
    for entry in root().join(&folder).read_dir()? {
        let name = PathBuf::from(entry?.file_name());
        if name.extension().is_some_and(|extension| extension == "md") {
            chapters.push(folder.join(name));
        }
    }
    chapters.sort();
    Ok(chapters)
}

/// The code blocks of a chapter, in order.
pub fn blocks(chapter: PathBuf) -> io::Result<Vec<CodeBlock>> {
    let text = std::fs::read_to_string(root().join(&chapter))?;
    let mut blocks: Vec<CodeBlock> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(fence) = line.strip_prefix("```") {
            if !inside {
                let (line, kind) = (index + 2, kind(fence.trim()));
                let chapter = chapter.clone();
                blocks.push(CodeBlock {
                    chapter,
                    line,
                    kind,
                    text: String::new(),
                });
            }
            inside = !inside;
        } else if let (true, Some(block)) = (inside, blocks.last_mut()) {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    Ok(blocks)
}

fn kind(fence: &str) -> BlockKind {
    match fence {
        "song" => BlockKind::Accepted,
        "song,check" => BlockKind::Checked,
        "console" => BlockKind::Console,
        _ => match (
            argument(fence, "song,rejected("),
            argument(fence, "song,file("),
        ) {
            (Some(code), _) => BlockKind::Rejected(code),
            (_, Some(name)) => BlockKind::File(name),
            _ if fence.starts_with("song") => BlockKind::Unknown(fence.to_owned()),
            _ => BlockKind::Other,
        },
    }
}

/// What stands between `opening` and the closing bracket at the end.
fn argument(fence: &str, opening: &str) -> Option<String> {
    Some(fence.strip_prefix(opening)?.strip_suffix(')')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_say_what_a_block_is() {
        assert_eq!(
            kind("song,rejected(unknown-name)"),
            BlockKind::Rejected("unknown-name".into())
        );
        assert_eq!(
            kind("song,file(lock.song)"),
            BlockKind::File("lock.song".into())
        );
        assert_eq!(kind("song,chekc"), BlockKind::Unknown("song,chekc".into()));
        assert_eq!(kind("json"), BlockKind::Other);
    }
}
