//! What random executions run: subjects, sizes and instances.

use crate::contain::{Crash, contained};
use crate::plan::Request;
use crate::sizes::table;
use crate::{LoadedSong, Problem};
use plainsong_ir::{Song, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::trace::Trace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An execution and what was executed.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The choreography, when it is one.
    pub line: Option<String>,
    /// Sizes and limits.
    pub bound: BTreeMap<String, String>,
    /// What happened.
    pub trace: Trace,
}

/// Why there is no execution.
#[derive(Clone, Debug)]
pub enum NoExecution {
    /// What was asked cannot be done.
    Problem(Problem),
    /// Our own bug.
    Bug(Crash),
}

/// What can be run, and the instances to choose from.
pub(crate) struct Subjects {
    /// The system, or each choreography when there is no system.
    pub(crate) all: Vec<Subject>,
    /// At least one: parameters that nobody chose are chosen by the seed.
    pub(crate) instances: Vec<Instance>,
}

/// What random executions of a song run.
pub(crate) fn subjects(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
) -> Result<Subjects, NoExecution> {
    let of_file = |problem: Problem| NoExecution::Problem(problem.in_file(&loaded.source.name));
    let sizes = one_of_each(song, request).map_err(of_file)?;
    if song
        .actions()
        .is_some_and(plainsong_ir::Actions::is_layered)
    {
        return Err(of_file(Problem::new(
            "a program with procedures is not run step by step yet; ask `plainsong refine`",
        )));
    }
    let all = runnable(song);
    if all.is_empty() {
        return Err(of_file(Problem::new(
            "there is nothing to run: no processes, actions or choreographies",
        )));
    }
    let instances = contained(|| Instance::all(song.clone(), &sizes, &request.bounds))
        .map_err(NoExecution::Bug)?;
    let instances = instances.map_err(|error| of_file(error.into()))?;
    if instances.is_empty() {
        return Err(of_file(Problem::new(
            "no values of the parameters satisfy their `where`",
        )));
    }
    let instances = instances.into_iter();
    let instances = instances.map(|one| one.with_delivery(request.delivery));
    Ok(Subjects {
        all,
        instances: instances.collect(),
    })
}

/// The machines of the instance that a seed picks: of the system, or of each choreography.
pub fn machines(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    seed: u64,
) -> Result<Vec<Machine>, NoExecution> {
    let Subjects { all, instances } = subjects(loaded, song, request)?;
    let instance = &instances[(seed % instances.len() as u64) as usize];
    let machines = all.into_iter();
    contained(|| machines.map(|one| Machine::new(instance, one)).collect())
        .map_err(NoExecution::Bug)
}

fn runnable(song: &Song) -> Vec<Subject> {
    match song.system {
        System::None => song.choreographies().map(Subject::Line).collect(),
        System::Voices(_) | System::Actions(_) => vec![Subject::System],
    }
}

/// One size for each name: a range in the file stands for its smallest, one on the command line is
/// a misunderstanding.
fn one_of_each(song: &Song, request: &Request) -> Result<Sizes, Problem> {
    if let Some(range) = request
        .sizes
        .iter()
        .find(|sizing| sizing.low != sizing.high)
    {
        return Err(Problem::new(format!(
            "one execution has one size: `{}` was given a range",
            range.name
        ))
        .help(format!(
            "for example `--size {}={}`",
            range.name, range.high
        )));
    }
    let mut sizes = Sizes::new();
    for (name, chosen) in table(song, None, &request.sizes) {
        sizes = sizes.with(name, chosen.low);
    }
    Ok(sizes)
}
