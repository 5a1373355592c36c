//! How a solver gets onto a machine. (What is said when it cannot is tested where it is said: `doctor`.)

use plainsong_smt::{Attempt, Cancel, Kind, Origin, Places, Solver};
use std::cell::Cell;
use std::fs;
use std::thread;

fn places(cache: &tempfile::TempDir) -> Places {
    Places {
        named: None,
        cache: Some(cache.path().to_owned()),
        key: None,
    }
}

/// Downloads twice, some tens of megabytes: `PLAINSONG_SLOW=1`.
#[test]
fn two_runs_at_once_fetch_it_once() {
    if std::env::var_os("PLAINSONG_SLOW").is_none() {
        return;
    }
    let cache = tempfile::tempdir().expect("a folder");
    let cancel = Cancel::default();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let found = places(&cache).z3(Attempt::Always, &|_| {}, &cancel);
                assert_eq!(found.map(|found| found.origin), Ok(Origin::Pinned));
            });
        }
    });
    let entries = fs::read_dir(cache.path().join("solvers")).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("one").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["lock", "z3-4.15.4"], "nothing else is left behind");
}

#[test]
fn what_is_in_the_cache_is_not_fetched_again() {
    let cache = tempfile::tempdir().expect("a folder");
    let solvers = cache.path().join("solvers");
    fs::create_dir(&solvers).expect("a folder");
    let name = format!("z3-4.15.4{}", std::env::consts::EXE_SUFFIX);
    let real = crate::stage::z3();
    if *real.version != *plainsong_smt::PINNED_Z3 {
        return;
    }
    fs::copy(&real.program, solvers.join(&name)).expect("a copy");
    let told = Cell::new(false);
    let found = places(&cache).z3(Attempt::Always, &|_| told.set(true), &Cancel::default());
    let expected = Solver {
        kind: Kind::Z3,
        program: solvers.join(name),
        arguments: Vec::new(),
        version: "4.15.4".into(),
    };
    assert_eq!(found.map(|found| found.solver), Ok(expected));
    assert!(!told.get());
}

/// A machine without network does not wait for it each time.
#[test]
fn what_failed_a_short_time_ago_is_not_tried_again() {
    let cache = tempfile::tempdir().expect("a folder");
    let solvers = cache.path().join("solvers");
    fs::create_dir(&solvers).expect("a folder");
    fs::write(solvers.join("z3-failure"), "no network").expect("a file");
    let told = Cell::new(false);
    let found = places(&cache).z3(
        Attempt::IfNotFailedLately,
        &|_| told.set(true),
        &Cancel::default(),
    );
    assert!(!told.get());
    let why = match found {
        Ok(found) => found.remark.unwrap_or_default(),
        Err(why) => why,
    };
    assert!(why.contains("a short time ago: no network"), "{why}");
}

#[test]
fn without_a_cache_nothing_is_fetched() {
    let told = Cell::new(false);
    let nowhere = Places::default();
    let found = nowhere.z3(Attempt::Always, &|_| told.set(true), &Cancel::default());
    assert!(!told.get());
    assert!(found.is_err() || found.is_ok_and(|found| found.origin == Origin::SearchPath));
}

/// Whoever can write the cache puts another solver there, which says `unsat` to everything.
#[test]
#[cfg(unix)]
fn a_solver_in_the_cache_that_was_not_fetched_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let cache = tempfile::tempdir().expect("a folder");
    let folder = cache.path().join("solvers");
    fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(format!("z3-{}", plainsong_smt::PINNED_Z3));
    // As on a machine whose network has failed a moment ago.
    fs::write(folder.join("z3-failure"), "no network").expect("a file");
    let ask = |key: bool| {
        let places = Places {
            key: key.then(|| cache.path().join("key")),
            ..places(&cache)
        };
        let attempt = Attempt::IfNotFailedLately;
        let found = places.z3(attempt, &|_| {}, &Cancel::default());
        found.is_ok_and(|found| found.origin == Origin::Pinned)
    };
    for key in [true, false] {
        fs::write(&program, "#!/bin/sh\necho unsat\n").expect("a file");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, executable).expect("it can be executed");
        assert!(!ask(key));
        let real = crate::stage::z3();
        if *real.version != *plainsong_smt::PINNED_Z3 {
            continue;
        }
        fs::copy(&real.program, &program).expect("a copy");
        assert!(ask(key) && ask(key), "it is the one that would be fetched");
        let mut bytes = fs::read(&program).expect("a program");
        bytes.push(0);
        fs::write(&program, bytes).expect("a file");
        assert!(!ask(key), "one byte more");
    }
}
