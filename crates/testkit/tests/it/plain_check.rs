//! Plain `check` refutes nothing of a song whose header expects nothing to be refuted.
//!
//! The header asks at sizes of its own; whoever types `plainsong check FILE` gets the default sizes, and the next ones.
//! A song that is right at some sizes only has to declare them.
//!
//! Plain `check` is as strong as every prover: what the header of a song calls proved by `sequentialize`, `refine` or
//! `diverge`, and is proved by it without a condition, `check` proves.

use plainsong_driver::effort::Effort;
use plainsong_driver::engine::LivenessOptions;
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::select::Selection;
use plainsong_driver::watch::{Interrupt, Observer, Stage};
use plainsong_driver::{Source, engines};
use plainsong_ir::Song;
use plainsong_semantics::search::Progress;
use plainsong_semantics::verdict::{Outcome, Verdict};
use plainsong_testkit::corpus::header::{self, Claim, Question, Scope};
use plainsong_testkit::corpus::{files, root};
use std::sync::Arc;
use std::time::Duration;

/// For each task: what is not refuted by then is not what this is about.
const TIMEOUT: Duration = Duration::from_secs(2);

struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

/// Does the header expect `check` to hold at sizes that it names, and nothing to be refuted?
fn is_right_at_its_sizes(text: &str) -> bool {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let header: Vec<&str> = lines.filter(|line| line.starts_with("// expect")).collect();
    header
        .iter()
        .any(|line| line.starts_with("// expect check("))
        && !header.iter().any(|line| line.contains("refuted"))
}

/// What plain `check`, or the verb of an engine, answers.
fn verdicts(
    song: &Arc<Song>,
    source: &Source,
    request: &Request,
    timeout: Option<Duration>,
) -> Vec<Verdict> {
    let plan = plan(song, request, engines::ALL).unwrap_or_else(|_| panic!("{}", source.name));
    let mut supervision = Supervision {
        interrupt: &Interrupt::default(),
        observer: &mut Nobody,
        timeout,
        memory: None,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let answers = run(&plan, source, song, &mut supervision).answers;
    answers.into_iter().map(|answer| answer.verdict).collect()
}

/// The songs of the corpus that compile.
fn songs() -> impl Iterator<Item = (Arc<Song>, Source)> {
    let files = files().expect("the corpus can be listed");
    files.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let song = Arc::new(plainsong_syntax::compile(&text).song?);
        let name = path.display().to_string();
        let path = None;
        Some((song, Source { name, text, path }))
    })
}

#[test]
fn what_its_header_calls_right_is_not_refuted() {
    let mut asked = 0;
    let mut problems = Vec::new();
    let request = Request {
        look_further: true,
        ..Request::default()
    };
    for (song, source) in songs() {
        if !is_right_at_its_sizes(&source.text) {
            continue;
        }
        asked += 1;
        for verdict in verdicts(&song, &source, &request, Some(TIMEOUT)) {
            if verdict.outcome == Outcome::Refuted {
                let (property, bound) = (&verdict.property, &verdict.bound);
                problems.push(format!("{}: {property} at {bound:?}", source.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        asked > 50,
        "only {asked} songs say at which sizes they hold"
    );
}

/// The provers that the header expects to prove something, each with what it expects not to be proved.
fn provers(text: &str) -> Vec<(&'static str, Vec<Claim>)> {
    let header = header::read(text).unwrap_or_default();
    let plain = header
        .expectations
        .into_iter()
        .filter(|one| one.scope == Scope::default());
    let provers = plain.filter_map(|one| match one.question {
        Question::Sequentialize(claims) => Some(("sequentialize", claims)),
        Question::Refine(claims) => Some(("refine", claims)),
        Question::Diverge(claims, None) => Some(("diverge", claims)),
        _ => None,
    });
    provers
        .map(|(engine, mut claims)| {
            claims.retain(|claim| claim.outcome != Outcome::Proved);
            (engine, claims)
        })
        .collect()
}

/// What is not proved is not what this is about.
fn few_states() -> Effort {
    Effort {
        states: Some(2_000),
        first_states: 2_000,
        ..Effort::default()
    }
}

fn is_proved(verdict: &Verdict) -> bool {
    verdict.outcome == Outcome::Proved && verdict.provided.is_empty()
}

#[test]
fn what_a_prover_proves_is_proved() {
    let (mut compared, mut problems) = (0, Vec::new());
    for (song, source) in songs() {
        let provers = provers(&source.text);
        if provers.is_empty() {
            continue;
        }
        let plain = Request {
            effort: few_states(),
            ..Request::default()
        };
        let mut open = verdicts(&song, &source, &plain, None);
        compared += open.len();
        open.retain(|verdict| !is_proved(verdict));
        for (engine, not_proved) in provers {
            let is_claimed = |verdict: &&Verdict| {
                let property = &verdict.property;
                !not_proved.iter().any(|claim| claim.property == *property)
            };
            let claimed = open.iter().filter(is_claimed);
            let names: Vec<String> = claimed.map(|one| one.property.clone()).collect();
            if names.is_empty() {
                continue;
            }
            let request = Request {
                engine: Some(engine),
                selection: Selection::new(names, None).expect("there is no pattern"),
                liveness: LivenessOptions {
                    prove: true,
                    ..LivenessOptions::default()
                },
                ..plain.clone()
            };
            let verb = verdicts(&song, &source, &request, None);
            let proved = verb.iter().filter(|verdict| is_proved(verdict));
            let told = proved.map(|one| format!("{}: {}", source.name, one.property));
            problems.extend(told.map(|told| format!("{told} is proved by `{engine}` only")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared > 100, "only {compared} answers were compared");
}
