//! The sequentialize engine: one line for every size, and what to say when there is none.
//!
//! The search for a line is done by `plainsong-sequentialize`. Where it finds one, deadlock freedom and
//! `finally pending() == 0` are proved for all sizes, and `assertions` if everything on the way was decided.
//! Other `finally` properties and assertions go to the prover, which follows the line (`plainsong_infer::houdini`). Whatever is left open is explored at small sizes: a refutation is a real one with its execution, and
//! otherwise the verdict is `unknown` and says what stood in the way. What is proved is explored too, briefly
//! (`cross_check.rs`).

use super::assumptions::trusted;
use super::bounds::Bound;
use super::cross_check::doubt;
use super::explore::Explore;
use crate::effort::STATES_BESIDE_LINES;
use crate::engine::{EngineReport, Task};
use crate::select::Question;
use crate::watch::Overseer;
use crate::{Engine, Problem};
use plainsong_infer::Supervisor;
use plainsong_infer::arithmetic_oracle::Arithmetic;
use plainsong_infer::houdini::{Told, on_the_line};
use plainsong_ir::failing::place_that_may_fail;
use plainsong_ir::{BinOp, Claim, Expr, ExprKind, PendingOf, Song, System};
use plainsong_report::count;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits, name_of};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};
use plainsong_sequentialize::{Sequentialized, Stuck, sequentialize_with};

/// Canonical sequentialization.
pub(super) struct Sequentialize;

/// No more combinations of sizes than this.
const INSTANCES: usize = 12;
/// Sizes are tried up to this.
const LARGEST: i64 = 3;

impl Engine for Sequentialize {
    fn name(&self) -> &'static str {
        "sequentialize"
    }

    fn needs(&self) -> &'static str {
        "finds one line for any number of processes; needs a solver only for arithmetic and for properties"
    }

    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String> {
        if question.subject != Subject::System || !matches!(song.system, System::Voices(_)) {
            return Err("only processes that exchange messages have a line to find".to_owned());
        }
        match question.check {
            Check::Assertions | Check::NoDeadlock | Check::Contract => Ok(()),
            Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => {
                Err("ask `refine`".to_owned())
            }
            Check::Property(at) => match song.properties[at].claim {
                Claim::Finally(_) => Ok(()),
                Claim::Always(_) | Claim::Step(_) => Err(
                    "a line keeps what each process sees, not what holds between \
                                         steps of different ones; ask `explore`"
                        .to_owned(),
                ),
                Claim::Quiescent { .. } => Err("ask `diverge` or `explore`".to_owned()),
                Claim::Temporal(_) => Err("it does not show liveness".to_owned()),
            },
        }
    }

    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem> {
        let arithmetic = Arithmetic::new(task.proof.setup(), overseer.cancel());
        let found = sequentialize_with(&task.song, task.delivery, &arithmetic);
        overseer.look();
        let infallible = place_that_may_fail(&task.song).is_none();
        let proved: Vec<bool> = task
            .questions
            .iter()
            .map(|question| {
                let on_line = found.as_ref();
                let on_line = on_line.is_ok_and(|line| is_proved(&task.song, question, line));
                on_line || infallible && question.check == Check::Assertions
            })
            .collect();
        let asked = task.questions.iter().zip(&proved);
        let asked: Vec<&Question> = asked
            .filter(|(_, proved)| !**proved)
            .map(|(question, _)| question)
            .collect();
        let told = match &found {
            Ok(line) if !asked.is_empty() => {
                let checks: Vec<Check> = asked.iter().map(|question| question.check).collect();
                on_the_line(&task.song, line, &checks, task.proof.solvers(), overseer)
            }
            _ => Vec::new(),
        };
        let never_fails = asked.iter().zip(&told).any(|(question, told)| {
            question.check == Check::Assertions && matches!(told, Told::Proved(..))
        });
        let is_open = |line: &Sequentialized| line.pruned || !line.open.is_empty();
        let may_fail = !never_fails && !infallible && found.as_ref().is_ok_and(is_open);
        let open = asked.iter().enumerate();
        let open = open.filter(|(at, _)| !matches!(told.get(*at), Some(Told::Proved(..))));
        let open = open.map(|(_, question)| (*question).clone()).collect();
        let mut explored = match task.proof.only_proofs {
            true => Vec::new(),
            false => explored(task, open, overseer)?,
        }
        .into_iter();
        let mut told = told.into_iter();
        let mut verdicts = Vec::new();
        for (question, proved) in task.questions.iter().zip(proved) {
            let told = if proved { None } else { told.next() };
            let mut trusted = trusted(&task.song);
            let mut obligations = None;
            let why = match (proved, &told) {
                (true, _) if infallible && question.check == Check::Assertions => {
                    "nothing in it can fail, at any size".to_owned()
                }
                (true, _) => why_proved(question),
                (false, Some(Told::Proved(number, notes))) => {
                    trusted.extend(notes.iter().cloned());
                    obligations = Some(*number as u64);
                    let number = count(*number as u64, "obligation");
                    format!("{number} shown on the line, for every size")
                }
                _ => {
                    let why = why_open(&task.song, question, &found, told);
                    verdicts.push(match explored.next() {
                        Some(small) => combined(&task.song, question, small, &why),
                        None => Verdict::unknown(&question.name, why),
                    });
                    continue;
                }
            };
            verdicts.push(Verdict {
                assumptions: trusted,
                provided: provided(task, question, may_fail),
                obligations,
                ..Verdict::proved(&question.name, why)
            });
        }
        doubt(task, small_sizes(&task.sizes), &mut verdicts, overseer);
        Ok(EngineReport {
            verdicts,
            coverage: None,
        })
    }
}

/// What a proof rests on: an execution that fails ends before the end of the line, so nothing is said about it.
fn provided(task: &Task, question: &Question, may_fail: bool) -> Vec<String> {
    let name = name_of(&task.song, task.subject, Check::Assertions);
    let rests = may_fail && question.check != Check::Assertions;
    name.filter(|_| rests).into_iter().collect()
}

/// Does the line answer the question by itself?
fn is_proved(song: &Song, question: &Question, line: &Sequentialized) -> bool {
    match question.check {
        Check::NoDeadlock => true,
        Check::Assertions => line.open.is_empty() && !line.pruned,
        Check::Contract | Check::Mover(_) | Check::Refines(_) | Check::Sequence(_) => false,
        Check::Property(at) => match &song.properties[at].claim {
            Claim::Finally(claim) => is_nothing_left(claim) && !line.may_leave,
            _ => false,
        },
    }
}

/// `pending() == 0`, of all messages or of one kind.
fn is_nothing_left(claim: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Eq, left, right) = &claim.kind else {
        return false;
    };
    let counts = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Pending(PendingOf::All | PendingOf::Message(_))
        )
    };
    let (left, right) = (&left.bare().kind, &right.bare().kind);
    (counts(left) && *right == ExprKind::Int(0)) || (counts(right) && *left == ExprKind::Int(0))
}

fn why_proved(question: &Question) -> String {
    match question.check {
        Check::NoDeadlock => "there is one line for every size, and it comes to its end",
        Check::Assertions => "decided on the line, for every size",
        _ => "on the line every message that is sent is received",
    }
    .to_owned()
}

/// Answers what is left open at small sizes, as far as that is quick.
fn explored(
    task: &Task,
    questions: Vec<Question>,
    overseer: &mut Overseer<'_>,
) -> Result<Vec<Verdict>, Problem> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let small = Task {
        questions,
        sizes: small_sizes(&task.sizes),
        limits: Limits {
            states: task.effort.states_or(STATES_BESIDE_LINES),
            ..task.limits
        },
        grow: false,
        ..task.clone()
    };
    Ok(Explore.run(&small, overseer)?.verdicts)
}

/// The sizes to explore: from one on, different sorts differently, as far as the sizes asked for go.
fn small_sizes(asked: &[Sizes]) -> Vec<Sizes> {
    let Some(largest) = asked.last() else {
        return asked.to_vec();
    };
    let mut all = vec![Sizes::new()];
    for (name, &most) in &largest.chosen {
        let most = most.min(LARGEST);
        let least = most.min(1);
        all = all
            .into_iter()
            .flat_map(|sizes| (least..=most).map(move |size| sizes.clone().with(name, size)))
            .collect();
    }
    all.sort_by_key(|sizes| sizes.chosen.values().sum::<i64>());
    all.truncate(INSTANCES);
    all
}

/// Why there is no proof.
fn why_open(
    song: &Song,
    question: &Question,
    found: &Result<Sequentialized, Box<Stuck>>,
    told: Option<Told>,
) -> String {
    let line = match found {
        Err(stuck) => return no_line(stuck),
        Ok(line) => line,
    };
    let why = not_on_the_line(song, question, line);
    match told {
        Some(Told::Open(open)) => format!("{why}: {open}"),
        _ => why,
    }
}

/// What exploration says, and why there is no proof.
fn combined(song: &Song, question: &Question, mut small: Verdict, why: &str) -> Verdict {
    small.property.clone_from(&question.name);
    if small.outcome == Outcome::Refuted {
        return small;
    }
    let tried = match small.outcome {
        Outcome::Holds => {
            let bound: Vec<String> = small
                .bound
                .iter()
                .map(|(name, size)| format!("{name}={size}"))
                .collect();
            match bound.is_empty() {
                true => "exploration finds nothing wrong".to_owned(),
                false => format!(
                    "exploration finds nothing wrong with {}{}",
                    bound.join(", "),
                    further(song, &small.bound)
                ),
            }
        }
        _ => format!("exploration of small sizes gave up: {}", small.reason),
    };
    Verdict {
        outcome: Outcome::Unknown,
        bound: Bound::new(),
        reason: format!("{why}; {tried}"),
        ..small
    }
}

/// How to look at more than was looked at: a size that is one larger.
fn further(song: &Song, bound: &Bound) -> String {
    let next = song.sorts.iter().find_map(|sort| {
        let sizes = bound.get(&sort.name)?;
        let last: u64 = sizes.rsplit('=').next()?.parse().ok()?;
        Some(format!("{}={}", sort.name, last + 1))
    });
    next.map_or(String::new(), |size| {
        format!("; `plainsong explore --size {size}` looks further")
    })
}

fn no_line(stuck: &Stuck) -> String {
    let marker = plainsong_diagnostics::place_marker(stuck.span);
    let place = match stuck.span.end == 0 || stuck.sentence.contains(&marker) {
        true => String::new(),
        false => format!(" ({marker})"),
    };
    let help = stuck.help.as_ref();
    let help = help.map(|help| format!("; {help}")).unwrap_or_default();
    format!(
        "no line found [{}]: {}{place}{help}",
        stuck.obstacle.name(),
        stuck.sentence
    )
}

fn not_on_the_line(song: &Song, question: &Question, line: &Sequentialized) -> String {
    match question.check {
        Check::Property(at) => format!(
            "there is a line for every size, but `{}` was not proved on it",
            song.properties[at].name
        ),
        _ => {
            let places: Vec<String> = line
                .open
                .iter()
                .take(3)
                .map(|span| plainsong_diagnostics::place_marker(*span))
                .collect();
            format!(
                "there is a line for every size, but not everything on it is decided ({})",
                places.join(", ")
            )
        }
    }
}
