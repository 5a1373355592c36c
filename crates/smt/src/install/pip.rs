//! Packages from the Python package index, by the `pip` that is there.
//!
//! `pip` knows the user's proxies, mirrors and certificates, and which package fits this machine; so
//! nothing about any of these is written here.

use super::pinned::Package;
use crate::cancel::Cancel;
use plainsong_children::{Guarded, spawn_group};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Ways to start it.
const PIPS: [&[&str]; 4] = [
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
    &["pip3"],
    &["pip"],
];

/// Some tens of megabytes come within this, or the network is of no use.
const LONGEST: Duration = Duration::from_secs(300);

/// Downloads one package, without what it depends on, into an empty folder; gives its file.
pub(crate) fn download(package: &Package, into: &Path, cancel: &Cancel) -> Result<PathBuf, String> {
    for pip in PIPS {
        match run(pip, package, into, cancel) {
            Ok(()) => return the_only_file(into),
            Err(Failure::NotThere) => {}
            Err(Failure::Said(why)) => return Err(format!("`{}`: {why}", pip.join(" "))),
        }
    }
    Err("there is no `pip`".to_owned())
}

enum Failure {
    /// The next one may be.
    NotThere,
    /// It is there; another one would say the same.
    Said(String),
}

fn run(pip: &[&str], package: &Package, into: &Path, cancel: &Cancel) -> Result<(), Failure> {
    let complaints = into.join("complaints");
    let file = fs::File::create(&complaints).map_err(|error| Failure::Said(error.to_string()))?;
    let mut command = Command::new(pip[0]);
    command
        .args(&pip[1..])
        .args(["download", "--quiet", "--no-input", "--no-deps"])
        .args(["--disable-pip-version-check", "--only-binary=:all:"])
        .args(["--retries", "2", "--timeout", "15"])
        .args(tags(package))
        .arg("--dest")
        .arg(into)
        .arg(package.requirement)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file);
    let child = spawn_group(&mut command).map_err(|_| Failure::NotThere)?;
    if wait(child, cancel).map_err(Failure::Said)? {
        return Ok(());
    }
    let said = fs::read_to_string(complaints).unwrap_or_default();
    if said.contains("No module named") {
        return Err(Failure::NotThere);
    }
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Err(Failure::Said(last.unwrap_or("it failed").to_owned()))
}

/// One build of a package that comes in one for each version of Python.
fn tags(package: &Package) -> Vec<&'static str> {
    let mut tags = package.tags.to_vec();
    if !tags.is_empty() {
        tags.extend([
            "--python-version",
            "3.11",
            "--implementation",
            "cp",
            "--abi",
            "cp311",
        ]);
    }
    tags
}

/// Did it succeed?
fn wait(mut child: Guarded, cancel: &Cancel) -> Result<bool, String> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if begin.elapsed() < LONGEST && !cancel.is_cancelled() => {
                thread::sleep(Duration::from_millis(20));
            }
            _ => {
                drop(child);
                return Err("it took too long, or was interrupted".to_owned());
            }
        }
    }
}

fn the_only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut packages = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    packages.next().ok_or("`pip` downloaded nothing".to_owned())
}
