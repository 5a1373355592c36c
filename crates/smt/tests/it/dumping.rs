//! Queries as files for people.

use crate::stage::{between, solvers, z3};
use plainsong_smt::Cancel;
use std::fs;
use std::process::Command;

#[test]
fn a_dump_says_in_words_what_it_asks_and_any_solver_reads_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("new/folder");
    let mut query = between(0, 1);
    query.name = "swap/ensures 1: a == b".to_owned();
    query.about = "a.v == old(b.v)\n  at swap.song:4\u{7}\n(check-sat)".to_owned();
    let solvers = solvers(None, Some(to.clone()));
    for _ in 0..2 {
        solvers.ask(&query, &Cancel::default());
    }
    let files: Vec<_> = fs::read_dir(&to)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    let name = file.file_name().expect("a name").to_string_lossy();
    assert!(
        name.starts_with("swap-ensures-1--a----b-") && name.ends_with(".smt2"),
        "{name}"
    );
    let text = fs::read_to_string(file).expect("it reads");
    let head: Vec<&str> = text.lines().take(4).collect();
    let expected = [
        "; swap/ensures 1: a == b",
        "; a.v == old(b.v)",
        ";   at swap.song:4",
        "; (check-sat)",
    ];
    assert_eq!(head, expected);
    let ran = Command::new(z3().program)
        .arg(file)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.starts_with("unsat"), "{said}");
}
