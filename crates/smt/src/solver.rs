//! A solver on this machine: which program, which version.

use crate::install::{PINNED_CVC5, PINNED_Z3};
use crate::query::Kind;
use plainsong_children::Guarded;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How a solver's process is started, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    pub kind: Kind,
    pub program: PathBuf,
    /// What it is told at the start, besides what every process of this kind is told.
    pub arguments: Vec<OsString>,
    /// Its version: `4.15.4`.
    pub version: Arc<str>,
}

/// A program that calls [`serve`](crate::serve) when it is started with these arguments, followed by a
/// folder and a number of megabytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The program: usually the one that is running.
    pub program: PathBuf,
    /// What makes it serve.
    pub arguments: Vec<OsString>,
}

impl Solver {
    /// The Z3 at this place, asked for its version.
    pub fn z3(program: impl Into<PathBuf>) -> io::Result<Solver> {
        let program = program.into();
        let version = ask_version(&program)?;
        Ok(Solver {
            kind: Kind::Z3,
            program,
            arguments: Vec::new(),
            version: version.into(),
        })
    }

    /// The pinned Z3 at this place. It was tried when it was put there: where all answers are known, no
    /// process is started at all.
    pub(crate) fn pinned_z3(program: PathBuf) -> Solver {
        Solver {
            kind: Kind::Z3,
            program,
            arguments: Vec::new(),
            version: PINNED_Z3.into(),
        }
    }

    /// The cvc5 whose libraries lie in this folder, in processes that `host` starts.
    pub(crate) fn cvc5(host: &Host, libraries: PathBuf) -> Solver {
        let mut arguments = host.arguments.clone();
        arguments.push(libraries.into());
        Solver {
            kind: Kind::Cvc5,
            program: host.program.clone(),
            arguments,
            version: PINNED_CVC5.into(),
        }
    }

    /// Name and version: `z3 4.15.4`.
    pub fn title(&self) -> Arc<str> {
        format!("{} {}", self.kind.name(), self.version).into()
    }
}

/// A program that was unpacked a moment ago may still be open for writing in a process that another
/// thread is just starting; that passes.
fn run_for_version(program: &Path) -> io::Result<Output> {
    for _ in 0..20 {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let ran = plainsong_children::spawn(&mut command).and_then(Guarded::output);
        match ran {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(50));
            }
            ran => return ran,
        }
    }
    Err(io::ErrorKind::ExecutableFileBusy.into())
}

/// `Z3 version 4.15.4 - 64 bit` has the version as its third word.
fn ask_version(program: &Path) -> io::Result<String> {
    let output = run_for_version(program)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("Z3"), Some("version"), Some(version)) => Ok(version.to_owned()),
        _ => Err(io::Error::other("it does not say that it is Z3")),
    }
}
