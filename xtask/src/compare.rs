//! `cargo xtask compare BEFORE [WORD…]`: does a rebuild answer as before?
//!
//! Regression comparison of two programs on everything that the corpus asks: every expectation in the header of a
//! song is asked of both as `VERB --json`, and every example is checked as it stands. Two answers are the same if they
//! agree on the exit code and, property by property, on verdict, bound, counts and saved execution. Words may differ:
//! reasons, notes and engine names ([`RENAMED`]) are not compared, nor are times.
//!
//! `BEFORE` is a built `plainsong`, or a revision that is built in `target/compare`. `PLAINSONG_PROGRAM` names the
//! program to compare it with; without it, this tree is built. Words pick songs by their path. Nothing is taken from a
//! cache: each program has an empty one of its own.

use crate::{cargo, run, say};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders whose songs are asked.
const FOLDERS: [&str; 2] = ["songs", "examples"];
/// What is compared of a verdict, beside its property and its trace.
const COMPARED: [&str; 8] = [
    "verdict",
    "bound",
    "engine",
    "executions",
    "blocked",
    "states",
    "obligations",
    "conditional",
];
/// Engines that had another name before.
const RENAMED: [(&str, &str); 1] = [("naive", "states")];

/// Asks both programs everything, and fails if an answer differs.
pub(crate) fn compare(arguments: &[String]) -> Result<(), String> {
    let Some((before, words)) = arguments.split_first() else {
        return Err("usage: cargo xtask compare BEFORE [WORD…]".to_owned());
    };
    let before = Subject::new("before", earlier(before)?)?;
    let after = Subject::new("after", later()?)?;
    let questions = questions(words)?;
    let mut different = 0;
    for question in &questions {
        let found = differences(&before.ask(question)?, &after.ask(question)?);
        different += usize::from(!found.is_empty());
        for one in found {
            say(&format!("{question}: {one}\n"));
        }
    }
    say(&format!(
        "{} questions, {different} answered otherwise\n",
        questions.len()
    ));
    match different {
        0 => Ok(()),
        _ => Err("some answers differ".to_owned()),
    }
}

/// One call of the program about one song.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    song: PathBuf,
    /// The verb and its flags.
    arguments: Vec<String>,
}

impl std::fmt::Display for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.arguments.join(" "), self.song.display())
    }
}

/// Everything that the headers below [`FOLDERS`] ask, for songs whose path has one of the words.
fn questions(words: &[String]) -> Result<Vec<Question>, String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(|error| error.to_string())?;
            open.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
            continue;
        }
        let shown = path.display().to_string();
        let is_wanted = words.is_empty() || words.iter().any(|word| shown.contains(word));
        if !is_wanted || !shown.ends_with(".song") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let header = text.lines().take_while(|line| line.starts_with("//"));
        let expected = header.filter_map(|line| line.strip_prefix("// expect "));
        let mut asked: Vec<Vec<String>> = expected.map(arguments).collect();
        if path.starts_with("examples") || asked.is_empty() {
            asked.push(vec!["check".to_owned()]);
        }
        asked.sort();
        asked.dedup();
        found.extend(asked.into_iter().map(|arguments| Question {
            song: path.clone(),
            arguments,
        }));
    }
    found.sort();
    Ok(found)
}

/// `check(Client=2) within 500 states: …` as `check --size Client=2 --bound states=500`.
fn arguments(expected: &str) -> Vec<String> {
    let end = expected
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(expected.len());
    let (verb, mut rest) = expected.split_at(end);
    let mut arguments: Vec<&str> = match verb {
        "states" | "accepted" => vec!["check"],
        "diverge_fair" => vec!["diverge", "--fair"],
        "diverge_resent" => vec!["diverge", "--fair=resent"],
        verb => vec![verb],
    };
    if let Some((sizes, behind)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        rest = behind;
        for size in sizes.split(',') {
            arguments.extend(["--size", size.trim()]);
        }
    }
    let mut arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let limit = rest.trim_start().strip_prefix("within ");
    if let Some(limit) = limit.and_then(|rest| rest.split(' ').next()) {
        arguments.extend(["--bound".to_owned(), format!("states={limit}")]);
    }
    arguments
}

/// A program with folders of its own for what it keeps and writes.
struct Subject {
    program: PathBuf,
    folder: PathBuf,
}

/// What is compared of an answer, by what it is about.
type Answer = BTreeMap<String, String>;

impl Subject {
    fn new(name: &str, program: PathBuf) -> Result<Subject, String> {
        let folder = std::path::absolute(Path::new("target/compare").join(name))
            .map_err(|error| error.to_string())?;
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        Ok(Subject { program, folder })
    }

    fn ask(&self, question: &Question) -> Result<Answer, String> {
        let out = self.folder.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let mut command = Command::new(&self.program);
        command.args(&question.arguments).arg(&question.song);
        command.args(["--json", "--out"]).arg(&out);
        command.env("XDG_CACHE_HOME", self.folder.join("cache"));
        let output = command
            .output()
            .map_err(|error| format!("cannot start {}: {error}", self.program.display()))?;
        let mut answer = Answer::new();
        let code = output.status.code();
        answer.insert("exit code".to_owned(), format!("{code:?}"));
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Ok(Value::Object(event)) = serde_json::from_str(line)
                && event.get("event").and_then(Value::as_str) == Some("verdict")
            {
                self.note(&event, &mut answer);
            }
        }
        Ok(answer)
    }

    /// Enters what a verdict says.
    fn note(&self, event: &Map<String, Value>, answer: &mut Answer) {
        let property = event.get("property").and_then(Value::as_str);
        let property = property.unwrap_or("?");
        for field in COMPARED {
            let mut value = event.get(field).cloned().unwrap_or_default();
            for (old, new) in RENAMED {
                if value.as_str() == Some(old) {
                    value = Value::from(new);
                }
            }
            answer.insert(format!("{property}: {field}"), value.to_string());
        }
        if let Some(trace) = event.get("trace").and_then(Value::as_str) {
            let text = std::fs::read_to_string(trace).unwrap_or_default();
            answer.insert(format!("{property}: trace"), steps(&text));
        }
    }
}

/// The events of a saved execution: its other lines name versions and say things in words.
fn steps(trace: &str) -> String {
    let events = trace.lines().filter(|line| line.starts_with("event\t"));
    events.collect::<Vec<_>>().join("\n")
}

fn differences(before: &Answer, after: &Answer) -> Vec<String> {
    let nothing = "nothing".to_owned();
    let mut about: Vec<&String> = before.keys().chain(after.keys()).collect();
    about.sort();
    about.dedup();
    about
        .into_iter()
        .filter(|about| before.get(*about) != after.get(*about))
        .map(|about| {
            let [was, is] = [before, after].map(|one| one.get(about).unwrap_or(&nothing));
            format!("{about} was {was}, is {is}")
        })
        .collect()
}

/// The program to compare with: a file, or what a revision builds.
fn earlier(named: &str) -> Result<PathBuf, String> {
    if Path::new(named).is_file() {
        return std::path::absolute(named).map_err(|error| error.to_string());
    }
    let folder = format!("target/compare/{}", named.replace('/', "-"));
    if !Path::new(&folder).exists() {
        run("git", &["worktree", "add", "--detach", &folder, named], &[])?;
    }
    let manifest = format!("{folder}/Cargo.toml");
    let target = format!("{folder}/target");
    cargo(
        &[
            "build",
            "--release",
            "-p",
            "plainsong-cli",
            "--manifest-path",
            &manifest,
            "--target-dir",
            &target,
        ],
        &[],
    )?;
    std::path::absolute(format!("{target}/release/plainsong")).map_err(|error| error.to_string())
}

/// The program of this tree.
fn later() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("PLAINSONG_PROGRAM") {
        return Ok(program.into());
    }
    cargo(&["build", "--release", "-p", "plainsong-cli"], &[])?;
    std::path::absolute("target/release/plainsong").map_err(|error| error.to_string())
}
