//! From a song and a request to tasks for engines.
//!
//! Questions about the same subject, at the same sizes and for the same engine, are one task: the
//! search is done once and answers all of them.

use crate::effort::Effort;
use crate::engine::{LivenessOptions, ProofOptions, Task};
use crate::engines::diverge::claims_termination;
use crate::larger_sizes;
use crate::memory::default_limit;
use crate::portfolio;
use crate::select::{Question, Selection, questions};
use crate::sizes::{
    SizeTable, ascending, does_grow, from_one_to_three, grow, refuse_endless, table,
};
use crate::{Engine, Problem};
use plainsong_ir::{Claim, Delivery, Property, Sizing, Song, System};
use plainsong_semantics::constraints::has_constraints;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Limits};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the user asked for, the same for every file.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Which properties.
    pub selection: Selection,
    /// `--size`.
    pub sizes: Vec<Sizing>,
    /// `--grow`.
    pub grow: bool,
    /// `--bound int=…,nat=…`.
    pub bounds: Bounds,
    /// `--bound states=…` and the like.
    pub effort: Effort,
    /// `--fail-fast`, `--keep-going`: enough refutations to end a search.
    pub refutations: Option<u64>,
    /// `--jobs`; one when not given.
    pub jobs: Option<usize>,
    /// `--memory`, in bytes.
    pub memory: Option<u64>,
    /// `--disk`: the folder for states that do not fit into memory.
    pub disk: Option<PathBuf>,
    /// `--symmetry`.
    pub symmetry: bool,
    /// `--delivery`.
    pub delivery: Option<Delivery>,
    /// `--delivery all`: every model, one after the other.
    pub every_delivery: bool,
    /// `--timeout`, for each task.
    pub timeout: Option<Duration>,
    /// `--dump`, `--stability`.
    pub proof: ProofOptions,
    /// `--fair`.
    pub liveness: LivenessOptions,
    /// Only this engine: the verb, when it is one.
    pub engine: Option<&'static str>,
    /// Are the next sizes looked at, too, where nobody chose any and that is quick?
    pub look_further: bool,
    /// May searches begin while proofs go on, where there is another core?
    pub side_by_side: bool,
}

impl Request {
    /// The limits of a search of `check` or `explore`.
    pub fn limits(&self) -> Limits {
        self.effort.limits(self.refutations)
    }
}

/// A question with the sizes it is asked at and who will answer.
#[derive(Clone)]
pub struct Planned {
    pub question: Question,
    /// Its sizes and where they come from.
    pub sizes: SizeTable,
    /// Who answers, or why nobody can.
    pub engine: Result<&'static dyn Engine, String>,
}

/// What is asked of one song.
pub struct Plan {
    /// The questions, in the order of the answers.
    pub questions: Vec<Planned>,
    /// Work to do: an engine, its task, and which of the questions the task answers.
    pub tasks: Vec<PlannedTask>,
    /// What may be proved, where a search within bounds does not refute it.
    pub proofs: Vec<PlannedTask>,
    /// The questions of which a proof for every size is asked for, whoever can give one.
    pub provable: Vec<usize>,
    /// What may be asked at the next sizes, where it holds at those by default.
    pub further: Vec<PlannedTask>,
    /// May searches begin while proofs go on, where there is another core?
    pub is_side_by_side: bool,
    /// Is everything asked, part by part?
    pub is_in_parts: bool,
}

/// Work for one engine.
pub struct PlannedTask {
    /// Who does it.
    pub engine: &'static dyn Engine,
    /// What to do.
    pub task: Task,
    /// The questions it answers, by position in the plan.
    pub answers: Vec<usize>,
    /// Who is asked what this one leaves open.
    pub otherwise: Option<Otherwise>,
}

/// Who is asked after another engine has had its turn.
#[derive(Clone, Copy)]
pub struct Otherwise {
    pub engine: &'static dyn Engine,
    pub limits: Limits,
}

/// Plans what `request` asks of `song`.
pub fn plan(
    song: &Arc<Song>,
    request: &Request,
    engines: &'static [&'static dyn Engine],
) -> Result<Plan, Problem> {
    let mut planned = Vec::new();
    for question in questions(song) {
        if !request.selection.includes(&question.name) {
            continue;
        }
        let about_termination = request.engine == Some("diverge");
        if about_termination
            && request.selection.is_open()
            && claims_termination(song, &question).is_none()
        {
            continue;
        }
        let property = property_of(song, &question);
        let mut sizes = table(song, property, &request.sizes);
        if request.grow {
            grow(&mut sizes);
        } else if about_termination || request.engine == Some("sequentialize") {
            from_one_to_three(&mut sizes);
        }
        refuse_endless(&sizes)?;
        let first = proof_first(request, &question, property)
            .or_else(|| packed_first(song, request, &question));
        let engine = choose(song, &question, property, first.or(request.engine), engines)
            .or_else(|_| choose(song, &question, property, request.engine, engines));
        if request.selection.is_open() && engine.is_err() && shows_schedules(song, request) {
            continue;
        }
        planned.push(Planned {
            question,
            sizes,
            engine,
        });
    }
    if planned.is_empty() && request.engine == Some("diverge") {
        let problem = Problem::new("no property asks whether it terminates");
        return Err(problem.help("add `property quiet: eventually quiescent;`"));
    }
    let tasks = tasks(song, request, &planned);
    Ok(Plan {
        proofs: portfolio::proofs(song, request, &planned),
        provable: portfolio::provable(song, request, &planned),
        further: larger_sizes::next(song, request, &planned),
        is_side_by_side: request.side_by_side,
        is_in_parts: request.engine.is_none(),
        questions: planned,
        tasks,
    })
}

/// `refine` of a program with schedules is about what follows from them.
fn shows_schedules(song: &Song, request: &Request) -> bool {
    request.engine == Some("refine") && !song.sequences().is_empty()
}

pub(crate) fn property_of<'a>(song: &'a Song, question: &Question) -> Option<&'a Property> {
    match question.check {
        Check::Property(at) => song.properties.get(at),
        _ => None,
    }
}

/// `check` proves choreographies, unless the sizes or values to try are given: who names them wants those
/// to be tried.
fn proof_first(
    request: &Request,
    question: &Question,
    property: Option<&Property>,
) -> Option<&'static str> {
    let anything = request.sizes.is_empty()
        && !request.grow
        && request.bounds == Bounds::default()
        && property.is_none_or(|property| property.engines.is_empty() && property.sizes.is_empty());
    let line = matches!(question.subject, Subject::Line(_));
    (request.engine.is_none() && anything && line).then_some("prove")
}

/// `check` searches action systems by the engine with packed states, which looks at the same states in the same
/// order as the interpreter, only faster. Symmetry reduction is that engine's too.
fn packed_first(song: &Song, request: &Request, question: &Question) -> Option<&'static str> {
    let is_searched = question.subject == Subject::System
        && (request.symmetry || matches!(song.system, System::Actions(_)))
        && claims_termination(song, question).is_none();
    (request.engine.is_none() && is_searched).then_some("explore")
}

/// The first engine that may answer and can.
fn choose(
    song: &Song,
    question: &Question,
    property: Option<&Property>,
    verb: Option<&str>,
    engines: &'static [&'static dyn Engine],
) -> Result<&'static dyn Engine, String> {
    let by = property.map_or(&[][..], |property| &property.engines);
    let allowed = |engine: &&&'static dyn Engine| {
        let is_named = by.is_empty() || by.iter().any(|name| name == engine.name());
        is_named && verb.is_none_or(|verb| stands_for(verb, engine.name()))
    };
    let mut refusals = Vec::new();
    for engine in engines.iter().filter(allowed) {
        match can_answer(*engine, song, question) {
            Ok(()) => return Ok(*engine),
            Err(why) => refusals.push(format!("{}: {why}", engine.name())),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals.join("; "));
    }
    let names: Vec<String> = by.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(" or ");
    Err(match verb {
        Some(verb) => format!("asks for {names}, not for `{verb}`"),
        None => format!(
            "asks for {names}, which this build does not have; without `by` the answer would be \
             bounded"
        ),
    })
}

/// Does a verb ask this engine? `prove` asks for proofs of choreographies, and of systems by induction.
fn stands_for(verb: &str, engine: &str) -> bool {
    verb == engine || (verb, engine) == ("prove", "induct")
}

/// Can an engine answer a question? Only searches through states observe constraints.
pub(crate) fn can_answer(
    engine: &dyn Engine,
    song: &Song,
    question: &Question,
) -> Result<(), String> {
    let is_search = engine.is_search();
    if question.subject == Subject::System && !is_search && has_constraints(song) {
        return Err(
            "the song says which states are searched, and only searches through states observe that"
                .to_owned(),
        );
    }
    if !is_search && is_about_steps(song, question) {
        return Err(
            "it is about steps (`old`), which only searches through states check".to_owned(),
        );
    }
    engine.applicable(song, question)
}

/// Is it `always` with `old(x)`?
fn is_about_steps(song: &Song, question: &Question) -> bool {
    match question.check {
        Check::Property(at) => matches!(song.properties[at].claim, Claim::Step(_)),
        _ => false,
    }
}

fn tasks(song: &Arc<Song>, request: &Request, planned: &[Planned]) -> Vec<PlannedTask> {
    let mut tasks: Vec<PlannedTask> = Vec::new();
    for (at, one) in planned.iter().enumerate() {
        let Ok(engine) = one.engine else { continue };
        let sizes = ascending(&one.sizes);
        let otherwise = otherwise(song, request, one, engine);
        let second = otherwise.map(|otherwise| otherwise.engine.name());
        let existing = tasks.iter_mut().find(|other| {
            other.engine.name() == engine.name()
                && other.task.subject == one.question.subject
                && other.task.sizes == sizes
                && other.otherwise.map(|one| one.engine.name()) == second
        });
        if let Some(existing) = existing {
            existing.task.questions.push(one.question.clone());
            existing.answers.push(at);
            continue;
        }
        let whole = task_of(song, request, one, sizes);
        let task = Task {
            grow: request.grow && does_grow(&one.sizes),
            further: larger_sizes::of_line(song, request, one),
            limits: match otherwise {
                Some(_) => first_look(request),
                None => request.limits(),
            },
            proof: ProofOptions {
                or_explore: request.engine.is_none(),
                ..request.proof.clone()
            },
            ..whole
        };
        tasks.push(PlannedTask {
            engine,
            task,
            answers: vec![at],
            otherwise,
        });
    }
    tasks
}

/// One question at these sizes, with everything that a request says.
pub(crate) fn task_of(
    song: &Arc<Song>,
    request: &Request,
    planned: &Planned,
    sizes: Vec<Sizes>,
) -> Task {
    Task {
        song: song.clone(),
        subject: planned.question.subject,
        questions: vec![planned.question.clone()],
        grow: false,
        sizes,
        further: Vec::new(),
        bounds: request.bounds.clone(),
        limits: request.limits(),
        is_limited_by_growth: false,
        effort: request.effort,
        jobs: request.jobs.unwrap_or(1),
        memory: request
            .memory
            .or(request.disk.as_ref().and_then(|_| default_limit())),
        disk: request.disk.clone(),
        symmetry: request.symmetry,
        delivery: request.delivery,
        proof: request.proof.clone(),
        liveness: request.liveness.clone(),
    }
}

/// Of few states `check` looks at each: the first execution that goes wrong is then a shortest one. Where there are
/// more, executions are visited, of which there are far fewer.
fn first_look(request: &Request) -> Limits {
    let limits = request.limits();
    Limits {
        states: limits.states.min(request.effort.first_states),
        ..limits
    }
}

/// Who answers a question of `check` where there are too many states for the engine that is asked first: partial-order
/// reduction of processes. Where a prover is asked in between, the first look is short whoever takes it. Who says which
/// engine gets just that.
fn otherwise(
    song: &Song,
    request: &Request,
    planned: &Planned,
    engine: &'static dyn Engine,
) -> Option<Otherwise> {
    let property = property_of(song, &planned.question);
    let is_free = request.engine.is_none()
        && !(request.grow && does_grow(&planned.sizes))
        && property.is_none_or(|property| property.engines.is_empty());
    let explore = engine_named("explore")?;
    let can = is_free
        && engine.name() == "states"
        && planned.question.subject == Subject::System
        && can_answer(explore, song, &planned.question).is_ok();
    let is_between = engine.is_search()
        && (portfolio::is_shown_by_text(song, request, &planned.question)
            || !portfolio::provers(song, request, planned).is_empty());
    let second = match (can, is_between) {
        (true, _) => explore,
        (false, true) => engine,
        (false, false) => return None,
    };
    Some(Otherwise {
        engine: second,
        limits: request.limits(),
    })
}

pub(crate) fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    let engines = crate::engines::ALL.iter();
    engines.copied().find(|engine| engine.name() == name)
}
