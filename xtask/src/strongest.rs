//! `cargo xtask strongest [WORD…]`: is plain `check` as strong as every verb, and about as fast?
//!
//! Every song below `songs` and `examples` whose path contains one of the words, or that is named itself, is asked of `check`
//! without flags and of every verb that answers properties. A finding is a property of which
//!
//! - a verb gives a stronger verdict than `check`: refuted before proved, proved before bounded, bounded before open;
//! - a verb gives the same, and `check` takes more than one and a half times its time and a second more, of the processor's time,
//!   children included.
//!
//! A property with `by` is asked of that engine only, and no finding. `PLAINSONG_PROGRAM` names a built `plainsong`; without it, one is
//! built. `PLAINSONG_SAMPLE=20` takes each twentieth song. Nothing is taken from a cache.

use crate::{cargo, run_quietly, say};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders whose songs are asked.
const FOLDERS: [&str; 2] = ["songs", "examples"];
/// The verbs that answer properties.
const VERBS: [&str; 5] = ["sequentialize", "prove", "refine", "diverge", "explore"];
/// No verb gets more than so many seconds.
const PATIENCE: &str = "60";

/// What one call said, and what it took.
struct Said {
    /// How strong the verdict on each property is, in words and as a number.
    verdicts: BTreeMap<String, (u8, String)>,
    /// Seconds of the processor's time.
    seconds: f64,
}

/// Asks everything, and fails if there is a finding.
pub(crate) fn strongest(words: &[String]) -> Result<(), String> {
    let program = program()?;
    let folder = std::path::absolute("target/strongest").map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let sample = std::env::var("PLAINSONG_SAMPLE").ok();
    let each = sample.and_then(|number| number.parse().ok()).unwrap_or(1);
    let songs = songs(words)?;
    let (mut asked, mut properties, mut findings) = (0, 0, 0);
    for song in songs.iter().step_by(each) {
        let check = ask(&program, "check", song, &folder)?;
        if check.verdicts.is_empty() {
            continue;
        }
        let mut others = Vec::new();
        for verb in VERBS {
            others.push((verb, ask(&program, verb, song, &folder)?));
        }
        let found = compared(&check, &others);
        asked += 1;
        properties += check.verdicts.len();
        findings += found.len();
        for one in found {
            say(&format!("{}: {one}\n", song.display()));
        }
    }
    say(&format!(
        "{asked} songs, {properties} properties, {findings} findings\n"
    ));
    match findings {
        0 => Ok(()),
        _ => Err("`check` is not the strongest, or not fast enough".to_owned()),
    }
}

/// Where a verb is stronger, or as strong and much faster.
fn compared(check: &Said, others: &[(&str, Said)]) -> Vec<String> {
    let mut found = Vec::new();
    for (property, (strength, told)) in &check.verdicts {
        let answers = others.iter().filter_map(|(verb, said)| {
            let (other, words) = said.verdicts.get(property)?;
            Some((*verb, *other, words, said.seconds))
        });
        let best = answers.max_by(|one, other| {
            let faster = other.3.total_cmp(&one.3);
            one.1.cmp(&other.1).then(faster)
        });
        let Some((verb, best, words, seconds)) = best else {
            continue;
        };
        let most = 1.5 * seconds + 1.0;
        if best > *strength {
            found.push(format!("{property}: {told}, and {words} by `{verb}`"));
        } else if best == *strength && best > 0 && check.seconds > most {
            let own = check.seconds;
            found.push(format!(
                "{property}: {told} in {own:.2} s, and in {seconds:.2} s by `{verb}`"
            ));
        }
    }
    found
}

fn ask(program: &Path, verb: &str, song: &Path, folder: &Path) -> Result<Said, String> {
    let before = children_seconds();
    let mut command = Command::new(program);
    command.arg(verb).arg(song);
    command.args(["--json", "--no-cache", "--out"]).arg(folder);
    if verb != "check" {
        command.args(["--timeout", PATIENCE]);
    }
    let output = run_quietly(&mut command)?;
    let mut verdicts = BTreeMap::new();
    for line in output.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        if event["event"] == "verdict"
            && let Some(property) = event["property"].as_str()
        {
            verdicts.insert(property.to_owned(), strength(&event));
        }
    }
    Ok(Said {
        verdicts,
        seconds: children_seconds() - before,
    })
}

/// Refuted before proved, proved before bounded, bounded before conditional, conditional before open.
fn strength(event: &Value) -> (u8, String) {
    let verdict = event["verdict"].as_str().unwrap_or_default();
    let is_conditional = event["provided"]
        .as_array()
        .is_some_and(|all| !all.is_empty());
    let strength = match (verdict, is_conditional) {
        ("refuted", _) => 4,
        ("proved", false) => 3,
        ("holds", _) => 2,
        ("proved", true) => 1,
        _ => 0,
    };
    let condition = if is_conditional { " (conditional)" } else { "" };
    (strength, format!("{verdict}{condition}"))
}

/// The processor's time of all children that have ended, with theirs; where the system does not tell, the time of the clock.
fn children_seconds() -> f64 {
    // Fields 16 and 17 of `proc(5)`, in hundredths of a second; the name in parentheses may contain blanks.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = fields.split(' ').collect();
    let field = |at: usize| -> Option<f64> { fields.get(at)?.parse().ok() };
    match (field(13), field(14)) {
        (Some(user), Some(system)) => (user + system) / 100.0,
        _ => {
            let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
            since.map_or(0.0, |since| since.as_secs_f64())
        }
    }
}

/// The songs below [`FOLDERS`] whose path contains one of the words, and those that are named.
fn songs(words: &[String]) -> Result<Vec<PathBuf>, String> {
    let named = words.iter().map(PathBuf::from);
    let (named, words): (Vec<PathBuf>, Vec<PathBuf>) = named.partition(|path| path.exists());
    let mut open = named.clone();
    if named.is_empty() || !words.is_empty() {
        open.extend(FOLDERS.iter().map(PathBuf::from));
    }
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(|error| error.to_string())?;
            open.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
            continue;
        }
        let shown = path.display().to_string();
        let mut words = words.iter().map(|word| word.display().to_string());
        let is_named = named.iter().any(|one| path.starts_with(one));
        let is_wanted = is_named || named.is_empty() && words.len() == 0;
        if shown.ends_with(".song") && (is_wanted || words.any(|word| shown.contains(&word))) {
            found.push(path);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn program() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("PLAINSONG_PROGRAM") {
        return Ok(program.into());
    }
    cargo(&["build", "--release", "-p", "plainsong-cli"], &[])?;
    std::path::absolute("target/release/plainsong").map_err(|error| error.to_string())
}
