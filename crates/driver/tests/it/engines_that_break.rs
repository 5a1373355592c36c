//! A broken engine costs only its own answer; stops are honest.

use plainsong_driver::engine::{EngineReport, Task};
use plainsong_driver::plan::{Plan, Planned, PlannedTask};
use plainsong_driver::run::{Results, Supervision, run};
use plainsong_driver::select::Question;
use plainsong_driver::sizes::SizeTable;
use plainsong_driver::watch::{Interrupt, Observer, Overseer, Stage};
use plainsong_driver::{Engine, Problem, Source};
use plainsong_ir::Song;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits, Progress, Watch as _};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Breaks on `breaks`, refutes `wrong`, refuses `impossible`, waits for ever on `waits`.
struct Fragile;

impl Engine for Fragile {
    fn name(&self) -> &'static str {
        "fragile"
    }

    fn needs(&self) -> &'static str {
        "care"
    }

    fn applicable(&self, _: &Song, _: &Question) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let verdicts: Result<Vec<Verdict>, Problem> = task
            .questions
            .iter()
            .map(|question| answer(&question.name, overseer))
            .collect();
        Ok(EngineReport {
            verdicts: verdicts?,
            coverage: None,
        })
    }
}

fn answer(name: &str, overseer: &mut Overseer<'_>) -> Result<Verdict, Problem> {
    let (outcome, reason) = match name {
        "breaks" => panic!("every question has an answer"),
        "impossible" => return Err(Problem::new("there is no such instance")),
        "wrong" => (Outcome::Refuted, String::new()),
        "waits" => {
            while overseer.keep_going(&Progress::default()) {
                std::thread::sleep(Duration::from_millis(1));
            }
            (Outcome::Unknown, overseer.why_stopped().unwrap_or_default())
        }
        _ => (Outcome::Holds, String::new()),
    };
    let bound = BTreeMap::from([("Client".to_owned(), "2".to_owned())]);
    Ok(Verdict {
        outcome,
        bound,
        ..Verdict::unknown(name, reason)
    })
}

/// Proves `sure`, and `unsure` provided `else`; refutes `doubtful` without an execution; breaks on `fine`.
struct Prover;

impl Engine for Prover {
    fn name(&self) -> &'static str {
        "prover"
    }

    fn needs(&self) -> &'static str {
        "nothing"
    }

    fn applicable(&self, _: &Song, _: &Question) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, task: &Task, _: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let verdict = |question: &Question| match question.name.as_str() {
            "sure" => Verdict::proved("sure", "shown"),
            "unsure" => Verdict {
                provided: vec!["else".to_owned()],
                ..Verdict::proved("unsure", "shown")
            },
            "doubtful" => Verdict::refuted("doubtful", Default::default(), "seen by nobody"),
            _ => panic!("every proof has an end"),
        };
        Ok(EngineReport {
            verdicts: task.questions.iter().map(verdict).collect(),
            coverage: None,
        })
    }
}

struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

fn question(name: &str) -> Question {
    Question {
        name: name.to_owned(),
        subject: Subject::System,
        check: Check::Assertions,
    }
}

/// A plan with one task for each group of names.
fn plan(groups: &[&[&str]]) -> Plan {
    let engine: &'static dyn Engine = &Fragile;
    let mut plan = Plan {
        questions: Vec::new(),
        tasks: Vec::new(),
        proofs: Vec::new(),
        provable: Vec::new(),
        further: Vec::new(),
        is_side_by_side: false,
        is_in_parts: true,
    };
    for names in groups {
        let first = plan.questions.len();
        let questions: Vec<Question> = names.iter().map(|name| question(name)).collect();
        plan.questions
            .extend(questions.iter().map(|question| Planned {
                question: question.clone(),
                sizes: SizeTable::new(),
                engine: Ok(engine),
            }));
        let task = Task {
            song: Arc::new(Song::default()),
            subject: Subject::System,
            questions,
            sizes: vec![Sizes::new()],
            further: Vec::new(),
            grow: false,
            bounds: Bounds::default(),
            limits: Limits::default(),
            is_limited_by_growth: false,
            effort: Default::default(),
            memory: None,
            disk: None,
            symmetry: false,
            jobs: 1,
            delivery: None,
            proof: Default::default(),
            liveness: Default::default(),
        };
        plan.tasks.push(PlannedTask {
            engine,
            task,
            answers: (first..plan.questions.len()).collect(),
            otherwise: None,
        });
    }
    plan
}

fn source() -> Source {
    Source {
        name: "a.song".to_owned(),
        text: String::new(),
        path: None,
    }
}

fn carry_out(
    groups: &[&[&str]],
    interrupt: &Interrupt,
    timeout: Option<Duration>,
    most_refuted: Option<usize>,
) -> Results {
    let mut supervision = Supervision {
        interrupt,
        observer: &mut Nobody,
        timeout,
        memory: None,
        most_refuted,
        refuted: 0,
        ledger: None,
    };
    run(&plan(groups), &source(), &Song::default(), &mut supervision)
}

fn outcomes(results: &Results) -> Vec<(&str, Outcome)> {
    results
        .answers
        .iter()
        .map(|answer| (answer.verdict.property.as_str(), answer.verdict.outcome))
        .collect()
}

#[test]
fn a_broken_question_does_not_cost_the_others_their_answers() {
    let results = carry_out(
        &[&["fine", "breaks", "wrong"], &["also_fine"]],
        &Interrupt::default(),
        None,
        None,
    );
    assert_eq!(
        outcomes(&results),
        [
            ("fine", Outcome::Holds),
            ("breaks", Outcome::Unknown),
            ("wrong", Outcome::Refuted),
            ("also_fine", Outcome::Holds),
        ]
    );
    assert_eq!(results.crashes.len(), 1);
    assert!(
        results.crashes[0]
            .message
            .starts_with("every question has an answer")
    );
    assert!(
        results.answers[1]
            .verdict
            .reason
            .starts_with("our own bug: every question")
    );
}

/// The answers to questions that hold, where the prover is asked about each on its own.
fn proved(names: &[&str]) -> Results {
    let mut plan = plan(&[names]);
    for (at, name) in names.iter().enumerate() {
        plan.proofs.push(PlannedTask {
            engine: &Prover,
            task: Task {
                questions: vec![question(name)],
                ..plan.tasks[0].task.clone()
            },
            answers: vec![at],
            otherwise: None,
        });
    }
    let mut supervision = Supervision {
        interrupt: &Interrupt::default(),
        observer: &mut Nobody,
        timeout: None,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    run(&plan, &source(), &Song::default(), &mut supervision)
}

#[test]
fn only_a_proof_without_conditions_replaces_what_holds() {
    let results = proved(&["sure", "unsure", "doubtful", "wrong"]);
    assert_eq!(
        outcomes(&results),
        [
            ("sure", Outcome::Proved),
            ("unsure", Outcome::Holds),
            ("doubtful", Outcome::Holds),
            ("wrong", Outcome::Refuted),
        ]
    );
    assert!(results.crashes.is_empty(), "what is refuted is not proved");
    let tried = results.answers.iter().map(|answer| answer.tried.len());
    assert_eq!(tried.collect::<Vec<_>>(), [2, 2, 2, 1]);
}

#[test]
fn a_prover_that_breaks_leaves_what_holds() {
    let results = proved(&["fine", "sure"]);
    assert_eq!(
        outcomes(&results),
        [("fine", Outcome::Holds), ("sure", Outcome::Proved)]
    );
    assert_eq!(results.crashes.len(), 1);
    assert!(
        results.answers[0].tried[1]
            .reason
            .starts_with("our own bug")
    );
}

#[test]
fn an_impossible_instance_is_a_problem_of_the_request() {
    let results = carry_out(&[&["impossible"]], &Interrupt::default(), None, None);
    assert_eq!(outcomes(&results), [("impossible", Outcome::Unknown)]);
    assert_eq!(results.problems[0].file.as_deref(), Some("a.song"));
    assert!(results.crashes.is_empty());
}

#[test]
fn after_enough_refutations_the_rest_is_unknown_and_says_so() {
    let groups: &[&[&str]] = &[&["wrong"], &["fine"]];
    let results = carry_out(groups, &Interrupt::default(), None, Some(1));
    assert_eq!(
        outcomes(&results),
        [("wrong", Outcome::Refuted), ("fine", Outcome::Unknown)]
    );
    assert_eq!(
        results.answers[1].verdict.reason,
        "not looked at: stopped after 1 refuted"
    );
    let results = carry_out(groups, &Interrupt::default(), None, Some(2));
    assert_eq!(
        outcomes(&results),
        [("wrong", Outcome::Refuted), ("fine", Outcome::Holds)]
    );
}

#[test]
fn a_time_limit_ends_one_task_and_not_the_next() {
    let timeout = Some(Duration::from_millis(400));
    let results = carry_out(
        &[&["waits"], &["fine"]],
        &Interrupt::default(),
        timeout,
        None,
    );
    assert_eq!(
        outcomes(&results),
        [("waits", Outcome::Unknown), ("fine", Outcome::Holds)]
    );
    let reason = &results.answers[0].verdict.reason;
    assert!(
        reason.starts_with("time limit (") && reason.ends_with("0.4 s); see --timeout"),
        "{reason}"
    );
}

#[test]
fn an_interrupt_ends_everything() {
    let interrupt = Interrupt::default();
    let later = interrupt.clone();
    let hand = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        later.set();
    });
    let results = carry_out(&[&["waits"], &["fine"]], &interrupt, None, None);
    hand.join().expect("it only sleeps");
    assert_eq!(
        outcomes(&results),
        [("waits", Outcome::Unknown), ("fine", Outcome::Unknown)]
    );
    assert_eq!(results.answers[0].verdict.reason, "interrupted");
    assert_eq!(
        results.answers[1].verdict.reason,
        "not checked: interrupted"
    );
}

#[test]
fn what_no_engine_may_answer_is_unknown_with_the_reason() {
    let mut plan = plan(&[&["fine"]]);
    plan.tasks.clear();
    plan.questions[0].engine = Err("asks for `sequentialize`".to_owned());
    let interrupt = Interrupt::default();
    let mut supervision = Supervision {
        interrupt: &interrupt,
        observer: &mut Nobody,
        timeout: None,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let results = run(&plan, &source(), &Song::default(), &mut supervision);
    assert_eq!(results.answers[0].engine, "-");
    assert_eq!(
        results.answers[0].verdict.reason,
        "asks for `sequentialize`"
    );
}
