//! The book's code blocks, so that tests can run them.
//!
//! The word after the fence says what a block is:
//!
//! | fence | what must be so |
//! |---|---|
//! | `song` | it compiles without errors |
//! | `song,check` | it compiles, and every property holds at the default sizes |
//! | `song,rejected(CODE)` | it is rejected, and `CODE` is among the errors |
//! | `console` | each `$ plainsong …` prints what follows it |
//!
//! After `,file(NAME)` the commands of the chapter find the song as `NAME`.
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
    pub kind: BlockKind,
    /// The name under which later commands of the chapter find it.
    pub file: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A song that compiles.
    Accepted,
    /// A song whose properties hold.
    Checked,
    /// A song that is rejected with this code among others.
    Rejected(String),
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
                let (kind, file) = read_fence(fence.trim());
                blocks.push(CodeBlock {
                    chapter: chapter.clone(),
                    line: index + 2,
                    kind,
                    file,
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

/// What a fence says: the kind of block, and the name of its file.
fn read_fence(fence: &str) -> (BlockKind, Option<String>) {
    let mut words = fence.split(',').map(str::trim);
    let mut kind = match words.next() {
        Some("song") => BlockKind::Accepted,
        Some("console") => BlockKind::Console,
        _ => return (BlockKind::Other, None),
    };
    let mut file = None;
    for word in words {
        if word == "check" {
            kind = BlockKind::Checked;
        } else if let Some(code) = argument(word, "rejected(") {
            kind = BlockKind::Rejected(code);
        } else if let Some(name) = argument(word, "file(") {
            file = Some(name);
        } else {
            kind = BlockKind::Unknown(fence.to_owned());
        }
    }
    (kind, file)
}

/// What stands between `opening` and the closing bracket at the end.
fn argument(word: &str, opening: &str) -> Option<String> {
    Some(word.strip_prefix(opening)?.strip_suffix(')')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_say_what_a_block_is() {
        let rejected = BlockKind::Rejected("unknown-name".into());
        assert_eq!(
            read_fence("song,rejected(unknown-name),file(ask.song)"),
            (rejected, Some("ask.song".into()))
        );
        assert_eq!(
            read_fence("song,file(lock.song)"),
            (BlockKind::Accepted, Some("lock.song".into()))
        );
        assert_eq!(
            read_fence("song,chekc").0,
            BlockKind::Unknown("song,chekc".into())
        );
        assert_eq!(read_fence("json"), (BlockKind::Other, None));
        assert_eq!(read_fence(""), (BlockKind::Other, None));
    }
}
