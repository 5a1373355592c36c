//! `cargo xtask sanitize`: looks for undefined behaviour with tools that are not part of stable Rust.
//!
//! - Miri over the engine, with several workers: data races, and all else that Miri finds. It is slow,
//!   so only small programs. The engine has no `unsafe` of its own.
//!   Then over what scoped threads borrow, which needs no coroutines.
//! - AddressSanitizer, with its leak detector, over the crate that Rust users link, whose coroutines
//!   are assembly that Miri cannot run. Frames on stacks are not checked: the sanitizer does not know
//!   about stacks that are left by unwinding and then used again, and would complain about each.
//!   Left out are tests that measure memory, which the sanitizer needs a lot of, and the one whose
//!   user code catches every unwinding: its stack is leaked, as `coroutine.rs` says.
//!
//! Both need a nightly toolchain, Miri also its component. Without them this fails and says what to
//! install; it never passes without having looked. Linux on x86-64 only.

use crate::run;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Tests of the engine that are small enough for Miri.
const SMALL: [&str; 5] = [
    "parallel::workers",
    "parallel::a_panic",
    "parallel::one_visitor",
    "parallel::long_executions",
    "families::a_",
];

/// Tests that cannot be right under the sanitizer.
const LEFT_OUT: [&str; 3] = [
    "endurance::memory_does_not_grow",
    "endurance::thousands_of_explorations",
    "failures::code_that_catches_everything",
];

/// Runs both.
pub(crate) fn sanitize() -> Result<(), String> {
    need(
        &["+nightly", "miri", "--version"],
        "rustup toolchain install nightly -c miri,rust-src",
    )?;
    miri()?;
    address_sanitizer()
}

/// Is the tool there?
fn need(arguments: &[&str], install: &str) -> Result<(), String> {
    run("cargo", arguments, &[]).map_err(|error| format!("{error}; install it with `{install}`"))
}

fn miri() -> Result<(), String> {
    let mut arguments = vec!["+nightly", "miri", "test", "-p", "plainsong-explore"];
    arguments.extend(["--test", "it", "--"]);
    arguments.extend(SMALL);
    let environment = [
        ("MIRIFLAGS", "-Zmiri-disable-isolation"),
        ("PLAINSONG_PROGRAMS", "10"),
    ];
    run("cargo", &arguments, &environment)?;
    let borrowed = [
        "+nightly",
        "miri",
        "test",
        "-p",
        "plainsong",
        "--lib",
        "borrowed",
    ];
    run("cargo", &borrowed, &environment)
}

fn address_sanitizer() -> Result<(), String> {
    let mut arguments = vec![
        "+nightly",
        "test",
        "-p",
        "plainsong",
        "--lib",
        "--test",
        "it",
    ];
    arguments.extend(["--target", TARGET, "--"]);
    for test in LEFT_OUT {
        arguments.extend(["--skip", test]);
    }
    let flags = "-Zsanitizer=address -Cllvm-args=-asan-stack=0";
    run("cargo", &arguments, &[("RUSTFLAGS", flags)])
}
