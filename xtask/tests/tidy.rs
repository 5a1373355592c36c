//! Tidiness: what a reviewer would otherwise have to check by hand, on every change.
//!
//! - `ARCHITECTURE.md` lists every crate with what it imports, from the bottom up;
//! - every path that it, the glossary and the other documents name exists, and so does every condition that a rule cites;
//! - imports point downward: each crate depends only on crates in lower layers; no shared dependency is unused;
//! - every Rust file opens with a header that says what it is, and none has grown past one idea; the modules that a header
//!   names are there;
//! - code, book and help say the field's words, not the private ones that they replaced;
//! - nothing is unfinished by its own word, and nothing names a machine or a registry.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers, lowest first: a crate may use crates of earlier layers only.
const LAYERS: &[&[&str]] = &[
    &[
        "certificate",
        "children",
        "diagnostics",
        "explore",
        "macros",
        "runtime",
        "swarm",
    ],
    &["ir", "plainsong", "smt"],
    &["runtime-explore", "semantics"],
    &[
        "run",
        "syntax",
        "report",
        "explore-songs",
        "states",
        "prove",
        "project",
        "recheck",
        "sequentialize",
        "diverge",
        "liveness",
    ],
    &["induct", "infer", "refine"],
    &["driver"],
    &["expectations", "lsp"],
    &["studio"],
    &["cli", "testkit"],
];

/// Documents whose paths must exist.
const DOCUMENTS: [&str; 4] = [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/CONDITIONS.md",
    "book/src/glossary.md",
];

/// A file longer than this has more than one idea in it.
const LONGEST_FILE: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file below `folder`, sorted; build output and version control left out.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name == ".git" {
                // A folder, or in a worktree a file that names one.
                continue;
            }
            if path.is_dir() {
                if !matches!(name.as_str(), "target" | "out" | "node_modules" | "dist") {
                    open.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn rust_files() -> Vec<PathBuf> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files_below(&root()).into_iter().filter(is_rust).collect()
}

fn crate_names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("crates"))
        .expect("there is a crates folder")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Fails with all complaints at once.
fn expect_none(what: &str, complaints: &[String]) {
    assert!(
        complaints.is_empty(),
        "{what}:\n  {}",
        complaints.join("\n  ")
    );
}

#[test]
fn the_map_lists_every_crate_and_only_paths_that_exist() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let mut complaints = Vec::new();
    for name in crate_names() {
        if !map.contains(&format!("`crates/{name}`")) {
            complaints.push(format!("`crates/{name}` is not on the map"));
        }
    }
    for document in DOCUMENTS {
        for path in read(&root().join(document)).split('`').skip(1).step_by(2) {
            let looks_like_a_path = path.contains('/') && !path.contains([' ', '*', ':', '<']);
            if looks_like_a_path && !root().join(path).exists() {
                complaints.push(format!("{document} names `{path}`, which does not exist"));
            }
        }
    }
    expect_none("documents", &complaints);
}

#[test]
fn the_map_says_what_each_crate_imports_from_the_bottom_up() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let mut complaints = Vec::new();
    let mut listed: Vec<String> = Vec::new();
    for row in map.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let name = cells[0]
            .strip_prefix("| `crates/")
            .and_then(|rest| rest.strip_suffix('`'));
        let (Some(name), [_, _, imports]) = (name, &cells[..]) else {
            continue;
        };
        let mut said: Vec<&str> = imports.trim_end_matches(" |").split(", ").collect();
        said.retain(|&word| word != "nothing");
        said.sort_unstable();
        let mut real = dependencies(&root().join("crates").join(name).join("Cargo.toml"));
        real.sort_unstable();
        if said != real && said != ["everything"] {
            complaints.push(format!("{name} imports {}", real.join(", ")));
        }
        for above in real.iter().filter(|used| !listed.contains(used)) {
            complaints.push(format!("{above} stands below {name}, which imports it"));
        }
        listed.push(name.to_owned());
    }
    expect_none("ARCHITECTURE.md, the crates", &complaints);
}

#[test]
fn every_condition_that_a_rule_cites_is_stated_and_its_traps_exist() {
    let stated = read(&root().join("docs/CONDITIONS.md"));
    let mut complaints = Vec::new();
    for path in rust_files() {
        if !["crates/sequentialize/src", "crates/recheck/src"]
            .iter()
            .any(|folder| path.starts_with(root().join(folder)))
        {
            continue;
        }
        let text = read(&path);
        for word in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            let digits = word.strip_prefix('S').unwrap_or_default();
            let digits = digits.trim_end_matches(['b', 'c']);
            let is_a_condition =
                !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_digit());
            if is_a_condition && !stated.contains(&format!("| {word} |")) {
                complaints.push(format!("{}: {word} is not stated", path.display()));
            }
        }
    }
    let traps = fs::read_dir(root().join("crates/sequentialize/tests/programs/trap"));
    let traps: Vec<String> = traps
        .expect("there are traps")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let rows = stated.lines().filter(|line| line.starts_with("| S"));
    for trap in rows.flat_map(|row| {
        let cited = row.split(" | ").last().unwrap_or_default();
        cited.split('`').skip(1).step_by(2)
    }) {
        let exists = traps.iter().any(|name| name.starts_with(trap));
        if !exists && !trap.contains('/') {
            complaints.push(format!("no trap begins with {trap}"));
        }
    }
    expect_none("docs/CONDITIONS.md", &complaints);
}

#[test]
fn every_shared_dependency_is_used() {
    let manifest = read(&root().join("Cargo.toml"));
    let section = manifest
        .split("\n[")
        .find(|section| section.starts_with("workspace.dependencies]"))
        .expect("the workspace shares dependencies");
    let manifests: Vec<String> = crate_names()
        .iter()
        .map(|name| read(&root().join("crates").join(name).join("Cargo.toml")))
        .chain([read(&root().join("xtask/Cargo.toml"))])
        .collect();
    let mut complaints = Vec::new();
    for name in section.lines().filter_map(|line| line.split_once(" = ")) {
        let wanted = [
            format!("\n{}.workspace", name.0),
            format!("\n{} = {{ workspace", name.0),
        ];
        let is_used = |text: &String| wanted.iter().any(|one| text.contains(one));
        if !manifests.iter().any(is_used) {
            complaints.push(format!("no crate uses {}", name.0));
        }
    }
    expect_none("Cargo.toml", &complaints);
}

#[test]
fn imports_point_downward() {
    let mut layer_of = BTreeMap::new();
    for (layer, names) in LAYERS.iter().enumerate() {
        for name in *names {
            layer_of.insert((*name).to_owned(), layer);
        }
    }
    let mut complaints = Vec::new();
    for name in crate_names() {
        let Some(&own) = layer_of.get(&name) else {
            complaints.push(format!("{name} has no layer in xtask/tests/tidy.rs"));
            continue;
        };
        for used in dependencies(&root().join("crates").join(&name).join("Cargo.toml")) {
            if layer_of.get(&used).is_none_or(|&layer| layer >= own) {
                complaints.push(format!("{name} uses {used}, which is not below it"));
            }
        }
    }
    expect_none("imports", &complaints);
}

/// The workspace crates under `[dependencies]` of a manifest, without the `plainsong-` prefix.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = read(manifest);
    let section = text
        .split("\n[")
        .find(|section| section.starts_with("dependencies]"));
    section
        .unwrap_or_default()
        .lines()
        .filter(|line| line.starts_with("plainsong"))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .map(|name| name.strip_prefix("plainsong-").unwrap_or(name).to_owned())
        .collect()
}

#[test]
fn every_rust_file_opens_with_a_header_and_has_one_idea() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        let text = read(&path);
        if !text.starts_with("//!") {
            complaints.push(format!("{}: no `//!` header", path.display()));
        }
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            complaints.push(format!(
                "{}: {lines} lines; look for a seam",
                path.display()
            ));
        }
    }
    expect_none("Rust files", &complaints);
}

/// Names of a crate that a header may mean: its modules, and what they define.
fn names_of(crate_files: &[&PathBuf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in crate_files {
        let words = path.iter().map(|part| part.to_string_lossy());
        names.extend(words.map(|word| word.trim_end_matches(".rs").to_owned()));
        let text = read(path);
        let words: Vec<&str> = text
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .filter(|word| !word.is_empty())
            .collect();
        let defined = words.windows(2).filter_map(|pair| match pair {
            [
                "fn" | "mod" | "struct" | "enum" | "trait" | "type" | "const" | "static",
                name,
            ] => Some((*name).to_owned()),
            _ => None,
        });
        names.extend(defined);
    }
    names
}

#[test]
fn modules_that_headers_name_exist() {
    let files = rust_files();
    let mut complaints = Vec::new();
    for name in crate_names() {
        let folder = root().join("crates").join(&name).join("src");
        let own: Vec<&PathBuf> = files
            .iter()
            .filter(|path| path.starts_with(&folder))
            .collect();
        let known = names_of(&own);
        for path in own {
            let text = read(path);
            let header = text.lines().take_while(|line| line.starts_with("//!"));
            let mut is_table_of_modules = false;
            for line in header {
                is_table_of_modules |= line.starts_with("//! | module |");
                is_table_of_modules &= line.starts_with("//! |");
                let linked = line.split("(crate::").skip(1);
                let linked = linked.chain(line.split("[`crate::").skip(1));
                let row = line.strip_prefix("//! | `").filter(|_| is_table_of_modules);
                for name in linked.chain(row) {
                    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
                    let end = name.find(|letter| !is_word(letter)).unwrap_or(name.len());
                    if !known.contains(&name[..end]) {
                        let path = path.display();
                        complaints.push(format!("{path}: there is no `{}`", &name[..end]));
                    }
                }
            }
        }
    }
    expect_none("headers", &complaints);
}

/// Words of our own that the field has a word for, with that word. `book/src/glossary.md` has more.
const DIALECT: &[(&str, &str)] = &[
    ("comes to rest", "terminates"),
    ("come to rest", "terminate"),
    ("came to rest", "terminated"),
    ("gets smaller", "decreases"),
    ("get smaller", "decrease"),
    ("gets less", "decreases"),
    ("get less", "decrease"),
    ("not shown:", "not proved:"),
    ("for want of", "for lack of"),
    ("stem and period", "stem and cycle"),
    ("certificate of rest", "termination certificate"),
    ("certificates of rest", "termination certificates"),
    ("proof of rest", "proof of termination"),
    ("naive", "explicit-state search"),
    ("perils", "faults"),
    ("takings", "receive sets"),
    ("took no part", "was not covered"),
    ("whoever uses", "the caller, or the technique by its name"),
    ("on its way", "in flight"),
    ("on their way", "in flight"),
    ("under way", "in flight"),
];

#[test]
fn the_fields_words_come_first() {
    let is_text = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default();
        path.starts_with(root().join("book/src")) && extension == "md"
            || path.starts_with(root().join("crates"))
                && extension == "rs"
                && path.iter().any(|part| part == "src")
    };
    let mut complaints = Vec::new();
    for path in files_below(&root()).into_iter().filter(is_text) {
        // A phrase may go on in the next line of a comment.
        let text = read(&path).replace("//!", "").replace("///", "");
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = format!(" {} ", text.join(" ").to_lowercase());
        for (ours, theirs) in DIALECT {
            let starts = text.match_indices(ours).map(|(at, _)| at);
            let is_word = |at: usize| {
                let before = text[..at].chars().next_back();
                let after = text[at + ours.len()..].chars().next();
                ![before, after]
                    .iter()
                    .flatten()
                    .any(|letter| letter.is_alphanumeric())
            };
            if starts.into_iter().any(is_word) {
                let path = path.display();
                complaints.push(format!("{path}: `{ours}`; the field says: {theirs}"));
            }
        }
    }
    expect_none("words", &complaints);
}

#[test]
fn nothing_is_unfinished_and_nothing_names_a_machine() {
    // Spelled in two halves so that this file does not find itself.
    let forbidden = [
        ("to", "do!("),
        ("unimple", "mented!("),
        ("FIX", "ME"),
        ("crates", ".io"),
        ("/wo", "rk/"),
    ]
    .map(|(a, b)| format!("{a}{b}"));
    let mut complaints = Vec::new();
    for path in files_below(&root()) {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if path.file_name().is_some_and(|name| name == "Cargo.lock") {
            continue;
        }
        for word in &forbidden {
            if text.contains(word) {
                complaints.push(format!("{}: contains `{word}`", path.display()));
            }
        }
    }
    expect_none("forbidden words", &complaints);
}
