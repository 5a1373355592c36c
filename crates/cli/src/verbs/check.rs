//! `plainsong check` and the verbs of single engines: ask everything, answer line by line.

use super::next_sizes::{further_record, suggestion};
use super::page;
use super::rejected::mistakes;
use super::request::{files, request, start, validate};
use super::resuming::{End, Resuming, run_or_go_on};
use crate::arguments::{CheckArguments, CheckVerbArguments, FairLevel, Reduction, Require};
use crate::progress::ProgressLine;
use crate::session::Session;
use plainsong_driver::contain::Crash;
use plainsong_driver::counterexample::account;
use plainsong_driver::effort::Level;
use plainsong_driver::engine::{LivenessOptions, ProofOptions};
use plainsong_driver::larger_sizes::Further;
use plainsong_driver::pieces::PieceQueue;
use plainsong_driver::plan::{Plan, Request, plan};
use plainsong_driver::run::{Results, Supervision, run};
use plainsong_driver::save::{Saver, TOOL, replace};
use plainsong_driver::select::{Selection, questions};
use plainsong_driver::sensitivity::compare;
use plainsong_driver::watch::{Interrupt, Observer, Unobserved};
use plainsong_driver::worker::{Control, Ended, within};
use plainsong_driver::{Exit, LoadedSong, Problem, engines, memory};
use plainsong_ir::{Delivery, Fairness, Song};
use plainsong_report::stream::{self, PropertyRecord, Record, Summary};
use plainsong_report::{
    Answer, Attempt, Coverage, Findings, Mistake, Sensitivity, count, counterexample, file_lines,
    junit, sarif, sensitivity_lines, summary_line,
};
use plainsong_semantics::verdict::{Outcome, Requirements};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long sizes grow when nobody says.
const TIME_TO_GROW: Duration = Duration::from_secs(10);
/// How long a refutation is made smaller at least, also when the time is over.
const TIME_TO_TELL: Duration = Duration::from_millis(200);

/// Checks the files, mended if that is asked for.
pub(crate) fn check_mended(arguments: &CheckVerbArguments, session: &mut Session) -> Exit {
    if arguments.fix {
        let mended = super::mend::mend(&arguments.check, session);
        if let Err(exit) = mended {
            return exit;
        }
    }
    let manner = Manner {
        level: arguments.effort.unwrap_or_default().into(),
        liveness: LivenessOptions {
            level: arguments.fair.map(fairness),
            ..LivenessOptions::default()
        },
        ..Manner::default()
    };
    run_or_go_on(&arguments.check, &arguments.resuming, manner, session)
}

fn fairness(level: FairLevel) -> Fairness {
    match level {
        FairLevel::None => Fairness::None,
        FairLevel::Weak => Fairness::Weak,
        FairLevel::Standard => Fairness::Standard,
        FairLevel::Strong => Fairness::Strong,
    }
}

/// Checks the files. With an engine's name, only that engine answers.
pub(crate) fn check(
    arguments: &CheckArguments,
    engine: Option<&'static str>,
    session: &mut Session,
) -> Exit {
    let manner = Manner {
        engine,
        ..Manner::default()
    };
    check_in(arguments, manner, session)
}

/// How files are checked.
#[derive(Default)]
pub(crate) struct Manner {
    /// The engine that answers, where only one does.
    pub(crate) engine: Option<&'static str>,
    /// What is said about proofs.
    pub(crate) proof: ProofOptions,
    /// How liveness questions are meant.
    pub(crate) liveness: LivenessOptions,
    /// How long `check` looks for a stronger answer.
    pub(crate) level: Level,
    /// For runs that can go on later.
    pub(crate) resuming: Option<Resuming>,
    /// Who has executions visited by others, if that is asked for.
    pub(crate) queue: Option<Arc<dyn PieceQueue>>,
}

/// Checks the files in this manner.
pub(crate) fn check_in(arguments: &CheckArguments, manner: Manner, session: &mut Session) -> Exit {
    let engine = manner.engine;
    session.console.json = arguments.json;
    session.out.clone_from(&arguments.out);
    let files = files(&arguments.files);
    if arguments.json {
        let named = files.as_deref().unwrap_or_default();
        session
            .console
            .record(&start(engine.unwrap_or("check"), named));
    }
    let mut checking = Checking {
        arguments,
        engine,
        proof: ProofOptions {
            caching: arguments.cache.caching(),
            ..manner.proof
        },
        liveness: manner.liveness,
        level: manner.level,
        resuming: manner.resuming,
        session,
        answers: Vec::new(),
        rejected: Vec::new(),
        pages: Vec::new(),
    };
    let exit = match files {
        Ok(files) => checking.files(engine, &files),
        Err(problem) => checking.session.reject(&problem),
    };
    let exit = exit.and(checking.write_for_ci());
    let (resume, more) = checking.write_to_go_on();
    checking.finish(resume, exit.and(more))
}

struct Checking<'a> {
    arguments: &'a CheckArguments,
    engine: Option<&'static str>,
    proof: ProofOptions,
    liveness: LivenessOptions,
    level: Level,
    resuming: Option<Resuming>,
    session: &'a mut Session,
    answers: Vec<Answer>,
    rejected: Vec<PathBuf>,
    /// For `--page`.
    pages: Vec<page::Song>,
}

type Loaded = (LoadedSong, Arc<Song>);

/// What is said about one file.
struct Said<'a> {
    plan: &'a Plan,
    answers: &'a [Answer],
    coverage: Option<&'a Coverage>,
    differences: &'a [Sensitivity],
    further: Option<&'a Further>,
}

/// When to stop with a file.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory: Option<u64>,
}

/// The account of an answer, if it can be given within the limits. A refutation stays one without it.
pub(crate) fn account_within(
    limits: Limits,
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    interrupt: &Interrupt,
    answer: &mut Answer,
) -> Result<(), Crash> {
    if answer.verdict.trace.is_none() {
        return Ok(());
    }
    let least = Instant::now() + TIME_TO_TELL;
    let deadline = limits.deadline.map(|deadline| deadline.max(least));
    let control = Control::new(interrupt, deadline, limits.memory.map(memory::at_most));
    let work = {
        let (loaded, song, request) = (loaded.clone(), song.clone(), request.clone());
        let (interrupt, mut answer) = (interrupt.clone(), answer.clone());
        move |_: &mut dyn Observer| {
            let told = account(&loaded, &song, &request, &interrupt, &mut answer);
            told.map(|()| answer)
        }
    };
    match within(&control, &mut Unobserved, work) {
        Ended::Done(Ok(Ok(told))) => *answer = told,
        Ended::Done(Err(crash) | Ok(Err(crash))) => return Err(crash),
        Ended::LeftBehind(..) => {
            let note = "not shrunk, and no race is named: the limits left no time for it";
            answer.verdict.notes.push(note.to_owned());
        }
    }
    Ok(())
}

/// One run of a file: what was planned, and what came of it.
type Ran = (Plan, Results);

impl Checking<'_> {
    fn files(&mut self, engine: Option<&'static str>, files: &[PathBuf]) -> Exit {
        let mut exit = Exit::Fine;
        let mut songs: Vec<Loaded> = Vec::new();
        for file in files {
            match self.session.song(file) {
                Ok(song) => {
                    if let Some(resuming) = &mut self.resuming
                        && let Err(problem) = resuming.song(&song.0.source)
                    {
                        self.rejected.push(file.clone());
                        exit = exit.and(self.session.reject(&problem));
                        continue;
                    }
                    // Alone, it is refused with the selection.
                    if files.len() > 1 && questions(&song.1).is_empty() {
                        self.rejected.push(file.clone());
                        let problem = Problem::nothing_to_check().in_file(&song.0.source.name);
                        exit = exit.and(self.session.reject(&problem));
                        continue;
                    }
                    songs.push(song);
                }
                Err(why) => {
                    self.rejected.push(file.clone());
                    exit = exit.and(why);
                }
            }
        }
        if songs.is_empty() {
            return exit;
        }
        let request = match self.request(engine, &songs) {
            Ok(request) => request,
            Err(problem) => return exit.and(self.session.reject(&problem)),
        };
        if self.arguments.list {
            songs
                .iter()
                .for_each(|(loaded, song)| self.list(loaded, song, &request.selection));
            return exit;
        }
        // Until here Ctrl-C ends the run at once: there is nothing to say yet.
        self.session.interrupt_gently();
        exit.and(self.songs(&songs, &request))
    }

    fn request(&self, engine: Option<&'static str>, songs: &[Loaded]) -> Result<Request, Problem> {
        let arguments = self.arguments;
        let selection = Selection::new(arguments.property.clone(), arguments.pattern.as_deref())?;
        let names: Vec<String> = songs
            .iter()
            .flat_map(|(_, song)| questions(song))
            .map(|question| question.name)
            .collect();
        selection.validate(names.iter().map(String::as_str))?;
        let mut request = Request {
            selection,
            engine,
            proof: self.proof.clone(),
            liveness: self.liveness.clone(),
            grow: arguments.grow,
            look_further: matches!(engine, None | Some("explore")),
            side_by_side: engine.is_none()
                && arguments.jobs.is_none_or(|jobs| usize::from(jobs) > 1),
            timeout: arguments.timeout.or(arguments.grow.then_some(TIME_TO_GROW)),
            jobs: arguments.jobs.map(usize::from),
            memory: arguments.memory.map(|megabytes| megabytes * 1_000_000),
            disk: arguments.disk.clone(),
            symmetry: arguments.symmetry,
            ..request(&arguments.instance)
        };
        request.effort.level = self.level;
        if arguments.no_reduce.contains(&Reduction::DeadMessages) {
            request.effort.dead_messages = false;
        }
        if arguments.no_reduce.contains(&Reduction::Order) {
            request.effort.order = false;
        }
        let songs: Vec<&Arc<Song>> = songs.iter().map(|(_, song)| song).collect();
        validate(&request, &songs)?;
        Ok(request)
    }

    fn songs(&mut self, songs: &[Loaded], request: &Request) -> Exit {
        let mut progress = ProgressLine::new(self.arguments.detail, self.arguments.json);
        let mut saver = Saver::new(self.arguments.out.clone());
        let most_refuted = match (self.arguments.fail_fast, self.arguments.keep_going) {
            (true, _) => Some(1),
            (false, most) => most.map(|most| most as usize),
        };
        let mut request = request.clone();
        request.refutations = most_refuted.map(|most| most as u64);
        let request = &request;
        let mut refuted = 0;
        let mut exit = Exit::Fine;
        let interrupt: Interrupt = self.session.interrupt.clone();
        let memory = request.memory.or_else(memory::default_limit);
        for (loaded, song) in songs {
            let limits = Limits {
                deadline: request.timeout.map(|timeout| Instant::now() + timeout),
                memory,
            };
            let mut runs: Vec<Ran> = Vec::new();
            for delivery in models(song, request) {
                let request = Request {
                    delivery,
                    ..request.clone()
                };
                let plan = match plan(song, &request, engines::ALL) {
                    Ok(plan) => plan,
                    Err(problem) => {
                        exit = exit.and(self.session.reject(&problem.in_file(&loaded.source.name)));
                        break;
                    }
                };
                if plan.questions.is_empty() {
                    break;
                }
                let mut supervision = Supervision {
                    interrupt: &interrupt,
                    observer: &mut progress,
                    timeout: request.timeout,
                    memory,
                    most_refuted,
                    refuted,
                    ledger: self
                        .resuming
                        .as_mut()
                        .map(|resuming| resuming.ledger(&self.arguments.out)),
                };
                let mut results = run(&plan, &loaded.source, song, &mut supervision);
                refuted = supervision.refuted;
                progress.clear();
                exit = exit.and(self.enter(
                    (loaded, song),
                    &request,
                    &mut results,
                    limits,
                    &mut saver,
                ));
                runs.push((plan, results));
            }
            self.show(loaded, song, request, runs);
        }
        exit
    }

    /// Says what is wrong with one run, and saves its traces.
    fn enter(
        &mut self,
        (loaded, song): (&LoadedSong, &Arc<Song>),
        request: &Request,
        results: &mut Results,
        limits: Limits,
        saver: &mut Saver,
    ) -> Exit {
        let mut exit = Exit::Fine;
        for problem in &results.problems {
            self.session.console.problem(problem, Some(&loaded.source));
            exit = exit.and(Exit::Rejected);
        }
        for crash in &results.crashes {
            exit = exit.and(self.session.bug(Some(&loaded.source), crash));
        }
        let interrupt = self.session.interrupt.clone();
        for answer in &mut results.answers {
            if let Err(crash) = account_within(limits, loaded, song, request, &interrupt, answer) {
                exit = exit.and(self.session.bug(Some(&loaded.source), &crash));
            }
            if let Err(problem) = saver.trace(&loaded.source, request, answer) {
                exit = exit.and(self.session.reject(&problem));
            }
        }
        let required = required(self.arguments);
        for answer in &results.answers {
            exit = exit.and(Exit::of_verdict(&answer.verdict, required));
        }
        exit
    }

    /// Says what came of one file, and enters the answers.
    fn show(&mut self, loaded: &LoadedSong, song: &Arc<Song>, request: &Request, runs: Vec<Ran>) {
        let (plans, mut by_model): (Vec<Plan>, Vec<Results>) = runs.into_iter().unzip();
        let mut differences = Vec::new();
        if by_model.len() == Delivery::ALL.len() {
            differences = compare(&loaded.source, song, request, &by_model);
        }
        let (Some(plan), Some(first)) = (plans.first(), by_model.first_mut()) else {
            return;
        };
        let coverage = first.coverage.take();
        let further = first.further.take();
        let mut answers = property_by_property(by_model, &differences);
        let said = Said {
            plan,
            answers: &answers,
            coverage: coverage.as_ref(),
            differences: &differences,
            further: further.as_ref(),
        };
        self.say(loaded, &said);
        if self.arguments.page.is_some() {
            let name = &loaded.source.name;
            let song = page::Song::new(name, &answers, coverage.as_ref());
            self.pages.push(song);
        }
        self.answers.append(&mut answers);
    }

    fn say(&mut self, loaded: &LoadedSong, said: &Said<'_>) {
        let Said {
            plan,
            answers,
            coverage,
            differences,
            further,
        } = *said;
        let console = &mut self.session.console;
        let name = &loaded.source.name;
        if self.arguments.json {
            for answer in answers {
                console.record(&stream::verdict(answer));
            }
            for difference in differences {
                console.record(&stream::delivery(name, difference));
            }
            if let Some(coverage) = coverage {
                console.record(&stream::covered(name, coverage));
            }
            if let Some(further) = further {
                console.record(&further_record(name, further));
            }
            return;
        }
        if self.arguments.detail.quiet {
            let wrong: Vec<Answer> = answers
                .iter()
                .filter(|answer| !is_fine(answer))
                .cloned()
                .collect();
            if !wrong.is_empty() {
                console.result(&file_lines(name, &wrong, None));
            }
            return;
        }
        console.result(&file_lines(name, answers, coverage));
        console.result(&sensitivity_lines(differences));
        let bounded = |answer: &Answer| answer.verdict.outcome != Outcome::Proved;
        if answers.iter().all(is_fine) && answers.iter().any(bounded) {
            console.result(&suggestion(plan, further));
        }
        if self.arguments.detail.verbose {
            console.result(&details(plan, answers));
        }
        for answer in answers
            .iter()
            .filter(|answer| answer.verdict.trace.is_some())
        {
            console.result(&format!(
                "\n{}\n",
                counterexample(loaded.source.text(), answer)
            ));
        }
    }

    fn list(&mut self, loaded: &LoadedSong, song: &Song, selection: &Selection) {
        let console = &mut self.session.console;
        let chosen = questions(song)
            .into_iter()
            .filter(|question| selection.includes(&question.name));
        let mut text = format!("{}\n", loaded.source.name);
        for question in chosen {
            let claim = question.claim(song);
            if self.arguments.json {
                console.record(&Record::Property(PropertyRecord {
                    file: loaded.source.name.clone(),
                    property: question.name,
                    claim: claim.to_owned(),
                }));
            } else {
                text.push_str(&format!("  {:24} {claim}\n", question.name));
            }
        }
        if !self.arguments.json {
            console.result(&text);
        }
    }

    /// Writes what the machines that guard a repository read, and the page for people.
    fn write_for_ci(&mut self) -> Exit {
        let mistakes: Vec<Mistake> = self
            .rejected
            .iter()
            .flat_map(|file| mistakes(file))
            .collect();
        let findings = Findings {
            tool: TOOL,
            answers: &self.answers,
            mistakes: &mistakes,
            required: required(self.arguments),
        };
        let mut exit = Exit::Fine;
        let junit = self
            .arguments
            .junit
            .as_ref()
            .map(|path| (path, junit(&findings)));
        let sarif = self
            .arguments
            .sarif
            .as_ref()
            .map(|path| (path, sarif(&findings)));
        let page = self.arguments.page.as_ref();
        let page = page.map(|path| (path, page::page(&self.pages)));
        for (path, text) in junit.into_iter().chain(sarif).chain(page) {
            if let Err(error) = replace(path, &text) {
                let problem = Problem::new(format!("cannot write {}: {error}", path.display()));
                exit = exit.and(self.session.reject(&problem));
            }
        }
        exit
    }

    /// Writes what a stopped run can go on from, and says where.
    fn write_to_go_on(&mut self) -> (Option<String>, Exit) {
        let Some(resuming) = &self.resuming else {
            return (None, Exit::Fine);
        };
        if let Some(why) = resuming.trouble() {
            let note = format!("note: {why}\n");
            self.session.console.remark(&note);
        }
        let interrupted = self.session.interrupt.is_set();
        let some = |outcome| {
            let mut answers = self.answers.iter();
            answers.any(|answer| answer.verdict.outcome == outcome)
        };
        let end = End {
            interrupted,
            unknown: some(Outcome::Unknown),
            fine: self.rejected.is_empty() && !some(Outcome::Unknown) && !some(Outcome::Refuted),
        };
        match resuming.finish(end, &self.arguments.out) {
            Ok(path) => (path.map(|path| path.display().to_string()), Exit::Fine),
            Err(problem) => (None, self.session.reject(&problem)),
        }
    }

    /// The last line, whatever happened.
    fn finish(self, resume: Option<String>, exit: Exit) -> Exit {
        let console = &mut self.session.console;
        if self.arguments.json {
            let verdicts = self.answers.iter().map(stream::verdict).collect();
            console.record(&Record::Summary(Summary {
                verdicts,
                resume,
                exit: exit.code(),
            }));
            return exit;
        }
        let said = !self.answers.is_empty() || !self.rejected.is_empty();
        if said && !self.arguments.detail.quiet {
            console.result(&summary_line(&self.answers, self.rejected.len()));
        }
        if let Some(path) = resume {
            let verb = self.engine.unwrap_or("check");
            console.result(&format!("to go on: plainsong {verb} --resume {path}\n"));
        }
        let unmet = unmet(self.arguments, &self.answers);
        console.result(&unmet);
        exit
    }
}

/// `--require`.
fn required(arguments: &CheckArguments) -> Requirements {
    Requirements {
        proved: arguments.require.contains(&Require::Proved),
        untrusted: arguments.require.contains(&Require::Untrusted),
    }
}

/// How many answers are not what `--require` asks for, and why.
fn unmet(arguments: &CheckArguments, answers: &[Answer]) -> String {
    let required = required(arguments);
    let number =
        |wanted: &dyn Fn(&Answer) -> bool| answers.iter().filter(|one| wanted(one)).count();
    let is_any = required.proved || required.untrusted;
    let lines = [
        (
            required.proved,
            number(&|one| one.verdict.outcome == Outcome::Holds),
            "--require proved",
            "hold only up to a bound",
        ),
        (
            required.untrusted,
            number(&|one| one.verdict.is_trusting()),
            "--require untrusted",
            "trust what is not checked; `-v` names it",
        ),
        (
            is_any,
            number(&|one| one.verdict.is_conditional()),
            "--require",
            "rest on something that is not proved",
        ),
        (
            is_any,
            number(&|one| one.verdict.is_vacuous()),
            "--require",
            "are vacuous",
        ),
    ];
    let lines = lines
        .iter()
        .filter(|(is_asked, number, ..)| *is_asked && *number > 0);
    lines
        .map(|(_, number, flag, what)| format!("{flag}: {number} {what}.\n"))
        .collect()
}

/// The delivery models under which a song is run; one run as it is declared without any.
fn models(song: &Song, request: &Request) -> Vec<Option<Delivery>> {
    if request.every_delivery && song.voices().is_some() {
        Delivery::ALL.into_iter().map(Some).collect()
    } else {
        vec![request.delivery]
    }
}

/// The answers under all models, by property. Of several executions that refute one property, only the
/// one at the border is shown.
fn property_by_property(by_model: Vec<Results>, differences: &[Sensitivity]) -> Vec<Answer> {
    let questions = by_model.first().map_or(0, |first| first.answers.len());
    let mut answers = Vec::new();
    for at in 0..questions {
        for (model, results) in by_model.iter().enumerate() {
            let mut answer = results.answers[at].clone();
            if differences
                .get(at)
                .is_some_and(|one| one.shown != Some(model))
            {
                answer.verdict.trace = None;
            }
            answers.push(answer);
        }
    }
    answers
}

fn is_fine(answer: &Answer) -> bool {
    let verdict = &answer.verdict;
    matches!(verdict.outcome, Outcome::Proved | Outcome::Holds) && !verdict.is_conditional()
}

/// Where the sizes come from, and why each verdict is what it is.
fn details(plan: &Plan, answers: &[Answer]) -> String {
    let mut text = String::new();
    let runs = answers.len() / plan.questions.len().max(1);
    let planned = plan.questions.iter().flat_map(|one| vec![one; runs]);
    for (planned, answer) in planned.zip(answers) {
        text.push_str(&format!(
            "    {}: {}\n",
            answer.verdict.property, answer.verdict.reason
        ));
        text.push_str(&rests_on(answer));
        if answer.cached > 0 {
            let entries = match answer.cached {
                1 => "1 entry of the cache was used".to_owned(),
                several => format!("{several} entries of the cache were used"),
            };
            text.push_str(&format!(
                "      cached: {entries}; `--no-cache` asks the solver again\n"
            ));
        }
        for (name, chosen) in &planned.sizes {
            let range = if chosen.low == chosen.high {
                chosen.low.to_string()
            } else {
                format!("{}..={}", chosen.low, chosen.high)
            };
            text.push_str(&format!("      {name}={range} {}\n", chosen.origin.name()));
        }
        for assumption in &answer.verdict.assumptions {
            text.push_str(&format!("      trusted: {assumption}\n"));
        }
        // A single attempt is the answer.
        for attempt in answer.tried.iter().filter(|_| answer.tried.len() > 1) {
            text.push_str(&attempt_line(attempt));
        }
    }
    text
}

/// `rests on: sequentialize, 12 obligations, 3 assumptions`.
fn rests_on(answer: &Answer) -> String {
    let verdict = &answer.verdict;
    let some = |number: u64, what: &str| (number > 0).then(|| count(number, what));
    let mut parts = vec![answer.engine.clone()];
    parts.extend(
        verdict
            .obligations
            .and_then(|number| some(number, "obligation")),
    );
    let trusted = verdict
        .assumptions
        .iter()
        .filter(|one| one.is_trust())
        .count();
    parts.extend(some(trusted as u64, "assumption"));
    parts.extend(verdict.provided.iter().map(|name| format!("`{name}`")));
    match matches!(verdict.outcome, Outcome::Proved | Outcome::Holds) {
        true => format!("      rests on: {}\n", parts.join(", ")),
        false => String::new(),
    }
}

/// `tried: sequentialize, 0.03 s: proved: 3 obligations shown on the line, for every size`.
fn attempt_line(attempt: &Attempt) -> String {
    let Attempt {
        engine,
        outcome,
        bound,
        reason,
        seconds,
    } = attempt;
    let sizes = bound.iter().map(|(name, value)| format!("{name}={value}"));
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    let within = match sizes.is_empty() {
        true => String::new(),
        false => format!(" with {sizes}"),
    };
    format!(
        "      tried: {engine}, {seconds:.2} s: {}{within}: {reason}\n",
        outcome.name()
    )
}
