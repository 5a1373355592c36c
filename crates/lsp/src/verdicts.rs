//! What the engines said of a document, and asking them in the background.
//!
//! A question is asked of the text as it was then. Its answer is kept with that text's hash: once the text is another
//! one, the answer is *stale* and is told as such. Questions run on threads of their own and are interrupted when the
//! text changes or a newer question of the same document comes; editing never waits for them.

use crate::document::Document;
use crossbeam_channel::Sender;
use lsp_types::Uri;
use plainsong_diagnostics::Span;
use plainsong_driver::counterexample::{account, background};
use plainsong_driver::effort::Level;
use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::save::refuting_execution;
use plainsong_driver::select::{Selection, questions};
use plainsong_driver::watch::{Interrupt, Observer, Unobserved};
use plainsong_driver::worker::{Control, Ended, within};
use plainsong_driver::{LoadedSong, Source, engines, memory, song};
use plainsong_ir::Song;
use plainsong_report::trace_file::hash;
use plainsong_report::{Answer, Page, Text, html};
use plainsong_semantics::trace::Trace;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a refutation is made smaller, at least.
const TIME_TO_TELL: Duration = Duration::from_millis(500);
/// Songs may nest deeply; the same stack as that of the command.
const STACK: usize = 256 * 1024 * 1024;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Query {
    /// Of which document.
    pub uri: Uri,
    /// Its text.
    pub source: Source,
    /// Which properties; all when empty.
    pub properties: Vec<String>,
    /// Is a proof for any size wanted, however long that takes?
    pub thorough: bool,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// What came of a query.
#[derive(Debug)]
pub struct Done {
    /// Which query.
    pub number: u64,
    /// Of which document.
    pub uri: Uri,
    /// What was asked about.
    pub properties: Vec<String>,
    /// The answers.
    pub told: Vec<Told>,
    /// Why something could not be asked.
    pub problems: Vec<String>,
    /// Was it interrupted?
    pub interrupted: bool,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Told {
    /// What an engine said.
    pub answer: Answer,
    /// Hash of the text that it was asked of.
    pub of: u64,
    /// The execution that refutes it, as a page.
    pub page: Option<String>,
    /// The same in words.
    pub text: Option<String>,
    /// Where it fails.
    pub place: Option<Span>,
}

/// What is known of one document.
#[derive(Debug, Default)]
pub struct Verdicts {
    told: BTreeMap<String, Told>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    properties: Vec<String>,
    interrupt: Interrupt,
}

/// What can be said about a property now.
#[derive(Clone, Copy, Debug)]
pub enum Standing<'a> {
    /// Nobody has asked.
    NotAsked,
    /// Somebody is asking.
    Running,
    /// The answer, and whether it is about an earlier text.
    Told {
        /// The answer.
        told: &'a Told,
        /// Has the text changed since?
        stale: bool,
    },
}

impl Verdicts {
    /// Asks in the background; a question that is still running is given up.
    pub fn ask(&mut self, number: u64, query: Query, report: Sender<Done>) {
        self.interrupt();
        let interrupt = Interrupt::default();
        self.running = Some(Running {
            number,
            properties: query.properties.clone(),
            interrupt: interrupt.clone(),
        });
        let work = move || {
            let done = answer(number, &query, &interrupt);
            // Nobody to tell when the server has ended.
            let _ = report.send(done);
        };
        let builder = std::thread::Builder::new().stack_size(STACK);
        if builder.spawn(work).is_err() {
            self.running = None;
        }
    }

    /// Gives the running question up.
    pub fn interrupt(&mut self) {
        if let Some(running) = self.running.take() {
            running.interrupt.hurry();
        }
    }

    /// Enters what came of a question; false when it was given up.
    pub fn enter(&mut self, done: Done) -> bool {
        if self
            .running
            .as_ref()
            .is_none_or(|running| running.number != done.number)
        {
            return false;
        }
        self.running = None;
        for told in done.told {
            let name = told.answer.verdict.property.clone();
            self.told.insert(name, told);
        }
        true
    }

    /// Is something being asked?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What can be said about a property.
    pub fn standing(&self, property: &str, document: &Document) -> Standing<'_> {
        let asked = self.running.as_ref().is_some_and(|running| {
            running.properties.is_empty() || running.properties.iter().any(|one| one == property)
        });
        match self.told.get(property) {
            _ if asked => Standing::Running,
            None => Standing::NotAsked,
            Some(told) => Standing::Told {
                told,
                stale: told.of != hash(document.text()),
            },
        }
    }

    /// Every answer.
    pub fn all(&self) -> impl Iterator<Item = &Told> {
        self.told.values()
    }

    /// The answer about one property.
    pub fn told(&self, property: &str) -> Option<&Told> {
        self.told.get(property)
    }
}

fn answer(number: u64, query: &Query, interrupt: &Interrupt) -> Done {
    let mut done = Done {
        number,
        uri: query.uri.clone(),
        properties: query.properties.clone(),
        told: Vec::new(),
        problems: Vec::new(),
        interrupted: false,
    };
    let loaded = match song::compile(query.source.clone()) {
        Ok(loaded) => loaded,
        Err((_, crash)) => {
            done.problems
                .push(format!("this is a bug of plainsong: {}", crash.message));
            return done;
        }
    };
    let Some(song) = loaded.song.clone() else {
        done.problems.push("the song has mistakes".to_owned());
        return done;
    };
    ask_engines(query, &loaded, &song, interrupt, &mut done);
    done.interrupted = interrupt.is_set();
    done
}

fn ask_engines(
    query: &Query,
    loaded: &LoadedSong,
    song: &Arc<Song>,
    interrupt: &Interrupt,
    done: &mut Done,
) {
    let selection = Selection {
        names: query.properties.clone(),
        pattern: None,
    };
    let known: Vec<String> = questions(song).into_iter().map(|one| one.name).collect();
    if let Err(problem) = selection.validate(known.iter().map(String::as_str)) {
        done.problems.push(problem.message);
        return;
    }
    let mut request = Request {
        selection,
        look_further: true,
        timeout: query.timeout,
        ..Request::default()
    };
    if query.thorough {
        request.effort.level = Level::Thorough;
    }
    let plan = match plan(song, &request, engines::ALL) {
        Ok(plan) => plan,
        Err(problem) => {
            done.problems.push(problem.message);
            return;
        }
    };
    let memory = memory::default_limit();
    let mut unobserved = Unobserved;
    let mut supervision = Supervision {
        interrupt,
        observer: &mut unobserved,
        timeout: query.timeout,
        memory,
        most_refuted: None,
        refuted: 0,
        ledger: None,
    };
    let deadline = query.timeout.map(|timeout| Instant::now() + timeout);
    let results = run(&plan, &loaded.source, song, &mut supervision);
    let problems = results.problems.into_iter().map(|problem| problem.message);
    done.problems.extend(problems);
    let crashes = results.crashes.into_iter();
    done.problems
        .extend(crashes.map(|crash| format!("this is a bug of plainsong: {}", crash.message)));
    for answer in results.answers {
        let control = Control::new(
            interrupt,
            deadline.map(|deadline| deadline.max(Instant::now() + TIME_TO_TELL)),
            memory.map(memory::at_most),
        );
        done.told
            .push(told(loaded, song, &request, interrupt, &control, answer));
    }
}

/// The answer with what there is to say about a refutation, within the limits.
fn told(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    interrupt: &Interrupt,
    control: &Control,
    answer: Answer,
) -> Told {
    let of = hash(&loaded.source.text);
    let plain = Told {
        answer: answer.clone(),
        of,
        page: None,
        text: None,
        place: None,
    };
    if answer.verdict.trace.is_none() {
        return plain;
    }
    let (loaded, song, request) = (loaded.clone(), song.clone(), request.clone());
    let interrupt = interrupt.clone();
    let work = move |_: &mut dyn Observer| {
        let mut answer = answer;
        // A bug of ours here costs the account, not the refutation.
        let _ = account(&loaded, &song, &request, &interrupt, &mut answer);
        let saved = refuting_execution(&loaded.source, &request, &answer);
        let page = saved.map(|saved| {
            let background = background(&song, &saved);
            html(&Page {
                saved: &saved,
                source: Some(loaded.source.text()),
                truths: &background.truths,
                race: background.race.as_ref(),
                other_truths: &background.other_truths,
                note: None,
            })
        });
        let place = answer.verdict.trace.as_ref().and_then(place);
        let text = plainsong_report::counterexample(loaded.source.text(), &answer);
        Told {
            answer,
            of,
            page,
            text: Some(without_colours(&text)),
            place,
        }
    };
    match within(control, &mut Unobserved, work) {
        Ended::Done(Ok(told)) => told,
        Ended::Done(Err(_)) | Ended::LeftBehind(..) => plain,
    }
}

fn place(trace: &Trace) -> Option<Span> {
    plainsong_report::place(trace)
}

/// The text without what a terminal makes colours of.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

/// For places in sentences.
pub fn with_lines(sentence: &str, text: Text<'_>) -> String {
    plainsong_diagnostics::with_lines(sentence, text.text)
}
