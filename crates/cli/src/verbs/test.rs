//! `plainsong test`: songs as a test suite, each judged by what it says in its first lines.

use super::request::start;
use crate::arguments::TestArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::contain::{Crash, contained};
use plainsong_driver::save::{TOOL, replace};
use plainsong_driver::source::songs_below;
use plainsong_driver::{Exit, Problem, Source};
use plainsong_expectations::{Rule, Trial, trial};
use plainsong_report::stream::{self, Record, Summary, TestRecord};
use plainsong_report::{SongTest, count, junit_of_tests, sarif_of_tests};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Deep expressions need a deep stack.
const STACK: usize = 256 * 1024 * 1024;
/// How often `--watch` looks whether something changed.
const GLANCE: Duration = Duration::from_millis(200);

/// Runs the songs.
pub(crate) fn test(arguments: &TestArguments, session: &mut Session) -> Exit {
    session.console.json = arguments.json;
    let songs = songs(arguments);
    if arguments.json {
        let named = songs.as_deref().unwrap_or_default();
        session.console.record(&start("test", named));
    }
    let exit = match songs {
        Ok(songs) => run(arguments, &songs, session),
        Err(problem) => session.reject(&problem),
    };
    if arguments.json {
        session.console.record(&Record::Summary(Summary {
            resume: None,
            verdicts: Vec::new(),
            exit: exit.code(),
        }));
    }
    match arguments.watch && exit < Exit::Rejected {
        true => watch(arguments, session, exit),
        false => exit,
    }
}

/// The songs that are meant.
fn songs(arguments: &TestArguments) -> Result<Vec<PathBuf>, Problem> {
    let here = [PathBuf::from(".")];
    let paths = match arguments.paths.is_empty() {
        true => &here[..],
        false => &arguments.paths,
    };
    let mut songs = songs_below(paths)?;
    if let Some(filter) = &arguments.filter {
        songs.retain(|song| song.display().to_string().contains(filter.as_str()));
        if songs.is_empty() {
            return Err(Problem::new(format!(
                "no song has `{filter}` in its path: see --filter"
            )));
        }
    }
    Ok(songs)
}

/// What came of one song.
struct Ran {
    file: String,
    text: String,
    trial: Result<Trial, Crash>,
    time: Duration,
}

impl Ran {
    fn has_passed(&self) -> bool {
        self.trial
            .as_ref()
            .is_ok_and(|trial| trial.problems.is_empty())
    }
}

fn run(arguments: &TestArguments, songs: &[PathBuf], session: &mut Session) -> Exit {
    let began = Instant::now();
    let limited = Limited::begin(&arguments.limits, "test", arguments.json);
    let mut telling = Telling {
        arguments,
        session,
        exit: Exit::Fine,
        failed: Vec::new(),
        tests: Vec::new(),
    };
    in_parallel(arguments, songs, &mut |ran| telling.one(ran));
    limited.lift();
    telling.finish(began.elapsed())
}

/// Runs the songs on several threads, and tells of each in their order.
fn in_parallel(arguments: &TestArguments, songs: &[PathBuf], tell: &mut dyn FnMut(Ran)) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or(cores, usize::from).min(songs.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel::<(usize, Ran)>();
    let sender = Mutex::new(sender);
    std::thread::scope(|scope| {
        let work = || {
            let sender = sender
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            while let Some(path) = songs.get(next.fetch_add(1, Ordering::SeqCst)) {
                let at = songs.iter().position(|one| one == path).unwrap_or_default();
                // Nobody waits any more for what was left behind.
                let _ = sender.send((at, one(path)));
            }
        };
        for _ in 0..jobs {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let spawned = thread.spawn_scoped(scope, work);
            assert!(spawned.is_ok(), "there is no thread to work on");
        }
        let mut early: BTreeMap<usize, Ran> = BTreeMap::new();
        let mut told = 0;
        while told < songs.len() {
            let Ok((at, ran)) = receiver.recv() else {
                return;
            };
            early.insert(at, ran);
            while let Some(ran) = early.remove(&told) {
                tell(ran);
                told += 1;
            }
        }
    });
}

fn one(path: &Path) -> Ran {
    let began = Instant::now();
    let file = path.display().to_string();
    let (text, trial) = match Source::load(path) {
        Ok(source) => {
            let judged = contained(|| trial(&source.text));
            (source.text, judged)
        }
        Err(problem) => {
            let problems = vec![plainsong_expectations::Problem::new(1, problem.message)];
            let rule = Rule::Expectations(0);
            (String::new(), Ok(Trial { rule, problems }))
        }
    };
    Ran {
        file,
        text,
        trial,
        time: began.elapsed(),
    }
}

/// Says what came of the songs.
struct Telling<'a> {
    arguments: &'a TestArguments,
    session: &'a mut Session,
    exit: Exit,
    failed: Vec<Ran>,
    tests: Vec<SongTest>,
}

impl Telling<'_> {
    fn one(&mut self, ran: Ran) {
        let problems = problems(&ran);
        let passed = ran.has_passed();
        if let Err(crash) = &ran.trial {
            let bug = self.session.bug(None, crash);
            self.exit = self.exit.and(bug);
        }
        if !passed {
            self.exit = self.exit.and(Exit::Refuted);
        }
        if self.arguments.json {
            self.session.console.record(&Record::Test(TestRecord {
                file: ran.file.clone(),
                passed,
                rule: rule(&ran),
                problems: problems.clone(),
                seconds: stream::round(ran.time.as_secs_f64()),
            }));
        } else if !self.arguments.quiet {
            let word = if passed { "ok    " } else { "FAILED" };
            let seconds = ran.time.as_secs_f64();
            let line = format!("{word}{seconds:>8.2} s   {}   {}\n", ran.file, rule(&ran));
            self.session.console.result(&line);
        }
        self.tests.push(SongTest {
            file: ran.file.clone(),
            problems,
            time: ran.time,
        });
        if !passed {
            self.failed.push(ran);
        }
    }

    fn finish(mut self, took: Duration) -> Exit {
        if !self.arguments.json {
            if !self.failed.is_empty() {
                self.session.console.result("\nfailures:\n");
            }
            for ran in &self.failed {
                self.session.console.result(&failure(ran));
            }
            let failed = self.failed.len();
            let passed = self.tests.len() - failed;
            let summary = format!(
                "\n{passed} passed, {failed} failed: {} in {:.2} s\n",
                count(self.tests.len() as u64, "song"),
                took.as_secs_f64()
            );
            self.session.console.result(&summary);
        }
        let junit = self.arguments.junit.as_ref();
        let junit = junit.map(|path| (path, junit_of_tests(&self.tests)));
        let sarif = self.arguments.sarif.as_ref();
        let sarif = sarif.map(|path| (path, sarif_of_tests(TOOL, &self.tests)));
        for (path, text) in junit.into_iter().chain(sarif) {
            if let Err(error) = replace(path, &text) {
                let problem = Problem::new(format!("cannot write {}: {error}", path.display()));
                self.exit = self.exit.and(self.session.reject(&problem));
            }
        }
        self.exit
    }
}

fn problems(ran: &Ran) -> Vec<(usize, String)> {
    match &ran.trial {
        Ok(trial) => trial
            .problems
            .iter()
            .map(|one| (one.line, one.message.clone()))
            .collect(),
        Err(crash) => vec![(1, format!("a bug of plainsong: {}", crash.message))],
    }
}

/// By what a song was judged.
fn rule(ran: &Ran) -> String {
    match &ran.trial {
        Ok(trial) => match trial.rule {
            Rule::Expectations(number) => count(number as u64, "expectation"),
            Rule::Marks(number) => count(number as u64, "mark"),
            Rule::NothingRefuted { fine, unknown } => {
                format!("no expectations: nothing may be refuted ({fine} fine, {unknown} unknown)")
            }
        },
        Err(_) => "-".to_owned(),
    }
}

/// A song that failed: each line that differs, and how.
fn failure(ran: &Ran) -> String {
    let mut text = format!("\n{}\n", ran.file);
    for (line, message) in problems(ran) {
        let said = ran
            .text
            .lines()
            .nth(line - 1)
            .unwrap_or_default()
            .trim_end();
        text.push_str(&format!("  {line:>4} | {said}\n"));
        for part in message.lines() {
            text.push_str(&format!("       = {part}\n"));
        }
    }
    text
}

/// Runs what changes, until Ctrl-C.
fn watch(arguments: &TestArguments, session: &mut Session, mut exit: Exit) -> Exit {
    session.interrupt_gently();
    let mut known = times(arguments);
    session.console.result("\nwatching; Ctrl-C ends it\n");
    while !session.interrupt.is_set() {
        std::thread::sleep(GLANCE);
        let now = times(arguments);
        let is_new = |(song, time): &(&PathBuf, &SystemTime)| known.get(*song) != Some(*time);
        let changed: Vec<PathBuf> = now
            .iter()
            .filter(is_new)
            .map(|(song, _)| song.clone())
            .collect();
        known = now;
        if !changed.is_empty() {
            session.console.result("\n");
            exit = run(arguments, &changed, session);
            session.console.result("\nwatching; Ctrl-C ends it\n");
        }
    }
    exit
}

/// When each song was written last.
fn times(arguments: &TestArguments) -> BTreeMap<PathBuf, SystemTime> {
    let songs = songs(arguments).unwrap_or_default();
    let time = |song: PathBuf| {
        let time = std::fs::metadata(&song).and_then(|about| about.modified());
        time.ok().map(|time| (song, time))
    };
    songs.into_iter().filter_map(time).collect()
}
