//! What the tests share: the solver, the corpus, small queries.

use plainsong_smt::sexpr::read_all;
use plainsong_smt::{
    Attempt, Cancel, Limits, Places, Pool, PoolSize, Query, Setup, Sexpr, Solver, Solvers,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// The solver of this machine.
pub(crate) fn z3() -> Solver {
    static FOUND: OnceLock<Solver> = OnceLock::new();
    let find = || {
        let places = Places::from_environment();
        match places.z3(Attempt::Always, &|_| {}, &Cancel::default()) {
            Ok(found) => found.solver,
            Err(why) => panic!("these tests need a solver: {why}"),
        }
    };
    FOUND.get_or_init(find).clone()
}

/// So many processes of it.
pub(crate) fn pool(processes: usize) -> Pool {
    Pool::new(z3(), size(processes))
}

/// So many processes.
pub(crate) fn size(processes: usize) -> PoolSize {
    PoolSize {
        processes,
        ..PoolSize::default()
    }
}

/// Solvers with this memory of earlier runs.
pub(crate) fn solvers(answers: Option<PathBuf>, dump: Option<PathBuf>) -> Solvers {
    Solvers::new(setup(answers, dump))
}

/// How they are set up.
pub(crate) fn setup(answers: Option<PathBuf>, dump: Option<PathBuf>) -> Setup {
    Setup {
        places: Places {
            named: Some(z3().program),
            cache: None,
            key: answers.as_deref().map(key_beside),
        },
        size: size(2),
        answers,
        dump,
        ..Setup::default()
    }
}

/// The key for a folder of answers: beside it, not in it.
pub(crate) fn key_beside(answers: &Path) -> PathBuf {
    answers.with_file_name("key")
}

/// A query from text, with limits that tests can wait for.
pub(crate) fn query(name: &str, script: &str) -> Query {
    let commands = read_all(script).expect("the script reads");
    Query {
        limits: Limits {
            resource: 300_000,
            time: Duration::from_secs(60),
        },
        ..Query::new(name, commands)
    }
}

/// `x > low` and `x < high`, with the value of `x`: satisfiable if there is room between.
pub(crate) fn between(low: i64, high: i64) -> Query {
    let x = || Sexpr::name("x");
    let mut query = query(&format!("between/{low}/{high}"), "");
    query.commands = vec![
        Sexpr::call("declare-const", [x(), Sexpr::word("Int")]),
        Sexpr::call("assert", [Sexpr::call(">", [x(), Sexpr::int(low)])]),
        Sexpr::call("assert", [Sexpr::call("<", [x(), Sexpr::int(high)])]),
    ];
    query.ask.values = vec![x()];
    query
}

/// A goal of the corpus.
pub(crate) struct Goal {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    pub(crate) query: Query,
    /// Is it satisfiable?
    pub(crate) truth: bool,
}

/// All goals, by name.
pub(crate) fn corpus() -> Vec<Goal> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = fs::read_dir(folder).expect("there is a corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 18, "{} goals", files.len());
    files.into_iter().map(goal).collect()
}

fn goal(file: PathBuf) -> Goal {
    let text = fs::read_to_string(&file).expect("a goal reads");
    let name = file.file_stem().expect("a name").to_string_lossy();
    let mut query = Query::from_script(name, &text).expect("a goal is a script");
    query.limits.resource =
        note(&text, "limit").map_or(60_000, |limit| limit.parse().expect("a number"));
    let truth = match note(&text, "truth") {
        Some("sat") => true,
        Some("unsat") => false,
        other => panic!("{}: truth {other:?}", file.display()),
    };
    Goal {
        query,
        truth,
        file,
        text,
    }
}

/// The rest of the line `; key: …`.
pub(crate) fn note<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let notes = text.lines().filter_map(|line| line.strip_prefix("; "));
    let mut values = notes.filter_map(|note| note.strip_prefix(key)?.strip_prefix(": "));
    values.next()
}
