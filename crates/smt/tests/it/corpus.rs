//! A corpus of goals with known answers.

use plainsong_smt::{Cancel, Query, Setup, Solvers};
use std::fs;
use std::path::Path;

#[test]
fn a_goal_of_commuting_actions_is_proved() {
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/v1_qf_commute.smt2");
    let text = fs::read_to_string(file).expect("the file is there");
    let query = Query::from_script("v1", &text).expect("it reads");
    let answer = solvers.ask(&query, &Cancel::default());
    assert!(answer.is_unsat(), "{answer:?}");
}
