//! `cargo xtask stability [WORD…]`: does a proof depend on luck?
//!
//! Every song that says what `prove` or `refine` should answer, and whose path contains one of the words, is shown
//! once more under ten other seeds of the pinned solver and under one of another version of it. A verdict or an
//! obligation that comes out otherwise is a flip; there should be none. Nothing is taken from the cache.
//!
//! `PLAINSONG_OTHER_Z3` names the other solver; without it, `pip` fetches one. `PLAINSONG_PROGRAM` names a built
//! `plainsong`; without it, one is built. `PLAINSONG_SEEDS` says how many seeds.

use crate::{cargo, run, say};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that is compared with the pinned one.
const OTHER: &str = "4.16.0.0";
/// Where songs with proofs are.
const FOLDERS: [&str; 5] = [
    "songs/prove",
    "songs/project",
    "songs/refine",
    "songs/induct",
    "examples",
];

/// Shows everything again, and fails if something comes out otherwise.
pub(crate) fn stability(words: &[String]) -> Result<(), String> {
    let program = program()?;
    let other = other_solver()?;
    let seeds = std::env::var("PLAINSONG_SEEDS").unwrap_or_else(|_| "10".to_owned());
    let (mut songs, mut verdicts, mut flips) = (0, 0, 0);
    for (path, verb) in songs_with_proofs(words)? {
        let first = ask(&program, verb, &path, &seeds, None)?;
        let second = ask(&program, verb, &path, "1", Some(&other))?;
        let found = differences(&first, &second);
        songs += 1;
        verdicts += first.verdicts.len();
        flips += found.len();
        say(&format!(
            "{verb} {}: {} flips\n",
            path.display(),
            found.len()
        ));
        for one in found {
            say(&format!("    {one}\n"));
        }
    }
    say(&format!(
        "{songs} songs, {verdicts} verdicts, {seeds} seeds and another solver: {flips} flips\n"
    ));
    match flips {
        0 => Ok(()),
        _ => Err("some proofs depend on luck".to_owned()),
    }
}

/// What the program said about a song.
struct Said {
    /// By the name of what was asked.
    verdicts: BTreeMap<String, String>,
    /// Lines that tell of another answer under another seed.
    unstable: Vec<String>,
}

fn ask(
    program: &Path,
    verb: &str,
    song: &Path,
    seeds: &str,
    solver: Option<&Path>,
) -> Result<Said, String> {
    let mut command = Command::new(program);
    command.args([verb, "--stability", seeds]).arg(song);
    command.envs(solver.map(|solver| ("PLAINSONG_Z3", solver)));
    let output = plainsong_children::output(&mut command)
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut said = Said {
        verdicts: BTreeMap::new(),
        unstable: Vec::new(),
    };
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(outcome @ ("proved" | "REFUTED" | "unknown" | "holds")), Some(name)) =
            (words.next(), words.next())
        {
            said.verdicts.insert(name.to_owned(), outcome.to_owned());
        }
        if line.contains("unstable: ") {
            said.unstable.push(line.trim().to_owned());
        }
    }
    match said.verdicts.is_empty() {
        true => Err(format!("no verdict about {}: {text}", song.display())),
        false => Ok(said),
    }
}

/// What comes out otherwise, one sentence each.
fn differences(first: &Said, second: &Said) -> Vec<String> {
    let mut found = [&first.unstable[..], &second.unstable[..]].concat();
    for (name, outcome) in &first.verdicts {
        let again = second.verdicts.get(name).map_or("nothing", String::as_str);
        if again != outcome {
            found.push(format!(
                "{name} is {outcome}, with the other solver {again}"
            ));
        }
    }
    found
}

/// Songs that expect something of a prover, each with the verb.
fn songs_with_proofs(words: &[String]) -> Result<Vec<(PathBuf, &'static str)>, String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let shown = path.display().to_string();
            let is_wanted = words.is_empty() || words.iter().any(|word| shown.contains(word));
            let text = match is_wanted && shown.ends_with(".song") {
                true => std::fs::read_to_string(&path).map_err(|error| error.to_string())?,
                false => continue,
            };
            let verbs = ["prove", "refine"].into_iter();
            found.extend(
                verbs
                    .filter(|verb| text.contains(&format!("// expect {verb}")))
                    .map(|verb| (path.clone(), verb)),
            );
        }
    }
    found.sort();
    Ok(found)
}

fn program() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("PLAINSONG_PROGRAM") {
        return Ok(program.into());
    }
    cargo(&["build", "--release", "-p", "plainsong-cli"], &[])?;
    Ok("target/release/plainsong".into())
}

/// The other version of the solver, fetched if need be.
fn other_solver() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("PLAINSONG_OTHER_Z3") {
        return Ok(program.into());
    }
    let folder = Path::new("target/other-solver");
    let bin = format!("z3_solver-{OTHER}.data/data/bin/z3");
    let program = folder.join(&bin);
    if !program.exists() {
        let text = folder.display().to_string();
        let wanted = format!("z3-solver=={OTHER}");
        run(
            "pip",
            &["download", "--no-deps", "-q", "-d", &text, &wanted],
            &[],
        )?;
        let unpack = "import glob, os, sys, zipfile\n\
            folder, member = sys.argv[1:]\n\
            wheel = glob.glob(os.path.join(folder, '*.whl'))[0]\n\
            os.chmod(zipfile.ZipFile(wheel).extract(member, folder), 0o755)";
        run("python3", &["-c", unpack, &text, &bin], &[])?;
    }
    std::path::absolute(program).map_err(|error| error.to_string())
}
