//! Solvers that fail, in every way: the outcome is right or unknown, in time, and the next query is
//! served as if nothing had happened.

use crate::stage::{between, size};
use plainsong_smt::{Answer, Cancel, Kind, Outcome, Pool, Query, Reason, Solver};
use std::fs;
use std::time::{Duration, Instant};

/// A solver that answers as told: every command that answers gets its line.
const WELL_BEHAVED: &str = r#"
while read -r line; do case "$line" in
  "(check-sat)") VERDICT ;;
  "(get-info :reason-unknown)") echo '(:reason-unknown "")' ;;
  "(get-info :rlimit)") echo '(:rlimit 5)' ;;
  "(get-value "*) VALUES ;;
  '(echo "'*) line="${line#*\"}"; echo "${line%\"*}" ;;
esac; done"#;

fn fake(script: &str) -> Pool {
    let solver = Solver {
        kind: Kind::Z3,
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        version: "0".into(),
    };
    Pool::new(solver, size(1))
}

/// A solver that says this at `check-sat` and that at `get-value`.
fn saying(verdict: &str, values: &str) -> Pool {
    let script = WELL_BEHAVED.replace("VERDICT", verdict);
    fake(&script.replace("VALUES", values))
}

fn asked(limit: Duration) -> Query {
    let mut query = between(0, 5);
    query.limits.time = limit;
    query
}

fn ask(pool: &Pool) -> Answer {
    pool.ask(&asked(Duration::from_secs(20)), &Cancel::default())
}

/// Asks a solver that will not answer.
fn ask_briefly(pool: &Pool) -> Answer {
    pool.ask(&asked(Duration::from_millis(300)), &Cancel::default())
}

#[track_caller]
fn assert_crash(answer: &Answer) {
    let is_crash = matches!(answer.outcome, Outcome::Unknown(Reason::Crash(_)));
    assert!(is_crash, "{answer:?}");
}

#[track_caller]
fn assert_garbage(answer: &Answer) {
    let is_garbage = matches!(answer.outcome, Outcome::Unknown(Reason::Garbage(_)));
    assert!(is_garbage, "{answer:?}");
}

#[track_caller]
fn assert_late(answer: &Answer) {
    let is_late = matches!(answer.outcome, Outcome::Unknown(Reason::Time(_)));
    assert!(is_late, "{answer:?}");
    assert!(answer.time < Duration::from_secs(20), "{answer:?}");
}

/// Without this the other tests would show nothing.
#[test]
fn one_that_behaves_is_believed() {
    assert!(ask(&saying("echo unsat", "echo '(error \"\")'")).is_unsat());
    assert!(ask(&saying("echo sat", "echo '(($x 1))'")).is_sat());
}

#[test]
fn one_that_ends_at_once() {
    assert_crash(&ask(&fake("exit 3")));
    assert_crash(&ask(&fake("kill -SEGV $$")));
    let answer = ask(&fake("echo 'cannot load library' >&2; exit 127"));
    match answer.outcome {
        Outcome::Unknown(Reason::Crash(why)) => assert!(why.contains("library"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_that_ends_after_its_verdict() {
    assert_crash(&ask(&saying("echo unsat; exit 0", "")));
    assert_crash(&ask(&saying("echo unsat; kill -KILL $$", "")));
    assert_crash(&ask(&saying("printf unsat; exit 1", "")));
}

#[test]
fn one_that_ends_in_the_middle_of_a_model() {
    assert_crash(&ask(&saying("echo sat", "printf '(($x'; kill -KILL $$")));
}

#[test]
fn one_that_leaves_half_of_a_model() {
    assert_garbage(&ask(&saying("echo sat", "echo '(($x'")));
    assert_garbage(&ask(&saying("echo sat", "echo '(($x 1) ($y 2))'")));
    assert_garbage(&ask(&saying("echo sat", "echo '(($x))'")));
    assert_garbage(&ask(&saying("echo sat", "echo '()'")));
}

#[test]
fn one_that_talks_nonsense() {
    assert_garbage(&ask(&saying("echo maybe", "")));
    assert_garbage(&ask(&saying("printf '\\377\\376\\n'", "")));
    assert_garbage(&ask(&saying("echo ') unsat'", "")));
    assert_garbage(&ask(&saying("echo '\"unsat'", "")));
    assert_garbage(&ask(&saying("echo WARNING; echo unsat", "")));
    assert_garbage(&ask(&saying(":", "")));
    assert_garbage(&ask(&fake("yes unsat")));
    assert_crash(&ask(&fake("head -c 100000 /dev/urandom")));
}

#[test]
fn one_that_complains_first() {
    let answer = ask(&saying("echo '(error \"no such sort\")'; echo unsat", ""));
    let why = Reason::Rejected("no such sort".to_owned());
    assert_eq!(answer.outcome, Outcome::Unknown(why));
}

#[test]
fn one_that_hangs() {
    assert_late(&ask_briefly(&fake("exec sleep 1000")));
    assert_late(&ask_briefly(&saying("echo unsat; exec sleep 1000", "")));
    assert_late(&ask_briefly(&saying("echo sat", "exec sleep 1000")));
    assert_late(&ask_briefly(&fake("sleep 1000; exit")));
}

/// More than a pipe holds, to somebody who does not read.
#[test]
fn one_that_does_not_read() {
    let mut query = asked(Duration::from_millis(300));
    let again = query.commands[1].clone();
    query.commands.extend(vec![again; 100_000]);
    assert_late(&fake("exec sleep 1000").ask(&query, &Cancel::default()));
    let closed = fake("exec <&-; exec sleep 1000");
    assert_late(&closed.ask(&query, &Cancel::default()));
}

#[test]
fn one_that_closes_its_output() {
    assert_crash(&ask(&fake("exec >&-; exec sleep 1000")));
    assert_crash(&ask(&saying("echo unsat; exec >&-; exec sleep 1000", "")));
}

#[test]
fn one_that_complains_without_end() {
    let noisy = "yes 'a long complaint' | head -c 3000000 >&2; echo unsat";
    assert!(ask(&saying(noisy, "")).is_unsat());
}

/// The answer to the first question comes when the second has been asked.
#[test]
fn one_that_answers_late() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let slow_once = format!(
        "if [ -e {0} ]; then echo sat; else touch {0}; sleep 2; echo unsat; fi",
        mark.display()
    );
    let pool = saying(&slow_once, "echo '(($x 1))'");
    assert_late(&ask_briefly(&pool));
    assert!(ask(&pool).is_sat());
    assert!(ask(&pool).is_sat());
}

#[test]
fn one_that_crashes_once_gets_another_chance() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let weak = format!(
        "[ -e {0} ] || {{ touch {0}; kill -KILL $$; }}; echo sat",
        mark.display()
    );
    assert!(ask(&saying(&weak, "echo '(($x 1))'")).is_sat());
}

#[test]
fn one_that_is_not_there() {
    let solver = Solver {
        kind: Kind::Z3,
        program: "/no/such/program".into(),
        arguments: Vec::new(),
        version: "0".into(),
    };
    let pool = Pool::new(solver, size(2));
    assert_crash(&ask(&pool));
    let queries = [between(0, 1), between(0, 2), between(0, 3)];
    let queries: Vec<&Query> = queries.iter().collect();
    pool.ask_all(&queries, &Cancel::default())
        .iter()
        .for_each(assert_crash);
}

/// A batch that breaks off: what was answered completely counts, the rest is asked alone.
#[test]
fn one_that_crashes_in_the_middle_of_a_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let weak = format!(
        "echo >> {0}; [ $(wc -l < {0}) -eq 8 ] && kill -KILL $$; echo unsat",
        count.display()
    );
    let pool = saying(&weak, "echo '(error \"\")'");
    let queries: Vec<Query> = (0..20).map(|at| between(at, at)).collect();
    let queries: Vec<&Query> = queries.iter().collect();
    let answers = pool.ask_all(&queries, &Cancel::default());
    assert!(answers.iter().all(Answer::is_unsat), "{answers:?}");
    let asked = fs::read_to_string(&count).expect("it counted");
    assert_eq!(asked.lines().count(), 7 + 1 + 13);
}

#[test]
fn one_that_hangs_is_left_when_nobody_wants_to_know() {
    let pool = fake("exec sleep 1000");
    let cancel = Cancel::default();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| pool.ask(&asked(Duration::from_secs(500)), &cancel));
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
        let answer = answer.join().expect("no panic");
        assert_eq!(answer.outcome, Outcome::Unknown(Reason::Cancelled));
    });
    assert!(begin.elapsed() < Duration::from_secs(20));
}
