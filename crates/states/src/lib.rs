//! Explicit-state model checking, fast: every state of an action system once.
//!
//! The same search as [`plainsong_semantics::search`], with the same report, over states packed into a
//! few words and actions compiled for their arguments:
//!
//! - `shape`, `layout`: a type becomes leaves, leaves become bits. Fast are truth values, numbers, sorts,
//!   options, tuples, structs and enums of these, maps over few keys, sets and bags over few elements, and
//!   pending asyncs. Everything else (sequences, sets and bags over endless types) is kept as the
//!   number of a value; expressions that look into such values go to the evaluator, one by one.
//! - `compile`, `run`: an action with its arguments becomes straight code on those bits. Actions that
//!   would become too long, choose inside a `while`, loop over or write into values kept as numbers go
//!   to the interpreter as a whole.
//! - `direct`: the simplest programs are a row of masks, and need no loop over instructions.
//! - `store`: hashed sets of states, in 32 bits each where they have few; exact, never by fingerprint.
//! - `symmetry`: where members of a sort cannot be told apart, one state of each orbit.
//! - `search`: puts it together.
//!
//! There is no second step relation: a program does what the interpreter does where nothing fails, or asks
//! the interpreter. Failures, deadlocks and violations are looked at again by
//! [`Findings`](plainsong_semantics::search::Findings), which retraces and replays each of them. Systems of
//! processes, choreographies, and action systems with thousands of different asyncs are searched by
//! [`plainsong_semantics::search`] itself.

mod asyncs;
mod code;
mod coding;
mod compile;
mod direct;
mod interner;
mod layout;
mod leaves;
mod numbers;
mod processes;
mod reached;
mod run;
mod scratch;
mod search;
mod shape;
mod snapshot;
mod store;
mod symmetry;

pub use scratch::Scratch;

use plainsong_ir::symmetry::Asymmetry;
use plainsong_ir::{Claim, Song, SortId, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::process_symmetry::UpToNames;
use plainsong_semantics::search::{Check, Limits, Query, SearchReport, Watch};
use plainsong_semantics::value::Value;

/// What was found, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// What was found.
    pub report: SearchReport,
    /// Why the interpreter's own search did it, if it did.
    pub by_interpreter: Option<&'static str>,
    /// How often an async was taken, and by whom.
    pub taken: Taken,
    /// What symmetry was made use of.
    pub symmetry: Symmetry,
    /// The variables in each final state, if that was asked for.
    pub ends: Vec<Vec<Value>>,
    /// Of processes: were messages dropped that cannot matter any more? If not, why.
    pub dead_messages: Result<(), &'static str>,
    /// Of processes: were fewer steps taken where their order does not matter? If not, why.
    pub order: Result<(), &'static str>,
}

/// Which sorts are symmetric: states that differ only in the names of their members are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// Those that are.
    pub alike: Vec<SortId>,
    /// Those that are not, and what tells their members apart.
    pub others: Vec<(SortId, Asymmetry)>,
}

/// How often pending asyncs were taken, whether or not they were blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// By compiled programs.
    pub by_programs: u64,
    /// By the interpreter, because there is no program or it bailed.
    pub by_interpreter: u64,
}

/// How to go about a search. Whatever is chosen, what is found is the same, and so are all counts, except that a
/// search up to names counts fewer states and steps.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'d> {
    /// How many workers share the work.
    pub jobs: usize,
    /// How many bytes the states may take; the search ends, and says so, when they take more.
    pub memory: Option<u64>,
    /// Of processes: where states go when they take more, and the search goes on.
    pub scratch: Option<&'d dyn Scratch>,
    /// How many states are in memory at most, where there is a place for others, whatever memory there is.
    pub in_memory: u64,
    /// Are states that differ only in the names of members of symmetric sorts kept once?
    pub up_to_names: bool,
    /// For how many states it is kept how each was reached; with more of them that is forgotten, and found out
    /// again by a second search where it is needed.
    pub ways: usize,
    /// How many states are worth handing to a worker.
    pub share: usize,
    /// Are the variables of final states kept? Then there is one worker.
    pub ends: bool,
    /// Of processes: are messages dropped that cannot matter any more? Then fewer states and steps are counted.
    pub dead_messages: bool,
    /// Of processes: after so many states, fewer steps are taken where their order does not matter; then fewer states are counted.
    /// Never, if none.
    pub order: Option<u64>,
}

/// So many states are searched in full before steps are left out: what is near is found by a shortest way.
const IN_FULL: u64 = 20_000;

impl Default for Manner<'_> {
    fn default() -> Self {
        Manner {
            jobs: 1,
            memory: None,
            scratch: None,
            in_memory: u64::MAX,
            up_to_names: false,
            ways: 1 << 16,
            share: 256,
            ends: false,
            dead_messages: true,
            order: Some(IN_FULL),
        }
    }
}

/// Which sorts of an action system are symmetric, given what is asked. For what is asked about executions without end
/// none is: that is seen in the graph of all states.
pub fn symmetric(song: &Song, checks: &[Check]) -> Symmetry {
    match &song.system {
        System::Actions(actions) if !asks_for_rest(song, checks) => {
            symmetry::sorts(song, actions, checks)
        }
        _ => Symmetry::default(),
    }
}

/// Searches the instance and checks what the query asks.
pub fn search(
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Searched {
    search_in(Manner::default(), instance, query, limits, watch)
}

/// The same, where states that differ only in the names of members of symmetric sorts are kept once. States
/// and steps are counted as they are kept, and what is asked about executions without end is not answered by it.
pub fn search_up_to_names(
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Searched {
    let manner = Manner {
        up_to_names: true,
        ..Manner::default()
    };
    search_in(manner, instance, query, limits, watch)
}

/// The same in some manner.
pub fn search_in(
    manner: Manner<'_>,
    instance: &Instance,
    query: &Query,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Searched {
    let symmetry = match manner.up_to_names {
        true => symmetric(instance.song(), &query.checks),
        false => Symmetry::default(),
    };
    let by_interpreter = match (&instance.song().system, query.subject) {
        (System::Actions(actions), Subject::System) => {
            let alike = &symmetry.alike;
            match search::search(instance, actions, query, alike, (limits, manner), watch) {
                Some((report, taken, ends)) => {
                    return Searched {
                        report,
                        by_interpreter: None,
                        taken,
                        symmetry,
                        ends,
                        dead_messages: Err("there are no messages"),
                        order: Err("there are no processes"),
                    };
                }
                None => "it has thousands of different asyncs",
            }
        }
        (System::Voices(_), Subject::System) => {
            match processes::search(instance, query, &[], (limits, manner), watch) {
                Ok(packed) => {
                    return Searched {
                        report: packed.report,
                        by_interpreter: None,
                        taken: Taken::default(),
                        symmetry: Symmetry::default(),
                        ends: Vec::new(),
                        dead_messages: packed.dead_messages,
                        order: packed.order,
                    };
                }
                Err(why) => why,
            }
        }
        _ => "it is no system",
    };
    Searched {
        report: plainsong_semantics::search::search(instance, query, limits, watch),
        by_interpreter: Some(by_interpreter),
        taken: Taken::default(),
        symmetry: Symmetry::default(),
        ends: Vec::new(),
        dead_messages: Err("searched by the interpreter"),
        order: Err("searched by the interpreter"),
    }
}

/// Searches an instance with processes, one state for all that differ in the names of these sorts, each of which must be
/// [symmetric](plainsong_semantics::process_symmetry::symmetric) for the processes and for what is asked; or says why it cannot.
pub fn search_processes_up_to_names(
    manner: Manner<'_>,
    instance: &Instance,
    (query, sorts): (&Query, &[SortId]),
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<UpToNames, &'static str> {
    let packed = processes::search(instance, query, sorts, (limits, manner), watch)?;
    Ok(UpToNames {
        report: packed.report,
        stands_for: packed.stands_for,
        open: packed.open,
    })
}

/// Is it asked whether executions terminate? That is seen in the graph of all states.
fn asks_for_rest(song: &Song, checks: &[Check]) -> bool {
    let claims = checks.iter().filter_map(|check| match check {
        Check::Property(at) => Some(&song.properties[*at].claim),
        _ => None,
    });
    claims.into_iter().any(Claim::is_liveness)
}
