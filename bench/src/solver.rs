//! What it costs to have a solver in a process of its own: 1,000 small goals by each route.
//!
//! The floor is the solver's program reading them all from one pipe, `push` and `pop` between them. A
//! goal that is asked alone pays for a reset, in exchange for an answer that depends on nothing else.
//! Figures are CPU time, ours and that of the solver's processes, which all end within the run.

use crate::measure::{children_time, milliseconds, process_time};
use plainsong_smt::{
    Answer, Attempt, Cancel, Places, Pool, PoolSize, Query, Setup, Sexpr, Solver, Solvers,
};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

const GOALS: usize = 1_000;

/// `x > y` and `x < y + k`, for `k` at most 1: never both.
fn goals() -> Vec<Query> {
    let (x, y) = (|| Sexpr::name("x"), || Sexpr::name("y"));
    let goal = |at: usize| {
        let declare = |name| Sexpr::call("declare-const", [name, Sexpr::word("Int")]);
        let sum = Sexpr::call("+", [y(), Sexpr::int(-(at as i64))]);
        let commands = vec![
            declare(x()),
            declare(y()),
            Sexpr::call("assert", [Sexpr::call(">", [x(), y()])]),
            Sexpr::call("assert", [Sexpr::call("<", [x(), sum])]),
        ];
        Query::new(format!("goal {at}"), commands)
    };
    (0..GOALS).map(goal).collect()
}

/// Prints the table.
pub fn table() {
    let cancel = Cancel::default();
    let places = Places::from_environment();
    let found = match places.z3(Attempt::Always, &|text| eprintln!("{text}"), &cancel) {
        Ok(found) => found,
        Err(why) => return println!("solver: {why}"),
    };
    let solver = found.solver;
    let goals = goals();
    let borrowed: Vec<&Query> = goals.iter().collect();
    println!(
        "{}, {GOALS} small goals, CPU time, best of 5",
        solver.title()
    );
    let row = |name: &str, time: Duration| {
        println!("  {name:42} {}", milliseconds(time));
    };
    let pool = |processes| {
        let size = PoolSize {
            processes,
            ..PoolSize::default()
        };
        Pool::new(solver.clone(), size)
    };
    row(
        "floor: its program, one pipe, push and pop",
        best(|| floor(&solver, &goals)),
    );
    for processes in [1, 2] {
        let name = format!("all at once, {processes} processes");
        let run = || proved(&pool(processes).ask_all(&borrowed, &cancel));
        row(&name, best(run));
    }
    let one_by_one = || {
        let one = pool(1);
        let answers: Vec<Answer> = goals.iter().map(|goal| one.ask(goal, &cancel)).collect();
        drop(one);
        proved(&answers);
    };
    row("one by one, a reset before each", best(one_by_one));
    let tenth = || {
        let tenth = goals[..GOALS / 10].iter();
        let answers: Vec<Answer> = tenth.map(|goal| pool(1).ask(goal, &cancel)).collect();
        proved(&answers);
    };
    row("one by one, a new process for each", best(tenth) * 10);
    let folder = std::env::temp_dir().join(format!("plainsong-bench-{}", std::process::id()));
    let setup = Setup {
        places,
        answers: Some(folder.clone()),
        ..Setup::default()
    };
    proved(&Solvers::new(setup.clone()).ask_all(&goals, &cancel));
    row(
        "again, with the answers on disk",
        best(|| proved(&Solvers::new(setup.clone()).ask_all(&goals, &cancel))),
    );
    // Left behind in a folder for temporary files if it cannot be removed.
    let _ = std::fs::remove_dir_all(folder);
}

fn best(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let begin = process_time() + children_time();
        run();
        process_time() + children_time() - begin
    };
    (0..5).map(time).min().unwrap_or_default()
}

fn proved(answers: &[Answer]) {
    assert!(answers.iter().all(Answer::is_unsat), "a goal is lost");
}

/// The same goals by hand.
fn floor(solver: &Solver, goals: &[Query]) {
    let mut text = String::new();
    for goal in goals {
        text.push_str("(push)\n");
        for command in &goal.commands {
            text.push_str(&format!("{command}\n"));
        }
        text.push_str("(check-sat)\n(pop)\n");
    }
    let mut child = Command::new(&solver.program)
        .args(["-in", "auto_config=false"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the solver starts");
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads");
    let answers = String::from_utf8_lossy(&output.stdout);
    assert_eq!(answers.matches("unsat").count(), goals.len());
}
