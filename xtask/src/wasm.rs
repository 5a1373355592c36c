//! `cargo xtask wasm`: do the crates that could run in a browser still compile for it?
//!
//! It needs the target's standard library: `rustup target add wasm32-unknown-unknown`. That they use nothing which compiles
//! there and fails when it is run is a test (`tests/portable.rs`).

use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// As in `tests/portable.rs`, with those that only render and pack what the others compute.
const CRATES: [&str; 13] = [
    "certificate",
    "diagnostics",
    "diverge",
    "explore",
    "explore-songs",
    "ir",
    "liveness",
    "project",
    "report",
    "semantics",
    "sequentialize",
    "states",
    "syntax",
];

/// Checks them, if the target is there.
pub(crate) fn wasm() -> Result<(), String> {
    let mut sysroot = Command::new("rustc");
    let place = super::run_quietly(sysroot.args(["--print", "target-libdir", "--target", TARGET]))?;
    if !std::path::Path::new(place.trim()).is_dir() {
        return Err(format!(
            "the toolchain has no {TARGET}: `rustup target add {TARGET}` adds it"
        ));
    }
    let crates = CRATES.map(|name| format!("plainsong-{name}"));
    let mut arguments = vec!["check", "--locked", "--target", TARGET];
    for name in &crates {
        arguments.extend(["-p", name]);
    }
    super::cargo(&arguments, &[])
}
