//! Random checking: many random executions, shared by workers, and what is known of each property then.
//!
//! Statement. Execution number `i` is drawn from seed `S + i`; of several instances it runs the one that its seed picks.
//! Executions are drawn in rounds of fixed sizes. Within a round workers take numbers as they come; what they found is
//! joined by sums, unions and least numbers ([`Tally`]). After a round the run ends early if everything is violated that could
//! be (or something, with `--fail-fast`). So totals, coverage and the first seed of each violation do not depend on
//! the number of workers.
//!
//! A property that no execution violates is *not refuted in N random executions*: neither proved nor does it hold. The
//! verdict is `unknown`.

mod in_pieces;

pub use in_pieces::RandomWorker;
use in_pieces::round_end;

use crate::coverage::{counted, notes};
use crate::memory::at_most;
use crate::pieces::PieceQueue;
use crate::plan::Request;
use crate::select::{Question, questions};
use crate::simulation::{Execution, NoExecution, Subjects, subjects};
use crate::watch::{Allowance, Interrupt, Observer, Overseer, Stage, Stop};
use crate::worker::{Control, Ended, within};
use crate::{LoadedSong, Problem};
use plainsong_ir::{Claim, Song};
use plainsong_report as report;
use plainsong_report::Answer;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::random::{Manner, Scheduler, Tally, Walker, is_judged};
use plainsong_semantics::search::{Check, Coverage, Progress, Watch as _, reason_against};
use plainsong_semantics::trace::Trace;
use plainsong_semantics::verdict::Verdict;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The name under which random executions answer.
pub const ENGINE: &str = "sim";

#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// `--seed`: that of the first execution.
    pub seed: u64,
    /// `--runs`.
    pub runs: u64,
    /// `--steps`: the most of one execution.
    pub steps: usize,
    /// `--pct`.
    pub scheduler: Scheduler,
    /// `--jobs`.
    pub jobs: usize,
    /// `--fail-fast`.
    pub fail_fast: bool,
}

/// What random executions of one system or choreography came to.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The choreography, when it is one.
    pub line: Option<String>,
    /// One for each thing that can be asked of it.
    pub answers: Vec<Answer>,
    /// The execution, where there was to be one only.
    pub execution: Option<Execution>,
    /// How many, and how they ended.
    pub tally: Tally,
    /// Which parts of the text took part.
    pub coverage: report::Coverage,
    /// Why there are fewer than asked for, if a limit is to blame.
    pub stopped: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Who looks on.
pub struct Supervision<'a> {
    /// Set by Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Told of progress.
    pub observer: &'a mut dyn Observer,
    /// `--timeout` and `--memory`.
    pub allowance: Allowance,
    /// Who has executions drawn by others, if that is asked for.
    pub queue: Option<Arc<dyn PieceQueue>>,
}

/// Draws random executions of the song's system, or of each choreography when there is no system, and checks them.
pub fn random_check(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    asked: Asked,
    supervision: &mut Supervision<'_>,
) -> Result<Vec<Drawn>, NoExecution> {
    let campaigns = campaigns(loaded, song, request, asked, supervision)?;
    let runs = campaigns.into_iter();
    runs.map(|campaign| campaign.run(supervision.observer))
        .collect()
}

/// One for each system or choreography.
fn campaigns(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    asked: Asked,
    supervision: &Supervision<'_>,
) -> Result<Vec<Campaign>, NoExecution> {
    let Subjects { all, instances } = subjects(loaded, song, request)?;
    let allowance = supervision.allowance;
    let deadline = allowance
        .time
        .and_then(|time| Instant::now().checked_add(time));
    let control = Control::new(
        supervision.interrupt,
        deadline,
        allowance.memory.map(at_most),
    );
    let all = all.into_iter().enumerate();
    let campaign = |(number, subject)| Campaign {
        loaded: loaded.clone(),
        song: song.clone(),
        number,
        subject,
        instances: instances.clone(),
        asked,
        control: control.clone(),
        allowance,
        queue: supervision.queue.clone(),
    };
    Ok(all.map(campaign).collect())
}

/// The executions of one system or choreography.
struct Campaign {
    loaded: LoadedSong,
    song: Arc<Song>,
    /// Which one of the song's.
    number: usize,
    subject: Subject,
    instances: Vec<Instance>,
    asked: Asked,
    control: Control,
    allowance: Allowance,
    queue: Option<Arc<dyn PieceQueue>>,
}

/// The size of the first round; each is twice as large as the one before.
const FIRST_ROUND: u64 = 32;
/// The size of the largest.
const LARGEST_ROUND: u64 = 8192;
/// How many states and steps all workers keep.
const REMEMBERED: usize = 400_000;
/// How often somebody looks at the clock.
const GLANCE: Duration = Duration::from_millis(20);
/// How long a violation is looked for again in order to be told, also when the time is over.
const TIME_TO_TELL: Duration = Duration::from_secs(1);
/// Deep expressions need a deep stack.
const STACK: usize = 256 * 1024 * 1024;

/// One who draws, with what it found so far.
#[derive(Default)]
struct Worker<'m> {
    walkers: BTreeMap<usize, Walker<'m>>,
    tally: Tally,
}

/// What workers share in a round.
struct Round<'r> {
    /// The number of the next execution.
    next: AtomicU64,
    end: u64,
    drawn: &'r AtomicU64,
    stop: &'r AtomicBool,
}

impl Campaign {
    fn run(self, observer: &mut dyn Observer) -> Result<Drawn, NoExecution> {
        let control = self.control.clone();
        let allowance = self.allowance;
        let empty = self.unfinished();
        let work = move |observer: &mut dyn Observer| self.draw(observer);
        match within(&control, observer, work) {
            Ended::Done(Ok(drawn)) => drawn.map_err(NoExecution::Problem),
            Ended::Done(Err(crash)) => Err(NoExecution::Bug(crash)),
            Ended::LeftBehind(stop, news) => {
                let drawn = news.map_or(0, |news| news.progress.states);
                Ok(empty.left_behind(drawn, allowance.sentence(stop)))
            }
        }
    }

    /// For the case that the work does not come to its end.
    fn unfinished(&self) -> Unfinished {
        Unfinished {
            line: self.line(),
            file: self.loaded.source.name.clone(),
            questions: self.questions(),
        }
    }

    fn questions(&self) -> Vec<Question> {
        let mut all = questions(&self.song);
        all.retain(|question| question.subject == self.subject);
        all
    }

    fn draw(&self, observer: &mut dyn Observer) -> Result<Drawn, Problem> {
        let began = Instant::now();
        let questions = self.questions();
        let judged: Vec<Check> = questions
            .iter()
            .map(|question| question.check)
            .filter(|check| is_judged(&self.song, *check))
            .collect();
        let mut machines: Vec<OnceLock<Machine>> = Vec::new();
        machines.resize_with(self.instances.len(), OnceLock::new);
        let stage = self.stage(&questions);
        let mut overseer = Overseer::controlled(stage, None, self.control.clone(), observer);
        let (tally, coverage, stop) = match &self.queue {
            Some(queue) => self.in_pieces(queue.as_ref(), judged.len(), &mut overseer)?,
            None => self.rounds(&machines, &judged, &mut overseer),
        };
        let mut drawn = Drawn {
            line: self.line(),
            answers: Vec::new(),
            execution: None,
            coverage: counted(&coverage, &self.loaded.source, &self.song),
            stopped: stop.map(|stop| self.allowance.sentence(stop)),
            seconds: began.elapsed().as_secs_f64(),
            tally,
        };
        for question in &questions {
            let place = judged.iter().position(|check| *check == question.check);
            let answer = self.answer(&machines, question, place, &drawn, &coverage);
            drawn.answers.push(answer);
        }
        if self.asked.runs == 1 {
            drawn.execution = self.execution(&machines);
            if drawn.execution.is_none() && drawn.stopped.is_none() {
                let stop = self.control.reason().unwrap_or(Stop::TimeLimit);
                drawn.stopped = Some(self.allowance.sentence(stop));
            }
        }
        Ok(drawn)
    }

    fn stage(&self, questions: &[Question]) -> Stage {
        Stage {
            file: self.loaded.source.name.clone(),
            properties: questions.iter().map(|one| one.name.clone()).collect(),
            engine: ENGINE,
            bound: self.bound(),
            counted: "execution",
            goal: Some(self.asked.runs),
            ..Stage::default()
        }
    }

    fn rounds(
        &self,
        machines: &[OnceLock<Machine>],
        judged: &[Check],
        overseer: &mut Overseer<'_>,
    ) -> (Tally, Coverage, Option<Stop>) {
        let jobs = self.asked.jobs.max(1);
        let mut workers: Vec<Worker<'_>> = Vec::new();
        workers.resize_with(jobs, Worker::default);
        let (drawn, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut begin = 0;
        let mut total = Tally::default();
        while begin < self.asked.runs && !stop.load(Ordering::SeqCst) {
            let end = round_end(begin, self.asked.runs);
            let round = Round {
                next: AtomicU64::new(begin),
                end,
                drawn: &drawn,
                stop: &stop,
            };
            self.round(&round, &mut workers, machines, judged, overseer);
            total = Tally::default();
            workers.iter().for_each(|one| total.include(&one.tally));
            let enough = match self.asked.fail_fast {
                true => 1,
                false => judged.len(),
            };
            if total.violations() >= enough.max(1) {
                break;
            }
            begin = end;
        }
        let mut coverage = Coverage::default();
        for worker in workers {
            for walker in worker.walkers.into_values() {
                coverage.include(&walker.coverage());
            }
        }
        let stopped = stop.load(Ordering::SeqCst);
        let reason = stopped.then(|| overseer.stopped().unwrap_or(Stop::Interrupted));
        (total, coverage, reason)
    }

    /// Every worker draws until there is nothing left of the round.
    fn round<'m>(
        &self,
        round: &Round<'_>,
        workers: &mut [Worker<'m>],
        machines: &'m [OnceLock<Machine>],
        judged: &[Check],
        overseer: &mut Overseer<'_>,
    ) {
        let (sender, receiver) = channel::<()>();
        let mut at_work = 0;
        std::thread::scope(|scope| {
            for worker in workers.iter_mut() {
                let done = Done(sender.clone());
                let body = move || {
                    let done = done;
                    self.take_part(round, worker, machines, judged);
                    drop(done);
                };
                let thread = std::thread::Builder::new().stack_size(STACK);
                at_work += usize::from(thread.spawn_scoped(scope, body).is_ok());
            }
            assert!(at_work > 0, "there is no thread to work on");
            while at_work > 0 {
                match receiver.recv_timeout(GLANCE) {
                    Ok(()) => at_work -= 1,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let progress = Progress {
                    states: round.drawn.load(Ordering::Relaxed),
                    ..Progress::default()
                };
                if !overseer.keep_going(&progress) {
                    round.stop.store(true, Ordering::SeqCst);
                }
            }
        });
    }

    fn take_part<'m>(
        &self,
        round: &Round<'_>,
        worker: &mut Worker<'m>,
        machines: &'m [OnceLock<Machine>],
        judged: &[Check],
    ) {
        let mut go_on = || !round.stop.load(Ordering::Relaxed);
        while go_on() {
            let number = round.next.fetch_add(1, Ordering::Relaxed);
            if number >= round.end {
                return;
            }
            let seed = self.seed(number);
            let place = self.instance_of(seed);
            let machine = self.machine(machines, place);
            let walker = worker
                .walkers
                .entry(place)
                .or_insert_with(|| Walker::new(machine, judged, self.manner()));
            if walker.walk((number, seed), &mut worker.tally, &mut go_on) {
                round.drawn.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn answer(
        &self,
        machines: &[OnceLock<Machine>],
        question: &Question,
        place: Option<usize>,
        drawn: &Drawn,
        coverage: &Coverage,
    ) -> Answer {
        let source = &self.loaded.source;
        let tally = &drawn.tally;
        let violated = place.and_then(|place| tally.violated_by(place));
        let mut seed = None;
        let verdict = match (place, violated) {
            (None, _) => Verdict::unknown(
                &question.name,
                "not judged: no finite execution can violate it",
            ),
            (Some(_), Some(number)) => {
                seed = Some(self.seed(number));
                self.refuted(machines, question, number)
            }
            (Some(place), None) => {
                let reason = tally.why_undecided(place).map(str::to_owned);
                let reason = reason.unwrap_or_else(|| not_refuted(tally.executions));
                Verdict {
                    bound: self.bound(),
                    executions: Some(tally.executions),
                    notes: self.notes(question.check, tally, coverage),
                    ..Verdict::unknown(&question.name, reason)
                }
            }
        };
        let declared = question.span(&self.song).map(|span| {
            let at = plainsong_diagnostics::line_and_column(&source.text, span.start);
            (at.line, at.column)
        });
        Answer {
            seconds: drawn.seconds,
            declared,
            seed,
            ..Answer::new(&source.name, ENGINE, verdict)
        }
    }

    /// What a reader of "not refuted" should know.
    fn notes(&self, check: Check, tally: &Tally, coverage: &Coverage) -> Vec<String> {
        let mut said = notes(coverage, check, &self.loaded.source, &self.song);
        if let Some(why) = tally.why_beyond_reach() {
            let number = tally.ends.beyond_reach;
            said.push(format!("{number} executions ended early: {why}"));
        }
        let is_final = match check {
            Check::Property(at) => matches!(self.song.properties[at].claim, Claim::Finally(_)),
            _ => false,
        };
        if is_final && tally.ends.terminated == 0 {
            said.push("it was never judged: no execution terminated".to_owned());
        }
        said
    }

    fn refuted(&self, machines: &[OnceLock<Machine>], question: &Question, number: u64) -> Verdict {
        let seed = self.seed(number);
        let trace = self.told(machines, seed, |machine, go_on| {
            Walker::new(machine, &[question.check], self.manner()).refutation(seed, go_on)
        });
        match trace {
            Some(trace) => Verdict {
                executions: Some(number + 1),
                trace: Some(trace.clone()),
                ..Verdict::refuted(
                    &question.name,
                    self.bound_of(self.instance_of(seed)),
                    reason_against(&trace),
                )
            },
            None => Verdict::unknown(
                &question.name,
                format!(
                    "the execution of seed {seed} violates it; the limits left no time to tell it"
                ),
            ),
        }
    }

    fn execution(&self, machines: &[OnceLock<Machine>]) -> Option<Execution> {
        let seed = self.asked.seed;
        let trace = self.told(machines, seed, |machine, go_on| {
            Walker::new(machine, &[], self.manner()).execution(seed, go_on)
        })?;
        Some(Execution {
            line: self.line(),
            bound: self.bound_of(self.instance_of(seed)),
            trace,
        })
    }

    /// Follows the execution of a seed once more.
    fn told(
        &self,
        machines: &[OnceLock<Machine>],
        seed: u64,
        follow: impl FnOnce(&Machine, &mut dyn FnMut() -> bool) -> Option<Trace>,
    ) -> Option<Trace> {
        let machine = self.machine(machines, self.instance_of(seed));
        let began = Instant::now();
        let go_on = &mut || match self.control.reason() {
            None => true,
            Some(Stop::MemoryLimit) => false,
            Some(_) => began.elapsed() < TIME_TO_TELL,
        };
        follow(machine, go_on)
    }

    fn line(&self) -> Option<String> {
        match self.subject {
            Subject::System => None,
            Subject::Line(at) => self.song.lines.get(at).map(|line| line.name.clone()),
        }
    }

    fn manner(&self) -> Manner {
        let shares = self.asked.jobs.max(1) * self.instances.len().max(1);
        Manner {
            scheduler: self.asked.scheduler,
            steps: self.asked.steps,
            remembers: REMEMBERED / shares,
        }
    }

    fn seed(&self, number: u64) -> u64 {
        self.asked.seed.wrapping_add(number)
    }

    /// Parameters nobody chose are chosen by the seed too.
    fn instance_of(&self, seed: u64) -> usize {
        (seed % self.instances.len().max(1) as u64) as usize
    }

    fn machine<'m>(&self, machines: &'m [OnceLock<Machine>], place: usize) -> &'m Machine {
        machines[place].get_or_init(|| Machine::new(&self.instances[place], self.subject))
    }

    /// The sizes of one instance.
    fn bound_of(&self, place: usize) -> BTreeMap<String, String> {
        self.instances[place].bound()
    }

    /// The sizes that are the same in all instances.
    fn bound(&self) -> BTreeMap<String, String> {
        let mut bound = self.bound_of(0);
        for other in &self.instances {
            let other = other.bound();
            bound.retain(|name, value| other.get(name) == Some(value));
        }
        bound
    }
}

/// Says that a worker is done, also if it breaks.
struct Done(Sender<()>);

impl Drop for Done {
    fn drop(&mut self) {
        // Nobody waits any more for what was left behind.
        let _ = self.0.send(());
    }
}

/// What can be said of work that did not come to its end.
struct Unfinished {
    line: Option<String>,
    file: String,
    questions: Vec<Question>,
}

impl Unfinished {
    fn left_behind(self, executions: u64, why: String) -> Drawn {
        let answer = |question: &Question| {
            let verdict = Verdict {
                executions: Some(executions),
                ..Verdict::unknown(&question.name, not_refuted(executions))
            };
            Answer::new(&self.file, ENGINE, verdict)
        };
        let tally = Tally {
            executions,
            ..Tally::default()
        };
        Drawn {
            line: self.line,
            answers: self.questions.iter().map(answer).collect(),
            execution: None,
            tally,
            coverage: report::Coverage::default(),
            stopped: Some(why),
            seconds: 0.0,
        }
    }
}

fn not_refuted(executions: u64) -> String {
    format!(
        "not refuted in {}",
        report::count(executions, "random execution")
    )
}
