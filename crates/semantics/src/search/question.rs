//! Questions: what can be asked of a song, one by one, with the names that people use.

use super::{Check, Query};
use crate::machine::Subject;
use plainsong_diagnostics::Span;
use plainsong_ir::{Claim, Song};

/// One thing that can be asked of a song.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its name for people.
    pub name: String,
    /// What is run.
    pub subject: Subject,
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
                Some(Claim::Always(_) | Claim::Step(_)) => "always",
                Some(Claim::Quiescent { fair: false }) => "eventually quiescent",
                Some(Claim::Quiescent { fair: true }) => "eventually quiescent fair",
                Some(Claim::Temporal(temporal)) => match &temporal.parts[..] {
                    [part] => part.operator.words(),
                    _ => "temporal",
                },
                None => "",
            },
        }
    }
}

/// What a question about a subject is called.
pub fn name_of(song: &Song, subject: Subject, check: Check) -> Option<String> {
    let mut all = questions(song).into_iter();
    let found = all.find(|one| (one.subject, one.check) == (subject, check));
    found.map(|one| one.name)
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
