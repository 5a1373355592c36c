//! How a solver gets onto a machine. (What is said when it cannot is tested where it is said: `doctor`.)

use plainsong_smt::{Attempt, Cancel, Kind, Origin, Places, Solver};
use std::cell::Cell;
use std::fs;
use std::thread;

fn places(cache: &tempfile::TempDir) -> Places {
    Places {
        named: None,
        cache: Some(cache.path().to_owned()),
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
    fs::write(solvers.join(&name), "").expect("a file");
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
