//! Which properties: all of them, those named, those that match.

use crate::Problem;
use plainsong_diagnostics::Span;
use plainsong_ir::{Claim, Song};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Query};
use regex_lite::Regex;

/// `--property` and `--match`.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Exactly these; all when empty.
    pub names: Vec<String>,
    /// Only those that match.
    pub pattern: Option<Regex>,
}

/// One thing that can be asked of a song.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name for people.
    pub name: String,
    /// What is run.
    pub subject: Subject,
    /// What is checked.
    pub check: Check,
}

/// Everything that can be asked of a song, in the order of the answers.
pub fn questions(song: &Song) -> Vec<Question> {
    let queries = Query::all(song);
    let alone = queries.len() == 1;
    let mut questions = Vec::new();
    for query in &queries {
        for &check in &query.checks {
            let name = name(song, query, check, alone);
            questions.push(Question {
                name,
                subject: query.subject,
                check,
            });
        }
    }
    questions
}

impl Question {
    /// Where what it is about is declared; nothing where it is about everything.
    pub fn span(&self, song: &Song) -> Option<Span> {
        let actions = song.actions();
        match (self.check, self.subject) {
            (Check::Property(at), _) => song.properties.get(at).map(|one| one.span),
            (Check::Mover(at), _) => actions.map(|all| all.actions[at.index()].span),
            (Check::Refines(at), _) => actions.map(|all| all.procedures[at.index()].span),
            (Check::Sequence(at), _) => actions.map(|all| all.sequences[at].span),
            (_, Subject::Line(at)) => song.lines.get(at).map(|line| line.span),
            (_, Subject::System) => None,
        }
    }

    /// What it claims, in a word or two.
    pub fn claim(&self, song: &Song) -> &'static str {
        match self.check {
            Check::Assertions => "assertions",
            Check::NoDeadlock => "no deadlock",
            Check::Contract => "contract",
            Check::Mover(_) => "mover",
            Check::Refines(_) => "refines",
            Check::Sequence(_) => "sequentialize",
            Check::Property(at) => match song.properties.get(at).map(|property| &property.claim) {
                Some(Claim::Finally(_)) => "finally",
                Some(Claim::Always(_)) => "always",
                Some(Claim::Quiescent { fair: false }) => "eventually quiescent",
                Some(Claim::Quiescent { fair: true }) => "eventually quiescent fair",
                None => "",
            },
        }
    }
}

impl Selection {
    /// Parses the pattern.
    pub fn new(names: Vec<String>, pattern: Option<&str>) -> Result<Self, Problem> {
        let pattern = pattern
            .map(|text| {
                Regex::new(text).map_err(|error| {
                    Problem::new(format!("`{text}` is not a regular expression: {error}"))
                })
            })
            .transpose()?;
        Ok(Selection { names, pattern })
    }

    /// Is nothing in particular asked for?
    pub fn is_open(&self) -> bool {
        self.names.is_empty() && self.pattern.is_none()
    }

    /// Is this one asked?
    pub fn includes(&self, name: &str) -> bool {
        let named = self.names.is_empty() || self.names.iter().any(|other| other == name);
        named
            && self
                .pattern
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(name))
    }

    /// Refuses a selection in which a name is unknown or nothing is left.
    pub fn validate<'a>(&self, known: impl IntoIterator<Item = &'a str>) -> Result<(), Problem> {
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_unstable();
        known.dedup();
        for name in &self.names {
            if !known.contains(&name.as_str()) {
                return Err(Problem::unknown("property", name, &known));
            }
        }
        if known.iter().any(|name| self.includes(name)) {
            return Ok(());
        }
        Err(self.nothing_left(&known))
    }

    fn nothing_left(&self, known: &[&str]) -> Problem {
        if known.is_empty() {
            return Problem::nothing_to_check();
        }
        let pattern = self.pattern.as_ref().map_or("", Regex::as_str);
        let near = Problem::unknown("property", pattern, known);
        Problem {
            message: format!("no property matches `{pattern}`"),
            ..near
        }
    }
}

/// What is always checked of a choreography is named after it when there is something else to run,
/// so that every name is there once.
fn name(song: &Song, query: &Query, check: Check, alone: bool) -> String {
    let (name, _) = check.name(song, query.subject);
    match (query.subject, check) {
        (Subject::Line(at), Check::Assertions | Check::NoDeadlock) if !alone => {
            format!("{}.{name}", song.lines[at].name)
        }
        _ => name,
    }
}
