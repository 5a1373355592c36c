//! A folder to work in, and the command run in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A temporary folder.
pub(crate) struct Stage {
    folder: TempDir,
}

/// What a run did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Stage {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// With one song in it, `a.song`.
    pub(crate) fn with(song: &str) -> Self {
        let stage = Stage::new();
        stage.write("a.song", song);
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("read")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), arguments)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let ran = plainsong_children::output(&mut self.command(arguments));
        finished(ran.expect("the command runs"))
    }

    /// In a folder of the stage.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let ran = plainsong_children::output(&mut command(&self.path(folder), arguments));
        finished(ran.expect("the command runs"))
    }

    /// With `text` on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], text: &str) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(text.as_bytes()).expect("it reads");
        drop(input);
        finished(child.wait_with_output().expect("it ends"))
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plainsong"));
    command
        .current_dir(folder)
        .args(arguments)
        .env_remove("RUST_BACKTRACE")
        .env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}

pub(crate) fn finished(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

impl Ran {
    /// The exit code, with everything said when it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Standard output without what differs from run to run.
    pub(crate) fn timeless(&self) -> String {
        let mut text = String::new();
        for line in self.out.lines() {
            let is_timed = |rest: &str| rest.ends_with(|c: char| c.is_ascii_digit());
            let at_end = line.strip_suffix(" s").filter(|rest| is_timed(rest));
            let at_end = at_end.map(|before| (before, ""));
            match line.split_once(" s   ").or(at_end) {
                Some((before, after)) => {
                    let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                    let line = format!("{}  TIME   {after}", before.trim_end());
                    text.push_str(&format!("{}\n", line.trim_end()));
                }
                None => text.push_str(&format!("{line}\n")),
            }
        }
        text
    }
}
