//! Automation: `cargo xtask test` is what CI runs, and what the README tells people to run.
//!
//! Each step is an ordinary cargo command, so that a failing one can be repeated by hand; the step
//! that fails is named at the end. The tidiness checks are ordinary tests of this crate
//! (`tests/tidy.rs`).

mod annotations;
mod compare;
mod dist;
mod sanitize;
mod stability;
mod strongest;
mod wasm;

use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask test | bless | compare | sanitize | stability | strongest | annotations | dist | wasm\n\
    test       formatting, lints, every test\n\
    sanitize   Miri over the engine, AddressSanitizer over the coroutines; needs a nightly toolchain\n\
    stability  every proof under ten other seeds and another solver; words pick songs\n\
    strongest  plain `check` beside every verb, property by property: strength and time; words pick songs\n\
    bless      rewrite the expectations of songs and snapshots, then look at the difference\n\
    compare    every answer of the corpus beside that of an earlier program or revision\n\
    annotations   how many lines schedules and proofs take, beside the reference's\n\
    dist       an archive to install from: command, completions, manual pages, licences, checksum\n\
    wasm       do the crates that could run in a browser compile for it?";

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let outcome = match task.as_str() {
        "test" => test(),
        "bless" => bless(),
        "sanitize" => sanitize::sanitize(),
        "stability" => stability::stability(&std::env::args().skip(2).collect::<Vec<_>>()),
        "compare" => compare::compare(&std::env::args().skip(2).collect::<Vec<_>>()),
        "strongest" => strongest::strongest(&std::env::args().skip(2).collect::<Vec<_>>()),
        "annotations" => annotations(),
        "wasm" => wasm::wasm(),
        "dist" => dist::dist(&std::env::args().skip(2).collect::<Vec<_>>())
            .map(|archive| say(&format!("{}\n", archive.display()))),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

/// Everything that must be right before a change lands.
fn test() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    // The client of a message server is compiled only where there is a server to test it with.
    let swarm: &[&str] = match has_nats_server() {
        true => &["--features", "plainsong-cli/swarm"],
        false => &[],
    };
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked"];
    let strict = ["--", "-D", "warnings"];
    cargo(&[&clippy[..], swarm, &strict].concat(), &[])?;
    // Links of the documentation that users read.
    cargo(
        &["doc", "-p", "plainsong", "--no-deps", "--locked"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    cargo(
        &[&["test", "--workspace", "--locked"][..], swarm].concat(),
        &[],
    )?;
    cargo(
        &["build", "--release", "--locked", "-p", "plainsong-cli"],
        &[],
    )
}

/// Is there a server for the tests of swarms, or must there be one (`PLAINSONG_SWARM=required`)?
fn has_nats_server() -> bool {
    let is_required = std::env::var_os("PLAINSONG_SWARM").is_some_and(|value| value == "required");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    is_required || folders.any(|folder| folder.join("nats-server").is_file())
}

/// Prints how many lines schedules take.
fn annotations() -> Result<(), String> {
    let (table, kept) = annotations::table()?;
    say(&table);
    let (layered, within) = annotations::layered()?;
    say(&layered);
    match (kept, within) {
        (true, true) => Ok(()),
        (false, _) => Err("a schedule takes more than half of the reference's lines".to_owned()),
        (_, false) => Err("a program takes more lines than the reference's".to_owned()),
    }
}

/// Rewrites goldens in place.
fn bless() -> Result<(), String> {
    let bless = [("PLAINSONG_BLESS", "1"), ("UPDATE_EXPECT", "1")];
    cargo(&["test", "--workspace", "--no-fail-fast"], &bless)
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(&program, arguments, environment)
}

fn run(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).envs(environment.iter().copied());
    let status = plainsong_children::spawn_group(&mut command)
        .and_then(plainsong_children::Guarded::wait)
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("failed: {program} {}", arguments.join(" ")))
    }
}

/// What a command writes on its standard output, whatever its exit code is.
fn run_quietly(command: &mut Command) -> Result<String, String> {
    let output = plainsong_children::output(command)
        .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[expect(clippy::print_stderr, reason = "this is a command-line tool")]
fn complain(message: &str) {
    eprintln!("xtask: {message}");
}

#[expect(clippy::print_stdout, reason = "this is a command-line tool")]
fn say(text: &str) {
    print!("{text}");
}
