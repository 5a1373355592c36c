//! `plainsong sim`: one random execution, shown; or many. Every property that a finite execution can violate is checked.

use super::check::{Limits, account_within};
use super::request::{request, start, validate};
use super::step::step_through;
use crate::arguments::{DetailArguments, SimArguments};
use crate::progress::ProgressLine;
use crate::session::Session;
use plainsong_driver::plan::Request;
use plainsong_driver::random_check::{Asked, Drawn, Supervision, random_check};
use plainsong_driver::save::{Saver, saved_execution};
use plainsong_driver::simulation::{Execution, NoExecution, machines};
use plainsong_driver::{Exit, LoadedSong, Problem};
use plainsong_ir::Song;
use plainsong_report::stream::{self, RandomRecord, Record, Summary};
use plainsong_report::{Answer, count, counterexample, file_lines, thousands};
use plainsong_semantics::random::Scheduler;
use plainsong_semantics::verdict::Outcome;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Executes the song once, or many times.
pub(crate) fn sim(arguments: &SimArguments, session: &mut Session) -> Exit {
    session.console.json = arguments.json;
    if arguments.json {
        session
            .console
            .record(&start("sim", std::slice::from_ref(&arguments.file)));
    }
    let mut answers = Vec::new();
    let exit = execute(arguments, session, &mut answers).unwrap_or_else(|exit| exit);
    if arguments.json {
        let summary = Summary {
            resume: None,
            verdicts: answers.iter().map(stream::verdict).collect(),
            exit: exit.code(),
        };
        session.console.record(&Record::Summary(summary));
    }
    exit
}

fn execute(
    arguments: &SimArguments,
    session: &mut Session,
    answers: &mut Vec<Answer>,
) -> Result<Exit, Exit> {
    let (loaded, song) = session.song(&arguments.file)?;
    let request = request(&arguments.instance);
    if request.every_delivery {
        let problem = Problem::new("`sim` runs executions under one delivery model")
            .help("`--delivery all` is for `check` and `explore`");
        return Err(session.reject(&problem));
    }
    validate(&request, &[&song]).map_err(|problem| session.reject(&problem))?;
    #[cfg(feature = "swarm")]
    let run = crate::swarm::begin(&arguments.queue, &loaded.source, session)?;
    #[cfg(feature = "swarm")]
    let (queue, seed) = (
        run.as_ref().map(crate::swarm::Begun::queue),
        run.as_ref().map(|run| run.seed),
    );
    #[cfg(not(feature = "swarm"))]
    let (queue, seed) = (None, None);
    let asked = asked(arguments, seed);
    if arguments.step {
        return step(&loaded, &song, &request, asked.seed, session);
    }
    session.interrupt_gently();
    let allowance = arguments.limits.allowance();
    let deadline = allowance
        .time
        .and_then(|time| Instant::now().checked_add(time));
    let detail = DetailArguments {
        quiet: false,
        verbose: false,
    };
    let mut progress = ProgressLine::new(detail, arguments.json);
    let mut supervision = Supervision {
        interrupt: &session.interrupt.clone(),
        observer: &mut progress,
        allowance,
        queue,
    };
    let drawn = random_check(&loaded, &song, &request, asked, &mut supervision);
    progress.clear();
    let drawn = drawn.map_err(|error| refuse(error, &loaded, session))?;
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out"));
    let mut telling = Telling {
        arguments,
        session,
        loaded: &loaded,
        song: &song,
        request: &request,
        asked,
        limits: Limits {
            deadline,
            memory: allowance.memory,
        },
        saver: Saver::new(folder),
    };
    let mut exit = Exit::Fine;
    for mut drawn in drawn {
        exit = exit.and(telling.tell(&mut drawn)?);
        answers.append(&mut drawn.answers);
    }
    #[cfg(feature = "swarm")]
    if let Some(run) = run {
        run.end(exit, session);
    }
    Ok(exit)
}

fn refuse(error: NoExecution, loaded: &LoadedSong, session: &mut Session) -> Exit {
    match error {
        NoExecution::Problem(problem) => {
            session.console.problem(&problem, Some(&loaded.source));
            Exit::Rejected
        }
        NoExecution::Bug(crash) => session.bug(Some(&loaded.source), &crash),
    }
}

/// `--step`.
fn step(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    seed: u64,
    session: &mut Session,
) -> Result<Exit, Exit> {
    let machines = machines(loaded, song, request, seed);
    let machines = machines.map_err(|error| refuse(error, loaded, session))?;
    let mut exit = Exit::Fine;
    for machine in &machines {
        exit = exit.and(step_through(loaded, machine, seed, session));
    }
    Ok(exit)
}

/// What is drawn, with this seed where none was given.
pub(crate) fn asked(arguments: &SimArguments, chosen: Option<u64>) -> Asked {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Asked {
        seed: arguments.seed.or(chosen).unwrap_or_else(by_chance),
        runs: arguments.runs.unwrap_or(1),
        steps: arguments.steps,
        scheduler: match arguments.pct {
            Some(depth) => Scheduler::Pct { depth },
            None => Scheduler::Uniform,
        },
        jobs: match (arguments.runs, arguments.jobs) {
            (None, _) => 1,
            (Some(_), Some(jobs)) => usize::from(jobs),
            (Some(_), None) => cores,
        },
        fail_fast: arguments.fail_fast,
    }
}

/// Says what came of it.
struct Telling<'a> {
    arguments: &'a SimArguments,
    session: &'a mut Session,
    loaded: &'a LoadedSong,
    song: &'a Arc<Song>,
    request: &'a Request,
    asked: Asked,
    limits: Limits,
    saver: Saver,
}

impl Telling<'_> {
    fn tell(&mut self, drawn: &mut Drawn) -> Result<Exit, Exit> {
        let mut exit = self.account(&mut drawn.answers)?;
        let is_refuted = |answer: &&Answer| answer.verdict.outcome == Outcome::Refuted;
        if drawn.answers.iter().any(|answer| is_refuted(&answer)) {
            exit = exit.and(Exit::Refuted);
        }
        let is_undecided = drawn.tally.ends.beyond_reach > 0 && self.asked.runs == 1;
        if is_undecided || drawn.stopped.is_some() {
            exit = exit.and(Exit::Unknown);
        }
        let refuted: Vec<Answer> = drawn.answers.iter().filter(is_refuted).cloned().collect();
        match &drawn.execution {
            _ if self.arguments.json => self.records(drawn),
            Some(execution) if refuted.is_empty() => self.show(execution, drawn),
            _ if self.asked.runs == 1 => self.refutations(&refuted, ""),
            _ => {
                let totals = self.totals(drawn);
                self.refutations(&drawn.answers, &totals);
            }
        }
        if let Some(execution) = &drawn.execution {
            self.again();
            self.save(execution)?;
        }
        if let Some(why) = &drawn.stopped {
            let message = match self.asked.runs {
                1 => format!("`sim` did not come to its end: {why}"),
                runs => format!(
                    "`sim` did not come to its end: {why}; {} of {} ran",
                    thousands(drawn.tally.executions),
                    count(runs, "execution")
                ),
            };
            self.session.console.problem(&Problem::new(message), None);
        }
        Ok(exit)
    }

    /// Makes what refutes something smaller, and saves it.
    fn account(&mut self, answers: &mut [Answer]) -> Result<Exit, Exit> {
        let mut exit = Exit::Fine;
        let interrupt = self.session.interrupt.clone();
        for answer in answers {
            let (loaded, song, request) = (self.loaded, self.song, self.request);
            if let Err(crash) =
                account_within(self.limits, loaded, song, request, &interrupt, answer)
            {
                exit = exit.and(self.session.bug(Some(&loaded.source), &crash));
            }
            let saved = self.saver.trace(&loaded.source, request, answer);
            saved.map_err(|problem| self.session.reject(&problem))?;
        }
        Ok(exit)
    }

    /// One execution in which nothing is violated.
    fn show(&mut self, execution: &Execution, drawn: &Drawn) {
        let source = self.loaded.source.text();
        let Execution { line, bound, trace } = execution;
        let mut heading = source.name.to_owned();
        heading.extend(line.iter().map(|line| format!("  {line}")));
        heading.extend(
            bound
                .iter()
                .map(|(name, value)| format!("  {name}={value}")),
        );
        let text = plainsong_report::execution(source, trace, &[]);
        let checked = checked(&drawn.answers);
        let seed = self.asked.seed;
        let text = format!("{heading}  seed {seed}\n\n{text}{checked}");
        self.session.console.result(&text);
    }

    fn again(&mut self) {
        if self.arguments.seed.is_none() && !self.arguments.json {
            let line = format!("  again: --seed {}\n", self.asked.seed);
            self.session.console.result(&line);
        }
    }

    /// Saves the execution as it was, if that is wanted.
    fn save(&mut self, execution: &Execution) -> Result<(), Exit> {
        if self.arguments.out.is_none() {
            return Ok(());
        }
        let saved = saved_execution(self.loaded, self.request, execution, self.asked.seed);
        let title = plainsong_report::reason(self.loaded.source.text(), &execution.trace);
        let name = execution.line.as_deref().unwrap_or("sim");
        let path = self
            .saver
            .execution(&self.loaded.source, name, &title, &saved)
            .map_err(|problem| self.session.reject(&problem))?;
        if !self.arguments.json {
            let path = path.display();
            self.session.console.result(&format!("  saved: {path}\n"));
        }
        Ok(())
    }

    fn records(&mut self, drawn: &Drawn) {
        let console = &mut self.session.console;
        if let Some(Execution { line, bound, trace }) = &drawn.execution {
            let (source, seed) = (self.loaded.source.text(), self.asked.seed);
            let record = stream::execution(source, line.as_deref(), seed, bound, trace);
            console.record(&record);
        }
        for answer in &drawn.answers {
            console.record(&stream::verdict(answer));
        }
        let name = &self.loaded.source.name;
        console.record(&stream::covered(name, &drawn.coverage));
        console.record(&Record::Random(Box::new(record(
            name,
            self.arguments,
            self.asked,
            drawn,
        ))));
    }

    /// The verdicts, and the executions that refute something.
    fn refutations(&mut self, answers: &[Answer], totals: &str) {
        let console = &mut self.session.console;
        let lines = file_lines(&self.loaded.source.name, answers, None);
        console.result(&format!("{lines}{totals}"));
        for answer in answers.iter().filter(|one| one.verdict.trace.is_some()) {
            let text = counterexample(self.loaded.source.text(), answer);
            console.result(&format!("\n{text}\n"));
        }
    }

    /// `  covered …`, `  random     100,000 executions, 1,234,567 steps in 1.20 s (83333/s): 99,000 terminated, …`.
    fn totals(&self, drawn: &Drawn) -> String {
        let tally = &drawn.tally;
        let ends = [
            (tally.ends.terminated, "terminated"),
            (tally.ends.deadlocked, "deadlocked"),
            (tally.ends.failed, "failed"),
            (tally.ends.cut, "stopped by the limit on steps (--steps)"),
            (tally.ends.discarded, "cut off by an `assume`"),
            (tally.ends.beyond_reach, "beyond the interpreter's limits"),
        ];
        let ends = ends.iter().filter(|(number, _)| *number > 0);
        let ends = ends.map(|(number, what)| format!("{} {what}", thousands(*number)));
        let ends = ends.collect::<Vec<_>>().join(", ");
        let covered = file_lines("", &[], Some(&drawn.coverage));
        let covered = covered.split_once('\n').map_or("", |(_, lines)| lines);
        let rate = match drawn.seconds >= 1.0 {
            true => format!(" ({:.0}/s)", tally.executions as f64 / drawn.seconds),
            false => String::new(),
        };
        let pct = self.arguments.pct;
        let pct = pct.map_or(String::new(), |depth| format!(", PCT of depth {depth}"));
        let last = self.asked.seed.wrapping_add(tally.executions.max(1) - 1);
        format!(
            "{covered}  random     {}, {} in {:.2} s{rate}{pct}: {ends}; seeds {}..={last}\n",
            count(tally.executions, "execution"),
            count(tally.steps, "step"),
            drawn.seconds,
            self.asked.seed
        )
    }
}

/// What was checked on one execution that violates nothing.
fn checked(answers: &[Answer]) -> String {
    const FEW: usize = 5;
    let is_judged = |answer: &&Answer| answer.verdict.executions.is_some();
    let names = answers.iter().filter(is_judged);
    let names: Vec<&str> = names.map(|one| one.verdict.property.as_str()).collect();
    match names.len() {
        0 => String::new(),
        1..=FEW => format!("  not violated here: {}\n", names.join(", ")),
        many => format!("  not violated here: any of {many} properties\n"),
    }
}

fn record(file: &str, arguments: &SimArguments, asked: Asked, drawn: &Drawn) -> RandomRecord {
    let tally = &drawn.tally;
    RandomRecord {
        file: file.to_owned(),
        choreography: drawn.line.clone(),
        seed: asked.seed,
        pct: arguments.pct,
        executions: tally.executions,
        steps: tally.steps,
        longest: tally.longest,
        terminated: tally.ends.terminated,
        deadlocked: tally.ends.deadlocked,
        failed: tally.ends.failed,
        cut: tally.ends.cut,
        discarded: tally.ends.discarded,
        beyond_reach: tally.ends.beyond_reach,
        stopped: drawn.stopped.clone(),
        seconds: stream::round(drawn.seconds),
    }
}

/// Small enough to be typed again.
fn by_chance() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}
