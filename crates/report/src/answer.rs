//! One line of a result: a verdict with the file, engine and time it belongs to.

use crate::{count, power_of_ten};
use plainsong_semantics::race::Race;
use plainsong_semantics::trace::{EventKind, Trace};
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

/// What was asked, who answered, and what the answer is.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The file, as the user named it.
    pub file: String,
    /// The engine that answered; `-` when none could.
    pub engine: String,
    /// How long it took.
    pub seconds: f64,
    /// How many entries of the cache it may rest on: answers of a solver, or what was concluded from them, of earlier
    /// runs.
    pub cached: u64,
    /// The answer.
    pub verdict: Verdict,
    /// Where the execution that refutes it was saved.
    pub trace_path: Option<String>,
    /// What more there is to say about that execution.
    pub account: Option<Box<Account>>,
    /// Line and column where what was asked about is declared, if it is.
    pub declared: Option<(u32, u32)>,
    /// Who was asked, and what each said, in that order.
    pub tried: Vec<Attempt>,
    /// What to type next, where it is unknown.
    pub next: Option<String>,
    /// The seed of the random execution that refutes it, where it is one.
    pub seed: Option<u64>,
}

/// What one engine said on the way to an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub engine: String,
    /// What it said.
    pub outcome: Outcome,
    /// Within which sizes and limits.
    pub bound: BTreeMap<String, String>,
    /// Why, in one sentence.
    pub reason: String,
    /// How long it took.
    pub seconds: f64,
}

impl Attempt {
    /// A verdict of an engine that took so long.
    pub fn new(engine: &str, verdict: &Verdict, took: Duration) -> Attempt {
        Attempt {
            engine: engine.to_owned(),
            outcome: verdict.outcome,
            bound: verdict.bound.clone(),
            reason: verdict.reason.clone(),
            seconds: took.as_secs_f64(),
        }
    }
}

/// What there is to say about an execution that refutes something, besides what happens in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// Sizes and limits of the instance it is an execution of, where that is a smaller one.
    pub bound: BTreeMap<String, String>,
    /// What it was before it was made smaller.
    pub shrunk: Option<Shrunk>,
    /// How many executions of that instance refute it, and how many there are, where that was counted.
    pub share: Option<(u64, u64)>,
    /// What decided it.
    pub race: Option<Race>,
    /// Which faults there are in it, where nothing is wrong without faults.
    pub faults: Option<String>,
    /// The first values that could have been others: `s = map {0 => 1, 1 => 0}`.
    pub start: Vec<String>,
    /// Line and column, from 1, of what it refutes.
    pub place: Option<(u32, u32)>,
    /// Line and column of each event, and what happens in it.
    pub flow: Vec<(u32, u32, String)>,
}

/// An execution that was made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// How many events it had.
    pub events: usize,
    /// The sizes it was found at, where they were others.
    pub bound: BTreeMap<String, String>,
}

/// How much of a file the executions seen have used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Statements executed.
    pub statements: u64,
    pub all_statements: u64,
    /// Kinds of messages (or actions) taken.
    pub kinds: u64,
    /// Kinds of messages (or actions) there are.
    pub all_kinds: u64,
    /// What the kinds are: `message kind` or `action`.
    pub kind_noun: &'static str,
    /// Places never executed, as `two_phase.song:31`, in order.
    pub never: Vec<String>,
    /// Kinds of messages (or actions) that nobody ever sent (or left pending).
    pub never_sent: Vec<String>,
    /// Those that were sent, but never taken.
    pub never_taken: Vec<String>,
    /// Premises of assertions and properties that were never true, with their places.
    pub never_true: Vec<String>,
}

/// Under which delivery models a property holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensitivity {
    pub property: String,
    /// Models under which it holds, from the weakest on.
    pub holds: Vec<&'static str>,
    /// Models under which it is refuted.
    pub refuted: Vec<&'static str>,
    /// Models under which it is unknown.
    pub unknown: Vec<&'static str>,
    /// The strictest model that refutes it, by position among the models: its execution is shown.
    pub shown: Option<usize>,
    /// What happens in that execution that the next model forbids.
    pub difference: Option<String>,
}

/// What external functions return is told call by call with the execution.
fn is_told_below(name: &str, value: &str) -> bool {
    name == "external" && value.contains('(')
}

impl Answer {
    /// A verdict of an engine about a file, and nothing besides.
    pub fn new(file: &str, engine: &str, verdict: Verdict) -> Answer {
        Answer {
            file: file.to_owned(),
            engine: engine.to_owned(),
            seconds: 0.0,
            cached: 0,
            verdict,
            trace_path: None,
            account: None,
            declared: None,
            tried: Vec::new(),
            next: None,
            seed: None,
        }
    }

    /// Is it what random executions say?
    pub fn is_random(&self) -> bool {
        self.engine == "sim"
    }

    /// The bound as in a result line: `Db=3, int=-2..2`, `any size` when proved, else `-`.
    pub fn bound_text(&self) -> String {
        if self.verdict.bound.is_empty() {
            let proved = self.verdict.outcome == Outcome::Proved;
            return if proved { "any size" } else { "-" }.to_owned();
        }
        let parts: Vec<String> = self
            .verdict
            .bound
            .iter()
            .map(|(name, value)| match is_told_below(name, value) {
                true => name.clone(),
                false => format!("{name}={value}"),
            })
            .collect();
        parts.join(", ")
    }

    /// What stands at the end of a result line.
    pub fn detail(&self) -> String {
        match self.verdict.outcome {
            Outcome::Unknown => self.verdict.reason.clone(),
            Outcome::Refuted => self.refuted_detail(),
            Outcome::Proved | Outcome::Holds => self.provided_and_done(),
        }
    }

    /// ``provided `assertions` ``, where it rests on something that is not proved.
    pub(crate) fn provided(&self) -> Option<String> {
        let verdict = &self.verdict;
        let names = verdict.provided.iter().map(|name| format!("`{name}`"));
        let names: Vec<String> = names.collect();
        let told = || format!("provided {}", names.join(" and "));
        verdict.is_conditional().then(told)
    }

    fn provided_and_done(&self) -> String {
        let done = Some(self.work_done()).filter(|done| !done.is_empty());
        let vacuous = self.verdict.is_vacuous().then(|| "vacuous".to_owned());
        let parts = self.provided().into_iter().chain(vacuous).chain(done);
        let parts: Vec<String> = parts.collect();
        parts.join("   ")
    }

    fn refuted_detail(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.verdict.trace.as_ref().map(length));
        parts.extend(self.seed.map(|seed| format!("seed {seed}")));
        parts.extend(self.trace_path.as_ref().map(|path| format!("trace {path}")));
        parts.join("   ")
    }

    fn work_done(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(
            self.verdict
                .executions
                .map(|number| count(number, "execution")),
        );
        parts.extend(
            self.verdict
                .blocked
                .map(|number| format!("{} blocked", crate::thousands(number))),
        );
        parts.extend(self.verdict.states.map(|number| count(number, "state")));
        let orders = self.verdict.interleavings.filter(|power| *power >= 3.0);
        let orders =
            orders.map(|power| format!(" (of about {} interleavings)", power_of_ten(power)));
        parts.join(", ") + &orders.unwrap_or_default()
    }
}

/// `6 messages`, or `4 steps` where nothing is sent.
fn length(trace: &Trace) -> String {
    let sent: usize = trace
        .events
        .iter()
        .map(|event| {
            let own = usize::from(event.kind == EventKind::Send);
            own + event.sends.iter().filter(|sent| sent.to.is_some()).count()
        })
        .sum();
    if sent > 0 {
        count(sent as u64, "message")
    } else {
        count(trace.events.len() as u64, "step")
    }
}
