//! `doctor`: what is there, and where the solver comes from.

use crate::stage::{Ran, Stage, finished};

#[test]
fn the_doctor_is_content_and_needs_no_network_the_second_time() {
    let stage = Stage::new();
    let ran = stage.run(&["doctor"]).exits(0);
    assert!(ran.out.contains("ok plainsong 0."), "{}", ran.out);
    for part in ["ok states", "ok explore", "ok solver   z3 4."] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
    if cfg!(target_os = "linux") {
        let second = "ok solver   cvc5 1.4.2, for second opinions";
        assert!(ran.out.contains(second), "{}", ran.out);
    }
    if ran.out.contains("the pinned version") {
        let mut alone = stage.command(&["doctor"]);
        let again = finished(alone.env("PATH", "/nowhere").output().expect("it runs"));
        assert_eq!(again.exits(0).out, ran.out);
    }
}

/// The book and the doctor agree on who needs a solver.
#[test]
fn who_needs_a_solver_is_the_same_in_the_book() {
    let book = plainsong_testkit::corpus::root().join("book/src/solver.md");
    let book = std::fs::read_to_string(book).expect("a chapter");
    for engine in plainsong_driver::engines::ALL {
        let name = format!("`{}`", engine.name());
        let is_row = |line: &&str| line.starts_with('|') && line.contains(&name);
        let row = book.lines().find(is_row);
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        let is_never = row.ends_with("| no |");
        assert_eq!(engine.needs().ends_with("needs nothing"), is_never, "{row}");
        assert_ne!(engine.needs().contains("needs a solver"), is_never, "{row}");
    }
}

/// On a machine with nothing but these programs.
#[cfg(unix)]
fn examined(stage: &Stage, programs: &[(&str, &str)]) -> Ran {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = stage.path("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    for (name, script) in programs {
        stage.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bin.join(name), executable).expect("it can be executed");
    }
    let mut command = stage.command(&["doctor"]);
    command.env("PATH", bin).env_remove("PLAINSONG_Z3");
    command.env("HOME", stage.path("home"));
    command.env("XDG_CACHE_HOME", stage.path("cache"));
    finished(command.output().expect("it runs"))
}

#[cfg(unix)]
#[test]
fn without_pip_and_solver_the_doctor_says_what_to_do() {
    let ran = examined(&Stage::new(), &[]).exits(2);
    for part in [
        "no solver",
        "there is no `pip`",
        "PLAINSONG_Z3",
        "ok explore",
    ] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
}

/// A package that is not the one that was meant is not opened, and its program not run.
#[cfg(target_os = "linux")]
#[test]
fn a_package_with_another_digest_is_refused() {
    let stage = Stage::new();
    let download = "while [ \"$1\" != --dest ]; do shift; done; echo evil > \"$2/z3_solver-4.whl\"";
    let ran = examined(&stage, &[("python3", download)]).exits(2);
    assert!(ran.err.contains("fetching z3 4.15.4"), "{}", ran.err);
    assert!(ran.out.contains("the digest"), "{}", ran.out);
    assert!(!stage.path("cache/plainsong/solvers/z3-4.15.4").exists());
}

#[cfg(unix)]
#[test]
fn without_network_a_solver_on_the_search_path_will_do() {
    let offline = ("python3", "echo 'ERROR: no network' >&2; exit 1");
    let answering = r#"
        if [ "$1" = --version ]; then echo 'Z3 version 4.8.12 - 64 bit'; exit; fi
        while read -r line; do case "$line" in
          "(assert true)") verdict=sat ;;
          "(assert false)") verdict=unsat ;;
          "(check-sat)") echo $verdict ;;
          "(get-info :reason-unknown)") echo '(:reason-unknown "")' ;;
          "(get-info :rlimit)") echo '(:rlimit 5)' ;;
          '(echo "'*) line="${line#*\"}"; echo "${line%\"*}" ;;
        esac; done"#;
    let stage = Stage::new();
    let ran = examined(&stage, &[offline, ("z3", answering)]).exits(0);
    for part in [
        "z3 4.8.12, on the search path",
        "not the pinned",
        "no network",
    ] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
    let wrong = answering.replace("verdict=unsat", "verdict=sat");
    let ran = examined(&stage, &[("z3", &wrong)]).exits(2);
    assert!(ran.out.contains("is wrong"), "{}", ran.out);
}
