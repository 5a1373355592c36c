//! The expectations in the first lines of a song, read and written.
//!
//! `// expect check(Client=2): exclusive refuted "a = 0", no_deadlock holds` is one
//! [`Expectation`]: a [`Question`] and what is expected as its answer. The grammar is in
//! `songs/README.md`.

mod reader;

use super::Problem;
use plainsong_driver::engine::Fairness;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::Outcome;
use std::fmt;

/// What one header line expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The line, counted from 1.
    pub line: usize,
    /// What is asked.
    pub question: Question,
    /// How far the search for it goes.
    pub scope: Scope,
}

/// How far a search goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Sizes of sorts and values of parameters.
    pub sizes: Sizes,
    /// The most states, where it must not go on for ever.
    pub states: Option<u64>,
}

/// A question with the answer that is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// `check`: a verdict for each property that is named; the others hold.
    Check(Vec<Claim>),
    /// `prove`: a verdict for each property that is named; the others are proved.
    Prove(Vec<Claim>),
    /// `refine`: a verdict for each claim that is named; the others are proved.
    Refine(Vec<Claim>),
    /// `sequentialize`: a verdict for each property that is named; the others are proved.
    Sequentialize(Vec<Claim>),
    /// `diverge`, or `diverge_fair`: a verdict for each property that is named; the others hold or are proved.
    Diverge(Vec<Claim>, Option<Fairness>),
    /// `explore`: numbers of executions; those not named are 0.
    Explore(Vec<(Ending, u64)>),
    /// `states`: how many states the exhaustive search finds.
    States(u64),
    /// `accepted`: nothing to run.
    Accepted,
}

/// The verdict that is expected for one property.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub property: String,
    /// The verdict.
    pub outcome: Outcome,
    /// A part of the reason.
    pub reason: Option<String>,
}

/// How executions end that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Well.
    Executions,
    /// In a deadlock.
    Blocked,
    /// In a failure.
    Failed,
    /// At an `assume`.
    Discarded,
}

impl Ending {
    /// All of them, in the order they are written.
    pub const ALL: [Ending; 4] = [
        Ending::Executions,
        Ending::Blocked,
        Ending::Failed,
        Ending::Discarded,
    ];

    /// As written in a header.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Executions => "executions",
            Ending::Blocked => "blocked",
            Ending::Failed => "failed",
            Ending::Discarded => "discarded",
        }
    }
}

/// What the header of a song says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Does it begin with `// What: …`?
    pub says_what: bool,
    /// Its expectations, in order.
    pub expectations: Vec<Expectation>,
}

/// Reads the header of `text`: its comment lines up to the first line that is none.
pub fn read(text: &str) -> Result<Header, Vec<Problem>> {
    let mut header = Header::default();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.strip_prefix("//") else {
            break;
        };
        if index == 0 {
            header.says_what = comment.starts_with(" What: ");
        }
        let Some(rest) = comment.strip_prefix(" expect ") else {
            continue;
        };
        match reader::expectation(rest) {
            Ok((question, scope)) => {
                header.expectations.push(Expectation {
                    line: index + 1,
                    question,
                    scope,
                });
            }
            Err(message) => problems.push(Problem::new(index + 1, message)),
        }
    }
    if problems.is_empty() {
        Ok(header)
    } else {
        Err(problems)
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.question {
            Question::Check(_) => "check",
            Question::Prove(_) => "prove",
            Question::Refine(_) => "refine",
            Question::Sequentialize(_) => "sequentialize",
            Question::Diverge(_, None) => "diverge",
            Question::Diverge(_, Some(Fairness::Resent)) => "diverge_resent",
            Question::Diverge(_, Some(_)) => "diverge_fair",
            Question::Explore(_) => "explore",
            Question::States(_) => "states",
            Question::Accepted => "accepted",
        };
        write!(f, "// expect {verb}{}", self.scope)?;
        match &self.question {
            Question::Check(claims) | Question::Diverge(claims, _) => {
                write!(f, ": {}", verdicts(claims, Outcome::Holds))
            }
            Question::Prove(claims)
            | Question::Refine(claims)
            | Question::Sequentialize(claims) => {
                write!(f, ": {}", verdicts(claims, Outcome::Proved))
            }
            Question::Explore(counts) => write!(f, ": {}", numbers(counts)),
            Question::States(number) => write!(f, ": {number}"),
            Question::Accepted => Ok(()),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self
            .sizes
            .chosen
            .iter()
            .map(|(name, size)| format!("{name}={size}"))
            .collect();
        if !sizes.is_empty() {
            write!(f, "({})", sizes.join(", "))?;
        }
        match self.states {
            Some(states) => write!(f, " within {states} states"),
            None => Ok(()),
        }
    }
}

fn verdicts(claims: &[Claim], others: Outcome) -> String {
    if claims.is_empty() {
        return others.name().to_owned();
    }
    claims
        .iter()
        .map(Claim::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn numbers(counts: &[(Ending, u64)]) -> String {
    let written: Vec<String> = counts
        .iter()
        .map(|(ending, number)| format!("{} = {number}", ending.name()))
        .collect();
    written.join(", ")
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.property, self.outcome.name())?;
        match &self.reason {
            Some(part) => write!(f, " \"{part}\""),
            None => Ok(()),
        }
    }
}
