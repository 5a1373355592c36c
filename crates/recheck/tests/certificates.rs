//! Certificates of real derivations are accepted; with anything changed they are not.

use plainsong_certificate::{Certificate, VERSION, hash};
use plainsong_ir::Song;
use plainsong_recheck::recheck;
use plainsong_sequentialize::derivation;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn compile(text: &str) -> Song {
    let compiled = plainsong_syntax::compile(text);
    compiled
        .song
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

fn certificate(text: &str) -> Option<Certificate> {
    let ways = derivation(&compile(text), None).ok()?;
    Some(Certificate {
        version: VERSION,
        file: "it.song".to_owned(),
        hash: hash(text),
        delivery: None,
        ways,
    })
}

fn programs(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sequentialize/tests/programs");
    let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        (file.display().to_string(), text)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_derivation_is_accepted() {
    let mut accepted = 0;
    for folder in ["benchmark", "further", "../../../../songs/sequentialize"] {
        for (name, text) in programs(folder) {
            // Songs that have none are there too.
            let Some(certificate) = certificate(&text) else {
                assert!(folder.ends_with("songs/sequentialize"), "{name}");
                continue;
            };
            match recheck(&compile(&text), &text, &certificate) {
                Ok(_) => accepted += 1,
                Err(why) => {
                    let fails = "a way on which an assertion fails: not covered";
                    assert_eq!(why.to_string(), fails, "{name}");
                }
            }
        }
    }
    assert!(accepted >= 73, "only {accepted}");
}

/// The programs whose derivations are accepted.
fn accepted() -> Vec<(String, Certificate)> {
    let all = ["benchmark", "further", "../../../../songs/sequentialize"];
    let all = all.into_iter().flat_map(programs);
    let with = all.filter_map(|(_, text)| Some((certificate(&text)?, text)));
    with.filter(|(certificate, text)| recheck(&compile(text), text, certificate).is_ok())
        .map(|(certificate, text)| (text, certificate))
        .collect()
}

#[test]
fn no_certificate_makes_a_broken_program_right() {
    let accepted = accepted();
    let mut tried = 0;
    for folder in ["broken", "trap"] {
        for (name, text) in programs(folder) {
            let song = compile(&text);
            for (_, certificate) in &accepted {
                let forged = Certificate {
                    hash: hash(&text),
                    ..certificate.clone()
                };
                assert!(recheck(&song, &text, &forged).is_err(), "{name}");
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "only {tried} were tried");
}

#[test]
fn a_certificate_with_anything_changed_is_refused() {
    let mut tried = 0;
    for (text, certificate) in accepted() {
        let song = compile(&text);
        let whole = serde_json::to_value(&certificate).expect("it is plain data");
        let mut names = BTreeSet::new();
        names_in(&whole, &mut names);
        for (what, tampered) in tampered(&whole, &names) {
            let Ok(certificate) = serde_json::from_value::<Certificate>(tampered) else {
                tried += 1;
                continue;
            };
            let answer = recheck(&song, &text, &certificate);
            assert!(
                answer.is_err(),
                "{what} went unnoticed in\n{text}\n{whole:#}"
            );
            tried += 1;
        }
    }
    assert!(tried > 10_000, "only {tried} were tried");
}

/// The names of processes.
fn names_in(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| names_in(part, names)),
        Value::Object(fields) => {
            if let Some(Value::String(who)) = fields.get("who") {
                names.insert(who.clone());
            }
            fields.values().for_each(|field| names_in(field, names));
        }
        _ => {}
    }
}

/// Steps that have the same parts.
const ALIKE: [&str; 3] = ["does", "loses", "times_out"];

/// Every way to change one thing: a value, a process, a rule, or a part that is left out or comes twice.
fn tampered(value: &Value, names: &BTreeSet<String>) -> Vec<(String, Value)> {
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            let more = (format!("{number} plus one"), Value::from(number + 1));
            vec![more]
        }
        Value::String(text) => {
            let others = names.iter().filter(|_| names.contains(text));
            let others = others.filter(|name| *name != text).cloned();
            others
                .chain([format!("{text}x")])
                .map(|other| (format!("`{text}` to `{other}`"), Value::from(other)))
                .collect()
        }
        Value::Array(parts) => {
            let mut all = Vec::new();
            for at in 0..parts.len() {
                let mut less = parts.clone();
                let gone = less.remove(at);
                all.push((format!("{gone} left out"), Value::from(less)));
                // The same way twice says nothing new.
                if !gone.is_array() {
                    let mut more = parts.clone();
                    more.insert(at, gone.clone());
                    all.push((format!("{gone} twice"), Value::from(more)));
                }
                for (what, part) in tampered(&parts[at], names) {
                    let mut other = parts.clone();
                    other[at] = part;
                    all.push((what, Value::from(other)));
                }
            }
            all
        }
        Value::Object(fields) => {
            let mut all = Vec::new();
            for (key, field) in fields {
                // The name of the file is there for people: the hash says which text is meant. Of a longer row the
                // same is true.
                if key == "file" || key == "middle" {
                    continue;
                }
                for other in ALIKE
                    .iter()
                    .filter(|one| ALIKE.contains(&&key[..]) && **one != key)
                {
                    let renamed = BTreeMap::from([((*other).to_owned(), field.clone())]);
                    all.push((format!("{key} to {other}"), serde_json::json!(renamed)));
                }
                for (what, field) in tampered(field, names) {
                    let mut other = fields.clone();
                    other.insert(key.clone(), field);
                    all.push((format!("{key}: {what}"), Value::from(other)));
                }
            }
            all
        }
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}
