//! The cache of answers: what it may be trusted with, and how it is left out.

use crate::stage::{Ran, Stage, finished};
use plainsong_smt::{Attempt, Cancel, Places};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// False where there is one member only. (A solver says that it is, so the cache is full of that.)
const FALSE: &str = "sort Member;\nlemma two() ensures exists a, b: Member :: a != b {}\n";

const TRUE: &str = "lemma between(n: int) requires n > 3 ensures n * 2 > 6 {}\n";

/// A machine with a cache and a key of its own.
struct Machine(Stage);

impl Machine {
    fn with(song: &str) -> Machine {
        Machine(Stage::with(song))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let places = Places::from_environment();
        let z3 = places.z3(Attempt::Always, &|_| {}, &Cancel::default());
        let mut command = self.0.command(arguments);
        command
            .env("PLAINSONG_Z3", z3.expect("a solver").solver.program)
            .env("XDG_CACHE_HOME", self.0.path("cache"))
            .env("XDG_DATA_HOME", self.0.path("data"));
        finished(command.output().expect("it runs"))
    }

    /// Of each property its verdict, and whether it rests on the cache.
    fn verdicts(&self, arguments: &[&str]) -> Vec<(String, String, bool)> {
        let ran = self.run(&[arguments, &["--json"]].concat());
        let records = ran.out.lines().map(|line| {
            let record: Value = serde_json::from_str(line).expect("a record");
            record
        });
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        records
            .filter(|record| record["event"] == "verdict")
            .map(|record| {
                let cached = record["cached"].as_bool().expect("it is said");
                (text(&record["property"]), text(&record["verdict"]), cached)
            })
            .collect()
    }

    fn entries(&self) -> Vec<PathBuf> {
        let below = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.expect("one").path()).collect()
        };
        let folders = below(&self.0.path("cache/plainsong/answers"));
        folders.iter().flat_map(|folder| below(folder)).collect()
    }
}

/// Writes into every entry that everything is proved, in every form that an entry has, as one can who knows how the
/// cache is made but does not have the key.
fn poison(machine: &Machine, body: &str) -> usize {
    let entries = machine.entries();
    for path in &entries {
        let text = fs::read_to_string(path).expect("an entry");
        let (seal, _) = text.split_once('\n').expect("a seal");
        fs::write(path, format!("{seal}\n{body}")).expect("it can be written");
    }
    entries.len()
}

#[test]
fn whoever_writes_the_cache_cannot_prove_anything() {
    let bodies = [
        "(unsat () () 17 17)",
        "shown",
        "(\"1 obligation shown\" () () \"1\")",
    ];
    for verb in ["prove", "check"] {
        let machine = Machine::with(FALSE);
        for body in bodies {
            for more in [&[][..], &["--require", "proved"], &["--recheck"]] {
                if verb == "check" && more == ["--recheck"] {
                    continue;
                }
                machine.verdicts(&[verb, "a.song"]);
                assert!(poison(&machine, body) > 0, "there is a cache");
                let verdicts = machine.verdicts(&[&[verb, "a.song"], more].concat());
                let (_, verdict, _) = &verdicts[0];
                assert_ne!(verdict, "proved", "{verb} {more:?} {body}");
            }
        }
    }
}

#[test]
fn what_rests_on_the_cache_says_so() {
    let machine = Machine::with(TRUE);
    let verdict = |arguments: &[&str]| machine.verdicts(arguments)[0].clone();
    let fresh = ("between".to_owned(), "proved".to_owned(), false);
    let known = ("between".to_owned(), "proved".to_owned(), true);
    assert_eq!(verdict(&["prove", "a.song", "--no-cache"]), fresh);
    assert_eq!(machine.entries(), Vec::<PathBuf>::new());
    assert!(!machine.0.path("data").exists(), "nor is there a key");
    assert_eq!(verdict(&["prove", "a.song"]), fresh);
    assert_eq!(verdict(&["prove", "a.song"]), known);
    assert_eq!(verdict(&["check", "a.song", "--no-cache"]), fresh);
    assert_eq!(verdict(&["prove", "a.song", "--recheck"]), fresh);
    assert_eq!(verdict(&["prove", "a.song", "--stability", "1"]), fresh);
    let told = machine.run(&["prove", "a.song", "-v"]).exits(0);
    assert!(
        told.out
            .contains("cached: 2 entries of the cache were used"),
        "{}",
        told.out
    );
    let told = machine.run(&["prove", "a.song", "-v", "--no-cache"]);
    assert!(!told.out.contains("cached"), "{}", told.out);
}

#[test]
#[cfg(unix)]
fn a_key_is_the_users_alone_and_one_that_is_not_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::with(TRUE);
    machine.run(&["prove", "a.song"]).exits(0);
    let key = machine.0.path("data/plainsong/cache-key");
    let mode = fs::metadata(&key).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let doctor = machine.run(&["doctor"]).out;
    assert!(doctor.contains("sealed with") && doctor.contains("cache-key"));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("a mode");
    assert!(!machine.verdicts(&["prove", "a.song"])[0].2);
    let doctor = machine.run(&["doctor"]).out;
    assert!(doctor.contains("open to others (mode 644)"), "{doctor}");
    assert!(doctor.contains("delete it"), "{doctor}");
}

/// Every verb that asks a solver can be told to ask.
#[test]
fn every_verb_that_uses_a_cache_can_leave_it_out() {
    let stage = Stage::new();
    for verb in [
        "check",
        "explore",
        "prove",
        "refine",
        "sequentialize",
        "diverge",
        "project",
    ] {
        let help = stage.run(&[verb, "--help"]).exits(0).out;
        assert!(help.contains("--no-cache"), "{verb}");
    }
}
