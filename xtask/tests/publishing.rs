//! The crates can be published one after the other: nobody needs one that comes later, not even for its tests.
//!
//! A dependency of tests that is named by its path alone does not count: it is left out of what is published.
//! `cargo publish --workspace --dry-run` does the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[test]
fn crates_can_be_published_one_after_the_other() {
    let mut needs = needs();
    assert!(needs.len() > 25, "{needs:?}");
    let mut order: Vec<String> = Vec::new();
    while !needs.is_empty() {
        let is_ready = |all: &BTreeSet<String>| all.iter().all(|one| order.contains(one));
        let next = needs.iter().find(|(_, all)| is_ready(all));
        let Some((next, _)) = next else {
            panic!("these wait for each other: {needs:#?}");
        };
        let next = next.clone();
        needs.remove(&next);
        order.push(next);
    }
    assert_eq!(order.last().map(String::as_str), Some("cli"), "{order:?}");
}

#[test]
fn what_people_install_says_what_it_is() {
    for name in ["cli", "plainsong"] {
        let text = manifest(name);
        for field in [
            "description = ",
            "keywords = [",
            "categories = [",
            "license.workspace",
        ] {
            assert!(
                text.contains(field),
                "crates/{name}/Cargo.toml has no `{field}`"
            );
        }
    }
}

/// What each published crate needs of the others, by folder.
fn needs() -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let entries = fs::read_dir(folder).expect("crates").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let published = names.filter(|name| !manifest(name).contains("publish = false"));
    published
        .map(|name| (name.clone(), needs_of(&name)))
        .collect()
}

fn needs_of(name: &str) -> BTreeSet<String> {
    let text = manifest(name);
    let lines = text
        .lines()
        .filter(|line| line.contains("workspace = true"));
    let crates = lines.filter_map(|line| line.strip_prefix("plainsong"));
    let mut found = BTreeSet::new();
    for rest in crates {
        let end = rest.find(['.', ' ']).expect("a key");
        let other = rest[..end].trim_start_matches('-');
        let other = if other.is_empty() { "plainsong" } else { other };
        // What is not published is left out, too.
        if other != "testkit" {
            found.insert(other.to_owned());
        }
    }
    found
}

fn manifest(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    fs::read_to_string(path.join(name).join("Cargo.toml")).unwrap_or_default()
}
