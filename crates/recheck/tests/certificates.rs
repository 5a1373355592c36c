//! Certificates of real derivations are accepted; with anything changed they are not.

use plainsong_ir::Song;
use plainsong_recheck::{Certificate, Event, VERSION, hash, recheck};
use plainsong_sequentialize::{Move, Way, derivation};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn events(ways: &[Way]) -> Vec<Vec<Event>> {
    let event = |one: &Move| match one.clone() {
        Move::Does(who, at) => Event::Does { who, at },
        Move::Sends(who, at, to) => Event::Sends { who, at, to },
        Move::Receives(who, at, from) => Event::Receives { who, at, from },
        Move::Decides(who, at, arm) => Event::Decides { who, at, arm },
        Move::Each(who, at, member, ways) => Event::Each {
            who,
            at,
            member,
            ways: events(&ways),
        },
        Move::Other(rule) => Event::NotCovered {
            rule: rule.to_owned(),
        },
    };
    ways.iter()
        .map(|way| way.iter().map(event).collect())
        .collect()
}

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
        ways: events(&ways),
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
fn derivations_are_accepted_or_their_rule_is_named() {
    let mut accepted = Vec::new();
    for folder in ["benchmark", "further", "../../../../songs/sequentialize"] {
        for (name, text) in programs(folder) {
            // Songs that have none are there too.
            let Some(certificate) = certificate(&text) else {
                assert!(folder.ends_with("songs/sequentialize"), "{name}");
                continue;
            };
            match recheck(&compile(&text), &text, &certificate) {
                Ok(()) => accepted.push(name),
                Err(why) => {
                    assert!(why.0.ends_with("not covered"), "{name}: {why}");
                }
            }
        }
    }
    let of_two_places = accepted
        .iter()
        .any(|name| name.ends_with("votes-from-two-places.song"));
    assert!(of_two_places && accepted.len() >= 30, "only {accepted:?}");
}

/// The programs whose derivations are accepted.
fn accepted() -> Vec<(String, Certificate)> {
    let all = programs("benchmark").into_iter().chain(programs("further"));
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
        for (what, tampered) in tampered(&whole) {
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
    assert!(tried > 1_000, "only {tried} were tried");
}

/// Every way to change one thing: a value, or a part that is left out or comes twice.
fn tampered(value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            let more = (format!("{number} plus one"), Value::from(number + 1));
            vec![more]
        }
        Value::String(text) => vec![(format!("`{text}`"), Value::from(format!("{text}x")))],
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
                for (what, part) in tampered(&parts[at]) {
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
                // The name of the file is there for people: the hash says which text is meant.
                if key == "file" {
                    continue;
                }
                for (what, field) in tampered(field) {
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
