//! What can be asked of a song.

use crate::claim::subjects;
use crate::machine::Subject;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Mover, ProcedureId, Song, System};

/// Something to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// No failed `assert`, no undefined operation; in a system, no false loop invariant.
    Assertions,
    NoDeadlock,
    /// `ensures` and loop invariants of the choreography that is run.
    Contract,
    /// A property of the song, by position.
    Property(usize),
    /// An action moves as it is declared to.
    Mover(ActionId),
    /// A procedure refines its action.
    Refines(ProcedureId),
    /// Asyncs may be thought to run in the order of a schedule; the sequentialization's position.
    Sequence(usize),
}

/// What to search and what to check on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is run.
    pub subject: Subject,
    pub checks: Vec<Check>,
}

impl Query {
    /// Everything that can be asked of a song: one query for its system, if it has one, and one for
    /// each choreography.
    pub fn all(song: &Song) -> Vec<Query> {
        let mut queries = Vec::new();
        if song.system != System::None {
            let checks = checks_of_system(song);
            queries.push(Query {
                subject: Subject::System,
                checks,
            });
        }
        for line in 0..song.lines.len() {
            let checks = vec![Check::Contract, Check::Assertions];
            queries.push(Query {
                subject: Subject::Line(line),
                checks,
            });
        }
        for query in &mut queries {
            let properties = song.properties.iter().enumerate();
            let meant = properties.filter(|(_, one)| subjects(song, one).contains(&query.subject));
            query
                .checks
                .extend(meant.map(|(at, _)| Check::Property(at)));
        }
        queries
    }
}

impl Check {
    /// Its name for people, and the name in the text if it has one there.
    pub fn name(self, song: &Song, subject: Subject) -> (String, Span) {
        match (self, subject) {
            (Check::Assertions, _) => ("assertions".to_owned(), Span::default()),
            (Check::NoDeadlock, _) => ("no_deadlock".to_owned(), Span::default()),
            (Check::Contract, Subject::Line(line)) => {
                (song.lines[line].name.clone(), song.lines[line].span)
            }
            (Check::Contract, Subject::System) => ("contract".to_owned(), Span::default()),
            (Check::Property(at), _) => {
                (song.properties[at].name.clone(), song.properties[at].span)
            }
            (Check::Mover(id), _) => {
                let row = song.actions().map(|actions| &actions.actions[id.index()]);
                row.map_or_else(Default::default, |row| (row.name.clone(), row.span))
            }
            (Check::Sequence(at), _) => {
                let row = &song.sequences()[at];
                (song.sequence_name(row), row.span)
            }
            (Check::Refines(id), _) => {
                let row = song
                    .actions()
                    .map(|actions| &actions.procedures[id.index()]);
                row.map_or_else(Default::default, |row| (row.name.clone(), row.span))
            }
        }
    }
}

/// A program with procedures is asked whether it refines; any other system whether it runs well. Declared
/// movers, and actions that refine others, are asked about in both.
fn checks_of_system(song: &Song) -> Vec<Check> {
    let Some(actions) = song.actions() else {
        let mut checks = vec![Check::Assertions, Check::NoDeadlock];
        checks.extend((0..song.sequences().len()).map(Check::Sequence));
        return checks;
    };
    let mut checks = match actions.is_layered() {
        true if actions.sequences.is_empty() && actions.init.is_none() => Vec::new(),
        true => vec![Check::Assertions],
        false => vec![Check::Assertions, Check::NoDeadlock],
    };
    for (at, action) in actions.actions.iter().enumerate() {
        let moves = action
            .role
            .mover
            .is_some_and(|mover| mover != Mover::Atomic);
        if moves || action.role.refines.is_some() {
            checks.push(Check::Mover(at.into()));
        }
    }
    checks.extend((0..actions.sequences.len()).map(Check::Sequence));
    let procedures = 0..actions.procedures.len();
    checks.extend(procedures.map(|at| Check::Refines(at.into())));
    checks
}
