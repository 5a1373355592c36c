//! `cargo xtask dist`: what people install who have no Rust: an archive with the command, completions, manual pages and
//! licence texts, and its SHA-256 beside it.
//!
//! The licence texts are those of the crates that are compiled in, copied from their sources. `--binary PATH` takes a program
//! that was built before; completions and manual pages come from that program itself, so it has to run here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells, with what their completions are called.
const SHELLS: [(&str, &str); 4] = [
    ("bash", "plainsong.bash"),
    ("zsh", "_plainsong"),
    ("fish", "plainsong.fish"),
    ("powershell", "_plainsong.ps1"),
];

/// Makes the archive and returns where it is.
pub(crate) fn dist(words: &[String]) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or("xtask lies in the workspace")?;
    let binary = match words {
        [] => {
            super::cargo(
                &["build", "--release", "--locked", "-p", "plainsong-cli"],
                &[],
            )?;
            root.join("target/release/plainsong")
        }
        [flag, path] if flag == "--binary" => PathBuf::from(path),
        _ => return Err("usage: cargo xtask dist [--binary PATH]".to_owned()),
    };
    let host = host()?;
    let name = format!("plainsong-{}-{host}", env!("CARGO_PKG_VERSION"));
    let out = root.join("target/dist");
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(said(&folder))?;
    }
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(said(&completions))?;
    copy(&binary, &folder.join("plainsong"))?;
    for file in ["LICENSE", "README.md", "CHANGELOG.md"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    for (shell, file) in SHELLS {
        let script = output(Command::new(&binary).args(["completions", shell]))?;
        let place = completions.join(file);
        fs::write(&place, script).map_err(said(&place))?;
    }
    output(Command::new(&binary).arg("man").arg(folder.join("man")))?;
    licences(root, &folder.join("licences"))?;
    let archive = format!("{name}.tar.gz");
    output(
        Command::new("tar")
            .current_dir(&out)
            .args(["czf", &archive, &name]),
    )?;
    let sum = output(Command::new("sha256sum").current_dir(&out).arg(&archive))?;
    let place = out.join(format!("{archive}.sha256"));
    fs::write(&place, sum).map_err(said(&place))?;
    Ok(out.join(archive))
}

fn said(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(said(from))
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let shown = format!("{command:?}");
    let ran = command
        .output()
        .map_err(|error| format!("{shown}: {error}"))?;
    match ran.status.success() {
        true => Ok(ran.stdout),
        false => Err(format!("{shown}: {}", String::from_utf8_lossy(&ran.stderr))),
    }
}

/// The name of the target that is compiled for.
fn host() -> Result<String, String> {
    let told = output(Command::new("rustc").arg("-vV"))?;
    let told = String::from_utf8_lossy(&told).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc names no host".to_owned())
}

/// Copies the licence texts of every crate that the command is made of, and lists the crates.
fn licences(root: &Path, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(said(folder))?;
    let format = "{p}\t{l}";
    let mut tree = Command::new(env!("CARGO"));
    tree.current_dir(root)
        .args(["tree", "--locked", "-p", "plainsong-cli"]);
    tree.args(["--edges", "normal", "--prefix", "none", "--format", format]);
    let told = String::from_utf8_lossy(&output(&mut tree)?).into_owned();
    let mut crates = BTreeSet::new();
    for line in told.lines() {
        let (package, licence) = line.split_once('\t').unwrap_or((line, ""));
        let mut words = package.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next())
            && !package.contains('(')
        {
            crates.insert((
                format!("{name}-{}", version.trim_start_matches('v')),
                licence.trim_end_matches(" (*)").to_owned(),
            ));
        }
    }
    let sources = sources()?;
    let mut list = String::from("# What is compiled into this program\n\n");
    for (name, licence) in &crates {
        list.push_str(&format!("- {name}: {licence}\n"));
        let Some(source) = sources
            .iter()
            .map(|place| place.join(name))
            .find(|place| place.exists())
        else {
            continue;
        };
        for entry in fs::read_dir(&source).map_err(said(&source))?.flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let upper = file.to_uppercase();
            let is_text = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];
            if is_text.iter().any(|begin| upper.starts_with(begin)) && entry.path().is_file() {
                copy(&entry.path(), &folder.join(format!("{name}.{file}")))?;
            }
        }
    }
    let place = folder.join("LIST.md");
    fs::write(&place, list).map_err(said(&place))
}

/// Where cargo keeps the sources of crates.
fn sources() -> Result<Vec<PathBuf>, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let place = home.ok_or("there is no home folder")?.join("registry/src");
    let entries = fs::read_dir(&place).map_err(said(&place))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}
