//! The obligations of the choreographies and movers that proofs are measured by, beside the same solver fed with
//! what one would write down for it by hand. Goal: at most twice its time.
//!
//! Both sides start their own processes and remember nothing. Figures are CPU time, ours and that of the
//! solver's processes: from the text of the song to the last answer on our side, of the solver's program
//! reading one file on the other. Hand encodings say what the solver needs to know and no more: they have no
//! definedness, no vacuity, and what takes insight is given.

mod commit;

use crate::measure::{children_time, milliseconds, process_time};
use plainsong_ir::{ActionId, Song};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_refine::answer::{Answer, Prover};
use plainsong_refine::movers::{Side, moves_past};
use plainsong_smt::{Attempt, Cancel, Places, Setup, Solver, Solvers};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Runs per figure: their times are added, because those of processes that ended are told in steps of 10 ms.
const TIMES: u32 = 10;

/// One row.
struct Row {
    name: &'static str,
    song: String,
    by_hand: String,
}

/// Prints the table.
pub fn table() {
    let cancel = Cancel::default();
    let places = Places::from_environment();
    let found = match places.z3(Attempt::Always, &|text| eprintln!("{text}"), &cancel) {
        Ok(found) => found,
        Err(why) => return println!("prove: {why}"),
    };
    println!(
        "\nprove: {}, all obligations of a song beside a hand encoding, CPU time, mean of {TIMES}",
        found.solver.title()
    );
    println!(
        "{:<28} {:>5} {:>11} {:>5} {:>11} {:>11} {:>7}",
        "song", "goals", "by hand", "ours", "ours", "of it we", "ratio"
    );
    let mut all = [Duration::ZERO; 2];
    // Every run has a cache of its own. They are removed at the end: some file systems are slow to use again what was
    // just freed.
    let cache = std::env::temp_dir().join(format!("plainsong-bench-{}", std::process::id()));
    for row in rows() {
        let took = print(&row, &found.solver, &cache);
        if row.name != WITHOUT_LEMMAS {
            all = [all[0] + took[0], all[1] + took[1]];
        }
    }
    // Left behind in a folder for temporary files if it cannot be removed.
    let _ = std::fs::remove_dir_all(cache);
    println!(
        "{:<34} {:>11} {:>5} {:>11} {:>18.1}x",
        "all with the same lemmas",
        milliseconds(all[0]),
        "",
        milliseconds(all[1]),
        all[1].as_secs_f64() / all[0].as_secs_f64()
    );
}

/// Here the tool finds out what the hand encoding is given.
const WITHOUT_LEMMAS: &str = "ring summation, no lemmas";

fn rows() -> Vec<Row> {
    let song = |path: &str| {
        let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let song = folders
            .find_map(|folder| std::fs::read_to_string(folder.join("songs").join(path)).ok());
        song.expect("the song is there")
    };
    let row = |name, path, by_hand: &str| Row {
        name,
        song: song(path),
        by_hand: by_hand.to_owned(),
    };
    let ring = include_str!("by_hand/ring_summation.smt2");
    vec![
        Row {
            name: "commit of 17",
            song: commit::song(),
            by_hand: commit::by_hand(),
        },
        row(
            "commit of any size",
            "project/two-phase-commit-until-all-vote-yes.song",
            include_str!("by_hand/commit_of_any_size.smt2"),
        ),
        row(
            "election of any size",
            "project/election.song",
            include_str!("by_hand/election_of_any_size.smt2"),
        ),
        row(
            "ring summation, lemmas",
            "project/ring-summation-with-lemmas.song",
            ring,
        ),
        row(WITHOUT_LEMMAS, "project/ring-summation.song", ring),
        row(
            "Chang-Roberts, movers",
            "refine/chang-roberts-one-node-moves.song",
            include_str!("by_hand/chang_roberts_movers.smt2"),
        ),
    ]
}

/// Prints a row; the mean times, by hand and ours.
fn print(row: &Row, solver: &Solver, cache: &Path) -> [Duration; 2] {
    let (mut theirs, mut ours, mut we) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut goals, mut obligations) = (0, 0);
    for time in 0..TIMES {
        let begin = children_time();
        goals = by_hand(solver, &row.by_hand);
        theirs += children_time() - begin;
        let answers = cache.join(format!("{} {time}", row.name));
        let (begin, alone) = (process_time() + children_time(), process_time());
        obligations = prove(&row.song, &answers);
        ours += process_time() + children_time() - begin;
        we += process_time() - alone;
    }
    println!(
        "{:<28} {goals:>5} {:>11} {obligations:>5} {:>11} {:>11} {:>6.1}x",
        row.name,
        milliseconds(theirs / TIMES),
        milliseconds(ours / TIMES),
        milliseconds(we / TIMES),
        ours.as_secs_f64() / theirs.as_secs_f64()
    );
    [theirs / TIMES, ours / TIMES]
}

/// Has the solver's program read a file of goals; all of them are proved. How many there are.
fn by_hand(solver: &Solver, text: &str) -> usize {
    let file = std::env::temp_dir().join(format!("plainsong-bench-{}.smt2", std::process::id()));
    std::fs::write(&file, text).expect("a file for the solver");
    let output = Command::new(&solver.program)
        .arg("auto_config=false")
        .arg(&file)
        .stderr(Stdio::inherit())
        .output()
        .expect("the solver runs");
    // Left behind in a folder for temporary files if it cannot be removed.
    let _ = std::fs::remove_file(file);
    let answers = String::from_utf8_lossy(&output.stdout);
    assert!(
        answers.lines().all(|line| line == "unsat"),
        "a goal is lost: {answers}"
    );
    answers.lines().count()
}

/// Proves a song with an empty cache; how many obligations that takes.
fn prove(text: &str, answers: &Path) -> usize {
    let compiled = plainsong_syntax::compile(text);
    let song = Arc::new(compiled.song.expect("it compiles"));
    prove_all(&song, answers)
}

fn prove_all(song: &Arc<Song>, answers: &Path) -> usize {
    let setup = Setup {
        answers: Some(answers.to_owned()),
        ..Setup::from_environment()
    };
    let solvers = Solvers::new(setup);
    let mut theory = Theory::new(song.clone());
    let cancel = Cancel::default();
    if song.lines.is_empty() {
        return movers(&mut theory, &solvers, &cancel);
    }
    let mut all: Vec<Obligation> = Vec::new();
    for line in 0..song.lines.len() {
        let conditions = conditions(&mut theory, line, &[]).expect("covered");
        all.extend(conditions.obligations);
    }
    let shown = discharge(&mut theory, &all, &solvers, &Effort::default(), &cancel);
    for (one, shown) in all.iter().zip(shown) {
        let wanted = one.rule == Rule::Vacuity || shown == Shown::Yes;
        assert!(wanted, "{}: {} {shown:?}", one.sentence, one.text);
    }
    all.len()
}

/// Proves that the declared left movers of a song move past the other actions.
fn movers(theory: &mut Theory, solvers: &Solvers, cancel: &Cancel) -> usize {
    let song = theory.song.clone();
    let actions = &song.actions().expect("actions").actions;
    let mut prover = Prover {
        theory,
        solvers,
        cancel,
        seed: 0,
        second: None,
    };
    let is_left = |at: &usize| actions[*at].role.mover.is_some_and(|mover| mover.is_left());
    let (left, others): (Vec<usize>, Vec<usize>) = (0..actions.len()).partition(is_left);
    let others: Vec<ActionId> = others.into_iter().map(ActionId::from).collect();
    let moved = left.into_iter().map(|at| {
        match moves_past(&song, at.into(), Side::Left, &others, &mut prover) {
            Answer::Proved(proof) => proof.obligations,
            other => panic!("{}: {other:?}", actions[at].name),
        }
    });
    moved.sum()
}
