//! A refutation as a Rust test: a regression that stays mended.
//!
//! The test carries the execution as an event script, in names, so it survives edits of the song that
//! have nothing to do with it. It runs `plainsong replay` on it, which takes the steps again by those
//! names, and fails as long as the execution is possible and ends as badly as it did.

use crate::trace_file::{SavedTrace, write};
use plainsong_semantics::trace::Ending;

/// The test, as a file of its own under `tests/`; none when nothing goes wrong in the execution.
pub fn to_test(saved: &SavedTrace) -> Option<String> {
    let how = match &saved.trace.ending {
        Ending::Violated { .. } => "violates it",
        Ending::Deadlock(_) => "deadlocks",
        Ending::Failed(_) => "fails",
        Ending::Final | Ending::Cut | Ending::Discarded => return None,
    };
    let property = saved.header.property.as_deref().unwrap_or("execution");
    let script = write(saved);
    let hashes = "#".repeat(fence(&script));
    let name = identifier(property);
    let file = format!("{:?}", saved.header.file);
    Some(format!(
        "//! Made by `plainsong replay --to-test` from an execution of {song} that {how}.

/// Fails as long as this execution of {property} is possible and {how}.
#[test]
fn {name}_stays_mended() {{
    let song = std::path::Path::new(env!(\"CARGO_MANIFEST_DIR\")).join({file});
    let trace = std::env::temp_dir().join(format!(\"{name}-{{}}.trace\", std::process::id()));
    std::fs::write(&trace, SCRIPT).expect(\"the script can be written\");
    let command = std::env::var_os(\"PLAINSONG\").unwrap_or_else(|| \"plainsong\".into());
    let output = std::process::Command::new(command)
        .arg(\"replay\")
        .arg(&trace)
        .arg(\"--song\")
        .arg(&song)
        .output()
        .expect(\"plainsong is installed, or PLAINSONG says where it is\");
    let _ = std::fs::remove_file(&trace);
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {{
        // 0: it ends well now; 2: it is no longer possible.
        Some(0 | 2) => {{}}
        Some(1) => panic!(\"{property}: it can happen again\\n{{said}}\"),
        _ => panic!(\"{{said}}{{}}\", String::from_utf8_lossy(&output.stderr)),
    }}
}}

/// What happens, event by event.
const SCRIPT: &str = r{hashes}\"{script}\"{hashes};
",
        song = saved.header.file,
    ))
}

/// As many `#` as a raw string needs.
fn fence(text: &str) -> usize {
    let mut most = 0;
    for part in text.split('"').skip(1) {
        most = most.max(part.chars().take_while(|&one| one == '#').count());
    }
    most + 1
}

/// A property's name as a Rust identifier.
fn identifier(name: &str) -> String {
    let plain = |one: char| {
        if one.is_ascii_alphanumeric() {
            one.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("p{name}"),
        _ => name,
    }
}
