//! Console blocks: commands, and what they print.

use super::{BlockKind, CodeBlock};

/// One command of the book with the files it finds and the output it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Files that lie in the current folder: name and content.
    pub files: Vec<(String, String)>,
    /// The arguments after `plainsong`.
    pub arguments: Vec<String>,
    /// What is printed, without `$ plainsong …`.
    pub output: String,
    /// The line of the command in the chapter, counted from 1.
    pub line: usize,
}

/// The commands of a chapter's blocks, in order. A file block replaces an earlier one of that name.
pub fn sessions(blocks: &[CodeBlock]) -> Vec<Session> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut sessions: Vec<Session> = Vec::new();
    for block in blocks {
        if let Some(name) = &block.file {
            files.retain(|(known, _)| known != name);
            files.push((name.clone(), block.text.clone()));
        }
        if block.kind == BlockKind::Console {
            sessions.extend(commands(block, &files));
        }
    }
    sessions
}

fn commands(block: &CodeBlock, files: &[(String, String)]) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for (index, line) in block.text.lines().enumerate() {
        if let Some(command) = line.strip_prefix("$ plainsong ") {
            sessions.push(Session {
                files: files.to_vec(),
                arguments: words(command),
                output: String::new(),
                line: block.line + index,
            });
        } else if let Some(session) = sessions.last_mut() {
            session.output.push_str(line);
            session.output.push('\n');
        }
    }
    sessions
}

/// The chapter with what its commands print replaced by `outputs`, one for each session, in order.
pub fn with_outputs(chapter: &str, sessions: &[Session], outputs: &[String]) -> String {
    let lines: Vec<&str> = chapter.lines().collect();
    let mut text = String::new();
    let mut copied = 0;
    for (session, output) in sessions.iter().zip(outputs) {
        for line in &lines[copied..session.line] {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(output);
        copied = session.line + session.output.lines().count();
    }
    for line in &lines[copied..] {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Output with what differs from run to run made equal: seconds, what the cache was used for, and spaces at the ends of
/// lines.
pub fn settled(output: &str) -> String {
    let mut settled = String::new();
    let is_told = |line: &&str| !line.trim_start().starts_with("cached: ");
    for line in output.trim_end().lines().filter(is_told) {
        let line = line.replace("\"cached\":true", "\"cached\":false");
        settled.push_str(without_seconds(&line).trim_end());
        settled.push('\n');
    }
    settled
}

/// The line with `12.34 s` replaced by `0.00 s`.
fn without_seconds(line: &str) -> String {
    let mut rest = line;
    let mut result = String::new();
    while let Some(at) = rest.find(" s") {
        let (before, after) = rest.split_at(at);
        let number = before
            .rfind(|c: char| !c.is_ascii_digit() && c != '.')
            .map_or(0, |at| at + 1);
        let ends = !after[2..].starts_with(|c: char| c.is_alphanumeric());
        if ends && before[number..].contains('.') {
            result.push_str(&before[..number]);
            result.push_str("0.00 s");
        } else {
            result.push_str(before);
            result.push_str(" s");
        }
        rest = &after[2..];
    }
    result + rest
}

/// The words of a command; what is between double quotes is one of them.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(Into::into)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_replaced_where_they_stand() {
        let chapter = "a\n```console\n$ plainsong check x\nold\nold\n$ plainsong fmt x\n```\nb\n";
        let block = CodeBlock {
            chapter: "x.md".into(),
            line: 3,
            kind: BlockKind::Console,
            file: None,
            text: "$ plainsong check x\nold\nold\n$ plainsong fmt x\n".to_owned(),
        };
        let sessions = sessions(&[block]);
        let outputs = ["new\n".to_owned(), "done\n".to_owned()];
        assert_eq!(
            with_outputs(chapter, &sessions, &outputs),
            "a\n```console\n$ plainsong check x\nnew\n$ plainsong fmt x\ndone\n```\nb\n"
        );
    }

    #[test]
    fn times_do_not_matter() {
        assert_eq!(
            settled("holds  p  12.04 s  3 states  \n"),
            "holds  p  0.00 s  3 states\n"
        );
        assert_eq!(settled("in 1.50 s.\n\n"), "in 0.00 s.\n");
        assert_eq!(settled("6 steps"), "6 steps\n");
    }
}
