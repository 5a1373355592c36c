//! The front end, the interpreter and the searches could run in a browser: no files, clocks, processes or sockets.
//!
//! `cargo xtask wasm` builds them for `wasm32-unknown-unknown` where the toolchain has that target; this test keeps out,
//! everywhere, what compiles there and fails when it is run. Threads are not in the list: where none can be started, what
//! uses them goes on without or says that it cannot.

use std::fs;
use std::path::{Path, PathBuf};

/// As in `cargo xtask wasm`, without those that only render: their texts name what others do.
const PORTABLE: [&str; 10] = [
    "certificate",
    "diagnostics",
    "diverge",
    "explore",
    "explore-songs",
    "ir",
    "liveness",
    "semantics",
    "sequentialize",
    "syntax",
];

/// What there is no host for in a browser.
const ABSENT: [&str; 7] = [
    "Instant::now",
    "SystemTime::now",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "libc::",
];

#[test]
fn crates_that_could_run_in_a_browser_use_nothing_that_is_absent_there() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut problems, mut files) = (Vec::new(), 0);
    for name in PORTABLE {
        for path in sources(&crates.join(name).join("src")) {
            files += 1;
            let text = fs::read_to_string(&path).expect("a source");
            // Tests run where they are built.
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            for (at, line) in code.lines().enumerate() {
                let is_comment = line.trim_start().starts_with("//");
                if let Some(found) = ABSENT
                    .iter()
                    .find(|one| !is_comment && line.contains(**one))
                {
                    problems.push(format!("{}:{}: {found}", path.display(), at + 1));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(files > 200, "only {files} sources were found");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.extension() {
            _ if path.is_dir() => found.extend(sources(&path)),
            Some(end) if end == "rs" => found.push(path),
            _ => {}
        }
    }
    found
}
